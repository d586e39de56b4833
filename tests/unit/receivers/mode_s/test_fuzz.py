"""Nothing that is received makes the decoder raise, grow or stop decoding."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.framing.csv_frames import CsvFramer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.encoder import (
    airborne_position,
    all_call,
    identification,
    reply,
    squitter,
    surface_position,
    velocity,
)
from skywatch.receivers.mode_s.frames.parity import remainders
from skywatch.receivers.mode_s.message import Message
from tests.unit.receivers.mode_s.helpers import ADDRESS, read_frames

MUTATIONS = 40_000


def still_decodes(decoder: Decoder, at: float) -> bool:
    """Whether the next good frames of a new aircraft come through."""
    frames = [(at + odd, squitter(0xABCDEF, airborne_position(10.0, 20.0, odd)), None) for odd in (0, 1)]
    messages = [m for m in decoder.decode(frames).messages() if m.hex == "abcdef"]
    return len(messages) == 2 and messages[1].lat is not UNSET


def sane(messages: list[Message]) -> bool:
    """Whether what came out can be: in the ranges that the fields have."""
    return all(
        (m.lat is UNSET or (-90 <= m.lat <= 90 and -180 <= m.lon <= 180))
        and (m.track is UNSET or 0 <= m.track <= 360)
        and (m.gs is UNSET or 0 <= m.gs <= 5800)
        and (m.squawk is UNSET or (len(m.squawk) == 4 and set(m.squawk) <= set("01234567")))
        and (m.flight is UNSET or (0 < len(m.flight) <= 8 and m.flight.replace(" ", "").isalnum()))
        for m in messages
    )


@given(st.lists(st.tuples(st.floats(), st.binary(max_size=20), st.none() | st.floats(width=32))))
def test_any_tuples(frames):
    decoder = Decoder()
    assert sane(decoder.decode(frames).messages())
    assert still_decodes(decoder, 1e9)


@given(st.lists(st.binary(max_size=400)), st.sampled_from([BeastFramer, AvrFramer, CsvFramer]))
def test_any_bytes_through_any_framer(pieces, framer_class):
    framer, decoder = framer_class(), Decoder(station=(50.0, 8.0))
    for piece in pieces:
        assert sane(decoder.decode(framer.feed(piece, 1000.0)).messages())
    assert still_decodes(Decoder() if not pieces else decoder, 2000.0) or decoder.statistics.positions.out_of_range


def good_frames() -> list[bytes]:
    """One frame of every kind."""
    frames = [
        all_call(ADDRESS),
        squitter(ADDRESS, identification("TEST1")),
        squitter(ADDRESS, velocity(300, -200, 640, 500)),
    ]
    for odd in (0, 1):
        frames += [
            squitter(ADDRESS, airborne_position(50.0, 8.0, odd)),
            squitter(ADDRESS, surface_position(50.0, 8.0, odd), capability=4),
            squitter(ADDRESS, airborne_position(50.0, 8.0, odd), 18, 2),
        ]
    frames += [squitter(ADDRESS, type_code << 51 | 0x1_2345_6789_ABCD) for type_code in range(32)]
    frames += [reply(df, ADDRESS, 0x0C38, register=0x30_8040_0000_0000) for df in (0, 4, 5, 16, 20, 21)]
    return frames


def mutated(originals: FrameBatch, rng: np.random.Generator, repair: bool) -> FrameBatch:
    """MUTATIONS copies of frames, each with one to eight changed bits; ``repair`` makes their parity good again."""
    chosen = rng.integers(0, len(originals), MUTATIONS)
    data = originals.data[chosen].copy()
    length = originals.length[chosen].copy()
    rows = np.arange(MUTATIONS)
    for _ in range(8):
        changed = rng.random(MUTATIONS) < 0.3
        places = rng.integers(0, 112, MUTATIONS)
        data[rows[changed], places[changed] // 8] ^= (1 << (places[changed] % 8)).astype(np.uint8)
    is_long = data[:, 0] >> 3 >= 16
    if repair:
        length = np.where(is_long, 14, 7).astype(np.uint8)
        wrong = remainders(data, is_long)
        known = np.where(np.isin(data[:, 0] >> 3, (0, 4, 5, 16, 20, 21)), ADDRESS, 0)
        fix = (wrong ^ known.astype(np.uint32))[:, None] >> np.array([16, 8, 0], np.uint32)
        columns = length.astype(np.int64)[:, None] - np.array([3, 2, 1])
        data[rows[:, None], columns] ^= (fix & 0xFF).astype(np.uint8)
    return FrameBatch(np.sort(rng.uniform(0, 600, MUTATIONS)), data, length, np.full(MUTATIONS, np.nan, np.float32))


@pytest.mark.parametrize("repair", [False, True])
def test_many_mutations_of_every_kind_of_frame(repair):
    decoder = Decoder(station=(50.0, 8.0))
    batch = mutated(FrameBatch.of_bytes(good_frames()), np.random.default_rng(1), repair)
    good = 0
    for place in range(0, MUTATIONS, 5000):
        messages = decoder.decode(batch[place : place + 5000]).messages()
        good += len(messages)
        assert sane(messages)
    assert good > (MUTATIONS // 2 if repair else MUTATIONS // 100)
    assert decoder.statistics.frames == MUTATIONS
    assert still_decodes(Decoder(), 700.0)
    decoder.decode([(700.0 + k, squitter(ADDRESS, velocity(100, 100)), None) for k in range(2)])
    assert decoder.statistics.frames == MUTATIONS + 2


def test_many_mutations_of_real_frames(shared_data: Path):
    originals = read_frames(shared_data / "raw" / "ulss7_61s.beast")
    decoder = Decoder()
    decoder.decode(originals)
    known = decoder.aircraft_count
    batch = mutated(originals, np.random.default_rng(2), repair=False)
    for place in range(0, MUTATIONS, 5000):
        assert sane(decoder.decode(batch[place : place + 5000]).messages())
    # Of damaged frames hardly one in sixteen million makes an aircraft that is not there.
    assert decoder.aircraft_count <= known + 1
    assert still_decodes(decoder, 700.0)


def test_many_mutations_of_a_beast_stream(shared_data: Path):
    stream = np.frombuffer((shared_data / "raw" / "ulss7_61s.beast").read_bytes(), np.uint8)
    rng = np.random.default_rng(3)
    framer, decoder = BeastFramer(), Decoder()
    changed = 0
    while changed < MUTATIONS:
        noisy = stream.copy()
        places = rng.integers(0, len(stream), 5000)
        noisy[places] = rng.integers(0, 256, len(places))
        changed += len(places)
        for place in range(0, len(noisy), 1 << 14):
            assert sane(decoder.decode(framer.feed(noisy[place : place + (1 << 14)].tobytes(), 1000.0)).messages())
    assert framer.broken > MUTATIONS // 100
    assert still_decodes(decoder, 1100.0)


def test_every_input_of_the_corpus(shared_data: Path):
    with tarfile.open(shared_data / "raw" / "adsb_tools_fuzz_corpus.tar.gz") as archive:
        inputs = [archive.extractfile(member).read() for member in archive if member.isfile()]
    assert len(inputs) > 200
    frames = 0
    for framer_class in (BeastFramer, AvrFramer, CsvFramer):
        decoder = Decoder()
        for content in inputs:
            framer = framer_class()
            for batch in (framer.feed(content, 100.0), framer.feed(b"\n", 100.0)):
                frames += len(batch)
                assert sane(decoder.decode(batch).messages())
        assert still_decodes(decoder, 1000.0)
    assert frames > 1000


@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_mutations_of_every_kind_of_frame_say_the_same_however_they_are_cut(seed, lanes):
    """Cut at random into batches of one to two hundred frames, some synthetic, some of a wrong length."""
    rng, count = np.random.default_rng(seed), 3000
    batch = mutated(FrameBatch.of_bytes(good_frames()), rng, repair=True)[:count]
    batch.length[rng.random(count) < 0.02] = 9
    batch.mlat = rng.random(count) < 0.05
    lane = np.maximum(rng.integers(-lanes, lanes, count), 0)
    whole, cut = Decoder(station=(50.0, 8.0)), Decoder(station=(50.0, 8.0))
    expected = whole.decode(batch, lane)
    messages, place = [], 0
    while place < count:
        end = place + int(rng.choice([1, 2, 24, 100, 200]))
        messages += cut.decode(batch[place:end], lane[place:end]).messages()
        place = end
    assert messages == expected.messages()
    assert cut.statistics.as_dict() == whole.statistics.as_dict()
    assert len(messages) > count // 2


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_reply_of_a_lane_is_proved_by_what_the_others_proved_before_it(size):
    frames = [
        (0.0, reply(4, ADDRESS, 0x0C38), None),
        (1.0, squitter(ADDRESS, velocity(300, -200)), None),
        (2.0, reply(4, ADDRESS, 0x0C38), None),
        (99.0, reply(4, ADDRESS, 0x0C38), None),
    ]
    lanes, decoder, said = np.array([1, 0, 1, 1]), Decoder(), []
    for place in range(0, 4, size):
        said += decoder.decode(frames[place : place + size], lanes[place : place + size]).messages()
    assert [message.at for message in said] == [1.0, 2.0]
