"""Procedure turns: how an instrument approach reverses its course.

Outbound from a beacon, 45 degrees aside for about a minute, half a circle to the other side, and back onto the line on
which the aircraft came (FAA *Instrument Procedures Handbook*; ICAO Doc 8168, "45/180 degree procedure turn"). One is no
pattern; who flies them again and again practises approaches, and keeps to a place by that.
"""

from __future__ import annotations

from collections import deque
from math import cos, radians, sin

from skywatch.patterns.legs.legs import Leg
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import wrap_deg

_LEGS = 6
"""Outbound, aside, back and inbound, and two short ones that a turn may leave."""

_KEPT = 8
"""Procedure turns remembered: more are flown in no hour."""


class ProcedureTurns:
    """Finds procedure turns among the legs of one aircraft."""

    __slots__ = ("_legs", "_s", "_times")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._legs: deque[Leg] = deque(maxlen=_LEGS)
        self._times: deque[tuple[float, float]] = deque(maxlen=_KEPT)

    def clear(self) -> None:
        """Forget the trail."""
        self._legs.clear()
        self._times.clear()

    def add(self, inbound: Leg) -> None:
        """Take the next leg."""
        legs = list(self._legs)
        self._legs.append(inbound)
        for index in range(len(legs) - 1, 0, -1):
            outbound, aside = legs[index - 1], legs[index]
            if inbound.t0 - aside.t0 > self._s.procedure_turn.max_s:
                return
            if self._reverses(outbound, aside, inbound):
                self._times.append((outbound.t0, inbound.t1))
                return

    def explain(self, t0: float, t1: float) -> bool:
        """Return whether procedure turns, with the legs to and from them, fill enough of the time between two times."""
        flown_s = sum(max(0.0, min(b, t1) - max(a, t0)) for a, b in self._times)
        return flown_s >= self._s.certainty.ordinary_share * (t1 - t0)

    def _reverses(self, outbound: Leg, aside: Leg, inbound: Leg) -> bool:
        s = self._s
        off = wrap_deg(aside.course_deg - outbound.course_deg)
        if not s.procedure_turn.min_aside_deg <= abs(off) <= s.procedure_turn.max_aside_deg:
            return False
        # From aside it goes round by half a circle, and by as much more as it was off, to the other side.
        turned = _turned_deg(aside, inbound)
        expected = -(180.0 + abs(off)) * (1.0 if off > 0.0 else -1.0)
        if abs(turned - expected) > s.procedure_turn.error_deg:
            return False
        back = abs(wrap_deg(inbound.course_deg - outbound.course_deg))
        if 180.0 - back > s.procedure_turn.error_deg:
            return False
        course = radians(outbound.course_deg)
        across = (inbound.x - outbound.x) * cos(course) - (inbound.y - outbound.y) * sin(course)
        return abs(across) <= s.procedure_turn.line_nm


def _turned_deg(a: Leg, b: Leg) -> float:
    """Return by how much the course turned from one leg to another: legs note their heading where the turn begins."""
    roughly = b.turn_deg - a.turn_deg
    return roughly + wrap_deg(b.course_deg - a.course_deg - roughly)
