"""Restores or ends the sessions, pauses and patterns of the last tracker after a restart."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.cannonball.tracking.interest import Interest
from skywatch.cannonball.tracking.pauses import Pauses
from skywatch.cannonball.tracking.session import LiveSession
from skywatch.cannonball.tracking.sessions import Pair
from skywatch.cannonball.tracking.threat import ThreatLevelHysteresis
from skywatch.cannonball.vocabulary import AlertType, EndReason, Identification, ThreatLevel
from skywatch.core.clock import to_datetime


def recent_pauses(db: Session, now: float, longest_pause_s: float) -> dict[Pair, Pauses]:
    """The pauses after recent alerts, by user and address."""
    query = (
        sa.select(CannonballAlert, FlightPattern.pattern_type)
        .outerjoin(FlightPattern, FlightPattern.id == CannonballAlert.pattern_id)
        .where(CannonballAlert.created_at >= to_datetime(now - longest_pause_s))
        .order_by(CannonballAlert.created_at)
    )
    pauses_by_pair: dict[Pair, Pauses] = {}
    for alert, pattern_type in db.execute(query):
        kind = AlertType(alert.alert_type)
        subjects = {AlertType.THREAT_ESCALATED: alert.priority, AlertType.PATTERN_DETECTED: pattern_type or ""}
        pauses = pauses_by_pair.setdefault((alert.user_id, alert.session_icao.lower()), Pauses())
        pauses.raised_at[kind, subjects.get(kind, "")] = alert.created_at.timestamp()
    return pauses_by_pair


def resume_sessions(db: Session, users: set[int], now: float, unseen_s: float) -> list[LiveSession]:
    """The active sessions whose user has a location and whose aircraft was seen lately; ends the others."""
    restored = []
    for row in db.scalars(sa.select(CannonballSession).where(CannonballSession.is_active)):
        last_seen = row.last_seen.timestamp()
        if row.user_id in users and now - last_seen <= unseen_s:
            keys = db.scalars(
                sa.select(FlightPattern.key)
                .join(SessionPattern, SessionPattern.pattern_id == FlightPattern.id)
                .where(SessionPattern.session_id == row.id)
            )
            restored.append(_live(row, set(keys)))
        else:
            row.is_active, row.ended_at, row.end_reason = False, row.last_seen, EndReason.RESTARTED.value
    return restored


def end_open_patterns(db: Session, before: float) -> None:
    """End the patterns that were active when the tracker stopped, at their last time (``before``: unix s)."""
    query = sa.select(FlightPattern).where(
        FlightPattern.ended_at.is_(None), FlightPattern.started_at <= to_datetime(before)
    )
    for row in db.scalars(query):
        row.ended_at = to_datetime(row.started_at.timestamp() + row.duration_s)


def _live(row: CannonballSession, pattern_keys: set[str]) -> LiveSession:
    identification = Identification(row.identification)
    interest = Interest(identification, row.agency_name, known_id=row.known_aircraft_id, military=row.military)
    return LiveSession(
        row.user_id,
        row.icao_hex.lower(),
        interest,
        started_at=row.started_at.timestamp(),
        id=row.id,
        callsign=row.callsign,
        military=row.military,
        distance_nm=row.distance_nm,
        closest_nm=row.closest_nm,
        bearing_deg=row.bearing,
        closing_kt=row.closing_speed_kts,
        last_seen=row.last_seen.timestamp(),
        urgency=row.urgency_score,
        peak_urgency=row.peak_urgency_score,
        peak_level=ThreatLevel(row.peak_threat_level),
        pattern_keys=pattern_keys,
        alert_count=row.alert_count,
        hysteresis=ThreatLevelHysteresis(ThreatLevel(row.threat_level)),
    )
