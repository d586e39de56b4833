"""``Companions``: pairs that fly together: near each other and moving alike for a while."""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.detection.meeting.cells import NM_PER_DEGREE, Motion

# Companions fly together: so near (nm, ft), with so little difference of velocity (kt), for so long (s).
TOGETHER_NM, TOGETHER_FT, TOGETHER_KT, TOGETHER_S = 1.0, 700.0, 40.0, 30.0
# They stay companions while they break up and join again.
MEMORY_S = 300.0
# Two that are together within this time (s) after take-off or first reception fly together intentionally.
NEW_S = 60.0

Pair = tuple[str, str]


class Companions:
    """Pairs that fly together, or did until lately."""

    def __init__(self) -> None:
        self._airborne = Carried(since=np.nan)
        self._since: dict[Pair, float] = {}
        self._until: dict[Pair, float] = {}

    def are(self, frame: Frame, first: Array, second: Array) -> Array:
        """Which pairs of rows fly together, or did until lately."""
        if not self._until:
            return np.zeros(len(first), "?")
        hexes, until, now = frame.hexes, self._until, frame.now
        pairs = ((hexes[a], hexes[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True))
        return np.fromiter((until.get((a, b) if a < b else (b, a), 0.0) >= now for a, b in pairs), "?", len(first))

    def update(self, frame: Frame, m: Motion, first: Array, second: Array) -> None:
        """Record which of some pairs (indexes into ``m``) are together now."""
        hexes, now = frame.hexes, frame.now
        self._airborne.carry(frame)
        airborne = self._airborne["since"]
        airborne[frame.column("on_ground")] = np.nan
        airborne[m.rows] = np.fmin(airborne[m.rows], now)
        alike = _together(m, first, second)
        since: dict[Pair, float] = {}
        for row, other in zip(m.rows[first[alike]].tolist(), m.rows[second[alike]].tolist(), strict=True):
            lower, higher = sorted((hexes[row], hexes[other]))
            pair = lower, higher
            since[pair] = began = self._since.get(pair, now)
            is_new = now - min(airborne[row], airborne[other]) <= NEW_S
            if is_new or now - began >= TOGETHER_S:
                self._until[pair] = now + MEMORY_S
        self._since = since
        self._until = {pair: until for pair, until in self._until.items() if until >= now}


def _together(m: Motion, first: Array, second: Array) -> Array:
    dy = (m.lat[second] - m.lat[first]) * NM_PER_DEGREE
    near = np.flatnonzero((np.abs(dy) <= TOGETHER_NM) & (np.abs(m.alt_ft[second] - m.alt_ft[first]) <= TOGETHER_FT))
    dy, first, second = dy[near], first[near], second[near]
    dx = ((m.lon[second] - m.lon[first] + 180) % 360 - 180) * np.cos(np.radians(m.lat[first])) * NM_PER_DEGREE
    velocity = np.hypot(m.east_kt[second] - m.east_kt[first], m.north_kt[second] - m.north_kt[first])
    together: Array = near[(np.hypot(dx, dy) <= TOGETHER_NM) & (velocity <= TOGETHER_KT)]
    return together
