"""The monitor of the quality of reception: samples the receivers with the ticks, and writes in the background."""

from __future__ import annotations

import sqlalchemy as sa

from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.feeders.models import Feeder
from skywatch.picture.access import PictureAccess
from skywatch.picture.state.sky import Sky
from skywatch.reception.connections.follower import ConnectionFollower
from skywatch.reception.measurement.collector import Entry, Origin, QualityCollector
from skywatch.reception.measurement.writer import QualityWriter
from skywatch.reception.series import SeriesTask
from skywatch.reception.silence import WatchedFeeders

PLACES_EVERY_S = 10.0
# Longest wait for the places of feeders at the start.
START_S = 2.0
# Two hours each of five thousand receivers wait while the database is away; about 4 kB each.
MAX_WAITING = 10_000


class QualityMonitor:
    """Measures every receiver of the tracker's picture."""

    name = "reception"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._access = runtime.shared(PictureAccess)
        self._watched = runtime.shared(WatchedFeeders)
        self._places: dict[str, tuple[float, float]] = {}
        self._collector = QualityCollector(self._place_of)
        self._queue: WriteQueue[Entry] = WriteQueue(MAX_WAITING, replace_delay_s=1.0)
        self._writer = BackgroundWriter("quality", runtime.sessions, self._queue, QualityWriter().write)
        self._connections = ConnectionFollower(runtime)
        self._series = SeriesTask(runtime)
        self._places_task = PeriodicTask("quality_places", PLACES_EVERY_S, self._read_places)

    def start(self) -> None:
        """Read where feeders stand, and begin to write."""
        self._places_task.start(START_S)
        self._writer.start()
        self._connections.start()
        self._series.start()

    def on_tick(self, sky: Sky) -> None:
        """Sample the receivers whose turn it is."""
        self._series.follow(sky)
        if self._access.picture is None:
            return
        for entry in self._collector.tick(self._access.picture, sky):
            self._queue.replace((entry.receiver, entry.at), entry)

    def close(self) -> None:
        """Write what was measured."""
        self._places_task.close()
        self._connections.close()
        for entry in self._collector.collect():
            self._queue.replace((entry.receiver, entry.at), entry)
        self._writer.close()
        self._series.close()

    def _place_of(self, receiver: str) -> Origin:
        return self._places.get(receiver)

    def _read_places(self) -> None:
        places: dict[str, tuple[float, float]] = {}
        with self._runtime.sessions() as session:
            for number, lat, lon in session.execute(sa.select(Feeder.id, Feeder.lat, Feeder.lon)):
                if lat is not None and lon is not None:
                    places[f"feeder-{number}"] = lat, lon
            self._watched.read(session)
        self._places = places
        if self._access.picture is not None:
            self._access.picture.place_feeders(places)


def create(runtime: Runtime) -> QualityMonitor:
    """The monitor."""
    return QualityMonitor(runtime)
