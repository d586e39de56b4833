"""Positions that contradict receivers or multilateration: one aircraft in two places that exclude each other.

The picture accepts one of the two and lists the refused one (``Sky.disputed``). A dispute is an event if it lasts and
both receivers are otherwise reliable: not for a position on the aircraft's own path (a delayed feed), not if a
receiver is often wrong, and not for relayed positions.
"""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.core import geo
from skywatch.picture.state.sky import DisputedPosition
from skywatch.safety.detection.frame import Frame
from skywatch.safety.detection.navigation.leaps import is_on_way
from skywatch.safety.thresholds.thresholds import Thresholds

# Least number of claims at different times that make a dispute, and the longest gap between them (s).
TIMES, GAP_S = 3, 15.0


@dataclass
class Dispute:
    """One aircraft's dispute: since when, how many claims, and the latest one."""

    since: float
    last_at: float
    position: DisputedPosition
    distance_nm: float
    times: int = 1
    raised: bool = False


class DisputeDetector:
    """Disputes that last."""

    def __init__(self) -> None:
        # By address and whether it is in doubt.
        self._disputes: dict[tuple[str, bool], Dispute] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        return bool(self._disputes)

    def update(self, frame: Frame, thresholds: Thresholds) -> list[tuple[int, Dispute]]:
        """The disputes of now that are to be raised, with the rows of their aircraft."""
        for position in frame.sky.disputed:
            row = frame.sky.index.get(position.hex)
            if row is not None and position.is_own:
                self._take(frame, row, position, thresholds)
        retention_s = max(GAP_S, thresholds.contradiction_end_s)
        self._disputes = {key: d for key, d in self._disputes.items() if frame.now - d.last_at <= retention_s}
        raised = [(frame.sky.index.get(address), d) for (address, _), d in self._disputes.items() if d.raised]
        return [(row, dispute) for row, dispute in raised if row is not None]

    def _take(self, frame: Frame, row: int, position: DisputedPosition, thresholds: Thresholds) -> None:
        believed = position.believed_lat, position.believed_lon
        distance = float(geo.distance_nm(*believed, position.lat, position.lon))
        bearing = float(geo.bearing_deg(*believed, position.lat, position.lon))
        gs, track = float(frame.column("gs_kt")[row]), float(frame.column("track_deg")[row])
        if distance < thresholds.contradiction_nm or is_on_way(distance, bearing, gs, track):
            return
        key = position.hex, position.in_doubt
        dispute = self._disputes.get(key)
        if dispute is None or (not dispute.raised and position.at - dispute.last_at > GAP_S):
            if position.is_credible:
                self._disputes[key] = Dispute(position.at, position.at, position, distance)
            return
        if position.at <= dispute.last_at:
            return
        dispute.last_at, dispute.position, dispute.distance_nm = position.at, position, distance
        dispute.times += 1
        lasted_s = position.at - dispute.since
        # An unreliable receiver raises nothing; but once raised, the dispute itself may have made it unreliable.
        dispute.raised |= (
            dispute.times >= TIMES and lasted_s >= thresholds.contradiction_hold_s and position.is_credible
        )
