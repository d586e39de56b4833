"""What is worth a look: the aircraft of the sky with their reasons, as the caller may see them."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from skywatch.core.clock import to_datetime
from skywatch.core.database.engine import writing
from skywatch.firsts.monitor import create
from skywatch.picture.counted import record_real_sky
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.visits import SEEN_BEFORE_DAYS, LiveVisits
from tests.accounts import Population
from tests.functional.firsts.drawing import ANALYST, OPERATOR, VIEWER
from tests.skies import NOW as SKY_AT
from tests.skies import show, sky_of

V1 = "/api/v1/worth-a-look"
HIGH = {"lat": 47.5, "lon": 8.6, "alt_baro": 35_000}


@pytest.fixture
def look(client):
    """Show aircraft, look them up as the tracker does, and show them with what was found."""
    monitor = create(client.runtime)
    live = client.runtime.shared(LiveVisits)

    def look(*aircraft):
        sky = sky_of(*aircraft)
        live.column(sky.index, RowMap(sky.column("previous_row")))
        monitor.find(sky, 1000.0)
        sky.columns[SEEN_BEFORE_DAYS] = live.column(sky.index, RowMap(np.arange(len(sky))))
        return show(client.runtime, sky)

    return look


def worth(client, headers=ANALYST, query=""):
    found = client.get(f"{V1}{query}", headers=headers).json
    return {aircraft["icao_hex"]: aircraft["reasons"] for aircraft in found["aircraft"]}


def seen(home, *addresses, days=1.0, **fields):
    """Flights that ended so many days before those of the sky of the tests began."""
    end = to_datetime(SKY_AT - 60) - timedelta(days=days)
    for address in addresses:
        home.fly(address, first_seen_at=end - timedelta(hours=1), last_seen_at=end, **fields)
    home.count()


@pytest.mark.deep("costs over a processor second")
def test_each_reason_is_found_and_emergencies_come_first(client, home, look):
    seen(home, "4B1601", "4B1602", "4B1603", "4B1606")
    seen(home, "4B1604", days=45.0)
    look(
        {"hex": "4b1601", "t": "A320", "flight": "SWR1", **HIGH},
        {"hex": "4b1604", "t": "A320", **HIGH},
        {"hex": "4b1605", "t": "A320", **HIGH},
        {"hex": "4b1606", "t": "A388", **HIGH},
        {"hex": "4b1603", "t": "A320", "military": True, **HIGH},
        {"hex": "4b1602", "t": "A320", "squawk": "7700", **HIGH},
    )
    found = client.get(V1, headers=ANALYST).json
    assert [(aircraft["icao_hex"], aircraft["reasons"]) for aircraft in found["aircraft"]] == [
        ("4B1602", ["emergency"]),
        ("4B1606", ["first_type"]),
        ("4B1605", ["first_airframe"]),
        ("4B1603", ["military"]),
        ("4B1604", ["not_seen_days"]),
    ]
    days = {aircraft["icao_hex"]: aircraft["days"] for aircraft in found["aircraft"]}
    assert (days["4B1604"], days["4B1605"], days["4B1606"]) == (45.0, None, 1.0)
    page = client.get(f"{V1}?limit=2&offset=1", headers=ANALYST).json
    assert (page["count"], [aircraft["icao_hex"] for aircraft in page["aircraft"]]) == (5, ["4B1606", "4B1605"])


def test_nothing_is_new_before_it_was_looked_up(client, home):
    seen(home, "4B1601")
    show(client.runtime, sky_of({"hex": "4b1605", "t": "A388", **HIGH}))
    assert worth(client) == {}


def test_low_is_over_the_ground_and_away_from_airports(client, home, look):
    addresses = [f"4B160{number}" for number in range(5)]
    seen(home, *addresses, aircraft_type="A320")
    places = [
        (47.4582, 8.5481, 1_900),  # over Zurich, 1,416 ft high
        (47.05, 8.30, 2_000),  # Lucerne, within five miles of Emmen
        (47.1, 8.0, 2_400),  # eight miles from Triengen, the nearest, which is 1,594 ft high
        (55.0, 4.0, 500),  # the North Sea
        (55.0, 4.0, 1_500),
    ]
    look(
        *(
            {"hex": address.lower(), "t": "A320", "lat": lat, "lon": lon, "alt_baro": alt}
            for address, (lat, lon, alt) in zip(addresses, places, strict=True)
        ),
        {"hex": "4b1604", "t": "A320", "lat": 55.0, "lon": 4.0, "alt_baro": "ground"},
    )
    assert worth(client) == {"4B1602": ["low"], "4B1603": ["low"]}


def test_a_type_is_rare_once_there_were_many_flights(client, home, look):
    seen(home, "4B1601", "4B1602", "4B1603", aircraft_type="PC12")
    aircraft = {"hex": "4b1601", "t": "PC12", **HIGH}
    look(aircraft)
    assert worth(client) == {}
    home.fly_many(200, "4B1700")
    home.count()
    look(aircraft)
    assert worth(client) == {"4B1601": ["rare_type"]}
    seen(home, "4B1604", aircraft_type="PC12")
    assert worth(client) == {}


def test_own_watch_lists_are_a_reason_for_their_owner(client, home, look):
    people = Population(client.runtime)
    ada, bob = (people.bearer(people.user(name, "operator")) for name in ("ada", "bob"))
    client.post_json(
        "/api/v1/alerts/watchlists", {"name": "mine", "entries": ["4B1601", "HB-JJB", "SWR3"]}, headers=ada, status=201
    )
    seen(home, "4B1601", "4B1602", "4B1603")
    look(
        {"hex": "4b1601", "t": "A320", **HIGH},
        {"hex": "4b1602", "t": "A320", "r": "HB-JJB", **HIGH},
        {"hex": "4b1603", "t": "A320", "flight": "SWR3", **HIGH},
    )
    assert worth(client, ada) == {address: ["watch"] for address in ("4B1601", "4B1602", "4B1603")}
    assert worth(client, bob) == {}


def test_military_aircraft_are_a_reason_for_nobody_who_may_not_see_them(client, home, look):
    seen(home, "4B1601", military=True, aircraft_type="C17")
    look({"hex": "4b1601", "t": "C17", "military": True, **HIGH}, {"hex": "4b1602", "t": "C17", **HIGH})
    assert worth(client, OPERATOR) == {"4B1602": ["first_type", "first_airframe"]}
    assert worth(client) == {"4B1601": ["military"], "4B1602": ["first_airframe"]}


def test_simulated_aircraft_are_worth_a_look_while_they_count(client, home, look):
    look({"hex": "4b1601", "simulated": True, **HIGH})
    assert worth(client, VIEWER) == {"4B1601": ["first_airframe"]}
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
    assert worth(client, VIEWER) == {}


def test_nobody_is_new_before_what_is_stored_was_counted(client, home, look):
    home.fly("4B1601")
    look({"hex": "4b1602", **HIGH})
    assert worth(client) == {}


def test_an_address_that_is_none_of_icao_is_never_new(client, look):
    look({"hex": "4b1602", **HIGH}, {"hex": "~4b1603", **HIGH})
    assert worth(client) == {"4B1602": ["first_airframe"]}


@pytest.mark.parametrize(("who", "alerts"), [("analyst", 1), ("operator", 0)])
def test_a_dry_run_does_not_say_when_a_military_aircraft_was_here(client, home, who, alerts):
    seen(home, "3F4001", military=True)
    people = Population(client.runtime)
    headers = people.bearer(people.user("ada", who))
    seen_before = {"field": "seen_before_days", "op": "is_null", "value": False}
    rule = {"name": "again", "conditions": seen_before}
    body = {"rule": rule, "aircraft": [{"hex": "3f4001", "military": False, **HIGH}]}
    answer = client.post_json("/api/v1/alerts/rules/test", body, headers=headers).json
    assert len(answer["alerts"]) == alerts
