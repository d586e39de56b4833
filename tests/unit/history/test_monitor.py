"""How often history is written, and what comes of a database that takes nothing when the tracker starts."""

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.database import engine as db
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.core.storage import retries
from skywatch.core.telemetry import health
from skywatch.history import monitor as history_monitor
from skywatch.history.models import Flight
from skywatch.history.monitor import TICK_S, HistoryMonitor, pause_after
from skywatch.history.storage.points import address_code
from skywatch.history.storage.reader import Span, read
from tests.unit.history.skies import SkyMaker, flying
from tests.waiting import until

T = 1_750_000_200.0


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(retries, "RETRY_FIRST_S", 0.02)
    monkeypatch.setattr(retries, "RETRY_LAST_S", 0.05)
    monkeypatch.setattr(history_monitor, "START_S", 0.2)
    monkeypatch.setattr(db, "SQLITE_BUSY_TIMEOUT_S", 0.05)


@pytest.mark.parametrize(("flush_s", "took_s"), [(5.0, 0.0), (5.0, 0.7), (60.0, 3.0), (3.0, 0.2)])
def test_what_a_crash_may_lose_is_what_the_setting_says(flush_s, took_s):
    # Heard before the tick that the first of two flushes missed, until the second has been committed.
    assert TICK_S + took_s + pause_after(flush_s, took_s) + took_s <= flush_s + 1e-9


def test_slow_flushes_leave_time_to_others():
    assert pause_after(5.0, 20.0) == 2.5
    assert pause_after(1.0, 0.1) == 0.5


def state():
    return next(component for component in health.components() if component.name == "history_writer")


class Recording:
    """A monitor over a database of its own engine, and a sky that goes on."""

    def __init__(self, runtime, url):
        self.engine = create_engine(url)
        self.sessions = create_session_factory(self.engine)
        self.monitor = HistoryMonitor(Runtime(runtime.settings, self.engine, self.sessions, runtime.bus))
        self.make = SkyMaker(str(id(self)))

    def fly(self, begin, end, *addresses):
        for second in range(begin, end):
            self.monitor.on_tick(self.make(T + second, [flying(a, T + second, T) for a in addresses]))

    def close(self):
        self.monitor.close()
        self.engine.dispose()

    def flights(self):
        with self.sessions() as session:
            return session.scalars(sa.select(Flight).order_by(Flight.icao_hex, Flight.first_seen_at)).all()

    def seconds(self, address):
        with self.sessions() as session:
            points = read(session, Span(0, T + 1e6, address_code(address)))
        return points["at"] * 0.01 - T


@pytest.fixture
def locked(sqlite_url):
    """Locks and unlocks SQLite's file, as another program would."""
    engine = sa.create_engine(sqlite_url, isolation_level="AUTOCOMMIT")
    connection = engine.connect()

    def change(lock):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if lock else "ROLLBACK")

    yield sqlite_url, change
    connection.close()
    engine.dispose()


@pytest.fixture
def read_only(postgresql_url):
    """Makes PostgreSQL's database read-only for new connections, and writable again."""
    name = sa.make_url(postgresql_url).database
    admin = sa.create_engine(postgresql_url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def change(lock):
        with admin.connect() as connection:
            connection.exec_driver_sql("SET default_transaction_read_only = off")
            value = "on" if lock else "off"
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {value}')

    return postgresql_url, change


@pytest.fixture(params=["locked", "read_only"])
def refusing(request):
    return request.getfixturevalue(request.param)


def test_a_database_that_accepts_nothing_at_the_start_loses_nothing(make_runtime, refusing, caplog):
    url, refuse = refusing
    runtime = make_runtime(history_flush_s=1)
    before = Recording(runtime, url)
    before.monitor.start()
    before.fly(0, 30, "4b1620", "3c6444")
    before.close()
    refuse(True)
    after = Recording(runtime, url)
    after.monitor.start()
    assert state().name == "history_writer"  # in health from the first second
    until(lambda: not state().ok)
    assert any(reason in state().detail for reason in ("database is locked", "read-only transaction"))
    after.fly(40, 80, "4b1620", "4b0001")
    until(lambda: state().figures["waiting"] > 0)
    refuse(False)
    until(lambda: state().ok)
    after.fly(80, 90, "4b1620", "4b0001")
    after.close()
    flights = after.flights()
    assert [(f.icao_hex, f.active) for f in flights] == [("3C6444", True), ("4B0001", True), ("4B1620", True)]
    seen = {f.icao_hex: (f.first_seen_at.timestamp() - T, f.last_seen_at.timestamp() - T) for f in flights}
    assert seen["4B1620"] == pytest.approx((0.0, 89.0), abs=0.01)
    assert next(f for f in flights if f.icao_hex == "4B1620").positions == 30 + 50
    at = after.seconds("4b1620")
    assert (at.min(), at.max()) == pytest.approx((0.0, 89.0), abs=0.02)
    assert np.diff(at).max() <= 120
    assert "history_writer" not in {component.name for component in health.components()}
    lines = [record.message for record in caplog.records if record.name.startswith("skywatch.core.storage.")]
    assert len(lines) <= 3


def test_a_flight_that_was_over_before_the_database_came_back_stays_apart(make_runtime, locked):
    url, refuse = locked
    runtime = make_runtime(history_flush_s=1)
    before = Recording(runtime, url)
    before.monitor.start()
    before.fly(0, 30, "4b1620")
    before.close()
    refuse(True)
    after = Recording(runtime, url)
    after.monitor.start()
    after.fly(5000, 5010, "4b1620")
    refuse(False)
    until(lambda: state().ok)
    after.fly(5010, 5020, "4b1620")
    after.close()
    assert [(f.positions, f.active) for f in after.flights()] == [(30, False), (20, True)]
