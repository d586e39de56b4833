"""Identifiers of flights are given once, whatever becomes of the flights."""

import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.flights.ids import new_flight_ids
from skywatch.history.models import Flight
from tests.unit.history.stored import row


def test_the_number_of_a_flight_that_is_gone_is_not_given_again(database_url):
    engine = create_engine(database_url)
    sessions, given = create_session_factory(engine), []
    for _ in range(3):
        with writing(sessions) as session:
            ids = new_flight_ids(session, 2)
            session.execute(sa.insert(Flight), [row(number, "4B1601") for number in ids])
            given += ids
        with writing(sessions) as session:
            session.execute(sa.delete(Flight))
    engine.dispose()
    assert given == list(range(given[0], given[0] + 6))
