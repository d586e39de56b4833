"""Flights for tests of firsts, as the recorder or an import stores them, and a plain recount of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.firsts.keys import keys_of
from skywatch.firsts.worker import FirstsWorker
from skywatch.history.models import Flight
from skywatch.history.storage.points import POINT, UNKNOWN, address_code
from skywatch.receivers.reports.report import SOURCE_INDEX
from tests.identities import as_role
from tests.unit.history.stored import row, store

STATION = (47.45, 8.56)
ZONE = "Europe/Zurich"
ANALYST, OPERATOR, VIEWER = (
    as_role(role, user_id=number) for number, role in enumerate(("analyst", "operator", "viewer"), 1)
)
NOW = utcnow().replace(hour=12, minute=0, second=0, microsecond=0)
ADSB = SOURCE_INDEX["adsb_icao"] + 1


@dataclass
class Installation:
    """An installation of which a test stores the flights, and its worker."""

    runtime: Any

    def __post_init__(self) -> None:
        self.worker = FirstsWorker(self.runtime)
        self.last_id = 0

    def fly(self, icao_hex: str = "4B1601", *, days_ago: float = 1.0, hours: float = 1.0, **fields: Any) -> int:
        """Store a flight that began so many days ago; its id."""
        begin = NOW - timedelta(seconds=round(days_ago * 86_400))
        self.last_id += 1
        times = {"first_seen_at": begin, "last_seen_at": begin + timedelta(hours=hours)}
        columns = {"callsign": "SWR100", "aircraft_type": "A320", "positions": 2, **times, **fields}
        with writing(self.runtime.sessions) as session:
            session.execute(sa.insert(Flight), [row(self.last_id, icao_hex, **columns)])
        return self.last_id

    def fly_many(self, count: int, icao_hex: str) -> None:
        """Store so many flights of one aircraft."""
        fields = {"aircraft_type": "A320", "first_seen_at": NOW, "last_seen_at": NOW + timedelta(hours=1)}
        rows = [row(self.last_id + number, icao_hex, **fields) for number in range(1, count + 1)]
        self.last_id += count
        with writing(self.runtime.sessions) as session:
            session.execute(sa.insert(Flight), rows)

    def fly_points(self, points: np.ndarray, icao_hex: str = "4B1601", *, days_ago: float = 1.0, **fields: Any) -> int:
        """Store a flight with its points, whose times are seconds after its begin."""
        begin = NOW - timedelta(seconds=round(days_ago * 86_400))
        self.last_id += 1
        points = points.copy()
        points["aircraft"], points["flight"] = address_code(icao_hex), self.last_id
        points["at"] += round(begin.timestamp() * 100)
        last = datetime.fromtimestamp(int(points["at"].max()) / 100, UTC)
        times = {"first_seen_at": begin, "last_seen_at": last}
        columns = {"callsign": "SWR100", "aircraft_type": "A320", "category": "A3", **times, **fields}
        counts = {"positions": len(points), "points": len(points)}
        store(self.runtime.sessions, points, [row(self.last_id, icao_hex, **columns, **counts)])
        return self.last_id

    def change(self, flight: int, **values: Any) -> None:
        """Change the row of a flight."""
        with writing(self.runtime.sessions) as session:
            session.execute(sa.update(Flight).where(Flight.id == flight).values(**values))

    def remove(self, *flights: int) -> None:
        """Remove flights, as retention does."""
        with writing(self.runtime.sessions) as session:
            session.execute(sa.delete(Flight).where(Flight.id.in_(flights)))

    def count(self, now: datetime | None = None) -> None:
        """Count all that is to be counted."""
        while self.worker.look(now or utcnow()):
            pass


def points_of(**columns: Any) -> np.ndarray:
    """Points: ``at`` (s), ``lat``, ``lon``, ``alt`` (ft), ``gs`` (kt), ``flags``, ``source``; ADS-B that we heard."""
    points = np.zeros(len(columns["at"]), POINT)
    points["lat"], points["lon"] = (round(value * 1e5) for value in STATION)
    points["track"], points["gs"], points["source"] = UNKNOWN, UNKNOWN, ADSB
    scales = {"at": 100.0, "lat": 1e5, "lon": 1e5, "alt": 0.2}
    for name, values in columns.items():
        points[name] = np.round(np.asarray(values, "f8") * scales.get(name, 1.0))
    return points


def plain_recount(flights: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[datetime, str]]:
    """The first of each kind and key by looking at all flights: when, and by which aircraft."""
    found: dict[tuple[str, str], tuple[datetime, str]] = {}
    for flight in flights:
        for key in keys_of(flight["icao_hex"], flight["aircraft_type"], flight["callsign"]).items():
            entry = (flight["first_seen_at"], flight["icao_hex"])
            found[key] = min(found.get(key, entry), entry)
    return found
