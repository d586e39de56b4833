"""What is found: the patterns of one aircraft, from the first report to the end.

Detectors open, extend and close *findings* on the aircraft's own plane; the log turns each change into an event with
an immutable `Pattern` in latitude and longitude, keeps updates to a bearable rate, and lets a more telling pattern
take the place of a less telling one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from math import hypot
from typing import Any

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import LocalPlane

# Why a pattern is no surveillance: the values of `reason`.
AERODROME = "aerodrome_circuit"
HOLDING = "holding"
PRACTICE_HOLD = "practice_hold"
THERMAL = "thermal"
SPIRAL_DESCENT = "spiral_descent"
SPIRAL_CLIMB = "spiral_climb"
PARACHUTES = "parachute_dropping"
PROCEDURE_TURN = "procedure_turn"
LOW_PASSES = "low_passes"
SOARING = "soaring"
FAST = "fast"
HEIGHT_UNKNOWN = "height_unknown"
TRAINING = "training"
TOO_FEW_TURNS = "too_few_turns"


class PatternType(StrEnum):
    """The names of flight patterns, as the REST API uses them."""

    CIRCLING = "circling"
    LOITERING = "loitering"
    RACETRACK = "racetrack"
    GRID_SEARCH = "grid_search"
    HIGHWAY_TRACKING = "highway_tracking"
    SPEED_TRAP = "speed_trap"
    STAKEOUT = "stakeout"
    AREA_SEARCH = "area_search"


class Confidence(StrEnum):
    """A confidence score in words."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Change(StrEnum):
    """What happened to a pattern."""

    DETECTED = "detected"
    EXTENDED = "extended"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A flight pattern as the rest of the service sees it; times in unix seconds, places in degrees."""

    number: int
    """Counts the patterns of one aircraft, from 1; the key of a pattern within its aircraft."""
    flight_id: str
    icao24: str
    pattern_type: PatternType
    confidence: Confidence
    confidence_score: float
    is_surveillance: bool
    """False where the shape is a pattern but has an ordinary reason, which `details` names as `reason`."""
    t0: float
    t1: float
    center_lat: float
    center_lon: float
    radius_nm: float
    detected_at: float
    """Time of the position at which it was first reported."""
    details: dict[str, Any]

    @property
    def duration_s(self) -> float:
        """Seconds from begin to end."""
        return self.t1 - self.t0


@dataclass(frozen=True, slots=True)
class PatternEvent:
    """One change of one pattern."""

    change: Change
    pattern: Pattern


@dataclass(slots=True)
class Finding:
    """A pattern under way, as its detector writes it; x, y and radius in nm on the trail's plane."""

    kind: PatternType
    t0: float
    t1: float
    x: float
    y: float
    radius_nm: float
    score: float
    details: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None
    """Why this is not surveillance, where there is an ordinary reason."""
    number: int = 0
    detected_at: float = 0.0
    reported_t1: float = 0.0


