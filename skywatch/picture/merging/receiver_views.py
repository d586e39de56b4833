"""The state of every aircraft at each receiver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.merging.aircraft_merge import without_expired
from skywatch.picture.state.fields import LIFETIME_S, MIN_LIFETIME_S, POSITION_LIFETIME_S
from skywatch.picture.state.receiver_view import ReceiverView, absorb, clear_airframes, expire, view_of
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.reports.report import Report

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
        self.views: dict[str, Report] = {}
        # Whether any view is accumulated from increments; only such views have fields that expire by themselves.
        self.grows = False
        # That of ``_oldest`` where ``forget`` has just found it.
        self._oldest_at: float | None = None

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
        if all(map(_is_snapshot, reports)):
            now = dict(zip(addresses, reports, strict=True))
            if 2 * len(now) < len(self.views):
                self.views.update(now)
                return
            # In the order of the newest document, as the objects lie in memory.
            self.views = now | {address: view for address, view in self.views.items() if address not in now}
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

    def forget(self, before: float) -> None:
        """Drop the aircraft that were last received before this time."""
        self._oldest_at = self._oldest()
        if self._oldest_at > before:
            return
        self._oldest_at = None
        for address in [address for address, view in self.views.items() if view.at <= before]:
            del self.views[address]

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
        return self.views | {view.hex: without_expired(view, now) for view in aged}

    def _oldest(self) -> float:
        """When the aircraft was received that was not received for the longest time (unix s)."""
        return min(map(_at, self.views.values()), default=float("inf"))

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
            views.views.clear()
