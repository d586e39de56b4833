"""The plane, the trail, shapes and loops: the ground that the detectors stand on."""

from __future__ import annotations

import itertools
from math import atan2, cos, degrees, pi, radians, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.patterns.loops.loops import LoopFinder
from skywatch.patterns.loops.shape import measure
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import LocalPlane, wrap_deg
from skywatch.patterns.track.trail import PositionNoise, Trail, Vertex
from tests.unit.patterns.flights import START, Flight, feed

SETTINGS = PatternSettings()


def vertices(flight: Flight, every_s: float = 5.0, **kw: object) -> list[Vertex]:
    trail = Trail(SETTINGS)
    heard = flight.positions(every_s, **kw)  # type: ignore[arg-type]
    return [v for p in heard if (v := trail.add(*p[:6])) is not None]


@given(
    lat=st.floats(-89.9, 89.9),
    lon=st.floats(-180.0, 180.0),
    x=st.floats(-300.0, 300.0),
    y=st.floats(-300.0, 300.0),
)
def test_plane_there_and_back(lat: float, lon: float, x: float, y: float) -> None:
    plane = LocalPlane(lat, lon)
    assert plane.project(*plane.unproject(x, y)) == pytest.approx((x, y), abs=1e-6)


@pytest.mark.parametrize(("lat", "lon"), [(0.0, 0.0), (52.0, 5.0), (-33.0, 179.9), (70.0, -179.9), (85.0, 40.0)])
@pytest.mark.parametrize("track", [0.0, 60.0, 135.0, 250.0])
def test_convergence_turns_tracks_into_directions_on_the_plane(lat: float, lon: float, track: float) -> None:
    plane = LocalPlane(lat, lon)
    here = plane.unproject(30.0, -20.0)
    ahead = (
        here[0] + 1e-4 * cos(radians(track)),
        here[1] + 1e-4 * sin(radians(track)) / cos(radians(here[0])),
    )
    x0, y0 = plane.project(*here)
    x1, y1 = plane.project(*ahead)
    direction = degrees(atan2(x1 - x0, y1 - y0))
    assert wrap_deg(direction - track - plane.convergence_deg(*here)) == pytest.approx(0.0, abs=0.3)


def test_a_minute_of_latitude_is_a_mile() -> None:
    assert LocalPlane(52.0, 5.0).project(52.0 + 1.0 / 60.0, 5.0)[1] == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("every_s", [5.0, 10.0, 20.0, 30.0])
@pytest.mark.parametrize("turns", [3.0, -3.0])
def test_heading_is_unwound(every_s: float, turns: float) -> None:
    flight = Flight(speed_kt=120.0).straight(3.0).orbit(turns, 0.5).straight(3.0)
    assert vertices(flight, every_s)[-1].turn_deg == pytest.approx(360.0 * turns, abs=15.0)


def test_tracks_tell_turns_that_positions_alone_do_not() -> None:
    # A circle of 94 s heard every 60 s turns 230 degrees between two positions.
    flight = Flight(speed_kt=120.0).straight(3.0).orbit(4.0, 0.5).straight(3.0)
    assert vertices(flight, 60.0)[-1].turn_deg == pytest.approx(1440.0, abs=30.0)
    assert abs(vertices(flight, 60.0, tracked=False)[-1].turn_deg) < 1000.0


def test_wrong_tracks_are_not_believed() -> None:
    heard = Flight(speed_kt=170.0).straight(10.0).positions()
    trail = Trail(SETTINGS)
    for number, p in enumerate(heard):
        wrong = p[5] if number % 9 else (p[5] or 0.0) + 160.0
        trail.add(*p[:5], wrong)
    assert trail.turn_deg == pytest.approx(0.0, abs=1.0)


def test_straight_flight_makes_few_vertices_and_turns_many() -> None:
    assert len(vertices(Flight(speed_kt=90.0).straight(15.0), 1.0)) <= 22
    assert len(vertices(Flight(speed_kt=90.0).orbit(1.0, 0.8), 1.0)) >= 24


def test_late_repeated_and_impossible_positions_are_passed_over() -> None:
    heard = Flight(speed_kt=90.0).straight(10.0).positions()
    trail = Trail(SETTINGS)
    for p in heard:
        trail.add(*p[:6])
        trail.add(*p[:6])
        trail.add(p[0] - 30.0, *p[1:6])
        trail.add(p[0] + 4.0, (p[1] or 0.0) + 5.0, *p[2:6])
        trail.add(p[0] + 4.0, float("nan"), 0.0)
        trail.add(p[0] + 4.0, 95.0, 0.0)
    assert trail.path_nm == pytest.approx(10.0, abs=0.3)


def test_a_jump_that_turns_out_true_starts_over() -> None:
    trail = Trail(SETTINGS)
    for p in Flight(lat=50.0).straight(3.0).positions():
        trail.add(*p[:6])
    first = trail.plane
    for p in Flight(lat=55.0).straight(3.0).positions():
        trail.add(p[0] + 200.0, *p[1:6])
    assert trail.plane is not first
    assert trail.path_nm < 3.0


