"""Beast bytes: the frames of the published examples, of any stream however it is cut, and of nothing but noise."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skywatch.receivers.framing.beast import MAX_MESSAGE, BeastFramer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.encoder import beast

SHORT = bytes.fromhex("20000ca8f70aa7")
LONG = bytes.fromhex("8d4840d6202cc371c32ce0576098")


def frames_of(batch: FrameBatch) -> list[tuple[int, bytes]]:
    return [(int(batch.ticks[row]), batch.frame(row)) for row in range(len(batch))]


def walk(stream: bytes) -> list[tuple[int, bytes]]:
    """The format as it is written down, one byte after the other."""
    found, place = [], 0
    while place < len(stream) - 1:
        if stream[place] != 0x1A:
            place += 1
            continue
        size = {0x31: 2, 0x32: 7, 0x33: 14}.get(stream[place + 1])
        kind = stream[place + 1]
        place += 2
        if size is None:
            continue
        content = bytearray()
        while len(content) < 7 + size and place < len(stream):
            if stream[place] == 0x1A:
                if stream[place + 1 : place + 2] != b"\x1a":
                    break
                place += 1
            content.append(stream[place])
            place += 1
        if len(content) == 7 + size and kind != 0x31:
            found.append((int.from_bytes(content[:6], "big"), bytes(content[7:])))
    return found


def feed_in_pieces(stream: bytes, cuts: list[int]) -> tuple[BeastFramer, list[tuple[int, bytes]]]:
    framer, found = BeastFramer(), []
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    for first, last in itertools.pairwise(edges):
        found += frames_of(framer.feed(stream[first:last]))
        assert framer.pending <= MAX_MESSAGE + 1
    return framer, found


def test_the_examples_of_a_real_receiver():
    batch = BeastFramer().feed(
        bytes.fromhex("1a32000015a8877e0d20000ca8f70aa71a32000015be1a1a0c0f02e18ca8f1d2ed"), 1234.5
    )
    assert frames_of(batch) == [
        (0x15A8877E, bytes.fromhex("20000ca8f70aa7")),
        (0x15BE1A0C, bytes.fromhex("02e18ca8f1d2ed")),
    ]
    assert batch.time.tolist() == [1234.5, 1234.5]
    np.testing.assert_allclose(batch.rssi, 20 * np.log10(np.array([0x0D, 0x0F]) / 255), rtol=1e-6)


def test_a_signal_of_zero_is_not_a_level():
    assert np.isnan(BeastFramer().feed(beast(LONG, 1, signal=0)).rssi[0])


def test_mode_ac_heartbeats_status_and_receiver_ids_are_counted_and_skipped():
    framer = BeastFramer()
    stream = (
        beast(SHORT, 5)
        + b"\x1a1" + bytes(9)  # heartbeat
        + b"\x1a1" + bytes.fromhex("0000000000010a1234")  # a Mode A/C reply
        + b"\x1a4" + bytes(21)  # status
        + b"\x1a\xe3" + bytes.fromhex("1a1a02030405060708")  # receiver id with an escaped byte
        + b"\x1aP\x01"  # ping
        + beast(LONG, 6)
    )  # fmt: skip
    assert frames_of(framer.feed(stream)) == [(5, SHORT), (6, LONG)]
    assert (framer.frames, framer.heartbeats, framer.mode_ac, framer.skipped, framer.broken) == (2, 1, 1, 3, 0)


def test_a_multilateration_result_is_marked():
    batch = BeastFramer().feed(beast(LONG, 0xFF004D4C4154) + beast(LONG, 7))
    assert batch.mlat.tolist() == [True, False]


def test_a_message_cut_short_is_dropped_and_the_next_one_is_found():
    framer = BeastFramer()
    assert frames_of(framer.feed(beast(LONG, 1)[:12] + beast(SHORT, 2) + b"noise" + beast(LONG, 3))) == [
        (2, SHORT),
        (3, LONG),
    ]
    assert framer.broken == 1


@given(
    st.lists(
        st.tuples(
            st.one_of(st.binary(min_size=7, max_size=7), st.binary(min_size=14, max_size=14)),
            st.integers(0, (1 << 48) - 1),
            st.sampled_from([0, 0x1A, 200]),
        )
    ),
    st.lists(st.integers(0, 10_000)),
)
def test_every_frame_arrives_however_the_stream_is_cut(sent, cuts):
    stream = b"".join(beast(frame, ticks, signal) for frame, ticks, signal in sent)
    framer, found = feed_in_pieces(stream, cuts)
    assert found == [(ticks, frame) for frame, ticks, _ in sent]
    assert framer.broken == framer.skipped == 0


@given(
    st.lists(st.sampled_from([0x1A, 0x1A, 0x1A, 0x31, 0x32, 0x33, 0x34, 0xE3, 0, 255]), max_size=300).map(bytes),
    st.lists(st.integers(0, 300), max_size=8),
)
def test_any_bytes_give_what_the_format_says(stream, cuts):
    _, found = feed_in_pieces(stream, cuts)
    assert found == walk(stream)


@given(st.binary(max_size=2000))
def test_after_any_noise_the_next_message_but_one_is_found(noise):
    # Noise may end in the middle of what looks like a message, which the first one then belongs to.
    framer = BeastFramer()
    framer.feed(noise)
    assert (9, LONG) in frames_of(framer.feed(beast(SHORT, 8) + beast(LONG, 9)))
