"""A session in the tracker: one aircraft of interest near one user, its present numbers and threat level."""

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
from skywatch.cannonball.tracking.identifying.interest import Interest
from skywatch.cannonball.tracking.identifying.watch import ActivePattern
from skywatch.cannonball.tracking.locations import TrackedUser
from skywatch.cannonball.tracking.pauses import Pauses
from skywatch.cannonball.tracking.threat import Situation, ThreatLevelHysteresis, urgency
from skywatch.cannonball.vocabulary import EndReason, Identification, ThreatLevel
from skywatch.core.geo import distance_nm

# Time between two positions from which a velocity is computed if the aircraft does not transmit its speed (s).
STEP_MIN_S, STEP_MAX_S = 1.0, 60.0


class Observation(NamedTuple):
    """The state of an aircraft near a user at one tick; None for unknown values."""

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
    first_seen: float


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
    hysteresis: ThreatLevelHysteresis = field(default_factory=ThreatLevelHysteresis)
    is_weak: bool = False
    """Whether an agency's letters are the only reason why the aircraft is of interest."""
    has_trend: bool = False
    """Whether the aircraft has been heard for long enough to say that it closes or recedes."""
    _smooth_kt: float | None = None
    _observed_at: float = 0.0
    _velocity: Velocity = STILL
    _epoch: int = -1

    @property
    def level(self) -> ThreatLevel:
        """The present threat level."""
        return self.hysteresis.level

    def observe(self, observation: Observation, user: TrackedUser, settings: CannonballSettings) -> None:
        """Update with the observation of one tick."""
        velocity = self._velocity_of(observation)
        if self._epoch != user.epoch:
            self._epoch, self._smooth_kt = user.epoch, None
        closing = closing_speed_kt(velocity, user.velocity, observation.bearing_deg)
        elapsed_s = observation.at - self._observed_at
        self._smooth_kt = smoothed(self._smooth_kt, closing, elapsed_s, settings.cannonball_closing_smoothing_s)
        self._observed_at = observation.at
        heard_s = observation.at - observation.first_seen
        self.has_trend = self.has_trend or heard_s >= settings.cannonball_closing_smoothing_s
        self.lat, self.lon, self.altitude_ft, self.on_ground = (
            observation.lat,
            observation.lon,
            observation.altitude_ft,
            observation.on_ground,
        )
        self.callsign, self.surveillance_type = observation.callsign or self.callsign, observation.surveillance_type
        # Once military, always: the flag may come and go with the receivers.
        self.military = self.military or observation.military or self.interest.military
        self.distance_nm, self.bearing_deg = observation.distance_nm, observation.bearing_deg
        self.closest_nm = min(self.closest_nm, observation.distance_nm)
        self.closing_kt = self._smooth_kt
        self.last_seen = observation.position_at
        situation = self._situation(user)
        self.is_weak = situation.is_weak
        self.hysteresis.update(situation, observation.at, settings)
        self.urgency = urgency(situation)
        self.peak_urgency = max(self.peak_urgency, self.urgency)
        self.peak_level = max(self.peak_level, self.level, key=lambda level: level.rank)

    def end(self, at: float, reason: EndReason) -> None:
        """Mark the session as ended (unix s)."""
        self.ended_at, self.end_reason = at, reason

    def _velocity_of(self, observation: Observation) -> Velocity:
        if observation.speed_kt is not None and observation.track_deg is not None:
            self._velocity = velocity_of(observation.speed_kt, observation.track_deg)
        elif self.last_seen and STEP_MIN_S <= observation.position_at - self.last_seen <= STEP_MAX_S:
            step_s = observation.position_at - self.last_seen
            self._velocity = velocity_between(self.lat, self.lon, observation.lat, observation.lon, step_s)
        elif observation.position_at - self.last_seen > STEP_MAX_S:
            self._velocity = STILL
        return self._velocity

    def _situation(self, user: TrackedUser) -> Situation:
        score, away_nm = 0.0, float("inf")
        if self.pattern is not None:
            pattern = self.pattern.pattern
            location = user.location
            from_center = float(distance_nm(location.lat, location.lon, pattern.center_lat, pattern.center_lon))
            score, away_nm = pattern.confidence_score, max(0.0, from_center - pattern.radius_nm)
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
