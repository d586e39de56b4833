"""Light aircraft that practise holds: laps of four minutes or so, with turns at the standard rate and timed legs."""

import pytest

from skywatch.patterns.loops.reasons import Heights, is_practice_hold
from skywatch.patterns.loops.rounds import Loop
from skywatch.patterns.loops.shape import Shape
from skywatch.patterns.settings import PatternSettings

SETTINGS = PatternSettings()
# Everything about a lap that a hold is not told by.
LAP = {
    "t0": 0.0,
    "x": 0.0,
    "y": 0.0,
    "radius_nm": 1.5,
    "reach_nm": 2.5,
    "length_nm": 8.0,
    "closure_nm": 0.1,
    "axis_deg": 90.0,
    "winding_deg": 360.0,
    "sway": 1.0,
    "speed_kt": 120.0,
    "reported_kt": 120.0,
    "low_ft": 3000.0,
    "low_x": 0.0,
    "low_y": 0.0,
    "high_ft": 3000.0,
    "climb_ft": 0.0,
    "wiggle": 1.0,
    "meander": 1.0,
}


def laps(count, turning_s, leg_s):
    """Laps of two half circles that take ``turning_s`` together and two legs of ``leg_s`` each."""
    lap_s = turning_s + 2 * leg_s
    share = 2 * leg_s / lap_s
    return [Loop(Shape(**LAP, t1=lap_s, elongation=share, straight_share=share), 1.0)] * count


def is_practised(turning_s=120.0, leg_s=60.0, *, count=3, speed_kt=110.0, top_ft=4000.0):
    heights = Heights(turns=float(count), all_turns=float(count), lowest_ft=top_ft - 100.0, highest_ft=top_ft)
    return is_practice_hold(laps(count, turning_s, leg_s), speed_kt, heights, SETTINGS)


@pytest.mark.parametrize(
    ("turning_s", "is_standard"),
    [(120.0, True), (95.0, True), (165.0, True), (60.0, False), (240.0, False), (4.0, False)],
)
def test_its_turns_are_of_the_standard_rate(turning_s, is_standard):
    assert is_practised(turning_s) == is_standard


@pytest.mark.parametrize(
    ("leg_s", "is_timed"), [(60.0, True), (30.0, True), (80.0, True), (10.0, False), (120.0, False)]
)
def test_its_legs_are_timed(leg_s, is_timed):
    assert is_practised(leg_s=leg_s) == is_timed


@pytest.mark.parametrize("other", [{"count": 12}, {"speed_kt": 230.0}, {"top_ft": 21_000.0}])
def test_who_goes_on_for_long_or_is_fast_or_high_practises_nothing(other):
    assert is_practised()
    assert not is_practised(**other)
