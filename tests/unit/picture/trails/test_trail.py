"""Trails: straight flight is thinned, turns are kept, a new flight starts a new trail."""

import itertools
import math

import pytest

from skywatch.core import geo
from skywatch.picture.trails.trail import MAX_POINTS, TrailStore
from tests.unit.picture.reports import START, Clock, picture_at, snapshot


def fly(picture, clock, seconds, track, gs=480.0, address="4b1620", start=(47.0, 8.0), **fields):
    """Fly for some seconds with a track (a number or a function of the second); the last position."""
    lat, lon = start
    for second in range(seconds):
        clock.advance(1)
        heading = track(second) if callable(track) else track
        lat, lon = geo.destination(lat, lon, heading, gs / 3600)
        said = {"alt_baro": 35000, "gs": gs, "track": heading % 360, **fields}
        picture.put("roof", [snapshot(address, clock.time(), lat=float(lat), lon=float(lon), **said)], 1)
        picture.tick()
    return float(lat), float(lon)


def rounded(points):
    return [(point.lat, point.lon) for point in points]


@pytest.fixture
def clock():
    return Clock()


def test_straight_flight_keeps_a_point_every_half_minute_and_the_present_one(clock):
    picture = picture_at(clock)
    lat, lon = fly(picture, clock, 100, 90)
    points = picture.trails.trail("4b1620")
    assert 4 <= len(points) <= 6
    assert (points[-1].lat, points[-1].lon) == (pytest.approx(lat, abs=1e-6), pytest.approx(lon, abs=1e-6))
    assert points[-1].at == START + 100
    assert points[0][3:] == (35000, False, 480.0, 90.0)
    assert [point.at for point in points] == sorted({point.at for point in points})
    assert picture.trails.trail("000000") == []


def test_a_circle_stays_a_circle(clock):
    picture = picture_at(clock)
    flown = []
    start = (47.0, 8.0)
    for second in range(240):
        start = fly(picture, clock, 1, second * 3, gs=120.0, start=start)
        flown.append(start)
    points = rounded(picture.trails.trail("4b1620"))
    assert len(points) < 120
    for lat, lon in flown:
        assert min(math.hypot((lat - a) * 60, (lon - b) * 60 * math.cos(math.radians(47))) for a, b in points) < 0.2


def test_an_orbit_has_a_point_every_five_seconds_of_its_turn(clock):
    picture = picture_at(clock)
    # A police helicopter: round a place 0.3 nm away once in two minutes.
    fly(picture, clock, 120, lambda second: second * 3, gs=60.0)
    times = [point.at for point in picture.trails.trail("4b1620")]
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert max(gaps) <= 6
    assert len(times) <= 26, "and not more"


def test_the_newest_part_of_a_trail(clock):
    picture = picture_at(clock)
    fly(picture, clock, 100, lambda second: second * 10)
    every = picture.trails.trail("4b1620")
    since = START + 80
    assert picture.trails.trail("4b1620", since) == [point for point in every if point.at >= since]
    assert 1 < len(picture.trails.trail("4b1620", since)) < len(every)
    assert picture.trails.trail("4b1620", 1.0) == every


def test_a_parked_aircraft_needs_one_point(clock):
    picture = picture_at(clock)
    fly(picture, clock, 200, 0, gs=0.0, alt_baro="ground")
    points = picture.trails.trail("4b1620")
    assert len(points) == 2
    assert points[0].on_ground
    assert points[0].altitude_ft is None


@pytest.mark.deep("costs over a processor second")
def test_a_long_trail_is_bounded_and_keeps_both_ends(clock, monkeypatch):
    monkeypatch.setattr("skywatch.picture.trails.trail.MAX_POINTS", 100)
    picture = picture_at(clock)
    end = fly(picture, clock, 600, lambda second: second * 20)
    points = picture.trails.trail("4b1620")
    assert 50 <= len(points) <= 101
    assert points[0].at == START + 1
    assert rounded(points)[-1] == pytest.approx(end, abs=1e-6)
    assert MAX_POINTS >= 500


def test_old_points_go(clock, monkeypatch):
    monkeypatch.setattr("skywatch.picture.trails.trail.OLDEST_S", 60.0)
    picture = picture_at(clock)
    fly(picture, clock, 120, lambda second: second * 10)
    points = picture.trails.trail("4b1620")
    assert START + 55 <= points[0].at <= START + 65


def test_a_flight_ends_when_the_aircraft_leaves(clock):
    picture = picture_at(clock)
    fly(picture, clock, 40, 90)
    clock.advance(61)
    picture.tick()
    assert picture.trails.trail("4b1620") == []
    fly(picture, clock, 2, 90)
    assert len(picture.trails.trail("4b1620")) == 2


def test_a_callsign_that_changes_after_landing_is_a_new_flight(clock):
    picture = picture_at(clock)
    position = fly(picture, clock, 40, 90, flight="SWR1")
    position = fly(picture, clock, 5, 90, flight="SWR2", start=position)
    assert len(picture.trails.trail("4b1620")) > 2, "a callsign corrected in flight is no new flight"
    position = fly(picture, clock, 40, 90, gs=20.0, flight="SWR2", alt_baro="ground", start=position)
    clock.advance(1)
    before = clock.time()
    fly(picture, clock, 3, 90, gs=20.0, flight="SWR3", alt_baro="ground", start=position)
    assert picture.trails.trail("4b1620")[0].at >= before


def test_setting_the_clock_does_not_stop_a_trail(clock):
    picture = picture_at(clock)
    position = fly(picture, clock, 40, 90)
    clock.set(-3600)
    fly(picture, clock, 40, 90, start=position)
    points = picture.trails.trail("4b1620")
    assert points[-1].at == clock.time()
    assert points[-1].at - points[0].at == pytest.approx(79, abs=0.2)


def test_trails_are_restored_for_aircraft_that_are_still_there(clock):
    picture = picture_at(clock)
    fly(picture, clock, 100, 90)
    fly(picture, clock, 10, 90, address="4b1621")
    book = TrailStore()
    book.restore(picture.trails.save(), {"4b1620"})
    assert book.trail("4b1620") == picture.trails.trail("4b1620")[: len(book.trail("4b1620"))]
    assert len(book.trail("4b1620")) >= 4
    assert book.trail("4b1621") == []
    with pytest.raises(ValueError):
        book.restore(b"nonsense", set())
