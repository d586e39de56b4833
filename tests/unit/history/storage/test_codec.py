"""Chunks hold exactly the points that were put in; what is damaged is refused, never misread."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skywatch.history.storage.codec import BrokenChunk, decode, decode_all, encode
from skywatch.history.storage.points import (
    MILITARY,
    POINT,
    address_code,
    address_text,
    identity,
    in_order,
    no_points,
    starts_of,
)


def some_points(count=500, seed=3):
    rng = np.random.default_rng(seed)
    points = np.zeros(count, POINT)
    points["aircraft"] = rng.choice([0x4B1620, 0x3C6444, 0x1A23456], count)
    points["flight"] = points["aircraft"] % 7
    points["at"] = 175_000_000_000 + rng.integers(0, 60_000, count)
    points["lat"], points["lon"] = rng.integers(-9_000_000, 9_000_000, (2, count))
    points["alt"] = rng.integers(-200, 9000, count)
    points["gs"], points["track"] = rng.integers(-1, 600, count), rng.integers(-1, 361, count)
    points["flags"] = rng.integers(0, 16, count)
    points["source"] = rng.integers(0, 64, count)
    return in_order(points)


def test_points_come_back_as_they_were():
    points = some_points()
    assert np.array_equal(decode(encode(points)), points)
    assert len(decode(encode(no_points()))) == 0


# Six points of a straight flight, as release 0.2.0 wrote them (revision 3a65616c).
MADE_BEFORE = (
    "0178dae361bac0dfd4f0809989a76555f34a4626106858fb88850104ee3d"
    "09bd6474c9e88a1188fc9000166b6107535b18c11413980200d71f1119"
)


def test_points_of_before_are_read_and_have_no_source():
    points = decode(bytes.fromhex(MADE_BEFORE))
    assert points[["aircraft", "flight", "at", "lat", "lon", "alt"]].tolist() == [
        (3932161, 1, 177236610000 + 1000 * number, 5000000, lon, 6200)
        for number, lon in enumerate((702767, 706008, 709249, 712491, 715732, 718973))
    ]
    assert points["flags"].tolist() == [1, 0, 0, 0, 0, 0]
    assert points["source"].tolist() == [0] * 6
    # Without a source the bytes are those of that release, and it reads those with one.
    assert encode(points).hex() == MADE_BEFORE


def test_a_source_costs_next_to_nothing():
    points = some_points()
    points["source"] = 0
    before = len(encode(points))
    points["source"] = 1
    assert len(encode(points)) <= before * 1.01


@pytest.mark.deep("costs over a processor second")
@settings(max_examples=100, deadline=None)
@given(hnp.arrays(POINT, st.integers(0, 40)))
def test_any_points_come_back(points):
    # Times are unix times: they leave room for a difference of any two in 64 bits.
    points["at"] //= 4
    points["flight"] //= 4
    ordered = in_order(points)
    assert np.array_equal(decode(encode(ordered)), ordered)


def test_one_aircraft_is_read_alone_also_where_it_is_military_in_part():
    points = some_points()
    points["aircraft"][::2] |= MILITARY
    points = in_order(points)
    for aircraft in (0x4B1620, 0x3C6444, 0x1A23456 & 0x1FFFFFF, 0x111111):
        assert np.array_equal(decode(encode(points), aircraft), points[identity(points) == aircraft])


def test_chunks_opened_together_are_those_opened_one_by_one():
    parts = [some_points(count, seed) for seed, count in enumerate((300, 1, 0, 40))]
    chunks = [encode(part) for part in parts]
    for only in (None, 0x4B1620, 0x111111):
        for together, data in zip(decode_all(chunks, only), chunks, strict=True):
            assert np.array_equal(together, decode(data, only))
    assert decode_all([]) == []
    with pytest.raises(BrokenChunk):
        decode_all([*chunks, chunks[0][:-1]])


def test_every_damaged_byte_is_noticed():
    data = encode(some_points(60))
    for position in range(len(data)):
        broken = bytearray(data)
        broken[position] ^= 0x55
        with pytest.raises(BrokenChunk):
            decode(bytes(broken))


@pytest.mark.parametrize("cut", [0, 1, 2, 10, -1])
def test_a_chunk_cut_short_is_noticed(cut):
    with pytest.raises(BrokenChunk):
        decode(encode(some_points())[:cut])


def test_the_later_of_two_points_at_one_time_wins():
    points = np.zeros(3, POINT)
    points["at"], points["lat"] = [5, 5, 6], [1, 2, 3]
    assert in_order(points)["lat"].tolist() == [2, 3]


def test_addresses_keep_their_tilde():
    for text in ("4b1620", "~2a3b4c", "000000"):
        assert address_text(address_code(text)) == text
        assert address_text(address_code(text, military=True)) == text


def test_groups_begin_where_aircraft_or_flight_changes():
    points = np.zeros(4, POINT)
    points["aircraft"], points["flight"], points["at"] = [1, 1, 1, 2], [1, 1, 2, 2], [1, 2, 3, 4]
    assert starts_of(points).tolist() == [0, 2, 3]


@pytest.mark.parametrize("seed", range(8))
def test_points_are_put_in_order_however_they_come(seed):
    """In runs that lie apart, in runs that overlap, point by point: always as sorting one by one would."""
    rng = np.random.default_rng(seed)
    points = some_points(400, seed)
    cuts = np.sort(rng.integers(0, len(points), 12))
    runs = np.split(points, cuts)
    shuffled = [np.concatenate([runs[number] for number in rng.permutation(len(runs))]), rng.permutation(points)]
    changed = points[::3].copy()
    changed["lat"] += 1
    shuffled.append(np.concatenate((points, changed)))
    for given_points in (points, *shuffled):
        last = {(p["aircraft"], p["flight"], p["at"]): p for p in given_points}
        wanted = [last[key].tolist() for key in sorted(last)]
        assert in_order(given_points).tolist() == wanted
