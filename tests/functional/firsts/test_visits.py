"""How often an aircraft was here: its flights, the first and the one before the flight of now."""

from datetime import timedelta

import sqlalchemy as sa

from skywatch.core.clock import to_iso
from skywatch.core.database.engine import writing
from skywatch.firsts.service import count_visits
from skywatch.history.models import Flight
from skywatch.picture.counted import record_real_sky
from skywatch.security.visibility import EVERYTHING
from tests.functional.firsts.drawing import ANALYST, NOW
from tests.skies import show, sky_of


def visits(client, *addresses):
    with client.runtime.sessions() as session:
        return count_visits(client.runtime, session, set(addresses), EVERYTHING)


def test_visits_count_the_flight_of_now_and_end_before_it(client, home):
    for days_ago in (9, 3):
        home.fly("4B1601", days_ago=days_ago)
    home.fly("4B1602", days_ago=2)
    home.fly("4B1601", days_ago=0, active=True)
    home.count()
    first, before = NOW - timedelta(days=9), NOW - timedelta(days=3) + timedelta(hours=1)
    expected = {"first_at": first, "last_at": before, "flights": 3}
    assert visits(client, "4B1601") == {"4B1601": expected}
    show(client.runtime, sky_of({"hex": "4b1601"}))
    answer = client.get("/api/v1/aircraft/4b1601", headers=ANALYST).json["visits"]
    assert answer == {"first_at": to_iso(first), "last_at": to_iso(before), "flights": 3}


def test_flights_that_are_gone_count_and_so_does_one_that_is_not_stored_yet(client, home):
    flights = [home.fly("4B1601", days_ago=days_ago) for days_ago in (9, 3)]
    home.count()
    home.remove(*flights)
    home.count()
    assert visits(client, "4B1601")["4B1601"]["flights"] == 3


def test_the_first_flight_has_none_before_it_and_without_any_there_is_no_answer(client, home):
    home.fly("4B1601", days_ago=0, active=True)
    home.count()
    assert visits(client, "4B1601", "4B1609") == {"4B1601": {"first_at": NOW, "last_at": None, "flights": 1}}


def test_simulated_flights_count_until_another_receiver_was_heard(client, home):
    home.fly("4B1601", days_ago=3)
    home.fly("4B1601", days_ago=0, active=True)
    with writing(client.runtime.sessions) as session:
        session.execute(sa.update(Flight).values(simulated=True))
    home.count()
    assert visits(client, "4B1601")["4B1601"]["flights"] == 2
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
    assert visits(client, "4B1601") == {}
