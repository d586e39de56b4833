"""What is measured in a recording at its arrival: length, peak, loudness and a waveform of 200 points.

The file is decoded in blocks of a second at most, and no further than ten minutes: a small file that decodes to hours
costs neither memory nor much time. Runs in a child process (``recordings.decoder``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from skywatch.audio.recordings.conversion import converted
from skywatch.audio.recordings.kinds import SNIFFED_BYTES, WAV, FileKind, ends_early, recognise
from skywatch.audio.recordings.loudness import LoudnessMeter
from skywatch.core.problems import Problem
from skywatch.sentences import Sentence, sentence

MAX_S = 600.0
WAVEFORM_POINTS = 200
MAX_CHANNELS, LOWEST_RATE, HIGHEST_RATE = 2, 4_000, 96_000
BLOCK_FRAMES = 65_536
# Where decoding fails, what was read at once is lost with it.
READ_FRAMES = 2_048
# Peaks are taken of pieces this long, then drawn together to the points of the waveform.
PIECE_S = 0.01
TAIL_BYTES = 65_536
# A decoder may give this much less than the head announces: padding of the encoder.
PADDING_S = 0.2


@dataclass(frozen=True)
class Measured:
    """What was measured; ``peak_db`` (dBFS) and ``loudness_lufs`` are None in silence."""

    kind: FileKind
    duration_s: float
    peak_db: float | None
    loudness_lufs: float | None
    waveform: bytes
    is_truncated: bool


def measure(path: Path) -> Measured:
    """Recognise and measure a file; raises Problem (413 too long, 415 no sound that can be decoded)."""
    # Here: loading libsndfile takes a moment that processes without audio need not spend.
    import soundfile

    size = path.stat().st_size
    if not size:
        raise _refused(sentence("audio.empty", "The file is empty."))
    head, tail = _ends(path, size)
    kind = recognise(head)
    if kind is None:
        raise _refused(sentence("audio.unknown_kind", "The file is not MP3, Ogg, FLAC, WAV, MPEG-4, AAC or WebM."))
    try:
        if kind.demuxer:
            wave, is_whole = converted(path, kind)
            with soundfile.SoundFile(wave) as sound:
                return replace(_measure(sound, WAV, not is_whole), kind=kind)
        with soundfile.SoundFile(path) as sound:
            return _measure(sound, kind, ends_early(kind, head, tail, size))
    except soundfile.LibsndfileError:
        raise _refused(
            sentence("audio.cannot_decode_as", "The file cannot be decoded as {form}.", form=kind.library_format)
        ) from None


def _measure(sound: Any, kind: FileKind, ends_early: bool) -> Measured:
    if kind.library_format not in (sound.format, "WAV" if sound.format == "WAVEX" else "MP3"):
        raise _refused(
            sentence("audio.cannot_decode_as", "The file cannot be decoded as {form}.", form=kind.library_format)
        )
    rate, channels = sound.samplerate, sound.channels
    if not (1 <= channels <= MAX_CHANNELS and LOWEST_RATE <= rate <= HIGHEST_RATE):
        raise _refused(
            sentence("audio.channels", "Recordings have one or two channels and 4,000 to 96,000 samples a second.")
        )
    announced = sound.frames
    # Without a length in the head the library names the largest number there is.
    is_known = 0 <= announced < 2**48
    if is_known and announced / rate > MAX_S:
        raise too_long()
    piece = max(1, round(rate * PIECE_S))
    meter, pieces, frames = LoudnessMeter(rate, channels), [], 0
    for samples, ok in _blocks(sound, piece):
        ends_early = ends_early or not ok
        frames += len(samples)
        if frames / rate > MAX_S:
            raise too_long()
        if len(samples):
            meter.add(samples)
            peaks = np.abs(samples).max(axis=1)
            pieces.append(np.maximum.reduceat(peaks, np.arange(0, len(peaks), piece)))
    if not frames:
        raise _refused(sentence("audio.no_sound", "The file holds no sound."))
    peaks = np.concatenate(pieces)
    missing = is_known and frames / rate < announced / rate - PADDING_S
    peak, loudness = float(peaks.max()), meter.integrated()
    return Measured(
        kind,
        round(frames / rate, 3),
        round(20 * math.log10(peak), 1) if peak > 0 else None,
        None if loudness is None else round(loudness, 1),
        waveform(peaks),
        ends_early or missing,
    )


def _blocks(sound: Any, piece: int) -> Any:
    """Blocks of whole pieces, and whether each was decoded without fault."""
    import soundfile

    size = max(piece, READ_FRAMES // piece * piece)
    parts: list[Any] = []
    ok, read = True, size
    while ok and read == size:
        try:
            samples = sound.read(size, dtype="float32", always_2d=True)
        except soundfile.LibsndfileError:
            # What was decoded before counts.
            samples, ok = np.zeros((0, sound.channels), "f4"), False
        read = len(samples)
        # A decoder's overflow and a WAV of floats may hold anything.
        parts.append(np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0).clip(-8.0, 8.0))
        if len(parts) * size >= BLOCK_FRAMES or read < size:
            yield np.concatenate(parts), ok
            parts.clear()


def waveform(peaks: Any) -> bytes:
    """Peaks drawn together (or repeated) to 200 points of 0 to 255."""
    edges = np.linspace(0, len(peaks), WAVEFORM_POINTS + 1)
    begins, ends = np.floor(edges[:-1]).astype(int), np.ceil(edges[1:]).astype(int)
    points = [peaks[begin : max(end, begin + 1)].max() for begin, end in zip(begins, ends, strict=True)]
    return bytes(np.clip(np.rint(np.array(points) * 255), 0, 255).astype("u1"))


def _ends(path: Path, size: int) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        head = file.read(SNIFFED_BYTES)
        file.seek(max(0, size - TAIL_BYTES))
        return head, file.read(TAIL_BYTES)


def _refused(detail: Sentence) -> Problem:
    return Problem("unsupported_media_type", detail)


def too_long() -> Problem:
    """413 for what is longer than ten minutes."""
    return Problem(
        "payload_too_large",
        sentence("audio.too_long", "The recording is longer than {minutes} minutes.", minutes=f"{MAX_S / 60:g}"),
    )
