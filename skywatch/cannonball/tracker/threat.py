"""The urgency score and the threat level of aircraft, as pure rules over arrays of numbers.

docs/cannonball.md explains both; thresholds are settings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.geometry import arrival_s
from skywatch.cannonball.vocabulary import Identification, ThreatLevel

# Levels by their rank.
LEVELS = tuple(ThreatLevel)

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
_CERTAINTY = np.array([CERTAINTY[identification] for identification in Identification])
_KNOWN, _PATTERN, _SUFFIX = Identification.KNOWN.code, Identification.PATTERN.code, Identification.SUFFIX.code
_INFO, _WARNING, _CRITICAL = (level.rank for level in ThreatLevel)
VERIFIED_BONUS = 0.1
TYPE_BONUS = 0.2
# Factor for a pattern that is not flown around the user.
PATTERN_ELSEWHERE = 0.5
# Distance outside a pattern's circle at which a user is still beneath it (nm).
PATTERN_MARGIN_NM = 1.0


class Situations(NamedTuple):
    """The numbers of aircraft and users at one moment; arrays, or numbers of one of them.

    ``pattern_score`` is 0 without a surveillance pattern; ``pattern_distance_nm`` is from the user to its circle,
    0 within it. ``in_doubt``: nobody vouches for its place.
    """

    distance_nm: Any
    closing_kt: Any
    on_ground: Any
    identification: Any
    verified: Any
    surveillance_type: Any
    pattern_score: Any
    pattern_distance_nm: Any
    in_doubt: Any = False

    @property
    def is_weak(self) -> Any:
        """Whether an agency's letters are the only reason why the aircraft is of interest."""
        return (self.identification == _SUFFIX) & (np.asarray(self.pattern_score) <= 0)

    @property
    def beneath_pattern(self) -> Any:
        """Whether the pattern is flown around the user."""
        return (np.asarray(self.pattern_score) > 0) & (self.pattern_distance_nm <= PATTERN_MARGIN_NM)


def urgency(situations: Situations) -> Any:
    """The urgency scores, 0 to 100."""
    closing = _unit(situations.closing_kt / CLOSING_FULL_KT)
    receding = _unit(-situations.closing_kt / CLOSING_FULL_KT)
    proximity = _unit(1.0 - situations.distance_nm / PROXIMITY_RANGE_NM) * (1.0 - RECEDING_SHARE * receding)
    pattern = situations.pattern_score * np.where(situations.beneath_pattern, 1.0, PATTERN_ELSEWHERE)
    score = (
        WEIGHT_PROXIMITY * proximity
        + WEIGHT_CLOSING * closing
        + WEIGHT_IDENTIFICATION * certainty(situations)
        + WEIGHT_PATTERN * _unit(pattern)
    )
    return score * np.where(situations.on_ground, GROUND_FACTOR, 1.0)


def certainty(situations: Situations) -> Any:
    """The certainty that the aircraft is of law enforcement, 0 to 1."""
    code = np.asarray(situations.identification)
    value = _CERTAINTY[code]
    value = np.where((code == _KNOWN) & situations.verified, value + VERIFIED_BONUS, value)
    value = np.where((code == _PATTERN) & situations.surveillance_type, value + TYPE_BONUS, value)
    with_pattern = CERTAINTY[Identification.PATTERN] + TYPE_BONUS
    return np.where((code == _SUFFIX) & ~situations.is_weak, with_pattern, value)


def level_of(situations: Situations, settings: CannonballSettings, slack: float = 1.0) -> Any:
    """The ranks of the threat levels by thresholds that are ``slack`` times as wide.

    An aircraft identified only by its pattern whose type is not used for surveillance is at most a warning; one on the
    ground is always info, and so is one of interest by an agency's letters alone, and one that may not exist.
    """
    arrival = arrival_s(situations.distance_nm, situations.closing_kt) / slack
    distance = situations.distance_nm / slack
    is_uncertain = (np.asarray(situations.identification) == _PATTERN) & ~np.asarray(situations.surveillance_type)
    near, beneath = distance <= settings.cannonball_warning_nm, situations.beneath_pattern
    critical = (
        (distance <= settings.cannonball_critical_nm)
        | (near & (arrival <= settings.cannonball_critical_arrival_s))
        | (near & beneath)
    )
    warning = near | (arrival <= settings.cannonball_warning_arrival_s) | beneath
    rank = np.where(critical & ~is_uncertain, _CRITICAL, np.where(warning, _WARNING, _INFO))
    return np.where(np.asarray(situations.on_ground) | situations.is_weak | situations.in_doubt, _INFO, rank)


def next_level(level: Any, calm_since: Any, situations: Situations, now: float, settings: CannonballSettings) -> Any:
    """The next ranks, and since when a lower level has applied (unix s; nan: it does not).

    A level rises at once, and falls only after the lower one has applied for a while.
    """
    entered = level_of(situations, settings)
    relaxed = level_of(situations, settings, settings.cannonball_hysteresis_factor)
    rises, lower = entered > level, relaxed < level
    since = np.where(~rises & lower, np.where(np.isnan(calm_since), now, calm_since), np.nan)
    falls = (now - since >= settings.cannonball_calm_s) & ~np.isnan(calm_since)
    level = np.where(rises, entered, np.where(falls, relaxed, level))
    return level, np.where(falls, np.nan, since)


def _unit(value: Any) -> Any:
    return np.minimum(1.0, np.maximum(0.0, value))
