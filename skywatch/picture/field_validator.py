"""``FieldValidator``: which receiver is believed where several say different things of one aircraft, field by field.

Positions have a validator of their own. What it learns of receivers holds for all their fields: a receiver that is
often wrong, or whose position of this very aircraft was refused, does not count against others. Nearly always
everything agrees, and a tick costs a few comparisons of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from msgspec import UNSET

from skywatch.picture.contradictions import (
    COMPARISONS,
    Comparison,
    TextCodes,
    agreement,
    contradicted,
    read,
    repeated_value,
    vote,
)
from skywatch.picture.fields import STALE_S
from skywatch.picture.position_validator import PositionValidator
from skywatch.picture.positions import Array
from skywatch.receivers.report import Report

# Between two receivers, a value that one of them has changed is believed for so long (s): the other may not have
# received the change yet. Several at once, and more than this share of what is compared, are no such changes.
LAG_S = 60.0
SYSTEMATIC_COUNT, SYSTEMATIC_SHARE = 3, 0.2


class Spoken(Protocol):
    """What one receiver says now, see ``gathering``."""

    @property
    def receiver(self) -> int:
        """Its index."""

    @property
    def views(self) -> list[Report]:
        """What it says of each aircraft."""

    @property
    def rows(self) -> Array:
        """Their rows in the tick."""

    @property
    def said(self) -> dict[str, list[Any]]:
        """Values by field."""


@dataclass
class Verdict:
    """What is not to be taken as it was said.

    ``left_out``: for each receiver, the places of views that do not count. ``values``: field, row and value in place of
    what is said (UNSET: nobody is believed). ``disputed``: the names of what is withheld, by row.
    """

    left_out: list[Array]
    values: list[tuple[str, int, Any]] = field(default_factory=list)
    disputed: dict[int, list[str]] = field(default_factory=dict)


@dataclass
class Shared:
    """The aircraft that several receivers hear, as columns; the receivers that hear any, as rows."""

    rows: Array
    speakers: list[int]  # places within what is spoken
    places: Array  # of each receiver's view, -1 where it does not hear the aircraft
    at: Array
    values: list[Array] = field(default_factory=list)  # one matrix for each comparison, of what counts
    counts: Array = field(default_factory=lambda: np.empty(0, "?"))
    wrong: Array = field(init=False)

    def __post_init__(self) -> None:
        self.heard = self.places >= 0
        self.wrong = np.zeros(self.places.shape, "?")


@dataclass
class Before:
    """What was compared at the last tick, to find who changed what."""

    column: dict[str, int] = field(default_factory=dict)
    row: dict[int, int] = field(default_factory=dict)
    values: list[Array] = field(default_factory=list)
    contradicted: list[Array] = field(default_factory=list)
    epoch: int = 0


class FieldValidator:
    """Reviews one tick after the other; ``positions`` knows which receivers are wrong about places."""

    def __init__(self, positions: PositionValidator) -> None:
        self._positions = positions
        self._codes = TextCodes()
        self._before = Before()
        # Since when a value has been contradicted, and the receiver that changed it.
        self._changed: dict[tuple[str, str], tuple[float, int]] = {}

    def review(self, everybody: Sequence[Spoken], names: Sequence[str], hexes: list[str], now: float) -> Verdict:
        """What of the views is not to be believed; ``names`` are the receivers by index."""
        verdict = Verdict([np.empty(0, "i8") for _ in everybody])
        shared = self._shared(everybody, names, hexes, now)
        if shared is None:
            self._before, self._changed = Before(), {}
            return verdict
        conflicts = [
            contradicted(values, shared.at, comparison)
            for comparison, values in zip(COMPARISONS, shared.values, strict=True)
        ]
        for index, conflict in enumerate(conflicts):
            if conflict.any():
                self._decide(index, np.flatnonzero(conflict), everybody, hexes, shared, now, verdict)
        agreed = ~np.any(conflicts, 0)
        for receiver, speaker in enumerate(shared.speakers):
            right = int(np.count_nonzero(shared.counts[receiver] & agreed))
            wrong = int(np.count_nonzero(shared.wrong[receiver]))
            self._positions.note_fields(names[everybody[speaker].receiver], right, wrong)
            out = shared.heard[receiver] & ~shared.counts[receiver]
            verdict.left_out[speaker] = shared.places[receiver, out]
        self._remember(everybody, hexes, shared, conflicts)
        return verdict

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        self._changed = {key: (since + step, receiver) for key, (since, receiver) in self._changed.items()}

    def _shared(self, everybody: Sequence[Spoken], names: Sequence[str], hexes: list[str], now: float) -> Shared | None:
        hearing = np.zeros(len(hexes), "i4")
        fresh = []
        for spoken in everybody:
            at = np.array(spoken.said["at"], "f8")
            places = np.flatnonzero(now - at <= STALE_S)
            fresh.append((places, at))
            hearing[spoken.rows[places]] += 1
        rows = np.flatnonzero(hearing > 1)
        if not len(rows):
            return None
        column = np.full(len(hexes), -1)
        column[rows] = np.arange(len(rows))
        places_of = np.full((len(everybody), len(rows)), -1)
        at_of = np.full(places_of.shape, np.nan)
        for speaker, (spoken, (places, at)) in enumerate(zip(everybody, fresh, strict=True)):
            columns = column[spoken.rows[places]]
            places, columns = places[columns >= 0], columns[columns >= 0]
            places_of[speaker, columns], at_of[speaker, columns] = places, at[places]
        speakers = np.flatnonzero((places_of >= 0).any(1))
        shared = Shared(rows, speakers.tolist(), places_of[speakers], at_of[speakers])
        self._count(shared, [names[everybody[speaker].receiver] for speaker in shared.speakers], hexes)
        self._codes.trim()
        counted = [np.flatnonzero(counts) for counts in shared.counts]
        for comparison in COMPARISONS:
            matrix = np.full(shared.at.shape, np.nan)
            for receiver, (speaker, columns) in enumerate(zip(shared.speakers, counted, strict=True)):
                said = everybody[speaker].said[comparison.fields[0]]
                places = shared.places[receiver, columns]
                in_order = len(places) == len(said) and bool((places == np.arange(len(said))).all())
                values = said if in_order else list(map(said.__getitem__, places.tolist()))
                matrix[receiver, columns] = read(comparison, values, self._codes)
            shared.values.append(matrix)
        return shared

    def _count(self, shared: Shared, names: list[str], hexes: list[str]) -> None:
        """Set whether the word of each receiver counts for each aircraft; where nobody's does, everybody's does."""
        counts = shared.heard.copy()
        for receiver, name in enumerate(names):
            if self._positions.is_distrusted(name):
                counts[receiver] = False
        contradicted_positions = self._positions.contradicted
        if contradicted_positions:
            column = {hexes[row]: at for at, row in enumerate(shared.rows.tolist())}
            for address, name in contradicted_positions:
                if name in names and address in column:
                    counts[names.index(name), column[address]] = False
        nobody = ~counts.any(0)
        counts[:, nobody] = shared.heard[:, nobody]
        shared.counts = counts

    def _decide(
        self,
        index: int,
        columns: Array,
        everybody: Sequence[Spoken],
        hexes: list[str],
        shared: Shared,
        now: float,
        verdict: Verdict,
    ) -> None:
        """Settle the contradictions of one quantity: ``verdict`` and ``shared.wrong`` are filled in."""
        comparison = COMPARISONS[index]
        values = shared.values[index][:, columns]
        agree = agreement(values, shared.at[:, columns], comparison)
        winner, tied = vote(values, np.ones(values.shape), agree)
        if tied.any():
            winner, tied = vote(values, self._plausible(comparison, everybody, shared, columns), agree)
        believed = np.where(tied, -1, winner)
        self._follow_changes(index, columns, believed, everybody, hexes, shared, now)
        decided = np.flatnonzero(~tied)
        for at in decided.tolist():
            shared.wrong[:, columns[at]] |= ~np.isnan(values[:, at]) & ~agree[winner[at], :, at]
        for column, receiver in zip(columns.tolist(), believed.tolist(), strict=True):
            row = int(shared.rows[column])
            view = (
                everybody[shared.speakers[receiver]].views[shared.places[receiver, column]] if receiver >= 0 else None
            )
            for name in comparison.fields:
                verdict.values.append((name, row, UNSET if view is None else getattr(view, name)))
            if view is None and comparison.name not in verdict.disputed.setdefault(row, []):
                verdict.disputed[row].append(comparison.name)

    def _plausible(self, comparison: Comparison, everybody: Sequence[Spoken], shared: Shared, columns: Array) -> Array:
        """1 where what a receiver says can be true, by what it says of others and by the station; else 0."""
        plausible = np.ones((len(shared.speakers), len(columns)))
        for receiver, speaker in enumerate(shared.speakers):
            said = everybody[speaker].said
            values = said[comparison.fields[0]]
            repeated = repeated_value(values)
            places = shared.places[receiver, columns]
            for at in np.flatnonzero(places >= 0).tolist():
                place = places[at]
                if repeated is not None and values[place] == repeated:
                    plausible[receiver, at] = 0.0
                if comparison.name == "altitude":
                    lat, lon, altitude = said["lat"][place], said["lon"][place], values[place]
                    plausible[receiver, at] *= self._positions.is_above_horizon(lat, lon, altitude)
        return plausible

    def _follow_changes(
        self,
        index: int,
        columns: Array,
        believed: Array,
        everybody: Sequence[Spoken],
        hexes: list[str],
        shared: Shared,
        now: float,
    ) -> None:
        """Where nobody is believed (-1), believe for a while the receiver that changed what all agreed upon."""
        says = ~np.isnan(shared.values[index])
        compared = int(np.count_nonzero(says.sum(0) > 1))
        if len(columns) >= SYSTEMATIC_COUNT and len(columns) > SYSTEMATIC_SHARE * compared:
            return
        receivers = [everybody[speaker].receiver for speaker in shared.speakers]
        for at in np.flatnonzero(believed < 0).tolist():
            column = int(columns[at])
            key = hexes[int(shared.rows[column])], COMPARISONS[index].name
            if key not in self._changed:
                changer = self._changer(index, key[0], column, receivers, shared)
                if changer is None:
                    continue
                self._changed[key] = now, changer
            since, changer = self._changed[key]
            if now - since <= LAG_S and changer in receivers and says[receivers.index(changer), column]:
                believed[at] = receivers.index(changer)

    def _changer(self, index: int, address: str, column: int, receivers: list[int], shared: Shared) -> int | None:
        """The only receiver whose value differs from that of the last tick, when all agreed."""
        before = self._before
        old = before.column.get(address)
        if old is None or before.contradicted[index][old] or before.epoch != self._codes.epoch:
            return None
        tolerance, changed = COMPARISONS[index].tolerance, []
        for place, receiver in enumerate(receivers):
            row = before.row.get(receiver)
            if (
                row is not None
                and abs(before.values[index][row, old] - shared.values[index][place, column]) > tolerance
            ):
                changed.append(receiver)
        return changed[0] if len(changed) == 1 else None

    def _remember(self, everybody: Sequence[Spoken], hexes: list[str], shared: Shared, conflicts: list[Array]) -> None:
        column = {hexes[row]: at for at, row in enumerate(shared.rows.tolist())}
        row = {everybody[speaker].receiver: at for at, speaker in enumerate(shared.speakers)}
        self._before = Before(column, row, shared.values, conflicts, self._codes.epoch)
        if self._changed:
            lasting = {
                (address, comparison.name)
                for address, at in column.items()
                for comparison, conflict in zip(COMPARISONS, conflicts, strict=True)
                if conflict[at]
            }
            self._changed = {key: known for key, known in self._changed.items() if key in lasting}
