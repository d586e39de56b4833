"""The changes of a tick: immutable records passed from the tracker's thread to the writer's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from skywatch.cannonball.tracking.locations import TrackedUser
from skywatch.cannonball.tracking.pauses import Occasion
from skywatch.cannonball.tracking.session import LiveSession


@dataclass(frozen=True, slots=True)
class SessionChange:
    """A session that started, was updated or ended; ``columns`` are those of its row, times in unix seconds."""

    kind: Literal["started", "updated", "ended"]
    session: LiveSession
    columns: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AlertRaised:
    """An alert of a session, with the numbers of that moment."""

    session: LiveSession
    occasion: Occasion
    columns: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Detection:
    """A known aircraft in the picture: when it entered, and when that was detected (unix s)."""

    known_id: int
    since: float
    at: float


def session_change(kind: Literal["started", "updated", "ended"], session: LiveSession) -> SessionChange:
    """The present state of a session."""
    columns = {
        "callsign": session.callsign,
        "military": session.military,
        "identification": session.interest.identification.value,
        "known_aircraft_id": session.interest.known_id,
        "agency_name": session.interest.agency_name[:160],
        "is_active": session.ended_at is None,
        "threat_level": session.level.value,
        "peak_threat_level": session.peak_level.value,
        "urgency_score": session.urgency,
        "peak_urgency_score": session.peak_urgency,
        "distance_nm": round(session.distance_nm, 3),
        "closest_nm": round(session.closest_nm, 3),
        "bearing": round(session.bearing_deg, 1) % 360.0,
        "closing_speed_kts": round(session.closing_kt, 1),
        "last_seen": session.last_seen,
        "ended_at": session.ended_at,
        "end_reason": session.end_reason.value if session.end_reason else None,
        "pattern_count": len(session.pattern_keys),
        "alert_count": session.alert_count,
    }
    return SessionChange(kind, session, columns)


def alert_raised(session: LiveSession, occasion: Occasion, user: TrackedUser, now: float) -> AlertRaised:
    """An alert with the present numbers of its session."""
    columns = {
        "session_icao": session.address.upper(),
        "session_callsign": session.callsign,
        "military": session.military,
        "alert_type": occasion.alert_type.value,
        "priority": occasion.priority.value,
        "title": occasion.title[:200],
        "message": occasion.message,
        "aircraft_lat": session.lat,
        "aircraft_lon": session.lon,
        "aircraft_altitude": 0 if session.on_ground and session.altitude_ft is None else session.altitude_ft,
        "user_lat": user.location.lat,
        "user_lon": user.location.lon,
        "distance_nm": round(session.distance_nm, 3),
        "bearing": round(session.bearing_deg, 1) % 360.0,
        "created_at": now,
    }
    return AlertRaised(session, occasion, columns)
