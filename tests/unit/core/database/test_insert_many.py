"""Many rows are inserted with as many statements as a few, and their identifiers are in the order of the rows."""

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, insert_many, writing
from skywatch.core.database.models import AuditEntry, StoredEvent
from skywatch.core.events import publish
from tests.statements import counting
from tests.unit.core.test_events import message

AUDIT = AuditEntry.__table__


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


def rows(count):
    return [{"at": utcnow(), "action": f"n{n}", "actor_name": "", "method": "test"} for n in range(count)]


def insert(sessions, count):
    with writing(sessions) as session, counting(session.get_bind()) as statements:
        ids = insert_many(session.connection(), AUDIT, rows(count))
    return ids, len(statements)


def test_identifiers_are_those_of_the_rows_in_order(sessions):
    for count in (0, 1, 2, 700):
        ids, _ = insert(sessions, count)
        with sessions() as session:
            names = dict(session.execute(sa.select(AUDIT.c.id, AUDIT.c.action)).all())
        assert [names[row_id] for row_id in ids] == [f"n{n}" for n in range(count)]


def test_many_rows_take_as_many_statements_as_two(sessions):
    assert insert(sessions, 900)[1] == insert(sessions, 2)[1]


def test_identifiers_of_removed_rows_are_not_given_again(sessions):
    table = StoredEvent.__table__
    row = {"at": utcnow(), "topic": "safety", "event": "safety:event", "message": b""}
    with writing(sessions) as session:
        before = insert_many(session.connection(), table, [row] * 5)
        session.execute(sa.delete(table))
    with writing(sessions) as session:
        assert min(insert_many(session.connection(), table, [row] * 5)) > max(before)


def test_events_are_stored_with_as_many_statements_for_many_as_for_two(sessions):
    counts = []
    for number in (2, 500):
        with counting(sessions.kw["bind"]) as statements, writing(sessions) as session:
            publish(session, *(message(n) for n in range(number)))
        counts.append(len(statements))
    assert counts[0] == counts[1]
