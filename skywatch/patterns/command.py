"""``skywatch patterns``: the flight patterns in recorded tracks, one JSON object a line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click
import msgspec

from skywatch.core.clock import unix_to_iso
from skywatch.core.terminal.command import fail, one_line_errors
from skywatch.core.terminal.progress import ProgressLine
from skywatch.core.text.escapes import escape_controls
from skywatch.patterns.corpora.scoring import Score, report
from skywatch.patterns.corpora.tracks import Track, TracksError, find_patterns, read_tracks
from skywatch.patterns.findings import Pattern

_ENCODER = msgspec.json.Encoder()
_HEAD = (
    f"{'Begin (UTC)':<19}  {'End':<8}  {'Minutes':>7}  {'Aircraft':<8}  {'Callsign':<8}  {'Pattern':<18}  "
    f"{'Confidence':<14}  {'Centre':<20}  Radius"
)
# Malformed lines named one by one; the rest are counted.
_NAMED = 20


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--score", "scored", is_flag=True, help="Instead of patterns, print how they agree with FILE's labels.")
@click.option("--table", "as_table", is_flag=True, help="Print a table for people.")
@one_line_errors
def patterns(file: Path, scored: bool, as_table: bool) -> None:
    """Find flight patterns in the tracks of FILE (- for standard input): JSON Lines, gzip or not, one flight a line.

    A line is {"id", "icao24", "points": [[unix_s, lat, lon, alt_ft, gs_kt, track_deg, vrate_fpm], ...]}, null where a
    value is unknown.

    For each pattern one line says flight_id, icao24, pattern_type, confidence_score (0 to 1), t0 and t1 (begin and
    end, unix s), centre ([latitude, longitude] in degrees), radius (nm) and detected_at (when it was first reported,
    unix s); then id and radius_nm, which are flight_id and radius once more, callsign, confidence in words,
    is_surveillance, duration_s and details.

    On a terminal a line says how far the file is read. Malformed lines are passed over and named on stderr. Exit code
    1: FILE cannot be read, has no flight, or is cut; what stands before the cut is judged.
    """
    if scored and as_table:
        raise click.UsageError("--score and --table exclude each other")
    score = Score()

    def take(track: Track) -> int:
        matches = find_patterns(track)
        if scored:
            score.add(track, matches)
        elif as_table:
            _print("".join(f"{_row(track, pattern)}\n" for pattern in matches).encode())
        else:
            _print(b"".join(_ENCODER.encode(_as_line(track, pattern)) + b"\n" for pattern in matches))
        return len(matches)

    if as_table:
        _print(f"{_HEAD}\n".encode())
    _read(file, take)
    if scored:
        click.echo("\n".join(report(score)))


def _read(file: Path, take: Callable[[Track], int]) -> None:
    """Hand over every flight of the file; fails with one line where it cannot be read, is cut or has none."""
    good = bad = patterns = position = 0

    def on_read(count: int) -> None:
        nonlocal position
        position += count

    with ProgressLine(str(file)) as progress:
        try:
            for line in read_tracks(file, on_read):
                progress.clear()
                if isinstance(line, Track):
                    good += 1
                    patterns += take(line)
                else:
                    bad += 1
                    if bad <= _NAMED:
                        click.echo(f"{file}:{line.number}: {line.reason}", err=True)
                progress.show(position, f"{good:,} flights, {patterns:,} patterns")
        except TracksError as error:
            progress.clear()
            fail(error)
    if bad:
        click.echo(f"{file}: {bad} of {good + bad} lines are malformed", err=True)
    if not good:
        fail(f"{file}: has no flight track")


def _print(text: bytes) -> None:
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        fail(f"the patterns cannot be written: {error.strerror}")


def _as_line(track: Track, pattern: Pattern) -> dict[str, object]:
    return {
        "flight_id": track.id,
        "icao24": track.icao24,
        "pattern_type": pattern.pattern_type.value,
        "confidence_score": pattern.confidence_score,
        "t0": round(pattern.t0, 3),
        "t1": round(pattern.t1, 3),
        "centre": [pattern.center_lat, pattern.center_lon],
        "radius": pattern.radius_nm,
        "detected_at": round(pattern.detected_at, 3),
        "id": track.id,
        "radius_nm": pattern.radius_nm,
        "callsign": track.callsign,
        "confidence": pattern.confidence.value,
        "is_surveillance": pattern.is_surveillance,
        "duration_s": round(pattern.duration_s, 3),
        "details": pattern.details,
    }


def _row(track: Track, pattern: Pattern) -> str:
    begin, end = unix_to_iso(pattern.t0), unix_to_iso(pattern.t1)
    centre = f"{pattern.center_lat:.4f}, {pattern.center_lon:.4f}"
    confidence = f"{pattern.confidence.value} ({pattern.confidence_score:.2f})"
    return escape_controls(
        f"{begin[:10]} {begin[11:19]}  {end[11:19]}  {pattern.duration_s / 60:>7.0f}  {track.icao24:<8}  "
        f"{(track.callsign or '').strip():<8}  {pattern.pattern_type.value.replace('_', ' '):<18}  {confidence:<14}  "
        f"{centre:<20}  {pattern.radius_nm:.1f} nm"
    )
