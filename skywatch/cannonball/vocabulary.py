"""The enumerations of Cannonball: the values of its columns and JSON members."""

from __future__ import annotations

from enum import StrEnum


class AgencyType(StrEnum):
    """The type of the agency of a known aircraft."""

    FEDERAL = "federal"
    STATE = "state"
    LOCAL = "local"
    MILITARY = "military"
    UNKNOWN = "unknown"


class Source(StrEnum):
    """The source of an entry of the list of known aircraft."""

    FAA = "faa"
    OPENSKY = "opensky"
    MANUAL = "manual"
    COMMUNITY = "community"
    RESEARCH = "research"


class ThreatLevel(StrEnum):
    """The threat level of a session; alerts use the same values as priorities."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    # 0 for info, 1 for warning, 2 for critical.
    rank: int


class Identification(StrEnum):
    """Why an aircraft is of interest, the strongest reason first."""

    KNOWN = "known"
    OPERATOR = "operator"
    CALLSIGN = "callsign"
    PATTERN = "pattern"
    SUFFIX = "suffix"

    # The number of this one in arrays.
    code: int


# As attributes: a dictionary of them, asked for each session, would take longer than all else of it.
for _number, _level in enumerate(ThreatLevel):
    _level.rank = _number
for _number, _identification in enumerate(Identification):
    _identification.code = _number


class AlertType(StrEnum):
    """The type of an alert."""

    LE_DETECTED = "le_detected"
    NEW_THREAT = "new_threat"
    PATTERN_DETECTED = "pattern_detected"
    CLOSING_FAST = "closing_fast"
    OVERHEAD = "overhead"
    THREAT_ESCALATED = "threat_escalated"
    THREAT_CLEARED = "threat_cleared"


class EndReason(StrEnum):
    """Why a session ended."""

    LEFT_AREA = "left_area"
    UNSEEN = "unseen"
    LOCATION_GONE = "location_gone"
    ENDED_BY_USER = "ended_by_user"
    RESTARTED = "restarted"


def values(words: type[StrEnum]) -> tuple[str, ...]:
    """The values of an enumeration."""
    return tuple(word.value for word in words)
