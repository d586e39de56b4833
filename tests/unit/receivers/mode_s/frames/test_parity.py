"""Parity: published frames are good, every damaged bit is noticed, and addresses come back out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.frames.parity import remainders, with_parity


def remainder(frame: bytes) -> int:
    batch = FrameBatch.of_bytes([frame])
    return int(remainders(batch.data, np.array([len(frame) == 14]))[0])


def long_division(frame: bytes) -> int:
    """The check as ICAO Annex 10 writes it: the remainder of a division of polynomials, bit by bit."""
    number, bits = int.from_bytes(frame, "big"), len(frame) * 8
    for place in range(bits - 1, 23, -1):
        if number >> place & 1:
            number ^= 0x1FFF409 << (place - 24)
    return number


@pytest.mark.parametrize(
    "frame", ["8D406B902015A678D4D220AA4BDA", "8D485020994409940838175B284F", "8C4841753A9A153237AEF0F275BE"]
)
def test_published_squitters_leave_nothing(frame):
    # "The 1090 Megahertz Riddle", chapters on ADS-B.
    assert remainder(bytes.fromhex(frame)) == 0


@given(st.one_of(st.binary(min_size=7, max_size=7), st.binary(min_size=14, max_size=14)))
def test_the_table_gives_what_long_division_gives(frame):
    assert remainder(frame) == long_division(frame)


@given(st.sampled_from([7, 14]), st.data())
def test_any_changed_bit_is_noticed_and_an_overlay_comes_back(size, data):
    frame = data.draw(st.binary(min_size=size, max_size=size))
    overlay = data.draw(st.integers(0, 0xFFFFFF))
    good = with_parity(frame, overlay)
    assert remainder(good) == overlay
    place = data.draw(st.integers(0, size * 8 - 1))
    damaged = int.from_bytes(good, "big") ^ 1 << place
    assert remainder(damaged.to_bytes(size, "big")) != overlay


def test_short_and_long_frames_share_a_batch():
    short, long = bytes.fromhex("2A00516D492B80"), bytes.fromhex("8D406B902015A678D4D220AA4BDA")
    batch = FrameBatch.of_bytes([short, long, short])
    found = remainders(batch.data, np.array([False, True, False]))
    assert found.tolist() == [long_division(short), 0, long_division(short)]
