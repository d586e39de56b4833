"""Decoders in C print nothing into the log."""

import ctypes

import numpy as np

from skywatch.audio.recordings.measuring import measure
from skywatch.audio.recordings.quiet import quiet_decoder
from tests.audio import sound


def test_a_damaged_mp3_leaves_no_lines_on_stderr(tmp_path, capfd):
    data = np.frombuffer(sound(4.0, kind="MP3"), "u1").copy()
    random = np.random.default_rng(1)
    data[random.integers(1000, len(data), 60)] ^= 0xFF
    path = tmp_path / "a.mp3"
    path.write_bytes(data.tobytes())
    assert measure(path).duration_s > 0
    assert capfd.readouterr().err == ""


def test_afterwards_others_may_print(capfd):
    with quiet_decoder(), quiet_decoder():
        ctypes.CDLL(None).perror(b"within")
    ctypes.CDLL(None).perror(b"behind")
    assert capfd.readouterr().err.startswith("behind")
