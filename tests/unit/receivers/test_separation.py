"""The simulated sky is kept apart, whatever its size and place, and without separation it is not."""

import functools
import logging
import math

import numpy as np
import pytest

from skywatch.core import geo
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.simulator import lanes, paths
from skywatch.receivers.simulator.airspace import sufficient_radius_nm
from skywatch.receivers.simulator.fleet import WAITING
from skywatch.receivers.simulator.placement import LEVEL, Kind
from skywatch.receivers.simulator.traffic import Traffic
from skywatch.safety.detection.conflicts.cells import Motion
from skywatch.safety.detection.conflicts.proximity import candidates, judge_pairs
from skywatch.safety.thresholds.thresholds import Thresholds

pytestmark = pytest.mark.deep("walks a corpus")

START = 1_700_000_000.0
CENTRE = (47.45, 8.56)
T = Thresholds()
BUSIEST = 15_000


class NoIntentions:
    """Nobody tells what altitude is selected: who can level off is expected to."""

    def to_go_ft(self, rows, alt_ft, climb_fps):
        return np.where(climb_fps == 0, 0.0, np.nan)


def dangers(traffic):
    """How many pairs in the air meet the rule of proximity events now."""
    state = traffic.state
    flying = np.flatnonzero((state["kind"] != Kind.GROUND) & (state["voice"] != WAITING))
    track, gs = np.radians(state["track_deg"][flying]), state["gs_kt"][flying]
    rate = state["rate_fpm"][flying]
    m = Motion(
        flying, state["lat"][flying], state["lon"][flying], state["alt_ft"][flying],
        gs * np.sin(track), gs * np.cos(track), np.where(np.abs(rate) < 300, 0, rate) / 60,
    )  # fmt: skip
    first, second, _ = candidates(m, T)
    return len(judge_pairs(m, first, second, T, 1.0, T.proximity_closing_kt, NoIntentions()).first)


@functools.cache
def busiest():
    """As many aircraft as are promised; to place them takes seconds."""
    return Traffic(BUSIEST, CENTRE, START, radius_nm=150.0, seed=BUSIEST)


def moved_to(traffic, now):
    """Step to a time, with every aircraft where it is then."""
    traffic.step(now)
    everybody = np.arange(len(traffic.state["lat"]))
    traffic._move(everybody, np.full(len(everybody), now))


@pytest.mark.parametrize(
    ("count", "radius_nm", "centre", "seconds"),
    [
        (200, 150.0, CENTRE, 3600),
        (200, 30.0, CENTRE, 2400),
        (50, 10.0, (-33.9, 179.9), 2400),
        (300, 90.0, (69.7, 18.9), 2400),
        (2000, 150.0, CENTRE, 2400),
        (2000, 400.0, (0.0, -179.9), 1800),
        (1000, 10_800.0, CENTRE, 1800),
        (BUSIEST, 150.0, CENTRE, 120),
    ],
)
def test_nobody_is_in_danger(count, radius_nm, centre, seconds):
    traffic = busiest() if count == BUSIEST else Traffic(count, centre, START, radius_nm=radius_nm, seed=count)
    bad = {}
    for second in range(0, seconds, 15):
        moved_to(traffic, START + second)
        if found := dangers(traffic):
            bad[second] = found
    assert bad == {}
    assert np.count_nonzero(traffic.state["voice"] == WAITING) == 0


def test_without_separation_many_are():
    traffic = Traffic(2000, CENTRE, START, seed=1, separation=False)
    moved_to(traffic, START + 1)
    assert dangers(traffic) > 50


def test_airliners_keep_the_level_of_their_direction():
    traffic = Traffic(2000, CENTRE, START, seed=3)
    state = traffic.state
    level = np.flatnonzero((state["kind"] == Kind.OVERFLIGHT) & (state["profile"] == LEVEL))
    track, hundreds = state["track_deg"][level], np.round(state["alt_ft"][level] / 1000).astype(int)
    eastbound = (track > 0) & (track < 180)
    assert np.array_equal(eastbound, hundreds % 2 == 1)
    assert set(hundreds.tolist()) == set(range(29, 42))


