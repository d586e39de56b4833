"""Detects flight patterns of all aircraft, and tracks which aircraft fly surveillance patterns."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

import numpy as np

from skywatch.cannonball.tracker.interests.inherited import InheritedPatterns
from skywatch.cannonball.tracker.interests.pattern_change import PatternChange
from skywatch.patterns.findings import Change, Pattern, PatternEvent
from skywatch.patterns.fleet import PatternFleet
from skywatch.picture.state.sky import Sky

# Military and simulated aircraft that are remembered, each: more than fly in a day.
MAX_MARKED = 20_000


@dataclass(slots=True)
class ActivePattern:
    """A surveillance pattern that still counts; ``ended_at`` is in unix seconds."""

    key: str
    pattern: Pattern
    ended_at: float | None = None


class PatternWatch:
    """The patterns of all aircraft in the picture."""

    def __init__(self, minimum_score: float, memory_s: float) -> None:
        self._minimum_score = minimum_score
        self._memory_s = memory_s
        self._fleet = PatternFleet()
        self._last: tuple[str, int] = ("", -1)
        self._addresses: list[str] = []
        self._now = 0.0
        self._active: dict[str, dict[str, ActivePattern]] = {}
        # Aircraft that are or were military, or simulated, in the picture: patterns end after the aircraft has left.
        self._military: set[str] = set()
        self._simulated: set[str] = set()
        self._inherited = InheritedPatterns()

    def restore(self, changes: Iterable[PatternChange], now: float) -> None:
        """Continue the patterns that were open when the last tracker stopped."""
        changes = list(changes)
        self._inherited.add(changes, now)
        for change in changes:
            self._follow(change)

    def update(self, sky: Sky) -> list[PatternChange]:
        """Update with the sky of a tick; returns the changes."""
        self._now = sky.now
        follows = self._last == (sky.epoch, sky.seq - 1)
        departed = sky.left if follows else [a for a in self._addresses if a not in sky.index]
        self._last, self._addresses = (sky.epoch, sky.seq), sky.hexes
        changes = [self._apply(address, event, None) for address, event in self._fleet.leave(departed)]
        for marked, column in ((self._military, "military"), (self._simulated, "simulated")):
            if len(marked) > MAX_MARKED:
                marked.clear()
            marked.update(sky.hexes[row] for row in np.flatnonzero(sky.column(column)).tolist())
        position_at, lat, lon, altitude, speed, track = (sky.column(n).astype(np.float64) for n in _FED)
        events = self._fleet.update(
            sky.hexes,
            position_at,
            lat,
            lon,
            altitude,
            speed,
            track,
            sky.column("on_ground"),
            sky.column("previous_row") if follows else None,
        )
        changes += [self._apply(address, event, sky) for address, event in events]
        for change in self._inherited.over(sky):
            self._follow(change)
            changes.append(change)
        self._forget(sky.now)
        return changes

    def surveillance(self, address: str) -> list[ActivePattern]:
        """The surveillance patterns of an aircraft that still count, the highest confidence first."""
        patterns = self._active.get(address)
        return sorted(patterns.values(), key=lambda a: -a.pattern.confidence_score) if patterns else []

    @property
    def active(self) -> Set[str]:
        """Addresses of aircraft with a surveillance pattern that still counts."""
        return self._active.keys()

    def _apply(self, address: str, event: PatternEvent, sky: Sky | None) -> PatternChange:
        """Apply an event; ``sky`` is None if the aircraft has left it."""
        finding, ended = event.pattern, event.change is Change.ENDED
        key, pattern = self._inherited.continued(f"{finding.flight_id}/{finding.number}", finding)
        callsign = ""
        if sky is not None:
            callsign = sky.column("flight")[sky.index[address]].decode("ascii", "replace").strip()
        change = PatternChange(key, pattern, ended, callsign, address in self._military, address in self._simulated)
        self._follow(change)
        return change

    def _follow(self, change: PatternChange) -> None:
        key, pattern, address = change.key, change.pattern, change.pattern.icao24
        if pattern.is_surveillance and pattern.confidence_score >= self._minimum_score:
            patterns = self._active.setdefault(address, {})
            patterns[key] = ActivePattern(key, pattern, self._now if change.ended else None)
        elif address in self._active:
            # A pattern classified as surveillance before now has an ordinary reason.
            self._active[address].pop(key, None)

    def _forget(self, now: float) -> None:
        for address, patterns in list(self._active.items()):
            for key, active in list(patterns.items()):
                if active.ended_at is not None and now - active.ended_at > self._memory_s:
                    del patterns[key]
            if not patterns:
                del self._active[address]


_FED = ("position_at", "lat", "lon", "alt_baro_ft", "gs_kt", "track_deg")
