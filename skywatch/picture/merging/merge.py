"""``merge``: what several receivers say of the same aircraft, group by group of fields, for all aircraft at once.

Whatever is not UNSET is said. Of those who say something of a group, the first by ``precedence`` is believed in all of
it; what has no group is taken from the first report that has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations, repeat
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array
from skywatch.picture.merging.reported import Reported, Times
from skywatch.picture.merging.values import ReportValues
from skywatch.picture.state.fields import AGREED_S, AIRFRAME_FIELDS, GROUPS, MLAT_TRUST, TISB_TRUST, Group
from skywatch.picture.state.receiver_view import FieldState, ReceiverView
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import STALE_S, Report
from skywatch.receivers.reports.report_columns import ReportColumns, are_said, floats, is_absent

Values = dict[str, list[Any]]
WITHOUT_GROUP = (*AIRFRAME_FIELDS, "rssi", "mlat", "tisb")
# The rank of what is stale, behind every trust.
_STALE = 1_000.0


class Winner(NamedTuple):
    """The report that is believed of each aircraft (-1: none), the trust in it, and when it was said (unix s)."""

    report: Array
    trust: Array
    at: Array


def merge(
    reported: Sequence[Reported], believed: Sequence[Array], chosen: Array, is_contested: Array, now: float
) -> tuple[ReportValues, Times, Array]:
    """The merged values, the times of single fields and the receiver heard last u2, of the aircraft ``chosen`` ?[n].

    Of equals the first in the order of ``reported`` is taken. All of them are ours, or all are strangers, of whom one
    alone replaces nothing on which independent ones agree. ``believed`` are the indices of each one's views that count,
    ``is_contested`` ?[n] is as for ``Group.agreed_s``. Rows of the result are the aircraft chosen, in their order.
    """
    reports = _Reports(reported, believed, chosen)
    is_contested = is_contested[chosen]
    said = reports.said
    base = reports.first(reports.trust, reports.at, now)
    values: Values = {name: _sorted([column], base.tolist()) for name, column in said.items()}
    winners: dict[Group, Winner] = {}
    for group in GROUPS:
        if all(is_absent(said[name]) for name in group.fields):
            continue
        trust, at = reports.standing(group)
        is_said = at > -np.inf
        withheld = _withheld(reports, group, at, is_contested, now)
        if withheld.any():
            at = np.where(withheld, -np.inf, at)
        # Most groups are said by everybody who hears the aircraft.
        winner = base if (trust is reports.trust and at is reports.at) else reports.first(trust, at, now)
        winners[group] = Winner(winner, trust[winner], at[winner])
        _take(values, said, group.fields, winner, (winner != base) & ((winner >= 0) | is_said[base]))
    for name in WITHOUT_GROUP:
        if UNSET in values[name] and not is_absent(said[name]):
            winner = reports.first(reports.trust, np.where(are_said(said[name]), reports.at, -np.inf), now)
            _take(values, said, (name,), winner, (winner != base) & (winner >= 0))
    _name_sources(values, reports, winners)
    values["at"] = np.maximum.reduceat(reports.at, reports.starts).tolist()
    values["position_at"] = np.maximum.reduceat(reports.position_at, reports.starts).tolist()
    messages = np.add.reduceat(np.nan_to_num(floats(said["messages"])), reports.starts)
    for row in np.flatnonzero(reports.is_shared).tolist():
        values["messages"][row] = int(messages[row])
    return (
        ReportValues(ReportColumns.of_fields(values)),
        _times(values, reports, winners),
        reports.receiver[reports.latest(reports.at)],
    )


class _Reports:
    """The reports of the aircraft chosen, those of an aircraft one behind the other, in the order of receivers.

    ``starts`` and ``ends`` are where each aircraft's begin and end, ``is_shared`` whether there are several; the other
    columns have a value for each report, ``said`` a list for each field. ``accumulated`` are those that have a time for
    each field, in ``heard``; ``listing`` those that name fields of a source.
    """

    def __init__(self, reported: Sequence[Reported], believed: Sequence[Array], chosen: Array) -> None:
        views: list[Report | None] = []
        said: list[Values] = []
        voices: list[Voice] = []
        columns = []
        for of_receiver, indices in zip(reported, believed, strict=True):
            indices = indices[chosen[of_receiver.rows[indices]]]
            views += _views_of(of_receiver, indices.tolist())
            said.append(of_receiver.columns.take(indices.tolist()).fields())
            voices += repeat(of_receiver.voice, len(indices))
            agreed = of_receiver.agreed()
            columns.append(
                (
                    of_receiver.rows[indices],
                    of_receiver.level[indices].astype("f8"),
                    np.full(len(indices), of_receiver.receiver, "u2"),
                    np.zeros(len(indices), "?") if agreed is None else agreed[indices],
                    np.full(len(indices), of_receiver.voice.is_alone),
                )
            )
        rows, *further = map(np.concatenate, zip(*columns, strict=True))
        order = np.argsort(rows, kind="stable")
        self.trust, self.receiver, self.is_agreed, self.is_alone = (column[order] for column in further)
        is_start = np.diff(rows[order], prepend=-1) > 0
        self.starts, self.rows = np.flatnonzero(is_start), np.cumsum(is_start) - 1
        self.ends = np.append(self.starts[1:], len(rows))
        self.is_shared = self.ends - self.starts > 1
        places = order.tolist()
        self.views, self.voices = [views[at] for at in places], [voices[at] for at in places]
        self.said = {
            name: _sorted([of_receiver[name] for of_receiver in said], places) for name in Report.__struct_fields__
        }
        self.at, self.position_at = (np.array(self.said[name], "f8") for name in ("at", "position_at"))
        self.accumulated = np.flatnonzero([isinstance(view, ReceiverView) for view in self.views])
        self.heard = [view.heard for view in self.views if isinstance(view, ReceiverView)]
        self.listing = {source: _rows_with(self.said[source]) for source in ("mlat", "tisb")}

    def latest(self, at: Array) -> Array:
        """The report of each aircraft with the latest of these times (unix s); -1 where all are -inf."""
        latest = np.maximum.reduceat(at, self.starts)
        places = np.where(at == latest[self.rows], np.arange(len(at)), len(at))
        return np.where(latest > -np.inf, np.minimum.reduceat(places, self.starts), -1)

    def first(self, trust: Array, at: Array, now: float) -> Array:
        """The report of each aircraft that stands first by ``precedence``; -1 where none has a time (-inf).

        What independent feeders agree on stands before what others say that are trusted alike.
        """
        rank = np.where(now - at > STALE_S, _STALE, trust - 0.5 * (self.is_agreed & (now - at <= AGREED_S)))
        best = np.minimum.reduceat(rank, self.starts)
        return self.latest(np.where(rank == best[self.rows], at, -np.inf))

    def standing(self, group: Group) -> tuple[Array, Array]:
        """How far the source of what each report says of a group is trusted, and when it was said (unix s; -inf: it is
        not).

        Where each field has a time of its own, the latest counts.
        """
        names = [name for name in group.fields if not is_absent(self.said[name])]
        is_said = np.any([are_said(self.said[name]) for name in names], 0)
        own_at = self.position_at if group.name == "position" else self.at
        if is_said.all() and not len(self.accumulated) and not any(self.listing.values()):
            return self.trust, own_at
        trust, at = self.trust.copy(), np.where(is_said, own_at, -np.inf)
        if len(self.accumulated):
            latest, of_latest = np.full(len(self.heard), -np.inf), np.zeros(len(self.heard))
            for name in names:
                states = [heard.get(name, _NEVER) for heard in self.heard]
                said_at, level = np.array([state.at for state in states]), np.array([state.trust for state in states])
                is_later = (said_at > latest) | ((said_at == latest) & (level < of_latest))
                latest, of_latest = np.where(is_later, said_at, latest), np.where(is_later, level, of_latest)
            at[self.accumulated], trust[self.accumulated] = latest, of_latest
        for source, least_trust in (("tisb", TISB_TRUST), ("mlat", MLAT_TRUST)):
            for index in self.listing[source]:
                if isinstance(self.views[index], ReceiverView):
                    # Each of its fields has a source of its own.
                    continue
                first = next((name for name in names if self.said[name][index] is not UNSET), None)
                if first in self.said[source][index]:
                    trust[index] = max(self.trust[index], least_trust)
        return trust, at


_NEVER = FieldState(-np.inf, 0)


def _views_of(of_receiver: Reported, indices: list[int]) -> Iterable[Report | None]:
    """The reports at these places; None for snapshots, which have no more than is said."""
    if isinstance(of_receiver.views, ReportColumns):
        return repeat(None, len(indices))
    return map(of_receiver.views.__getitem__, indices)


def _sorted(parts: Sequence[list[Any]], places: list[int]) -> list[Any]:
    """The values at these places of lists that stand one behind the other."""
    if all(map(is_absent, parts)):
        return [UNSET] * len(places)
    return list(map(list(chain.from_iterable(parts)).__getitem__, places))


def _withheld(reports: _Reports, group: Group, at: Array, is_contested: Array, now: float) -> Array:
    """?[reports]: what one stranger alone says of a group on which independent ones agree, or must before it is shown.

    ``at`` is when each was said (unix s). The only report of an aircraft stands, in doubt.
    """
    if not reports.is_alone.any():
        return reports.is_alone
    agreed_s = np.where(is_contested, group.agreed_s(True), group.agreed_s(False))
    is_agreed = reports.is_agreed & (now - at <= agreed_s[reports.rows])
    is_settled = np.logical_or.reduceat(is_agreed, reports.starts)
    if group.is_alarm:
        is_doubted = np.logical_or.reduceat(reports.is_alone & (at > -np.inf), reports.starts)
        for row in np.flatnonzero(is_contested & reports.is_shared & is_doubted).tolist():
            is_settled[row] = not _is_confirmed(reports, range(reports.starts[row], reports.ends[row]), group.fields[0])
    result: Array = reports.is_alone & (is_settled & reports.is_shared)[reports.rows]
    return result


def _is_confirmed(reports: _Reports, indices: range, name: str) -> bool:
    """Whether two feeders say the same in these reports, such as decode themselves, so that they agree by no frames."""
    said = [
        (reports.voices[index], value)
        for index in indices
        if (value := reports.said[name][index]) is not UNSET and reports.is_alone[index]
    ]
    return any(one.is_independent(other) and value == same for (one, value), (other, same) in combinations(said, 2))


def _rows_with(lists: list[Any]) -> list[int]:
    """Where lists are not empty; usually they are."""
    return [row for row, listed in enumerate(lists) if listed]


def _take(values: Values, said: Values, names: Sequence[str], winner: Array, is_taken: Array) -> None:
    """Take fields of the aircraft of a mask from the reports ``winner``; nothing from -1."""
    rows = np.flatnonzero(is_taken)
    for row, index in zip(rows.tolist(), winner[rows].tolist(), strict=True):
        for name in names:
            values[name][row] = said[name][index] if index >= 0 else UNSET


def _name_sources(values: Values, reports: _Reports, winners: dict[Group, Winner]) -> None:
    """Name the fields of each aircraft that come from MLAT and from TIS-B."""
    said = reports.said
    for source in ("mlat", "tisb"):
        for row in {row for row in reports.rows[reports.listing[source]].tolist() if reports.is_shared[row]}:
            values[source][row] = tuple(
                name
                for group, winner in winners.items()
                if (index := winner.report[row]) >= 0 and said[source][index]
                for name in group.fields
                if name in said[source][index] and said[name][index] is not UNSET
            )


def _times(values: Values, reports: _Reports, winners: dict[Group, Winner]) -> Times:
    """The times of fields that were not said when the aircraft was heard last, by row."""
    times = {
        row: heard
        for row, heard in zip(reports.rows[reports.accumulated].tolist(), reports.heard, strict=True)
        if not reports.is_shared[row]
    }
    is_accumulated = np.zeros(len(reports.views), "?")
    is_accumulated[reports.accumulated] = True
    for group, (report, trust, at) in winners.items():
        heard_at = values["position_at" if group.name == "position" else "at"]
        rows = np.flatnonzero(reports.is_shared & (report >= 0) & (is_accumulated[report] | (at != heard_at)))
        for row, index in zip(rows.tolist(), report[rows].tolist(), strict=True):
            states = times.setdefault(row, {})
            own = getattr(reports.views[index], "heard", {})
            for name in group.fields:
                if reports.said[name][index] is not UNSET:
                    state = own.get(name) or FieldState(float(at[row]), int(trust[row]))
                    states[name] = FieldState(state.at, state.trust)
    return list(times.items())
