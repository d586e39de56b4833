"""Changes lead every release from each sky to the next, and objects are put together for those who read them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random

import numpy as np
import pytest

from skywatch.picture.changes import objects
from skywatch.picture.changes.encoder import ChangesEncoder
from skywatch.picture.changes.objects import FollowedSky, Objects
from skywatch.picture.changes.patch import apply_changes
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import COLUMNS, Sky, to_bytes
from tests.unit.picture.changes import plain

# The first worlds show a fault of the rules; the others are repetition.
FURTHER = pytest.mark.nightly("further drawn worlds")
TEXTS = ("SWR1", "A,B", "A,,B", ",", ",,", "", 'say "x"', "{}", "[1,2]")

# Each begins like the next.
ALTITUDES = (3, 35, 350, 3_500, 35_000)


def aircraft(number: int, chance: random.Random, told: dict) -> dict:
    told.setdefault("hex", f"{0x400000 + number:06x}")
    told.setdefault("type", chance.choice(TEXTS))
    if "alt" not in told or chance.random() < 0.3:
        told["alt"] = chance.choice(ALTITUDES)
    if chance.random() < 0.1:
        told["flight"] = chance.choice(TEXTS)
    if chance.random() < 0.1:
        told.pop(chance.choice(list(told)[1:]), None)
    if chance.random() < 0.8:
        told |= {"lat": chance.random(), "lon": chance.random(), "seen": chance.random()}
    return told


def skies(ticks: int, seed: int) -> list[Sky]:
    """Ticks in which aircraft come, leave, change places, and say the most awkward things."""
    chance = random.Random(seed)
    told: dict[int, dict] = {}
    made: list[Sky] = []
    order: list[int] = []
    for seq in range(1, ticks + 1):
        before = {number: row for row, number in enumerate(order)}
        order = [number for number in order if chance.random() < 0.95]
        order += [number for number in range(40) if number not in order and chance.random() < 0.3]
        if chance.random() < 0.3:
            chance.shuffle(order)
        for number in order:
            told[number] = aircraft(number, chance, {} if number not in before else dict(told[number]))
        columns = {name: np.zeros(len(order), dtype) for name, dtype in COLUMNS.items()}
        columns["lat"] = np.array([told[number].get("lat", np.nan) for number in order])
        columns["previous_row"] = np.array([before.get(number, -1) for number in order], "i4")
        made.append(
            Sky(
                "epoch",
                seq,
                float(seq),
                seq,
                [told[number]["hex"] for number in order],
                columns,
                [json.dumps(told[number], separators=(",", ":")).encode() for number in order],
                [b'"r":"HB%d"' % chance.randrange(2) for _ in order],
                left=tuple(chance.sample(["a", "b"], 1)),
            )
        )
    return made


def assert_same(one: Sky, other: Sky) -> None:
    assert one.hexes == other.hexes
    assert one.encoded == other.encoded
    assert one.details == other.details
    assert (one.seq, one.now, one.messages, one.left) == (other.seq, other.now, other.messages, other.left)
    for name in COLUMNS:
        np.testing.assert_array_equal(one.column(name), other.column(name), err_msg=name)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=FURTHER) for seed in range(3, 8))])
def test_the_release_before_reads_what_this_one_writes(seed):
    made = skies(40, seed)
    encoder, followed = ChangesEncoder(), made[0]
    for before, sky in itertools.pairwise(made):
        followed = plain.read(encoder.encode(sky, before), followed)
        assert_same(followed, sky)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=FURTHER) for seed in range(3, 8))])
@pytest.mark.parametrize("reads", [0.0, 0.3, 1.0])
def test_it_reads_its_own_changes_and_those_of_the_release_before(seed, reads):
    made = skies(40, seed)
    chance, encoder, followed = random.Random(seed), ChangesEncoder(), made[0]
    for before, sky in itertools.pairwise(made):
        data = encoder.encode(sky, before) if chance.random() < 0.5 else plain.write(sky, before)
        followed = apply_changes(data, followed)
        if chance.random() < reads:
            assert_same(followed, sky)
    assert_same(followed, made[-1])


def test_objects_that_nobody_reads_are_not_put_together(monkeypatch):
    restored = []
    monkeypatch.setattr(objects, "_restore", lambda line, was: restored.append(line) or was)
    made = skies(5, 1)
    followed = made[0]
    for before, sky in itertools.pairwise(made):
        followed = apply_changes(plain.write(sky, before), followed)
    assert not restored
    assert len(followed.encoded) == len(made[-1])
    assert restored


def test_what_waits_is_bounded_and_goes_when_a_whole_sky_comes():
    made = skies(60, 2)
    followed = made[0]
    for before, sky in itertools.pairwise(made):
        followed = apply_changes(plain.write(sky, before), followed)
        assert isinstance(followed, FollowedSky)
        assert Objects.of(followed)._waiting <= objects.MAX_WAITING
    Objects.of(followed).settle(to_bytes(made[-1]))
    assert Objects.of(followed)._before is None
    assert_same(followed, made[-1])


def test_a_followed_sky_can_be_replaced_in_part_and_followed_again():
    made = skies(3, 3)
    followed = apply_changes(plain.write(made[1], made[0]), made[0])
    other = dataclasses.replace(followed, messages=7)
    assert other.encoded == made[1].encoded
    assert apply_changes(plain.write(made[2], made[1]), other).encoded == made[2].encoded


def test_most_of_an_object_is_not_sent_again():
    made = skies(2, 4)
    body = b'{"hex":"400000","type":"adsb_icao","desc":"' + b"x" * 500 + b'","lat":%d,"lon":8.5}'
    before, now = (
        dataclasses.replace(sky, encoded=[body % (sky.seq * 1000 + row) for row in range(len(sky))]) for sky in made
    )
    now.columns["previous_row"][:] = np.minimum(np.arange(len(now)), len(before) - 1)
    lines = ChangesEncoder()._lines(now, before, RowMap(now.columns["previous_row"]), [])
    assert all(line == b',,,"lat":%d,"lon":8.5}' % (2000 + row) for row, line in enumerate(lines))


def test_a_number_that_had_stayed_grows_by_a_digit_at_its_end():
    encoder, (first,) = ChangesEncoder(), skies(1, 0)
    before = read = dataclasses.replace(first, columns={**first.columns, "previous_row": np.arange(len(first))})
    for seq, altitude in enumerate((3_500, 3_500, 3_500, 35_000, 3_500), first.seq + 1):
        encoded = [b'{"hex":"%06x","alt":%d,"gs":%d,"seen":0.5}' % (row, altitude, seq) for row in range(len(first))]
        sky = dataclasses.replace(before, seq=seq, encoded=encoded)
        read = apply_changes(encoder.encode(sky, before), read)
        assert read.encoded == encoded
        before = sky
