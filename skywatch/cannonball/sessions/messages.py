"""The messages of sessions and alerts on the real-time channel."""

from __future__ import annotations

from types import SimpleNamespace

from skywatch.cannonball.models import CannonballAlert, CannonballSession
from skywatch.cannonball.sessions.answers import alert_answer, session_answer
from skywatch.core.bus.base import Audience, Message
from skywatch.http.resources.render import encode
from skywatch.security.permissions import Permission

TOPIC = "alerts"


def audience_of(user_id: int, icao_hex: str, military: bool) -> Audience:
    """The audience of a session or an alert: its user and holders of ``cannonball.manage``."""
    needs = frozenset({str(Permission.AIRCRAFT_VIEW_MILITARY)}) if military else frozenset()
    return Audience(frozenset({user_id}), str(Permission.CANNONBALL_MANAGE), needs, frozenset({icao_hex}))


def session_message(session: CannonballSession | SimpleNamespace) -> Message:
    """A session for the real-time channel, of its row or of what is written into it."""
    audience = audience_of(session.user_id, session.icao_hex, session.military)
    return Message(TOPIC, "cannonball:session", encode(session_answer(session, military=session.military)), audience)


def alert_message(alert: CannonballAlert) -> Message:
    """An alert for the real-time channel."""
    audience = audience_of(alert.user_id, alert.session_icao, alert.military)
    return Message(TOPIC, "cannonball:alert", encode(alert_answer(alert)), audience)
