"""Drawn encounters whose closest point is known: which are raised, how early, and what holds them back."""

import dataclasses
import functools
import math
import random

import numpy as np
import pytest

from skywatch.safety.detection.conflicts.proximity import LEVEL_OFF_FPS2, SEPARATION_FACTOR, box
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.unit.safety import encounters
from tests.unit.safety.drawn import START, Drawn, found, of_type, skies, straight

pytestmark = pytest.mark.deep("walks a corpus")

NUMBER, SECONDS = 140, 130
T = Thresholds()


def apart(encounter, t):
    """Distance (nm), difference of altitude (ft) and the box at a time."""
    one, two = encounter.one.path(t), encounter.two.path(t)
    sizes = box(np.array([min(one[2], two[2])]), T)
    return math.hypot(one[0] - two[0], one[1] - two[1]), abs(one[2] - two[2]), float(sizes[0][0]), float(sizes[1][0])


@functools.cache
def is_inside(encounter):
    """Whether the two are in the box while they close, by more than the noise of positions (30 m) hides."""
    for t in range(20, encounters.LEAD_S):
        distance, vertical, box_nm, box_ft = apart(encounter, t)
        closing = (distance - apart(encounter, t + 1)[0]) * 3600
        if distance < box_nm * 0.95 and vertical < box_ft - 25 and closing > 20:
            return True
    return False


def is_level(encounter):
    return apart(encounter, 0)[1] == apart(encounter, 60)[1]


def must_be_raised_by(encounter):
    """25 s before the closest point, or when the pair cannot level off any more at its usual separation (s)."""
    decided = next(t for t in range(encounters.LEAD_S + 30) if not can_still_level_off(encounter, t))
    # The hold, the tick, and an altitude that may be ten seconds old.
    return max(encounters.LEAD_S - 25, decided + 10)


def can_still_level_off(encounter, t):
    """At 450 ft low and 900 ft high, without braking harder than crews do."""
    _, vertical, _, box_ft = apart(encounter, t)
    converging = vertical - apart(encounter, t + 1)[1]
    return converging > 0 and vertical - SEPARATION_FACTOR * box_ft > converging**2 / (2 * LEVEL_OFF_FPS2)


