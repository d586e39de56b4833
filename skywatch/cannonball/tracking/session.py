"""One aircraft of interest near one user, as it lives in the tracker: its numbers of the moment and its level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracking.geometry import (
    STILL,
    Velocity,
    closing_speed_kt,
    smoothed,
    velocity_between,
    velocity_of,
)
from skywatch.cannonball.tracking.interest import Interest
from skywatch.cannonball.tracking.locations import TrackedUser
from skywatch.cannonball.tracking.pauses import Pauses
from skywatch.cannonball.tracking.threat import Situation, ThreatLevelHysteresis, urgency
from skywatch.cannonball.tracking.watch import ActivePattern
from skywatch.cannonball.vocabulary import EndReason, Identification, ThreatLevel
from skywatch.core.geo import distance_nm

# A movement is read off two positions this far apart in time (s) where the aircraft does not tell its speed.
STEP_MIN_S, STEP_MAX_S = 1.0, 60.0


class Observation(NamedTuple):
    """What one tick says of an aircraft near a user; None where the aircraft does not tell it."""

    at: float
    position_at: float
    lat: float
    lon: float
    altitude_ft: int | None
    speed_kt: float | None
    track_deg: float | None
    on_ground: bool
    callsign: str
    military: bool
    surveillance_type: bool
    distance_nm: float
    bearing_deg: float


@dataclass(eq=False)
class LiveSession:
    """A running session. ``id`` is its number in the database, None until it is written there."""

    user_id: int
    address: str
    interest: Interest
    started_at: float
    id: int | None = None
    callsign: str = ""
    military: bool = False
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
    ended_at: float | None = None
    end_reason: EndReason | None = None
    pauses: Pauses = field(default_factory=Pauses)
    keeper: ThreatLevelHysteresis = field(default_factory=ThreatLevelHysteresis)
    _smooth_kt: float | None = None
    _observed_at: float = 0.0
    _velocity: Velocity = STILL
    _place: int = -1

    @property
    def level(self) -> ThreatLevel:
        """The threat level of the moment."""
        return self.keeper.level

    def observe(self, seen: Observation, user: TrackedUser, settings: CannonballSettings) -> None:
        """Take the numbers of one tick."""
        velocity = self._movement(seen)
        if self._place != user.place:
            self._place, self._smooth_kt = user.place, None
        closing = closing_speed_kt(velocity, user.velocity, seen.bearing_deg)
        elapsed_s = seen.at - self._observed_at
        self._smooth_kt = smoothed(self._smooth_kt, closing, elapsed_s, settings.cannonball_closing_smoothing_s)
        self._observed_at = seen.at
        self.lat, self.lon, self.altitude_ft, self.on_ground = seen.lat, seen.lon, seen.altitude_ft, seen.on_ground
        self.callsign, self.surveillance_type = seen.callsign or self.callsign, seen.surveillance_type
        self.military = seen.military or self.interest.military
        self.distance_nm, self.bearing_deg = seen.distance_nm, seen.bearing_deg
        self.closest_nm = min(self.closest_nm, seen.distance_nm)
        self.closing_kt = self._smooth_kt
        self.last_seen = seen.position_at
        situation = self._situation(user)
        self.keeper.update(situation, seen.at, settings)
        self.urgency = urgency(situation)
        self.peak_urgency = max(self.peak_urgency, self.urgency)
        self.peak_level = max(self.peak_level, self.level, key=lambda level: level.rank)

    def resume(self, before: LiveSession) -> None:
        """Be the continuation of a session that was found in the database after this one was opened."""
        self.id, self.started_at = before.id, before.started_at
        self.closest_nm = min(self.closest_nm, before.closest_nm)
        self.peak_urgency = max(self.peak_urgency, before.peak_urgency)
        self.peak_level = max(self.peak_level, before.peak_level, key=lambda level: level.rank)
        self.pattern_keys |= before.pattern_keys
        self.alert_count += before.alert_count

    def end(self, at: float, reason: EndReason) -> None:
        """Mark the session as ended (unix s)."""
        self.ended_at, self.end_reason = at, reason

    def _movement(self, seen: Observation) -> Velocity:
        if seen.speed_kt is not None and seen.track_deg is not None:
            self._velocity = velocity_of(seen.speed_kt, seen.track_deg)
        elif self.last_seen and STEP_MIN_S <= seen.position_at - self.last_seen <= STEP_MAX_S:
            step_s = seen.position_at - self.last_seen
            self._velocity = velocity_between(self.lat, self.lon, seen.lat, seen.lon, step_s)
        elif seen.position_at - self.last_seen > STEP_MAX_S:
            self._velocity = STILL
        return self._velocity

    def _situation(self, user: TrackedUser) -> Situation:
        score, away_nm = 0.0, float("inf")
        if self.pattern is not None:
            found = self.pattern.pattern
            place = user.location
            from_center = float(distance_nm(place.lat, place.lon, found.center_lat, found.center_lon))
            score, away_nm = found.confidence_score, max(0.0, from_center - found.radius_nm)
        identification = self.interest.identification
        return Situation(
            distance_nm=self.distance_nm,
            closing_kt=self.closing_kt,
            on_ground=self.on_ground,
            identification=identification,
            verified=self.interest.verified,
            surveillance_type=self.surveillance_type and identification is Identification.PATTERN,
            pattern_score=score,
            pattern_distance_nm=away_nm,
        )
