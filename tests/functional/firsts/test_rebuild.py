"""Counting again: what is stored is counted anew, what is gone stays, and nothing is counted twice meanwhile."""

from __future__ import annotations

import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.core.database.engine import writing
from skywatch.features import load_origins
from skywatch.firsts import rebuild as rebuild_module
from skywatch.firsts.command import firsts as command
from skywatch.firsts.models import CountedDay, DayRecord, Sighting
from skywatch.firsts.rebuild import rebuild
from tests.functional.firsts.drawing import ANALYST
from tests.functional.firsts.test_records import points


def answers(client):
    paths = ("firsts?limit=1000", "records")
    return [client.get(f"/api/v1/{path}", headers=ANALYST).json for path in paths]


def counts(client):
    with client.runtime.sessions() as session:
        rows = session.execute(sa.select(Sighting.kind, Sighting.key, Sighting.flights, Sighting.last_at))
        return sorted((tuple(row) for row in rows), key=str)


def test_what_was_counted_wrong_is_right_again(client, home):
    home.fly_points(points(100.0), days_ago=9)
    home.fly_points(points(80.0, alt=40_000.0), "4B1602", days_ago=8, aircraft_type="A343")
    home.fly("4B1602", days_ago=3)
    home.fly("4B1603", days_ago=0.1, active=True)
    home.count()
    right = answers(client), counts(client)
    with writing(client.runtime.sessions) as session:
        session.execute(sa.update(Sighting).where(Sighting.key == "4B1602").values(flights=99, callsign="WRONG"))
        session.execute(sa.update(DayRecord).values(value=DayRecord.value + 7))
        session.execute(sa.delete(CountedDay))
        session.execute(sa.delete(Sighting).where(Sighting.kind == "type"))
    assert (answers(client), counts(client)) != right
    assert rebuild(client.runtime) == 3
    assert (answers(client), counts(client)) == right


def test_what_cannot_be_counted_again_stays(client, home):
    old = home.fly_points(points(150.0), "4B1601", days_ago=90)
    home.fly("4B1601", days_ago=5)
    home.fly("4B1602", days_ago=4)
    home.count()
    home.remove(old)
    right = answers(client), counts(client)
    assert rebuild(client.runtime) == 2
    assert (answers(client), counts(client)) == right


def test_what_is_counted_meanwhile_is_counted_once(client, home, monkeypatch):
    flight = home.fly("4B1601", days_ago=3, active=True)
    home.fly("4B1602", days_ago=2)
    home.count()
    batches = rebuild_module._batches

    def with_more(*arguments):
        yield from batches(*arguments)
        home.change(flight, active=False)
        home.fly("4B1602", days_ago=1)
        home.fly("4B1603", days_ago=0.1, active=True)
        home.count()

    monkeypatch.setattr(rebuild_module, "_batches", with_more)
    rebuild(client.runtime)
    home.count()
    with client.runtime.sessions() as session:
        flights = sa.select(Sighting.key, Sighting.flights).where(Sighting.kind == "airframe").order_by(Sighting.key)
        assert [tuple(row) for row in session.execute(flights)] == [("4B1601", 1), ("4B1602", 2), ("4B1603", 1)]


def test_what_is_counted_between_two_of_its_transactions_is_counted_once(client, home, monkeypatch):
    flight = home.fly("4B1601", days_ago=3, active=True)
    for number in (1, 2, 3):
        home.fly(f"4B160{number}", days_ago=5)
    home.count()
    monkeypatch.setattr(rebuild_module, "IDS_AT_ONCE", 1)
    replace = rebuild_module._replace_sightings

    def with_more(session, recount, addresses):
        replace(session, recount, addresses)
        session.commit()
        if addresses == ["4B1602"]:
            home.change(flight, active=False)
            for number in (2, 3, 4):
                home.fly(f"4B160{number}", days_ago=1)
            home.count()

    monkeypatch.setattr(rebuild_module, "_replace_sightings", with_more)
    rebuild(client.runtime)
    home.count()
    with client.runtime.sessions() as session:
        flights = sa.select(Sighting.key, Sighting.flights).where(Sighting.kind == "airframe").order_by(Sighting.key)
        found = [tuple(row) for row in session.execute(flights)]
    assert found == [("4B1601", 2), ("4B1602", 2), ("4B1603", 2), ("4B1604", 1)]


def test_the_command_says_how_many_flights_there_are(client, home, tmp_path):
    home.fly()
    home.count()
    ini = tmp_path / "skywatch.ini"
    settings = client.runtime.settings
    ini.write_text(
        f"[app:main]\nuse = egg:skywatch\nsecret = {settings.secret}\ndatabase_url = {settings.database_url}\n"
    )
    result = CliRunner().invoke(command, ["rebuild", str(ini)], obj=load_origins, catch_exceptions=False)
    assert (result.exit_code, result.output) == (0, "1 flights counted.\n")
