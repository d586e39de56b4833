"""Recordings that ffmpeg decodes: those of named clients, and what is said where there is no ffmpeg."""

import shutil
import subprocess

import pytest

from skywatch.audio.recordings import conversion as converting
from skywatch.audio.recordings.activity import has_voice
from skywatch.audio.recordings.measurement import measure
from skywatch.core.problems import Problem

needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")


def made(path, *options):
    tone = ("-f", "lavfi", "-i", "sine=300:d=2")
    subprocess.run(["ffmpeg", "-v", "error", "-y", *tone, *options, str(path)], check=True)
    return path


@needs_ffmpeg
@pytest.mark.parametrize(
    ("name", "options", "media_type"),
    [
        ("a.m4a", ("-c:a", "aac"), "audio/mp4"),
        ("a.aac", ("-c:a", "aac", "-f", "adts"), "audio/aac"),
        ("a.webm", ("-c:a", "libopus", "-f", "webm"), "audio/webm"),
    ],
)
def test_what_clients_send_by_default_is_measured(tmp_path, name, options, media_type):
    # The name says nothing: files are recognised by content.
    path = made(tmp_path / name, *options).rename(tmp_path / "recording")
    measured = measure(path)
    assert measured.kind.media_type == media_type
    assert measured.duration_s == pytest.approx(2, abs=0.1)
    assert measured.peak_db is not None
    assert not measured.is_truncated
    assert isinstance(has_voice(path), bool)


@needs_ffmpeg
def test_trunk_recorders_call(shared_data):
    measured = measure(shared_data / "reports/10-call.m4a")
    assert (measured.kind.ending, measured.is_truncated) == ("m4a", False)
    assert measured.duration_s == pytest.approx(1, abs=0.1)


@needs_ffmpeg
def test_what_is_cut_off_or_no_sound_is_refused_or_marked(tmp_path):
    stream = made(tmp_path / "a.aac", "-c:a", "aac", "-f", "adts").read_bytes()
    (tmp_path / "cut").write_bytes(stream[: len(stream) // 2])
    assert 0.5 < measure(tmp_path / "cut").duration_s < 1.5
    (tmp_path / "none").write_bytes(b"\x00\x00\x00\x1cftypM4A " + bytes(2_000))
    with pytest.raises(Problem) as caught:
        measure(tmp_path / "none")
    assert "cannot be decoded as MPEG-4" in caught.value.detail


def test_without_ffmpeg_the_reason_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(converting, "PROGRAM", "there-is-no-such-program")
    (tmp_path / "a.m4a").write_bytes(b"\x00\x00\x00\x1cftypM4A " + bytes(2_000))
    with pytest.raises(Problem) as caught:
        measure(tmp_path / "a.m4a")
    assert caught.value.kind.code == "unsupported_media_type"
    assert "ffmpeg" in caught.value.detail
