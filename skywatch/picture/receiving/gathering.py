"""Merges the reports of all receivers at one tick.

Reports of several receivers about one aircraft are compared as columns: a snapshot ranks as a whole, so comparing three
columns decides between two receivers, and fields that the better one lacks come from the other. Only views whose fields
have several times or sources are merged one by one. Where all receivers of an aircraft say the same, nothing is merged
but their times and counts: see ``steady.lead``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, count, repeat
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.picture.positions.accepted import NO_TRUST, Array, Offer
from skywatch.picture.receiving.field_validator import FieldValidator
from skywatch.picture.receiving.fields import MLAT_TRUST, STALE_S, TISB_TRUST, UNNAMED_TRUST
from skywatch.picture.receiving.merge import merge
from skywatch.picture.receiving.presence import contested
from skywatch.picture.receiving.receiver_views import ReceiverViews
from skywatch.picture.receiving.view import FieldState, View
from skywatch.picture.state.columns import columns_of, floats, is_absent, numbers, on_ground
from skywatch.picture.state.sky import SOURCE_INDEX
from skywatch.picture.steady.lead import PLACE, Differences, FollowingValues, Lead, array_of
from skywatch.picture.steady.values import ReportValues, is_whole, set_values
from skywatch.receivers.ingest.voices import Voice
from skywatch.receivers.reports.report import ReducedReport, Report

Values = dict[str, list[Any]]
# Fields of a view that decide its rank, and the aircraft's position.
DECIDING = ("at", "type", "mlat", "tisb", "lat", "lon", "position_at", "gs", "alt_baro")
# Further fields that are compared between receivers.
COMPARED = ("flight", "squawk", "emergency", "alt_geom")
# Their fields have times of their own, or they stand for several voices.
_UNLIKE = (View, ReducedReport)
Times = list[tuple[int, dict[str, FieldState]]]


@dataclass(frozen=True)
class Gathered:
    """The merged reports of the aircraft of one tick.

    ``index`` is the row of each address. ``values`` has, for each field of a report, one value per aircraft; ``times``
    the states of single fields, by row, if they differ from ``at``; ``receiver`` the index of the highest ranking
    receiver. ``disputed`` names, by row, the quantities that are withheld because receivers contradict each other.
    ``contested`` ?[n] see ``presence``.
    """

    hexes: list[str]
    index: dict[str, int]
    values: Values
    times: Times
    receiver: Array
    offers: list[Offer]
    disputed: dict[int, list[str]] = field(default_factory=dict)
    contested: Array | None = None


@dataclass(frozen=True)
class _Reported:
    """The present reports of one receiver: its views, their rows in the tick, and the values that are compared."""

    receiver: int
    views: list[Report]
    rows: Array
    values: Values
    times: Times  # by index within ``views``
    level: Array  # trust in the source of each view
    speaker: Voice | None = None  # of a feeder that managers do not trust

    def without(self, indices: Array) -> _Reported:
        """The same without the views of these indices."""
        if not len(indices):
            return self
        keep = np.ones(len(self.views), "?")
        keep[indices] = False
        views = list(compress(self.views, keep.tolist()))
        if isinstance(self.values, FollowingValues):
            values = columns_of(views, DECIDING + COMPARED)
        else:
            values = {name: list(compress(column, keep.tolist())) for name, column in self.values.items()}
        return replace(
            self, views=views, rows=self.rows[keep], values=values, times=_field_states(views), level=self.level[keep]
        )

    def plain(self) -> Array:
        """The mask of views that have one time and one source for all fields."""
        plain = np.ones(len(self.views), "?")
        plain[[index for index, _ in self.times]] = False
        for name in ("mlat", "tisb"):
            plain[array_of(self.values, name, _not_empty)] = False
        return plain

    def offer(self) -> Offer:
        """The positions of its views."""
        levels = self.level.copy()
        for name, level in (("mlat", MLAT_TRUST), ("tisb", TISB_TRUST)):
            for index in np.flatnonzero(array_of(self.values, name, _not_empty)).tolist():
                if "lat" in getattr(self.views[index], name):
                    levels[index] = max(levels[index], level)
        for index, states in self.times:
            if "lat" in states:
                levels[index] = states["lat"].trust
        values = self.values
        return Offer(
            self.receiver,
            self.rows,
            array_of(values, "lat", floats),
            array_of(values, "lon", floats),
            floats(values["position_at"]),
            levels,
            array_of(values, "gs", floats),
            array_of(values, "alt_baro", on_ground),
            self.voices(),
            self.speaker is not None,
        )

    def heard_at(self) -> Array:
        """When each view was heard last (unix s)."""
        return np.array(self.values["at"], "f8")

    def voices(self) -> Array | None:
        """How many independent feeders agree on each view; None where the receiver is one."""
        if not self.views or getattr(self.views[0], "voices", 1) == 1:
            return None
        return np.array([getattr(view, "voices", 1) for view in self.views])


def gather(
    books: Sequence[ReceiverViews], order: dict[str, int], now: float, validator: FieldValidator, names: Sequence[str]
) -> Gathered:
    """Merge the present reports: the addresses of ``order`` (with their rows) first, in that order, then new ones.

    Those of a single receiver stand in its order.

    ``books`` must be in an order that does not depend on which receiver reported first: it decides between equals.
    ``names`` are the receivers by index.
    """
    views_by_receiver = {book.index: book.current(now) for book in books if book.views}
    if len(views_by_receiver) == 1:
        return _gather_one(*views_by_receiver.popitem(), order)
    # The first receiver that hears an aircraft leads.
    leading: dict[str, Report] = {}
    for of_receiver in reversed(views_by_receiver.values()):
        leading |= of_receiver
    hexes, index = _in_order(order, leading, views_by_receiver.values())
    lead = Lead(list(map(leading.__getitem__, hexes))) if is_whole(leading.values(), _UNLIKE) else None
    reported: list[_Reported] = []
    for receiver, of_receiver in views_by_receiver.items():
        views = list(of_receiver.values())
        rows = np.fromiter(map(index.__getitem__, of_receiver), "i8", len(views))
        speaker = validator.speakers.get(names[receiver])
        values: Values
        if lead is None or not views or not is_whole(views, _UNLIKE):
            values = columns_of(views, DECIDING + COMPARED)
        elif not reported:
            values = FollowingValues(lead, views, rows, Differences.none(), leads=True)
        else:
            values = FollowingValues(lead, views, rows, lead.differences(views, rows), leads=False)
        reported.append(_reported(receiver, views, rows, values, speaker))
    is_contested = contested(reported, names, validator.speakers, len(hexes), now)
    verdict = validator.review(reported, names, hexes, now)
    remaining = [
        receiver_reports.without(indices) for receiver_reports, indices in zip(reported, verdict.excluded, strict=True)
    ]
    offers = [receiver_reports.offer() for receiver_reports in reported]
    values, times, best_receiver = _merge_all(remaining, lead, is_contested, now)
    for name, row, value in verdict.values:
        set_values(values, name, [row], [value])
    return Gathered(hexes, index, values, times, best_receiver, offers, verdict.disputed, is_contested)


def _in_order(
    order: dict[str, int], views: dict[str, Report], by_receiver: Collection[dict[str, Report]]
) -> tuple[list[str], dict[str, int]]:
    """The addresses of ``views``, those of ``order`` first, then by receiver, and the row of each.

    The index is ``order`` itself where nobody has come or left.
    """
    if order.keys() == views.keys():
        return list(order), order
    hexes = [address for address in order if address in views]
    index = dict(zip(hexes, count()))
    if len(hexes) < len(views):
        for of_receiver in by_receiver:
            for address in of_receiver:
                index.setdefault(address, len(index))
        hexes = list(index)
    return hexes, index


def _gather_one(receiver: int, views: dict[str, Report], order: dict[str, int]) -> Gathered:
    # In the order of the document: so a tick goes through objects as they were made, one behind the other in memory.
    hexes, known = list(views), list(order)
    index = order if hexes == known else dict(zip(hexes, count()))
    reports = list(views.values())
    values = ReportValues(reports) if is_whole(reports) else columns_of(reports)
    reported = _reported(receiver, reports, np.arange(len(hexes)), values)
    receivers = np.full(len(hexes), receiver, "u2")
    return Gathered(hexes, index, reported.values, reported.times, receivers, [reported.offer()])


def _reported(
    receiver: int, views: list[Report], rows: Array, values: Values, speaker: Voice | None = None
) -> _Reported:
    level = array_of(values, "type", _levels)
    times = [] if isinstance(values, FollowingValues) else _field_states(views)
    return _Reported(receiver, views, rows, values, times, level, speaker)


def _merge_all(
    reported: list[_Reported], lead: Lead | None, is_contested: Array, now: float
) -> tuple[Values, Times, Array]:
    """``_combined``, but what all receivers of an aircraft say alike is taken from the leading report."""
    following = [
        (of_receiver, of_receiver.values)
        for of_receiver in reported
        if lead is not None and isinstance(of_receiver.values, FollowingValues)
    ]
    if lead is None or len(following) < len(reported):
        return _combined(reported, is_contested, now)
    differs = _needs_merge(reported, len(is_contested))
    for of_receiver, values in following:
        differs[of_receiver.rows[values.differences.other]] = True
    if 2 * np.count_nonzero(differs) > len(differs):
        return _combined(reported, is_contested, now)
    merged, receiver = _alike(following, lead, len(differs), now)
    different = np.flatnonzero(differs)
    if not len(different):
        return merged, [], receiver
    compact = np.full(len(differs), -1)
    compact[different] = np.arange(len(different))
    part = []
    for of_receiver in reported:
        few = of_receiver.without(np.flatnonzero(~differs[of_receiver.rows]))
        part.append(replace(few, rows=compact[few.rows]))
    values_of_part, times, receiver[different] = _combined(part, is_contested[different], now)
    rows = different.tolist()
    merged.take(rows, values_of_part)
    return merged, [(rows[at], states) for at, states in times], receiver


def _alike(
    following: list[tuple[_Reported, FollowingValues]], lead: Lead, aircraft: int, now: float
) -> tuple[ReportValues, Array]:
    """``values`` and ``receiver`` where all receivers say the same; in other rows they mean nothing.

    The columns of ``lead`` become those of the merged reports.
    """
    _, receiver = _best([of_receiver for of_receiver, _ in following], aircraft, now)
    merged = lead.values
    heard, messages, leader = np.full(aircraft, -np.inf), np.zeros(aircraft, "i8"), np.full(aircraft, -1)
    receivers = np.zeros(aircraft, "i4")
    for of_receiver, values in following:
        rows = of_receiver.rows
        heard[rows] = np.maximum(heard[rows], of_receiver.heard_at())
        messages[rows] += array_of(values, "messages", _counts)
        receivers[rows] += 1
        leader[rows[leader[rows] < 0]] = of_receiver.receiver
    merged["at"] = heard.tolist()
    several = receivers > 1
    if several.all():
        merged["messages"] = messages.tolist()
    else:
        for row, number in zip(np.flatnonzero(several).tolist(), messages[several].tolist(), strict=True):
            merged["messages"][row] = number
    for of_receiver, values in following:
        better = np.flatnonzero(
            (receiver[of_receiver.rows] == of_receiver.receiver) & (leader[of_receiver.rows] != of_receiver.receiver)
        )
        rows_of_better = of_receiver.rows[better].tolist()
        for name in ("position_at", "rssi", *PLACE):
            own, whole = values[name], merged[name]
            for index, row in zip(better.tolist(), rows_of_better, strict=True):
                whole[row] = own[index]
    _fill_in_signals(following, merged)
    return merged, receiver


def _fill_in_signals(following: list[tuple[_Reported, FollowingValues]], merged: ReportValues) -> None:
    """A signal that the best receiver does not tell is that of the next one that does."""
    signals = merged["rssi"]
    if UNSET not in signals:
        return
    for of_receiver, values in following:
        for row, signal in zip(of_receiver.rows.tolist(), values["rssi"], strict=True):
            if signals[row] is UNSET:
                signals[row] = signal


def _combined(reported: list[_Reported], is_contested: Array, now: float) -> tuple[Values, Times, Array]:
    """``values``, ``times`` and ``receiver`` of the aircraft, see Gathered."""
    aircraft = len(is_contested)
    views = [view for of_receiver in reported for view in of_receiver.views]
    rows = np.concatenate([np.empty(0, "i8"), *(of_receiver.rows for of_receiver in reported)])
    index, receiver = _best(reported, aircraft, now)
    best = list(map(views.__getitem__, index.tolist()))
    needs_merge = _needs_merge(reported, aircraft)
    for row, (merged, latest) in _merged(reported, needs_merge, is_contested, now).items():
        best[row], receiver[row] = merged, latest
    is_best = np.zeros(len(views), "?")
    is_best[index] = True
    further = np.flatnonzero(~is_best & ~needs_merge[rows]).tolist()
    values = columns_of(best)
    _fill_in(values, rows[further].tolist(), columns_of(list(map(views.__getitem__, further))))
    return values, _field_states(best), receiver


def _merged(
    reported: list[_Reported], needs_merge: Array, is_contested: Array, now: float
) -> dict[int, tuple[Report, int]]:
    """The merged view of each row that needs it, and the receiver with the latest message."""
    views_by_row: dict[int, list[tuple[int, Report, Voice | None]]] = {
        row: [] for row in np.flatnonzero(needs_merge).tolist()
    }
    for of_receiver in reported:
        for index in np.flatnonzero(needs_merge[of_receiver.rows]).tolist():
            views_by_row[int(of_receiver.rows[index])].append(
                (of_receiver.receiver, of_receiver.views[index], of_receiver.speaker)
            )
    return {
        row: (
            merge([each[1] for each in views], now, [each[2] for each in views], bool(is_contested[row])),
            max(views, key=lambda entry: entry[1].at)[0],
        )
        for row, views in views_by_row.items()
    }


def _best(reported: list[_Reported], aircraft: int, now: float) -> tuple[Array, Array]:
    """For each aircraft the index of its highest ranking view, counted through all receivers, and its receiver.

    The rule is ``merge.precedence``; equal rank is decided by the order of receivers.
    """
    index, receiver = np.zeros(aircraft, "i8"), np.zeros(aircraft, "u2")
    best_level, best_at = np.full(aircraft, NO_TRUST, "i2"), np.full(aircraft, -np.inf)
    start = 0
    for of_receiver in reported:
        rows, at = of_receiver.rows, np.array(of_receiver.values["at"], "f8")
        # All stale views rank equally, after every fresh one.
        level = np.where(now - at > STALE_S, NO_TRUST - 1, of_receiver.level.astype("i2"))
        better = (level < best_level[rows]) | ((level == best_level[rows]) & (at > best_at[rows]))
        chosen = rows[better]
        index[chosen], receiver[chosen] = start + np.flatnonzero(better), of_receiver.receiver
        best_level[chosen], best_at[chosen] = level[better], at[better]
        start += len(rows)
    return index, receiver


def _needs_merge(reported: list[_Reported], aircraft: int) -> Array:
    """The mask of aircraft that several receivers receive whose views are not all plain."""
    receiver_count, is_complex = np.zeros(aircraft, "i4"), np.zeros(aircraft, "?")
    for of_receiver in reported:
        receiver_count[of_receiver.rows] += 1
        is_complex[of_receiver.rows[~of_receiver.plain()]] = True
    return is_complex & (receiver_count > 1)


def _fill_in(values: Values, rows: list[int], further: Values) -> None:
    """Add the fields of lower ranking receivers that the best one lacks, for the aircraft in these rows."""
    if not rows:
        return
    for name, further_values in further.items():
        column = values[name]
        if name == "messages":
            for row, value in zip(rows, further_values, strict=True):
                column[row] = (column[row] or 0) + (value or 0)
        elif name == "at":
            for row, value in zip(rows, further_values, strict=True):
                column[row] = max(column[row], value)
        elif not is_absent(further_values) and UNSET in column:
            for row, value in zip(rows, further_values, strict=True):
                if column[row] is UNSET:
                    column[row] = value


def _field_states(views: Sequence[Report]) -> Times:
    if View not in set(map(type, views)):
        return []
    return [(index, view.heard) for index, view in enumerate(views) if type(view) is View]


def _not_empty(values: list[Any]) -> Array:
    return np.fromiter(map(bool, values), "?", len(values))


def _levels(types: list[Any]) -> Array:
    return np.fromiter(map(SOURCE_INDEX.get, types, repeat(UNNAMED_TRUST)), "u1", len(types))


def _counts(counts: list[Any]) -> Array:
    return numbers(counts, 0, "i8")
