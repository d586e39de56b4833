"""The background writer: what was accepted is written once, whatever the database does meanwhile."""

import contextlib
import logging
import threading
import time
from collections import deque

import psycopg
import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database import engine as db
from skywatch.core.database.engine import create_engine, create_session_factory, is_outage
from skywatch.core.database.models import AuditEntry, WriterBatch
from skywatch.core.storage import batches, retries
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.core.telemetry import health, metrics
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.models import PictureState
from tests.waiting import until


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(retries, "RETRY_FIRST_S", 0.01)
    monkeypatch.setattr(retries, "RETRY_LAST_S", 0.02)
    monkeypatch.setattr(db, "SQLITE_BUSY_TIMEOUT_S", 0.05)


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


class Setting:
    """A writer of names into a table where each may stand once, with everything that it reported."""

    def __init__(self, sessions, limit=1000, **queue):
        self.sessions = sessions
        self.queue = WriteQueue(limit, **queue)
        self.committed, self.refused, self.batches = [], [], []
        self.before_write = lambda names: None
        self.writer = BackgroundWriter(
            "test",
            sessions,
            self.queue,
            self.write,
            committed=lambda entries, result: self.committed.append(result),
            refused=lambda entry, error: self.refused.append(entry),
        )

    def write(self, session, names):
        self.before_write(names)
        self.batches.append(list(names))
        session.execute(sa.insert(PictureState), [{"name": n, "saved_at": utcnow(), "data": b""} for n in names])
        session.execute(
            sa.insert(AuditEntry),
            [{"at": utcnow(), "action": name, "actor_name": "", "method": "test"} for name in names],
        )
        return list(names)

    def written(self):
        with self.sessions() as session:
            return list(session.scalars(sa.select(AuditEntry.action).order_by(AuditEntry.id)))

    def state(self):
        return next(component for component in health.components() if component.name == "test_writer")


@pytest.fixture
def setting(sessions):
    setting = Setting(sessions)
    yield setting
    setting.writer.close()


def names(first, last):
    return [f"entry {number:05}" for number in range(first, last)]


def dropped(why):
    return metrics.REGISTRY.get_sample_value("skywatch_database_write_dropped_total", {"writer": "test", "reason": why})


def test_everything_is_written_in_order(setting):
    setting.queue.append(names(0, 10))
    setting.writer.start()
    until(lambda: setting.written() == names(0, 10))
    for number in range(10, 60):
        setting.queue.append(names(number, number + 1))
    setting.writer.close()
    assert setting.written() == names(0, 60)
    assert [name for batch in setting.committed for name in batch] == names(0, 60)


@pytest.mark.deep("writes thousands of rows")
def test_during_a_flood_another_writer_gets_the_lock(setting, sessions):
    waiting = threading.Event()

    def slow(written):
        waiting.wait(0.01 * len(written))

    setting.before_write = slow
    setting.queue.append(names(0, 600))
    setting.writer.start()
    with sessions() as session:
        is_sqlite = session.get_bind().dialect.name == "sqlite"
    until(lambda: setting.batches)
    locked = 0
    while setting.queue.depth:
        # As long as SQLite's own sleep between two attempts; each attempt waits for nothing.
        time.sleep(0.1)
        with contextlib.suppress(sa.exc.OperationalError), db.writing(sessions):
            locked += 1
    setting.writer.close()
    assert setting.written() == names(0, 600)
    if is_sqlite:
        assert len(setting.batches[0]) <= batches.FIRST_ENTRIES
        assert max(map(len, setting.batches[1:])) <= 20
        assert locked >= len(setting.batches) / 8


def test_entries_that_replace_one_another_are_taken_some_at_a_time():
    queue = WriteQueue(1000, replace_delay_s=0.0)
    queue.append(["first"])
    for number in range(25):
        queue.replace(number, f"entry {number}")
    batches = [queue.take(10) for _ in range(4)]
    assert [len(batch) for batch in batches] == [10, 10, 6, 0]
    assert [one for batch in batches for one in batch] == ["first", *(f"entry {number}" for number in range(25))]
    assert queue.depth == 26


def test_a_bad_row_is_dropped_and_the_others_are_written(setting, caplog):
    before = dropped("refused")
    setting.queue.append([*names(0, 5), "entry 00002", *names(5, 8)])
    setting.writer.start()
    until(lambda: len(setting.written()) == 8)
    assert setting.written() == names(0, 8)
    assert setting.refused == ["entry 00002"]
    assert dropped("refused") == before + 1
    setting.queue.append(names(8, 9))
    until(lambda: len(setting.written()) == 9)
    assert setting.state().ok
    assert setting.state().figures["dropped"] == 1
    assert sum("refused" in record.message for record in caplog.records) == 1


def test_a_database_that_goes_away_while_entries_are_written_one_by_one_loses_none(setting):
    failures = iter(range(5))

    def fail_after_the_second(batch):
        if batch == ["entry 00002"] and next(failures, None) is not None:
            raise sa.exc.OperationalError("INSERT", {}, Exception("server closed the connection unexpectedly"))

    setting.before_write = fail_after_the_second
    setting.queue.append([*names(0, 5), "entry 00003"])
    setting.writer.start()
    until(lambda: len(setting.written()) == 5)
    assert setting.written() == names(0, 5)
    until(lambda: setting.refused == ["entry 00003"])
    assert next(failures, None) is None


