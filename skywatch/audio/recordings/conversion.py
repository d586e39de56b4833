"""Decodes what libsndfile does not, with ffmpeg where it is installed: a WAV in memory, for measuring and voices.

Runs in the child process (``recordings.child``), whose limits hold for ffmpeg as well. The demuxer is named and only
this file may be opened, so that no file leads to another one.
"""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

from skywatch.audio.recordings.kinds import SNIFFED_BYTES, FileKind, recognise
from skywatch.core.problems import Problem
from skywatch.sentences import sentence

PROGRAM = "ffmpeg"
# Speech has no more; ten minutes are 19 MB.
RATE = 16_000
MAX_S = 601


def opened(path: Path, kind: FileKind | None = None) -> Any:
    """What libsndfile opens for a file: its path, or a WAV in memory that ffmpeg has made of it.

    Raises Problem (415) where ffmpeg is needed and missing, or cannot decode it.
    """
    if kind is None:
        with path.open("rb") as file:
            kind = recognise(file.read(SNIFFED_BYTES))
    return path if kind is None or not kind.demuxer else converted(path, kind)[0]


def converted(path: Path, kind: FileKind) -> tuple[io.BytesIO, bool]:
    """The sound of a file as a WAV with one channel, and whether ffmpeg found nothing wrong; raises Problem (415)."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise Problem(
            "unsupported_media_type",
            sentence(
                "audio.needs_ffmpeg",
                "The file is {form}, which needs ffmpeg on the server, and that is not installed. "
                "MP3, Ogg, FLAC and WAV are accepted without it.",
                form=kind.library_format,
            ),
        )
    command = (program, "-v", "error", "-nostdin", "-threads", "1", "-protocol_whitelist", "file", "-f", kind.demuxer,
               "-i", f"file:{path}", "-map", "0:a:0", "-t", str(MAX_S), "-ac", "1", "-ar", str(RATE),
               "-c:a", "pcm_s16le", "-f", "s16le", "pipe:1")  # fmt: skip
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603
    if len(done.stdout) < 2:
        raise Problem(
            "unsupported_media_type",
            sentence("audio.cannot_decode_as", "The file cannot be decoded as {form}.", form=kind.library_format),
        )
    return _wav(done.stdout[: len(done.stdout) // 2 * 2]), done.returncode == 0 and not done.stderr


def _wav(samples: bytes) -> io.BytesIO:
    """16-bit samples of one channel as a WAV."""
    import soundfile

    sound = io.BytesIO()
    with soundfile.SoundFile(sound, "w", RATE, 1, "PCM_16", format="WAV") as file:
        file.buffer_write(samples, dtype="int16")
    sound.seek(0)
    return sound