def test_all_kinds_fly_at_every_size():
    for traffic in (*(Traffic(count, CENTRE, START, seed=1) for count in (200, 2000)), busiest()):
        count = len(traffic.state["kind"])
        kinds = np.bincount(traffic.state["kind"], minlength=6) / count
        assert (kinds > 0.02).all(), count


def test_landing_follows_landing_with_an_interval():
    """Who comes down does it with the speeds and angles of airliners; nobody dives, nobody hovers."""
    traffic = Traffic(200, CENTRE, START, seed=5)
    for flown in traffic._profiles:
        assert flown.rate_fpm.min() > -2500
        assert flown.rate_fpm.max() < 2700
        assert flown.gs_kt.min() >= paths.APPROACH_KT
        assert np.abs(np.diff(flown.gs_kt)).max() < 5
        assert np.all(np.diff(flown.flown_nm) > 0)


def test_more_aircraft_than_the_area_holds_get_a_wider_one_and_the_receiver_says_so(caplog):
    with caplog.at_level(logging.WARNING):
        receiver = open_receiver("demo", "simulate aircraft=5000 radius_nm=20", None)
    used = sufficient_radius_nm(5000, 20.0)
    assert used > 60
    assert f"5000 aircraft within {used:.0f} nm" in receiver.status.address
    [line] = caplog.messages
    assert "5000 aircraft cannot be kept apart within 20 nm" in line
    traffic = Traffic(5000, CENTRE, START, radius_nm=20.0, seed=1)
    assert traffic.radius_nm == used
    away = geo.distance_nm(traffic.state["lat"], traffic.state["lon"], *CENTRE)
    assert away.max() <= used * 1.001


def test_without_separation_the_area_stays_as_it_is(caplog):
    receiver = open_receiver("demo", "simulate aircraft=5000 radius_nm=20 separation=no", None)
    assert "5000 aircraft without separation within 20 nm" in receiver.status.address
    assert caplog.messages == []


def test_what_finds_no_room_waits_and_is_not_received():
    traffic = Traffic(100, CENTRE, START, seed=1, ground_share=0.0)
    placement = traffic._fleet.placement
    placement.place = lambda kind, now, entering: None
    traffic.state["ends_at"][:10] = START
    traffic.step(START + 1)
    assert len(traffic.reports()) == 90
    del placement.place
    for second in range(2, 200):
        traffic.step(START + second)
    assert len(traffic.reports()) == 100


def test_a_lane_keeps_its_distance():
    at = paths.frame(60.0, 170.0, 80.0)
    one, other = paths.lane(at, 300.0, -40.0), paths.lane(at, 305.0, -40.0)
    for flown in (0.0, 500.0, 3000.0):
        places = [
            paths.locate(p.c[None], p.u[None], p.v[None], np.array([p.angle + flown / p.arc_nm])) for p in (one, other)
        ]
        apart = geo.distance_nm(*places[0][:2], *places[1][:2])
        assert apart[0] >= lanes.LATERAL_NM - 1e-6


def test_tracks_are_those_of_the_way_flown():
    at = paths.frame(-45.0, -179.9, 200.0)
    for path in (paths.lane(at, 1000.0, 0.0), paths.orbit(at, 2.0, True, 1.0), paths.orbit(at, 2.0, False, 4.0)):
        step = 0.001 / path.arc_nm
        angles = path.angle + np.array([0.0, step])
        vectors = [np.repeat(vector[None], 2, axis=0) for vector in (path.c, path.u, path.v)]
        lat, lon, track = paths.locate(*vectors, angles)
        flown = float(geo.bearing_deg(lat[0], lon[0], lat[1], lon[1]))
        assert abs((flown - track[0] + 180) % 360 - 180) < 0.1
        assert math.isclose(float(geo.distance_nm(lat[0], lon[0], lat[1], lon[1])), 0.001, rel_tol=1e-3)