class FindingLog:
    """The open findings of one aircraft and the events not yet collected."""

    __slots__ = ("_ended", "_events", "_flight_id", "_icao24", "_s", "next_number", "open", "plane")

    def __init__(self, settings: PatternSettings, flight_id: str, icao24: str, first_number: int = 1) -> None:
        self._s = settings
        self._flight_id = flight_id
        self._icao24 = icao24
        self.next_number = first_number
        """Number that the next pattern will get."""
        self._events: list[PatternEvent] = []
        self._ended: deque[Finding] = deque(maxlen=_ENDED_KEPT)
        self.open: list[Finding] = []
        """Findings reported and not ended."""
        self.plane = LocalPlane(0.0, 0.0)
        """Plane on which the findings lie; set again with each trail."""

    def report(self, finding: Finding, now: float) -> bool:
        """Open a finding at time `now` (unix s) and return true, unless a more telling one explains it.

        In its turn it ends the open findings that it explains, whose details then name it as `superseded_by`; one that
        ended shortly before is reported as ended once more.
        """
        if any(_explains(other, finding) for other in (*self.open, *self._ended)) or not self._finds_room(finding):
            return False
        self._explain_others(finding)
        self._end_vague(finding)
        finding.number = self.next_number
        self.next_number += 1
        finding.detected_at = now
        finding.reported_t1 = finding.t1
        self.open.append(finding)
        self._events.append(PatternEvent(Change.DETECTED, self._pattern(finding)))
        return True

    def _explain_others(self, finding: Finding) -> None:
        """End what `finding` explains; those that ended before are reported again, now with their explanation."""
        for other in tuple(self.open):
            if _explains(finding, other):
                other.details["superseded_by"] = finding.kind.value
                self.end(other)
        for other in self._ended:
            if "superseded_by" not in other.details and _explains(finding, other):
                other.details["superseded_by"] = finding.kind.value
                self._events.append(PatternEvent(Change.ENDED, self._pattern(other)))

    def _finds_room(self, finding: Finding) -> bool:
        """Return whether a vague finding has time of its own, after patterns that tell more; it is moved there."""
        if not _is_vague(finding):
            return True
        t0 = finding.t0
        for other in (*self.open, *self._ended):
            if "superseded_by" in other.details or not _shares_time(other, finding):
                continue
            if other in self.open:
                return False
            t0 = max(t0, other.t1)
        if finding.t1 - t0 < _ROOM_SHARE * (finding.t1 - finding.t0):
            return False
        finding.t0 = t0
        return True

    def _end_vague(self, finding: Finding) -> None:
        """End open vague findings where `finding`, which tells more, begins: one stretch of time has one name."""
        for other in tuple(self.open):
            if _shares_time(finding, other):
                if finding.t0 - other.t0 < _VAGUE_LEAST_S:
                    other.details["superseded_by"] = finding.kind.value
                other.t1 = max(min(other.t1, finding.t0), other.t0)
                self.end(other)

    def reason_within(self, finding: Finding) -> str | None:
        """Return the ordinary reason of the patterns that fill enough of the time of `finding`, if they do."""
        shared: dict[str, float] = {}
        for other in (*self.open, *self._ended):
            overlap_s = min(other.t1, finding.t1) - max(other.t0, finding.t0)
            if other is not finding and other.reason is not None and overlap_s > 0.0:
                shared[other.reason] = shared.get(other.reason, 0.0) + overlap_s
        if sum(shared.values()) < self._s.certainty.ordinary_share * (finding.t1 - finding.t0) or not shared:
            return None
        return max(shared, key=lambda reason: shared[reason])

    def update(self, finding: Finding) -> None:
        """Report a longer or better supported finding, at most every `extend_every_s` seconds of it."""
        if finding.t1 - finding.reported_t1 >= self._s.certainty.extend_every_s:
            finding.reported_t1 = finding.t1
            self._events.append(PatternEvent(Change.EXTENDED, self._pattern(finding)))
            self._explain_others(finding)

    def end(self, finding: Finding) -> None:
        """Close a finding; a second time is harmless."""
        if finding in self.open:
            self.open.remove(finding)
            self._ended.append(finding)
            self._events.append(PatternEvent(Change.ENDED, self._pattern(finding)))

    def excuse(self, reason: str, t0: float, t1: float, share: float) -> None:
        """Give the turning of which `share` lies between two times an ordinary reason; what has ended is told again."""
        for f in (*self.open, *self._ended):
            shared_s = min(f.t1, t1) - max(f.t0, t0)
            turns = f.kind in (PatternType.CIRCLING, PatternType.RACETRACK)
            if turns and f.reason is None and shared_s >= share * (f.t1 - f.t0):
                f.reason, f.score = reason, min(f.score, self._s.certainty.ordinary_max)
                change = Change.EXTENDED if f in self.open else Change.ENDED
                self._events.append(PatternEvent(change, self._pattern(f)))

    def collect(self) -> list[PatternEvent]:
        """Return the events since the last call."""
        events, self._events = self._events, []
        return events

    def confidence(self, score: float) -> Confidence:
        """Return the score (0 to 1) in words."""
        if score >= self._s.certainty.high:
            return Confidence.HIGH
        return Confidence.MEDIUM if score >= self._s.certainty.medium else Confidence.LOW

    def _pattern(self, f: Finding) -> Pattern:
        lat, lon = self.plane.unproject(f.x, f.y)
        score = round(max(0.0, min(1.0, f.score)), 3)
        details = {**f.details, "reason": f.reason} if f.reason else dict(f.details)
        return Pattern(
            number=f.number,
            flight_id=self._flight_id,
            icao24=self._icao24,
            pattern_type=f.kind,
            confidence=self.confidence(score),
            confidence_score=score,
            is_surveillance=f.reason is None,
            t0=f.t0,
            t1=f.t1,
            center_lat=round(lat, 6),
            center_lon=round(lon, 6),
            radius_nm=round(f.radius_nm, 3),
            detected_at=f.detected_at,
            details=details,
        )


