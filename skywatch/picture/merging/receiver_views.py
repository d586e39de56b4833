"""The state of every aircraft at each receiver.

What came as columns stays so while only the picture of one receiver reads it: reports are made when somebody asks for
views.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter

import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array, distinct
from skywatch.picture.merging.steady_arrays import SteadyArrays
from skywatch.picture.state.fields import GROUPS, LIFETIME_S, MIN_LIFETIME_S, POSITION_LIFETIME_S
from skywatch.picture.state.receiver_view import ReceiverView, absorb, clear_airframes, expire, view_of
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import NAN, STEADY, ReportColumns

_at, _is_snapshot = attrgetter("at"), attrgetter("snapshot")
LIFETIMES_S = tuple(sorted(set(LIFETIME_S.values())))


class ReceiverViews:
    """The views of one receiver, by address; ``index`` is its place among the picture's receivers.

    ``voice`` is whose it is: ours, or which stranger's.
    """

    def __init__(self, name: str, index: int, voice: Voice = OURS) -> None:
        self.name = name
        self.index = index
        self.voice = voice
        self._views: dict[str, Report] = {}
        # The newest document, where it came as columns and no views were made of it; ``_views`` are then of aircraft
        # that it has not.
        self._columns: ReportColumns | None = None
        # Whether any view is accumulated from increments; only such views have fields that expire by themselves.
        self.grows = False
        self.steady_arrays = SteadyArrays()
        # That of ``_oldest`` where ``forget`` has just found it.
        self._oldest_at: float | None = None

    @property
    def views(self) -> dict[str, Report]:
        """The view of each aircraft, by address."""
        if self._columns is not None:
            self._views = dict(zip(self._columns.hexes, self._columns, strict=True)) | self._views
            self._columns = None
        return self._views

    def __len__(self) -> int:
        return len(self._views) + (len(self._columns) if self._columns is not None else 0)

    def get(self, address: str) -> Report | None:
        """The report of an aircraft, None where there is none; changes nothing, so that any thread may ask."""
        columns = self._columns
        if columns is not None and address in columns.addresses:
            return columns[columns.hexes.index(address)]
        return self._views.get(address)

    @property
    def addresses(self) -> Collection[str]:
        """The addresses of the aircraft, in the order of ``views``."""
        return self._views.keys() if self._columns is None else [*self._columns.hexes, *self._views]

    @property
    def are_snapshots(self) -> bool:
        """Whether every report is a snapshot."""
        return ReceiverView not in set(map(type, self._views.values()))

    def by_field(self) -> ReportColumns:
        """The reports as columns, in the order of ``addresses``."""
        columns, others = self._columns, list(self._views.values())
        if columns is None:
            return ReportColumns.of(others)
        return ReportColumns.joined([columns, ReportColumns.of(others)]) if others else columns

    def speak_for(self, voice: Voice) -> None:
        """Set whose the receiver is; what a stranger said of airframes is forgotten."""
        if voice == self.voice:
            return
        self.voice = voice
        if not voice.is_ours:
            clear_airframes(self.views.values())

    def put(self, reports: Sequence[Report], addresses: Sequence[str]) -> None:
        """Take reports of these addresses: a snapshot replaces the view, an increment adds to it."""
        self._oldest_at = None
        if isinstance(reports, ReportColumns) and not reports.is_made and 2 * len(reports) >= len(self):
            self._put_columns(reports)
            return
        if all(map(_is_snapshot, reports)):
            now = dict(zip(addresses, reports, strict=True))
            if 2 * len(now) < len(self):
                self.views.update(now)
                return
            # In the order of the newest document.
            self._views = now | {address: view for address, view in self.views.items() if address not in now}
            return
        for report in reports:
            if report.snapshot:
                self.views[report.hex] = report
                continue
            view = self.views.get(report.hex)
            if type(view) is not ReceiverView:
                view = self.views[report.hex] = view_of(report.hex)
                self.grows = True
            absorb(view, report)

    def _put_columns(self, columns: ReportColumns) -> None:
        new = columns.addresses
        others = {address: view for address, view in self._views.items() if address not in new}
        before = self._columns
        if before is not None and not new.issuperset(before.hexes):
            missing = [row for row, address in enumerate(before.hexes) if address not in new]
            others = {view.hex: view for view in before.make(missing)} | others
        self._columns, self._views = columns, others

    def forget(self, before: float) -> None:
        """Drop the aircraft that were last received before this time."""
        self._oldest_at = self._oldest()
        if self._oldest_at > before:
            return
        self._oldest_at = None
        columns = self._columns
        if columns is not None and (columns.at <= before).any():
            self._columns = columns.take(np.flatnonzero(columns.at > before).tolist())
        self._views = {address: view for address, view in self._views.items() if view.at > before}
        if not len(self):
            self.clear()

    def clear(self) -> None:
        """Forget every aircraft."""
        self._oldest_at = None
        self._columns, self._views = None, {}
        self.steady_arrays = SteadyArrays()

    def expires_at(self, now: float, timeout_s: float) -> float:
        """When the next field, position or aircraft expires if nothing more is received (unix s); infinite: never."""
        return min((_expires_at(view, now, timeout_s) for view in self.views.values()), default=float("inf"))

    def restore(self, views: Iterable[Report]) -> None:
        """Restore saved views of aircraft that were not received since."""
        self._oldest_at = None
        for view in views:
            self.views.setdefault(view.hex, view)
            self.grows |= type(view) is ReceiverView

    def current(self, now: float) -> dict[str, Report]:
        """The views without expired fields."""
        if self.grows:
            for view in self.views.values():
                if type(view) is ReceiverView:
                    expire(view, now)
        old = now - MIN_LIFETIME_S
        oldest_at, self._oldest_at = self._oldest_at, None
        if (self._oldest() if oldest_at is None else oldest_at) >= old:
            return self.views
        aged = [view for view in self.views.values() if view.at < old and type(view) is not ReceiverView]
        if not aged:
            return self.views
        pruned = without_expired(ReportColumns.of(aged), now)
        return self.views | dict(zip(pruned.hexes, pruned, strict=True))

    def _oldest(self) -> float:
        """When the aircraft was received that was not received for the longest time (unix s)."""
        oldest = min(map(_at, self._views.values()), default=float("inf"))
        if self._columns is not None and len(self._columns):
            return min(oldest, float(self._columns.at.min()))
        return oldest

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        self._oldest_at = None
        for view in self.views.values():
            view.at += step
            view.position_at += step
            if isinstance(view, ReceiverView):
                view.type_at += step
                view.expires_at += step
                for state in view.heard.values():
                    state.at += step


def _expires_at(view: Report, now: float, timeout_s: float) -> float:
    fields = (
        [view.expires_at] if isinstance(view, ReceiverView) else [view.at + lifetime_s for lifetime_s in LIFETIMES_S]
    )
    # A field is shown until its lifetime has passed, not as long as it lasts: what ends now has not ended yet.
    ends = (*fields, view.position_at + POSITION_LIFETIME_S, view.at + timeout_s)
    return min((at for at in ends if at >= now), default=now)


def without_expired(columns: ReportColumns, now: float) -> ReportColumns:
    """Snapshots without the values whose lifetime has passed (unix s); themselves where none has."""
    is_old = columns.at < now - MIN_LIFETIME_S
    if not is_old.any():
        return columns
    numbers, steady, advisories = dict(columns.numbers), list(columns.steady), dict(columns.advisories)
    # By row, a bit for each group whose values have expired.
    groups = np.zeros(len(columns), "i8")
    for bit, group in enumerate(GROUPS):
        at = columns.position_at if group.name == "position" else columns.at
        groups |= (is_old & (now - at > group.lifetime_s)).astype("i8") << bit
    for bits in distinct(groups[groups > 0]).tolist():
        rows = np.flatnonzero(groups == bits)
        # A place is judged by its own time when positions are accepted.
        names = {name for bit, group in enumerate(GROUPS) if bits >> bit & 1 for name in group.fields} - {"lat", "lon"}
        for name in names & numbers.keys():
            numbers[name] = numbers[name].copy()
            numbers[name][rows] = NAN
        keeps = [name not in names for name in STEADY]
        for row in rows.tolist():
            steady[row] = tuple([value if kept else UNSET for value, kept in zip(steady[row], keeps, strict=True)])
            if "acas_ra" in names:
                advisories.pop(row, None)
    return ReportColumns(columns.hexes, columns.at, columns.position_at, numbers, steady, advisories)


class AllReceiverViews:
    """The views of every receiver; iterating gives them in the order of names: nothing depends on who spoke first."""

    def __init__(self) -> None:
        self._by_name: dict[str, ReceiverViews] = {}
        self._in_order: list[ReceiverViews] = []

    def __getitem__(self, name: str) -> ReceiverViews:
        """The views of a receiver, none for a new one."""
        views = self._by_name.get(name)
        if views is None:
            views = self._by_name[name] = ReceiverViews(name, len(self._by_name))
            self._in_order = sorted(self._by_name.values(), key=attrgetter("name"))
        return views

    def get(self, name: str) -> ReceiverViews | None:
        """The views of a receiver; None for one that was never heard."""
        return self._by_name.get(name)

    def __iter__(self) -> Iterator[ReceiverViews]:
        return iter(self._in_order)

    @property
    def in_order(self) -> list[ReceiverViews]:
        """The views in the order of receivers' names."""
        return self._in_order

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the receivers by index: in the order in which they were first heard."""
        return tuple(self._by_name)

    @property
    def is_ours(self) -> Array:
        """Whether each receiver is ours, by index."""
        return np.array([views.voice.is_ours for views in self._by_name.values()], "?")

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for views in self._in_order:
            views.shift(step)

    def clear(self) -> None:
        """Forget every view; receivers keep their indexes."""
        for views in self._in_order:
            views.clear()
