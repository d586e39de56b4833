"""Urgency and threat level: what raises them, and that the level does not flap."""

import itertools
import math

import numpy as np
import pytest

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.geometry import (
    STILL,
    arrival_s,
    closing_speed_kt,
    compass_point,
    smoothed,
    velocity_between,
    velocity_of,
)
from skywatch.cannonball.tracker.threat import LEVELS, Situations, level_of, next_level, urgency
from skywatch.cannonball.vocabulary import Identification, ThreatLevel

SETTINGS = CannonballSettings()
INFO, WARNING, CRITICAL = ThreatLevel
KNOWN, PATTERN, SUFFIX = Identification.KNOWN, Identification.PATTERN, Identification.SUFFIX


def situation(distance_nm=10.0, closing_kt=0.0, identification=KNOWN, **more):
    others = {"on_ground": False, "verified": False, "surveillance_type": False, "pattern_score": 0.0}
    values = {**others, "pattern_distance_nm": math.inf, **more}
    return Situations(distance_nm=distance_nm, closing_kt=closing_kt, identification=identification.code, **values)


def together(situations):
    """One of arrays."""
    return Situations(*(np.array(values) for values in zip(*situations, strict=True)))


class Keeper:
    """The level of one session from moment to moment."""

    def __init__(self):
        self.rank, self.calm_since = INFO.rank, math.nan

    def update(self, given, now):
        self.rank, self.calm_since = next_level(self.rank, self.calm_since, given, now, SETTINGS)
        return LEVELS[int(self.rank)]


EXAMPLES = [
    (situation(20.0), INFO),
    (situation(7.9), WARNING),
    (situation(1.9), CRITICAL),
    (situation(20.0, closing_kt=250.0), WARNING),
    (situation(3.0, closing_kt=130.0), CRITICAL),
    (situation(1.0, on_ground=True), INFO),
    (situation(6.0, pattern_score=0.9, pattern_distance_nm=0.5), CRITICAL),
    (situation(20.0, pattern_score=0.9, pattern_distance_nm=15.0), INFO),
    (situation(0.5, identification=PATTERN), WARNING),
    (situation(0.5, identification=PATTERN, surveillance_type=True), CRITICAL),
    (situation(0.5, closing_kt=200.0, identification=SUFFIX), INFO),
    (situation(6.0, identification=SUFFIX, pattern_score=0.9, pattern_distance_nm=0.5), CRITICAL),
]


@pytest.mark.parametrize(("given", "level"), EXAMPLES)
def test_the_level_follows_distance_closing_identification_and_pattern(given, level):
    assert LEVELS[int(level_of(given, SETTINGS))] is level


def test_many_situations_have_the_levels_and_scores_of_each_one():
    given = [example for example, _ in EXAMPLES]
    assert [LEVELS[rank] for rank in level_of(together(given), SETTINGS)] == [level for _, level in EXAMPLES]
    assert urgency(together(given)).tolist() == [float(urgency(example)) for example in given]


def test_urgency_is_the_documented_sum():
    everything = situation(0.0, 150.0, verified=True, pattern_score=1.0, pattern_distance_nm=0.0)
    assert urgency(everything) == pytest.approx(100.0)
    assert urgency(situation(25.0, -300.0, Identification.CALLSIGN)) == pytest.approx(20 * 0.7)
    assert urgency(situation(12.5, 75.0)) == pytest.approx(40 * 0.5 + 25 * 0.5 + 20 * 0.9)
    elsewhere = situation(12.5, 75.0, pattern_score=0.8, pattern_distance_nm=9.0)
    assert urgency(elsewhere) == pytest.approx(50.5 + 15 * 0.4)
    assert urgency(situation(12.5, 75.0, on_ground=True)) == pytest.approx(0.3 * 50.5, abs=0.06)


def test_urgency_falls_as_a_threat_recedes():
    scores = [urgency(situation(5.0, closing_kt)) for closing_kt in (0.0, -50.0, -100.0, -150.0, -400.0)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] - scores[3] == pytest.approx(40 * 0.8 * 0.5)
    assert scores[3] == scores[4]


def test_the_level_does_not_flap_at_its_threshold():
    keeper, levels = Keeper(), []
    for second in range(600):
        distance = 8.0 + 0.5 * math.sin(second / 5)
        levels.append(keeper.update(situation(distance), float(second)))
    assert sum(a is not b for a, b in itertools.pairwise(levels)) <= 1


def test_the_level_rises_at_once_and_falls_after_a_calm_while():
    keeper = Keeper()
    assert keeper.update(situation(1.0), 0.0) is CRITICAL
    assert keeper.update(situation(20.0), 1.0) is CRITICAL
    assert keeper.update(situation(1.0), 30.0) is CRITICAL
    assert keeper.update(situation(20.0), 31.0) is CRITICAL
    assert keeper.update(situation(20.0), 31.0 + SETTINGS.cannonball_calm_s - 1) is CRITICAL
    assert keeper.update(situation(20.0), 31.0 + SETTINGS.cannonball_calm_s) is INFO


def test_closing_speed_counts_both_movements():
    # The aircraft is north and flies south at 120 kt; the user drives north at 60 kt.
    assert closing_speed_kt(velocity_of(120, 180), velocity_of(60, 0), 0.0) == pytest.approx(180)
    assert closing_speed_kt(velocity_of(120, 0), STILL, 0.0) == pytest.approx(-120)
    assert closing_speed_kt(velocity_of(120, 90), STILL, 0.0) == pytest.approx(0, abs=1e-9)


def test_a_movement_is_read_off_two_fixes_also_over_the_date_line():
    north = velocity_between(10.0, 20.0, 10.1, 20.0, 360.0)
    assert north.north_kt == pytest.approx(60.0)
    east = velocity_between(0.0, 179.95, 0.0, -179.95, 360.0)
    assert east.east_kt == pytest.approx(60.0)


def test_smoothing_forgets_with_its_time_constant():
    assert smoothed(math.nan, 50.0, 1.0, 10.0) == 50.0
    assert smoothed(0.0, 100.0, 10.0, 10.0) == pytest.approx(63.2, abs=0.1)


def test_arrival_and_compass():
    assert arrival_s(2.0, 120.0) == 60.0
    assert arrival_s(2.0, -5.0) == math.inf
    assert [compass_point(b) for b in (0.0, 44.0, 181.0, 359.0)] == ["north", "north-east", "south", "north"]
