"""tar1090's question for routes, in its own words."""

from tests.functional.routes.drawing import ANALYST, HEADER, VIEWER, fly, upload
from tests.identities import install

TABLE = HEADER + "SWR100,SWR,100,SWR,LSZH-EGLL\nBAW9,BAW,9,BAW,EGLL-WSSS-YSSY\n"


def ask(client, *planes, status=200, **more):
    return client.post_json("/api/0/routeset", {"planes": list(planes)}, status=status, **more).json


def test_routes_come_as_a_list_in_the_order_of_the_question(make_client):
    client = install(make_client())
    upload(client, TABLE)
    known, far, unknown, legs = ask(
        client,
        {"callsign": "SWR100  ", "lat": 49.3, "lng": 4.1, "hex": "4b1601"},
        {"callsign": "SWR100", "lat": 30.0, "lng": 30.0},
        {"callsign": "@@@@@@@@", "lat": 49.3, "lng": 4.1},
        {"callsign": "baw9", "lat": -10.0, "lng": 115.0},
    )
    assert known == {
        "callsign": "SWR100  ",
        "airport_codes": "LSZH-EGLL",
        "_airport_codes_iata": "ZRH-LHR",
        "_airports": known["_airports"],
        "plausible": True,
    }
    assert {name: value for name, value in known["_airports"][1].items() if name not in ("lat", "lon", "name")} == {
        "icao": "EGLL", "iata": "LHR", "location": "London", "countryiso2": "GB", "alt_feet": 83,
    }  # fmt: skip
    for answer in (far, unknown):
        assert answer["airport_codes"] == answer["_airport_codes_iata"] == "unknown"
        assert (answer["_airports"], answer["plausible"]) == ([], False)
    assert legs["airport_codes"] == "WSSS-YSSY"


def test_a_question_is_about_a_hundred_aircraft_at_most(make_client):
    client = make_client()
    plane = {"callsign": "SWR100", "lat": 49.3, "lng": 4.1}
    assert len(ask(client, *[plane] * 100)) == 100
    ask(client, *[plane] * 101, status=400)
    for wrong in ({"lat": 1.0, "lng": 1.0}, {"callsign": "A", "lat": 91, "lng": 0}, {"callsign": 1}):
        ask(client, wrong, status=400)
    assert ask(client) == []
    assert ask(client, {"callsign": "SWR100"}, {"callsign": "SWR1", "lat": None, "lng": None})[0]["plausible"] is False


def test_military_routes_are_for_those_who_may_see_them(make_client):
    client = install(make_client(auth_mode="hybrid"))
    fly(client.runtime, "RCH1", *["KDOV-ETAR"] * 3, military=True, icao_hex="AE0001")
    plane = {"callsign": "RCH1", "lat": 50.0, "lng": -20.0}
    assert ask(client, plane, headers=ANALYST)[0]["airport_codes"] == "KDOV-ETAR"
    assert ask(client, plane, headers=VIEWER)[0]["airport_codes"] == "unknown"
    ask(client, plane, status=401)
