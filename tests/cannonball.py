"""A stage for Cannonball: recordings or made-up flights drive the real picture and monitor, second by second."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.airframes.service import Airframe
from skywatch.cannonball.known.formats.delimited_table import Dialect, text_table
from skywatch.cannonball.known.imports.lists import stage_list
from skywatch.cannonball.known.imports.update import import_staged
from skywatch.cannonball.location import Location, LocationStore
from skywatch.cannonball.monitor import create
from skywatch.core.database.engine import writing
from skywatch.core.geo import destination
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.picture.picture import Picture
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.recordings import moments, recognise
from skywatch.receivers.reports.report import Report

START = 1_700_000_000.0
# Where the users are, and the police helicopter that is on their list.
HERE = (47.0, 8.0)
POLICE = "3c1234"


class Airframes:
    """An airframe database: address -> Airframe."""

    def __init__(self) -> None:
        self.known: dict[str, Airframe] = {}

    def want(self, addresses: Iterable[str]) -> None:
        """Nothing needs to be looked up ahead."""

    def lookup(self, addresses: list[str], wait_s: float = 0.0) -> list[Airframe | None]:
        return [self.known.get(address) for address in addresses]


class Stage:
    """A runtime with users, the monitor on it, a clock that the test moves, and what was published."""

    def __init__(self, runtime: Any, start: float = START) -> None:
        self.runtime = runtime
        self.now = start
        self.airframes = Airframes()
        self.picture = Picture(airframes=self.airframes, clock=lambda: self.now, monotonic=lambda: self.now)
        self.events: list[tuple[str, dict[str, Any], Any]] = []
        runtime.bus.subscribe(["alerts"], self._on_message)
        self.monitor = create(runtime)
        self.timeline: list[dict[str, Any]] = []

    def _on_message(self, message: Any) -> None:
        self.events.append((message.event, json.loads(message.data), message.audience))

    def start(self) -> None:
        """Begin, as the tracker does."""
        self.monitor.start()

    def close(self) -> None:
        """Stop: everything is written."""
        self.monitor.close()

    def locate(self, user_id: int, lat: float, lon: float, radius_nm: float = 25.0, **movement: float) -> None:
        """A user tells where they are."""
        ttl_s = self.runtime.settings.cannonball_location_ttl_s
        LocationStore(self.runtime.bus).put(
            Location(user_id, lat, lon, radius_nm, self.now, self.now + ttl_s, **movement)
        )

    def receive(self, *reports: Report, voice: Voice | None = None) -> None:
        """A receiver of ours receives aircraft, or the feeder of a stranger."""
        self.picture.put(f"feeder of {voice.owner}" if voice else "test", list(reports), len(reports), voice=voice)

    def tick(self) -> None:
        """The next second."""
        self.monitor.on_tick(self.picture.tick())
        for session in self.monitor._sessions.sessions.values():
            self.timeline.append(
                {
                    "at": self.now,
                    "hex": session.address,
                    "user": session.user_id,
                    "distance_nm": session.distance_nm,
                    "urgency": session.urgency,
                    "level": session.level.value,
                    "closing_kt": session.closing_kt,
                }
            )
        self.now += 1.0

    def fly(self, address: str, seconds: int, path: Any, *, voice: Voice | None = None, **fields: Any) -> None:
        """Fly ``path(second) -> (lat, lon, track, speed)`` for some seconds; ``voice`` as for ``receive``."""
        for second in range(seconds):
            lat, lon, track, speed = path(second)
            self.receive(report(address, self.now, lat, lon, track=track, gs=speed, **fields), voice=voice)
            self.tick()

    def replay(
        self,
        path: Path,
        user_ids: tuple[tuple[int, float, float], ...],
        refresh_s: float = 60.0,
        seconds: float = math.inf,
    ) -> None:
        """Play a recording, or its first ``seconds``, while users (id, lat, lon) keep telling where they are."""
        source = moments(str(path), recognise(str(path)), None, Counter())
        upcoming = next(source, None)
        assert upcoming is not None
        self.now = math.floor(upcoming.at)
        end = self.now + seconds
        told = -math.inf
        while upcoming is not None and self.now < end:
            if self.now - told >= refresh_s:
                told = self.now
                for user_id, lat, lon in user_ids:
                    self.locate(user_id, lat, lon)
            while upcoming is not None and upcoming.at <= self.now:
                self.picture.put("tape", upcoming.batch.reports, upcoming.batch.messages)
                upcoming = next(source, None)
            self.tick()

    def silence(
        self,
        seconds: int,
        user_ids: tuple[tuple[int, float, float], ...] = (),
        refresh_s: float = 60.0,
        every_s: int = 1,
    ) -> None:
        """Nothing is heard for a while; users go on telling where they are. A tick every ``every_s``."""
        for second in range(0, seconds, every_s):
            if second % refresh_s == 0:
                for user_id, lat, lon in user_ids:
                    self.locate(user_id, lat, lon)
            self.tick()
            self.now += every_s - 1

    def rows(self, table: Any) -> list[Any]:
        """All rows of a table, in order."""
        with self.runtime.sessions() as db:
            return list(db.scalars(sa.select(table).order_by(table.id)))

    def alert_types(self, user_id: int | None = None) -> list[str]:
        """The types of the alerts that were published, in order."""
        return [alert["alert_type"] for alert in self.alerts(user_id)]

    def alerts(self, user_id: int | None = None) -> list[dict[str, Any]]:
        """Alerts that were published, in order."""
        return [
            data
            for event, data, audience in self.events
            if event == "cannonball:alert" and (user_id is None or user_id in audience.users)
        ]


def report(address: str, at: float, lat: float, lon: float, **fields: Any) -> Report:
    """What a receiver says of an aircraft at one moment."""
    fields.setdefault("type", "adsb_icao")
    fields.setdefault("alt_baro", 1500)
    return Report(address, at=at, position_at=at, lat=lat, lon=lon, messages=1, **fields)


def straight(lat: float, lon: float, track: float, speed_kt: float) -> Any:
    """A path along a great circle."""

    def path(second: int) -> tuple[float, float, float, float]:
        there = destination(lat, lon, track, speed_kt * second / 3600.0)
        return float(there[0]), float(there[1]), track, speed_kt

    return path


def orbit(lat: float, lon: float, radius_nm: float, speed_kt: float) -> Any:
    """A circle flown clockwise."""

    def path(second: int) -> tuple[float, float, float, float]:
        angle = math.degrees(speed_kt * second / 3600.0 / radius_nm) % 360.0
        there = destination(lat, lon, angle, radius_nm)
        return float(there[0]), float(there[1]), (angle + 90.0) % 360.0, speed_kt

    return path


def add_users(runtime: Any, *ids: int) -> None:
    """Users to own sessions."""
    with writing(runtime.sessions) as db:
        for number in ids:
            name = f"user{number}"
            db.add(User(id=number, username=name, username_key=name, email=name, email_key=name, display_name=name))


def add_known(runtime: Any, rows: str) -> None:
    """Rows of our own CSV (address, registration, agency) put on the list of known aircraft."""
    text = f"icao_hex,registration,agency_name\n{rows}".encode()
    with stage_list(text_table(text, Dialect()), "skywatch") as staged:
        import_staged(runtime.engine, staged, actor=COMMAND_LINE)
