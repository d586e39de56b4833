"""Emergencies, vertical movements and low flight of drawn aircraft."""

import numpy as np
import pytest

from skywatch.safety.detection.learnt_places import Learner, Learnt
from tests.unit.safety.drawn import START, Drawn, found, of_type, skies, straight

LEVEL = straight(0, 0, 9000, 200, 90)


def emergency(changing, seconds, **fields):
    aircraft = Drawn("4b0001", LEVEL, fields={"squawk": "1000", **fields}, changing=changing)
    return of_type(found(skies([aircraft], seconds)), "emergency_squawk")


@pytest.mark.parametrize(
    ("squawk", "latest_s", "severity"), [("7600", 5, "warning"), ("7700", 5, "critical"), ("7500", 12, "critical")]
)
def test_an_emergency_code_is_raised_in_time_and_ends_a_minute_after_it_changes(squawk, latest_s, severity):
    [event] = emergency(lambda t: {"squawk": squawk if 20 <= t < 60 else "1000"}, 140)
    assert 20 <= event.began_at - START <= 20 + latest_s
    assert event.finding.severity == severity
    assert 118 <= event.ended_at - START <= 125


def test_a_code_that_is_dialled_past_is_not_raised():
    codes = {20: "7500", 21: "7500", 22: "7600", 23: "7600", 24: "7700"}
    assert emergency(lambda t: {"squawk": codes.get(int(t), "1000")}, 60) == []


def test_a_code_that_flickers_is_not_raised():
    flickering = {20, 41, 42, 50, 66, 67, 80, 81, 82, 95}
    assert emergency(lambda t: {"squawk": "7700" if int(t) in flickering else "1000"}, 120) == []


def test_a_code_that_is_most_of_what_is_received_is_raised():
    [event] = emergency(lambda t: {"squawk": "7700" if t >= 20 and int(t) % 5 else "1000"}, 60)
    assert event.began_at - START <= 30


def test_7500_is_dialled_past_for_longer():
    assert emergency(lambda t: {"squawk": "7500" if 20 <= t < 28 else "1000"}, 60) == []


def test_7500_on_the_ground_is_not_raised():
    assert emergency(lambda t: {"squawk": "7500", "alt_baro": "ground"}, 40) == []


def test_one_message_alone_is_not_raised():
    aircraft = Drawn("4b0001", LEVEL, every_s=100.0, fields={"squawk": "7700"})
    assert of_type(found(skies([aircraft], 20)), "emergency_squawk") == []


@pytest.mark.parametrize(
    ("state", "severity"), [("general", "critical"), ("nordo", "warning"), ("minfuel", "info"), ("lifeguard", "info")]
)
def test_the_emergency_state_counts_like_the_code(state, severity):
    [event] = emergency(lambda t: {"emergency": state if t >= 10 else "none"}, 40)
    assert event.finding.severity == severity


def test_code_and_state_are_one_event():
    [event] = emergency(lambda t: {"emergency": "general", "squawk": "7700"}, 40)
    assert event.finding.numbers["squawk"].value == "7700"


def profile(*legs):
    """A path that climbs or descends: (from this second on, ft/min)."""

    def path(t):
        altitude = 20_000.0
        for number, (start, rate) in enumerate(legs):
            end = legs[number + 1][0] if number + 1 < len(legs) else 1e9
            altitude += rate / 60 * max(0.0, min(t, end) - start)
        return 300 * t / 3600, 0.0, altitude

    return path


def vertical(path, kind, seconds=80, others=(), **fields):
    return [
        e
        for e in found(skies([Drawn("4b0001", path, fields={"category": "A3", **fields}), *others], seconds))
        if e.finding.type == kind
    ]


def test_an_extreme_descent_is_raised_after_eight_seconds_and_ends():
    [event] = vertical(profile((20, -8000), (50, 0)), "extreme_vertical_rate")
    assert 27 <= event.began_at - START <= 34
    assert event.ended_at is not None
    assert event.finding.numbers["vertical_rate"].value < -6000


