"""The changes of a tick: immutable records passed from the tracker's thread to the writer's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from skywatch.cannonball.tracker.locations import TrackedUser
from skywatch.cannonball.tracker.observation import Numbers
from skywatch.cannonball.tracker.pauses import Occasion
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.sentences import codes_of


@dataclass(frozen=True, slots=True)
class SessionChange:
    """A session that started, was updated or ended; ``columns`` are those of its row, times in unix seconds."""

    kind: Literal["started", "updated", "ended"]
    session: LiveSession
    columns: dict[str, Any]


class SessionUpdate(NamedTuple):
    """A session that goes on, at one tick; most are replaced by the next one before they are written."""

    session: LiveSession
    numbers: Numbers
    place: int

    @property
    def kind(self) -> Literal["updated"]:
        """As of ``SessionChange``."""
        return "updated"

    @property
    def columns(self) -> dict[str, Any]:
        """As of ``SessionChange``."""
        numbers, n = self.numbers, self.place
        interest = numbers.interest[n]
        return {
            "callsign": numbers.callsign[n],
            "military": numbers.military[n],
            "simulated": self.session.simulated,
            "identification": interest.identification.value,
            "known_aircraft_id": interest.known_id,
            "agency_name": interest.agency_name[:160],
            "is_active": True,
            "threat_level": numbers.level[n].value,
            "peak_threat_level": numbers.peak_level[n].value,
            "urgency_score": numbers.urgency[n],
            "peak_urgency_score": numbers.peak_urgency[n],
            "distance_nm": round(numbers.distance_nm[n], 3),
            "closest_nm": round(numbers.closest_nm[n], 3),
            "bearing": round(numbers.bearing_deg[n], 1) % 360.0,
            "closing_speed_kts": round(numbers.closing_kt[n], 1),
            "last_seen": numbers.last_seen[n],
            "ended_at": None,
            "end_reason": None,
            "pattern_count": numbers.pattern_count[n],
            "alert_count": numbers.alert_count[n],
        }


@dataclass(frozen=True, slots=True)
class AlertRaised:
    """An alert of a session, with the numbers of that moment."""

    session: LiveSession
    occasion: Occasion
    columns: dict[str, Any]


def session_change(kind: Literal["started", "updated", "ended"], session: LiveSession) -> SessionChange:
    """The present state of a session."""
    columns = {
        "callsign": session.callsign,
        "military": session.military,
        "simulated": session.simulated,
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
        "simulated": session.simulated,
        "alert_type": occasion.alert_type.value,
        "priority": occasion.priority.value,
        "in_doubt": occasion.in_doubt,
        "title": occasion.title[:200],
        "message": str.__str__(occasion.message),
        "words": codes_of(title=occasion.title, message=occasion.message) or None,
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
