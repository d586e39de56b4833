"""Has every aircraft's positions looked at for flight patterns and remembers who flies a surveillance pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skywatch.patterns.findings import Change, Pattern, PatternEvent
from skywatch.patterns.fleet import PatternFleet
from skywatch.picture.sky import Sky


@dataclass(frozen=True, slots=True)
class PatternChange:
    """A pattern that was found, went on or ended; ``key`` names it for ever."""

    key: str
    pattern: Pattern
    ended: bool
    callsign: str
    military: bool


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

    def update(self, sky: Sky) -> list[PatternChange]:
        """Take the next tick; what changed."""
        self._now = sky.now
        follows = self._last == (sky.epoch, sky.seq - 1)
        left = sky.left if follows else [a for a in self._addresses if a not in sky.index]
        self._last, self._addresses = (sky.epoch, sky.seq), sky.hexes
        changes = [self._account(address, event, None) for address, event in self._fleet.leave(left)]
        position_at, lat, lon, altitude, speed, track = (sky.column(n).astype(np.float64) for n in _FED)
        found = self._fleet.update(
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
        changes += [self._account(address, event, sky) for address, event in found]
        self._forget(sky.now)
        return changes

    def surveillance(self, address: str) -> list[ActivePattern]:
        """The surveillance patterns of an aircraft that still count, the surest first."""
        found = self._active.get(address)
        return sorted(found.values(), key=lambda a: -a.pattern.confidence_score) if found else []

    @property
    def addresses(self) -> list[str]:
        """Aircraft with a surveillance pattern that still counts."""
        return list(self._active)

    def _account(self, address: str, event: PatternEvent, sky: Sky | None) -> PatternChange:
        """Remember what an event says; ``sky`` None where the aircraft has left it."""
        pattern, ended = event.pattern, event.change is Change.ENDED
        key = f"{pattern.flight_id}/{pattern.number}"
        if pattern.is_surveillance and pattern.confidence_score >= self._minimum_score:
            mine = self._active.setdefault(address, {})
            mine[key] = ActivePattern(key, pattern, self._now if ended else None)
        elif address in self._active:
            # What was taken for surveillance has turned out to have an ordinary reason.
            self._active[address].pop(key, None)
        callsign, military = "", False
        if sky is not None:
            row = sky.index[address]
            callsign = sky.column("flight")[row].decode("ascii", "replace").strip()
            military = bool(sky.column("military")[row])
        return PatternChange(key, pattern, ended, callsign, military)

    def _forget(self, now: float) -> None:
        for address, patterns in list(self._active.items()):
            for key, active in list(patterns.items()):
                if active.ended_at is not None and now - active.ended_at > self._memory_s:
                    del patterns[key]
            if not patterns:
                del self._active[address]


_FED = ("position_at", "lat", "lon", "alt_baro_ft", "gs_kt", "track_deg")
