"""``skywatch patterns``: the flight patterns in recorded tracks, one JSON object a line."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from skywatch.cannonball.patterns.findings import Pattern
from skywatch.cannonball.patterns.scoring import Score, report
from skywatch.cannonball.patterns.tracks import BadLine, Track, TracksError, find_patterns, read_tracks
from skywatch.cli.common import fail, one_line_errors

_ENCODER = msgspec.json.Encoder()
# Malformed lines named one by one; the rest are counted.
_NAMED = 20


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--score", "scored", is_flag=True, help="Instead of patterns, print how they agree with FILE's labels.")
@one_line_errors
def patterns(file: Path, scored: bool) -> None:
    """Find flight patterns in the tracks of FILE: JSON Lines, gzip or not, one flight a line.

    A line is {"id", "icao24", "points": [[unix_s, lat, lon, alt_ft, gs_kt, track_deg, vrate_fpm], ...]}, null where a
    value is unknown. Malformed lines are passed over and named on stderr.
    """
    output = sys.stdout.buffer
    score, good, bad = Score(), 0, 0
    try:
        for line in read_tracks(file):
            if isinstance(line, BadLine):
                bad += 1
                if bad <= _NAMED:
                    click.echo(f"{file}:{line.number}: {line.reason}", err=True)
                continue
            good += 1
            found = find_patterns(line)
            if scored:
                score.add(line, found)
            else:
                output.write(b"".join(_ENCODER.encode(_as_line(line, pattern)) + b"\n" for pattern in found))
    except TracksError as error:
        output.flush()
        fail(error)
    output.flush()
    if bad:
        click.echo(f"{file}: {bad} of {good + bad} lines are malformed", err=True)
    if not good:
        fail(f"{file}: has no flight track")
    if scored:
        click.echo("\n".join(report(score)))


def _as_line(track: Track, pattern: Pattern) -> dict[str, object]:
    return {
        "id": track.id,
        "flight_id": track.id,
        "icao24": track.icao24,
        "callsign": track.callsign,
        "pattern_type": pattern.pattern_type.value,
        "confidence": pattern.confidence.value,
        "confidence_score": pattern.confidence_score,
        "is_surveillance": pattern.is_surveillance,
        "t0": round(pattern.t0, 3),
        "t1": round(pattern.t1, 3),
        "duration_s": round(pattern.duration_s, 3),
        "detected_at": round(pattern.detected_at, 3),
        "centre": [pattern.center_lat, pattern.center_lon],
        "radius_nm": pattern.radius_nm,
        "details": pattern.details,
    }