def test_a_clock_once_far_ahead_does_not_deafen() -> None:
    trail = Trail(SETTINGS)
    trail.add(START + 1e6, 52.0, 5.0)
    heard = Flight().straight(5.0).positions()
    for p in heard:
        trail.add(*p[:6])
    assert trail.last_t == heard[-1][0]


def circle(turns: float = 1.0, radius: float = 1.0, steps: int = 36) -> list[Vertex]:
    return [
        Vertex(float(n), radius * sin(a), radius * cos(a), 1000.0 + n, 100.0, degrees(a) + 90.0, radius * a)
        for n in range(round(steps * turns) + 1)
        for a in [2.0 * pi * n / steps]
    ]


def test_shape_of_a_circle() -> None:
    shape = measure(circle())
    assert (shape.x, shape.y) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert shape.radius_nm == pytest.approx(1.0, rel=0.01)
    assert shape.length_nm == pytest.approx(2.0 * pi, rel=0.01)
    assert shape.winding_deg == pytest.approx(360.0)
    assert shape.closure_nm == pytest.approx(0.0, abs=1e-9)
    assert shape.elongation == pytest.approx(0.0, abs=1e-9)
    assert shape.straight_share == 0.0
    assert (shape.sway, shape.meander, shape.wiggle) == pytest.approx((1.0, 1.0, 1.0))
    assert (shape.low_ft, shape.high_ft) == (1000.0, 1036.0)


def test_shape_of_a_stadium_tells_the_share_of_its_legs() -> None:
    flight = Flight(speed_kt=100.0).oval(1.0, 3.0, 0.5)
    shape = measure(vertices(flight))
    share = 6.0 / (6.0 + pi)
    assert shape.elongation == pytest.approx(share, abs=0.06)
    assert shape.straight_share == pytest.approx(share, abs=0.12)
    assert min(shape.axis_deg, 180.0 - shape.axis_deg) < 5.0


def test_loops_follow_one_another_without_sharing() -> None:
    finder = LoopFinder(SETTINGS)
    loops = [loop for v in vertices(Flight().straight(4.0).orbit(5.0, 0.7)) if (loop := finder.add(v))]
    assert [round(loop.turns) for loop in loops] in ([1] * 5, [1] * 4)
    for a, b in itertools.pairwise(loops):
        assert b.shape.t0 >= a.shape.t1


def test_turning_headings_without_a_way_round_make_no_loop() -> None:
    # Headings that claim three circles, along a straight way.
    finder = LoopFinder(SETTINGS)
    line = [Vertex(5.0 * n, 0.0, 0.15 * n, None, 90.0, 20.0 * n, 0.15 * n) for n in range(60)]
    assert [loop for v in line if (loop := finder.add(v))] == []


def test_memory_is_bounded() -> None:
    finder = LoopFinder(SETTINGS)
    for n in range(5_000):
        finder.add(Vertex(10.0 * n, sin(n / 3.0), 0.3 * n, None, 90.0, 60.0 * sin(n / 3.0), 0.3 * n))
        assert len(finder._line) <= SETTINGS.trail_vertex.max_vertices


def loudness(flight: Flight, noise_nm: float, every_s: float = 8.0) -> list[bool]:
    """Return of each position of a flight whether noise is seen in it and those before."""
    noise, plane = PositionNoise(PatternSettings()), LocalPlane(50.0, 8.0)
    loud = []
    for t, lat, lon, *_ in flight.positions(every_s, noise_nm=noise_nm, tracked=False):
        noise.add((t, *plane.project(lat, lon), None, None, None, lat, lon))
        loud.append(noise.is_loud)
    return loud


def test_noise_shows_in_straight_flight_and_in_turns_which_are_none() -> None:
    def flight() -> Flight:
        return Flight(speed_kt=90.0).straight(8.0).orbit(6.0, 0.25).straight(8.0)

    assert not any(loudness(flight(), 0.0))
    assert not any(loudness(flight(), 0.01))
    assert sum(loudness(flight(), 0.15)) > 0.8 * len(loudness(flight(), 0.15))


def test_lanes_and_circles_are_found_in_noise_of_220_m_without_tracks() -> None:
    lanes = Flight(speed_kt=110.0, alt_ft=2000.0).straight(6.0)
    for number in range(8):
        side = 1.0 if number % 2 else -1.0
        lanes.straight(5.0).turn(90.0 * side, 0.25).straight(0.1).turn(90.0 * side, 0.25)
    circles = Flight(speed_kt=100.0, alt_ft=2000.0).straight(8.0).orbit(7.0, 0.7).straight(8.0)
    for flight, kind in ((lanes, "grid_search"), (circles, "circling")):
        for seed in range(1, 4):
            positions = flight.positions(8.0, noise_nm=0.12, tracked=False, seed=seed)
            assert kind in {event.pattern.pattern_type.value for event in feed(positions)}
