"""What was in doubt before a takeover is in doubt after it: one stranger's lie never becomes a sure emergency."""

from __future__ import annotations

import random
import zlib

import msgspec
import numpy as np
import pytest

from skywatch.picture.changes import apply_changes, encode_changes
from skywatch.picture.distribution.follower import aged
from skywatch.picture.picture import Picture
from skywatch.picture.state.doubt import ALL, ALONE, EMERGENCY, GROUP_BITS, SQUAWK, doubt_of, sure_emergencies
from skywatch.picture.state.fields import GROUPS
from skywatch.picture.state.sky import DOUBT, UNKNOWN_DOUBT, Sky, from_bytes, to_bytes
from skywatch.receivers.feeder_streams.voices import Voice
from tests.unit.picture.reports import START, Clock, increment, picture_at
from tests.unit.picture.storage.test_followed import taken_over
from tests.unit.picture.test_whose_voice import copied, drawn_world

# The first worlds show a fault of the rules; the others are repetition.
FURTHER = pytest.mark.nightly("further drawn worlds")
ADDRESS = "4b1622"
ONE, OTHER = Voice("user 1", "10.0.0.0/24"), Voice("user 2", "10.0.1.0/24")
POSITION = {"lat": 47.2, "lon": 8.0}


@pytest.fixture
def clock():
    return Clock()


def doubts(sky: Sky) -> dict[str, int]:
    """The bits of what is in doubt, by address."""
    doubt = doubt_of(sky)
    return dict(zip(sky.hexes, np.zeros(len(sky), "u2").tolist() if doubt is None else doubt.tolist(), strict=True))


def ours_without_squawk(clock: Clock) -> Picture:
    leader = picture_at(clock)
    leader.put("roof", [increment(ADDRESS, clock.wall, flight="SWR12", **POSITION)], 1)
    leader.put("feeder-1", [increment(ADDRESS, clock.wall, squawk="7700")], 1, voice=ONE)
    return leader


def ours_silent_for_20_s(clock: Clock) -> Picture:
    leader = picture_at(clock)
    leader.put("roof", [increment(ADDRESS, clock.wall, flight="SWR12", squawk="1000", emergency="none", **POSITION)], 1)
    leader.tick()
    clock.advance(20)
    lie = increment(ADDRESS, clock.wall, squawk="7700", emergency="general", alt_baro=9_000)
    leader.put("feeder-1", [lie], 1, voice=ONE)
    return leader


def two_strangers_of_whom_one_lies(clock: Clock) -> Picture:
    leader = picture_at(clock)
    leader.put("feeder-2", [increment(ADDRESS, clock.wall, flight="SWR12", **POSITION)], 1, voice=OTHER)
    leader.put("feeder-1", [increment(ADDRESS, clock.wall, squawk="7700", **POSITION)], 1, voice=ONE)
    return leader


def one_stranger_goes_on_alone(clock: Clock) -> Picture:
    leader = picture_at(clock)
    leader.put("roof", [increment(ADDRESS, clock.wall, **POSITION)], 1)
    leader.put("feeder-1", [increment(ADDRESS, clock.wall, **POSITION)], 1, voice=ONE)
    for _ in range(10):
        leader.tick()
        clock.advance(10)
        leader.put("feeder-1", [increment(ADDRESS, clock.wall, squawk="7700", **POSITION)], 1, voice=ONE)
    return leader


@pytest.mark.parametrize(
    "world", [ours_without_squawk, ours_silent_for_20_s, two_strangers_of_whom_one_lies, one_stranger_goes_on_alone]
)
def test_what_one_stranger_says_is_no_sure_emergency_after_a_takeover(world, clock):
    sky = world(clock).tick()
    assert sky.column("emergency").all()
    assert not sure_emergencies(sky).any()
    picture, followed = taken_over(sky, clock)
    # The alarm is there, and in doubt, though the stranger and another of its feeders repeat it.
    for _ in range(20):
        assert followed.column("emergency").all()
        assert not sure_emergencies(followed).any()
        assert doubts(followed)[ADDRESS] & SQUAWK
        assert followed.aircraft(ADDRESS).get("single_source") is None
        clock.advance(1)
        for feeder in ("feeder-1", "feeder-3"):
            picture.put(feeder, [increment(ADDRESS, clock.wall, squawk="7700")], 1, voice=ONE)
        followed = picture.tick()


def test_the_mark_of_one_that_goes_on_alone_stays_until_another_hears_it(clock):
    sky = one_stranger_goes_on_alone(clock).tick()
    assert doubts(sky)[ADDRESS] & ALONE
    picture, followed = taken_over(sky, clock)
    assert followed.aircraft(ADDRESS) == sky.aircraft(ADDRESS)
    picture.put("feeder-1", [increment(ADDRESS, clock.wall, **POSITION)], 1, voice=ONE)
    assert doubts(picture.tick())[ADDRESS] & ALONE
    picture.put("feeder-2", [increment(ADDRESS, clock.wall, squawk="7700", **POSITION)], 1, voice=OTHER)
    confirmed = picture.tick()
    assert not doubts(confirmed)[ADDRESS] & ALONE


def test_what_several_say_is_sure_after_a_takeover(clock):
    leader = picture_at(clock)
    for feeder, voice in (("feeder-1", ONE), ("feeder-2", OTHER)):
        leader.put(feeder, [increment(ADDRESS, START, squawk="7700", **POSITION)], 1, voice=voice)
    leader.put("roof", [increment("4b1623", START, squawk="7600", **POSITION)], 1)
    sky = leader.tick()
    assert sure_emergencies(sky).all()
    _, followed = taken_over(sky, clock)
    assert sure_emergencies(followed).all()


