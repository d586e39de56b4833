"""What was committed is published and stored, what was rolled back is neither, and nobody misses or repeats any."""

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
import transaction
import zope.sqlalchemy

from skywatch.core import events
from skywatch.core.bus import Audience, Form, Message
from skywatch.core.bus.memory import MemoryBus
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.database.models import StoredEvent
from skywatch.core.events import EventReader
from skywatch.picture.models import PictureState
from tests.waiting import PATIENCE_S

TOPICS = ("alerts", "safety")


class House:
    """A database, a bus, and everything that was published on it."""

    def __init__(self, url):
        self.engine = create_engine(url)
        self.plain = create_session_factory(self.engine)
        self.bus = MemoryBus()
        self.published = []
        self.bus.subscribe((*TOPICS, "commands"), self.published.append)
        self.sessions = events.publishing(self.plain, self.bus)

    def stored(self):
        with self.plain() as session:
            return [(row.id, row.topic, row.event) for row in session.scalars(sa.select(StoredEvent).order_by("id"))]


@pytest.fixture
def house(database_url, monkeypatch):
    # A database that is slow because the machine is busy is read to the end.
    monkeypatch.setattr(events, "RECENT_WITHIN_S", PATIENCE_S)
    house = House(database_url)
    yield house
    house.engine.dispose()


def message(number, topic="safety"):
    return Message(topic, f"{topic}:event", b'{"id":%d}' % number)


def numbers(messages):
    return [int(m.data.decode().split(":")[1][:-1]) for m in messages]


def reader(house):
    return EventReader(house.plain, TOPICS)


def deliver(reader, messages):
    return numbers([m for m in messages if not reader.is_known(m)])


def test_after_the_commit_messages_are_published_with_the_numbers_of_their_rows(house):
    with writing(house.sessions) as session:
        events.publish(session, message(1), message(2, "alerts"))
        events.publish(session, message(3))
        assert house.published == []
        assert house.stored() == []
    assert numbers(house.published) == [1, 2, 3]
    assert [(m.id, m.topic, m.event) for m in house.published] == house.stored()
    assert len({m.id for m in house.published}) == 3


def test_audience_and_forms_are_stored(house):
    audience = Audience(frozenset({7, 9}), "alerts.manage_all", frozenset({"aircraft.view_military"}))
    full = Form(frozenset({"acars.view_full"}), b'{"id":1,"text":"all"}')
    with writing(house.sessions) as session:
        events.publish(session, Message("alerts", "alerts:event", b'{"id":1}', audience, forms=(full,)))
    (missed,) = reader(house).missed()
    assert missed == house.published[0]
    assert (missed.audience, missed.forms) == (audience, (full,))


def test_what_is_rolled_back_is_neither_stored_nor_published(house):
    def fail():
        with writing(house.sessions) as session:
            events.publish(session, message(1))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    session = house.sessions()
    events.publish(session, message(2))
    session.execute(sa.text("SELECT 1"))
    session.rollback()
    session.execute(sa.text("SELECT 1"))
    session.commit()
    events.publish(session, message(3))
    session.execute(sa.text("SELECT 1"))
    session.close()
    session.execute(sa.text("SELECT 1"))
    session.commit()
    session.close()
    assert (house.published, house.stored()) == ([], [])


def test_a_commit_that_fails_publishes_nothing(house, monkeypatch):
    def fail(connection):
        raise sa.exc.OperationalError("COMMIT", {}, Exception("no space left on device"))

    with monkeypatch.context() as patch:
        patch.setattr(house.engine.dialect, "do_commit", fail)
        with pytest.raises(sa.exc.OperationalError), writing(house.sessions) as session:
            events.publish(session, message(1))
    with writing(house.sessions) as session:
        events.publish(session, message(2))
    assert numbers(house.published) == [2]
    assert len(house.stored()) == 1


def test_of_savepoints_only_those_that_stay_publish(house):
    with writing(house.sessions) as session:
        events.publish(session, message(1))
        with session.begin_nested():
            events.publish(session, message(2))
        assert house.published == []
        with session.begin_nested() as outer:
            with session.begin_nested():
                events.publish(session, message(3))
            outer.rollback()
        with session.begin_nested() as inner:
            events.publish(session, message(4))
            inner.rollback()
        events.publish(session, message(5))
    assert numbers(house.published) == [1, 2, 5]
    assert len(house.stored()) == 3


def test_hints_are_published_and_not_stored(house):
    with writing(house.sessions) as session:
        events.publish(session, message(1), stored=False)
        events.publish(session, message(2))
        events.publish(session, message(3, "commands"), stored=False)
    assert numbers(house.published) == [1, 2, 3]
    assert [m.id > 0 for m in house.published] == [False, True, False]
    assert len(house.stored()) == 1


def test_requests_publish_in_the_same_way(house):
    manager = transaction.TransactionManager(explicit=True)
    for number, outcome in ((1, manager.abort), (2, manager.commit)):
        manager.begin()
        session = house.sessions()
        zope.sqlalchemy.register(session, transaction_manager=manager)
        session.add(PictureState(name=f"row {number}", saved_at=utcnow(), data=b""))
        zope.sqlalchemy.mark_changed(session)
        events.publish(session, message(number))
        assert house.published == []
        outcome()
    assert numbers(house.published) == [2]
    assert len(house.stored()) == 1


