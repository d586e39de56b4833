"""Windows, low points, sweeps and the log of findings."""

from __future__ import annotations

import dataclasses
import itertools
from math import atan2, cos, degrees, hypot, pi, radians, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.patterns.findings import Change, Finding, FindingLog, PatternType
from skywatch.patterns.legs.legs import Leg
from skywatch.patterns.legs.sweeps import is_grid, on_new_line, shift_of, sweep_family
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints
from skywatch.patterns.track.window import Sample, Window

SETTINGS = PatternSettings()


@pytest.mark.deep("costs over a processor second")
@given(
    st.lists(
        st.tuples(
            st.floats(1.0, 200.0),
            st.floats(-300.0, 300.0),
            st.floats(-300.0, 300.0),
            st.none() | st.floats(0.0, 40000.0),
            st.none() | st.floats(0.0, 300.0),
        ),
        min_size=1,
        max_size=120,
    )
)
def test_window_sums_agree_with_a_full_count(
    steps: list[tuple[float, float, float, float | None, float | None]],
) -> None:
    window = Window(900.0, 0.5, 180.0)
    samples: list[Sample] = []
    t = 0.0
    for number, (dt, x, y, alt, speed) in enumerate(steps):
        t += dt
        samples.append(Sample(t, x, y, alt, speed, float(number)))
        window.add(samples[-1])
    samples = [p for p in samples if t - p.t <= 900.0]
    n = len(samples)
    cx, cy = sum(p.x for p in samples) / n, sum(p.y for p in samples) / n
    assert window.centre == pytest.approx((cx, cy), abs=1e-6)
    radius = (sum(hypot(p.x - cx, p.y - cy) ** 2 for p in samples) / n) ** 0.5
    assert window.radius_nm == pytest.approx(radius, abs=1e-4)
    cells = {(p.x // 0.5, p.y // 0.5) for p in samples}
    # Samples are a mile apart, two cells: each step of a straight way would come into another one.
    crossings = 3.0 / pi * (n - 1)
    assert window.new_ground_share == pytest.approx(min(len(cells) / (1.0 + crossings), 1.0))
    assert window.has_gap() == any(b.t - a.t > 180.0 for a, b in itertools.pairwise(samples))
    heights = [p.alt_ft for p in samples if p.alt_ft is not None]
    assert window.altitude_range_ft() == ((min(heights), max(heights)) if heights else None)
    speeds = [p.speed_kt for p in samples if p.speed_kt is not None]
    if len(speeds) * 2 >= n:
        assert window.speed_kt() == pytest.approx(sum(speeds) / len(speeds), abs=1e-6)


@pytest.mark.parametrize("speed_kt", [45.0, 60.0, 90.0, 180.0])
@pytest.mark.parametrize("course_deg", [5.0, 20.0, 35.0, 70.0])
def test_new_ground_is_told_from_the_same_however_slowly_it_is_flown_over(speed_kt: float, course_deg: float) -> None:
    step_nm = speed_kt * 15.0 / 3600.0
    straight, back = Window(1200.0, 0.5, 180.0), Window(1200.0, 0.5, 180.0)
    for number in range(80):
        for window, steps in ((straight, number), (back, min(number % 40, 40 - number % 40))):
            x, y = steps * step_nm * sin(radians(course_deg)), steps * step_nm * cos(radians(course_deg))
            window.add(Sample(number * 15.0, x, y, 1000.0, speed_kt, number * step_nm))
    assert straight.new_ground_share >= 0.75
    assert back.new_ground_share <= 0.35


@pytest.mark.parametrize(
    ("turns", "low", "high"), [((90.0,), 0.95, 1.0), ((120.0,), 0.95, 1.0), ((37.0, 101.0, -71.0), 0.0, 0.5)]
)
def test_order_tells_a_few_directions_from_many(turns: tuple[float, ...], low: float, high: float) -> None:
    window = Window(1800.0, 0.5, 180.0)
    x = y = heading = 0.0
    for number in range(100):
        x, y = x + 0.5 * sin(radians(heading)), y + 0.5 * cos(radians(heading))
        heading += turns[number % len(turns)]
        window.add(Sample(15.0 * number, x, y, 1000.0, 90.0, 0.5 * number))
    assert low <= window.order() <= high + 1e-9


def low_points(heights: list[float]) -> list[float]:
    lows = LowPoints(SETTINGS)
    for number, height in enumerate(heights):
        lows.add(60.0 * number, 0.0, 0.0, height, 0.0)
    return [p.alt_ft for p in lows.points]


def test_low_points_are_where_a_flight_came_down_and_climbed_away() -> None:
    assert low_points([1000, 600, 100, 500, 1000, 600, 150, 700]) == [100, 150]
    assert low_points([1000, 900, 1000, 850, 1000]) == []
    assert low_points([100, 500, 1000, 1000]) == [100]
    assert low_points([3000, 2000, 1000, 500]) == []


def sweep_legs(offsets: list[float], nm: float = 5.0) -> list[Leg]:
    """Legs to and fro at the given offsets, newest first."""
    legs = []
    for n, x in enumerate(offsets):
        up = n % 2 == 0
        ay, by = (0.0, nm) if up else (nm, 0.0)
        heading = 0.0 if up else 180.0
        legs.append(Leg(200.0 * n, 200.0 * n + 150.0, x, ay, x, by, nm, heading, heading, x, 0.5 * nm))
    return legs[::-1]


def family_is_grid(offsets: list[float]) -> bool:
    return is_grid(sweep_family(sweep_legs(offsets), SETTINGS), SETTINGS)


def test_lanes_that_keep_shifting_to_one_side_are_a_grid_in_whatever_order() -> None:
    assert family_is_grid([0.0, 0.5, 1.0, 1.5])
    assert family_is_grid([0.0, 0.08, 0.16, 0.24, 0.32, 0.40])
    assert not family_is_grid([0.0, 0.08, 0.16, 0.24])
    # One field over: all turns go one way.
    one_way = [0.0, 0.8, 0.08, 0.88, 0.16, 0.96, 0.24, 1.04, 0.32, 1.12]
    assert family_is_grid(one_way)
    assert not family_is_grid(one_way[:8])
    assert family_is_grid([-x for x in one_way])
    assert family_is_grid([0.0, 3.0, 1.0, 4.0, 2.0, 5.0])


def test_legs_over_the_same_lines_are_no_grid() -> None:
    assert not family_is_grid([0.0, 1.0] * 6)
    # By hand: what is strayed to one side is strayed back, and is not even.
    assert not family_is_grid([0.0, 1.0, 0.06, 0.95, 0.0, 1.05, 0.09, 1.0])
    assert not family_is_grid([0.0, 0.05, -0.02, 0.04, 0.01, 0.03, -0.03, 0.02])
    assert not family_is_grid([0.0, 1.0, 0.01, 1.2, 0.02, 1.21, 0.03, 1.4])


def test_lines_of_unlike_length_flown_a_few_degrees_off_do_not_shift() -> None:
    """One line flown to and fro, each time farther along it and 5 degrees off the newest leg: its middle wanders."""
    tilt = radians(5.0)
    ends = [(5.0, 0.0), (0.0, 4.0), (5.0, 1.0), (1.0, 5.0), (6.0, 2.0), (2.0, 6.0), (7.0, 3.0), (3.0, 10.0)]
    legs = []
    for number, (a, b) in enumerate(ends):
        places = [(d * sin(tilt), d * cos(tilt)) for d in (a, b)] if number < 7 else [(0.6, a), (0.6, b)]
        (ax, ay), (bx, by) = places
        course = degrees(atan2(bx - ax, by - ay))
        t = 200.0 * number
        legs.append(Leg(t, t + 100.0, ax, ay, bx, by, hypot(bx - ax, by - ay), course, 180.0 * number,
                        0.5 * (ax + bx), 0.5 * (ay + by)))  # fmt: skip
    sweeps = sweep_family(reversed(legs), SETTINGS)
    assert len(sweeps) == 8
    assert shift_of(sweeps[:7]).lane_nm < SETTINGS.new_lines.min_nm
    assert not is_grid(sweeps, SETTINGS)


def test_shift_tells_order_and_evenness() -> None:
    shift = shift_of(sweep_family(sweep_legs([0.0, 0.5, 1.0, 1.5, 2.0]), SETTINGS))
    assert shift.in_order
    assert (shift.lane_nm, shift.one_sided, shift.evenness) == pytest.approx((1.0, 1.0, 1.0))
    sweeps = sweep_family(sweep_legs([0.0, 1.0, 0.0, 1.0, 0.3]), SETTINGS)
    assert on_new_line(sweeps[-1], sweeps[:-1], SETTINGS)
    assert not on_new_line(sweeps[2], sweeps[:2], SETTINGS)


def test_a_long_leg_across_ends_the_family() -> None:
    legs = sweep_legs([0.0, 0.5, 1.0])
    across = Leg(350.0, 395.0, 0.5, 0.0, 7.5, 0.0, 7.0, 90.0, 90.0, 4.0, 0.0)
    assert len(sweep_family([*legs[:1], across, *legs[1:]], SETTINGS)) == 1


def finding(kind: PatternType, t0: float, t1: float, radius_nm: float = 1.0, x: float = 0.0) -> Finding:
    return Finding(kind, t0, t1, x, 0.0, radius_nm, 0.8)


def test_the_more_telling_pattern_takes_the_place_of_the_lesser() -> None:
    log = FindingLog(SETTINGS, "flight", "abc123")
    assert log.report(finding(PatternType.LOITERING, 0.0, 1200.0, 3.0), 1200.0)
    assert log.report(finding(PatternType.CIRCLING, 300.0, 1300.0), 1300.0)
    events = log.collect()
    assert [e.change for e in events] == [Change.DETECTED, Change.ENDED, Change.DETECTED]
    assert events[1].pattern.details["superseded_by"] == "circling"
    assert not log.report(finding(PatternType.LOITERING, 100.0, 1400.0, 3.0), 1400.0)


def test_what_had_ended_is_replaced_too() -> None:
    log = FindingLog(SETTINGS, "flight", "abc123")
    circling = finding(PatternType.CIRCLING, 0.0, 600.0)
    log.report(circling, 600.0)
    log.end(circling)
    log.collect()
    assert log.report(finding(PatternType.GRID_SEARCH, 0.0, 1500.0, 2.0), 1500.0)
    events = log.collect()
    assert [e.change for e in events] == [Change.ENDED, Change.DETECTED]
    assert events[0].pattern.details["superseded_by"] == "grid_search"


def test_laps_over_the_lines_of_a_grid_are_that_grid_however_long_the_way_to_it() -> None:
    log = FindingLog(SETTINGS, "flight", "abc123")
    grid = finding(PatternType.GRID_SEARCH, 0.0, 5000.0, 9.0)
    grid.details["sweep_nm"] = 3.0
    assert log.report(grid, 3000.0)
    assert not log.report(finding(PatternType.RACETRACK, 2000.0, 3000.0, 1.7), 3000.0)
    assert log.report(finding(PatternType.CIRCLING, 2000.0, 2400.0, 0.4), 3000.0)


def test_patterns_elsewhere_or_at_another_time_stand_next_to_each_other() -> None:
    log = FindingLog(SETTINGS, "flight", "abc123")
    assert log.report(finding(PatternType.CIRCLING, 0.0, 600.0), 600.0)
    assert log.report(finding(PatternType.LOITERING, 3000.0, 4200.0, 3.0), 4200.0)
    assert log.report(finding(PatternType.STAKEOUT, 0.0, 600.0, 0.3, x=40.0), 600.0)
    assert len(log.open) == 3


def test_ending_twice_is_told_once() -> None:
    log = FindingLog(SETTINGS, "flight", "abc123")
    f = finding(PatternType.CIRCLING, 0.0, 600.0)
    log.report(f, 600.0)
    log.end(f)
    log.end(f)
    assert [e.change for e in log.collect()] == [Change.DETECTED, Change.ENDED]


@pytest.mark.parametrize(("score", "word"), [(0.2, "low"), (0.5, "medium"), (0.74, "medium"), (0.75, "high")])
def test_confidence_in_words(score: float, word: str) -> None:
    assert FindingLog(SETTINGS, "flight", "abc123").confidence(score) == word


def test_every_predicate_says_what_it_is() -> None:
    for field in dataclasses.fields(PatternSettings):
        predicate = getattr(SETTINGS, field.name)
        assert dataclasses.is_dataclass(predicate)
        assert not predicate.__doc__.startswith(type(predicate).__name__), f"{field.name} has no docstring"