@pytest.fixture(scope="module")
def raised():
    """The encounters, each in a place of its own, and the proximity events of each."""
    random_ = random.Random(13)
    drawn, by_hex = [], {}
    for number in range(NUMBER):
        encounter = encounters.draw(number, random_)
        centre = (30.0 + 2.0 * (number // 20), -60.0 + 3.0 * (number % 20))
        pair = [dataclasses.replace(a, centre=centre) for a in (encounter.one, encounter.two)]
        drawn += pair
        by_hex |= {a.hex: number for a in pair}
    encounters_ = [encounters.draw(number, r) for r in [random.Random(13)] for number in range(NUMBER)]
    events = {number: [] for number in range(NUMBER)}
    for event in of_type(found(skies(drawn, SECONDS)), "proximity"):
        numbers = {by_hex[address] for address in event.finding.hexes}
        assert len(numbers) == 1
        events[numbers.pop()].append(event)
    return encounters_, events


def test_pairs_inside_the_box_are_raised_each_once(raised):
    drawn, events = raised
    inside = [number for number, encounter in enumerate(drawn) if is_inside(encounter)]
    assert len(inside) > 30
    missed = [number for number in inside if not events[number]]
    assert len(missed) <= 0.02 * len(inside)
    assert [number for number, of_pair in events.items() if len(of_pair) > 1] == []


def test_pairs_that_stay_far_outside_are_not_raised(raised):
    drawn, events = raised
    for number, encounter in enumerate(drawn):
        nearest = [apart(encounter, t) for t in range(SECONDS)]
        if all(d > 1.5 * nm + 0.3 or v > 1.5 * ft + 100 for d, v, nm, ft in nearest):
            assert not events[number], number


def test_pairs_are_raised_25_seconds_ahead_where_geometry_allows(raised):
    """A pair that climbs or descends towards each other is raised when it can no longer level off."""
    drawn, events = raised
    early = 0
    for number, encounter in enumerate(drawn):
        if is_inside(encounter):
            began = events[number][0].began_at - START
            assert began <= must_be_raised_by(encounter), number
            early += began <= encounters.LEAD_S - 25
            if is_level(encounter):
                assert began <= encounters.LEAD_S - 38, number
    assert early > 20


def crossing_climb(selected, qnh=1013.2):
    """One climbs through the level of another; what it has selected is sent."""
    one = Drawn(
        "4b0001", straight(-5, 0, 14_500, 300, 90, 1500),
        fields={"category": "A3", "nav_altitude_mcp": selected, "nav_qnh": qnh},
    )  # fmt: skip
    return [one, Drawn("4b0002", straight(5, 0, 16_000, 300, 270), fields={"category": "A3"})]


def test_a_selected_altitude_beyond_the_other_aircraft_raises_the_pair_early():
    [event] = proximity(crossing_climb(20_000), 70)
    assert event.began_at - START <= 18


def test_a_selected_altitude_below_the_other_aircraft_or_none_waits():
    for selected in (15_000, None):
        [event] = proximity(crossing_climb(selected), 70)
        assert event.began_at - START >= 25, selected


def test_selected_altitudes_are_brought_to_standard_pressure():
    # 16,000 ft on a pressure of 980 hPa is a pressure altitude of 16,900 ft, 15,100 ft on 1046 hPa.
    assert proximity(crossing_climb(16_000, 980.0), 70)[0].began_at - START <= 18
    assert proximity(crossing_climb(16_000, 1046.0), 70)[0].began_at - START >= 25


def test_the_closest_point_is_that_of_the_drawing(raised):
    drawn, events = raised
    for number, encounter in enumerate(drawn):
        if is_inside(encounter) and is_level(encounter):
            closest = events[number][0].closest
            assert abs(closest.distance_nm - encounter.closest_nm) < 0.25
            assert abs(closest.at - START - encounters.LEAD_S) < 15


def head_on(one=None, two=None, vertical=0, altitude=8000, speed=150):
    """Two aircraft that meet after a minute."""
    way = speed / 60
    fields = {"category": "A1"}
    return [
        Drawn("4b0001", straight(-way, 0, altitude, speed, 90), fields={**fields, **(one or {})}),
        Drawn("4b0002", straight(way, 0, altitude + vertical, speed, 270), fields={**fields, **(two or {})}),
    ]


def proximity(aircraft, seconds=80):
    return [event for event in found(skies(aircraft, seconds)) if event.finding.type == "proximity"]


def test_a_head_on_pair_is_critical_and_ends():
    [event] = proximity(head_on(), 110)
    assert event.raised
    assert event.finding.severity == "critical"
    assert event.ended_at is not None
    assert event.closest.distance_nm < 0.1


def test_the_usual_separation_is_no_event():
    assert proximity(head_on(vertical=500)) == []
    assert proximity(head_on(vertical=1000, altitude=30_000, speed=450)) == []


def test_a_climb_to_the_level_below_another_aircraft_is_no_event():
    def climb(t):
        return -2.5 + 150 * t / 3600, 0.0, min(5000 + 1200 * t / 60, 6500)

    aircraft = head_on(altitude=7000)
    aircraft[0] = dataclasses.replace(aircraft[0], path=climb)
    assert proximity(aircraft) == []


@pytest.mark.parametrize(
    ("one", "two", "reason"),
    [
        ({"flight": "HBABC"}, {"flight": "HBABC"}, "copy"),
        ({"type": "tisb_icao", "nac_p": 5}, {}, "relayed_position"),
        ({"type": "mlat"}, {}, "relayed_position"),
        ({"nic": 4}, {}, "poor_integrity"),
        ({"category": "B1"}, {"category": "B1"}, "gliders"),
        ({"category": "A7"}, {"t": "EC35"}, "helicopters"),
    ],
)
def test_what_is_no_danger_is_stored_as_info_and_not_raised(one, two, reason):
    [event] = proximity(head_on(one, two))
    assert not event.raised
    assert reason in event.finding.suppressed_by
    assert event.finding.severity == "info"


@pytest.mark.parametrize("source", ["adsr_icao", "tisb_icao"])
def test_a_good_position_by_a_relay_is_raised_with_reduced_confidence(source):
    [event] = proximity(head_on({"type": source}), 110)
    assert event.raised
    assert event.finding.severity == "warning"
    assert event.finding.numbers["confidence"].value == "reduced"
    assert event.finding.numbers["relayed"].value == ["4B0001"]


def converging(distance_nm, kt, first=None, second=None, altitude=6000, rate=0.0, speed=120):
    """Two aircraft on nearly the same track that close slowly."""
    angle = math.degrees(math.asin(kt / speed))
    return [
        Drawn("4b0001", straight(0, 0, altitude, speed, 90, rate), fields=first or {}),
        Drawn("4b0002", straight(0, distance_nm, altitude, speed, 90 + angle, rate), fields=second or {}),
    ]


def test_a_formation_that_joins_is_held_back():
    def joins(t):
        return 120 * t / 3600, max(0.05, 0.9 - 0.006 * max(t - 45, 0)), 6000.0

    aircraft = [Drawn("4b0001", straight(0, 0, 6000, 120, 90)), Drawn("4b0002", joins)]
    events = proximity(aircraft, 150)
    assert not [event for event in events if event.raised]
    assert any("formation" in event.finding.suppressed_by for event in events)


def test_a_glider_behind_its_tug_is_held_back():
    aircraft = converging(0.12, 15, {"category": "B1"}, {"category": "A1"})
    events = proximity(aircraft, 25)
    assert events
    assert not [event for event in events if event.raised]
    assert all("tow" in event.finding.suppressed_by for event in events)


def test_parallel_approaches_are_held_back():
    events = proximity(converging(0.6, 25, altitude=4000, rate=-700, speed=140), 60)
    assert events
    assert not [event for event in events if event.raised]
    assert all("parallel_approach" in event.finding.suppressed_by for event in events)


def test_positions_older_than_ten_seconds_are_not_judged():
    aircraft = head_on()
    silent = dataclasses.replace(aircraft[1], every_s=200.0)
    assert proximity([aircraft[0], silent], 58) == [] or proximity([aircraft[0], silent], 58)[0].began_at < START + 15


def test_an_aircraft_on_the_ground_is_no_danger():
    aircraft = head_on()
    aircraft[0] = dataclasses.replace(aircraft[0], changing=lambda t: {"alt_baro": "ground"})
    assert proximity(aircraft) == []


def test_pairs_meet_across_the_date_line():
    aircraft = [dataclasses.replace(a, centre=(10.0, 180.0)) for a in head_on()]
    assert [event.raised for event in proximity(aircraft)] == [True]


def test_separation_factor_is_the_usual_separation_less_a_tenth():
    assert SEPARATION_FACTOR * T.proximity_low_vertical_ft == 450
    assert SEPARATION_FACTOR * T.proximity_high_vertical_ft == 900
