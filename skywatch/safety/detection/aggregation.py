"""``Aggregation``: many events of a type in one region at once become one event, before storing them costs too much.

Where more occurrences of a type than ``aggregate_events`` are active in a region, those that are not events yet are
counted in one event of the region until half of them are left. Beyond ``aggregate_total`` events of their own, or
while the writer is behind (``coarse``), whatever begins is counted in one event of its type for the whole sky. What
involves a military aircraft, and what is held back, is counted apart: others must not see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from skywatch.picture.state.doubt import UNCONFIRMED_WORDS
from skywatch.safety.detection.finding import (
    Closest,
    EventType,
    Finding,
    Position,
    Quantity,
    Severity,
    doubted,
    worse,
)
from skywatch.safety.detection.frame import Array
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import sentence

PREFIX = "aggregate:"
# The keys of events that are about many aircraft, none of which is their subject, begin so.
OF_MANY = ("region:", "gather:", PREFIX)
# What ``divide`` gives for an occurrence that is an event of its own.
OWN = -1
# A region is numbered by row and column from the south pole and the date line, with two bits for what is counted apart:
# 2 of military aircraft, 1 held back or in doubt.
# The whole sky is the row beyond the north pole.
COLUMNS, WHOLE_SKY = 10_000, 20_000
# An occurrence that is found no more keeps its own event for so long (s): longer than any event lasts without findings.
OWN_S = 120.0
NOUNS: dict[EventType, str] = {
    "emergency_squawk": sentence("safety.many_emergency_squawk", "aircraft with an emergency code"),
    "acas_ra": sentence("safety.many_acas_ra", "resolution advisories"),
    "proximity": sentence("safety.many_proximity", "pairs of aircraft too near each other"),
    "extreme_vertical_rate": sentence("safety.many_extreme_vertical_rate", "extreme vertical rates"),
    "vertical_rate_reversal": sentence("safety.many_vertical_rate_reversal", "vertical rate reversals"),
    "low_altitude": sentence("safety.many_low_altitude", "aircraft below the usual altitude"),
    "position_integrity": sentence("safety.many_position_integrity", "aircraft with doubtful positions"),
}


@dataclass(frozen=True)
class Group:
    """What is counted in one event: its region, how many occurrences, and the nearest pair if they are pairs."""

    kind: EventType
    region: int
    events: int
    critical: int
    aircraft: int
    severity: Severity
    suppressed_by: tuple[str, ...] = ()
    closest: Closest | None = None
    in_doubt: bool = False


class Aggregation:
    """Which occurrences are events of their own, by type."""

    def __init__(self) -> None:
        # Set while the writer is behind.
        self.coarse = False
        # Occurrences that are counted in events of their regions now, by type and whether they are military.
        self.counted: dict[tuple[EventType, bool], int] = {}
        self._regions: dict[EventType, Array] = {}
        self._own_counts: dict[EventType, int] = {}
        self._own: dict[tuple[EventType, str], float] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is counted."""
        return bool(self._own)

    def restore(self, findings: Iterable[Finding], now: float) -> None:
        """Restore what was counted, and what was not, before a restart."""
        for finding in findings:
            if finding.key.startswith(PREFIX):
                region = int(finding.key.removeprefix(PREFIX))
                self._regions[finding.type] = np.append(self._regions.get(finding.type, _NONE), region)
            else:
                self._own[finding.type, finding.key] = now

    def is_restored(self, kind: EventType) -> bool:
        """Whether ``is_own`` may be true of occurrences of a type."""
        return any(of == kind for of, _ in self._own)

    def is_own(self, kind: EventType, key: str) -> bool:
        """Whether an occurrence had an event of its own before a restart, or a moment ago."""
        return (kind, key) in self._own

    def divide(self, kind: EventType, regions: Array, is_own: Array, thresholds: Thresholds) -> Array:
        """For each occurrence of a type OWN, or the region in whose event it is counted.

        ``is_own``: those that have events of their own, which they keep.
        """
        unique, inverse, counts = np.unique(regions, return_inverse=True, return_counts=True)
        limit = thresholds.aggregate_events
        was_full = np.isin(unique, self._regions.get(kind, _NONE))
        is_full = counts > np.where(was_full, limit / 2, limit)
        self._regions[kind] = unique[is_full]
        divided = np.where(is_own | ~is_full[inverse], OWN, regions)
        others = sum(count for other, count in self._own_counts.items() if other != kind)
        room = 0 if self.coarse else max(int(thresholds.aggregate_total) - others - int(np.count_nonzero(is_own)), 0)
        beyond = np.flatnonzero((divided == OWN) & ~is_own)[room:]
        divided[beyond] = WHOLE_SKY * COLUMNS * 4 + regions[beyond] % 4
        self._own_counts[kind] = int(np.count_nonzero(divided == OWN))
        is_military = regions[divided != OWN] & 2 != 0
        for value, count in ((True, np.count_nonzero(is_military)), (False, np.count_nonzero(~is_military))):
            if count or (kind, value) in self.counted:
                self.counted[kind, value] = int(count)
        return divided

    def apply(self, findings: Sequence[Finding], now: float, thresholds: Thresholds) -> list[Finding]:
        """Findings of single aircraft with those that are counted in events of regions replaced by these."""
        by_kind: dict[EventType, list[Finding]] = {kind: [] for kind in self._regions if kind != "proximity"}
        result: list[Finding] = []
        for finding in findings:
            if finding.over or finding.key.startswith(OF_MANY):
                result.append(finding)
            else:
                by_kind.setdefault(finding.type, []).append(finding)
        for kind, members in by_kind.items():
            result += self._of_kind(kind, members, now, thresholds)
        self._own = {key: at for key, at in self._own.items() if now - at <= OWN_S}
        return result

    def _of_kind(self, kind: EventType, members: list[Finding], now: float, thresholds: Thresholds) -> list[Finding]:
        size = thresholds.aggregate_region_deg
        regions = np.array([_region_of(finding, size) for finding in members], "i8")
        is_own = np.array([(kind, finding.key) in self._own for finding in members], "?")
        divided = self.divide(kind, regions, is_own, thresholds)
        counted: dict[int, list[Finding]] = {}
        result: list[Finding] = []
        for finding, region in zip(members, divided.tolist(), strict=True):
            if region == OWN:
                self._own[kind, finding.key] = now
                result.append(finding)
            else:
                counted.setdefault(region, []).append(finding)
        return result + [finding_of(_group(kind, region, of), thresholds) for region, of in counted.items()]


