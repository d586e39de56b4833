"""Merges the reports of all receivers at one tick: those of ours, those of strangers, and then both (``strangers``).

What receivers say differently of an aircraft is decided in ``merging.merge``. Where all of them say the same, times and
counts alone are merged: see ``merging.lead``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.merging.field_validator import FieldValidator
from skywatch.picture.merging.lead import PLACE, Lead, say_the_same
from skywatch.picture.merging.merge import merge
from skywatch.picture.merging.presence import contested
from skywatch.picture.merging.receiver_views import ReceiverViews, without_expired
from skywatch.picture.merging.reported import (
    Gathered,
    Reported,
    Times,
    is_listed,
)
from skywatch.picture.merging.strangers import alone, beside
from skywatch.picture.merging.values import ReportValues
from skywatch.picture.state.receiver_view import ReceiverView
from skywatch.receivers.reports.receiver_names import FEEDERS, TRUSTED_FEEDERS
from skywatch.receivers.reports.report import STALE_S, Report
from skywatch.receivers.reports.report_columns import ReportColumns

# Two positions so close (degrees) are one: that of a moment later.
ECHO_DEG = 0.005


def gather(
    books: Sequence[ReceiverViews],
    order: dict[str, int],
    now: float,
    validators: Mapping[bool, FieldValidator],
    names: Sequence[str],
) -> Gathered:
    """Merge the present reports: the addresses of ``order`` (with their rows) first, in that order, then new ones.

    Those of a single receiver stand in its order.

    ``books`` must be in an order that does not depend on which receiver reported first: it decides between equals.
    ``validators`` are those of ours (True) and of strangers; ``names`` are the receivers by index.
    """
    present = [Present.of(book, now) for book in books if len(book)]
    own = [each for each in present if each.book.voice.is_ours]
    ours, reported = _gather(own, order, now, validators[True], names)
    further = [each for each in present if not each.book.voice.is_ours]
    if ours.hexes and further:
        lead = Lead([(each.columns, each.rows) for each in reported], len(ours.hexes))
        is_snapshot = np.concatenate([each.is_snapshot() for each in own])[lead.first]
        further = [_without_echoes(each, ours, lead, is_snapshot, validators[False], now) for each in further]
    theirs = _gather([each for each in further if each.hexes], order, now, validators[False], names)
    if not theirs.gathered.hexes:
        return ours
    strangers = alone(theirs.gathered, theirs.reported, now)
    if not ours.hexes:
        return strangers
    return beside(ours, strangers, theirs.reported, order, now)


class Present(NamedTuple):
    """What a receiver says at a tick: a report of each of its aircraft, as columns where all are snapshots."""

    book: ReceiverViews
    hexes: list[str]
    views: ReportColumns | list[Report]

    @classmethod
    def of(cls, book: ReceiverViews, now: float) -> Present:
        """The reports of a receiver without expired fields."""
        if book.are_snapshots:
            columns = without_expired(book.by_field(), now)
            return cls(book, columns.hexes, columns)
        views = book.current(now)
        return cls(book, list(views), list(views.values()))

    def reported(self, rows: Array) -> Reported:
        """The reports in these rows of the tick."""
        columns, steady_arrays = self.views, None
        if isinstance(columns, ReportColumns):
            steady_arrays = self.book.steady_arrays
            steady_arrays.follow(columns.hexes, columns.steady)
        else:
            columns = ReportColumns.of(columns)
        is_agreement = self.book.name in (FEEDERS, TRUSTED_FEEDERS)
        return Reported(self.book.index, self.views, columns, rows, self.book.voice, is_agreement, steady_arrays)

    def is_snapshot(self) -> Array:
        """?[n]: which reports are not gathered message by message."""
        if isinstance(self.views, ReportColumns):
            return np.ones(len(self.hexes), "?")
        return np.array([type(view) is not ReceiverView for view in self.views], "?")


class Side(NamedTuple):
    """What is gathered of receivers that are all ours, or all strangers, and what each of them says."""

    gathered: Gathered
    reported: list[Reported]


def _without_echoes(
    present: Present, ours: Gathered, lead: Lead, is_snapshot: Array, validator: FieldValidator, now: float
) -> Present:
    """What a stranger says without the reports that say what ours say of an aircraft: only their messages are counted.

    Snapshots are compared, and where all are such of the aircraft that both hear; ``is_snapshot`` ?[n] are those of
    ``lead``.
    """
    views = present.views
    shared = [at for at, address in enumerate(present.hexes) if address in ours.index]
    rows = [ours.index[present.hexes[at]] for at in shared]
    if not shared or not is_snapshot[rows].all() or not present.is_snapshot()[shared].all():
        return present
    theirs = views.take(shared) if isinstance(views, ReportColumns) else ReportColumns.of([views[at] for at in shared])
    mine = lead.columns.take(rows)
    is_echo = say_the_same(mine, theirs) & (now - mine.at <= STALE_S) & _is_near(mine, theirs, now)
    if not is_echo.any():
        return present
    echoes = theirs.take(np.flatnonzero(is_echo).tolist())
    positions = ~np.isnan(echoes.column("lat")) & (now - echoes.position_at <= 1.0)
    validator.note_right(present.book.name, int(np.count_nonzero(positions)), len(echoes))
    rows = list(map(ours.index.__getitem__, echoes.hexes))
    _add_messages(ours.values, rows, echoes)
    is_left = np.ones(len(views), "?")
    is_left[np.array(shared)[is_echo]] = False
    left = np.flatnonzero(is_left).tolist()
    hexes = list(map(present.hexes.__getitem__, left))
    rest = views.take(left) if isinstance(views, ReportColumns) else [views[at] for at in left]
    return Present(present.book, hexes, rest)


def _add_messages(values: ReportValues, rows: list[int], echoes: ReportColumns) -> None:
    """Count the messages of reports in these rows, and fill in their signals where there is none."""
    before = values.numbers("messages")[rows]
    values.set_numbers("messages", rows, np.nan_to_num(before) + np.nan_to_num(echoes.column("messages")))
    signals = values.numbers("rssi")[rows]
    values.set_numbers("rssi", rows, np.where(np.isnan(signals), echoes.column("rssi"), signals))


def _is_near(ones: ReportColumns, others: ReportColumns, now: float) -> Array:
    """?[n]: whether others place an aircraft where these do, which have just said so, or neither places it."""
    apart = [np.abs(ones.column(name) - others.column(name)) for name in PLACE]
    is_same = (apart[0] <= ECHO_DEG) & (apart[1] <= ECHO_DEG) & (now - ones.position_at <= STALE_S)
    result: Array = is_same | (np.isnan(ones.column("lat")) & np.isnan(others.column("lat")))
    return result


def _gather(
    present: Sequence[Present], order: dict[str, int], now: float, validator: FieldValidator, names: Sequence[str]
) -> Side:
    """Merge what receivers say that are all ours, or all strangers."""
    if not present:
        validator.review((), names, [], now)
        return Side(Gathered([], {}, ReportValues(ReportColumns.of(())), [], np.empty(0, "u2"), []), [])
    if len(present) == 1:
        return _gather_one(present[0], order)
    hexes, index = _in_order(order, [each.hexes for each in present])
    rows = [np.fromiter(map(index.__getitem__, each.hexes), "i8", len(each.hexes)) for each in present]
    reported = [each.reported(of_receiver) for each, of_receiver in zip(present, rows, strict=True)]
    are_snapshots = all(isinstance(each.views, ReportColumns) for each in present)
    lead = Lead([(each.columns, each.rows) for each in reported], len(hexes)) if are_snapshots else None
    is_contested = contested(reported, len(hexes), now)
    verdict = validator.review(reported, names, hexes, now)
    offers = [receiver_reports.offer() for receiver_reports in reported]
    values, times, best_receiver = _merge_all(reported, verdict.excluded, lead, is_contested, now)
    decided: dict[str, dict[int, Any]] = {}
    for name, row, value in verdict.values:
        decided.setdefault(name, {})[row] = value
    for name, of_rows in decided.items():
        values.set(name, list(of_rows), list(of_rows.values()))
    gathered = Gathered(hexes, index, values, times, best_receiver, offers, verdict.disputed, is_contested)
    return Side(gathered, reported)


def _in_order(order: dict[str, int], by_receiver: Sequence[list[str]]) -> tuple[list[str], dict[str, int]]:
    """The addresses of all receivers, those of ``order`` first, then by receiver, and the row of each.

    The index is ``order`` itself where nobody has come or left.
    """
    heard = dict.fromkeys(chain.from_iterable(by_receiver))
    if order.keys() == heard.keys():
        return list(order), order
    hexes = list(dict.fromkeys(chain((address for address in order if address in heard), heard)))
    return hexes, dict(zip(hexes, count()))


def _gather_one(present: Present, order: dict[str, int]) -> Side:
    """What one receiver says, which nobody completes."""
    # In the order of the document: so a tick goes through objects as they were made, one behind the other in memory.
    hexes = present.hexes
    index = order if hexes == list(order) else dict(zip(hexes, count()))
    reported = present.reported(np.arange(len(hexes)))
    receivers = np.full(len(hexes), present.book.index, "u2")
    gathered = Gathered(hexes, index, reported.values, reported.times, receivers, [reported.offer()])
    return Side(gathered, [reported])


def _merge_all(
    reported: list[Reported], excluded: Sequence[Array], lead: Lead | None, is_contested: Array, now: float
) -> tuple[ReportValues, Times, Array]:
    """``merge``, but what all receivers of an aircraft say alike is taken from the leading report.

    ``excluded`` are the indices of each one's views that do not count.
    """
    believed = [
        np.delete(np.arange(len(of_receiver.rows)), indices)
        for of_receiver, indices in zip(reported, excluded, strict=True)
    ]
    count = len(is_contested)
    if lead is None:
        return merge(reported, believed, np.ones(count, "?"), is_contested, now)
    differs, receivers = np.zeros(count, "?"), np.zeros(count, "u4")
    for of_receiver, indices in zip(reported, excluded, strict=True):
        differs[of_receiver.rows[indices]] = True
        receivers[of_receiver.rows] += 1
    for of_receiver in reported:
        assert of_receiver.steady_arrays is not None, "there is a lead where all reports are columns"
        different = lead.differences(of_receiver.columns, of_receiver.rows, of_receiver.steady_arrays)
        differs[of_receiver.rows[different]] = True
        for source in ("mlat", "tisb"):
            rows = of_receiver.rows[of_receiver.values.array(source, is_listed)]
            differs[rows[receivers[rows] > 1]] = True
    # To put most of them into the values of the leading reports costs more than they bring.
    if 2 * np.count_nonzero(differs) > count:
        return merge(reported, believed, np.ones(count, "?"), is_contested, now)
    merged, receiver = _alike(reported, lead.columns)
    if not differs.any():
        return merged, [], receiver
    rows = np.flatnonzero(differs)
    decided, times, receiver[rows] = merge(reported, believed, differs, is_contested, now)
    merged.replace(rows.tolist(), decided)
    return merged, [(int(rows[at]), states) for at, states in times], receiver


def _alike(reported: Sequence[Reported], lead: ReportColumns) -> tuple[ReportValues, Array]:
    """``values`` and ``receiver`` where all receivers say the same; in other rows they mean nothing."""
    merged, aircraft = ReportValues(lead), len(lead)
    heard, messages, leader = np.full(aircraft, -np.inf), np.zeros(aircraft), np.full(aircraft, -1)
    receiver, receivers = np.zeros(aircraft, "u2"), np.zeros(aircraft, "i4")
    for of_receiver in reported:
        rows = of_receiver.rows
        receiver[rows[of_receiver.heard_at > heard[rows]]] = of_receiver.receiver
        heard[rows] = np.maximum(heard[rows], of_receiver.heard_at)
        messages[rows] += np.nan_to_num(of_receiver.values.numbers("messages"))
        receivers[rows] += 1
        leader[rows[leader[rows] < 0]] = of_receiver.receiver
    merged.set_numbers("at", slice(None), heard)
    several = receivers > 1
    merged.set_numbers("messages", several, messages[several])
    for of_receiver in reported:
        rows, values = of_receiver.rows, of_receiver.values
        better = np.flatnonzero((receiver[rows] == of_receiver.receiver) & (leader[rows] != of_receiver.receiver))
        if len(better):
            merged.set_numbers("rssi", rows[better], values.numbers("rssi")[better])
        # The newest position need not be of the receiver that heard the aircraft last.
        newer = np.flatnonzero(values.numbers("position_at") > merged.numbers("position_at")[rows])
        if len(newer):
            for name in ("position_at", *PLACE):
                merged.set_numbers(name, rows[newer], values.numbers(name)[newer])
    # A signal that the best receiver does not tell is that of the next one that does.
    signals = merged.numbers("rssi")
    for of_receiver in reported if np.isnan(signals).any() else ():
        missing = np.flatnonzero(np.isnan(merged.numbers("rssi")[of_receiver.rows]))
        merged.set_numbers("rssi", of_receiver.rows[missing], of_receiver.values.numbers("rssi")[missing])
    return merged, receiver
