"""Work over days for tests and benchmarks: days read from history's rows, runs of the command, and their results."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from pyarrow import parquet as pq

from skywatch.archive.batch.task import encode_rows
from skywatch.archive.kinds import span_of_day
from skywatch.core.feature import load
from skywatch.features import FEATURES
from skywatch.history.batch.day import HistoryDay
from skywatch.history.batch.rows import FlightFacts
from skywatch.history.models import Flight
from skywatch.history.reading.archive import Span, read
from skywatch.history.storage.points import no_points


class StoredRows:
    """What ``skywatch.history.batch.rows.Rows`` is, from the rows of history in the database."""

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
    declared = FEATURES.batch_jobs()[job]
    return encode_rows(declared, load(declared.run)(HistoryDay(rows, day, station), options))[0]


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


__all__ = ["StoredRows", "fingerprint", "moment", "no_points", "result_of_rows", "results", "rows_of"]
