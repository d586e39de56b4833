"""Frames of many connections in one pass are those that each connection's own framer extracts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.receivers.feeder_streams.shared_decoder.beast_streams import frame_streams
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.mode_s.encoder import beast

SHORT = bytes.fromhex("20000ca8f70aa7")
LONG = bytes.fromhex("8d4840d6202cc371c32ce0576098")
ESCAPED = bytes.fromhex("8d1a1a1a202cc371c32ce057601a")

pieces = st.one_of(
    st.binary(max_size=8),
    st.sampled_from([b"\x1a", b"\x1a\x1a", b"\x1a\x1a\x1a", b"\x1a1" + bytes(9), b"\x1a3", b"\x1aWO"]),
    st.builds(beast, st.sampled_from([SHORT, LONG, ESCAPED]), st.sampled_from([0, 1, 0x1A1A1A1A1A1A]), st.just(0x1A)),
)
streams = st.lists(st.lists(pieces, max_size=6).map(b"".join), min_size=1, max_size=4)


@pytest.mark.deep("costs over a processor second")
@given(st.lists(streams, min_size=1, max_size=4))
def test_every_connection_gets_the_frames_of_its_own_bytes(rounds):
    count = max(map(len, rounds))
    framers, rest = [BeastFramer() for _ in range(count)], [b""] * count
    mine, theirs = [[] for _ in range(count)], [[] for _ in range(count)]
    for received in rounds:
        received = received + [b""] * (count - len(received))
        framed = frame_streams([left + new for left, new in zip(rest, received, strict=True)])
        rest = framed.rest
        for row, number in enumerate(framed.stream.tolist()):
            mine[number].append((int(framed.frames.ticks[row]), framed.frames.frame(row)))
        for number, new in enumerate(received):
            frames = framers[number].feed(new)
            theirs[number] += [(int(frames.ticks[row]), frames.frame(row)) for row in range(len(frames))]
    assert mine == theirs


def test_no_byte_of_one_completes_the_message_of_another():
    frame = beast(LONG, 5)
    framed = frame_streams([frame[:-3], b"\x1a\x1a" + frame[-3:], frame[-3:] + frame])
    assert framed.stream.tolist() == [2]
    assert framed.rest[:2] == [frame[:-3], b""]


def test_bytes_behind_the_last_frame_are_counted():
    framed = frame_streams([beast(LONG, 5) + b"\x1a9" + b"x" * 98, b"x" * 50, beast(LONG, 5)])
    assert framed.behind.tolist() == [100, 50, 0]


def test_garbage_without_an_escape_right_behind_a_frame_is_counted():
    framed = frame_streams([beast(LONG, 5) + b"x" * 70_000, beast(LONG, 5) + b"y" + beast(LONG, 5) + b"z" * 9])
    assert (len(framed.frames), framed.behind.tolist()) == (3, [70_000, 9])
