"""Alerts and ends of sessions that real-time clients missed while the bus was interrupted, from the database."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from skywatch.cannonball.models import CannonballAlert, CannonballSession
from skywatch.cannonball.tracking.records import TOPIC, alert_message, moment, session_message
from skywatch.core.bus import Message
from skywatch.core.runtime import Runtime

EVENT = "cannonball:alert"
SESSION_EVENT = "cannonball:session"
# More than this in one gap is history, not news.
MOST_ALERTS = MOST_SESSIONS = 1000


class _Identified(msgspec.Struct):
    id: int
    acknowledged: bool = False
    announced: bool = False


class AlertSource:
    """See ``skywatch.realtime.catch_up.EventSource``."""

    topic = TOPIC

    def __init__(self, runtime: Runtime) -> None:
        self._sessions = runtime.sessions

    def key(self, message: Message) -> str | None:
        """An alert in one of its states; None for everything else on the topic."""
        if message.event != EVENT:
            return None
        try:
            alert = msgspec.json.decode(message.data, type=_Identified)
        except msgspec.MsgspecError:
            return None
        return f"{EVENT}:{alert.id}:{alert.acknowledged}:{alert.announced}"

    def since(self, at: float) -> Sequence[Message]:
        """Alerts raised or acknowledged after a unix time, oldest first."""
        told = sa.or_(CannonballAlert.created_at > moment(at), CannonballAlert.acknowledged_at > moment(at))
        query = sa.select(CannonballAlert).where(told)
        with self._sessions() as db:
            return [alert_message(row) for row in db.scalars(query.order_by(CannonballAlert.id).limit(MOST_ALERTS))]


class _Session(msgspec.Struct):
    id: int
    is_active: bool = True


class EndedSessionSource:
    """See ``skywatch.realtime.catch_up.EventSource``. A session that goes on is told anyway with its next change."""

    topic = TOPIC

    def __init__(self, runtime: Runtime) -> None:
        self._sessions = runtime.sessions

    def key(self, message: Message) -> str | None:
        """The end of a session; None for everything else on the topic."""
        if message.event != SESSION_EVENT:
            return None
        try:
            session = msgspec.json.decode(message.data, type=_Session)
        except msgspec.MsgspecError:
            return None
        return None if session.is_active else f"{SESSION_EVENT}:{session.id}"

    def since(self, at: float) -> Sequence[Message]:
        """Sessions that ended after a unix time, oldest first."""
        query = sa.select(CannonballSession).where(CannonballSession.ended_at > moment(at))
        with self._sessions() as db:
            rows = db.scalars(query.order_by(CannonballSession.id).limit(MOST_SESSIONS))
            return [session_message(row) for row in rows]
