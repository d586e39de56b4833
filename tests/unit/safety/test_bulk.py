"""Events are written in bulk: as many statements for ten as for a thousand, and none is dropped."""

import json

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.database.models import StoredEvent
from skywatch.safety import monitor as monitor_module
from skywatch.safety.detection.finding import Closest, Finding, Position
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.models import SafetyEvent
from skywatch.safety.monitor import SafetyMonitor
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.statements import counting
from tests.unit.safety.drawn import START, Drawn, skies, straight

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=["test_a_removed_row_is_not_made_again_by_its_end", "test_acknowledging_is_not_undone_by_an_update"],
)

T = Thresholds(aggregate_events=1000)


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


def findings(count, **fields):
    values = {"severity": "warning", "message": "close", "position": Position(47.0, 8.0, 9000), **fields}
    return [
        Finding(type="proximity", key=f"{n:06x}:ffff00", hexes=(f"{n:06x}", "ffff00"), **values) for n in range(count)
    ]


def write(sessions, changes):
    """Write as the monitor does, with the identifiers for the events; the messages."""
    with writing(sessions) as session:
        ids, messages = storage.write(session, changes)
        rows_of = {id(live): row_id for live, row_id in ids}
    for change in changes:
        change.live.id = rows_of.get(id(change.live), change.live.id)
    return messages


def life(sessions, count):
    """Begin, update and end so many events; the statements of each step, and the messages."""
    book, steps, messages = EventTracker(), [], []
    for seconds, of_tick in ((0, findings(count)), (60, findings(count, severity="critical")), (600, [])):
        with counting(sessions.kw["bind"]) as statements:
            changes = book.update(of_tick, START + seconds, T)
            assert len(changes) == count
            messages += write(sessions, changes)
        steps.append(len(statements))
    return steps, messages


def stored(sessions):
    with sessions() as session:
        return session.scalars(sa.select(SafetyEvent).order_by(SafetyEvent.id)).all()


@pytest.mark.deep("costs over a processor second")
def test_a_thousand_events_take_as_many_statements_as_ten(sessions):
    few, _ = life(sessions, 10)
    many, messages = life(sessions, 1000)
    assert many == few
    assert max(few) <= 6
    assert len(messages) == 3000
    of_many = stored(sessions)[10:]
    assert {row.ended_at is not None for row in of_many} == {True}
    assert {(row.severity, row.active_key, row.closest) for row in of_many} == {("critical", None, None)}
    assert [row.icao_hex for row in of_many] == [f"{n:06X}" for n in range(1000)]


def test_each_row_gets_its_own_values_and_each_message_its_row(sessions):
    _, messages = life(sessions, 200)
    by_id = {row.id: row.icao_hex for row in stored(sessions)}
    documents = [json.loads(message.data) for message in messages]
    assert all(by_id[document["id"]] == document["icao_hex"] for document in documents)
    assert [message.event for message in messages[::200]] == [
        "safety:event", "safety:event_updated", "safety:event_resolved",
    ]  # fmt: skip


def test_one_that_ends_and_begins_again_in_one_batch_is_two_events(sessions):
    book = EventTracker()
    changes = book.update(findings(1), START, T)
    write(sessions, changes)
    changes = book.update([], START + 100, T) + book.update(findings(1), START + 101, T)
    changes += book.update([], START + 300, T) + book.update(findings(1), START + 301, T)
    messages = write(sessions, changes)
    assert [message.event.removeprefix("safety:event") for message in messages] == ["_resolved", "", "_resolved", ""]
    assert [row.ended_at is None for row in stored(sessions)] == [False, False, True]


def test_writing_the_same_again_after_a_lost_answer_changes_nothing(sessions):
    changes = EventTracker().update(findings(30), START, T)
    for _ in range(2):
        with writing(sessions) as session:
            _, messages = storage.write(session, changes)
    assert len(stored(sessions)) == 30
    assert {message.event for message in messages} == {"safety:event_updated"}


