"""What is read of stored points."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.history.storage.points import AT_S, MILITARY, Points, identity


@dataclass(frozen=True)
class Span:
    """What to read: from ``begin`` to ``end`` (unix seconds), of one aircraft or all, with military aircraft or not."""

    begin: float
    end: float
    aircraft: int | None = None
    military: bool = True

    def pick(self, points: Points) -> Points:
        """The points of the span's aircraft (whole slices; ``within`` trims)."""
        if self.aircraft is not None:
            points = points[identity(points) == self.aircraft]
        if not self.military and len(points):
            points = points[points["aircraft"] & MILITARY == 0]
        return points

    def within(self, points: Points) -> Points:
        """The points that lie in the span."""
        at = points["at"] * AT_S
        return points[(at >= self.begin) & (at <= self.end)]
