"""``FieldValidator``: decides between receivers that contradict each other about an aircraft, field by field.

Positions have their own validator, whose results apply to all fields: a receiver that is often wrong, or whose position
of this aircraft was refused, has no vote. Nearly always all receivers agree, and a tick costs a few comparisons of
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array
from skywatch.picture.merging.contradictions import (
    COMPARISONS,
    Comparison,
    TextCodes,
    agreement,
    contradicted,
    read,
    repeated_value,
    vote,
)
from skywatch.picture.merging.reported import Reported
from skywatch.picture.positions.validator import PositionValidator
from skywatch.picture.state.receiver_view import is_new
from skywatch.receivers.reports.report import STALE_S

# Time for which a changed value prevails between two receivers (s): the other may not have received the change yet.
# Several at once, and more than this share of the compared values, are not such changes.
LAG_S = 60.0
SYSTEMATIC_COUNT, SYSTEMATIC_SHARE = 3, 0.2


@dataclass
class Verdict:
    """The corrections of a review.

    ``excluded``: for each receiver, the indices of views that are ignored. ``values``: field, row and the value that
    replaces the reported one (UNSET: withheld). ``disputed``: the names of withheld quantities, by row.
    """

    excluded: list[Array]
    values: list[tuple[str, int, Any]] = field(default_factory=list)
    disputed: dict[int, list[str]] = field(default_factory=dict)


@dataclass
class Shared:
    """The aircraft that several receivers receive, as columns; the receivers of any of them, as rows."""

    rows: Array
    reporters: list[int]  # their indices among all receivers' reports
    names: list[str]
    view_indices: Array  # of each receiver's view, -1 if it does not receive the aircraft
    at: Array
    values: list[Array] = field(default_factory=list)  # one matrix for each comparison, of what counts
    counts: Array = field(default_factory=lambda: np.empty(0, "?"))
    wrong: Array = field(init=False)
    weights: Array = field(init=False)  # of each receiver's view: how many independent voices it stands for
    is_agreement: Array = field(init=False)  # receivers that stand for what several others say alike

    def __post_init__(self) -> None:
        self.is_received = self.view_indices >= 0
        self.wrong = np.zeros(self.view_indices.shape, "?")
        self.weights = np.ones(self.view_indices.shape)
        self.is_agreement = np.zeros(len(self.view_indices), "?")


@dataclass
class Before:
    """The compared values of the last tick, from which changes are detected."""

    addresses: list[str] = field(default_factory=list)
    row: dict[int, int] = field(default_factory=dict)
    values: list[Array] = field(default_factory=list)
    contradicted: list[Array] = field(default_factory=list)
    codes: TextCodes | None = None

    @cached_property
    def column(self) -> dict[str, int]:
        """Of each address; seldom asked for."""
        return dict(zip(self.addresses, range(len(self.addresses)), strict=True))


class FieldValidator:
    """Reviews the reports of each tick, all ours or all strangers'; ``positions`` has the reliability of receivers."""

    def __init__(self, positions: PositionValidator) -> None:
        self._positions = positions
        self._codes = TextCodes()
        self._before = Before()
        # (address, quantity) -> time of the contradiction, and the receiver that changed the value.
        self._changed: dict[tuple[str, str], tuple[float, int]] = {}

    def review(self, reported: Sequence[Reported], names: Sequence[str], hexes: list[str], now: float) -> Verdict:
        """The corrections of the reports of one tick; ``names`` are the receivers by index."""
        verdict = Verdict([np.empty(0, "i8") for _ in reported])
        shared = self._shared(reported, names, hexes, now)
        if shared is None:
            self._before, self._changed = Before(), {}
            return verdict
        conflicts = [
            contradicted(values, shared.at, comparison)
            for comparison, values in zip(COMPARISONS, shared.values, strict=True)
        ]
        for index, conflict in enumerate(conflicts):
            if conflict.any():
                self._decide(index, np.flatnonzero(conflict), reported, hexes, shared, now, verdict)
        agreed = ~np.any(conflicts, 0)
        for receiver, reporter in enumerate(shared.reporters):
            right = int(np.count_nonzero(shared.counts[receiver] & agreed))
            wrong = int(np.count_nonzero(shared.wrong[receiver]))
            self._positions.note_fields(names[reported[reporter].receiver], right, wrong)
            out = shared.is_received[receiver] & ~shared.counts[receiver]
            verdict.excluded[reporter] = shared.view_indices[receiver, out]
        self._remember(reported, hexes, shared, conflicts)
        return verdict

    def note_right(self, receiver: str, positions: int, reports: int) -> None:
        """Count reports of a stranger that say the same as ours, and how many of them had a new position."""
        self._positions.note_right(receiver, positions, reports)

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        self._changed = {key: (since + step, receiver) for key, (since, receiver) in self._changed.items()}

    def _shared(
        self, reported: Sequence[Reported], names: Sequence[str], hexes: list[str], now: float
    ) -> Shared | None:
        receiver_count = np.zeros(len(hexes), "i4")
        fresh = []
        for of_receiver in reported:
            at = of_receiver.heard_at
            view_indices = np.flatnonzero(now - at <= STALE_S)
            fresh.append((view_indices, at))
            receiver_count[of_receiver.rows[view_indices]] += 1
        rows = np.flatnonzero(receiver_count > 1)
        if not len(rows):
            return None
        column = np.full(len(hexes), -1)
        column[rows] = np.arange(len(rows))
        view_of = np.full((len(reported), len(rows)), -1)
        at_of = np.full(view_of.shape, np.nan)
        for reporter, (of_receiver, (view_indices, at)) in enumerate(zip(reported, fresh, strict=True)):
            columns = column[of_receiver.rows[view_indices]]
            view_indices, columns = view_indices[columns >= 0], columns[columns >= 0]
            view_of[reporter, columns], at_of[reporter, columns] = view_indices, at[view_indices]
        reporters = np.flatnonzero((view_of >= 0).any(1))
        of_reporters = [names[reported[reporter].receiver] for reporter in reporters.tolist()]
        shared = Shared(rows, reporters.tolist(), of_reporters, view_of[reporters], at_of[reporters])
        self._count(shared, hexes)
        self._weigh(shared, reported)
        if self._codes.is_full:
            self._codes = TextCodes()
        counted = [np.flatnonzero(counts) for counts in shared.counts]
        for comparison in COMPARISONS:
            matrix = np.full(shared.at.shape, np.nan)
            for receiver, (reporter, columns) in enumerate(zip(shared.reporters, counted, strict=True)):
                values = read(comparison, reported[reporter].values, self._codes)
                matrix[receiver, columns] = values[shared.view_indices[receiver, columns]]
            shared.values.append(matrix)
        return shared

    @staticmethod
    def _weigh(shared: Shared, reported: Sequence[Reported]) -> None:
        """Set how many voices stand behind each view: the feeders of one owner, or in one network, are one."""
        spoken: dict[str, Array] = {}
        for receiver, reporter in enumerate(shared.reporters):
            of_receiver = reported[reporter]
            if of_receiver.voice.is_alone:
                for whose in of_receiver.voice.names:
                    before = spoken.setdefault(whose, np.zeros(shared.weights.shape[1], "?"))
                    shared.weights[receiver, before] = 0.0
                    before |= shared.is_received[receiver]
            voices = of_receiver.voices()
            if voices is not None:
                shared.is_agreement[receiver] = True
                received = shared.is_received[receiver]
                shared.weights[receiver, received] = voices[shared.view_indices[receiver, received]]

    def _count(self, shared: Shared, hexes: list[str]) -> None:
        """Set which receivers have a vote for each aircraft; if none has, all do."""
        counts, names = shared.is_received.copy(), shared.names
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
        counts[:, nobody] = shared.is_received[:, nobody]
        shared.counts = counts

    def _decide(
        self,
        index: int,
        columns: Array,
        reported: Sequence[Reported],
        hexes: list[str],
        shared: Shared,
        now: float,
        verdict: Verdict,
    ) -> None:
        """Decide the contradictions of one quantity: fills in ``verdict`` and ``shared.wrong``."""
        comparison = COMPARISONS[index]
        values = shared.values[index][:, columns]
        agree = agreement(values, shared.at[:, columns], comparison)
        weights = shared.weights[:, columns]
        is_agreement = shared.is_agreement
        winner, tied = vote(values, weights, agree, is_agreement)
        if tied.any():
            plausible = self._plausible(comparison, reported, shared, columns)
            winner, tied = vote(values, weights * plausible, agree, is_agreement)
        believed = np.where(tied, -1, winner)
        self._follow_changes(index, columns, believed, reported, hexes, shared, now)
        decided = np.flatnonzero(~tied)
        for at in decided.tolist():
            shared.wrong[:, columns[at]] |= ~np.isnan(values[:, at]) & ~agree[winner[at], :, at]
        for at, (column, receiver) in enumerate(zip(columns.tolist(), believed.tolist(), strict=True)):
            row = int(shared.rows[column])
            shown = self._shown(comparison, reported, shared, column, receiver, agree[:, :, at], now)
            for name in comparison.fields:
                verdict.values.append((name, row, UNSET if shown is None else shown[0].values[name][shown[1]]))
            if shown is None and comparison.name not in verdict.disputed.setdefault(row, []):
                verdict.disputed[row].append(comparison.name)

    def _shown(
        self, comparison: Comparison, reported: Sequence[Reported], shared: Shared, column: int, believed: int,
        agree: Array, now: float,
    ) -> tuple[Reported, int] | None:  # fmt: skip
        """The receiver and its view whose value is shown: what independent feeders agree on, if that does not
        contradict the best."""
        if believed < 0:
            return None
        for receiver in np.flatnonzero((shared.weights[:, column] > 1) & agree[believed]).tolist():
            feeders, index = reported[shared.reporters[receiver]], int(shared.view_indices[receiver, column])
            agreed = feeders.views[index]
            if not getattr(agreed, "is_divided", False) and is_new(agreed, comparison.fields[0], now):
                return feeders, index
        return reported[shared.reporters[believed]], int(shared.view_indices[believed, column])

    def _plausible(self, comparison: Comparison, reported: Sequence[Reported], shared: Shared, columns: Array) -> Array:
        """1 if a receiver's value is plausible, by its values of other aircraft and its horizon; else 0."""
        plausible = np.ones((len(shared.reporters), len(columns)))
        for receiver, (reporter, name) in enumerate(zip(shared.reporters, shared.names, strict=True)):
            fields = reported[reporter].values
            values = fields[comparison.fields[0]]
            repeated = repeated_value(values)
            view_indices = shared.view_indices[receiver, columns]
            for at in np.flatnonzero(view_indices >= 0).tolist():
                view_index = view_indices[at]
                if repeated is not None and values[view_index] == repeated:
                    plausible[receiver, at] = 0.0
                if comparison.name == "altitude":
                    lat, lon, altitude = fields["lat"][view_index], fields["lon"][view_index], values[view_index]
                    plausible[receiver, at] *= self._positions.is_above_horizon(name, lat, lon, altitude)
        return plausible

    def _follow_changes(
        self,
        index: int,
        columns: Array,
        believed: Array,
        reported: Sequence[Reported],
        hexes: list[str],
        shared: Shared,
        now: float,
    ) -> None:
        """Where the vote is tied (-1), prefer for a while the receiver that changed a value that all agreed on."""
        has_value = ~np.isnan(shared.values[index])
        compared = int(np.count_nonzero(has_value.sum(0) > 1))
        if len(columns) >= SYSTEMATIC_COUNT and len(columns) > SYSTEMATIC_SHARE * compared:
            return
        receivers = [reported[reporter].receiver for reporter in shared.reporters]
        for at in np.flatnonzero(believed < 0).tolist():
            column = int(columns[at])
            key = hexes[int(shared.rows[column])], COMPARISONS[index].name
            if key not in self._changed:
                changer = self._changer(index, key[0], column, receivers, shared)
                if changer is None:
                    continue
                self._changed[key] = now, changer
            since, changer = self._changed[key]
            if now - since <= LAG_S and changer in receivers and has_value[receivers.index(changer), column]:
                believed[at] = receivers.index(changer)

    def _changer(self, index: int, address: str, column: int, receivers: list[int], shared: Shared) -> int | None:
        """The only receiver whose value differs from that of the last tick, when all agreed."""
        before = self._before
        old = before.column.get(address)
        if old is None or before.contradicted[index][old] or before.codes is not self._codes:
            return None
        tolerance, changed = COMPARISONS[index].tolerance, []
        for view_index, receiver in enumerate(receivers):
            row = before.row.get(receiver)
            if (
                row is not None
                and abs(before.values[index][row, old] - shared.values[index][view_index, column]) > tolerance
            ):
                changed.append(receiver)
        return changed[0] if len(changed) == 1 else None

    def _remember(self, reported: Sequence[Reported], hexes: list[str], shared: Shared, conflicts: list[Array]) -> None:
        addresses = list(map(hexes.__getitem__, shared.rows.tolist()))
        row = {reported[reporter].receiver: at for at, reporter in enumerate(shared.reporters)}
        self._before = Before(addresses, row, shared.values, conflicts, self._codes)
        if self._changed:
            lasting = {
                (address, comparison.name)
                for at, address in enumerate(addresses)
                for comparison, conflict in zip(COMPARISONS, conflicts, strict=True)
                if conflict[at]
            }
            self._changed = {key: change for key, change in self._changed.items() if key in lasting}
