"""History over several days for tests of the archive: flights across midnight, military ones, gaps and landings."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import sqlalchemy as sa

from skywatch.archive.models import ArchivedDay
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.writer.removal import RemovalGuard
from skywatch.archive.writer.run import open_archiver, run
from skywatch.core.database.engine import writing
from skywatch.core.storage.retention import Pruner
from skywatch.history.models import Chunk, Flight
from skywatch.history.recorder.writer import chunk_rows
from skywatch.history.storage.points import (
    GAP,
    GROUND,
    NO_ALTITUDE,
    POINT,
    SIMULATED,
    address_code,
    address_text,
    in_order,
)
from skywatch.history.storage.shards import slices

FIRST = date(2026, 3, 1)
LATER = datetime(2026, 3, 7, 12, tzinfo=UTC)
POINT_S = 40


def fill(sessions, days=3, aircraft=12, seed=1, first=FIRST):
    """Fly: each aircraft once or twice a day, some across midnight. Returns all points in order."""
    random = np.random.default_rng(seed)
    parts, rows, flight = [], [], 0
    for number in range(days):
        midnight = datetime.combine(first + timedelta(days=number), time(), UTC).timestamp()
        for index in range(aircraft):
            for leg in range(1 + index % 2):
                flight += 1
                # In the morning, and across midnight.
                begin = midnight + (22.2 if leg else 5) * 3600 + random.uniform(0, 1.6 * 3600)
                parts.append(_track(random, flight, index, begin, count=int(random.integers(20, 150))))
                rows.append(_row(parts[-1], flight, index))
    points = in_order(np.concatenate(parts))
    at = slices(points)
    with writing(sessions) as session:
        session.execute(sa.insert(Flight), rows)
        for begin in np.unique(at).tolist():
            session.execute(sa.insert(Chunk), chunk_rows(begin, points[at == begin]))
    return points


def address_of(index):
    """The address of an aircraft: every fifth is military, one is not an ICAO address."""
    return f"~{index:06x}" if index == 3 else f"{0x3C4000 + index * 977:06x}"


def is_military(index):
    """Whether the flights of an aircraft are military."""
    return index % 5 == 4


def _track(random, flight, index, begin, count):
    points = np.zeros(count, POINT)
    points["aircraft"] = address_code(address_of(index), is_military(index))
    points["flight"] = flight
    points["at"] = np.rint((begin + POINT_S * np.arange(count)) * 100)
    points["lat"] = np.rint(1e5 * (random.uniform(-12, 58) + np.cumsum(random.normal(0, 0.03, count))))
    points["lon"] = np.rint(1e5 * (random.uniform(-20, 20) + np.cumsum(random.normal(0, 0.05, count))))
    points["alt"] = np.clip(np.cumsum(random.integers(-40, 60, count)), 0, 9000)
    points["gs"], points["track"] = random.integers(-1, 500, count), random.integers(-1, 360, count)
    # As releases that did not keep it, and as each kind of source.
    points["source"] = (0, 1, 1, 6, 1 | 3 << 4)[flight % 5]
    points["flags"][0] = GAP
    points["flags"][count // 2] |= GAP
    points["flags"] |= SIMULATED * (index == 7)
    points["flags"][-3:] |= GROUND | NO_ALTITUDE
    points["alt"][-3:] = 0
    return points


def _row(points, flight, index):
    first, last = (datetime.fromtimestamp(at / 100, UTC) for at in (points["at"][0] - 250, points["at"][-1] + 310))
    return {
        "id": flight,
        "icao_hex": address_text(int(points["aircraft"][0])).upper(),
        "callsign": f"TST{flight % 37}" if index % 3 else None,
        "registration": f"D-{index:04d}" if index % 4 else None,
        "aircraft_type": ("A320", "B738", None, "GLF6")[index % 4],
        "operator": f"Operator {index % 3}",
        "category": "A3",
        "squawk": "7700" if flight % 17 == 0 else "1000",
        "military": is_military(index),
        "emergency": flight % 17 == 0,
        "active": False,
        "simulated": index == 7,
        "first_seen_at": first,
        "last_seen_at": last,
        "messages": 100 + flight,
        "positions": len(points) * 8,
        "points": len(points),
        "min_altitude_ft": None if index % 7 == 6 else int(points["alt"].min() * 5),
        "max_altitude_ft": None if index % 7 == 6 else int(points["alt"].max() * 5),
        "max_speed_kt": float(points["gs"].max()),
        "distance_nm": 12.34 + flight,
        "min_distance_nm": 1.25,
        "max_distance_nm": 99.5,
        "first_lat": float(points["lat"][0]) / 1e5,
        "first_lon": float(points["lon"][0]) / 1e5,
        "last_lat": float(points["lat"][-1]) / 1e5,
        "last_lon": float(points["lon"][-1]) / 1e5,
    }


def archive(sessions, settings, now=LATER, days=None):
    """One run of archiving."""
    return run(open_archiver(sessions, settings), settings.of(ArchiveSettings), now, days)


def prune(runtime, settings):
    """One run of retention, as the service has it; returns the pruner."""
    kinds = settings.features.retention_kinds()
    guard = RemovalGuard(runtime.sessions, settings)
    pruner = Pruner(runtime.engine, runtime.sessions, settings, kinds, lambda seconds: False, guard)
    pruner.run()
    return pruner


def counts(sessions):
    """Flights and stored points of the database."""
    with sessions() as session:
        return (
            session.scalar(sa.select(sa.func.count()).select_from(Flight)),
            int(session.scalar(sa.select(sa.func.sum(Chunk.points))) or 0),
        )


def states(sessions):
    """What the database knows of archived days, by kind and day."""
    with sessions() as session:
        return {(row.kind, row.day): row for row in session.scalars(sa.select(ArchivedDay))}
