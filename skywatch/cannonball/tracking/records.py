"""Writes what the tracker noticed into the database, one transaction a batch, and says what to publish after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.known.service import count_detections
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.cannonball.shown import encoded, full_alert, full_session
from skywatch.cannonball.tracking.changes import AlertRaised, Detection, SessionChange
from skywatch.cannonball.tracking.session import LiveSession
from skywatch.cannonball.tracking.watch import PatternChange
from skywatch.core.bus.base import Audience, Message
from skywatch.security.permissions import Permission

TOPIC = "alerts"
Change = SessionChange | AlertRaised | PatternChange | Detection
_TIMES = ("last_seen", "ended_at", "created_at")


@dataclass
class Written:
    """What one transaction wrote: to be published and acted upon once it is committed."""

    messages: list[Message] = field(default_factory=list)
    alert_ids: list[int] = field(default_factory=list)
    numbered: list[LiveSession] = field(default_factory=list)
    ended_elsewhere: list[int] = field(default_factory=list)


def moment(unix: float) -> datetime:
    """Unix seconds as the database takes them, to the millisecond."""
    return datetime.fromtimestamp(round(unix, 3), UTC)


def audience_of(user_id: int, military: bool) -> Audience:
    """Who may see a session or an alert: its user and those who manage the area."""
    return Audience(frozenset({user_id}), str(Permission.CANNONBALL_MANAGE), military)


def session_message(session: CannonballSession) -> Message:
    """A session for the real-time channel."""
    audience = audience_of(session.user_id, session.military)
    return Message(TOPIC, "cannonball:session", encoded(full_session(session)), audience)


def alert_message(alert: CannonballAlert) -> Message:
    """An alert for the real-time channel."""
    return Message(TOPIC, "cannonball:alert", encoded(full_alert(alert)), audience_of(alert.user_id, alert.military))


def write(db: Session, changes: Sequence[Change]) -> Written:
    """Write a batch in the order it happened; the caller commits."""
    written = Written()
    patterns = _write_patterns(db, [c for c in changes if isinstance(c, PatternChange)])
    _write_sessions(db, [c for c in changes if isinstance(c, SessionChange)], written)
    alerts = [c for c in changes if isinstance(c, AlertRaised) and (c.session.id or 0) > 0]
    _link_patterns(db, changes, patterns)
    _write_alerts(db, alerts, patterns, written)
    detections = [c for c in changes if isinstance(c, Detection)]
    count_detections(db, [(d.known_id, moment(d.since), moment(d.at)) for d in detections])
    return written


def _columns(told: dict[str, Any]) -> dict[str, Any]:
    return {name: moment(v) if name in _TIMES and v is not None else v for name, v in told.items()}


def _write_sessions(db: Session, changes: Iterable[SessionChange], written: Written) -> None:
    shown: dict[int, CannonballSession] = {}
    later = [c for c in changes if c.session.id is not None]
    rows = _rows(db, [c.session.id for c in later if c.session.id is not None])
    for change in changes:
        session = change.session
        if session.id is None:
            row = CannonballSession(
                user_id=session.user_id,
                icao_hex=session.address.upper(),
                started_at=moment(session.started_at),
                **_columns(change.columns),
            )
            db.add(row)
            db.flush()
            session.id = row.id
            written.numbered.append(session)
            rows[row.id] = row
        known = rows.get(session.id)
        if known is None or not known.is_active:
            written.ended_elsewhere.append(session.id)
            continue
        for name, value in _columns(change.columns).items():
            setattr(known, name, value)
        shown[session.id] = known
    db.flush()
    written.messages += [session_message(row) for row in shown.values()]


def _rows(db: Session, ids: list[int]) -> dict[int, CannonballSession]:
    if not ids:
        return {}
    found = db.scalars(sa.select(CannonballSession).where(CannonballSession.id.in_(sorted(set(ids)))))
    return {row.id: row for row in found}


def _write_patterns(db: Session, changes: list[PatternChange]) -> dict[str, int]:
    """Add or go on with patterns; returns the ids of those of this batch by key."""
    latest = {change.key: change for change in changes}
    rows = {r.key: r for r in db.scalars(sa.select(FlightPattern).where(FlightPattern.key.in_(list(latest))))}
    for key, change in latest.items():
        found = change.pattern
        row = rows.get(key)
        if row is None:
            row = rows[key] = FlightPattern(
                key=key,
                icao_hex=found.icao24.upper(),
                callsign=change.callsign,
                military=change.military,
                started_at=moment(found.t0),
            )
            db.add(row)
        row.pattern_type = found.pattern_type.value
        row.is_surveillance = found.is_surveillance
        row.confidence, row.confidence_score = found.confidence.value, found.confidence_score
        row.center_lat, row.center_lon, row.radius_nm = found.center_lat, found.center_lon, found.radius_nm
        row.duration_s, row.details = round(found.duration_s, 1), found.details
        row.ended_at = moment(found.t1) if change.ended else None
    db.flush()
    return {key: row.id for key, row in rows.items()}


def _link_patterns(db: Session, changes: Sequence[Change], known: dict[str, int]) -> None:
    """Tie sessions to the patterns seen in them, where they are not tied yet."""
    # Alerts too: whoever is told of a pattern may look it up before the session's next numbers are written.
    sessions = {
        c.session.id: c.session
        for c in changes
        if isinstance(c, SessionChange | AlertRaised) and c.session.id is not None and c.session.id > 0
    }
    # The tracker's thread may add a key at any moment: a copy is taken first.
    keys = {key for session in sessions.values() for key in tuple(session.pattern_keys)}
    if not keys:
        return
    found = db.execute(sa.select(FlightPattern.key, FlightPattern.id).where(FlightPattern.key.in_(sorted(keys))))
    ids = {**known, **{row.key: row.id for row in found}}
    ties = db.scalars(sa.select(SessionPattern).where(SessionPattern.session_id.in_(list(sessions))))
    tied = {(tie.session_id, tie.pattern_id) for tie in ties}
    for session_id, session in sessions.items():
        for key in tuple(session.pattern_keys):
            pair = (session_id, ids.get(key))
            if pair[1] is not None and pair not in tied:
                db.add(SessionPattern(session_id=session_id, pattern_id=pair[1]))


def _write_alerts(db: Session, alerts: list[AlertRaised], patterns: dict[str, int], written: Written) -> None:
    wanted = {a.occasion.pattern_key for a in alerts if a.occasion.pattern_key} - patterns.keys()
    if wanted:
        rows = db.execute(sa.select(FlightPattern.key, FlightPattern.id).where(FlightPattern.key.in_(sorted(wanted))))
        patterns = {**patterns, **{row.key: row.id for row in rows}}
    for raised in alerts:
        key = raised.occasion.pattern_key
        row = CannonballAlert(
            user_id=raised.session.user_id,
            session_id=raised.session.id,
            pattern_id=patterns.get(key) if key else None,
            notified=False,
            announced=False,
            acknowledged=False,
            **_columns(raised.columns),
        )
        db.add(row)
        db.flush()
        written.alert_ids.append(row.id)
        # What goes out says that it went out; the row follows once the bus has it.
        shown = {**full_alert(row), "notified": True}
        audience = audience_of(row.user_id, row.military)
        written.messages.append(Message(TOPIC, "cannonball:alert", encoded(shown), audience))


def mark_notified(db: Session, alert_ids: list[int]) -> None:
    """Remember that these alerts were handed to the real-time channel."""
    db.execute(sa.update(CannonballAlert).where(CannonballAlert.id.in_(alert_ids)).values(notified=True))
