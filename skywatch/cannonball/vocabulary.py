"""The words of the Cannonball area: what its columns and JSON members may say, each list once."""

from __future__ import annotations

from enum import StrEnum


class AgencyType(StrEnum):
    """Whose aircraft a known one is."""

    FEDERAL = "federal"
    STATE = "state"
    LOCAL = "local"
    MILITARY = "military"
    UNKNOWN = "unknown"


class Source(StrEnum):
    """Where an entry of the list of known aircraft came from."""

    FAA = "faa"
    OPENSKY = "opensky"
    MANUAL = "manual"
    COMMUNITY = "community"
    RESEARCH = "research"


class ThreatLevel(StrEnum):
    """How near a session's aircraft is to its user, in words; alerts have the same words as priorities."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info, 1 for warning, 2 for critical."""
        return _RANKS[self]


_RANKS = {ThreatLevel.INFO: 0, ThreatLevel.WARNING: 1, ThreatLevel.CRITICAL: 2}


class Identification(StrEnum):
    """Why an aircraft is of interest, the strongest reason first."""

    KNOWN = "known"
    OPERATOR = "operator"
    CALLSIGN = "callsign"
    PATTERN = "pattern"


class AlertType(StrEnum):
    """What an alert tells."""

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
    """The members of a list of words, as they are written."""
    return tuple(word.value for word in words)
