"""Writes the changes of the tracker into the database, one transaction per batch, and publishes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.known.service import count_detections
from skywatch.cannonball.models import OWNER_ID, CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.cannonball.sessions.messages import alert_message, session_message
from skywatch.cannonball.sessions.notifications import notify_of
from skywatch.cannonball.tracker.interests.detections import Detection
from skywatch.cannonball.tracker.interests.pattern_change import PatternChange
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.cannonball.tracker.storage.changes import AlertRaised, SessionChange, SessionUpdate
from skywatch.core import events
from skywatch.core.clock import to_datetime
from skywatch.notify.channels.queries import channels_for_source

Change = SessionChange | SessionUpdate | AlertRaised | PatternChange | Detection
_TIMES = ("last_seen", "ended_at", "created_at")
_sessions: Any = CannonballSession.__table__
# What only the end of a session changes, whoever ends it: never written for one that goes on.
_ENDED = ("is_active", "ended_at", "end_reason")
_UPDATE = sa.update(_sessions).where(_sessions.c.id == sa.bindparam("row_id"), _sessions.c.is_active)
# The id of a session without a row, because its user was deleted.
NO_ROW = -1


@dataclass
class Written:
    """The result of one transaction: ``ids`` of new sessions, and ids of sessions that another process has ended or
    whose user is gone (``NO_ROW``)."""

    ids: dict[LiveSession, int] = field(default_factory=dict)
    ended_elsewhere: list[int] = field(default_factory=list)

    def id_of(self, session: LiveSession) -> int | None:
        """The id of a session, also of one whose row is not committed yet."""
        return self.ids.get(session, session.id)


def write(db: Session, changes: Sequence[Change]) -> Written:
    """Write a batch in the order it happened and publish it; the caller commits."""
    written = Written()
    patterns = _write_patterns(db, [c for c in changes if isinstance(c, PatternChange)])
    of_sessions = [c for c in changes if isinstance(c, SessionChange | SessionUpdate)]
    ended = {c.session for c in of_sessions if c.kind == "ended"}
    going_on: list[SessionChange | SessionUpdate] = []
    others: list[SessionChange | SessionUpdate] = []
    for change in of_sessions:
        goes_on = change.kind == "updated" and change.session.id is not None and change.session not in ended
        (going_on if goes_on else others).append(change)
    _write_sessions(db, others, written)
    _update_sessions(db, going_on, written)
    alerts = [c for c in changes if isinstance(c, AlertRaised) and (written.id_of(c.session) or 0) > 0]
    _link_patterns(db, changes, patterns, written)
    _write_alerts(db, alerts, patterns, written)
    detections = [c for c in changes if isinstance(c, Detection)]
    count_detections(db, [(d.known_id, to_datetime(d.since), to_datetime(d.at)) for d in detections])
    return written


def _columns(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: to_datetime(v) if name in _TIMES and v is not None else v for name, v in fields.items()}


def _existing_users(db: Session, user_ids: Collection[int]) -> set[int]:
    """The users whose account is not deleted."""
    return set(db.scalars(sa.select(OWNER_ID).where(OWNER_ID.in_(user_ids)))) if user_ids else set()


def _write_sessions(db: Session, changes: Sequence[SessionChange | SessionUpdate], written: Written) -> None:
    updated_rows: dict[int, CannonballSession] = {}
    stored: set[int] = set()
    rows = _rows(db, [c.session.id for c in changes if c.session.id is not None])
    users = _existing_users(db, {c.session.user_id for c in changes if c.session.id is None})
    for change in changes:
        session = change.session
        row_id = written.id_of(session)
        if row_id is None and (running := _running(db, session)) is not None:
            row_id = written.ids[session] = running.id
            rows[row_id] = running
        if row_id is None and session.user_id not in users:
            row_id = written.ids[session] = NO_ROW
        if row_id is None:
            row = CannonballSession(
                user_id=session.user_id,
                icao_hex=session.address.upper(),
                started_at=to_datetime(session.started_at),
                **_columns(change.columns),
            )
            db.add(row)
            db.flush()
            row_id = written.ids[session] = row.id
            rows[row.id] = row
        session_row = rows.get(row_id)
        if session_row is None or not session_row.is_active:
            written.ended_elsewhere.append(row_id)
            continue
        for name, value in _columns(change.columns).items():
            setattr(session_row, name, value)
        updated_rows[row_id] = session_row
        if change.kind != "updated":
            stored.add(row_id)
    db.flush()
    for row_id, row in updated_rows.items():
        # Updates of an active session need not be stored: the next one supersedes them.
        events.publish(db, session_message(row), stored=row_id in stored)


def _update_sessions(db: Session, changes: Sequence[SessionChange | SessionUpdate], written: Written) -> None:
    """Write the numbers of sessions that have rows and go on.

    Hundreds every few seconds: one statement for all of them, and none of the mapper's objects.
    """
    if not changes:
        return
    ids = sorted({c.session.id for c in changes if c.session.id is not None})
    active = set(db.scalars(sa.select(_sessions.c.id).where(_sessions.c.id.in_(ids), _sessions.c.is_active)))
    rows: list[dict[str, Any]] = []
    for change in changes:
        session, row_id = change.session, change.session.id
        if row_id is None or row_id not in active:
            written.ended_elsewhere.append(row_id or NO_ROW)
            continue
        fields = _columns(change.columns)
        rows.append({"row_id": row_id, **{name: value for name, value in fields.items() if name not in _ENDED}})
        shown = SimpleNamespace(
            id=row_id,
            user_id=session.user_id,
            icao_hex=session.address.upper(),
            started_at=to_datetime(session.started_at),
            **fields,
        )
        # Not stored: the next one supersedes it.
        events.publish(db, session_message(shown), stored=False)
    if rows:
        db.connection().execute(_UPDATE, rows)


def _running(db: Session, session: LiveSession) -> CannonballSession | None:
    """The row of an active session of an earlier tracker, for which this one has already opened a session."""
    of_pair = (CannonballSession.user_id == session.user_id) & (CannonballSession.icao_hex == session.address.upper())
    return db.scalars(sa.select(CannonballSession).where(of_pair, CannonballSession.is_active)).first()


def _rows(db: Session, ids: list[int]) -> dict[int, CannonballSession]:
    if not ids:
        return {}
    rows = db.scalars(sa.select(CannonballSession).where(CannonballSession.id.in_(sorted(set(ids)))))
    return {row.id: row for row in rows}


def _write_patterns(db: Session, changes: list[PatternChange]) -> dict[str, int]:
    """Insert or update patterns; returns the ids of those of this batch by key."""
    latest = {change.key: change for change in changes}
    military = {change.key for change in changes if change.military}
    simulated = {change.key for change in changes if change.simulated}
    rows = {r.key: r for r in db.scalars(sa.select(FlightPattern).where(FlightPattern.key.in_(list(latest))))}
    for key, change in latest.items():
        pattern = change.pattern
        row = rows.get(key)
        if row is None:
            row = rows[key] = FlightPattern(
                key=key,
                icao_hex=pattern.icao24.upper(),
                callsign=change.callsign,
                military=False,
                simulated=False,
                started_at=to_datetime(pattern.t0),
            )
            db.add(row)
        row.callsign = row.callsign or change.callsign
        row.military = row.military or key in military
        row.simulated = row.simulated or key in simulated
        row.pattern_type = pattern.pattern_type.value
        row.is_surveillance = pattern.is_surveillance
        row.confidence, row.confidence_score = pattern.confidence.value, pattern.confidence_score
        row.center_lat, row.center_lon, row.radius_nm = pattern.center_lat, pattern.center_lon, pattern.radius_nm
        row.duration_s, row.details = round(pattern.duration_s, 1), pattern.details
        row.ended_at = to_datetime(pattern.t1) if change.ended else None
    db.flush()
    return {key: row.id for key, row in rows.items()}


def _link_patterns(db: Session, changes: Sequence[Change], pattern_ids: dict[str, int], written: Written) -> None:
    """Link sessions to the patterns flown in them, if they are not linked yet."""
    # Alerts too: a client that gets one may look the pattern up before the session's next update is written.
    changed = {c.session for c in changes if isinstance(c, SessionChange | SessionUpdate | AlertRaised)}
    sessions = {row_id: session for session in changed if (row_id := written.id_of(session) or 0) > 0}
    # Copied first: the tracker's thread may add a key at any moment.
    keys = {key for session in sessions.values() for key in tuple(session.pattern_keys)}
    if not keys:
        return
    rows = db.execute(sa.select(FlightPattern.key, FlightPattern.id).where(FlightPattern.key.in_(sorted(keys))))
    ids = {**pattern_ids, **{row.key: row.id for row in rows}}
    links = db.scalars(sa.select(SessionPattern).where(SessionPattern.session_id.in_(list(sessions))))
    linked = {(link.session_id, link.pattern_id) for link in links}
    for session_id, session in sessions.items():
        for key in tuple(session.pattern_keys):
            pair = (session_id, ids.get(key))
            if pair[1] is not None and pair not in linked:
                db.add(SessionPattern(session_id=session_id, pattern_id=pair[1]))


def _write_alerts(db: Session, alerts: list[AlertRaised], patterns: dict[str, int], written: Written) -> None:
    missing_keys = {a.occasion.pattern_key for a in alerts if a.occasion.pattern_key} - patterns.keys()
    if missing_keys:
        rows = db.execute(
            sa.select(FlightPattern.key, FlightPattern.id).where(FlightPattern.key.in_(sorted(missing_keys)))
        )
        patterns = {**patterns, **{row.key: row.id for row in rows}}
    channels = channels_for_source(db, {raised.session.user_id for raised in alerts}, "cannonball")
    for raised in alerts:
        key = raised.occasion.pattern_key
        row = CannonballAlert(
            user_id=raised.session.user_id,
            session_id=written.id_of(raised.session),
            pattern_id=patterns.get(key) if key else None,
            announced=False,
            acknowledged=False,
            **_columns(raised.columns),
        )
        db.add(row)
        db.flush()
        notify_of(db, row, channels[row.user_id])
        events.publish(db, alert_message(row))
