"""A drawn year of 500 aircraft a day, and what the pages that are made of it cost: firsts, boards, overflights.

Flights, tracks, movements and records are inserted; sightings, days and the index of low tracks are made of them by the
service's own code. PostgreSQL gets a copy of SQLite's rows.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from benchmarks._history import Database
from benchmarks._history_queries import Client, iso
from skywatch.airframes.models import MilitaryRecord
from skywatch.airports.directory import directory
from skywatch.airports.models import AirportApproach, LocalCorrection, Movement
from skywatch.core.bus import Message, topics
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import writing
from skywatch.firsts.bests import LONGEST, UNITS
from skywatch.firsts.models import CountedDay, DayRecord, FirstsState, OpenFlight, Sighting
from skywatch.firsts.worker import FirstsWorker
from skywatch.history.models import Chunk, Flight
from skywatch.history.recorder.writer import chunk_rows
from skywatch.history.storage.codec import encode
from skywatch.history.storage.points import GAP, POINT, SLICE_S, Points, address_code
from skywatch.history.storage.shards import slices
from skywatch.overflights.models import IndexState, Tile
from skywatch.overflights.tiles import pieces
from skywatch.picture.counted import record_real_sky
from skywatch.picture.models import RealSky
from tests.skies import sky_of

DAYS, AIRCRAFT_A_DAY, FLEET = 365, 500, 15_000
STATION = {"station_lat": "47.45", "station_lon": "8.56"}
FIELDS = ("LSZH", "LFSB", "EDNY", "LSZB", "LSGC", "LSZR", "LSMD", "LSZG")
# Of all flights so many land or take off at one of the fields, and so many fly low around one; the others pass high.
BOUND, AROUND = 0.35, 0.15
MILITARY = 0.03
BATCH = 10_000
TABLES = (
    MilitaryRecord, RealSky, Flight, Chunk, Movement, AirportApproach, LocalCorrection, Sighting, DayRecord, CountedDay,
    OpenFlight, FirstsState, Tile, IndexState,
)  # fmt: skip


class Year:
    """Draws the flights of a year that ends now."""

    def __init__(self, days: int = DAYS) -> None:
        self._chance = np.random.default_rng(7)
        self.draw = random.Random(7)
        self.days = days
        self.end = unix_now() - 300.0
        self.begin = self.end - days * 86_400.0
        airports = [directory().find(ident) for ident in FIELDS]
        self._fields = [airport for airport in airports if airport is not None]
        blocks = (0x4B0000, 0x3C0000, 0x380000, 0x400000, 0xA00000, 0x440000, 0x340000, 0x300000, 0x060000, 0x780000)
        numbers = self._chance.permutation(FLEET)
        self.fleet = [
            {
                "icao_hex": f"{blocks[min(int(n) % 17, 9)] + int(n) * 13:06X}",
                "registration": f"HB-{n:05d}"[:12],
                "aircraft_type": f"T{min(int(self._chance.zipf(1.4)), 300):03d}",
                "airline": f"A{chr(65 + min(int(self._chance.zipf(1.3)), 300) // 26)}{chr(65 + int(n) % 26)}",
                "military": bool(self._chance.random() < MILITARY),
            }
            for n in numbers
        ]
        # Some come every day, most now and then.
        weights = 1.0 / np.arange(5, FLEET + 5) ** 0.8
        self._weights = weights / weights.sum()

    def months(self) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]], Points]]:
        """Flights, movements and points, a month at a time, in order of time."""
        number = 0
        for first in range(0, self.days, 30):
            flights, movements, tracks = [], [], []
            for day in range(first, min(first + 30, self.days)):
                chosen = self._chance.choice(FLEET, AIRCRAFT_A_DAY, replace=False, p=self._weights)
                # Few fly at night.
                hours = np.sort(np.clip(self._chance.normal(14, 4.5, AIRCRAFT_A_DAY), 0, 23.6))
                for which, hour in zip(chosen.tolist(), hours.tolist(), strict=True):
                    number += 1
                    at = self.begin + day * 86_400.0 + hour * 3_600.0
                    flight, movement, track = self._flight(number, self.fleet[which], at)
                    flights.append(flight)
                    movements += movement
                    tracks.append(track)
            yield flights, movements, np.concatenate(tracks)

    def _flight(self, number: int, aircraft: dict[str, Any], at: float) -> tuple[Any, Any, Points]:
        draw = self.draw
        kind = draw.random()
        field = self._fields[min(int(draw.expovariate(0.6)), len(self._fields) - 1)]
        count = draw.randint(20, 45)
        seconds = np.cumsum(self._chance.uniform(15, 55, count))
        movements = []
        if kind < BOUND:
            # In or out on one of the field's sides, from or to 40 to 60 nm away and 15,000 to 20,000 ft.
            lands = draw.random() < 0.5
            side = np.radians(draw.choice((140, 160, 280, 340)) + draw.uniform(-25, 25))
            away = np.linspace(draw.uniform(40, 60), 0.3, count)
            turn = side + np.radians(draw.uniform(-60, 60)) * away / 60
            north, east = -np.cos(turn) * away, -np.sin(turn) * away
            altitude = np.maximum(away * draw.uniform(280, 330), 300)
            if not lands:
                north, east, altitude = north[::-1], east[::-1], altitude[::-1]
            movements.append(
                {
                    "airport": field.ident, "kind": "landing" if lands else "take_off",
                    "runway": draw.choice(("14", "16", "28", "34")), "sure": 0.95,
                    "at": datetime.fromtimestamp(at + (seconds[-1] if lands else 0), UTC),
                    "from_or_to": draw.choice(FIELDS),
                }
            )  # fmt: skip
        elif kind < BOUND + AROUND:
            # Around a place within 40 nm of the field, lower than 6,000 ft.
            heading = np.cumsum(self._chance.normal(0, 0.5, count)) + draw.uniform(0, 6.3)
            north = np.cumsum(np.cos(heading)) * 1.1 + draw.uniform(-40, 40)
            east = np.cumsum(np.sin(heading)) * 1.1 + draw.uniform(-40, 40)
            altitude = np.clip(draw.uniform(2_000, 6_000) + np.cumsum(self._chance.normal(0, 120, count)), 1_200, 9_000)
        else:
            turn = draw.uniform(0, 6.3)
            along = np.linspace(-100, 100, count)
            offset = draw.uniform(-90, 90)
            north = along * np.cos(turn) - offset * np.sin(turn)
            east = along * np.sin(turn) + offset * np.cos(turn)
            altitude = np.full(count, draw.randint(280, 410) * 100.0)
        lat = field.lat + north / 60
        lon = field.lon + east / 60 / np.cos(np.radians(field.lat))
        points = np.zeros(count, POINT)
        points["aircraft"] = address_code(aircraft["icao_hex"], aircraft["military"])
        points["flight"] = number
        points["at"] = np.round((at + seconds) * 100)
        points["lat"], points["lon"] = np.round(lat * 1e5), np.round(lon * 1e5)
        points["alt"] = np.round(altitude / 5)
        points["gs"], points["track"], points["flags"][0] = 250, 90, GAP
        first, last = (datetime.fromtimestamp(at + second, UTC) for second in (0.0, float(seconds[-1])))
        callsign = f"{aircraft['airline']}{draw.randint(1, 999)}"
        shared = {
            "icao_hex": aircraft["icao_hex"], "callsign": callsign, "registration": aircraft["registration"],
            "aircraft_type": aircraft["aircraft_type"], "military": aircraft["military"], "simulated": False,
        }  # fmt: skip
        flight = {
            **shared, "id": number, "operator": f"Operator {aircraft['airline']}", "category": "A3", "squawk": "1000",
            "emergency": False, "active": False, "first_seen_at": first, "last_seen_at": last,
            "messages": 900, "positions": 450, "points": 0, "min_altitude_ft": int(altitude.min()),
            "max_altitude_ft": int(altitude.max()), "max_speed_kt": 250.0, "distance_nm": 60.0,
        }  # fmt: skip
        return flight, [{**shared, **each, "flight_id": number} for each in movements], points


def draw(base: Database, days: int = DAYS) -> None:
    """Store a year in a new database on SQLite."""
    year = Year(days)
    military = [one for one in year.fleet if one["military"]]
    with writing(base.sessions) as session:
        record_real_sky(session)
        session.execute(
            sa.insert(MilitaryRecord),
            [{"icao_hex": one["icao_hex"], "military": True, "listed": True} for one in military],
        )
    for flights, movements, points in year.months():
        with writing(base.sessions) as session:
            session.execute(sa.insert(Flight), flights)
            session.execute(sa.insert(Movement), sorted(movements, key=lambda row: row["at"]))
            _store_tracks(session, points)
    with writing(base.sessions) as session:
        approaches = [
            {"airport": ident, "at": utcnow() - timedelta(hours=hour), "icao_hex": "4B0001", "seen": True,
             "military": False}
            for ident in FIELDS for hour in range(40)
        ]  # fmt: skip
        session.execute(sa.insert(AirportApproach), approaches)
        first, last = (int(at // 3_600) * 3_600 for at in (year.begin, year.end))
        rows = [
            {"lat": lat, "lon": lon, "at": at, "correction_ft": at // 3_600 % 97 * 8 - 400}
            for at in range(first, last, 3_600) for lat in (46, 47, 48) for lon in (7, 8, 9)
        ]  # fmt: skip
        session.execute(sa.insert(LocalCorrection), rows)
    _count(base, year)


def _store_tracks(session: Any, points: Points) -> None:
    """Store points as chunks, and the low ones in the index."""
    points = points[np.lexsort((points["at"], points["flight"], points["aircraft"]))]
    begins = slices(points)
    order = np.argsort(begins, kind="stable")
    cuts = np.flatnonzero(np.diff(begins[order])) + 1
    chunks = [row for part in np.split(order, cuts) for row in chunk_rows(int(begins[part[0]]), points[part])]
    session.execute(sa.insert(Chunk), chunks)
    tiles = [
        {"tile": tile, "block_at": block, "data": encode(some)}
        for tile, block, some in pieces(points, set(np.unique(begins).tolist()))
    ]
    session.execute(sa.insert(Tile).prefix_with("OR IGNORE"), tiles)


def _count(base: Database, year: Year) -> None:
    """Let the service count; what it would read of tracks is drawn."""
    runtime = Client(base.url).runtime
    try:
        worker = FirstsWorker(runtime)
        while worker.look(utcnow()):
            pass
    finally:
        runtime.close()
    with writing(base.sessions) as session:
        rows = [
            {
                "name": name, "day": (datetime.fromtimestamp(year.begin, UTC) + timedelta(days=day)).date(),
                "simulated": False, "military": military, "value": round(year.draw.gauss(300, 20), 2),
                "at": datetime.fromtimestamp(year.begin + day * 86_400, UTC), "icao_hex": "4B0001",
                "callsign": "SWR1", "aircraft_type": "A320", "flight_id": day + 1, "receiver": "roof",
                "source": "adsb_icao",
            }
            for name in UNITS if name != LONGEST for day in range(year.days) for military in (False, True)
        ]  # fmt: skip
        session.execute(sa.insert(DayRecord), rows)
        # The last minute's chunks are not in the index yet.
        newest = session.scalar(sa.select(sa.func.max(Chunk.slice_at))) or 0
        known = session.scalar(sa.select(sa.func.max(Chunk.id)).where(Chunk.slice_at < newest)) or 0
        session.execute(sa.insert(IndexState), [{"id": 1, "chunk_id": known, "slice_at": newest - SLICE_S}])


def copy(from_: Database, to: Database) -> None:
    """Copy the rows of a year into a new database."""
    for model in TABLES:
        table: Any = model.__table__
        with from_.sessions() as session, writing(to.sessions) as target:
            target.execute(sa.delete(table))
            for part in session.execute(sa.select(table)).mappings().partitions(BATCH):
                target.execute(sa.insert(table), [dict(row) for row in part])


class Pages:
    """Asks for the pages of a year, each time others, and measures each request's processor time."""

    def __init__(self, base: Database, seed: int = 11) -> None:
        self._base = base
        self._client = Client(base.url, STATION)
        self._draw = random.Random(seed)
        with base.sessions() as session:
            self._end = session.scalar(sa.select(sa.func.max(Flight.last_seen_at))) or utcnow()
        self._fields = [airport for ident in FIELDS if (airport := directory().find(ident)) is not None]
        sky = sky_of(
            *(
                {
                    "hex": f"{0x4B0000 + number * 13:06x}", "type": "adsb_icao", "flight": f"SWR{number}", "t": "A320",
                    "lat": 47.45 + self._draw.uniform(-1, 1), "lon": 8.56 + self._draw.uniform(-1.5, 1.5),
                    "alt_baro": self._draw.randint(2_000, 38_000), "gs": 300.0, "track": self._draw.uniform(0, 359),
                    "baro_rate": self._draw.choice((-900, 0, 900)), "seen": 0.1, "seen_pos": 0.1,
                }
                for number in range(60)
            ), now=unix_now(),
        )  # fmt: skip
        self._client.runtime.bus.publish(Message(topics.PICTURE, "tick", b"", snapshot=True, local=sky))

    def close(self) -> None:
        """Close the application."""
        self._client.runtime.close()

    def _span(self, days: float) -> dict[str, str]:
        back = self._draw.uniform(0, DAYS - days)
        end = self._end - timedelta(days=back)
        return {"from_": iso((end - timedelta(days=days)).timestamp()), "to": iso(end.timestamp())}

    def _area(self) -> str:
        """A box of 2 to 20 nm, near a field or somewhere within 40 nm of one."""
        draw, field = self._draw, self._draw.choice(self._fields)
        away, half = draw.choice((0.05, 0.6)), draw.uniform(1, 10) / 60
        lat, lon = field.lat + draw.uniform(-away, away), field.lon + draw.uniform(-away, away)
        return f"{lon - half * 1.4:.4f},{lat - half:.4f},{lon + half * 1.4:.4f},{lat + half:.4f}"

    def _overflights(self, days: float) -> tuple[str, dict[str, Any]]:
        draw = self._draw
        over = draw.choice(("sea", "ground"))
        below = draw.choice((1_500, 3_000, 3_000, 5_000, 10_000))
        return "overflights", {**self._span(days), "bbox": self._area(), "below_ft": below, "over": over, "limit": 100}

    def questions(self) -> dict[str, Callable[[], tuple[str, dict[str, Any]]]]:
        """The pages by name: path and query of another request each time."""
        draw = self._draw
        kinds = ("airframe", "type", "operator", "country")

        def board() -> tuple[str, dict[str, Any]]:
            direction = draw.choice(("arrivals", "departures"))
            span = self._span(1.0)
            return f"airports/{draw.choice(FIELDS)}/board", {**span, "direction": direction, "limit": 200}

        def day() -> str:
            return (self._end - timedelta(days=draw.randrange(DAYS))).date().isoformat()

        return {
            "firsts, a page": lambda: ("firsts", {"offset": draw.choice((0, 0, 50, 500, 5_000))}),
            "firsts of a kind": lambda: ("firsts", {"kind": draw.choice(kinds)}),
            "firsts of a week": lambda: ("firsts", self._span(7.0)),
            "records": lambda: ("records", {}),
            "journal": lambda: ("journal", {"day": day()}),
            "worth a look": lambda: ("worth-a-look", {"limit": 5}),
            "board of a day": board,
            "overflights, a day": lambda: self._overflights(1.0),
            "overflights, 7 days": lambda: self._overflights(7.0),
            "overflights, 31 days": lambda: self._overflights(31.0),
            "overflights, 92 days": lambda: self._overflights(92.0),
            "statistics, 7 days": lambda: ("history/stats", {}),
        }

    def costs(self, name: str, rounds: int) -> list[tuple[float, float]]:
        """Processor time (ms) of this process and of the server for each of so many requests, half of them by a
        caller who may not see military aircraft."""
        ask = self.questions()[name]
        found = []
        for _ in range(2):
            self._client.ask(*ask())
        for number in range(rounds):
            path, query = ask()
            server, began = server_cpu_ms(self._base), time.process_time()
            self._client.ask(path, query, role=("viewer", "superadmin")[number % 2])
            ours = 1000 * (time.process_time() - began)
            found.append((ours, server_cpu_ms(self._base) - server))
        return found


def server_cpu_ms(base: Database) -> float:
    """Processor time of PostgreSQL's processes for this database, of which the scheduler keeps nanoseconds."""
    if base.kind == "sqlite":
        return 0.0
    with base.engine.connect() as connection:
        ours = connection.scalars(sa.text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"))
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in ours) / 1e6


def costs_of_pages(base: Database, rounds: int) -> dict[str, tuple[float, float, float]]:
    """By page the median, the 95th of a hundred and the highest processor time (ms), the server's included."""
    pages = Pages(base)
    try:
        found = {}
        for name in pages.questions():
            times = sorted(sum(each) for each in pages.costs(name, rounds))
            found[name] = (statistics.median(times), times[int(len(times) * 0.95) - 1], times[-1])
        return found
    finally:
        pages.close()