def test_a_removed_row_is_not_made_again_by_its_end(sessions):
    book = EventTracker()
    write(sessions, book.update(findings(2), START, T))
    with writing(sessions) as session:
        session.execute(sa.delete(SafetyEvent).where(SafetyEvent.icao_hex == "000000"))
    assert len(write(sessions, book.update([], START + 100, T))) == 1
    assert [row.icao_hex for row in stored(sessions)] == ["000001"]


def test_what_a_later_finding_does_not_know_stays(sessions):
    book = EventTracker()
    [finding] = findings(1, closest=Closest(START, 0.2, 100))
    write(sessions, book.update([finding], START, T))
    [later] = findings(1, position=None)
    write(sessions, book.update([later], START + 10, T))
    [row] = stored(sessions)
    assert (row.lat, row.altitude_ft, row.closest["distance_nm"]) == (47.0, 9000, 0.2)


def test_acknowledging_is_not_undone_by_an_update(sessions):
    book = EventTracker()
    write(sessions, book.update(findings(1), START, T))
    with writing(sessions) as session:
        session.execute(sa.update(SafetyEvent).values(acknowledged=True, acknowledged_by="ada"))
    [message] = write(sessions, book.update(findings(1), START + 10, T))
    [row] = stored(sessions)
    assert (row.acknowledged, row.acknowledged_by) == (True, "ada")
    assert json.loads(message.data)["acknowledged"] is True


@pytest.fixture
def monitor(make_runtime):
    """A monitor whose writer has not started, as while the database is away."""
    return SafetyMonitor(make_runtime())


def emergencies(count):
    return [Drawn(f"4b{n:04x}", straight(3.0 * n, 0, 9000, 200, 0), fields={"squawk": "7700"}) for n in range(count)]


@pytest.mark.deep("costs over a processor second")
def test_updates_of_an_event_replace_one_another_while_the_database_is_away(monitor):
    for sky in skies(emergencies(5), 120):
        monitor.on_tick(sky)
    assert monitor._queue.depth == 10  # five that began, and the latest update of each
    assert monitor._queue.dropped == 0


def test_events_that_began_and_ended_meanwhile_are_all_written(monitor):
    for sky in skies(emergencies(5), 10):
        monitor.on_tick(sky)
    for sky in skies([Drawn("4c0000", straight(0, 90, 9000, 200, 0))], 100, began=START + 60):
        monitor.on_tick(sky)
    monitor.start()
    monitor.close()
    events = stored(monitor._sessions)
    assert len(events) == 5
    assert all(event.ended_at is not None for event in events)
    with monitor._sessions() as session:
        names = session.scalars(sa.select(StoredEvent.event).where(StoredEvent.topic == "safety")).all()
    assert sorted(names) == ["safety:event"] * 5 + ["safety:event_resolved"] * 5


def test_with_a_full_queue_new_events_are_counted_in_one_and_none_is_dropped(monitor, caplog):
    monitor._queue.limit = 40
    passing = skies(emergencies(15), 60)
    for _, sky in zip(range(10), passing, strict=False):
        monitor.on_tick(sky)
    assert monitor._queue.depth > monitor_module.COARSE_SHARE * 40
    others = [Drawn(f"4c{n:04x}", straight(3.0 * n, 150, 9000, 200, 0), fields={"squawk": "7600"}) for n in range(200)]
    for sky in skies([*emergencies(15), *others], 30, began=START + 20):
        monitor.on_tick(sky)
    assert monitor._queue.dropped == 0
    assert [line.getMessage() for line in caplog.records if line.name == "skywatch.safety.monitor"] == [
        "too many safety events at once: 200 are counted in one event for each region"
    ]
    monitor.start()
    monitor.close()
    events = stored(monitor._sessions)
    assert len(events) == 16
    assert events[-1].numbers["events"]["value"] == 200
