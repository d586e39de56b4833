"""What is written of movements: each with the other end of its flight."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from skywatch.airports.models import Movement
from skywatch.airports.storage import Aircraft, Observed, write
from skywatch.core.database.engine import writing

AT = 1_795_000_000.0
AIRCRAFT = Aircraft("4B1620")


@pytest.fixture
def runtime(make_runtime, database_url):
    return make_runtime(database_url=database_url)


def written(runtime, *texts):
    """Write movements such as ``take_off LSZH 0`` (minutes) of one flight; the other ends, by time."""
    parts = [text.split() for text in texts]
    observed = [
        Observed(AIRCRAFT, airport, AT + 60.0 * float(minute), kind, flight_id=7) for kind, airport, minute in parts
    ]
    with writing(runtime.sessions) as session:
        write(session, observed, None)
    with runtime.sessions() as session:
        return session.scalars(sa.select(Movement.from_or_to).order_by(Movement.at)).all()


def test_ends_that_are_written_together_find_each_other(runtime):
    assert written(runtime, "landing EGLL 90", "take_off LSZH 0") == ["EGLL", "LSZH"]


def test_a_flight_comes_from_where_it_took_off_whatever_it_touched(runtime):
    written(runtime, "take_off LSZH 0", "touch_and_go LSZG 20", "take_off LSZG 30")
    assert written(runtime, "landing LSZB 50")[-1] == "LSZH"


def test_the_airport_of_a_route_is_named_by_its_ident(runtime):
    """Manas is UCFM by ICAO, and UAFM in the directory."""
    bound = Aircraft("4B1621", origin="UCFM", destination="QQQQ")
    with writing(runtime.sessions) as session:
        write(session, [Observed(bound, "LSZH", AT, "landing"), Observed(bound, "LSZH", AT + 3_600, "take_off")], None)
    with runtime.sessions() as session:
        assert session.scalars(sa.select(Movement.from_or_to).order_by(Movement.at)).all() == ["UAFM", None]
