"""Recorded flights to run the detectors over: JSON Lines, plain or gzip, one flight a line.

A line is `{id, icao24, callsign?, source?, label_hint?, label_certain?, segments?, points}` with points of
`[unix_s, lat, lon, alt_ft, gs_kt, track_deg, vrate_fpm]`, null where a value is unknown and shorter where the last
ones are missing.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import msgspec

from skywatch.cannonball.patterns.findings import Pattern
from skywatch.cannonball.patterns.settings import PatternSettings
from skywatch.cannonball.patterns.tracker import PatternTracker

_GZIP = b"\x1f\x8b"


class Segment(msgspec.Struct):
    """An interval of a flight in which a label holds (unix s)."""

    label: str
    t0: float
    t1: float


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


class BadLine(msgspec.Struct):
    """A line that is no flight, and why."""

    number: int
    reason: str


class TracksError(Exception):
    """The file cannot be read, or ends in the middle."""


_DECODER = msgspec.json.Decoder(Track)


def read_tracks(path: Path) -> Iterator[Track | BadLine]:
    """Yield the flights of a file, and its malformed lines; blank lines are passed over.

    Raises `TracksError` where the file cannot be opened or its compression is broken.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            stream = gzip.GzipFile(fileobj=raw) if packed else raw
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield _parse(number, line)
    except (OSError, EOFError, zlib.error) as error:
        raise TracksError(
            f"{path}: {error.strerror if isinstance(error, OSError) and error.strerror else error}"
        ) from None


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
        if not all(value is None or isfinite(value) for value in point):
            return BadLine(number, f"points[{index}] has a number out of range")
    return track


def find_patterns(track: Track, settings: PatternSettings | None = None) -> list[Pattern]:
    """Run the detectors over a flight and return its patterns as they ended, in order of their begin.

    A pattern whose place a more telling one took is left out.
    """
    tracker = PatternTracker(track.id, track.icao24, settings)
    found: dict[int, Pattern] = {}
    for point in track.points:
        for event in tracker.feed(*point):  # type: ignore[arg-type]
            found[event.pattern.number] = event.pattern
    for event in tracker.close():
        found[event.pattern.number] = event.pattern
    kept = [pattern for pattern in found.values() if "superseded_by" not in pattern.details]
    return sorted(kept, key=lambda pattern: (pattern.t0, pattern.number))
