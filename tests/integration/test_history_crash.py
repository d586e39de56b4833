"""What a kill -9 or a full disk may cost history: a few seconds of positions, and nothing else."""

import contextlib
import os
import shutil
import sqlite3
import threading
import time
from collections import Counter

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.core.storage import retries
from skywatch.core.telemetry import health
from skywatch.history.models import Chunk, Flight, Tail
from skywatch.history.monitor import HistoryMonitor
from skywatch.history.storage.codec import decode
from skywatch.history.storage.points import AT_S
from skywatch.history.storage.reader import Span, read
from tests.prefork import start_module
from tests.processes import ENVIRONMENT
from tests.unit.history.skies import SkyMaker, flying
from tests.waiting import until

COMPONENT = "history_writer"
START = 1_750_000_200.0
ROUNDS = int(os.environ.get("HISTORY_KILLS", "3"))
FLUSH_S, TICK_S, AIRCRAFT = 1.0, 0.02, 40
# Skies pass at 1 / TICK_S times the pace of the wall clock; a flush takes time as well, on a busy machine above all.
MAX_LOST_S = 20 * FLUSH_S / TICK_S


def kill_after(sessions, url, start, wall_s):
    """Record until something was written and for some seconds more, kill -9; the time of the last tick.

    That time, and ``start``, are by the skies' clock.
    """
    arguments = [url, str(start), str(FLUSH_S), str(AIRCRAFT), str(TICK_S)]
    process = start_module("tests.integration.history_writer", *arguments, environment=ENVIRONMENT)
    assert process.stdout.readline().strip() == "started"
    until(lambda: last_written(sessions) > start, "the first flush")
    time.sleep(wall_s)
    process.kill()
    with process.stdout:
        lines = process.stdout.read().split()
    process.wait()
    return float(lines[-1]) if lines and lines[-1].isdigit() else start


def last_written(sessions):
    """When the last position in the database was received (by the skies' clock), or 0.0."""
    with sessions() as session:
        points = read(session, Span(0, 1e10))
    return points["at"].max() * AT_S if len(points) else 0.0


@pytest.mark.timeout(600 + 15 * ROUNDS)
def test_killed_while_writing_again_and_again(database_url):
    engine = create_engine(database_url)
    sessions = create_session_factory(engine)
    at, lost = START, []
    for number in range(ROUNDS):
        last = kill_after(sessions, database_url, at, 0.5 + 0.37 * (number % 5))
        with sessions() as session:
            points = read(session, Span(0, last + 1e6))
            for chunk in session.scalars(sa.select(Chunk)):
                assert len(decode(chunk.data)) == chunk.points
            for tail in session.scalars(sa.select(Tail)):
                decode(tail.points)
                decode(tail.ends)
            flights = Counter(session.scalars(sa.select(Flight.icao_hex)))
            known = set(session.scalars(sa.select(Flight.id)))
        assert len(points)
        lost.append(last - points["at"].max() * AT_S)
        assert lost[-1] <= MAX_LOST_S
        # Restarts follow at once, so that each aircraft goes on with its flight.
        assert set(flights.values()) == {1}
        assert len(flights) == AIRCRAFT
        assert set(points["flight"].tolist()) <= known
        for flight in known:
            mine = points["at"][points["flight"] == flight]
            assert len(set(mine.tolist())) == len(mine)
        at = last + 1
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    engine.dispose()
    print(f"{ROUNDS} kills on {engine.dialect.name}: lost at most {max(lost) * TICK_S:.2f} s of wall time")


@pytest.fixture
def full_disk(tmp_path, migrated_sqlite):
    """A database that may not grow, and what lifts the limit: SQLite then says what it says on a full disk."""
    path = tmp_path / "full.sqlite"
    shutil.copy(migrated_sqlite, path)
    # What the migrations freed would be room.
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("VACUUM")
    engine = create_engine(f"sqlite:///{path}")
    limit = {"pages": 0}

    @sa.event.listens_for(engine, "begin")
    def _limit(connection):
        pages = limit["pages"] or 2**30
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    with engine.connect() as connection:
        limit["pages"] = connection.exec_driver_sql("PRAGMA page_count").scalar()
    yield engine, limit
    engine.dispose()


def test_a_full_disk_is_said_and_survived(full_disk, make_settings, monkeypatch, caplog):
    monkeypatch.setattr(retries, "RETRY_FIRST_S", 0.05)
    monkeypatch.setattr(retries, "RETRY_LAST_S", 0.1)
    engine, limit = full_disk
    sessions = create_session_factory(engine)
    monitor = HistoryMonitor(Runtime(make_settings(history_flush_s=1), engine, sessions, open_bus("memory")))
    monitor.start()
    make = SkyMaker()
    addresses = [f"4b{n:04x}" for n in range(200)]
    ours = threading.get_ident()
    asked = []
    sa.event.listen(engine, "before_cursor_execute", lambda *args: asked.append(threading.get_ident()))

    def state():
        return next(c for c in health.components() if c.name == COMPONENT)

    for second in range(300):
        monitor.on_tick(make(START + second, [flying(a, START + second, START) for a in addresses]))
    assert ours not in asked  # the tracker does not wait for a disk
    until(lambda: not state().ok)
    assert "disk is full" in state().detail
    until(lambda: state().figures["failures"] > 2)
    assert state().figures["waiting"] > 0
    assert sum("cannot be written" in record.message for record in caplog.records) == 1

    limit["pages"] = 0
    until(lambda: state().ok)
    monitor.close()
    with sessions() as session:
        points = read(session, Span(START, START + 300))
        assert session.scalar(sa.select(sa.func.count()).select_from(Flight)) == len(addresses)
    assert points["at"].max() * AT_S == pytest.approx(START + 299)
    for flight in set(points["flight"].tolist()):
        assert np.diff(points["at"][points["flight"] == flight]).max() * AT_S <= 120
