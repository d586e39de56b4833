"""The alerts of a session: condition and text of each type; `pauses` limits how often they are raised."""

from __future__ import annotations

import dataclasses

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.geometry import arrival_s, compass_point
from skywatch.cannonball.tracker.interests.watch import ActivePattern
from skywatch.cannonball.tracker.pauses import Occasion
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.cannonball.vocabulary import AlertType, Identification, ThreatLevel
from skywatch.patterns.findings import Confidence, PatternType
from skywatch.sentences import Sentence, sentence

# Multiple of the overhead distance beyond which an aircraft can be overhead again.
OVERHEAD_REARM = 2.5


def opening(session: LiveSession) -> Occasion:
    """The first alert of a session."""
    if session.interest.identification is Identification.PATTERN:
        title = (
            sentence(
                "cannonball.unidentified_flying",
                "Unidentified aircraft {pattern} {where}",
                pattern=_PATTERNS[session.pattern.pattern.pattern_type],
                where=_where(session),
            )
            if session.pattern
            else sentence("cannonball.unidentified", "Unidentified aircraft {where}", where=_where(session))
        )
        key = session.pattern.key if session.pattern else None
        return Occasion(AlertType.NEW_THREAT, session.level, title, _details(session), pattern_key=key)
    title = sentence("cannonball.detected", "{name} {where}", name=_name(session), where=_where(session))
    return Occasion(AlertType.LE_DETECTED, session.level, title, _details(session))


def pattern_detected(session: LiveSession, active: ActivePattern) -> Occasion:
    """The alert of a surveillance pattern within a session."""
    kind = active.pattern.pattern_type.value
    title = sentence(
        "cannonball.flies_pattern",
        "{name} {pattern} {where}",
        name=_name(session),
        pattern=_PATTERNS[active.pattern.pattern_type],
        where=_where(session),
    )
    message = sentence(
        "cannonball.pattern_details",
        "{details} Pattern {pattern}, confidence {confidence}, radius {radius:.1f} nm{stop}",
        details=_details(session),
        pattern=_PATTERNS[active.pattern.pattern_type],
        confidence=_CONFIDENCES[active.pattern.confidence],
        radius=active.pattern.radius_nm,
        stop=".",
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
        title = sentence("cannonball.overhead", "{name} overhead", name=_name(session))
        priority = ThreatLevel.INFO if session.is_weak else ThreatLevel.CRITICAL
        occasions.append(Occasion(AlertType.OVERHEAD, priority, title, _details(session)))
    elif session.level.rank > before.rank:
        title = sentence(
            "cannonball.escalated",
            "{name} now {level}: {where}",
            name=_name(session),
            level=_LEVELS[session.level],
            where=_where(session),
        )
        occasions.append(
            Occasion(AlertType.THREAT_ESCALATED, session.level, title, _details(session), session.level.value)
        )
    arrival = arrival_s(session.distance_nm, session.closing_kt)
    fast = session.has_trend and session.closing_kt >= settings.cannonball_closing_fast_kt
    if fast and not overhead and not session.on_ground and arrival <= settings.cannonball_warning_arrival_s:
        title = sentence(
            "cannonball.closing", "{name} closing at {speed} kt", name=_name(session), speed=round(session.closing_kt)
        )
        occasions.append(Occasion(AlertType.CLOSING_FAST, session.level, title, _details(session)))
    if session.level is ThreatLevel.INFO and before is not ThreatLevel.INFO:
        occasions.append(cleared(session))
    return occasions


def in_doubt(occasion: Occasion, words: str) -> Occasion:
    """The same alert about an aircraft for whose place nobody vouches, as the words say."""
    message = sentence(
        "cannonball.in_doubt", "{message}, {words}.", message=_without_stop(occasion.message), words=words
    )
    return dataclasses.replace(occasion, priority=ThreatLevel.INFO, message=message, in_doubt=True)


def cleared(session: LiveSession) -> Occasion:
    """The alert that a threat has passed."""
    title = sentence("cannonball.cleared", "{name}: threat cleared", name=_name(session))
    return Occasion(AlertType.THREAT_CLEARED, ThreatLevel.INFO, title, _details(session))


def _name(session: LiveSession) -> Sentence:
    if session.interest.agency_name:
        return sentence("cannonball.of_agency", "{agency} aircraft", agency=session.interest.agency_name)
    if session.interest.identification is Identification.SUFFIX:
        return sentence("cannonball.possible", "Possible law-enforcement aircraft")
    if session.interest.known_id is not None:
        return sentence("cannonball.known", "Known aircraft")
    return sentence("cannonball.unidentified_aircraft", "Unidentified aircraft")


def _where(session: LiveSession) -> Sentence:
    return sentence(
        "cannonball.where",
        "{distance:.1f} nm {point}",
        distance=session.distance_nm,
        point=compass_point(session.bearing_deg),
    )


def _details(session: LiveSession) -> Sentence:
    """What is known of the aircraft."""
    address = session.address.upper()
    who = (
        sentence("cannonball.who", "{address} ({callsign})", address=address, callsign=session.callsign)
        if session.callsign
        else sentence("cannonball.address", "{address}", address=address)
    )
    return sentence(
        "cannonball.details",
        "{who} {where}, {height}{trend}{stop}",
        who=who,
        where=_where(session),
        height=_height(session),
        trend=_trend(session),
        stop=".",
    )


def _height(session: LiveSession) -> Sentence:
    if session.on_ground:
        return sentence("cannonball.on_ground", "on the ground")
    if session.altitude_ft is None:
        return sentence("cannonball.unknown_altitude", "at an unknown altitude")
    return sentence("cannonball.at_altitude", "at {altitude:,} ft", altitude=session.altitude_ft)


def _trend(session: LiveSession) -> str:
    if not session.has_trend:
        return ""
    if abs(session.closing_kt) < 10:
        return sentence("cannonball.steady", ", distance steady")
    speed = round(abs(session.closing_kt))
    if session.closing_kt > 0:
        return sentence("cannonball.approaching", ", closing at {speed} kt", speed=speed)
    return sentence("cannonball.receding", ", receding at {speed} kt", speed=speed)


def _without_stop(message: str) -> str:
    """A message to which words are added."""
    text = message.removesuffix(".")
    return Sentence(text, message.code, {**message.params, "stop": ""}) if isinstance(message, Sentence) else text


_PATTERNS = {
    PatternType.CIRCLING: sentence("pattern.circling", "circling"),
    PatternType.LOITERING: sentence("pattern.loitering", "loitering"),
    PatternType.RACETRACK: sentence("pattern.racetrack", "racetrack"),
    PatternType.GRID_SEARCH: sentence("pattern.grid_search", "grid search"),
    PatternType.HIGHWAY_TRACKING: sentence("pattern.highway_tracking", "highway tracking"),
    PatternType.SPEED_TRAP: sentence("pattern.speed_trap", "speed trap"),
    PatternType.STAKEOUT: sentence("pattern.stakeout", "stakeout"),
    PatternType.AREA_SEARCH: sentence("pattern.area_search", "area search"),
}
_LEVELS = {
    ThreatLevel.INFO: sentence("threat.info", "info"),
    ThreatLevel.WARNING: sentence("threat.warning", "warning"),
    ThreatLevel.CRITICAL: sentence("threat.critical", "critical"),
}
_CONFIDENCES = {
    Confidence.LOW: sentence("confidence.low", "low"),
    Confidence.MEDIUM: sentence("confidence.medium", "medium"),
    Confidence.HIGH: sentence("confidence.high", "high"),
}
