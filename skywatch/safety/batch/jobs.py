"""The jobs of safety over archived days: its events, and near misses by cell."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from math import floor
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.core.batch import BatchJob, Options, PastDay
from skywatch.safety.batch.detection import events_of, thresholds_of
from skywatch.safety.detection.finding import SEVERITIES
from skywatch.safety.events.tracker import LiveEvent
from skywatch.safety.thresholds.store import read
from skywatch.settings import Settings

CELL_DEG = 0.1
HOUR_S = 3600
CELLS_A_DEGREE = round(1 / CELL_DEG)
_encode = msgspec.json.Encoder(order="deterministic").encode


def prepare(session: Session, settings: Settings) -> Options:
    """The thresholds in force."""
    return Options(_encode(dataclasses.asdict(read(session)[0])))


def run_safety(day: PastDay, options: bytes) -> Iterator[tuple[Any, ...]]:
    """A row for each event that began on the day."""
    for event in events_of(day, thresholds_of(options)):
        yield _row(event)


def _row(event: LiveEvent) -> tuple[Any, ...]:
    finding, closest, position = event.finding, event.closest, event.finding.position
    hexes = [address.upper() for address in finding.hexes]
    return (
        finding.type,
        finding.severity,
        hexes[0] if hexes else None,
        hexes[1] if len(hexes) > 1 else None,
        " ".join(finding.callsigns).strip() or None,
        finding.military,
        finding.simulated,
        str.__str__(finding.message),
        event.began_at,
        event.ended_at,
        event.last_at,
        position.lat if position is not None else None,
        position.lon if position is not None else None,
        position.altitude_ft if position is not None else None,
        closest.at if closest is not None else None,
        closest.distance_nm if closest is not None else None,
        closest.vertical_ft if closest is not None else None,
        " ".join(finding.suppressed_by) or None,
        _encode(finding.numbers).decode(),
    )


def run_hotspots(day: PastDay, options: bytes) -> Iterator[tuple[Any, ...]]:
    """A row for each cell and hour with near misses: how many of each severity, in all and without military ones.

    Counts of regions where pairs crowd have no pair, and are left out; so are simulated aircraft.
    """
    counts: dict[tuple[int, int, int], Counter[tuple[str, bool]]] = {}
    for event in events_of(day, thresholds_of(options), proximity_only=True):
        finding = event.finding
        if finding.type != "proximity" or finding.position is None or len(finding.hexes) != 2 or finding.simulated:
            continue
        hour = int(event.began_at // HOUR_S) * HOUR_S
        cell = floor(finding.position.lat * CELLS_A_DEGREE), floor(finding.position.lon * CELLS_A_DEGREE)
        counts.setdefault((hour, *cell), Counter())[finding.severity, finding.military] += 1
    for (hour, lat, lon), of_cell in sorted(counts.items()):
        civil = [of_cell[severity, False] for severity in SEVERITIES]
        everybody = [count + of_cell[severity, True] for count, severity in zip(civil, SEVERITIES, strict=True)]
        yield (hour, lat, lon, *everybody, *civil)


JOBS = (
    BatchJob(
        name="safety",
        columns={
            "type": "text",
            "severity": "text",
            "icao_hex": "text",
            "icao_hex_2": "text",
            "callsigns": "text",
            "military": "bool",
            "simulated": "bool",
            "message": "text",
            "began_at": "moment",
            "ended_at": "moment",
            "last_at": "moment",
            "lat": "float",
            "lon": "float",
            "altitude_ft": "int",
            "closest_at": "moment",
            "closest_nm": "float",
            "closest_ft": "int",
            "suppressed_by": "text",
            "numbers": "text",
        },
        run=run_safety,
        prepare=prepare,
        before=True,
        after=True,
        note="safety: proximity, vertical rates and low altitude only; history has no messages to judge the rest by.",
    ),
    BatchJob(
        name="hotspots",
        columns={
            "hour": "moment",
            "lat_cell": "int",
            "lon_cell": "int",
            "info": "int",
            "warning": "int",
            "critical": "int",
            "info_civil": "int",
            "warning_civil": "int",
            "critical_civil": "int",
        },
        run=run_hotspots,
        prepare=prepare,
        before=True,
        after=True,
    ),
)
