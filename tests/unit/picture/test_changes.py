"""Changes lead from each sky to the next, and objects are unpacked for those who read them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import zlib

import msgspec
import numpy as np
import pytest
import zstandard

from skywatch.picture import changes
from skywatch.picture.changes import BLOCK, FollowedSky, MissingBase, Objects, apply_changes, encode_changes, unpack
from skywatch.picture.state.sky import COLUMNS, DOUBT, LATER_MEMBERS, Sky, missing_column, to_bytes

# The first worlds show a fault of the rules; the others are repetition.
FURTHER = pytest.mark.nightly("further drawn worlds")
TEXTS = ("SWR1", "A,B", "A,,B", ",", ",,", "", 'say "x"', "{}", "[1,2]")
ALTITUDES = (3, 35, 350, 3_500, 35_000)


class EarlierChanges(msgspec.Struct, array_like=True):
    """A message of the form before this one, which releases since schema 0028 write and read."""

    epoch: str
    seq: int
    now: float
    messages: int
    count: int
    new_hexes: list[str]
    left: tuple[str, ...]
    receivers: tuple[str, ...]
    station: tuple[float, float] | None
    names: tuple[str, ...] | None
    previous_row: bytes
    columns: dict[str, bytes]
    encoded: bytes
    detail_rows: bytes
    details: bytes
    exact_station: tuple[float, float] | None = None
    later_columns: dict[str, bytes] = {}


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


def skies(ticks: int, seed: int, aircraft_most: int = 40) -> list[Sky]:
    """Ticks in which aircraft come, leave, change places, and say the most awkward things."""
    chance = random.Random(seed)
    told: dict[int, dict] = {}
    made: list[Sky] = []
    order: list[int] = []
    for seq in range(1, ticks + 1):
        before = {number: row for row, number in enumerate(order)}
        order = [number for number in order if chance.random() < 0.95]
        order += [number for number in range(aircraft_most) if number not in order and chance.random() < 0.3]
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
@pytest.mark.parametrize("reads", [0.0, 0.3, 1.0])
def test_changes_lead_from_each_sky_to_the_next(seed, reads):
    made = skies(40, seed)
    chance, followed = random.Random(seed), made[0]
    for before, sky in itertools.pairwise(made):
        followed = apply_changes(encode_changes(sky, before), followed)
        if chance.random() < reads:
            assert_same(followed, sky)
    assert_same(followed, made[-1])


def test_more_aircraft_than_a_block_has_rows():
    made = skies(5, 1, 3 * BLOCK)
    assert len(made[-1]) > BLOCK
    followed = made[0]
    for before, sky in itertools.pairwise(made):
        followed = apply_changes(encode_changes(sky, before), followed)
    assert_same(followed, made[-1])


def test_the_releases_before_take_it_for_changes_of_another_picture():
    before, sky = skies(2, 1)
    earlier = msgspec.msgpack.decode(zlib.decompress(encode_changes(sky, before)), type=EarlierChanges)
    assert (earlier.epoch, earlier.seq) not in {(before.epoch, before.seq + 1), ("", 1)}


def test_a_release_that_sends_others_has_no_base_here():
    before, _ = skies(2, 1)
    earlier = EarlierChanges(before.epoch, before.seq + 1, 2.0, 2, 0, [], (), (), None, None, b"", {}, b"", b"", b"")
    for later in ((), (bytes((changes.VERSION + 1,)),)):
        data = zlib.compress(msgspec.msgpack.encode([*msgspec.structs.astuple(earlier), *later]))
        with pytest.raises(MissingBase, match="another release"):
            apply_changes(data, before)


def test_objects_that_nobody_reads_are_not_unpacked(monkeypatch):
    unpacked, unpack_objects = [], changes._unpack_objects
    monkeypatch.setattr(changes, "_unpack_objects", lambda *args: unpacked.append(args) or unpack_objects(*args))
    made = skies(5, 1)
    followed = made[0]
    for before, sky in itertools.pairwise(made):
        followed = apply_changes(encode_changes(sky, before), followed)
    assert not unpacked
    assert followed.encoded == made[-1].encoded
    assert len(unpacked) == 4


def broken(data: bytes) -> bytes:
    """The same changes, with objects that cannot be unpacked."""
    sent = unpack(data)
    return changes._pack(msgspec.structs.replace(sent, blocks=[b"broken"] * len(sent.blocks)))


def test_what_waits_goes_when_a_whole_sky_comes():
    first, second, third = skies(3, 2)
    followed = apply_changes(broken(encode_changes(second, first)), first)
    with pytest.raises(ValueError, match="cannot be unpacked"):
        assert followed.encoded
    Objects.of(followed).settle(to_bytes(second))
    following = apply_changes(encode_changes(third, second), followed)
    assert_same(followed, second)
    assert_same(following, third)


def test_objects_are_not_read_with_those_of_another_sky():
    first, second = skies(2, 2)
    other = dataclasses.replace(first, encoded=[body.replace(b"0", b"1") for body in first.encoded])
    with pytest.raises(ValueError, match="cannot be unpacked"):
        assert apply_changes(encode_changes(second, first), other).encoded


def test_what_waits_is_bounded():
    made = skies(60, 2)
    followed = made[0]
    for before, sky in itertools.pairwise(made):
        followed = apply_changes(encode_changes(sky, before), followed)
        assert isinstance(followed, FollowedSky)
        assert Objects.of(followed)._waiting <= changes.MAX_WAITING


def test_a_followed_sky_can_be_replaced_in_part_and_followed_again():
    made = skies(3, 3)
    followed = apply_changes(encode_changes(made[1], made[0]), made[0])
    other = dataclasses.replace(followed, messages=7)
    assert other.encoded == made[1].encoded
    assert apply_changes(encode_changes(made[2], made[1]), other).encoded == made[2].encoded


def test_most_of_an_object_is_not_sent_again():
    (first,) = skies(1, 4, 1000)
    chance = random.Random(4)
    texts = [chance.randbytes(250).hex().encode() for _ in range(len(first))]
    before, now = (
        dataclasses.replace(
            first,
            seq=seq,
            columns={**first.columns, "previous_row": np.arange(len(first), dtype="i4")},
            encoded=[b'{"desc":"%b","lat":%d,"lon":8.5}' % (text, seq * 1000 + row) for row, text in enumerate(texts)],
        )
        for seq in (1, 2)
    )
    # What of an object cannot be compressed is 250 bytes.
    assert sum(map(len, unpack(encode_changes(now, before)).blocks)) < 25 * len(first)


def with_values(sky: Sky, number: int) -> Sky:
    """The same sky, in which nothing is zero."""
    columns = {
        name: np.full(len(sky), b"%d" % number if column.dtype.kind == "S" else number).astype(column.dtype)
        for name, column in sky.columns.items()
        if name != "previous_row"
    }
    return dataclasses.replace(sky, columns={**sky.columns, **columns}, doubt=np.full(len(sky), number, "u2"))


@pytest.mark.parametrize("name", sorted(LATER_MEMBERS))
def test_what_the_changes_of_another_release_lack_is_as_before(name):
    before, sky = (with_values(sky, number) for number, sky in enumerate(skies(2, 5), start=1))
    sent = unpack(encode_changes(sky, before))
    del sent.columns[name]
    followed = apply_changes(changes._pack(sent), before)
    assert followed.missing == {name}
    for column in COLUMNS.keys() - {name}:
        np.testing.assert_array_equal(followed.column(column), sky.column(column), err_msg=column)
    if name == DOUBT:
        # Nobody says what is in doubt, and no feeder brought anything.
        assert followed.doubt is None
        return
    previous = sky.column("previous_row")
    assert (previous < 0).any()
    assert (previous >= 0).any()
    expected = [before.column(name)[0] if row >= 0 else missing_column(name, 1)[0] for row in previous.tolist()]
    np.testing.assert_array_equal(followed.column(name), np.array(expected, COLUMNS[name]))
    # What differs from it in a column that it lacks cannot be applied.
    with pytest.raises(MissingBase, match="columns"):
        apply_changes(encode_changes(dataclasses.replace(sky, seq=sky.seq + 1), sky), followed)


def test_changes_without_a_column_of_every_release_are_refused():
    before, sky = skies(2, 1)
    sent = unpack(encode_changes(sky, before))
    del sent.columns["lat"]
    with pytest.raises(ValueError, match="another version"):
        apply_changes(changes._pack(sent), before)


def test_what_would_be_too_large_is_refused(monkeypatch):
    before, sky = skies(2, 1)
    data = encode_changes(sky, before)
    monkeypatch.setattr(changes, "MAX_BYTES", 50_000)
    bomb = zstandard.ZstdCompressor().compress(bytes(60_000))
    for blocks in ([bomb], [zstandard.ZstdCompressor(write_content_size=False).compress(b"{}")]):
        packed = changes._pack(msgspec.structs.replace(unpack(data), blocks=blocks))
        followed = apply_changes(packed, before)
        with pytest.raises(ValueError, match="too large"):
            assert followed.encoded
    # Each block alone is within the bound.
    sent = unpack(data)
    block = zstandard.ZstdCompressor().compress(b"\n" * (len(sky) // 2 - 1) + bytes(30_000))
    monkeypatch.setattr(changes, "BLOCK", -(-len(sky) // 2))
    followed = apply_changes(changes._pack(msgspec.structs.replace(sent, blocks=[block] * 2)), before)
    with pytest.raises(ValueError, match="too large"):
        assert followed.encoded
    monkeypatch.setattr(changes, "MAX_BYTES", 50)
    with pytest.raises(ValueError):
        apply_changes(data, before)


def test_what_was_cut_short_is_no_changes():
    before, sky = skies(2, 1)
    data = encode_changes(sky, before)
    for end in range(0, len(data), 97):
        with pytest.raises(ValueError):
            apply_changes(data[:end], before)
