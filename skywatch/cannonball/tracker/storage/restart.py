"""Restores or ends the sessions, pauses and patterns of the last tracker after a restart."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.cannonball.sessions.messages import session_message
from skywatch.cannonball.tracker.alerts import OVERHEAD_REARM
from skywatch.cannonball.tracker.interests.interest import Interest
from skywatch.cannonball.tracker.interests.pattern_change import PatternChange
from skywatch.cannonball.tracker.pauses import Pauses
from skywatch.cannonball.tracker.session import LiveSession, Pair
from skywatch.cannonball.vocabulary import AlertType, EndReason, Identification, ThreatLevel
from skywatch.core import events
from skywatch.core.clock import to_datetime
from skywatch.patterns.findings import Confidence, Pattern, PatternType

# Sessions that began earlier mute no aircraft any more (s).
MUTED_S = 86_400.0


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
        pauses.raised_at[kind, subjects.get(kind, ""), alert.in_doubt] = alert.created_at.timestamp()
    return pauses_by_pair


def resume_sessions(
    db: Session, users: set[int] | None, now: float, unseen_s: float, overhead_nm: float
) -> list[LiveSession]:
    """The active sessions whose user has a location and whose aircraft was seen lately; ends the others.

    ``users`` are those with a location, None if it is unknown who has one. ``overhead_nm`` is the distance of an
    aircraft that is overhead.
    """
    restored = []
    for row in db.scalars(sa.select(CannonballSession).where(CannonballSession.is_active)):
        last_seen = row.last_seen.timestamp()
        if (users is None or row.user_id in users) and now - last_seen <= unseen_s:
            keys = db.scalars(
                sa.select(FlightPattern.key)
                .join(SessionPattern, SessionPattern.pattern_id == FlightPattern.id)
                .where(SessionPattern.session_id == row.id)
            )
            restored.append(_live(row, set(keys), _overhead_armed(db, row, overhead_nm)))
        else:
            row.is_active, row.ended_at, row.end_reason = False, row.last_seen, EndReason.RESTARTED.value
            events.publish(db, session_message(row))
    return restored


def muted_pairs(db: Session, now: float) -> set[Pair]:
    """The pairs whose last session of the last day was ended by its user; the aircraft may still be there."""
    query = (
        sa.select(CannonballSession.user_id, CannonballSession.icao_hex, CannonballSession.end_reason)
        .where(CannonballSession.started_at >= to_datetime(now - MUTED_S))
        .order_by(CannonballSession.started_at, CannonballSession.id)
    )
    reasons = {(user_id, address.lower()): reason for user_id, address, reason in db.execute(query)}
    return {pair for pair, reason in reasons.items() if reason == EndReason.ENDED_BY_USER}


def open_patterns(db: Session, now: float, unseen_s: float) -> list[PatternChange]:
    """The patterns that were active when the tracker stopped, and flown lately; ends the others at their last time."""
    restored = []
    for row in db.scalars(sa.select(FlightPattern).where(FlightPattern.ended_at.is_(None))):
        began_at = row.started_at.timestamp()
        if now - (began_at + row.duration_s) > unseen_s:
            row.ended_at = to_datetime(began_at + row.duration_s)
        else:
            restored.append(PatternChange(row.key, _pattern(row), False, row.callsign, row.military, row.simulated))
    return restored


def _pattern(row: FlightPattern) -> Pattern:
    flight_id, _, number = row.key.rpartition("/")
    began_at = row.started_at.timestamp()
    return Pattern(
        number=int(number),
        flight_id=flight_id,
        icao24=row.icao_hex.lower(),
        pattern_type=PatternType(row.pattern_type),
        confidence=Confidence(row.confidence),
        confidence_score=row.confidence_score,
        is_surveillance=row.is_surveillance,
        t0=began_at,
        t1=began_at + row.duration_s,
        center_lat=row.center_lat,
        center_lon=row.center_lon,
        radius_nm=row.radius_nm,
        detected_at=began_at,
        details=dict(row.details),
    )


def _overhead_armed(db: Session, row: CannonballSession, overhead_nm: float) -> bool:
    """Whether a session is announced when it is overhead: not one that was, and is near still, unless only in doubt."""
    if row.closest_nm > overhead_nm or row.distance_nm > OVERHEAD_REARM * overhead_nm:
        return True
    alerts = sa.select(CannonballAlert.in_doubt).where(
        CannonballAlert.session_id == row.id, CannonballAlert.alert_type == AlertType.OVERHEAD.value
    )
    return set(db.scalars(alerts)) == {True}


def _live(row: CannonballSession, pattern_keys: set[str], overhead_armed: bool) -> LiveSession:
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
        simulated=row.simulated,
        distance_nm=row.distance_nm,
        closest_nm=row.closest_nm,
        bearing_deg=row.bearing,
        closing_kt=row.closing_speed_kts,
        last_seen=row.last_seen.timestamp(),
        sure_at=row.last_seen.timestamp(),
        urgency=row.urgency_score,
        peak_urgency=row.peak_urgency_score,
        peak_level=ThreatLevel(row.peak_threat_level),
        pattern_keys=pattern_keys,
        alert_count=row.alert_count,
        overhead_armed=overhead_armed,
        level=ThreatLevel(row.threat_level),
    )
