"""Recordings: formats are guessed, gzip is unpacked, and what is no recording is said in one line."""

from __future__ import annotations

import contextlib
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.framing.recording import RecordingError, guess_format, open_recording, read_recording
from skywatch.receivers.mode_s.encoder import beast

LONG = bytes.fromhex("8d4840d6202cc371c32ce0576098")


def read(content: bytes, **options) -> FrameBatch:
    return FrameBatch.concatenate(list(read_recording(io.BytesIO(content), **options)))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (beast(LONG, 12_000_000), "beast"),
        (b"\0\xff rest of a message" + beast(LONG, 12_000_000), "beast"),
        (b"*8D4840D6202CC371C32CE0576098;\r\n", "avr"),
        (b"\n*0000;\n@0000003D09008D4840D6202CC371C32CE0576098;", "avr"),
        (b"timestamp,rawmsg\n12.5,8d4840d6202cc371c32ce0576098\n", "csv"),
    ],
)
def test_formats_are_guessed(content, kind):
    assert guess_format(content) == kind
    assert read(content).frame(0) == LONG


@pytest.mark.parametrize("content", [b"{}", b"MSG,3,1,1,780A5C,1,2018/04/03\r\n", bytes(100), b"hello\n"])
def test_what_is_no_recording(content):
    assert guess_format(content) is None
    with pytest.raises(RecordingError, match="tape: is not a recording of Mode S frames"):
        read(content, name="tape")


def test_an_empty_file_and_one_without_frames():
    with pytest.raises(RecordingError, match="input: is empty"):
        read(b"")
    with pytest.raises(RecordingError, match="there is no avr frame in it"):
        read(b"nothing\n", kind="avr")


def test_gzip_is_unpacked_and_damage_is_said_after_the_frames_before_it(tmp_path: Path):
    path = tmp_path / "tape.gz"
    path.write_bytes(gzip.compress(beast(LONG, 1) * 20_000, mtime=0)[:-4])
    frames = 0
    with open_recording(str(path)) as stream, pytest.raises(RecordingError, match="is damaged"):  # noqa: PT012
        for batch in read_recording(stream):
            frames += len(batch)
    assert frames > 1000


def test_a_file_that_cannot_be_opened(tmp_path: Path):
    with pytest.raises(RecordingError, match="No such file"):
        open_recording(str(tmp_path / "nothing"))
    with pytest.raises(RecordingError, match="directory"):
        open_recording(str(tmp_path))


def test_times_come_from_the_counter_from_the_line_or_are_spaced():
    second = 12_000_000
    assert read(beast(LONG, second) + beast(LONG, 3 * second), start=100.0).time.tolist() == [100.0, 102.0]
    assert read(b"12.5,8d4840d6202cc371c32ce0576098\n", start=100.0).time.tolist() == [12.5]
    untimed = read(b"*8D4840D6202CC371C32CE0576098;\n" * 3, start=100.0).time
    assert untimed[0] == 100.0
    assert (np.diff(untimed) > 0).all()


@given(st.binary(max_size=3000))
def test_any_content_gives_frames_or_a_recording_error(content):
    with contextlib.suppress(RecordingError):
        read(content)


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("ulss7_61s.beast", 4464),
        ("ulss7_61s_mlat.avr", 4464),
        ("ulss7_61s.avr", 4464),
        ("toulouse_24s.beast", 239),
        ("toulouse_24s.avr", 239),
        ("modes1.avr", 217),
        ("ezy_toulouse_london_138min.beast.gz", 71939),
    ],
)
def test_real_recordings(shared_data: Path, name: str, frames: int):
    with open_recording(str(shared_data / "raw" / name)) as stream:
        assert sum(map(len, read_recording(stream))) == frames


def test_beast_and_text_of_the_same_reception_agree(shared_data: Path):
    batches = []
    for name in ("ulss7_61s.beast", "ulss7_61s_mlat.avr"):
        with open_recording(str(shared_data / "raw" / name)) as stream:
            batches.append(FrameBatch.concatenate(list(read_recording(stream))))
    np.testing.assert_array_equal(batches[0].data, batches[1].data)
    np.testing.assert_array_equal(batches[0].time, batches[1].time)
