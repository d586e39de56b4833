"""A picture with a quality collector over it, whose seconds the test lets pass."""

from __future__ import annotations

from typing import Any

from skywatch.core import geo
from skywatch.reception.measurement.collector import Entry, QualityCollector
from tests.unit.picture.reports import Clock, picture_at, snapshot

STATION = (47.45, 8.56)


class World:
    """``tick`` shows aircraft to a receiver and lets a second pass; entries to be written are collected."""

    def __init__(self, places: dict[str, tuple[float, float]] | None = None) -> None:
        self.clock = Clock()
        self.picture = picture_at(self.clock, station=STATION)
        self.places = places or {}
        self.collector = QualityCollector(self.places.get)
        self.entries: list[Entry] = []

    @property
    def now(self) -> float:
        return self.clock.wall

    def show(self, receiver: str, *aircraft: dict[str, Any], messages: int | None = None) -> None:
        """Aircraft as ``aircraft`` makes them, received now."""
        reports = [snapshot(at=self.now, **fields) for fields in aircraft]
        self.picture.put(receiver, reports, len(reports) if messages is None else messages, len(reports))

    def tick(self) -> None:
        self.clock.advance(1.0)
        self.entries += self.collector.tick(self.picture, self.picture.tick())

    def newest(self, receiver: str) -> Entry:
        """What would be written of a receiver now."""
        return next(entry for entry in self.collector.collect() if entry.receiver == receiver)


def aircraft(address: str, bearing_deg: float, distance_nm: float, **fields: Any) -> dict[str, Any]:
    """An aircraft as seen from the station."""
    lat, lon = geo.destination(*STATION, bearing_deg, distance_nm)
    return {"address": address, "lat": float(lat), "lon": float(lon), "alt_baro": 36000, "rssi": -20.0, **fields}
