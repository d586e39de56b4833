"""Exported tracks as moments of a recording: all flights of a file in the order of their points' times.

The form is that of ``skywatch.patterns.corpora.tracks``. Tracks have no source: positions count as the aircraft's
own.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import UNSET

from skywatch.patterns.corpora.tracks import BadLine, Track, TracksError, read_tracks
from skywatch.receivers.recordings import Moment, RecordingError
from skywatch.receivers.reports.documents import ReportBatch
from skywatch.receivers.reports.limits import parse
from skywatch.receivers.reports.report import Report

# Flights without an address get one of a block that ICAO has not allocated.
UNNAMED = 0xF00000
# Faster aircraft are airborne, whatever their altitude (kt).
GROUND_KT = 50.0


def is_tracks(path: str) -> bool:
    """Whether the first line of a file is a track; raises RecordingError if it cannot be read."""
    try:
        first = next(iter(read_tracks(Path(path))), None)
    except TracksError as error:
        raise RecordingError(str(error)) from None
    return isinstance(first, Track)


def moments(
    path: str, invalid: Counter[str], on_share: Callable[[float], object] = lambda share: None
) -> Iterator[Moment]:
    """The points of all tracks in their order; lines that are not a track are counted in ``invalid``.

    ``on_share`` is called with the share of the points that have been yielded.
    """
    flights: list[Iterator[tuple[float, int, Report]]] = []
    count = 0
    try:
        for number, track in enumerate(read_tracks(Path(path))):
            if isinstance(track, BadLine):
                invalid["track"] += 1
            else:
                flights.append(_reports(track, number))
                count += len(track.points)
    except TracksError as error:
        raise RecordingError(str(error)) from None
    for index, (at, _, report) in enumerate(heapq.merge(*flights, key=lambda entry: entry[:2])):
        on_share(index / count)
        yield Moment(at, ReportBatch([report], 1, 1))


def _reports(track: Track, number: int) -> Iterator[tuple[float, int, Report]]:
    address = track.icao24.lower() or f"{UNNAMED + number:06x}"
    for point in sorted((p for p in track.points if p and p[0] is not None), key=lambda p: p[0] or 0.0):
        at, lat, lon, altitude, gs, direction, rate = (*point, *(None,) * 7)[:7]
        if at is None or lat is None or lon is None or abs(lat) > 90 or abs(lon) > 180:
            continue
        report = Report(address, at=at, position_at=at, type="adsb_icao", lat=lat, lon=lon)
        report.flight = _valid("flight", track.callsign)
        report.alt_baro = _valid("alt_baro", altitude)
        # Exports have no ground flag: an aircraft on the ground is at 0 ft.
        if altitude is not None and altitude <= 0 and (gs is None or gs < GROUND_KT):
            report.alt_baro = "ground"
        report.gs, report.baro_rate = _valid("gs", gs), _valid("baro_rate", rate)
        report.track = UNSET if direction is None else direction % 360
        yield at, number, report


def _valid(name: str, value: Any) -> Any:
    valid = parse(name, value)
    return UNSET if valid is None else valid
