"""A session in the tracker: one aircraft of interest near one user, its present numbers and threat level."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from skywatch.cannonball.location import Location
from skywatch.cannonball.tracker.geometry import STILL, Velocity, velocity_between
from skywatch.cannonball.tracker.interests.interest import Interest
from skywatch.cannonball.tracker.interests.watch import ActivePattern
from skywatch.cannonball.tracker.pauses import Pauses
from skywatch.cannonball.vocabulary import EndReason, ThreatLevel
from skywatch.core.geo import distance_nm

# Time between two positions from which a velocity is computed if the aircraft does not transmit its speed (s).
STEP_MIN_S, STEP_MAX_S = 1.0, 60.0

Pair = tuple[int, str]
"""User and address of a session."""


@dataclass(eq=False)
class LiveSession:
    """An active session. ``id`` is that of its database row, None until it is written."""

    user_id: int
    address: str
    interest: Interest
    started_at: float
    id: int | None = None
    callsign: str = ""
    military: bool = False
    simulated: bool = False
    on_ground: bool = False
    surveillance_type: bool = False
    lat: float = 0.0
    lon: float = 0.0
    altitude_ft: int | None = None
    distance_nm: float = 0.0
    closest_nm: float = float("inf")
    bearing_deg: float = 0.0
    closing_kt: float = 0.0
    last_seen: float = 0.0
    urgency: float = 0.0
    peak_urgency: float = 0.0
    peak_level: ThreatLevel = ThreatLevel.INFO
    pattern: ActivePattern | None = None
    pattern_keys: set[str] = field(default_factory=set)
    alert_count: int = 0
    overhead_armed: bool = True
    overhead_armed_in_doubt: bool = True
    ended_at: float | None = None
    end_reason: EndReason | None = None
    pauses: Pauses = field(default_factory=Pauses)
    level: ThreatLevel = ThreatLevel.INFO
    calm_since: float = math.nan
    """Since when a lower level has applied (unix s), nan while it does not."""
    is_weak: bool = False
    """Whether an agency's letters are the only reason why the aircraft is of interest."""
    doubt: str = ""
    """Why nobody vouches for the place of the aircraft; empty where somebody does."""
    sure_at: float = 0.0
    """When somebody vouched for the place last (unix s), 0 before the first time."""
    has_trend: bool = False
    """Whether the aircraft has been heard for long enough to say that it closes or recedes."""
    smooth_kt: float = math.nan
    """The smoothed closing speed, nan before the first one."""
    observed_at: float = 0.0
    north_kt: float = 0.0
    east_kt: float = 0.0
    epoch: int = -1
    """The user's epoch at the last tick."""

    def end(self, at: float, reason: EndReason) -> None:
        """Mark the session as ended (unix s)."""
        self.ended_at, self.end_reason = at, reason

    @property
    def may_be_overhead(self) -> bool:
        """Whether it is announced when it is overhead."""
        return self.overhead_armed_in_doubt if self.doubt else self.overhead_armed

    def arm_overhead(self, is_armed: bool) -> None:
        """Announce it when it is overhead, or not again; a place in doubt decides nothing about a sure one."""
        self.overhead_armed_in_doubt = is_armed
        if not self.doubt:
            self.overhead_armed = is_armed

    def velocity_by_steps(self, position_at: float, lat: float, lon: float) -> Velocity:
        """The velocity of an aircraft that transmits none: from the last position to this one, or as it was."""
        if self.last_seen and STEP_MIN_S <= position_at - self.last_seen <= STEP_MAX_S:
            return velocity_between(self.lat, self.lon, lat, lon, position_at - self.last_seen)
        if position_at - self.last_seen > STEP_MAX_S:
            return STILL
        return Velocity(self.north_kt, self.east_kt)

    def pattern_at(self, location: Location) -> tuple[float, float]:
        """The confidence in the pattern that is flown, and the distance of a user from its circle (nm)."""
        assert self.pattern is not None
        pattern = self.pattern.pattern
        from_center = float(distance_nm(location.lat, location.lon, pattern.center_lat, pattern.center_lon))
        return pattern.confidence_score, max(0.0, from_center - pattern.radius_nm)