_NONE = np.empty(0, "i8")


def region_number(lat: Array, lon: Array, military: Array, held_back: Array, size_deg: float) -> Array:
    """The numbers of the regions of positions (degrees)."""
    row, column = np.floor((lat + 90) / size_deg).astype("i8"), np.floor((lon + 180) / size_deg).astype("i8")
    number: Array = ((row * COLUMNS + column) * 2 + military) * 2 + held_back
    return number


def finding_of(group: Group, thresholds: Thresholds) -> Finding:
    """The finding for what is counted in a region."""
    cell, limit = group.region >> 2, round(thresholds.aggregate_events)
    row, column = divmod(cell, COLUMNS)
    size = thresholds.aggregate_region_deg
    is_whole = row == WHOLE_SKY
    why = (
        sentence("safety.many_in_region", "more than {limit} at once in this region", limit=limit)
        if not is_whole
        else sentence("safety.too_many", "too many at once to list each")
    )
    numbers = {
        "cause": Quantity("aggregate"),
        "events": Quantity(group.events, "events"),
        "critical": Quantity(group.critical, "events"),
        "count": Quantity(group.aircraft, "aircraft"),
    }
    if not is_whole:
        numbers["region"] = Quantity(size, "degrees")
    centre = Position(round((row + 0.5) * size - 90, 5), round((column + 0.5) * size - 180, 5))
    finding = Finding(
        type=group.kind,
        key=f"{PREFIX}{group.region}",
        severity=group.severity,
        message=sentence(
            "safety.counted",
            "{events} {noun}, counted in one event: {why}",
            events=group.events,
            noun=NOUNS[group.kind],
            why=why,
        ),
        numbers=numbers,
        position=None if is_whole else centre,
        closest=group.closest,
        suppressed_by=group.suppressed_by,
        military=bool(group.region & 2),
    )
    return doubted(finding, UNCONFIRMED_WORDS) if group.in_doubt else finding


def _region_of(finding: Finding, size_deg: float) -> int:
    flags = 2 * finding.military + bool(finding.suppressed_by or finding.in_doubt)
    if finding.position is None:
        return WHOLE_SKY * COLUMNS * 4 + flags
    row, column = (finding.position.lat + 90) // size_deg, (finding.position.lon + 180) // size_deg
    return (int(row) * COLUMNS + int(column)) * 4 + flags


def _group(kind: EventType, region: int, members: Sequence[Finding]) -> Group:
    severity = members[0].severity
    for finding in members:
        severity = worse(severity, finding.severity)
    return Group(
        kind,
        region,
        len(members),
        sum(finding.severity == "critical" for finding in members),
        len({address for finding in members for address in finding.hexes}),
        severity,
        tuple(sorted({reason for finding in members for reason in finding.suppressed_by})),
        in_doubt=members[0].in_doubt,
    )
