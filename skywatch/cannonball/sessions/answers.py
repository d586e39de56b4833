"""The answers of sessions, alerts and patterns, in the REST API and on the real-time channel."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.cannonball.sessions.schemas import AlertRecord, PatternRecord, SessionRecord, SessionSummary
from skywatch.http.resources.answer import answer
from skywatch.sentences import code_members


def summary_answer(session: CannonballSession) -> dict[str, Any]:
    """A session in the short form of the list of active ones."""
    return answer(SessionSummary, session)


def session_answer(session: CannonballSession | SimpleNamespace, *, military: bool) -> dict[str, Any]:
    """A session with all its fields; ``military``: its aircraft is."""
    known = session.known_aircraft_id
    return answer(SessionRecord, session, user=session.user_id, known_aircraft=known, military=military)


def alert_answer(alert: CannonballAlert) -> dict[str, Any]:
    """An alert, as it is listed and published."""
    return answer(
        AlertRecord,
        alert,
        session=alert.session_id,
        pattern=alert.pattern_id,
        **code_members(alert.words, "title"),
        **code_members(alert.words, "message"),
    )


def pattern_answer(pattern: FlightPattern, session_id: int | None) -> dict[str, Any]:
    """A pattern; ``session_id`` is the reader's session in which it was flown, if any."""
    return answer(PatternRecord, pattern, session=session_id)
