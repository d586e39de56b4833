"""A tracker that stood still, and another one that took over: nothing is stored twice, and nothing is overwritten."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import Base, create_engine, create_session_factory
from skywatch.core.database.models import WriterBatch
from skywatch.history.models import Flight, Tail
from skywatch.history.storage.reader import Span, read
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

TABLES = (
    "history_flights",
    "history_chunks",
    "history_tail",
    "picture_state",
    "safety_events",
    "events",
    "fencing_tokens",
)
FLUSH_S = 3
SETTINGS = {"receiver.demo": "simulate aircraft=30 seed=1", "history_flush_s": FLUSH_S, "picture_save_s": 2}


@pytest.fixture
def trackers(tmp_path, postgresql_url):
    services = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        services.append(Service(folder, database_url=postgresql_url, secret="s" * 40, **SETTINGS))
    yield services
    for service in services:
        if service.process is not None and service.process.poll() is None:
            service.process.send_signal(signal.SIGCONT)
            service.process.kill()
            service.process.wait(PATIENCE_S)


@pytest.fixture
def engine(postgresql_url):
    engine = create_engine(postgresql_url)
    yield engine
    engine.dispose()


def written(engine: sa.Engine) -> int:
    """A number that grows with each flush."""
    with engine.connect() as connection:
        return connection.scalar(sa.select(sa.func.coalesce(sa.func.max(Tail.id), 0))) or 0


def batches(engine: sa.Engine) -> dict[str, int]:
    """The number of the last batch of each writer."""
    with engine.connect() as connection:
        return {row.writer: row.batch for row in connection.execute(sa.select(WriterBatch.writer, WriterBatch.batch))}


def all_rows(engine: sa.Engine) -> dict[str, list[sa.Row]]:
    """Everything that trackers store."""
    with engine.connect() as connection:
        return {
            name: sorted(connection.execute(sa.select(Base.metadata.tables[name])).all(), key=repr) for name in TABLES
        }


@contextmanager
def stands_still(tracker: Service, engine: sa.Engine) -> Iterator[None]:
    """A process that is frozen between two flushes, and whose sessions the server ends as those of a silent host."""
    assert tracker.process is not None
    before = written(engine)
    until(lambda: written(engine) > before, "the tracker writes history")
    time.sleep(FLUSH_S / 2)
    tracker.process.send_signal(signal.SIGSTOP)
    with engine.connect() as connection:
        connection.execute(
            sa.text(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    yield
    tracker.process.send_signal(signal.SIGCONT)
    tracker.process.wait(PATIENCE_S)


def take_over(tracker: Service, engine: sa.Engine) -> None:
    """Start, restore what the tracker before has stored, and write history."""
    before = written(engine)
    tracker.start()
    # It reads the directory of airports some seconds after its start. A stop that waits for that would run out of time
    # on a busy machine; the answer to this waits for it as well.
    tracker.get("/api/v1/airports/LSZH/board")
    until(lambda: written(engine) > before + 1, "the second tracker writes history")


def test_a_tracker_that_thaws_after_its_successor_took_over_stores_nothing_twice(trackers, engine):
    first, second = trackers
    first.start()
    with stands_still(first, engine):
        before_thaw = batches(engine)
        take_over(second, engine)
    assert before_thaw.items() <= batches(engine).items()
    before = written(engine)
    until(lambda: written(engine) > before, "the second tracker goes on")
    assert second.stop() == 0
    with create_session_factory(engine)() as session:
        points = read(session, Span(0, 1e10))
        active = session.scalars(sa.select(Flight.icao_hex).where(Flight.active)).all()
    moments = np.stack((points["flight"], points["at"]), axis=1)
    assert len(points) > 0
    assert len(np.unique(moments, axis=0)) == len(points)
    assert len(set(active)) == len(active)
    said = [line for line in first.log.read_text().splitlines() if "this tracker ends" in line]
    assert len(said) == 1, first.log.read_text()


def test_a_tracker_that_thaws_after_its_successor_has_ended_changes_no_row(trackers, engine):
    first, second = trackers
    first.start()
    with stands_still(first, engine):
        take_over(second, engine)
        assert second.stop() == 0
        before = all_rows(engine)
    assert all_rows(engine) == before
    assert "Traceback" not in first.log.read_text()
