"""A user's walk: the journal of a day, the records, and what is worth a look above the list."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.firsts.bests import UNITS
from skywatch.firsts.models import CountedDay, DayRecord, Sighting
from tests.integration.web.stage import Stage

NOON = (utcnow() - timedelta(days=2)).replace(hour=11, minute=0, second=0, microsecond=0)
DAY = NOON.date()
VALUES = dict(zip(UNITS, (213.46, 43_000.0, 611.0, 47.0, 12_060.0), strict=True))
# Types that no simulated aircraft has, and that stand before theirs: of types that are equally rare ten are shown.
FIRSTS = [
    ("type", "A10", "FAIRCHILD A-10 Thunderbolt"),
    ("type", "A124", "ANTONOV An-124 Ruslan"),
    ("country", "FJ", None),
    *(("airframe", f"4B16{number:02X}", None) for number in range(12)),
]


def sightings():
    for number, (kind, key, name) in enumerate(FIRSTS):
        yield {
            "kind": kind, "key": key, "icao_hex": key if kind == "airframe" else "4B1600", "simulated": False,
            "first_at": NOON - timedelta(minutes=7 * number), "last_at": NOON, "flights": 1,
            "callsign": f"SWR{number}", "flight_id": None, "name": name, "military": False, "is_open": False,
        }  # fmt: skip


def records():
    for name, value in VALUES.items():
        yield {
            "name": name, "day": DAY, "simulated": False, "military": False, "value": value, "at": NOON,
            "icao_hex": "4B1600", "callsign": "SWR38", "aircraft_type": "A388", "flight_id": None, "receiver": "roof",
            "source": "adsb_icao",
        }  # fmt: skip


def days():
    counts = {"flights": 1_204, "airframes": 812, "hour_flights": 97}
    times = {"first_at": NOON - timedelta(hours=9), "last_at": NOON + timedelta(hours=9), "hour_at": NOON}
    yield {"day": DAY, "simulated": True, "military": False, **counts, **times}


@pytest.fixture(scope="module")
def stage(shared_page, tmp_path_factory):
    made = Stage.begin(tmp_path_factory.mktemp("firsts"), shared_page, ("viewer",))
    engine = create_engine(made.service.database_url)
    with writing(create_session_factory(engine)) as db:
        for model, rows in ((Sighting, sightings()), (DayRecord, records()), (CountedDay, days())):
            db.execute(sa.insert(model), list(rows))
    engine.dispose()
    yield made
    made.end()


def texts(stage, selector):
    script = (
        f"return [...document.querySelectorAll({selector!r})].map(one => one.textContent.replace(/\\s+/g, ' ').trim())"
    )
    return stage.page.run(script)


def test_the_journal_shows_a_day_and_leads_to_the_day_before(stage):
    stage.sign_in("viewer")
    stage.go(f"journal?day={DAY.isoformat()}")
    stage.shows("document.querySelectorAll('.first-list li').length === 15")
    stage.pictures("journal")
    assert stage.faults() == []
    assert texts(stage, "sw-journal h2") == ["Records set", "New types", "New countries", "New aircraft"]
    assert texts(stage, ".journal-figures dd")[:3] == ["1,204", "812", "12"]
    assert len(texts(stage, ".journal-records li")) == 7
    stage.page.run("document.querySelector('.journal-bar button').click()")
    before = (DAY - timedelta(days=1)).isoformat()
    stage.shows(f"document.querySelector('.journal-bar input').value === '{before}'")
    stage.shows("document.querySelector('sw-journal .empty') !== null")


def test_the_records_say_who_set_them(stage):
    stage.sign_in("viewer")
    stage.go("records")
    stage.shows("document.querySelectorAll('.record-card').length === 7")
    stage.pictures("records")
    assert stage.faults() == []
    assert texts(stage, ".record-card .value")[:5] == ["213.5 nm", "43,000 ft", "611 kt", "47 kt", "3 h 21 min"]
    assert {"A10", "A124"} <= set(texts(stage, ".record-types td:first-child"))


def test_what_is_worth_a_look_stands_above_the_list(stage):
    stage.sign_in("viewer")
    stage.go("")
    first = "[...document.querySelectorAll('.worth .chip')].find(one => one.textContent.includes('first'))"
    stage.shows(f"{first} !== undefined")
    stage.pictures("worth")
    assert stage.faults() == []
    # The list is read anew meanwhile.
    stage.shows(f"(() => {{ const chip = {first}; chip?.click(); return chip !== undefined; }})()")
    stage.shows("document.querySelector('sw-visits')?.textContent.includes('First time here')")
    stage.pictures("panel")
