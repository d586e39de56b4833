"""What the history benchmarks share: databases of their own, traffic recorded into them, and more of the same."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from benchmarks._traffic import Traffic
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.database.migrations import upgrade
from skywatch.history.models import Chunk, Flight, Tail
from skywatch.history.recorder.recorder import Recorder
from skywatch.history.recorder.writer import Writer, chunk_rows
from skywatch.history.storage.codec import decode, encode
from skywatch.history.storage.points import SLICE_S
from skywatch.history.storage.shards import slices
from skywatch.history.storage.tail import read_tail
from skywatch.picture.state.sky import COLUMNS, Sky
from tests.servers import postgresql_database

KINDS = ("sqlite", "postgresql")
START = 1_750_000_200.0
FLUSH_S = 5
ERROR_M, ALTITUDE_ERROR_FT, FLIGHT_GAP_S = 20.0, 25.0, 900.0
_TABLES = {
    "sqlite": "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s JOIN sqlite_master m USING (name) GROUP BY 1",
    "postgresql": "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
}
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Database:
    """A new database with the whole schema."""

    kind: str
    url: str
    engine: sa.Engine
    sessions: Any

    def size(self) -> int:
        """Bytes in use; on PostgreSQL those of our tables, without the server's own."""
        if self.kind == "postgresql":
            return sum(self.tables().values())
        with self.engine.connect() as connection:
            pages, free, size = (
                int(connection.exec_driver_sql(f"PRAGMA {name}").scalar() or 0)
                for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * size

    def tables(self) -> dict[str, int]:
        """Bytes of each table with its indexes; empty where SQLite was built without ``dbstat``."""
        with self.engine.connect() as connection:
            try:
                return {name: int(size) for name, size in connection.execute(sa.text(_TABLES[self.kind]))}
            except sa.exc.OperationalError:
                return {}

    def settle(self, full: bool = False) -> None:
        """Bring everything to its place on disk, as a server does in time; ``full`` rewrites PostgreSQL's tables."""
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if self.kind == "sqlite":
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                connection.exec_driver_sql("VACUUM FULL" if full else "VACUUM ANALYZE")
                connection.exec_driver_sql("CHECKPOINT")

    def server_cpu_s(self) -> float:
        """Processor time of the server's processes for this database where they run on this machine, or else 0."""
        if self.kind == "sqlite":
            return 0.0
        with self.engine.connect() as connection:
            ours = sa.text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
            return sum(postgresql_cpu_s(pid) for pid in connection.scalars(ours))


def postgresql_cpu_s(pid: int) -> float:
    """Processor time of a process of PostgreSQL where it runs on this machine, or else 0."""
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    except OSError:
        return 0.0
    if "postgres" not in name:
        return 0.0
    fields = rest.split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND


@contextmanager
def database(kind: str, folder: Path) -> Iterator[Database]:
    """A new database, gone at the end; ``folder`` takes SQLite's file, TEST_POSTGRESQL_URL names the other server."""
    if kind == "sqlite":
        yield from _opened(kind, f"sqlite:///{folder / 'history.sqlite'}")
    else:
        with postgresql_database() as url:
            yield from _opened(kind, url)


def _opened(kind: str, url: str) -> Iterator[Database]:
    engine = create_engine(url)
    try:
        upgrade(engine)
        yield Database(kind, url, engine, create_session_factory(engine))
    finally:
        engine.dispose()


@dataclass
class Recorded:
    """What recording some traffic took: seconds of processor time (ours and the server's) and its longest flush."""

    seconds: int
    positions: int
    cpu_s: float = 0.0
    server_cpu_s: float = 0.0
    wall_s: float = 0.0
    longest_flush_s: float = 0.0


def new_writer(base: Database) -> Writer:
    """A writer with the settings of a new installation."""
    return Writer(base.sessions, Recorder(ERROR_M, ALTITUDE_ERROR_FT, FLIGHT_GAP_S))


def record(base: Database, traffic: Traffic, seconds: int, writer: Writer) -> Recorded:
    """Record so many seconds of traffic, as fast as it goes; making up the traffic is not counted."""
    done = Recorded(seconds, seconds * traffic.size)
    server = base.server_cpu_s()
    for second in range(seconds):
        sky = traffic()
        cpu, wall = time.process_time(), time.perf_counter()
        writer.recorder.take(sky)
        if second % FLUSH_S == FLUSH_S - 1:
            began = time.perf_counter()
            writer.flush()
            done.longest_flush_s = max(done.longest_flush_s, time.perf_counter() - began)
        done.cpu_s += time.process_time() - cpu
        done.wall_s += time.perf_counter() - wall
    writer.flush()
    done.server_cpu_s = base.server_cpu_s() - server
    return done


def land_in(writer: Writer, now: float) -> None:
    """Let hours pass in which nothing is heard: every flight ends and every slice becomes chunks."""
    nothing = {name: np.zeros(0, dtype) for name, dtype in COLUMNS.items()}
    for hour in range(1, 3):
        writer.recorder.take(Sky("silence", hour, now + hour * 3600.0, 0, [], nothing, [], []))
        for _ in range(2):
            writer.flush()


def totals(base: Database) -> tuple[int, int]:
    """Positions received and points kept."""
    with base.sessions() as session:
        sums = sa.select(sa.func.sum(Flight.positions), sa.func.sum(Flight.points))
        positions, points = session.execute(sums).one()
    return int(positions or 0), int(points or 0)


class Copies:
    """Makes more of what was flown: everything again, earlier by ``seconds`` (in whole slices), as other flights.

    The points of each copy are decoded, moved and encoded again; in the copies what is in the tail is in chunks too.
    """

    def __init__(self, base: Database, seconds: int) -> None:
        self._base = base
        self._period = -(-seconds // SLICE_S) * SLICE_S
        self._made = 0
        columns = (Chunk.slice_at, Chunk.shard, Chunk.aircraft, Chunk.points, Chunk.data)
        with base.sessions() as session:
            self._flights = [dict(row) for row in session.execute(sa.select(Flight.__table__)).mappings()]
            self._chunks = [dict(row) for row in session.execute(sa.select(*columns)).mappings()]
            tail = read_tail(session)
        begins = slices(tail)
        for at in np.unique(begins).tolist():
            self._chunks += chunk_rows(at, tail[begins == at])
        self._chunks.sort(key=itemgetter("slice_at", "shard"))
        self._highest = max(row["id"] for row in self._flights)
        self.points = sum(row["points"] for row in self._chunks)

    def make(self, copies: int) -> None:
        """Write so many copies, each earlier than the one before."""
        for number in range(self._made + 1, self._made + copies + 1):
            chunks, flights = self._earlier(number)
            with writing(self._base.sessions) as session:
                session.execute(sa.insert(Flight), flights)
                session.execute(sa.insert(Chunk), chunks)
        self._made += copies
        self._raise_ids()

    def _earlier(self, number: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        back = number * self._period
        flights = [
            {
                **row,
                "id": row["id"] + number * self._highest,
                "first_seen_at": row["first_seen_at"] - timedelta(seconds=back),
                "last_seen_at": row["last_seen_at"] - timedelta(seconds=back),
                "active": False,
            }
            for row in self._flights
        ]
        chunks = []
        for row in self._chunks:
            points = decode(row["data"])
            points["at"] -= back * 100
            points["flight"] += number * self._highest
            chunks.append({**row, "slice_at": row["slice_at"] - back, "data": encode(points)})
        return chunks, flights

    def _raise_ids(self) -> None:
        """Let PostgreSQL's next flight get a number that no copy has."""
        if self._base.kind == "postgresql":
            with self._base.engine.begin() as connection:
                highest = connection.scalar(sa.select(sa.func.max(Flight.id)))
                sequence = sa.func.pg_get_serial_sequence(Flight.__tablename__, "id")
                connection.execute(sa.select(sa.func.setval(sequence, highest)))


def land_everybody(base: Database) -> None:
    """End what is in the air and empty the tail, so that another writer can begin."""
    with writing(base.sessions) as session:
        session.execute(sa.update(Flight).values(active=False))
        session.execute(sa.delete(Tail))


def show(result: dict[str, Any]) -> None:
    """Print figures as a table; what has several numbers gets a column for each."""
    for name, value in result.items():
        if isinstance(value, tuple):
            print(f"  {name:<52}" + "".join(f"{one:>12,.1f}" for one in value))
        elif isinstance(value, float):
            print(f"  {name:<52}{value:>12,.2f}")
        elif isinstance(value, int):
            print(f"  {name:<52}{value:>12,}")
        else:
            print(f"  {name:<52}{value:>12}")
    print(flush=True)
