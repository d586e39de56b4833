"""AVR text in all its forms, cut anywhere, among broken lines."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.receivers.framing.avr import MAX_LINE, AvrFramer

LONG = "8D4840D6202CC371C32CE0576098"
SHORT = "20000CA8F70AA7"


@pytest.mark.parametrize(
    ("line", "ticks", "signal"),
    [
        (f"*{LONG};", -1, None),
        (f"*{LONG.lower()};\r", -1, None),
        (f"@030BF18CC2AB{LONG};", 0x030BF18CC2AB, None),
        (f"%030BF18CC2AB{LONG};", 0x030BF18CC2AB, None),
        (f"<030BF18CC2AB80{LONG};", 0x030BF18CC2AB, 0x80),
        (f"*{LONG};F5508025;0A;2B2B;\r", -1, None),  # airspy_adsb
        (f"96A6A463;*{LONG};", -1, None),  # behind the rest of a broken line
    ],
)
def test_every_form_of_a_line(line, ticks, signal):
    batch = AvrFramer().feed(line.encode() + b"\n", 10.0)
    assert batch.frame(0) == bytes.fromhex(LONG)
    assert len(batch) == 1
    assert batch.ticks[0] == ticks
    assert batch.time[0] == 10.0
    expected = np.nan if signal is None else 20 * np.log10(signal / 255)
    np.testing.assert_allclose(batch.rssi[0], expected, rtol=1e-6)


def test_heartbeats_mode_ac_and_broken_lines_are_counted():
    framer = AvrFramer()
    batch = framer.feed(f"*0000;\n*7700;\nrubbish\n*8D48;x\n\n*{SHORT};\n*8D4840D62;\n".encode())
    assert [batch.frame(row).hex() for row in range(len(batch))] == [SHORT.lower()]
    assert (framer.heartbeats, framer.mode_ac, framer.broken) == (1, 2, 2)


def test_the_mark_of_multilateration():
    assert AvrFramer().feed(f"@FF004D4C4154{LONG};\n".encode()).mlat.tolist() == [True]


def test_a_last_line_without_its_end_comes_on_closing():
    framer = AvrFramer()
    assert len(framer.feed(f"*{LONG};".encode())) == 0
    assert len(framer.close()) == 1
    assert framer.pending == 0


@given(st.lists(st.sampled_from([LONG, SHORT]), max_size=10), st.lists(st.integers(0, 400)))
def test_lines_may_be_cut_anywhere(frames, cuts):
    text = "".join(f"*{frame};\r\n" for frame in frames).encode()
    framer, found = AvrFramer(), []
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for first, last in itertools.pairwise(edges):
        batch = framer.feed(text[first:last])
        found += [batch.frame(row).hex().upper() for row in range(len(batch))]
    assert found == frames


@given(st.lists(st.binary(max_size=300)))
def test_noise_is_survived_and_not_kept(pieces):
    framer = AvrFramer()
    for piece in pieces:
        framer.feed(piece)
        assert framer.pending <= MAX_LINE
    batch = framer.feed(f"\n*{LONG};\n".encode())
    assert batch.frame(len(batch) - 1).hex().upper() == LONG
