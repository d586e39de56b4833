"""What sessions, alerts and their pauses survive: a restart, and a database that is away."""

import time

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from skywatch.accounts.models import User
from skywatch.cannonball.location import LocationStore
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.cannonball.tracker.storage import writer
from skywatch.core.bus import Message, topics
from skywatch.core.database import engine as db
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from tests.cannonball import HERE, POLICE, Stage, add_known, add_users, orbit, straight
from tests.waiting import until


@pytest.mark.parametrize("restarts", [False, True])
def test_a_pause_of_more_than_an_hour_holds(make_runtime, restarts):
    runtime = make_runtime(cannonball_cooldown_le_detected_s=7200.0)
    add_users(runtime, 1)
    add_known(runtime, "3C1234,D-HBPA,Bundespolizei\n")
    stage = Stage(runtime, start=time.time() - 5100)
    stage.start()
    stage.locate(1, *HERE, radius_nm=5.0)
    stage.fly(POLICE, 3, straight(47.05, 8.0, 0.0, 140.0))
    stage.now += 5000.0
    stage.silence(2)
    if restarts:
        stage.close()
        stage = Stage(runtime, start=stage.now)
        stage.start()
    stage.locate(1, *HERE, radius_nm=5.0)
    stage.fly(POLICE, 3, straight(47.05, 8.0, 0.0, 140.0))
    stage.close()
    assert len(stage.rows(CannonballSession)) == 2
    assert [alert.alert_type for alert in stage.rows(CannonballAlert)].count("le_detected") == 1


@pytest.mark.parametrize("change", [sa.delete(User), sa.update(User).values(is_active=False)], ids=["deleted", "off"])
def test_a_user_whose_account_ends_is_no_longer_tracked(stage, caplog, change):
    store = LocationStore(stage.runtime.bus)
    stage.now = time.time() - 20
    for user_id in (1, 2):
        stage.locate(user_id, *HERE)
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    with writing(stage.runtime.sessions) as session:
        session.execute(change.where(User.id == 1))
    stage.runtime.bus.publish(Message(topics.IDENTITIES, "changed", b"{}"))
    until(lambda: store.get(1) is None, "the end of the location")
    stage.fly(POLICE, 10, straight(47.19, 8.0, 180.0, 100.0))
    stage.close()
    active = [session.user_id for session in stage.rows(CannonballSession) if session.is_active]
    assert (active, store.get(2) is not None) == ([2], True)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_restart_goes_on_where_the_location_is_kept(stage):
    stage.now = time.time() - 20
    stage.locate(1, *HERE)
    stage.fly(POLICE, 15, straight(47.2, 8.0, 180.0, 100.0))
    stage.close()
    (before,) = stage.rows(CannonballSession)
    again = Stage(stage.runtime, start=stage.now)
    again.start()
    again.fly(POLICE, 5, straight(47.19, 8.0, 180.0, 100.0))
    again.close()
    (after,) = stage.rows(CannonballSession)
    assert after.id == before.id
    assert after.is_active
    assert after.last_seen > before.last_seen
    assert again.alerts() == []
    assert stage.alert_types() == ["le_detected"]


@pytest.mark.deep("costs over a processor second")
def test_a_restart_ends_what_nobody_follows(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 300, orbit(47.02, 8.0, 0.7, 80.0))
    stage.close()
    again = Stage(stage.runtime)
    again.start()
    again.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.is_active, session.end_reason) == (False, "restarted")
    assert session.ended_at == session.last_seen
    assert all(pattern.ended_at for pattern in stage.rows(FlightPattern))


def test_a_database_that_is_away_for_a_while_loses_nothing(stage, monkeypatch):
    failures = iter(range(2))

    def failing(db, batch):
        if next(failures, None) is not None:
            raise OperationalError("INSERT", {}, Exception("away"))
        return real(db, batch)

    real = writer.write
    monkeypatch.setattr(writer, "write", failing)
    stage.locate(1, *HERE)
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.close()
    assert len(stage.rows(CannonballSession)) == 1
    assert stage.alert_types() == ["le_detected"]


def test_a_restart_with_a_locked_database_resumes_the_session_once_it_is_free(stage, monkeypatch):
    monkeypatch.setattr("skywatch.cannonball.monitor.START_S", 0.05)
    monkeypatch.setattr("skywatch.core.storage.retries.RETRY_FIRST_S", 0.02)
    monkeypatch.setattr("skywatch.core.storage.retries.RETRY_LAST_S", 0.05)
    stage.now = time.time() - 20
    stage.locate(1, *HERE)
    stage.fly(POLICE, 10, straight(47.2, 8.0, 180.0, 100.0))
    stage.close()
    (before,) = stage.rows(CannonballSession)
    monkeypatch.setattr(db, "SQLITE_BUSY_TIMEOUT_S", 0.05)
    engine = create_engine(stage.runtime.settings.database_url)
    runtime = Runtime(stage.runtime.settings, engine, create_session_factory(engine), stage.runtime.bus)
    locking = sa.create_engine(stage.runtime.settings.database_url, isolation_level="AUTOCOMMIT")
    again = Stage(runtime, start=stage.now)
    with locking.connect() as other:
        other.exec_driver_sql("BEGIN IMMEDIATE")
        again.start()
        states = {component.name: component for component in health.components()}
        assert {"cannonball_writer", "cannonball_list", "cannonball_locations"} <= states.keys()
        again.fly(POLICE, 3, straight(47.19, 8.0, 180.0, 100.0))
        until(lambda: not next(c for c in health.components() if c.name == "cannonball_writer").ok)
        other.exec_driver_sql("ROLLBACK")
    until(lambda: not again.monitor._restored.empty())
    again.fly(POLICE, 3, straight(47.18, 8.0, 180.0, 100.0))
    again.close()
    locking.dispose()
    engine.dispose()
    (after,) = stage.rows(CannonballSession)
    assert (after.id, after.is_active) == (before.id, True)
    assert after.started_at == before.started_at
    assert after.last_seen > before.last_seen
    assert [alert.alert_type for alert in stage.rows(CannonballAlert)] == ["le_detected"]
