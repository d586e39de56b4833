"""Positions of flying and taxiing aircraft: all of them, the right ones, and no others, however they arrive."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from skywatch.core.geo import destination, distance_nm
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.encoder import airborne_position, squitter, surface_position
from skywatch.receivers.mode_s.message import Message
from skywatch.receivers.mode_s.position import plausibility
from skywatch.receivers.mode_s.position.positions import Resolver
from tests.unit.receivers.mode_s.helpers import ADDRESS, decode_frames, positions

Timed = tuple[float, bytes]
# The first worlds show a fault of the rules; the others are repetition.
FURTHER = pytest.mark.nightly("further drawn worlds")


def airborne(lat: float, lon: float, odd: int, address: int = ADDRESS) -> bytes:
    return squitter(address, airborne_position(lat, lon, odd))


def surface(lat: float, lon: float, odd: int, address: int = ADDRESS, movement: int = 20) -> bytes:
    return squitter(address, surface_position(lat, lon, odd, movement), capability=4)


def flight(
    lat: float, lon: float, track_deg: float = 90.0, gs_kt: float = 450.0, seconds: float = 60.0, step_s: float = 0.5,
    address: int = ADDRESS, start: float = 0.0,
) -> list[Timed]:  # fmt: skip
    """An aircraft that flies straight and sends even and odd positions in turn."""
    times = np.arange(int(seconds / step_s)) * step_s
    places = zip(*(column.tolist() for column in destination(lat, lon, track_deg, gs_kt * times / 3600)), strict=True)
    return [
        (start + t, airborne(*place, count % 2, address))
        for count, (t, place) in enumerate(zip(times.tolist(), places, strict=True))
    ]


def found_at(messages: Iterable[Message]) -> list[tuple[float, float, float]]:
    return [(m.at, m.lat, m.lon) for m in messages if m.lat is not UNSET and m.lon is not UNSET]


def assert_on_track(messages: Iterable[Message], lat: float, lon: float, track_deg: float, gs_kt: float) -> int:
    found = found_at(messages)
    at, *place = np.array(found).reshape(-1, 3).T
    assert (distance_nm(*place, *destination(lat, lon, track_deg, gs_kt * at / 3600)) < 0.01).all()
    return len(found)


@pytest.mark.parametrize("size", [1, 7, None])
@pytest.mark.parametrize("station", [None, (48.0, 11.0)])
def test_every_frame_but_the_first_gives_a_position(size, station):
    frames = flight(48.0, 11.0)
    messages = decode_frames(frames, Decoder(station), size)
    assert assert_on_track(messages, 48.0, 11.0, 90.0, 450.0) == len(frames) - 1


@pytest.mark.parametrize(
    ("lat", "lon", "track_deg"),
    [
        (0.02, 10.0, 180.0), (10.47, 0.0, 0.0), (50.0, 179.9, 90.0), (-50.0, -179.9, 270.0), (89.5, 30.0, 0.0),
        (86.9, 0.0, 0.0), (-33.9, 151.2, 45.0), (-87.1, 120.0, 180.0), (59.95, -0.05, 90.0), (6.0, 6.0, 225.0),
    ],
)  # fmt: skip
def test_flights_over_the_special_places_of_the_globe(lat, lon, track_deg):
    frames = flight(lat, lon, track_deg, seconds=120)
    assert assert_on_track(decode_frames(frames), lat, lon, track_deg, 450.0) >= len(frames) - 6


def test_a_pair_must_not_be_too_far_apart():
    first, second = airborne(50.0, 8.0, 0), airborne(50.0, 8.0, 1)
    assert len(positions(decode_frames([(0.0, first), (10.0, second)]))) == 1
    assert positions(decode_frames([(0.0, first), (10.1, second)])) == []
    assert positions(decode_frames([(0.0, first), (5.0, first)])) == []


@pytest.mark.parametrize(
    ("movement", "apart_s", "count"), [(13, 50.0, 1), (13, 50.1, 0), (60, 25.0, 1), (60, 25.1, 0), (0, 25.1, 0)]
)
def test_surface_pairs_may_be_further_apart_the_slower_the_aircraft(movement, apart_s, count):
    frames = [(0.0, surface(50.0, 8.0, 0, movement=movement)), (apart_s, surface(50.0, 8.0, 1, movement=movement))]
    assert len(positions(decode_frames(frames, Decoder((50.1, 8.1))))) == count


def test_single_frames_go_on_from_a_fresh_position_only():
    pair = [(0.0, airborne(50.0, 8.0, 0)), (0.5, airborne(50.0, 8.0, 1))]
    for after_s, count in ((60.0, 2), (121.0, 1)):
        frames = [*pair, (0.5 + after_s, airborne(50.0, 8.1, 1))]
        assert len(positions(decode_frames(frames))) == count


def test_a_position_out_of_range_is_not_believed():
    frames = flight(48.0, 11.0, seconds=5)
    decoder = Decoder(station=(30.0, 11.0), max_range_nm=300.0)
    assert positions(decode_frames(frames, decoder)) == []
    assert decoder.statistics.positions.out_of_range == len(frames) - 1
    assert len(positions(decode_frames(frames, Decoder((30.0, 11.0), max_range_nm=2000.0)))) == len(frames) - 1


@pytest.mark.parametrize("size", [1, 5, None])
def test_a_jump_is_believed_only_when_new_frames_confirm_it(size):
    before = flight(48.0, 11.0, seconds=10)
    after = flight(20.0, 60.0, seconds=10, start=10.0)
    decoder = Decoder()
    found = found_at(decode_frames(before + after, decoder, size))
    there = [at for at, lat, _ in found if lat < 30]
    # The pair across the jump is in neither place.
    assert all(min(abs(lat - 48), abs(lat - 20)) < 1 for _, lat, _ in found)
    assert 10.0 < there[0] <= 14.0
    assert there[1:] == [at for at, _ in after if at > there[0]]
    assert decoder.statistics.positions.too_fast > 0


@pytest.mark.parametrize("size", [1, None])
def test_one_frame_of_another_place_does_not_move_an_aircraft(size):
    frames = flight(48.0, 11.0, seconds=20)
    stray = [(10.1, airborne(20.0, 60.0, 0))]
    messages = decode_frames(sorted(frames + stray), batch_size=size)
    assert assert_on_track(messages, 48.0, 11.0, 90.0, 450.0) >= len(frames) - 2


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=FURTHER) for seed in range(12, 30))])
def test_two_aircraft_with_one_address_never_give_a_third_place(seed):
    rng = random.Random(seed)
    here, there = (48.0, 11.0), (rng.uniform(-60, 60), rng.uniform(-180, 180))
    start = rng.choice([0.1, 0.25, 20.0])
    frames = flight(*here, seconds=60) + flight(*there, seconds=60, start=start)
    frames = sorted(frame for frame in frames if rng.random() < 0.7)
    found = found_at(decode_frames(frames, batch_size=rng.choice([1, 10, 500])))
    wrong = [
        place for place, (_, *where) in enumerate(found)
        if min(float(distance_nm(*where, *home)) for home in (here, there)) > 10.0
    ]  # fmt: skip
    # When both begin at once, nothing is known that the very first pair could be held against.
    assert wrong == [] or (wrong == [0] and start < 1)


def test_a_wrong_first_position_is_given_up():
    # An even frame that was ten minutes late makes the first pair, and puts the aircraft into a wrong zone.
    late = airborne(45.2, 11.0, 0)
    frames = [(0.0, late), *((t + 0.5, frame) for t, frame in flight(48.0, 11.0, seconds=30)[1:])]
    found = found_at(decode_frames(frames))
    right = [at for at, *place in found if distance_nm(*place, 48.0, 11.0) < 10]
    assert right
    assert right[0] < 10.0
    assert all(distance_nm(*place, 48.0, 11.0) < 10 for at, *place in found if at >= right[0])


def test_surface_positions_need_a_reference():
    taxi = [(float(k), surface(-33.94, 151.18, k % 2)) for k in range(6)]
    assert positions(decode_frames(taxi)) == []
    for station in ((-33.9, 151.2), (-40.0, 140.0)):
        found = positions(decode_frames(taxi, Decoder(station, max_range_nm=1000)))
        assert len(found) == 5
        assert all(distance_nm(*place, -33.94, 151.18) < 0.01 for place in found)


def test_landing_and_taking_off_without_a_station():
    place = (-33.94, 151.18)
    approach = [(k * 0.5, airborne(*place, k % 2)) for k in range(6)]
    rollout = [(3.0 + k, surface(*place, k % 2, movement=100)) for k in range(6)]
    departure = [(9.0 + k * 0.5, airborne(*place, k % 2)) for k in range(6)]
    for size in (1, 4, None):
        messages = decode_frames(approach + rollout + departure, batch_size=size)
        found = positions(messages)
        assert len(found) == 17
        assert all(distance_nm(*where, *place) < 0.01 for where in found)
        assert [m.alt_baro for m in messages].count("ground") == 6


@pytest.mark.parametrize("station", [(0.5, 8.0), (-0.5, 8.0), (50.0, 179.5), (50.0, -179.5), (44.9, 44.9), (0.2, -0.2)])
@pytest.mark.parametrize("bearing", [0, 90, 180, 270])
def test_surface_quarters_around_the_station(station, bearing):
    place = tuple(map(float, destination(*station, bearing, 100.0)))
    frames = [(float(k), surface(*place, k % 2)) for k in range(3)]
    found = positions(decode_frames(frames, Decoder(station)))
    assert len(found) == 2
    assert all(distance_nm(*where, *place) < 0.01 for where in found)


@pytest.mark.parametrize(
    "message",
    [
        airborne_position(50.0, 8.0, 0) & ~((1 << 34) - 1),  # zeros where the position is
        15 << 51 | 0x1F000 << 17,  # type code 15, no altitude, no longitude, round latitude
        airborne_position(50.0, 8.0, 0, type_code=0),
    ],
)
def test_frames_that_hold_no_position(message):
    decoder = Decoder()
    other = airborne(50.0, 8.0, 1)
    assert positions(decode_frames([(0.0, squitter(ADDRESS, message)), (0.5, other)], decoder)) == []


def test_the_counts_of_what_became_of_position_frames():
    decoder = Decoder()
    decode_frames(flight(48.0, 11.0, seconds=5), decoder)
    decode_frames([(60.0, airborne(48.0, 11.1, 0))], decoder)
    counts = decoder.statistics.positions
    assert (counts.by_pair, counts.alone, counts.unresolved, counts.resolved) == (9, 1, 1, 10)


def test_times_that_step_back_a_little_change_nothing():
    frames = flight(48.0, 11.0, seconds=20)
    doubled = [piece for t, frame in frames for piece in ((t, frame), (t - 0.3, frame))]
    found = positions(decode_frames(doubled))
    assert set(found) == set(positions(decode_frames(frames)))
    assert len(found) == len(doubled) - 2


@st.composite
def traffic(draw: st.DrawFn) -> list[Timed]:
    """Position frames of a few aircraft that fly, taxi, jump, share addresses and come late or twice."""
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    places = [(48.0, 11.0), (48.1, 11.2), (-48.0, 11.0), (20.0, 60.0), (0.001, 179.999), (86.99, 5.0), (48.0, 18.0)]
    frames: list[Timed] = []
    for _ in range(draw(st.integers(1, 4))):
        address = ADDRESS + rng.randrange(2)
        lat, lon = rng.choice(places)
        t, track = rng.uniform(0, 30), rng.uniform(0, 360)
        on_ground = rng.random() < 0.2
        for count in range(rng.randrange(1, 40)):
            t += rng.choice([0.0, 0.5, 0.5, 0.5, 1.0, 9.0, 11.0, 26.0, 130.0, 650.0]) if rng.random() < 0.3 else 0.5
            on_ground ^= rng.random() < 0.03
            gs_kt = 30.0 if on_ground else 450.0
            place = destination(lat, lon, track, gs_kt * t / 3600)
            make = surface if on_ground else airborne
            odd = rng.randrange(2) if rng.random() < 0.3 else count % 2
            frames.append((t + rng.choice([0.0, 0.0, -0.3]), make(*map(float, place), odd, address)))
    return sorted(frames, key=lambda frame: frame[0] + rng.uniform(-0.2, 0.2))


@pytest.mark.deep("costs over a processor second")
@settings(max_examples=70)
@given(traffic(), st.sampled_from([None, (48.0, 11.0)]), st.integers(1, 40))
def test_how_the_frames_are_cut_into_batches_does_not_matter(frames, station, size):
    whole = Decoder(station)
    pieces = Decoder(station)
    assert decode_frames(frames, whole) == decode_frames(frames, pieces, size)
    assert whole.statistics.positions == pieces.statistics.positions


@settings(max_examples=70)
@given(traffic(), st.sampled_from([None, (48.0, 11.0)]))
def test_columns_and_walking_through_give_the_same(frames, station):
    at_once = decode_frames(frames, Decoder(station))
    original = Resolver._all_at_once  # what decides between the two ways

    def everything_is_irregular(self, *arguments):
        *columns, irregular = original(self, *arguments)
        return *columns, np.ones_like(irregular)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Resolver, "_all_at_once", everything_is_irregular)
        assert decode_frames(frames, Decoder(station)) == at_once


@given(st.floats(-89, 89), st.floats(-180, 180), st.floats(0, 360), st.floats(0, 300))
def test_the_quick_distance_is_the_true_one_or_more(lat, lon, bearing, nm):
    place = tuple(map(float, destination(lat, lon, bearing, nm)))
    quick = plausibility.distance_nm(lat, lon, *place)
    column = plausibility.distance_nm(np.array([lat]), np.array([lon]), np.array([place[0]]), np.array([place[1]]))
    assert quick == pytest.approx(float(column[0]), rel=1e-12, abs=1e-12)
    assert quick >= nm * 0.99 - 1e-6
    if max(abs(lat), abs(place[0])) < 70:
        assert quick <= nm * 1.011 + 1e-6
    assert math.isfinite(quick)
