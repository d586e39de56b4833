"""What a tick says about all sessions at once, as arrays: closing speeds, urgency and threat levels.

A session keeps its numbers; here they are collected, updated together, and given back.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.cannonball.identification.types import SURVEILLANCE_TYPES
from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.confidence import place_doubts
from skywatch.cannonball.tracker.geometry import Velocity, closing_speed_kt, smoothed, velocity_of
from skywatch.cannonball.tracker.interests.interest import Interest
from skywatch.cannonball.tracker.locations import TrackedUser
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.cannonball.tracker.threat import LEVELS, Situations, next_level, urgency
from skywatch.cannonball.vocabulary import ThreatLevel
from skywatch.core.geo import bearing_deg, distance_nm
from skywatch.picture.state.sky import Sky

Array = npt.NDArray[Any]
_SURVEILLANCE = frozenset(name.encode("ascii") for name in SURVEILLANCE_TYPES)


@dataclass(frozen=True, eq=False)
class ObservedAircraft:
    """The aircraft of some sessions as the sky shows them, with their users; one element for each session."""

    now: float
    sessions: list[LiveSession]
    rows: Array
    users: list[TrackedUser]
    lat: Array
    lon: Array
    distance_nm: Array
    bearing_deg: Array
    radius_nm: Array

    @classmethod
    def of(cls, sky: Sky, sessions: Sequence[LiveSession], users: Mapping[int, TrackedUser]) -> ObservedAircraft:
        """The views of those sessions whose aircraft has a position; all have a user and an aircraft in the sky."""
        index, columns = sky.index, (sky.column("lat"), sky.column("lon"))
        rows = np.array([index[session.address] for session in sessions], np.intp)
        lat, lon = (column[rows] for column in columns)
        of_users = [users[session.user_id] for session in sessions]
        places = [(user.location.lat, user.location.lon, user.location.radius_nm) for user in of_users]
        here = np.array(places, np.float64).reshape(-1, 3)
        distances = distance_nm(here[:, 0], here[:, 1], lat, lon)
        bearings = bearing_deg(here[:, 0], here[:, 1], lat, lon)
        # Received without a position: the last one is used until it is too old.
        placed = np.flatnonzero(~np.isnan(distances))
        if len(placed) < len(rows):
            sessions, of_users = [sessions[n] for n in placed.tolist()], [of_users[n] for n in placed.tolist()]
        parts = (lat[placed], lon[placed], distances[placed], bearings[placed], here[placed, 2])
        return cls(sky.now, list(sessions), rows[placed], of_users, *parts)


@dataclass(frozen=True, eq=False, slots=True)
class Numbers:
    """The numbers of the sessions after a tick; lists in the order of the views that nobody changes any more."""

    callsign: list[str]
    military: list[bool]
    interest: list[Interest]
    level: list[ThreatLevel]
    peak_level: list[ThreatLevel]
    urgency: list[float]
    peak_urgency: list[float]
    distance_nm: list[float]
    closest_nm: list[float]
    bearing_deg: list[float]
    closing_kt: list[float]
    last_seen: list[float]
    pattern_count: list[int]
    alert_count: list[int]
    before: list[ThreatLevel]
    """The levels at the tick before."""


def observe(views: ObservedAircraft, sky: Sky, settings: CannonballSettings) -> Numbers:
    """Update the sessions with the sky of a tick; their interests and patterns are those of this tick already."""
    sessions, now, rows = views.sessions, views.now, views.rows
    column = {name: sky.column(name)[rows] for name in _OBSERVED}
    doubts = place_doubts(sky, rows)
    column["in_doubt"] = np.array([bool(doubt) for doubt in doubts], np.bool_)
    position_at = column["position_at"].tolist()
    velocity = _velocities(views, column, position_at)
    closing = _closing(views, velocity, settings)
    heard_s = now - column["first_seen"]
    surveillance = [name in _SURVEILLANCE for name in column["type"].tolist()]
    situations = _situations(views, closing, column, surveillance)
    levels, calm_since = _levels(sessions, situations, now, settings)
    scores = [round(score, 1) for score in urgency(situations).tolist()]
    before = [session.level for session in sessions]
    has_trend = heard_s >= settings.cannonball_closing_smoothing_s
    values = zip(
        sessions, position_at, views.lat.tolist(), views.lon.tolist(), _altitudes(column), column["on_ground"].tolist(),
        map(_callsign, column["flight"].tolist()), column["military"].tolist(), column["simulated"].tolist(),
        surveillance, views.users,
        views.distance_nm.tolist(), views.bearing_deg.tolist(), closing.tolist(), velocity.north_kt.tolist(),
        velocity.east_kt.tolist(), has_trend.tolist(), situations.is_weak.tolist(),
        doubts, levels, calm_since, scores,
        strict=True,
    )  # fmt: skip
    for (
        session, seen_at, lat, lon, altitude, on_ground, callsign, military, simulated, is_surveillance,
        user, distance, bearing, closing_kt, north_kt, east_kt, trend, is_weak, doubt, level, calm, score,
    ) in values:  # fmt: skip
        session.observed_at, session.last_seen, session.epoch = now, seen_at, user.epoch
        session.lat, session.lon, session.altitude_ft, session.on_ground = lat, lon, altitude, on_ground
        session.surveillance_type, session.is_weak, session.doubt = is_surveillance, is_weak, doubt
        session.distance_nm, session.bearing_deg, session.closing_kt = distance, bearing, closing_kt
        session.north_kt, session.east_kt, session.smooth_kt = north_kt, east_kt, closing_kt
        session.level, session.calm_since, session.urgency = level, calm, score
        if callsign:
            session.callsign = callsign
        # Once military, always: the flag may come and go with the receivers.
        if military or session.interest.military:
            session.military = True
        if simulated:
            session.simulated = True
        if trend:
            session.has_trend = True
        if not doubt:
            if not session.sure_at:
                # What was in doubt until now counts no more.
                session.closest_nm, session.peak_urgency = distance, score
            session.sure_at = now
        if not doubt or not session.sure_at:
            if distance < session.closest_nm:
                session.closest_nm = distance
            if score > session.peak_urgency:
                session.peak_urgency = score
        if level is not session.peak_level and level.rank > session.peak_level.rank:
            session.peak_level = level
    return _numbers(sessions, before)


def _numbers(sessions: list[LiveSession], before: list[ThreatLevel]) -> Numbers:
    return Numbers(
        [s.callsign for s in sessions],
        [s.military for s in sessions],
        [s.interest for s in sessions],
        [s.level for s in sessions],
        [s.peak_level for s in sessions],
        [s.urgency for s in sessions],
        [s.peak_urgency for s in sessions],
        [s.distance_nm for s in sessions],
        [s.closest_nm for s in sessions],
        [s.bearing_deg for s in sessions],
        [s.closing_kt for s in sessions],
        [s.last_seen for s in sessions],
        [len(s.pattern_keys) for s in sessions],
        [s.alert_count for s in sessions],
        before,
    )


def _velocities(views: ObservedAircraft, column: Mapping[str, Array], position_at: list[float]) -> Velocity:
    """The velocities of the aircraft: transmitted, or from one position to the next."""
    speed, track = column["gs_kt"].astype(np.float64), column["track_deg"].astype(np.float64)
    north, east = velocity_of(speed, track)
    for n in np.flatnonzero(np.isnan(north)).tolist():
        north[n], east[n] = views.sessions[n].velocity_by_steps(
            position_at[n], float(views.lat[n]), float(views.lon[n])
        )
    return Velocity(north, east)


def _closing(views: ObservedAircraft, velocity: Velocity, settings: CannonballSettings) -> Array:
    """The smoothed closing speeds (kt)."""
    of_users = np.array([user.velocity for user in views.users], np.float64).reshape(-1, 2)
    closing = closing_speed_kt(velocity, Velocity(of_users[:, 0], of_users[:, 1]), views.bearing_deg)
    before = np.array(
        [
            session.smooth_kt if session.epoch == user.epoch else np.nan
            for session, user in zip(views.sessions, views.users, strict=True)
        ],
        np.float64,
    )
    elapsed_s = views.now - np.array([session.observed_at for session in views.sessions], np.float64)
    smooth: Array = smoothed(before, closing, elapsed_s, settings.cannonball_closing_smoothing_s)
    return smooth


def _situations(
    views: ObservedAircraft, closing: Array, column: Mapping[str, Array], surveillance: list[bool]
) -> Situations:
    sessions = views.sessions
    codes = np.array([session.interest.identification.code for session in sessions], np.intp)
    score, away = np.zeros(len(sessions)), np.full(len(sessions), np.inf)
    for n in [n for n, session in enumerate(sessions) if session.pattern is not None]:
        score[n], away[n] = sessions[n].pattern_at(views.users[n].location)
    verified = np.array([session.interest.verified for session in sessions], np.bool_)
    return Situations(
        views.distance_nm,
        closing,
        column["on_ground"],
        codes,
        verified,
        np.array(surveillance, np.bool_),
        score,
        away,
        column["in_doubt"],
    )


def _levels(
    sessions: list[LiveSession], situations: Situations, now: float, settings: CannonballSettings
) -> tuple[list[ThreatLevel], list[float]]:
    """The level of each session, and since when a lower one has applied (nan: it does not)."""
    level = np.array([session.level.rank for session in sessions], np.intp)
    calm_since = np.array([session.calm_since for session in sessions], np.float64)
    levels, calm_since = next_level(level, calm_since, situations, now, settings)
    return [LEVELS[rank] for rank in levels.tolist()], calm_since.tolist()


def _altitudes(column: Mapping[str, Array]) -> list[int | None]:
    altitudes = np.where(np.isnan(column["alt_baro_ft"]), column["alt_geom_ft"], column["alt_baro_ft"])
    return [round(altitude) if altitude == altitude else None for altitude in altitudes.tolist()]


@functools.lru_cache(maxsize=16_384)
def _callsign(flight: bytes) -> str:
    return flight.decode("ascii", "replace").strip()


_OBSERVED = (
    "position_at", "alt_baro_ft", "alt_geom_ft", "gs_kt", "track_deg", "on_ground", "flight", "military", "simulated",
    "type", "first_seen",
)  # fmt: skip
