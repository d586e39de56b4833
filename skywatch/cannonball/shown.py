"""Sessions, alerts and patterns in the form in which REST and the real-time channel show them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.core.clock import to_iso

_SUMMARY = (
    "id", "icao_hex", "callsign", "is_active", "threat_level", "urgency_score", "distance_nm", "bearing",
    "closing_speed_kts", "last_seen", "pattern_count", "alert_count",
)  # fmt: skip
_SESSION = (
    *_SUMMARY, "identification", "agency_name", "military", "peak_threat_level", "peak_urgency_score", "closest_nm",
    "started_at", "ended_at", "end_reason",
)  # fmt: skip
_ALERT = (
    "id", "session_icao", "session_callsign", "alert_type", "priority", "title", "message", "aircraft_lat",
    "aircraft_lon", "aircraft_altitude", "user_lat", "user_lon", "distance_nm", "bearing", "notified", "announced",
    "acknowledged", "acknowledged_at", "created_at",
)  # fmt: skip
_PATTERN = (
    "id", "icao_hex", "callsign", "pattern_type", "is_surveillance", "confidence", "confidence_score", "center_lat",
    "center_lon", "radius_nm", "started_at", "ended_at", "duration_s", "details",
)  # fmt: skip


def summary(session: CannonballSession) -> dict[str, Any]:
    """A session as the list of active ones shows it."""
    return {name: getattr(session, name) for name in _SUMMARY}


def full_session(session: CannonballSession) -> dict[str, Any]:
    """A session with everything that is recorded of it."""
    shown = {name: getattr(session, name) for name in _SESSION}
    return {**shown, "user": session.user_id, "known_aircraft": session.known_aircraft_id}


def full_alert(alert: CannonballAlert) -> dict[str, Any]:
    """An alert."""
    shown = {name: getattr(alert, name) for name in _ALERT}
    return {**shown, "session": alert.session_id, "pattern": alert.pattern_id}


def full_pattern(pattern: FlightPattern, session_id: int | None) -> dict[str, Any]:
    """A pattern; ``session_id`` is the viewer's session in which it was seen, if there is one."""
    return {**{name: getattr(pattern, name) for name in _PATTERN}, "session": session_id}


def encoded(shown: dict[str, Any]) -> bytes:
    """One of the above as JSON for the real-time channel."""
    return msgspec.json.encode({k: to_iso(v) if isinstance(v, datetime) else v for k, v in shown.items()})
