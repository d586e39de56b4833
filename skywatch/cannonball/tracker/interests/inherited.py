"""Patterns that aircraft flew when the last tracker stopped: they go on until they are found again or surely over.

The detectors start empty and need minutes to find a pattern again. Without this it would be another
pattern, the threat would be cleared meanwhile, and both would be announced.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from skywatch.cannonball.tracker.interests.pattern_change import PatternChange
from skywatch.core.geo import distance_nm
from skywatch.patterns.findings import Pattern
from skywatch.picture.state.sky import Sky

# The detectors that need longest find a pattern again within this time (s).
FOUND_AGAIN_S = 600.0
# An aircraft further than this from the centre has left the pattern: its radius twice, and so many nm.
BEYOND_RADII, BEYOND_NM = 2.0, 3.0


@dataclass(frozen=True)
class _Inherited:
    change: PatternChange
    until: float


class InheritedPatterns:
    """The patterns of before a start that were neither found again nor ended, by address."""

    def __init__(self) -> None:
        self._patterns: dict[str, list[_Inherited]] = {}
        # Key of a pattern of this process -> the pattern of before the start that it continues.
        self._continued: dict[str, PatternChange] = {}

    def add(self, changes: Iterable[PatternChange], now: float) -> None:
        """Take over open patterns."""
        for change in changes:
            patterns = self._patterns.setdefault(change.pattern.icao24, [])
            patterns.append(_Inherited(change, now + FOUND_AGAIN_S))

    def continued(self, key: str, pattern: Pattern) -> tuple[str, Pattern]:
        """The key and pattern of what this process found: those of the pattern of before the start, if it is one."""
        before = self._continued.get(key) or self._found_again(key, pattern)
        if before is None:
            return key, pattern
        return before.key, replace(pattern, t0=min(pattern.t0, before.pattern.t0))

    def over(self, sky: Sky) -> list[PatternChange]:
        """The patterns that have ended: not found again in time, or left by their aircraft."""
        ended: list[PatternChange] = []
        for address, patterns in list(self._patterns.items()):
            remaining = [p for p in patterns if sky.now < p.until and not _has_left(address, p.change.pattern, sky)]
            ended += [replace(p.change, ended=True) for p in patterns if p not in remaining]
            self._patterns[address] = remaining
            if not remaining:
                del self._patterns[address]
        return ended

    def _found_again(self, key: str, pattern: Pattern) -> PatternChange | None:
        patterns = self._patterns.get(pattern.icao24, [])
        for inherited in patterns:
            before = inherited.change.pattern
            apart_nm = float(distance_nm(before.center_lat, before.center_lon, pattern.center_lat, pattern.center_lon))
            if before.pattern_type is pattern.pattern_type and apart_nm <= _reach_nm(before) + pattern.radius_nm:
                patterns.remove(inherited)
                self._continued[key] = inherited.change
                return inherited.change
        return None


def _reach_nm(pattern: Pattern) -> float:
    return BEYOND_RADII * pattern.radius_nm + BEYOND_NM


def _has_left(address: str, pattern: Pattern, sky: Sky) -> bool:
    row = sky.index.get(address)
    if row is None:
        return False
    lat, lon = float(sky.column("lat")[row]), float(sky.column("lon")[row])
    return bool(distance_nm(pattern.center_lat, pattern.center_lon, lat, lon) > _reach_nm(pattern))
