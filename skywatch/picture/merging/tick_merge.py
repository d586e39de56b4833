"""Merges the reports of all receivers at one tick: those of ours, those of strangers, and then both (``strangers``).

What receivers say differently of an aircraft is decided in ``merging.merge``. Where all of them say the same, times and
counts alone are merged: see ``merging.lead``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count, repeat
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from skywatch.core.arrays import Array
from skywatch.picture.merging.field_validator import FieldValidator
from skywatch.picture.merging.lead import PLACE, Differences, FollowingValues, Lead, array_of, say_the_same
from skywatch.picture.merging.merge import merge
from skywatch.picture.merging.presence import contested
from skywatch.picture.merging.receiver_views import ReceiverViews
from skywatch.picture.merging.reported import (
    COMPARED,
    DECIDING,
    Gathered,
    Reported,
    Times,
    Values,
    field_states,
    is_listed,
)
from skywatch.picture.merging.strangers import alone, beside
from skywatch.picture.merging.values import ReportValues, is_whole, set_values
from skywatch.picture.state.columns import columns_of, numbers
from skywatch.picture.state.receiver_view import ReceiverView
from skywatch.receivers.reports.receiver_names import FEEDERS, TRUSTED_FEEDERS
from skywatch.receivers.reports.report import SOURCE_INDEX, STALE_S, UNNAMED_TRUST, ReducedReport, Report

# Their fields have times of their own, or they stand for several voices.
_UNLIKE = (ReceiverView, ReducedReport)
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
    present = [book for book in books if book.addresses]
    if len(present) == 1 and present[0].is_columns and present[0].voice.is_ours:
        validators[False].review((), names, [], now)
        return _gather_one(present[0], order, now)[0]
    ours, own_views, _ = _gather(
        [(book, book.current(now)) for book in present if book.voice.is_ours], order, now, validators[True], names
    )
    further = [(book, book.current(now)) for book in present if not book.voice.is_ours]
    if ours.hexes:
        further = [
            (book, _without_echoes(book, views, ours, own_views, validators[False], now)) for book, views in further
        ]
    strangers, _, reported = _gather([each for each in further if each[1]], order, now, validators[False], names)
    if not strangers.hexes:
        return ours
    strangers = alone(strangers, reported, now)
    if not ours.hexes:
        return strangers
    return beside(ours, strangers, reported, order, now)


def _without_echoes(
    book: ReceiverViews,
    views: dict[str, Report],
    ours: Gathered,
    own_views: dict[str, Report],
    validator: FieldValidator,
    now: float,
) -> dict[str, Report]:
    """The views of a stranger without those that say what ours say of an aircraft: only their messages are counted."""
    shared = [address for address in views if address in own_views]
    mine, theirs = list(map(own_views.__getitem__, shared)), list(map(views.__getitem__, shared))
    if not shared or not is_whole(mine, _UNLIKE) or not is_whole(theirs, _UNLIKE):
        return views
    same = say_the_same(mine, theirs)
    echoes = {
        address: other
        for address, one, other, is_same in zip(shared, mine, theirs, same, strict=True)
        if is_same and now - one.at <= STALE_S and _is_near(one, other, now)
    }
    if not echoes:
        return views
    validator.note_right(book.name, list(echoes.values()), now)
    rows = list(map(ours.index.__getitem__, echoes))
    for name, filled in (("messages", _added), ("rssi", _first)):
        column = ours.values[name]
        before, further = map(column.__getitem__, rows), (getattr(view, name) for view in echoes.values())
        if name == "messages" or UNSET in column:
            set_values(ours.values, name, rows, list(map(filled, before, further)))
    return {address: view for address, view in views.items() if address not in echoes}


def _added(one: int | UnsetType, other: int | UnsetType) -> int:
    return (one or 0) + (other or 0)


def _first(one: Any, other: Any) -> Any:
    return other if one is UNSET else one


def _is_near(one: Report, other: Report, now: float) -> bool:
    """Whether another report places an aircraft where this one does, which has just said so, or neither does."""
    if one.lat is UNSET or other.lat is UNSET or one.lon is UNSET or other.lon is UNSET:
        return one.lat is other.lat
    is_same = abs(one.lat - other.lat) <= ECHO_DEG and abs(one.lon - other.lon) <= ECHO_DEG
    return is_same and now - one.position_at <= STALE_S


def _gather(
    present: Sequence[tuple[ReceiverViews, dict[str, Report]]],
    order: dict[str, int],
    now: float,
    validator: FieldValidator,
    names: Sequence[str],
) -> tuple[Gathered, dict[str, Report], list[Reported]]:
    """Merge views of receivers that are all ours, or all strangers: the result, first views and all reports."""
    if not present:
        validator.review((), names, [], now)
        return Gathered([], {}, columns_of(()), [], np.empty(0, "u2"), []), {}, []
    by_receiver = {book.index: book for book, _ in present}
    views_by_receiver = {book.index: views for book, views in present}
    if len(present) == 1:
        ((book, views_of_only),) = present
        gathered, reported = _gather_one(book, order, now, views_of_only)
        return gathered, views_of_only, reported
    # The first receiver that hears an aircraft leads.
    leading: dict[str, Report] = {}
    for of_receiver in reversed(views_by_receiver.values()):
        leading |= of_receiver
    hexes, index = _in_order(order, leading, views_by_receiver.values())
    lead = Lead(list(map(leading.__getitem__, hexes))) if is_whole(leading.values(), _UNLIKE) else None
    reported = []
    for receiver, of_receiver in views_by_receiver.items():
        views = list(of_receiver.values())
        rows = np.fromiter(map(index.__getitem__, of_receiver), "i8", len(views))
        values: Values
        if lead is None or not views or not is_whole(views, _UNLIKE):
            values = columns_of(views, DECIDING + COMPARED)
        elif not reported:
            values = FollowingValues(lead, views, rows, Differences.none(), leads=True)
        else:
            values = FollowingValues(lead, views, rows, lead.differences(views, rows), leads=False)
        reported.append(_reported(by_receiver[receiver], views, rows, values))
    is_contested = contested(reported, len(hexes), now)
    verdict = validator.review(reported, names, hexes, now)
    offers = [receiver_reports.offer() for receiver_reports in reported]
    values, times, best_receiver = _merge_all(reported, verdict.excluded, lead, is_contested, now)
    for name, row, value in verdict.values:
        set_values(values, name, [row], [value])
    gathered = Gathered(hexes, index, values, times, best_receiver, offers, verdict.disputed, is_contested)
    return gathered, leading, reported


def _in_order(
    order: dict[str, int], views: Mapping[str, Any], by_receiver: Collection[Mapping[str, Any]]
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


def _gather_one(
    book: ReceiverViews, order: dict[str, int], now: float, views: dict[str, Report] | None = None
) -> tuple[Gathered, list[Reported]]:
    """What one receiver says, which nobody completes: its ``views``, or its columns where it has nothing else."""
    # In the order of the document: so a tick goes through objects as they were made, one behind the other in memory.
    hexes, known = list(book.addresses if views is None else views), list(order)
    index = order if hexes == known else dict(zip(hexes, count()))
    reports = [] if views is None else list(views.values())
    values: Values
    if views is None:
        values = book.values(now)
    else:
        values = ReportValues(reports) if is_whole(reports) else columns_of(reports)
    reported = _reported(book, reports, np.arange(len(hexes)), values)
    receivers = np.full(len(hexes), book.index, "u2")
    return Gathered(hexes, index, values, reported.times, receivers, [reported.offer()]), [reported]


def _reported(book: ReceiverViews, views: list[Report], rows: Array, values: Values) -> Reported:
    level = array_of(values, "type", _levels)
    times = [] if isinstance(values, FollowingValues) else field_states(views)
    is_agreement = book.name in (FEEDERS, TRUSTED_FEEDERS)
    heard_at = np.array(values["at"], "f8")
    return Reported(book.index, views, rows, values, times, level, heard_at, book.voice, is_agreement)


def _merge_all(
    reported: list[Reported], excluded: Sequence[Array], lead: Lead | None, is_contested: Array, now: float
) -> tuple[Values, Times, Array]:
    """``merge``, but what all receivers of an aircraft say alike is taken from the leading report.

    ``excluded`` are the indices of each one's views that do not count.
    """
    believed = [
        np.delete(np.arange(len(of_receiver.rows)), indices)
        for of_receiver, indices in zip(reported, excluded, strict=True)
    ]
    following = [
        (of_receiver, of_receiver.values)
        for of_receiver in reported
        if lead is not None and isinstance(of_receiver.values, FollowingValues)
    ]
    count = len(is_contested)
    differs, receivers = np.zeros(count, "?"), np.zeros(count, "u4")
    for of_receiver, indices in zip(reported, excluded, strict=True):
        differs[of_receiver.rows[indices]] = True
        receivers[of_receiver.rows] += 1
    for of_receiver, values in following:
        differs[of_receiver.rows[values.differences.other]] = True
        for source in ("mlat", "tisb"):
            rows = of_receiver.rows[array_of(values, source, is_listed)]
            differs[rows[receivers[rows] > 1]] = True
    # To put most of them into the values of the leading reports costs more than they bring.
    if lead is None or len(following) < len(reported) or 2 * np.count_nonzero(differs) > count:
        return merge(reported, believed, np.ones(count, "?"), is_contested, now)
    merged, receiver = _alike(following, lead, count)
    if not differs.any():
        return merged, [], receiver
    rows = np.flatnonzero(differs)
    different, times, receiver[rows] = merge(reported, believed, differs, is_contested, now)
    merged.take(rows.tolist(), different)
    return merged, [(int(rows[at]), states) for at, states in times], receiver


def _alike(following: list[tuple[Reported, FollowingValues]], lead: Lead, aircraft: int) -> tuple[ReportValues, Array]:
    """``values`` and ``receiver`` where all receivers say the same; in other rows they mean nothing.

    The columns of ``lead`` become those of the merged reports.
    """
    merged = lead.values
    heard, messages, leader = np.full(aircraft, -np.inf), np.zeros(aircraft, "i8"), np.full(aircraft, -1)
    receiver, receivers = np.zeros(aircraft, "u2"), np.zeros(aircraft, "i4")
    for of_receiver, values in following:
        rows = of_receiver.rows
        receiver[rows[of_receiver.heard_at > heard[rows]]] = of_receiver.receiver
        heard[rows] = np.maximum(heard[rows], of_receiver.heard_at)
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


def _fill_in_signals(following: list[tuple[Reported, FollowingValues]], merged: ReportValues) -> None:
    """A signal that the best receiver does not tell is that of the next one that does."""
    signals = merged["rssi"]
    if UNSET not in signals:
        return
    for of_receiver, values in following:
        for row, signal in zip(of_receiver.rows.tolist(), values["rssi"], strict=True):
            if signals[row] is UNSET:
                signals[row] = signal


def _levels(types: list[Any]) -> Array:
    return np.fromiter(map(SOURCE_INDEX.get, types, repeat(UNNAMED_TRUST)), "u1", len(types))


def _counts(counts: list[Any]) -> Array:
    return numbers(counts, 0, "i8")
