"""Recordings of frames: open a file (gzip or not, or standard input), guess its format, read it in batches."""

from __future__ import annotations

import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Literal, Protocol, cast, get_args

import numpy as np

from skywatch.receivers.framing.avr import LINE as AVR_LINE
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.framing.bounded_gzip import unpacked
from skywatch.receivers.framing.clock import Counter, CounterClock
from skywatch.receivers.framing.csv_frames import CsvFramer, parse_line
from skywatch.receivers.framing.frames import NO_TICKS, FrameBatch
from skywatch.receivers.framing.text import TextFramer

Format = Literal["beast", "avr", "csv"]
FORMATS: tuple[Format, ...] = get_args(Format)
CHUNK_BYTES = 1 << 17
SAMPLE_BYTES = 1 << 14
BEAST_MESSAGE = re.compile(rb"\x1a[\x31-\x34\xe3\xe4]")
# Assumed interval between frames of a recording without times (s): a quiet receiver's rate, so that even and odd
# position frames of different moments are not paired.
UNTIMED_STEP_S = 0.05


class RecordingError(Exception):
    """The file is not a recording of Mode S frames, or cannot be read; the text is the reason in one line."""


class Framer(Protocol):
    """Extracts the frames of one format."""

    frames: int

    def feed(self, received: bytes, time: float = ...) -> FrameBatch:
        """The frames that these bytes complete."""


def open_recording(path: str) -> BinaryIO:
    """The bytes of a file, unpacked; ``-`` is standard input.

    Raises RecordingError when the file cannot be opened.
    """
    try:
        raw = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115 - the caller closes it
        buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
        return unpacked(buffered)
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror or error}") from error


def position(stream: BinaryIO) -> int:
    """The size of the file in bytes; 0 if it is not a regular file."""
    below = stream.fileobj if isinstance(stream, gzip.GzipFile) else stream
    try:
        return int(below.tell()) if below is not None else 0
    except OSError:
        return 0


def guess_format(sample: bytes) -> Format | None:
    """The format of a recording by its first bytes, or None."""
    if BEAST_MESSAGE.search(sample) and (sample[:1] == b"\x1a" or not _is_text(sample)):
        return "beast"
    if AVR_LINE.search(sample):
        return "avr"
    if any(parse_line(line) for line in sample.splitlines()[:100]):
        return "csv"
    return None


def read_recording(
    stream: BinaryIO, kind: Format | None = None, start: float = 0.0, counter: Counter = "12mhz", name: str = "input"
) -> Iterator[FrameBatch]:
    """The frames of a recording in batches, with times.

    ``start`` is the unix time of its first frame where the format has no unix times. Raises RecordingError when
    the format cannot be guessed or the file is damaged (after the frames in front of the damage).
    """
    sample = _read(stream, SAMPLE_BYTES, name)
    if not sample:
        raise RecordingError(f"{name}: is empty")
    kind = kind or guess_format(sample)
    if kind is None:
        raise RecordingError(f"{name}: is not a recording of Mode S frames (neither Beast, AVR nor CSV)")
    framers: dict[Format, type[Framer]] = {"beast": BeastFramer, "avr": AvrFramer, "csv": CsvFramer}
    framer = framers[kind]()
    timer = _Timer(start, counter)
    received = sample
    while received:
        batch = framer.feed(received)
        if len(batch):
            yield timer.timed(batch)
        received = _read(stream, CHUNK_BYTES, name)
    if isinstance(framer, TextFramer):
        batch = framer.close()
        if len(batch):
            yield timer.timed(batch)
    if not framer.frames:
        raise RecordingError(f"{name}: there is no {kind} frame in it")


class _Timer:
    """Gives the frames of a recording their times: their own, the counter's, or evenly spaced ones."""

    def __init__(self, start: float, counter: Counter) -> None:
        self._clock = CounterClock(start, counter)
        self._next_untimed = start

    def timed(self, batch: FrameBatch) -> FrameBatch:
        missing = np.isnan(batch.time)
        if not missing.any():
            return batch
        if (batch.ticks != NO_TICKS).any():
            batch.time = np.where(missing, self._clock.times(batch.ticks), batch.time)
        else:
            batch.time = self._next_untimed + np.arange(len(batch)) * UNTIMED_STEP_S
            self._next_untimed += len(batch) * UNTIMED_STEP_S
        return batch


def _read(stream: BinaryIO, size: int, name: str) -> bytes:
    try:
        return stream.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError(f"{name}: is damaged ({error})") from error


def _is_text(sample: bytes) -> bool:
    return b"\x1a" not in sample and b"\0" not in sample