_RANK = {
    PatternType.LOITERING: 0,
    PatternType.AREA_SEARCH: 1,
    PatternType.CIRCLING: 2,
    PatternType.RACETRACK: 2,
    PatternType.STAKEOUT: 1,
    PatternType.HIGHWAY_TRACKING: 1,
    PatternType.SPEED_TRAP: 1,
    PatternType.GRID_SEARCH: 3,
}
"""What tells more about a flight stands higher."""

_SEARCH_RANK = 3
"""A search that is recognised by its own geometry tells more than circling, round and round as it goes."""

_FIGURE_RANK = 2.5
"""A figure of eight with diagonals tells more than loops to either side, which are its ends."""

_ENDED_KEPT = 4
"""Findings remembered after their end, so that no lesser one takes their place."""

_OVERLAP_SHARE = 0.33
"""A pattern is explained by another that lasted this share of its time."""

_SMALL_SHARE = 0.2
"""A pattern this much smaller than another, within it, is something of its own: an orbit amid a search."""

_LARGE_SHARE = 3.0
"""A pattern this much larger than another is not explained by it, unless it is one of these, which say least."""

_VAGUE = (PatternType.LOITERING, PatternType.AREA_SEARCH)


_ROOM_SHARE = 0.5
"""A vague finding begins after a more telling one that has ended, if so much of its time is left."""

_VAGUE_LEAST_S = 600.0
"""What lasted so long (s) before something more telling began stays what it was until then."""

_NAME_SHARE = 0.5
"""A stretch of time has another name where that takes this share of it."""


def _is_vague(f: Finding) -> bool:
    return f.kind in _VAGUE and "search" not in f.details


def _shares_time(telling: Finding, vague: Finding) -> bool:
    """Return whether the time of a more telling pattern lies in that of a vague one."""
    overlap_s = min(telling.t1, vague.t1) - max(telling.t0, vague.t0)
    return (
        _is_vague(vague)
        and _rank(telling) > _rank(vague)
        and not _is_vague(telling)
        and overlap_s >= _NAME_SHARE * (telling.t1 - telling.t0)
        and overlap_s > 0.0
    )


def _size_nm(f: Finding) -> float:
    """Return the size that what lies within a finding is compared with: of a grid its lines, not the way to them."""
    return float(min(f.radius_nm, f.details.get("sweep_nm", f.radius_nm)))


def _rank(f: Finding) -> float:
    return _SEARCH_RANK if "search" in f.details else _FIGURE_RANK if "figure" in f.details else _RANK[f.kind]


def _explains(high: Finding, low: Finding) -> bool:
    """Return whether `low` is but another view of what `high` describes: of lower rank, there and then, no detail."""
    overlap_s = min(low.t1, high.t1) - max(low.t0, high.t0)
    return (
        _rank(high) > _rank(low)
        and overlap_s >= _OVERLAP_SHARE * (low.t1 - low.t0)
        and low.radius_nm >= _SMALL_SHARE * _size_nm(high)
        and (low.kind in _VAGUE or low.radius_nm <= _LARGE_SHARE * high.radius_nm)
        and hypot(low.x - high.x, low.y - high.y) <= low.radius_nm + high.radius_nm
    )