def test_what_a_trusted_feeder_leaves_open_stays_in_doubt(clock):
    """Everybody sees the same name of a trusted feeder as of others."""
    leader = picture_at(clock)
    leader.put("feeder-9", [increment(ADDRESS, START, flight="SWR12", **POSITION)], 1)
    leader.put("feeder-1", [increment(ADDRESS, START, squawk="1000", alt_baro=9_000)], 1, voice=ONE)
    sky = leader.tick()
    before = doubts(sky)[ADDRESS]
    assert before & SQUAWK
    _, followed = taken_over(sky, clock)
    assert doubts(followed)[ADDRESS] == before
    assert followed.aircraft(ADDRESS) == sky.aircraft(ADDRESS)


MEMBERS = {GROUP_BITS[group.name]: group.fields for group in GROUPS if group.name in GROUP_BITS}


def is_shown(aircraft: dict, bit: int) -> bool:
    """Whether an aircraft has a value that a bit is of, and of an emergency state that it is one."""
    if bit == EMERGENCY:
        return aircraft.get("emergency", "none") != "none"
    return any(name in aircraft for name in (("lat",) if "lat" in MEMBERS[bit] else MEMBERS[bit]))


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=FURTHER) for seed in range(8, 25))])
def test_in_drawn_worlds_the_doubt_after_a_takeover_contains_that_before(seed):
    chance, clock, looks = random.Random(seed), Clock(), 0
    leader = picture_at(clock, timeout_s=chance.choice([60.0, 300.0]))
    step, owns = chance.choice([1, 1, 5, 15]), chance.choice([0.2, 1.0])
    for second, (at, said) in enumerate(drawn_world(chance)):
        for name, voice, reports in said:
            if name != "roof" or chance.random() < owns:
                for report in reports:
                    report.at += clock.wall - at
                    report.position_at += clock.wall - at if report.position_at else 0.0
                leader.put(name, copied(reports), len(reports), voice=voice)
        sky = leader.tick()
        if second % 5 == 4:
            before = doubts(sky)
            _, followed = taken_over(sky, clock)
            after = doubts(followed)
            for address in followed.hexes:
                aircraft = followed.aircraft(address)
                missing = before[address] & ~after[address]
                assert not missing & ALONE, (seed, second, address)
                for bit in GROUP_BITS.values():
                    assert not (missing & bit and is_shown(aircraft, bit)), (seed, second, address, bit)
                looks += bool(before[address])
            was = dict(zip(sky.hexes, sure_emergencies(sky).tolist(), strict=True))
            now = dict(zip(followed.hexes, sure_emergencies(followed).tolist(), strict=True))
            assert not [address for address, is_sure in now.items() if is_sure and not was[address]]
        clock.advance(step)
    assert looks


def test_the_doubt_travels_whole_as_changes_and_ages(clock):
    leader = ours_without_squawk(clock)
    first = leader.tick()
    clock.advance(1)
    leader.put("roof", [increment(ADDRESS, clock.wall, alt_baro=9_000)], 1)
    leader.put("feeder-1", [increment("4b1600", clock.wall, squawk="7700", **POSITION)], 1, voice=ONE)
    leader.put("feeder-1", [increment(ADDRESS, clock.wall, gs=400.0)], 1, voice=ONE)
    second = leader.tick()
    assert doubts(second)[ADDRESS] != doubts(first)[ADDRESS]
    received = from_bytes(to_bytes(first))
    assert doubts(received) == doubts(first)
    following = apply_changes(encode_changes(second, first), received)
    assert doubts(following) == doubts(second)
    silent = aged(following, following, 6.0, 60.0, "silent", 1)
    assert doubts(silent) == doubts(second)


def without_doubt(data: bytes) -> bytes:
    """A message as the release before sends it."""
    *others, later = msgspec.msgpack.decode(zlib.decompress(data))
    assert later.pop(DOUBT)
    return zlib.compress(msgspec.msgpack.encode([*others, later]))


def test_of_a_tracker_of_the_release_before_all_that_feeders_bring_is_in_doubt(clock):
    leader = two_strangers_of_whom_one_lies(clock)
    leader.put("roof", [increment("4b1623", clock.wall, squawk="7600", lat=47.0, lon=8.1)], 1)
    first = leader.tick()
    clock.advance(1)
    leader.put("feeder-2", [increment(ADDRESS, clock.wall, gs=400.0)], 1, voice=OTHER)
    second = leader.tick()
    received = from_bytes(without_doubt(to_bytes(first)))
    following = from_bytes(without_doubt(to_bytes(second)))
    for sky in (received, following):
        assert doubts(sky) == {ADDRESS: UNKNOWN_DOUBT, "4b1623": 0}
        assert sure_emergencies(sky).tolist() == [address == "4b1623" for address in sky.hexes]
    # With the messages of this release it says so again.
    assert doubts(from_bytes(to_bytes(second))) == doubts(second)
    _, followed = taken_over(following, clock)
    assert doubts(followed)[ADDRESS] & (ALL | ALONE) == ALL | ALONE
    assert sure_emergencies(followed).tolist() == [address == "4b1623" for address in followed.hexes]


def test_doubt_of_another_length_is_no_sky(clock):
    sky = ours_without_squawk(clock).tick()
    *others, later = msgspec.msgpack.decode(zlib.decompress(to_bytes(sky)))
    later[DOUBT] = b"\0\0\0\0"
    with pytest.raises(ValueError, match="doubt"):
        from_bytes(zlib.compress(msgspec.msgpack.encode([*others, later])))