def test_a_rate_that_the_altitude_does_not_show_is_not_believed():
    level = profile((0, 0))
    assert vertical(level, "extreme_vertical_rate", baro_rate=-9000) == []


@pytest.mark.parametrize("fields", [{"category": "B1"}, {"t": "F16"}, {"t": "EUFI"}])
def test_gliders_and_fast_military_types_are_apart(fields):
    assert vertical(profile((20, -8000), (50, 0)), "extreme_vertical_rate", **fields) == []


def test_a_reversal_is_info_alone_and_a_warning_with_traffic_near():
    reversal = profile((10, 2500), (40, -2500), (70, 0))
    [alone] = vertical(reversal, "vertical_rate_reversal")
    assert (alone.raised, alone.finding.severity, alone.finding.suppressed_by) == (False, "info", ("no_traffic",))
    other = Drawn("4b0009", lambda t: (300 * t / 3600 + 3, 0.0, 20_800.0), fields={"category": "A3"})
    [near] = vertical(reversal, "vertical_rate_reversal", others=[other])
    assert (near.raised, near.finding.severity) == (True, "warning")


def test_a_slow_turn_from_climb_to_descent_is_no_reversal():
    assert vertical(profile((10, 2500), (40, 0), (60, -2500)), "vertical_rate_reversal") == []


def test_rates_of_a_reversal_that_the_altitude_does_not_show_are_not_believed():
    aircraft = Drawn("4b0001", LEVEL, changing=lambda t: {"baro_rate": 2500 if t < 30 else -2500})
    assert of_type(found(skies([aircraft], 50)), "vertical_rate_reversal") == []


class Taught(Learner):
    """A learner that forty airliners in level flight have taught around the centre."""

    def __init__(self, level_ft=6000):
        super().__init__()
        self.restore({(y, x): Learnt({level_ft // 500: 40}) for y in range(465, 475) for x in range(70, 90)})


def low_flight(seconds=60, learner=None, start_s=0.0, **fields):
    """An airliner at 2,500 ft where others fly level at 6,000 ft."""
    path = straight(-8 - 240 * start_s / 3600, 0, 2500, 240, 90)
    low = Drawn("4b0001", path, fields={"category": "A3", **fields})
    return of_type(found(skies([low], seconds), learner=learner or Taught()), "low_altitude")


def test_an_airliner_below_the_learnt_floor_is_raised():
    [event] = low_flight()
    assert event.finding.hexes == ("4b0001",)
    assert event.finding.numbers["floor"].value == 6000
    assert 10 <= event.began_at - START <= 15


def test_light_aircraft_slow_ones_and_those_near_a_runway_are_not_low():
    assert low_flight(category="A1") == []
    assert low_flight(gs=150.0) == []
    near = Taught()
    near.forget({(470, 79)})
    near.restore({(470, 79): Learnt({12: 40}, runway=(47.0, 7.95), runway_visits=1)})
    assert low_flight(learner=near) == []


def test_where_only_overflights_fly_level_there_is_no_floor():
    assert low_flight(learner=Taught(29_000)) == []
    assert len(low_flight(learner=Taught(15_000))) == 1


def test_the_floor_is_learnt_from_airliners_in_level_flight():
    learner = Learner()
    teachers = [
        Drawn(f"4b1{number:03x}", straight(-4 - 0.1 * number, 2, 6000, 480, 90), fields={"category": "A3"})
        for number in range(35)
    ]
    climbing = Drawn("4b2000", straight(-4, 2, 1000, 250, 90, 1500), fields={"category": "A3"})
    light = Drawn("4b2001", straight(-4, 2, 1500, 150, 90), fields={"category": "A1"})
    found(skies([*teachers, climbing, light], 75), learner=learner)
    assert learner.learnt((470, 80)).floor_ft() == 6000
    lat, lon = np.array([47.03]), np.array([8.05])
    assert learner.below(lat, lon, np.array([2500.0]), 500) == [(0, 6000)]
    assert learner.below(lat, lon, np.array([5600.0]), 500) == []
    learner.forget()
    assert learner.below(lat, lon, np.array([2500.0]), 500) == []
