"""CSV lines of time and frame."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.receivers.framing.csv_frames import MAX_LINE, CsvFramer, parse_line

LONG = "8d4840d6202cc371c32ce0576098"


@pytest.mark.parametrize(
    "line",
    [
        f"1717664319.147975,{LONG}",
        f'"1717664319.147975","{LONG.upper()}"\r',
        f" 1717664319.147975 , {LONG} ,-12.5,roof",
    ],
)
def test_a_line(line):
    assert parse_line(line.encode()) == (1717664319.147975, bytes.fromhex(LONG))


@pytest.mark.parametrize(
    "line",
    [
        "timestamp,rawmsg",
        f"nan,{LONG}",
        f"1e400,{LONG}",
        f"1.0,{LONG}00",
        "1.0,",
        LONG,
        "1.0,8d4840d6202cc371c32ce05760g8",
        "",
    ],
)
def test_what_is_not_a_line(line):
    assert parse_line(line.encode()) is None


def test_a_heading_is_counted_and_each_frame_has_its_own_time():
    framer = CsvFramer()
    batch = framer.feed(f"timestamp,rawmsg\n1.5,{LONG}\n\n2.5,{LONG}\n3.5,{LONG}".encode())
    assert batch.time.tolist() == [1.5, 2.5]
    assert framer.close().time.tolist() == [3.5]
    assert (framer.frames, framer.broken) == (3, 1)


@given(st.lists(st.binary(max_size=3000)))
def test_noise_is_survived_and_not_kept(pieces):
    framer = CsvFramer()
    for piece in pieces:
        framer.feed(piece)
        assert framer.pending <= MAX_LINE
    assert framer.feed(f"\n7.5,{LONG}\n".encode()).time[-1] == 7.5
