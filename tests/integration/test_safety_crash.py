"""A tracker that is killed with active safety events: the next one takes them up, neither closed nor doubled."""

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.models import StoredEvent
from skywatch.core.runtime import Runtime
from skywatch.safety.models import SafetyEvent
from skywatch.safety.monitor import THRESHOLDS_EVERY_S, SafetyMonitor
from skywatch.safety.thresholds.store import set_values
from tests.prefork import start_module
from tests.processes import ENVIRONMENT
from tests.unit.safety.drawn import Drawn, found, of_type, skies, straight
from tests.waiting import until

ROUNDS = 3


def run_and_kill(sessions, url):
    """Run a tracker until its events were updated in the database, and kill it."""
    process = start_module("tests.integration.safety_tracker", url, "5000", environment=ENVIRONMENT)
    before = [event.last_at for event in stored(sessions)]
    try:
        until(lambda: updated_since(sessions, before), "events that are stored and updated")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def updated_since(sessions, before):
    now = [event.last_at for event in stored(sessions)]
    return len(now) >= 2 and all(event.last_at > event.began_at for event in stored(sessions)) and now != before


def stored(sessions):
    with sessions() as session:
        return session.scalars(sa.select(SafetyEvent).order_by(SafetyEvent.id)).all()


@pytest.mark.timeout(600)
def test_active_events_survive_kills_neither_closed_nor_doubled(database_url):
    engine = create_engine(database_url)
    sessions = create_session_factory(engine)
    for _ in range(ROUNDS):
        run_and_kill(sessions, database_url)
        events = stored(sessions)
        assert {event.icao_hex for event in events} == {"4B0000", "4B0001"}
        assert len(events) == 2
        assert all(event.ended_at is None for event in events)
    with sessions() as session:
        published = session.scalars(sa.select(StoredEvent.event).where(StoredEvent.topic == "safety")).all()
    assert sorted(published).count("safety:event") == 2
    assert "safety:event_resolved" not in published
    engine.dispose()


def test_a_changed_threshold_is_in_force_within_two_seconds(make_runtime):
    assert THRESHOLDS_EVERY_S <= 1.5
    runtime: Runtime = make_runtime()
    monitor = SafetyMonitor(runtime)
    monitor.start()
    try:
        with runtime.sessions() as session, session.begin():
            set_values(session, {"emergency_hold_s": 100.0})
        until(lambda: monitor.thresholds.emergency_hold_s == 100.0, "the changed threshold")
    finally:
        monitor.close()
    aircraft = Drawn("4b0001", straight(0, 0, 9000, 200, 90), fields={"squawk": "7700"})
    assert of_type(found(skies([aircraft], 60), monitor.thresholds), "emergency_squawk") == []
