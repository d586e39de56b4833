"""``alone`` and ``beside``: what strangers say, added to what ours say, of which it replaces nothing while it is fresh.

Ours and strangers are gathered apart, as if the others were not there; only here do they meet. What ours do not say, or
have not said for ``STALE_S`` (a callsign or a category: for its lifetime), is filled in group by group; what alarms
people only where two strangers say it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array, distinct
from skywatch.picture.merging.contradictions import COMPARISONS, Comparison, TextCodes, read
from skywatch.picture.merging.reported import Gathered, Reported
from skywatch.picture.merging.values import ReportValues
from skywatch.picture.state.doubt import (
    ADVISORY,
    ALARM_MEMBERS,
    ALARMS,
    ALL,
    ALONE,
    EMERGENCY,
    EMERGENCY_SQUAWKS,
    GROUP_BITS,
    OURS_TOO,
    SQUAWK,
)
from skywatch.picture.state.fields import GROUPS, Group
from skywatch.picture.state.receiver_view import FieldState, ReceiverView, is_new
from skywatch.receivers.feeder_streams.voices import SEVERAL, UNKNOWN, Voice
from skywatch.receivers.reports.report import STALE_S, Report, trust
from skywatch.receivers.reports.report_columns import ReportColumns, is_absent

# What lasts for a flight: that of ours is kept as long as it is shown, so that no stranger ends what rests on it.
_LASTING = {"callsign", "category"}
_GROUP_OF = {name: group for group in GROUPS for name in group.fields}
# What is withheld of an aircraft by the name of the dispute.
_WITHHELD: dict[str, set[str]] = {}
for _comparison in COMPARISONS:
    _WITHHELD.setdefault(_comparison.name, set()).update(_comparison.fields)


_EMERGENCY_SQUAWKS = frozenset(squawk.decode() for squawk in EMERGENCY_SQUAWKS)
_NO_EMERGENCY = {UNSET, "none"}
# Who has heard an aircraft within this time vouches for it (s); ``heard_by`` names those of the same time.
HEARD_S = 60.0


class _Side:
    """Ours, or strangers: ``row_of`` is the row that an aircraft has in ``gathered`` by its row among both.

    ``at`` is when each was heard last (unix s), ``states`` has the times of single fields, both by row in ``gathered``.
    """

    def __init__(self, gathered: Gathered, row_of: dict[int, int]) -> None:
        self.values, self.row_of = gathered.values, row_of
        self.at: list[float] = gathered.values["at"]
        self.states = dict(gathered.times)

    def value(self, name: str, row: int) -> Any:
        """A field of an aircraft that this side hears."""
        return self.values[name][self.row_of[row]]

    def states_of(self, row: int) -> dict[str, FieldState]:
        """The times of single fields of an aircraft."""
        return self.states.get(self.row_of[row], {})

    def state(self, group: Group, row: int) -> FieldState | None:
        """When a group was said last of an aircraft, and how far its source is trusted; None where it was not."""
        states = self.states_of(row)
        latest: FieldState | None = None
        for name in group.fields:
            if self.value(name, row) is not UNSET:
                state = states.get(name) or self._of_whole(group, row)
                if latest is None or state.at > latest.at:
                    latest = state
        return latest

    def _of_whole(self, group: Group, row: int) -> FieldState:
        at = self.value("position_at", row) if group.name == "position" else self.at[self.row_of[row]]
        return FieldState(at, trust(self.value("type", row)))


def alone(strangers: Gathered, reported: Sequence[Reported], now: float) -> Gathered:
    """What strangers say of aircraft, as if there were none of ours, with what of it is in doubt.

    That is what only one voice of those who hear an aircraft says (``reported`` is what each of them says), and an
    alarm that no two say alike.
    """
    rows, speakers, networks = [np.empty(0, "i8")], [np.empty(0, "i8")], [np.empty(0, "i8")]
    is_confirmed = np.zeros(len(strangers.hexes), "?")
    numbers: dict[str, int] = {}
    for of_receiver in reported:
        heard = of_receiver.rows[now - of_receiver.heard_at <= HEARD_S]
        if of_receiver.voice == SEVERAL:
            is_confirmed[heard] = True
            continue
        if of_receiver.voice == UNKNOWN:
            continue
        rows.append(heard)
        for of_kind, name in zip((speakers, networks), of_receiver.voice.names, strict=True):
            of_kind.append(np.full(len(heard), numbers.setdefault(name, len(numbers))))
    if numbers:
        is_confirmed |= np.logical_and(
            *(
                _differ(np.concatenate(rows), np.concatenate(of_kind), len(is_confirmed))
                for of_kind in (speakers, networks)
            )
        )
    doubt = np.where(is_confirmed, 0, (ALL & ~ALARMS) | ALONE).astype("u2")
    _doubt_alarms(doubt, strangers.values, reported)
    return replace(strangers, doubt=doubt, is_ours=np.zeros(len(doubt), "?"))


def _differ(rows: Array, numbers: Array, count: int) -> Array:
    """?[count]: in which rows not all numbers are the same."""
    least, most = np.full(count, np.iinfo("i8").max), np.full(count, -1)
    np.minimum.at(least, rows, numbers)
    np.maximum.at(most, rows, numbers)
    result: Array = least < most
    return result


def _doubt_alarms(doubt: Array, values: ReportValues, reported: Sequence[Reported]) -> None:
    """Mark the alarms that no two strangers say alike."""
    squawks, states, advisories = (values[name] for name in ("squawk", "emergency", "acas_ra"))
    alarms: dict[int, list[int]] = {}
    if not _EMERGENCY_SQUAWKS.isdisjoint(squawks):
        alarms[SQUAWK] = [row for row, squawk in enumerate(squawks) if squawk in _EMERGENCY_SQUAWKS]
    if not set(states) <= _NO_EMERGENCY:
        alarms[EMERGENCY] = [row for row, state in enumerate(states) if state not in _NO_EMERGENCY]
    if not is_absent(advisories):
        alarms[ADVISORY] = [row for row, advisory in enumerate(advisories) if advisory]
    if not alarms:
        return
    said = _Said(reported, {row for rows in alarms.values() for row in rows}, len(doubt))
    for bit, rows in alarms.items():
        name = ALARM_MEMBERS[bit]
        doubt[[row for row in rows if not said.is_confirmed(name, row, values[name][row])]] |= bit
    _join_emergencies(doubt, values)


class _Said:
    """What each stranger says of a few aircraft, by their rows among ``count`` of strangers."""

    def __init__(self, reported: Sequence[Reported], rows: Collection[int], count: int) -> None:
        self._by_row: dict[int, list[tuple[Voice, Report]]] = {row: [] for row in rows}
        if not rows:
            return
        is_one = np.zeros(count, "?")
        is_one[list(rows)] = True
        for of_receiver in reported:
            chosen = np.flatnonzero(is_one[of_receiver.rows])
            views = _chosen(of_receiver.views, chosen.tolist())
            for row, view in zip(of_receiver.rows[chosen].tolist(), views, strict=True):
                self._by_row[row].append((of_receiver.voice, view))

    def is_confirmed(self, name: str, row: int, value: Any) -> bool:
        """Whether two independent ones say this value of an aircraft; of an advisory, that there is one."""
        voices = {
            voice
            for voice, view in self._by_row[row]
            if (said := getattr(view, name)) == value or (name == "acas_ra" and said)
        }
        return SEVERAL in voices or any(one.is_independent(other) for one, other in combinations(voices, 2))


def _join_emergencies(doubt: Array, values: dict[str, list[Any]]) -> None:
    """Mark the emergency state, too, where there is none beside a squawk in doubt."""
    for row in np.flatnonzero(doubt & SQUAWK).tolist():
        if values["emergency"][row] in _NO_EMERGENCY:
            doubt[row] |= EMERGENCY


def beside(
    ours: Gathered, strangers: Gathered, reported: Sequence[Reported], order: dict[str, int], now: float
) -> Gathered:
    """What ours say, with what only strangers say: the aircraft of ours first, then those that only strangers hear.

    ``reported`` is what each stranger says. If the aircraft are those of ``order`` (with their rows), it is the index.
    """
    count = len(ours.hexes)
    only = [row for row, address in enumerate(strangers.hexes) if address not in ours.index]
    further = [strangers.hexes[row] for row in only]
    hexes = ours.hexes + further
    index = (
        order if hexes == list(order) else {**ours.index, **dict(zip(further, range(count, len(hexes)), strict=True))}
    )
    rows = np.fromiter(map(index.__getitem__, strangers.hexes), "i8", len(strangers.hexes))
    shared = {row: at for at, row in enumerate(rows.tolist()) if row < count}
    own, other = _Side(ours, dict(zip(shared, shared, strict=True))), _Side(strangers, shared)
    disputed = {row: list(names) for row, names in ours.disputed.items()}
    _add_contradictions(disputed, ours, rows, reported, now)
    filled = _filled_in(own, other, ours.disputed, now)
    said = _Said(reported, {shared[row] for group, row, _ in filled if group.is_alarm}, len(strangers.hexes))
    filled = [
        (group, row, state)
        for group, row, state in filled
        if not group.is_alarm
        or now - own.at[row] > STALE_S
        or said.is_confirmed(group.fields[0], shared[row], other.value(group.fields[0], row))
    ]
    # Of an aircraft that ours hear whatever they do not say.
    is_ours = np.zeros(len(hexes), "?")
    is_ours[:count] = now - np.array(own.at) <= HEARD_S
    doubt = np.zeros(len(hexes), "u2")
    if strangers.doubt is not None:
        doubt[rows] = np.where(is_ours[rows], 0, strangers.doubt)
    # What ours say keeps its time, although the aircraft may have been heard by others since.
    said_at = own.at + [other.at[row] for row in only]
    times, receiver = dict(ours.times), ours.receiver.copy()
    changes: dict[str, dict[int, Any]] = {}
    counted, heard = ours.values["messages"], strangers.values["messages"]
    changes["messages"] = {row: (counted[row] or 0) + (heard[at] or 0) for row, at in shared.items()}
    signals, further_signals = ours.values["rssi"], strangers.values["rssi"]
    if UNSET in signals:
        changes["rssi"] = {
            row: further_signals[at]
            for row, at in shared.items()
            if signals[row] is UNSET and further_signals[at] is not UNSET
        }
    for row, at in shared.items():
        if now - own.at[row] > STALE_S and other.at[at] > own.at[row]:
            receiver[row] = strangers.receiver[at]
            for name in ("at", "type"):
                changes.setdefault(name, {})[row] = other.value(name, row)
    for group, row, state in filled:
        times[row] = _take(changes, times.get(row, {}), group, row, (own, other), state)
        if not _repeats(own, other, group, row):
            doubt[row] |= GROUP_BITS.get(group.name, 0)
    for name, of_rows in changes.items():
        ours.values.set(name, list(of_rows), list(of_rows.values()))
    ours.values.extend(only, strangers.values)
    _join_emergencies(doubt, ours.values)
    doubt[:count][doubt[:count] != 0] |= OURS_TOO
    for at, names in strangers.disputed.items():
        row = int(rows[at])
        withheld = [name for name in names if all(ours.values[field][row] is UNSET for field in _WITHHELD[name])]
        if withheld:
            disputed[row] = list(dict.fromkeys((*disputed.get(row, ()), *withheld)))
    is_contested = np.zeros(len(hexes), "?")
    if strangers.contested is not None:
        is_contested[rows] = strangers.contested
    times |= {int(rows[at]): states for at, states in strangers.times if rows[at] >= count}
    return replace(
        ours, hexes=hexes, index=index, times=list(times.items()),
        receiver=np.concatenate([receiver, strangers.receiver[only]]),
        offers=[*ours.offers, *(replace(offer, rows=rows[offer.rows]) for offer in strangers.offers)],
        disputed=disputed, contested=is_contested, doubt=doubt, is_ours=is_ours, said_at=said_at,
    )  # fmt: skip


def _filled_in(
    own: _Side, other: _Side, disputed: dict[int, list[str]], now: float
) -> list[tuple[Group, int, FieldState]]:
    """What strangers say of an aircraft that ours do not, or have not for long: group, row, and when."""
    old: dict[str, set[int]] = {}
    stale = set()
    for row in own.row_of:
        if now - own.at[row] > STALE_S:
            stale.add(row)
            continue
        for name, said in own.states.get(row, {}).items():
            if now - said.at > STALE_S:
                old.setdefault(_GROUP_OF[name].name, set()).add(row)
    found = []
    for group in GROUPS:
        if all(is_absent(other.values[name]) for name in group.fields):
            continue
        rows = list(own.row_of)
        for name in group.fields:
            column = own.values[name]
            rows = [row for row in rows if column[row] is UNSET]
        withheld = {row for row in rows if row in disputed and _is_withheld(group, disputed[row])}
        candidates = {*rows, *stale, *old.get(group.name, ())} - withheld
        if group.name == "position":
            # Its time is that of the position.
            candidates |= {row for row in own.row_of if now - own.value("position_at", row) > STALE_S}
        for row in candidates:
            state = other.state(group, row)
            if state is None or state.at <= now - group.lifetime_s:
                continue
            before = own.state(group, row)
            if before is None or (group.name not in _LASTING and state.at > before.at and now - before.at > STALE_S):
                found.append((group, row, state))
    return found


def _repeats(own: _Side, other: _Side, group: Group, row: int) -> bool:
    """Whether the other side says of an aircraft only what ours say still; a place is another one at another time."""
    said = {name: value for name in group.fields if (value := other.value(name, row)) is not UNSET}
    return group.name != "position" and all(own.value(name, row) == value for name, value in said.items())


def _is_withheld(group: Group, disputes: list[str]) -> bool:
    return any(name in _WITHHELD.get(dispute, ()) for dispute in disputes for name in group.fields)


def _take(
    changes: dict[str, dict[int, Any]], states: dict[str, FieldState], group: Group, row: int,
    sides: tuple[_Side, _Side], state: FieldState,
) -> dict[str, FieldState]:  # fmt: skip
    """Take a group of an aircraft from the other side; the times of its fields then."""
    own, other = sides
    taken = {name: said for name, said in states.items() if name not in group.fields}
    for name in group.fields:
        value = other.value(name, row)
        changes.setdefault(name, {})[row] = value
        if value is not UNSET:
            taken[name] = other.states_of(row).get(name, state)
    at = changes.setdefault("at", {})
    at[row] = max(at.get(row, own.at[row]), state.at)
    if group.name == "position":
        changes.setdefault("position_at", {})[row] = other.value("position_at", row)
    for source in ("mlat", "tisb"):
        before, names = changes.get(source, {}).get(row, own.value(source, row)), other.value(source, row)
        if before or names:
            changes.setdefault(source, {})[row] = [
                *(name for name in before or () if name not in group.fields),
                *(name for name in names or () if name in group.fields),
            ]
    return taken


def _add_contradictions(
    disputed: dict[int, list[str]], ours: Gathered, rows_of: Array, reported: Sequence[Reported], now: float
) -> None:
    """Add to ``disputed`` what two strangers of different speakers say alike against what ours say.

    ``rows_of`` are the rows of the aircraft that strangers hear.
    """
    heard_at = np.full(int(rows_of.max(initial=0)) + 1, -np.inf)
    own_at = ours.values.numbers("at")
    heard_at[: len(own_at)] = own_at[: len(heard_at)]
    states = dict(ours.times)
    views: list[Report] = []
    rows, speakers, is_several = [np.empty(0, "i8")], [np.empty(0, "i8")], [np.empty(0, "?")]
    numbers: dict[str, int] = {}
    for of_receiver in reported:
        if of_receiver.voice == UNKNOWN:
            continue
        mine = rows_of[of_receiver.rows]
        chosen = np.flatnonzero((now - heard_at[mine] <= STALE_S) & (now - of_receiver.heard_at <= STALE_S))
        views += _chosen(of_receiver.views, chosen.tolist())
        rows.append(mine[chosen])
        speakers.append(np.full(len(chosen), numbers.setdefault(of_receiver.voice.speaker, len(numbers))))
        agreed = of_receiver.agreed()
        is_several.append(np.zeros(len(chosen), "?") if agreed is None else agreed[chosen])
    claims = _Statements(views, np.concatenate(rows), np.concatenate(speakers), np.concatenate(is_several))
    claims = claims.of_several_speakers()
    if not claims.views:
        return
    places, codes = claims.rows.tolist(), TextCodes()
    for comparison in COMPARISONS:
        field = comparison.fields[0]
        said = read(comparison, ours.values, codes)[places]
        for row in claims.against(comparison, said, heard_at[claims.rows], codes, now):
            state = states.get(row, {}).get(field)
            if state is None or now - state.at <= STALE_S:
                disputed[row] = list(dict.fromkeys((*disputed.get(row, ()), comparison.name)))


def _chosen(views: Sequence[Report], rows: list[int]) -> Iterable[Report]:
    return views.make(rows) if isinstance(views, ReportColumns) else map(views.__getitem__, rows)


class _Statements:
    """What single strangers, or several at once, say of aircraft: a view, its row and its speaker's number."""

    def __init__(self, views: list[Report], rows: Array, speakers: Array, is_several: Array) -> None:
        self.views, self.rows, self.speakers, self.is_several = views, rows, speakers, is_several
        self.values = ReportValues(ReportColumns.of(views))

    def of_several_speakers(self) -> _Statements:
        """Those about aircraft of which more than one speaks."""
        if not self.views:
            return self
        pairs = distinct((self.rows << 32) | self.speakers)
        voices = np.bincount(pairs >> 32, minlength=int(self.rows.max()) + 1)
        chosen = np.flatnonzero((voices[self.rows] > 1) | self.is_several)
        views = list(map(self.views.__getitem__, chosen.tolist()))
        return _Statements(views, self.rows[chosen], self.speakers[chosen], self.is_several[chosen])

    def against(self, comparison: Comparison, said: Array, said_at: Array, codes: TextCodes, now: float) -> list[int]:
        """The rows in which two speakers say the same, and not what ours ``said`` at ``said_at``."""
        field = comparison.fields[0]
        values = read(comparison, self.values, codes)
        at = np.array([view.at for view in self.views])
        differs = np.flatnonzero(np.abs(values - said) > comparison.tolerance + comparison.rate * np.abs(at - said_at))
        # What is no ``ReceiverView`` has one time for all fields, and was heard lately.
        views = self.views
        is_said = [type(views[at]) is not ReceiverView or is_new(views[at], field, now) for at in differs.tolist()]
        chosen = differs[np.array(is_said, "?")]
        order = chosen[np.lexsort((values[chosen], self.rows[chosen]))]
        one, other = order[:-1], order[1:]
        # Where any two of different speakers agree, two neighbours do.
        agrees = (self.rows[one] == self.rows[other]) & (self.speakers[one] != self.speakers[other])
        agrees &= values[other] - values[one] <= comparison.tolerance + comparison.rate * np.abs(at[one] - at[other])
        rows: list[int] = distinct(
            np.concatenate([self.rows[one[agrees]], self.rows[chosen[self.is_several[chosen]]]])
        ).tolist()
        return rows
