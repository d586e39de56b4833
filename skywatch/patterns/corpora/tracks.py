"""Recorded flights to run the detectors over: JSON Lines, plain or gzip, one flight a line.

A line is `{id, icao24, callsign?, source?, label_hint?, label_certain?, segments?, points}` with points of
`[unix_s, lat, lon, alt_ft, gs_kt, track_deg, vrate_fpm]`, null where a value is unknown and shorter where the last
ones are missing.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import msgspec

from skywatch.patterns.findings import Pattern
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.tracker import PatternTracker

STDIN = Path("-")
_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_READ_BYTES = 1 << 16
# No point's values are larger: seconds until the year 5138 (milliseconds are not), then degrees, feet and knots.
_LARGEST = (1e11, 1e3, 1e3, 1e6, 1e5, 1e5, 1e6)


class Segment(msgspec.Struct):
    """An interval of a flight in which a label holds (unix s)."""

    label: str
    t0: float
    t1: float
    lap_s: float | None = None
    """Time that a lap takes at its begin, where that is known."""


class Track(msgspec.Struct):
    """One flight."""

    points: list[list[float | None]]
    id: str = ""
    icao24: str = ""
    callsign: str | None = None
    source: str | None = None
    label_hint: str | None = None
    label_certain: bool = True
    segments: list[Segment] = []
    may_be: list[str] = []
    """Types that the flight may be called by its shape, though never surveillance."""
    also: list[Segment] = []
    """Flown, but not labelled: a call there is right, and not finding it is no error."""
    unjudged: list[Segment] = []
    """A call that lies mostly there is neither right nor wrong."""
    reception: str | None = None
    """How it was received, where that is known."""


class BadLine(msgspec.Struct):
    """A line that is no flight, and why."""

    number: int
    reason: str


class TracksError(Exception):
    """The file cannot be read, or ends in the middle."""


_DECODER = msgspec.json.Decoder(Track)


def read_tracks(path: Path, on_read: Callable[[int], None] | None = None) -> Iterator[Track | BadLine]:
    """Yield the flights of a file (`-` is standard input), and its malformed lines; blank lines are passed over.

    ``on_read`` is called with the number of bytes that each step has read.

    Raises `TracksError` where the file cannot be opened, is cut or its compression is broken, after the flights that
    stand whole before that place.
    """
    try:
        with nullcontext(sys.stdin.buffer) if path == STDIN else path.open("rb") as stream:
            for number, line in enumerate(_lines(stream, on_read), 1):
                text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
                if text.strip():
                    yield _parse(number, text)
    except (OSError, zlib.error) as error:
        raise TracksError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _lines(stream: BinaryIO, on_read: Callable[[int], None] | None) -> Iterator[bytes]:
    """Yield the lines of a file, unpacked where it is gzip; raises OSError where that is cut in the middle."""
    parts: list[bytes] = []
    for block in _blocks(stream, on_read):
        end, *others = block.split(b"\n")
        parts.append(end)
        if others:
            yield b"".join(parts)
            yield from others[:-1]
            parts = others[-1:]
    yield b"".join(parts)


def _blocks(stream: BinaryIO, on_read: Callable[[int], None] | None) -> Iterator[bytes]:
    def read() -> bytes:
        block = stream.read(_READ_BYTES)
        if on_read is not None:
            on_read(len(block))
        return block

    block = read()
    if not block.startswith(_GZIP):
        while block:
            yield block
            block = read()
        return
    unpacking = None
    while block:
        if unpacking is None:
            unpacking = zlib.decompressobj(wbits=31)
        yield unpacking.decompress(block)
        block = b""
        if unpacking.eof:
            # Several archives may follow each other.
            block, unpacking = unpacking.unused_data, None
        block = block or read()
    if unpacking is not None:
        raise OSError("the compressed file is cut")


def _parse(number: int, line: bytes) -> Track | BadLine:
    try:
        track = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return BadLine(number, str(error))
    for index, point in enumerate(track.points):
        if not 3 <= len(point) <= 7:
            return BadLine(number, f"points[{index}] has {len(point)} values instead of 3 to 7")
        if any(value is None for value in point[:3]):
            return BadLine(number, f"points[{index}] lacks its time, latitude or longitude")
        if any(value is not None and abs(value) > most for value, most in zip(point, _LARGEST, strict=False)):
            return BadLine(number, f"points[{index}] has a number out of range")
    return track


class _Correction(msgspec.Struct):
    """One entry of a file of corrections; which fields it has depends on its list."""

    flight: str
    label: str = ""
    t0: float = 0.0
    t1: float = 0.0
    new_t0: float = 0.0
    new_t1: float = 0.0
    label_hint: str = ""
    label_certain: bool = True
    may_be: list[str] = []


class Corrections(msgspec.Struct):
    """What a second look at the labels of recorded flights changed."""

    trimmed: list[_Correction] = []
    """Segments with another begin and end."""
    also: list[_Correction] = []
    unjudged: list[_Correction] = []
    relabelled: list[_Correction] = []
    """Flights with another `label_hint`; their segments no longer hold."""

    def apply(self, tracks: Iterable[Track]) -> None:
        """Correct the labels of `tracks` in place; corrections of flights that are not among them are passed over."""
        by_id = {track.id: track for track in tracks}
        for c in self.trimmed:
            for segment in by_id[c.flight].segments if c.flight in by_id else ():
                if segment.label == c.label and segment.t0 == c.t0:
                    segment.t0, segment.t1 = c.new_t0, c.new_t1
        for c in self.also:
            if c.flight in by_id:
                by_id[c.flight].also.append(Segment(c.label, c.t0, c.t1))
        for c in self.unjudged:
            if c.flight in by_id:
                by_id[c.flight].unjudged.append(Segment(c.label, c.t0, c.t1))
        for c in self.relabelled:
            if c.flight in by_id:
                track = by_id[c.flight]
                track.label_hint, track.label_certain = c.label_hint, c.label_certain
                track.segments, track.may_be = [], c.may_be


def read_corrections(path: Path) -> Corrections:
    """Read corrections of labels (JSON); raises `TracksError` where the file cannot be read or is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Corrections)
    except OSError as error:
        raise TracksError(f"{path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TracksError(f"{path}: {error}") from None


def find_patterns(track: Track, settings: PatternSettings | None = None) -> list[Pattern]:
    """Run the detectors over a flight and return its patterns as they ended, in order of their begin.

    Positions that were recorded in another order are sorted by time. A pattern whose place a more telling one took,
    and one that was withdrawn, is left out.
    """
    finder = Finder(track.id, track.icao24, settings)
    for point in _in_order(track.points):
        finder.feed(*point)
    return finder.close()


class Finder:
    """Runs the detectors over one flight, whose positions come in order of time."""

    def __init__(self, flight_id: str, icao24: str, settings: PatternSettings | None = None) -> None:
        self._tracker = PatternTracker(flight_id, icao24, settings)
        self._latest: dict[int, Pattern] = {}

    def feed(self, *point: float | None) -> None:
        """Take a position, as ``PatternTracker.feed``."""
        for event in self._tracker.feed(*point):  # type: ignore[arg-type]
            self._latest[event.pattern.number] = event.pattern

    def close(self) -> list[Pattern]:
        """End the flight; its patterns as ``find_patterns`` returns them."""
        for event in self._tracker.close():
            self._latest[event.pattern.number] = event.pattern
        remaining = [
            p for p in self._latest.values() if "superseded_by" not in p.details and "withdrawn" not in p.details
        ]
        return sorted(remaining, key=lambda pattern: (pattern.t0, pattern.number))


def _in_order(points: list[list[float | None]]) -> list[list[float | None]]:
    times = [point[0] or 0.0 for point in points]
    return points if all(a <= b for a, b in pairwise(times)) else sorted(points, key=lambda point: point[0] or 0.0)
