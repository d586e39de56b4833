"""The alerts of a session: condition and text of each type; `pauses` limits how often they are raised."""

from __future__ import annotations

import dataclasses

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.geometry import arrival_s, compass_point
from skywatch.cannonball.tracker.interests.watch import ActivePattern
from skywatch.cannonball.tracker.pauses import Occasion
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.cannonball.vocabulary import AlertType, Identification, ThreatLevel

# Multiple of the overhead distance beyond which an aircraft can be overhead again.
OVERHEAD_REARM = 2.5


def opening(session: LiveSession) -> Occasion:
    """The first alert of a session."""
    if session.interest.identification is Identification.PATTERN:
        flown = f" {_in_words(session.pattern.pattern.pattern_type)}" if session.pattern else ""
        title = f"Unidentified aircraft{flown} {_where(session)}"
        key = session.pattern.key if session.pattern else None
        return Occasion(AlertType.NEW_THREAT, session.level, title, _details(session), pattern_key=key)
    return Occasion(AlertType.LE_DETECTED, session.level, f"{_name(session)} {_where(session)}", _details(session))


def pattern_detected(session: LiveSession, active: ActivePattern) -> Occasion:
    """The alert of a surveillance pattern within a session."""
    kind = active.pattern.pattern_type.value
    title = f"{_name(session)} {_in_words(kind)} {_where(session)}"
    message = (
        f"{_details(session)} Pattern {_in_words(kind)}, confidence {active.pattern.confidence.value}, "
        f"radius {active.pattern.radius_nm:.1f} nm."
    )
    return Occasion(AlertType.PATTERN_DETECTED, session.level, title, message, kind, active.key)


def during(session: LiveSession, before: ThreatLevel, settings: CannonballSettings) -> list[Occasion]:
    """The alerts for the present numbers of a session; ``before`` is the level before them."""
    occasions: list[Occasion] = []
    overhead = not session.on_ground and session.distance_nm <= settings.cannonball_overhead_nm
    if session.distance_nm > OVERHEAD_REARM * settings.cannonball_overhead_nm:
        session.arm_overhead(True)
    if overhead and session.may_be_overhead:
        session.arm_overhead(False)
        title = f"{_name(session)} overhead"
        priority = ThreatLevel.INFO if session.is_weak else ThreatLevel.CRITICAL
        occasions.append(Occasion(AlertType.OVERHEAD, priority, title, _details(session)))
    elif session.level.rank > before.rank:
        title = f"{_name(session)} now {session.level.value}: {_where(session)}"
        occasions.append(
            Occasion(AlertType.THREAT_ESCALATED, session.level, title, _details(session), session.level.value)
        )
    arrival = arrival_s(session.distance_nm, session.closing_kt)
    fast = session.has_trend and session.closing_kt >= settings.cannonball_closing_fast_kt
    if fast and not overhead and not session.on_ground and arrival <= settings.cannonball_warning_arrival_s:
        title = f"{_name(session)} closing at {session.closing_kt:.0f} kt"
        occasions.append(Occasion(AlertType.CLOSING_FAST, session.level, title, _details(session)))
    if session.level is ThreatLevel.INFO and before is not ThreatLevel.INFO:
        occasions.append(cleared(session))
    return occasions


def in_doubt(occasion: Occasion, words: str) -> Occasion:
    """The same alert about an aircraft for whose place nobody vouches, as the words say."""
    message = f"{occasion.message.removesuffix('.')}, {words}."
    return dataclasses.replace(occasion, priority=ThreatLevel.INFO, message=message, in_doubt=True)


def cleared(session: LiveSession) -> Occasion:
    """The alert that a threat has passed."""
    return Occasion(AlertType.THREAT_CLEARED, ThreatLevel.INFO, f"{_name(session)}: threat cleared", _details(session))


def _name(session: LiveSession) -> str:
    if session.interest.agency_name:
        return f"{session.interest.agency_name} aircraft"
    if session.interest.identification is Identification.SUFFIX:
        return "Possible law-enforcement aircraft"
    return "Known aircraft" if session.interest.known_id is not None else "Unidentified aircraft"


def _where(session: LiveSession) -> str:
    return f"{session.distance_nm:.1f} nm {compass_point(session.bearing_deg)}"


def _in_words(kind: str) -> str:
    return kind.replace("_", " ")


def _details(session: LiveSession) -> str:
    called = f" ({session.callsign})" if session.callsign else ""
    height = "on the ground" if session.on_ground else "at an unknown altitude"
    if session.altitude_ft is not None and not session.on_ground:
        height = f"at {session.altitude_ft:,} ft"
    return f"{session.address.upper()}{called} {_where(session)}, {height}{_trend(session)}."


def _trend(session: LiveSession) -> str:
    if not session.has_trend:
        return ""
    if abs(session.closing_kt) < 10:
        return ", distance steady"
    return f", {'closing' if session.closing_kt > 0 else 'receding'} at {abs(session.closing_kt):.0f} kt"
