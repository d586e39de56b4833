"""Flight patterns over archived days: each flight whole, on the day on which it began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from skywatch.core.batch import BatchJob, PastDay, PastFlight
from skywatch.patterns.corpora.tracks import Finder
from skywatch.patterns.findings import Pattern

_encode = msgspec.json.Encoder(order="deterministic").encode


def run(day: PastDay, options: bytes) -> Iterator[tuple[Any, ...]]:
    """A row for each pattern, flight by flight as they end."""
    finders: dict[int, Finder] = {}
    for part in day.tracks():
        flight = part.flight
        finder = finders.get(flight.id)
        if finder is None:
            finder = finders[flight.id] = Finder(str(flight.id), flight.icao_hex.lower())
        for at, lat, lon, altitude, speed, track, is_on_ground, _ in part.points:
            # As in the live picture: taxiing is no pattern.
            if not is_on_ground:
                finder.feed(at, lat, lon, altitude, speed, track)
        if part.is_last:
            for pattern in finders.pop(flight.id).close():
                yield _row(flight, pattern)


def _row(flight: PastFlight, pattern: Pattern) -> tuple[Any, ...]:
    return (
        flight.id,
        flight.icao_hex,
        flight.callsign,
        flight.military,
        pattern.pattern_type.value,
        pattern.confidence_score,
        pattern.confidence.value,
        pattern.is_surveillance,
        pattern.t0,
        pattern.t1,
        pattern.detected_at,
        pattern.center_lat,
        pattern.center_lon,
        pattern.radius_nm,
        _encode(pattern.details).decode(),
    )


JOBS = (
    BatchJob(
        name="patterns",
        columns={
            "flight": "int",
            "icao_hex": "text",
            "callsign": "text",
            "military": "bool",
            "pattern_type": "text",
            "confidence_score": "float",
            "confidence": "text",
            "is_surveillance": "bool",
            "began_at": "moment",
            "ended_at": "moment",
            "detected_at": "moment",
            "lat": "float",
            "lon": "float",
            "radius_nm": "float",
            "details": "text",
        },
        run=run,
        after=True,
    ),
)
