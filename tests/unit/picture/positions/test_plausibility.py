"""Positions that cannot be right are not believed, whoever says them and in whatever order."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skywatch.core import geo
from skywatch.picture.positions.plausibility import CONFIRMATIONS, ReportedPosition, coverage, reach_nm, settle
from skywatch.picture.positions.validator import DISPUTED, JUMP, RANGE
from tests.unit.picture.reports import START, Clock, increment, picture_at, snapshot


@pytest.fixture
def clock():
    return Clock()


def position_of(sky, address="4b1620"):
    aircraft = sky.aircraft(address)
    return aircraft.get("lat"), aircraft.get("lon")


@pytest.mark.parametrize(
    ("elapsed", "speed", "on_ground", "mlat", "least", "most"),
    [
        (1, 480, False, False, 0.3 + 640 / 3600, 2),  # a jet's second, with seconds of latency
        (60, 480, False, False, 8, 12),
        (60, math.nan, False, False, 15, 17),
        (1, 0, False, False, 0.3, 1),  # a helicopter that hovers
        (1, 5, True, False, 0.2, 0.3),
        (1, 480, False, True, 3, 5),
    ],
)
def test_how_far_an_aircraft_may_have_come(elapsed, speed, on_ground, mlat, least, most):
    assert least <= reach_nm(elapsed, speed, on_ground, mlat) <= most
    assert reach_nm(-elapsed, speed, on_ground, mlat) == reach_nm(elapsed, speed, on_ground, mlat)


@given(
    st.floats(-90, 90),
    st.floats(-600, 600),
    st.one_of(st.just(math.nan), st.floats(0, 1200)),
    st.booleans(),
    st.booleans(),
)
def test_two_claims_are_near_as_columns_of_positions_are(north_nm, elapsed_s, speed_kt, on_ground, mlat):
    one = ReportedPosition("a", 47.0, 8.0, START + elapsed_s, 0, speed_kt, on_ground, mlat)
    other = ReportedPosition("b", 47.0 + north_nm / 60, 8.0, START, 0, math.nan, on_ground, mlat)
    reach = reach_nm(np.array([one.at - other.at]), np.array([speed_kt]), np.array([on_ground]), np.array([mlat]))
    distance = geo.distance_nm(47.0, 8.0, other.lat, 8.0)
    assume(abs(distance - reach[0]) > 1e-6)
    assert one.near(other) == (distance <= reach[0])


def test_coverage_is_where_a_receiver_hears_also_across_the_date_line():
    assert coverage(np.zeros(3), np.zeros(3)) is None
    lat, lon = geo.destination(-17.0, 179.5, np.arange(0, 360, 10), 100.0)
    centre_lat, centre_lon, radius_nm = coverage(lat, lon)
    assert geo.distance_nm(centre_lat, centre_lon, -17.0, 179.5) < 1
    assert radius_nm == pytest.approx(180, abs=1)


def test_a_jump_is_not_believed_until_it_is_confirmed(clock):
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", START, lat=47.0, lon=8.0, gs=450.0)], 1)
    picture.tick()
    for second in range(1, CONFIRMATIONS):
        clock.advance(1)
        picture.put("roof", [snapshot("4b1620", clock.time(), lat=49.0, lon=8.0, gs=450.0)], 1)
        sky = picture.tick()
        assert position_of(sky) == (47.0, 8.0)
        assert sky.aircraft("4b1620")["seen_pos"] == second
        assert sky.aircraft("4b1620")["seen"] == 0.0
    clock.advance(1)
    picture.put("roof", [snapshot("4b1620", clock.time(), lat=49.002, lon=8.0, gs=450.0)], 1)
    assert position_of(picture.tick()) == (49.002, 8.0)
    assert picture.validator.implausible == {"roof": {JUMP: CONFIRMATIONS - 1}}


def test_positions_that_jump_about_are_never_believed(clock):
    picture = picture_at(clock)
    picture.put("raw", [increment("4b1620", START, lat=47.0, lon=8.0)], 1)
    picture.tick()
    for second in range(30):
        clock.advance(1)
        picture.put("raw", [increment("4b1620", clock.time(), lat=-30.0 + 2 * second, lon=100.0)], 1)
        assert position_of(picture.tick()) == (47.0, 8.0)


def test_what_was_not_believed_is_not_believed_later_for_want_of_better(clock):
    picture = picture_at(clock, timeout_s=300)
    picture.put("roof", [snapshot("4b1620", START, lat=47.0, lon=8.0)], 1)
    picture.tick()
    clock.advance(1)
    wrong_at = clock.time()
    for _ in range(100):
        picture.put("roof", [snapshot("4b1620", clock.time(), position_at=wrong_at, lat=10.0, lon=8.0)], 1)
        assert position_of(picture.tick()) in ((47.0, 8.0), (None, None))
        clock.advance(1)
    assert picture.validator.implausible == {"roof": {JUMP: 1}}


def test_a_single_wrong_position_costs_nothing_else(clock):
    picture = picture_at(clock)
    for second, lat in enumerate([47.0, 47.001, 12.0, 47.003, 47.004]):
        clock.advance(1)
        picture.put("raw", [increment("4b1620", clock.time(), lat=lat, lon=8.0, alt_baro=1000 + second)], 1)
        sky = picture.tick()
        assert sky.aircraft("4b1620")["alt_baro"] == 1000 + second
    assert position_of(sky) == (47.004, 8.0)
    assert picture.validator.implausible["raw"].total() == 1


def test_after_a_long_silence_any_place_is_believed(clock):
    picture = picture_at(clock, timeout_s=600)
    picture.put("roof", [snapshot("4b1620", START, lat=47.0, lon=8.0)], 1)
    picture.tick()
    clock.advance(130)
    picture.put("roof", [snapshot("4b1620", clock.time(), lat=52.0, lon=8.0)], 1)
    assert position_of(picture.tick()) == (52.0, 8.0)


def test_a_recording_played_faster_than_life_is_believed(clock):
    picture = picture_at(clock)
    picture.pace["tape"] = 60.0
    for second in range(5):
        clock.advance(1)
        picture.put("tape", [snapshot("4b1620", clock.time(), lat=47.0 + second / 8, lon=8.0, gs=450.0)], 1)
        assert position_of(picture.tick())[0] == 47.0 + second / 8
    assert picture.validator.implausible == {}


def test_mlat_may_scatter_but_does_not_replace_a_fresh_ads_b_position(clock):
    picture = picture_at(clock)
    for second in range(6):
        clock.advance(1)
        adsb = [snapshot("4b1620", clock.time(), lat=47.0, lon=8.0)] if second == 0 else []
        picture.put("roof", adsb, 1)
        mlat = snapshot("4b1620", clock.time() + 0.0, type="mlat", mlat=["lat", "lon"], lat=47.02, lon=8.02)
        picture.put("net", [mlat], 1)
        assert position_of(picture.tick()) == (47.0, 8.0)
    clock.advance(16)
    picture.put("net", [snapshot("4b1620", clock.time(), type="mlat", mlat=["lat", "lon"], lat=47.03, lon=8.0)], 1)
    sky = picture.tick()
    assert position_of(sky) == (47.03, 8.0)
    assert sky.columns["mlat"].tolist() == [True]
    assert sky.aircraft("4b1620")["receiver"] == "net"


def test_who_hears_an_aircraft_out_of_its_range_is_not_believed_against_another(clock):
    """Both see it for the first time in the same second; only one has ever heard aircraft there."""
    picture = picture_at(clock)
    for name, lat in (("zurich", 47.4), ("alpha", 1.0)):
        others = [snapshot(f"{name}{n}", START, lat=lat + n / 50, lon=8.0 + n / 50) for n in range(20)]
        picture.put(name, others, 20)
    for _ in range(11):
        clock.advance(1)
        picture.tick()
    for name in ("zurich", "alpha"):
        picture.put(name, [snapshot("4b1620", clock.time(), lat=47.5, lon=8.5)], 1)
    # The one whose name comes first, and who would win where all else is equal, is the one that is wrong.
    wrong = snapshot("4b1620", clock.time(), lat=-20.0, lon=60.0)
    picture.put("alpha", [wrong], 1)
    assert position_of(picture.tick()) == (47.5, 8.5)
    assert picture.validator.implausible == {"alpha": {RANGE: 1}}


TRUTH = {"4b1620": (47.0, 8.0), "4b1621": (47.5, 9.0), "3c6444": (-33.9, 151.2), "a4cf26": (0.5, 179.99)}


@st.composite
def nonsense(draw):
    return draw(st.floats(-89, 89)), draw(st.floats(-180, 179.99))


@pytest.mark.deep("costs over a processor second")
@settings(max_examples=40, deadline=None)
@given(
    order=st.permutations(["good one", "good two", "bad"]),
    wrong=st.lists(nonsense(), min_size=6, max_size=6),
    bad_first=st.booleans(),
    steady=st.booleans(),
)
def test_in_any_order_of_receivers_no_implausible_one_wins(order, wrong, bad_first, steady):
    clock = Clock()
    picture = picture_at(clock)
    if bad_first:
        picture.put("bad", [snapshot(a, START, lat=wrong[0][0], lon=wrong[0][1]) for a in TRUTH], 1)
        picture.tick()
    for second in range(5):
        clock.advance(1)
        for name in order:
            if name == "bad":
                lat, lon = wrong[0 if steady else second]
                reports = [snapshot(a, clock.time() + 0.3, lat=lat, lon=lon) for a in TRUTH]
            else:
                at = clock.time() - 0.2
                reports = [snapshot(a, at, lat=lat + second / 1e3, lon=lon) for a, (lat, lon) in TRUTH.items()]
            picture.put(name, reports, len(reports))
        sky = picture.tick()
        for address, (lat, lon) in TRUTH.items():
            shown = position_of(sky, address)
            close = geo.distance_nm(*shown, lat, lon) < 3
            # A wrong place within reach of the right one contradicts nobody.
            harmless = any(geo.distance_nm(*place, lat, lon) < 5 for place in wrong)
            assert close or harmless, (address, shown)


@settings(max_examples=50, deadline=None)
@given(
    places=st.lists(st.tuples(st.sampled_from([0.0, 0.001, 10.0, 40.0]), st.integers(0, 7)), min_size=1, max_size=5),
    believed=st.booleans(),
)
def test_a_settlement_does_not_depend_on_the_order_of_claims(places, believed):
    claims = [
        ReportedPosition(
            f"r{n}", lat, 0.0, START + age, age % 3, 450.0, False, False, believed and lat < 1, age != 5, age == 7
        )
        for n, (lat, age) in enumerate(places)
    ]
    outcomes = {
        (frozenset(kept), overthrown)
        for kept, overthrown in (settle(order, believed) for order in itertools.permutations(claims))
    }
    assert len(outcomes) == 1
    kept, overthrown = next(iter(outcomes))
    winners = [claim for claim in claims if claim.receiver in kept]
    for one, other in itertools.combinations(winners, 2):
        assert one.near(other), "two that contradict each other are never both believed"
    assert not (overthrown and not believed)
    # Nobody is believed only where nothing speaks for one more than for another.
    assert believed or kept or len(claims) > 1


def test_two_against_one_win_at_once_and_one_against_one_never(clock):
    picture = picture_at(clock)
    picture.put("a", [snapshot("4b1620", START, lat=47.0, lon=8.0)], 1)
    picture.tick()
    for _ in range(2 * CONFIRMATIONS):
        clock.advance(1)
        picture.put("a", [snapshot("4b1620", clock.time(), lat=47.0, lon=8.0)], 1)
        picture.put("b", [snapshot("4b1620", clock.time(), lat=50.0, lon=8.0)], 1)
        assert position_of(picture.tick()) == (47.0, 8.0)
    assert set(picture.validator.implausible) == {"b"}
    assert set(picture.validator.implausible["b"]) == {DISPUTED}
    clock.advance(1)
    for name, lat in (("a", 47.0), ("b", 50.0), ("c", 50.0)):
        picture.put(name, [snapshot("4b1620", clock.time(), lat=lat, lon=8.0)], 1)
    assert position_of(picture.tick()) == (50.0, 8.0)