def test_a_locked_database_at_the_start_is_waited_for(sqlite_url, caplog):
    locking = sa.create_engine(sqlite_url, isolation_level="AUTOCOMMIT")
    engine = create_engine(sqlite_url)
    setting = Setting(create_session_factory(engine))
    with locking.connect() as other:
        other.exec_driver_sql("BEGIN IMMEDIATE")
        setting.writer.start()
        assert setting.state().name == "test_writer"
        setting.queue.append(names(0, 3))
        until(lambda: setting.state().figures["failures"] >= 5)
        state = setting.state()
        assert (state.ok, state.detail, state.figures["waiting"]) == (
            False, "cannot be written: database is locked", 3,
        )  # fmt: skip
        other.exec_driver_sql("ROLLBACK")
    until(lambda: setting.written() == names(0, 3))
    until(lambda: setting.state().ok)
    assert setting.state().figures["waiting"] == 0
    setting.writer.close()
    assert sum("cannot be written" in record.message for record in caplog.records) == 1
    assert sum("is written again" in record.message for record in caplog.records) == 1
    engine.dispose()
    locking.dispose()


def test_a_read_only_server_at_the_start_and_while_running_is_waited_for(postgresql_url):
    name = sa.make_url(postgresql_url).database
    admin = sa.create_engine(postgresql_url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def read_only(value):
        with admin.connect() as connection:
            connection.exec_driver_sql("SET default_transaction_read_only = off")
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {value}')

    read_only("on")
    engine = create_engine(postgresql_url)
    setting = Setting(create_session_factory(engine))
    setting.writer.start()
    setting.queue.append(names(0, 3))
    until(lambda: not setting.state().ok)
    assert "read-only" in setting.state().detail
    read_only("off")
    until(lambda: setting.written() == names(0, 3))

    read_only("on")
    engine.dispose()  # Connections that are open keep what they were opened with.
    setting.queue.append(names(3, 6))
    until(lambda: not setting.state().ok)
    read_only("off")
    until(lambda: setting.written() == names(0, 6))
    until(lambda: setting.state().ok)
    setting.writer.close()
    engine.dispose()


def test_a_commit_whose_answer_was_lost_is_not_made_twice(setting, monkeypatch):
    dialect = setting.sessions.kw["bind"].dialect
    real, lost = dialect.do_commit, []

    def commit(connection):
        real(connection)
        if not lost and setting.batches:
            lost.append(True)
            if dialect.name == "postgresql":
                connection.driver_connection.close()
                raise psycopg.OperationalError("server closed the connection unexpectedly")
            raise dialect.dbapi.OperationalError("disk I/O error")

    monkeypatch.setattr(dialect, "do_commit", commit)
    setting.writer.start()
    setting.queue.append(names(0, 4))
    until(lambda: setting.committed)
    assert lost
    assert setting.written() == names(0, 4)
    assert setting.batches == [names(0, 4)]
    assert setting.committed == [names(0, 4)]
    setting.queue.append(names(4, 5))
    until(lambda: setting.written() == names(0, 5))


def test_numbers_of_writers_that_are_gone_are_removed(setting, monkeypatch):
    with setting.sessions.begin() as session:
        old = utcnow() - batches.NUMBERS_KEPT * 2
        session.add_all(
            [WriterBatch(writer="gone", batch=3, at=old), WriterBatch(writer="there", batch=3, at=utcnow())]
        )
    setting.writer.start()
    setting.queue.append(names(0, 1))
    until(setting.written)
    with setting.sessions() as session:
        assert {row.writer.split("@")[0] for row in session.scalars(sa.select(WriterBatch))} == {"there", "test"}


def test_more_than_the_bound_is_dropped_and_counted(sessions, caplog):
    setting = Setting(sessions, limit=5)
    before = dropped("full") or 0
    assert setting.queue.append(names(0, 8)) == 3
    assert not setting.queue.replace("key", "entry x")
    setting.writer.start()
    until(lambda: len(setting.written()) == 5)
    assert setting.written() == names(0, 5)
    until(lambda: dropped("full") == before + 4)
    assert setting.state().figures["dropped"] == 4
    assert sum("queue is full" in record.message for record in caplog.records) == 1
    setting.queue.append(names(8, 9))
    until(lambda: len(setting.written()) == 6)
    setting.writer.close()


def test_entries_that_replace_one_another_are_written_last_and_once(sessions):
    setting = Setting(sessions, replace_delay_s=0.05)
    for number in range(5):
        setting.queue.replace("a", f"a {number}")
    setting.queue.replace("b", "b 0")
    setting.queue.replace("c", "c 0")
    setting.queue.discard("c")
    setting.queue.append(names(0, 2))
    setting.writer.start()
    until(lambda: len(setting.written()) == 4)
    assert setting.written() == [*names(0, 2), "a 4", "b 0"]
    setting.writer.close()
    assert setting.written() == [*names(0, 2), "a 4", "b 0"]


def test_a_transaction_that_hangs_is_shown_and_a_stop_does_not_wait_for_it(setting, monkeypatch, caplog):
    monkeypatch.setattr(retries, "SLOW_S", 0.02)
    hanging, go_on = threading.Event(), threading.Event()

    def hang(batch):
        hanging.set()
        go_on.wait(60.0)

    setting.before_write = hang
    setting.writer.start()
    setting.queue.append(names(0, 1))
    hanging.wait(60.0)
    until(lambda: "has not answered" in setting.state().detail)
    began = time.monotonic()
    setting.writer.close(0.05)
    assert time.monotonic() - began < 30.0
    assert "1 entries were not written before the stop" in caplog.text
    go_on.set()


def test_a_stop_gives_up_where_the_database_does_not_come_back(setting, caplog):
    def fail(batch):
        raise sa.exc.OperationalError("INSERT", {}, Exception("no space left on device"))

    setting.before_write = fail
    setting.writer.start()
    setting.queue.append(names(0, 7))
    until(lambda: setting.state().figures["failures"])
    setting.writer.close(0.1)
    assert "7 entries were not written before the stop: no space left on device" in caplog.text
    assert "test_writer" not in {component.name for component in health.components()}


def test_what_must_come_first_is_tried_until_it_succeeds(sessions):
    setting = Setting(sessions)
    failures = iter(range(3))
    done = []

    def prepare():
        if next(failures, None) is not None:
            raise ValueError("a fault of ours")
        done.append(setting.written())

    setting.writer = BackgroundWriter("test", sessions, setting.queue, setting.write, prepare=prepare)
    setting.queue.append(names(0, 2))
    setting.writer.start(wait_s=60.0)
    assert done == [[]]
    until(lambda: setting.written() == names(0, 2))
    setting.writer.close()


def test_what_cannot_be_divided_is_never_dropped(sessions):
    setting = Setting(sessions)
    failures = iter(range(3))

    def fail(batch):
        if next(failures, None) is not None:
            raise ValueError("a fault of ours")

    setting.before_write = fail
    setting.writer = BackgroundWriter("test", sessions, setting.queue, setting.write, divisible=False)
    setting.queue.append(names(0, 2))
    setting.writer.start()
    until(lambda: setting.written() == names(0, 2))
    assert setting.batches == [names(0, 2)]
    setting.writer.close()


def test_a_thread_that_has_ended_shows_in_health(setting, monkeypatch):
    def end():
        raise retries.GaveUpError

    monkeypatch.setattr(setting.queue, "delay_s", end)
    setting.writer.start()
    until(lambda: setting.state().detail == "its thread has ended")
    assert not setting.state().ok


def test_a_fault_that_repeats_is_logged_once_and_then_by_count(monkeypatch, caplog):
    moment = [1000.0]
    monkeypatch.setattr("skywatch.core.telemetry.fault_log.time.monotonic", lambda: moment[0])
    faults = FaultLog(logging.getLogger("test"), "it fails", "it works")
    for _ in range(130):
        faults.failed("disk full")
        moment[0] += 1.0
    faults.succeeded()
    assert [record.message for record in caplog.records] == [
        "it fails: disk full",
        "it fails: disk full (61 times in 60 s)",
        "it fails: disk full (121 times in 120 s)",
        "it works after 130 failed attempts in 130 s",
    ]
    caplog.clear()
    for _ in range(120):
        faults.failed("disk full")
        moment[0] += 0.25
        faults.succeeded()
        moment[0] += 0.25
    assert len(caplog.records) <= 10


def error_of(sessions, statement):
    with sessions() as session, pytest.raises(sa.exc.DBAPIError) as raised:
        session.execute(sa.text(statement))
    return raised.value


def test_a_bad_row_is_no_outage(sessions):
    kind = sessions.kw["bind"].dialect.name
    with sessions.begin() as session:
        session.add(PictureState(name="a", saved_at=utcnow(), data=b""))
    assert not is_outage(error_of(sessions, "INSERT INTO picture_state SELECT * FROM picture_state"))
    assert not is_outage(error_of(sessions, "INSERT INTO picture_state (name) VALUES (NULL)"))
    assert is_outage(error_of(sessions, "INSERT INTO no_such_table VALUES (1)"))
    if kind == "postgresql":
        assert not is_outage(error_of(sessions, "SELECT 1/0"))
        assert is_outage(error_of(sessions, "SELECT pg_terminate_backend(pg_backend_pid())"))
    assert is_outage(sa.exc.TimeoutError("QueuePool limit"))
    assert is_outage(OSError("no space left on device"))
    assert not is_outage(ValueError("ours"))


def test_what_is_being_taken_counts_all_the_time():
    queue, seen, threads = WriteQueue(100), [], []

    class Watched(deque):
        def popleft(self):
            threads.append(threading.Thread(target=lambda: seen.append(queue.depth)))
            threads[-1].start()
            return super().popleft()

    queue.append(range(50))
    queue._ordered = Watched(queue._ordered)
    queue.take(50)
    for thread in threads:
        thread.join()
    assert set(seen) == {50}
