"""The urgency score and the threat level of an aircraft, as pure rules over numbers.

docs/cannonball.md explains both; thresholds are settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracking.geometry import arrival_s
from skywatch.cannonball.vocabulary import Identification, ThreatLevel

# The weighted sum of the urgency score: four parts between 0 and 1, whose weights make 100.
WEIGHT_PROXIMITY, WEIGHT_CLOSING, WEIGHT_IDENTIFICATION, WEIGHT_PATTERN = 40.0, 25.0, 20.0, 15.0
PROXIMITY_RANGE_NM = 25.0
CLOSING_FULL_KT = 150.0
# Share of the proximity that an aircraft loses that recedes as fast as `CLOSING_FULL_KT` or faster.
RECEDING_SHARE = 0.5
# Factor for an aircraft on the ground, which cannot observe.
GROUND_FACTOR = 0.3
# Certainty of law enforcement for each identification.
CERTAINTY: dict[Identification, float] = {
    Identification.KNOWN: 0.9,
    Identification.OPERATOR: 0.8,
    Identification.CALLSIGN: 0.7,
    Identification.PATTERN: 0.4,
    Identification.SUFFIX: 0.3,
}
VERIFIED_BONUS = 0.1
TYPE_BONUS = 0.2
# Factor for a pattern that is not flown around the user.
PATTERN_ELSEWHERE = 0.5
# Distance outside a pattern's circle at which a user is still beneath it (nm).
PATTERN_MARGIN_NM = 1.0


@dataclass(frozen=True, slots=True)
class Situation:
    """The numbers of one aircraft and one user at one moment.

    ``pattern_score`` is 0 without a surveillance pattern; ``pattern_distance_nm`` is from the user to its circle,
    0 within it.
    """

    distance_nm: float
    closing_kt: float
    on_ground: bool
    identification: Identification
    verified: bool = False
    surveillance_type: bool = False
    pattern_score: float = 0.0
    pattern_distance_nm: float = float("inf")

    @property
    def is_weak(self) -> bool:
        """Whether an agency's letters are the only reason why the aircraft is of interest."""
        return self.identification is Identification.SUFFIX and self.pattern_score <= 0

    @property
    def beneath_pattern(self) -> bool:
        """Whether the pattern is flown around the user."""
        return self.pattern_score > 0 and self.pattern_distance_nm <= PATTERN_MARGIN_NM


def urgency(situation: Situation) -> float:
    """The urgency score, 0 to 100."""
    closing = _unit(situation.closing_kt / CLOSING_FULL_KT)
    receding = _unit(-situation.closing_kt / CLOSING_FULL_KT)
    proximity = _unit(1.0 - situation.distance_nm / PROXIMITY_RANGE_NM) * (1.0 - RECEDING_SHARE * receding)
    pattern = situation.pattern_score * (1.0 if situation.beneath_pattern else PATTERN_ELSEWHERE)
    score = (
        WEIGHT_PROXIMITY * proximity
        + WEIGHT_CLOSING * closing
        + WEIGHT_IDENTIFICATION * certainty(situation)
        + WEIGHT_PATTERN * _unit(pattern)
    )
    return round(score * (GROUND_FACTOR if situation.on_ground else 1.0), 1)


def certainty(situation: Situation) -> float:
    """The certainty that the aircraft is of law enforcement, 0 to 1."""
    value = CERTAINTY[situation.identification]
    if situation.identification is Identification.KNOWN and situation.verified:
        value += VERIFIED_BONUS
    if situation.identification is Identification.PATTERN and situation.surveillance_type:
        value += TYPE_BONUS
    if situation.identification is Identification.SUFFIX and not situation.is_weak:
        value = CERTAINTY[Identification.PATTERN] + TYPE_BONUS
    return value


def level_of(situation: Situation, settings: CannonballSettings, slack: float = 1.0) -> ThreatLevel:
    """The threat level by thresholds that are ``slack`` times as wide.

    An aircraft identified only by its pattern whose type is not used for surveillance is at most a warning; one on the
    ground is always info, and so is one of interest by an agency's letters alone.
    """
    if situation.on_ground or situation.is_weak:
        return ThreatLevel.INFO
    arrival = arrival_s(situation.distance_nm, situation.closing_kt) / slack
    distance = situation.distance_nm / slack
    is_uncertain = situation.identification is Identification.PATTERN and not situation.surveillance_type
    near = distance <= settings.cannonball_warning_nm
    critical = (
        distance <= settings.cannonball_critical_nm
        or (near and arrival <= settings.cannonball_critical_arrival_s)
        or (near and situation.beneath_pattern)
    )
    if critical and not is_uncertain:
        return ThreatLevel.CRITICAL
    if near or arrival <= settings.cannonball_warning_arrival_s or situation.beneath_pattern:
        return ThreatLevel.WARNING
    return ThreatLevel.INFO


class ThreatLevelHysteresis:
    """The threat level of a session: rises at once, falls only after the lower level has applied for a while."""

    def __init__(self, level: ThreatLevel = ThreatLevel.INFO) -> None:
        self.level = level
        self._calm_since: float | None = None

    def update(self, situation: Situation, now: float, settings: CannonballSettings) -> ThreatLevel:
        """The level at ``now`` (unix s)."""
        entered = level_of(situation, settings)
        relaxed = level_of(situation, settings, settings.cannonball_hysteresis_factor)
        if entered.rank > self.level.rank:
            self.level, self._calm_since = entered, None
        elif relaxed.rank >= self.level.rank:
            self._calm_since = None
        elif self._calm_since is None:
            self._calm_since = now
        elif now - self._calm_since >= settings.cannonball_calm_s:
            self.level, self._calm_since = relaxed, None
        return self.level


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
