"""Work over days for tests and benchmarks: days read from history's rows, runs of the command, and their results."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import sqlalchemy as sa
from pyarrow import parquet as pq

from skywatch.archive.batch.run import open_batch
from skywatch.archive.batch.task import Outcome, encode_rows, run_encoded
from skywatch.archive.command import days_between
from skywatch.archive.kinds import span_of_day
from skywatch.core.batch import batch_jobs
from skywatch.core.database.engine import writing
from skywatch.features import FEATURES
from skywatch.history.batch.archived_day import FlightFacts
from skywatch.history.batch.day import HistoryDay
from skywatch.history.models import Chunk, Flight
from skywatch.history.recorder.writer import chunk_rows
from skywatch.history.storage.points import GAP, MILITARY, POINT, address_text, in_order
from skywatch.history.storage.reader import Span, read
from skywatch.history.storage.shards import slices
from tests.ports import free_port


class StoredRows:
    """What ``skywatch.history.batch.archived_day.Rows`` is, from the rows of history in the database."""

    def __init__(self, sessions, days):
        self._sessions = sessions
        self._days = set(days)

    def points(self, hour):
        """The points of an hour, in order."""
        with self._sessions() as session:
            return read(session, Span(hour, hour + 3599))

    def flights(self, day):
        """The flights that began on a day."""
        begin, end = span_of_day(day)
        columns = [getattr(Flight, name) for name in FlightFacts._fields]
        query = sa.select(*columns).where(Flight.first_seen_at >= begin, Flight.first_seen_at < end)
        with self._sessions() as session:
            rows = [row._asdict() for row in session.execute(query.order_by(Flight.id))]
        return [FlightFacts(**{**row, "last_seen_at": row["last_seen_at"].timestamp()}) for row in rows]

    def has(self, day):
        """Whether the day is among those that were given."""
        return day in self._days


def result_of_rows(rows, job, day, station=None, options=b""):
    """The Parquet file of a job over a day that is read from ``rows``; empty without rows."""
    declared = batch_jobs(FEATURES)[job]
    return encode_rows(declared, declared.run(HistoryDay(rows, day, station), options))[0]


def results(archive, job):
    """The bytes of the result of each day of a job, by day; empty where it has no rows."""
    found = {}
    for manifest in sorted(Path(archive, "batch", job).glob("day=*/manifest.json")):
        file = manifest.parent / f"{job}.parquet"
        found[manifest.parent.name.removeprefix("day=")] = file.read_bytes() if file.exists() else b""
    return found


def rows_of(archive, job):
    """All rows of a job's results, as dictionaries, day by day."""
    files = sorted(Path(archive, "batch", job).glob("day=*/*.parquet"))
    return [row for file in files for row in pq.read_table(file, partitioning=None).to_pylist()]


def fingerprint(found):
    """One hash of the results of all days."""
    digest = hashlib.sha256()
    for day, data in sorted(found.items()):
        digest.update(day.encode() + hashlib.sha256(data).digest())
    return digest.hexdigest()


def moment(text):
    """A moment in UTC as unix seconds."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def straight(flight, address, at, lat, lon, track, gs, seconds, altitude_ft=31_000, step_s=10):
    """Points of level flight that is at (lat, lon) at a moment, from ``seconds`` before it to as long after."""
    times = np.arange(-seconds, seconds + 1, step_s)
    way = gs / 3600 / 60 * times
    points = _points(flight, address, at + times, altitude_ft, gs)
    points["lat"] = np.rint((lat + way * np.cos(np.radians(track))) * 1e5)
    points["lon"] = np.rint((lon + way * np.sin(np.radians(track)) / np.cos(np.radians(lat))) * 1e5)
    points["track"] = track
    return points


def circling(flight, address, begin, lat, lon, seconds, radius_nm=1.0, gs=90, altitude_ft=2_500):
    """Points of somebody who arrives straight and then flies circles for so long."""
    arrival = straight(flight, address, begin, lat, lon + radius_nm / 60 / np.cos(np.radians(lat)), 0, gs, 600)
    arrival = arrival[arrival["at"] < begin * 100]
    times = np.arange(0, seconds, 8)
    angle = gs / 3600 * times / radius_nm
    points = _points(flight, address, begin + times, altitude_ft, gs)
    points["lat"] = np.rint((lat + radius_nm / 60 * np.sin(angle)) * 1e5)
    points["lon"] = np.rint((lon + radius_nm / 60 * np.cos(angle) / np.cos(np.radians(lat))) * 1e5)
    points["track"] = np.rint(-np.degrees(angle)) % 360
    arrival["alt"] = points["alt"][0]
    return np.concatenate((arrival, points))


def _points(flight, address, at, altitude_ft, gs):
    points = np.zeros(len(at), POINT)
    points["aircraft"], points["flight"], points["at"] = address, flight, np.rint(at * 100)
    points["alt"], points["gs"] = altitude_ft // 5, gs
    points["flags"][0], points["source"] = GAP, 1
    return points


def store(sessions, tracks, **names):
    """Store tracks as history does: a flight each, and chunks."""
    points = in_order(np.concatenate(tracks))
    at = slices(points)
    with writing(sessions) as session:
        session.execute(sa.insert(Flight), [_flight(track, **names) for track in tracks])
        for begin in np.unique(at).tolist():
            session.execute(sa.insert(Chunk), chunk_rows(begin, points[at == begin]))


def _flight(track, category="A3"):
    first, last = (datetime.fromtimestamp(at / 100, UTC) for at in (track["at"].min(), track["at"].max()))
    is_military = bool(track["aircraft"][0] & MILITARY)
    values = dict.fromkeys(column.name for column in Flight.__table__.c)
    return {
        **values,
        "id": int(track["flight"][0]),
        "icao_hex": address_text(int(track["aircraft"][0])).upper(),
        "callsign": f"TST{int(track['flight'][0]) % 10_000}",
        "registration": "D-TEST",
        "aircraft_type": "A320",
        "category": category,
        "military": is_military,
        "emergency": False,
        "active": False,
        "first_seen_at": first,
        "last_seen_at": last,
        "messages": len(track),
        "positions": len(track),
        "points": len(track),
        "distance_nm": 1.0,
    }


class Inline:
    """Workers of this process: each task as it would be done elsewhere, encoded and decoded."""

    def run(self, tasks):
        for planned in tasks:
            data = run_encoded(FEATURES, msgspec.msgpack.encode(planned.task))
            yield planned, msgspec.msgpack.decode(data, type=Outcome)

    def close(self):
        """Nothing to end."""


def run_job(sessions, settings, job, begin, end, workers=None):
    """One run of a job over the days from ``begin`` on, before ``end``."""
    batch, _ = open_batch(sessions, settings, batch_jobs(FEATURES)[job], with_keys=True)
    return batch.run(days_between(begin, end), workers or Inline(), lambda done: None)


@contextmanager
def cluster(workers=2):
    """The address of a scheduler with workers of one thread each, and the processes of these."""
    address = f"tcp://127.0.0.1:{free_port()}"
    port = address.rsplit(":", 1)[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port]
    with tempfile.TemporaryDirectory() as folder:
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
        own = ["--no-dashboard", "--local-directory", folder]
        commands = [[*dask, "--no-dashboard"], *([[*worker, *own]] * workers)] if workers else []
        processes = [subprocess.Popen(line, **quiet) for line in commands]
        try:
            yield address, processes[1:]
        finally:
            for process in processes:
                process.kill()
                process.wait()