def test_a_reader_finds_what_the_bus_did_not_deliver_and_nothing_else(house):
    ours = reader(house)
    assert ours.missed() == []
    with writing(house.sessions) as session:
        events.publish(session, message(1), message(2))
    assert deliver(ours, house.published) == [1, 2]
    with writing(house.plain) as session:  # a publisher that dies between commit and publication
        events.publish(session, message(3), message(4, "alerts"), message(5, "commands"))
    assert deliver(ours, ours.missed()) == [3, 4]
    assert ours.missed() == []
    late = Message("safety", "safety:event", b'{"id":3}', id=house.stored()[2][0])
    assert deliver(ours, [late]) == []


def test_a_reader_begins_when_it_is_made_and_may_take_what_was_before(house):
    with writing(house.plain) as session:
        events.publish(session, *[message(number) for number in range(8)])
        session.flush()
    with writing(house.plain) as session:
        old = utcnow() - timedelta(seconds=90)
        session.execute(sa.update(StoredEvent).values(at=old))
    with writing(house.plain) as session:
        events.publish(session, message(8))
    assert numbers(reader(house).missed()) == [8]
    ours = reader(house)
    recent = ours.recent(3600.0, 5)
    assert numbers(recent.messages) == [4, 5, 6, 7, 8]
    ours.start_at(recent.position)
    assert deliver(ours, recent.messages) == [4, 5, 6, 7, 8]
    assert ours.missed() == []
    assert numbers(ours.recent(60.0, 5).messages) == [8]


def test_one_persons_many_events_leave_those_of_others_among_the_recent(house):
    def alert(number, user):
        return Message("alerts", "alert:triggered", b'{"id":%d}' % number, Audience(frozenset({user})))

    with writing(house.plain) as session:
        events.publish(session, message(1), alert(2, user=1))
        events.publish(session, *[alert(number, user=2) for number in range(100, 1400)])
        session.flush()
    with writing(house.plain) as session:
        old = utcnow() - timedelta(seconds=90)
        session.execute(sa.update(StoredEvent).values(at=old))
    assert numbers(reader(house).recent(3600.0, 5).messages) == [1, 2, *range(1395, 1400)]
    # Of those that may not have been delivered none is left out.
    with writing(house.plain) as session:
        events.publish(session, *[alert(number, user=2) for number in range(2000, 2010)])
    assert numbers(reader(house).recent(3600.0, 5).messages) == [1, 2, *range(2000, 2010)]


def test_who_commits_late_is_not_passed_over(postgresql_url, monkeypatch):
    house = House(postgresql_url)
    moment = [1000.0]
    monkeypatch.setattr("skywatch.core.events.time.monotonic", lambda: moment[0])
    ours = reader(house)
    assert ours.missed() == []
    numbered, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def late():
        session = house.plain()
        events.publish(session, message(1))
        session.connection()
        real = house.engine.dialect.do_commit

        def commit(connection):
            numbered.set()
            go_on.wait(60.0)
            real(connection)

        with monkeypatch.context() as patch:
            patch.setattr(house.engine.dialect, "do_commit", commit)
            session.commit()
        done.set()

    thread = threading.Thread(target=late)
    thread.start()
    assert numbered.wait(60.0)
    other = create_engine(postgresql_url)
    with writing(create_session_factory(other)) as session:
        events.publish(session, message(2))
    assert deliver(ours, ours.missed()) == [2]
    for _ in range(4):
        moment[0] += 5.0
        assert ours.missed() == []
    go_on.set()
    assert done.wait(60.0)
    thread.join()
    assert [row_id for row_id, _, _ in house.stored()] == [1, 2]
    assert deliver(ours, ours.missed()) == [1]
    for _ in range(20):
        moment[0] += 5.0
        assert ours.missed() == []
    with writing(create_session_factory(other)) as session:
        events.publish(session, message(3))
    assert deliver(ours, ours.missed()) == [3]
    other.dispose()
    house.engine.dispose()


def test_many_missed_events_come_in_portions(house, monkeypatch):
    monkeypatch.setattr(events, "READ_LIMIT", 10)
    ours = reader(house)
    with writing(house.plain) as session:
        events.publish(session, *[message(number) for number in range(25)])
    portions = [deliver(ours, ours.missed()) for _ in range(4)]
    assert [len(portion) for portion in portions] == [10, 10, 5, 0]
    assert sum(portions[1:], portions[0]) == list(range(25))


def test_what_cannot_be_read_is_passed_over(house, caplog):
    ours = reader(house)
    with writing(house.plain) as session:
        row = {"at": utcnow(), "topic": "safety", "event": "safety:event"}
        session.execute(sa.insert(StoredEvent), [{**row, "message": b"\x00\x00\x00\x02\xff\xff of another version"}])
        events.publish(session, message(1))
    assert deliver(ours, ours.missed()) == [1]
    assert ours.missed() == []
    assert sum("cannot be read" in record.message for record in caplog.records) == 1


def test_identifiers_are_not_used_again_when_old_events_have_gone(house):
    with writing(house.sessions) as session:
        events.publish(session, message(1))
    with writing(house.plain) as session:
        session.execute(sa.delete(StoredEvent))
    with writing(house.sessions) as session:
        events.publish(session, message(2))
    assert house.published[0].id < house.published[1].id


def test_a_database_that_was_replaced_is_read_from_where_it_stands(house, caplog):
    ours = reader(house)
    with writing(house.plain) as session:
        events.publish(session, message(1))
    ours.start_at(1_000_000)
    assert ours.missed() == []
    assert "the database was replaced" in caplog.text
    with writing(house.plain) as session:
        events.publish(session, message(2))
    assert deliver(ours, ours.missed()) == [2]
