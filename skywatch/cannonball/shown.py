"""Sessions, alerts and patterns in the form in which REST and the real-time channel show them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.cannonball.schemas import AlertRecord, PatternRecord, SessionRecord, SessionSummary
from skywatch.core.clock import to_iso
from skywatch.http.answer import answer


def summary(session: CannonballSession) -> dict[str, Any]:
    """A session as the list of active ones shows it."""
    return answer(SessionSummary, session)


def full_session(session: CannonballSession) -> dict[str, Any]:
    """A session with everything that is recorded of it."""
    return answer(SessionRecord, session, user=session.user_id, known_aircraft=session.known_aircraft_id)


def full_alert(alert: CannonballAlert) -> dict[str, Any]:
    """An alert."""
    return answer(AlertRecord, alert, session=alert.session_id, pattern=alert.pattern_id)


def full_pattern(pattern: FlightPattern, session_id: int | None) -> dict[str, Any]:
    """A pattern; ``session_id`` is the viewer's session in which it was seen, if there is one."""
    return answer(PatternRecord, pattern, session=session_id)


def encoded(shown: dict[str, Any]) -> bytes:
    """One of the above as JSON for the real-time channel."""
    return msgspec.json.encode({k: to_iso(v) if isinstance(v, datetime) else v for k, v in shown.items()})
