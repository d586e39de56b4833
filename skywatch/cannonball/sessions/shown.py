"""Sessions, alerts and patterns in the form of the REST API and the real-time channel."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.cannonball.sessions.schemas import AlertRecord, PatternRecord, SessionRecord, SessionSummary
from skywatch.core.clock import to_iso
from skywatch.http.resources.answer import answer


def summary(session: CannonballSession) -> dict[str, Any]:
    """A session in the short form of the list of active ones."""
    return answer(SessionSummary, session)


def full_session(session: CannonballSession) -> dict[str, Any]:
    """A session with all its fields."""
    return answer(SessionRecord, session, user=session.user_id, known_aircraft=session.known_aircraft_id)


def full_alert(alert: CannonballAlert) -> dict[str, Any]:
    """An alert."""
    return answer(AlertRecord, alert, session=alert.session_id, pattern=alert.pattern_id)


def full_pattern(pattern: FlightPattern, session_id: int | None) -> dict[str, Any]:
    """A pattern; ``session_id`` is the reader's session in which it was flown, if any."""
    return answer(PatternRecord, pattern, session=session_id)


def encoded(record: dict[str, Any]) -> bytes:
    """One of the above as JSON for the real-time channel."""
    return msgspec.json.encode({k: to_iso(v) if isinstance(v, datetime) else v for k, v in record.items()})
