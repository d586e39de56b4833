"""Which route is shown of an aircraft and of a callsign, in the API and in the picture's columns."""

import pytest

from skywatch.core.database.engine import writing
from skywatch.picture.counted import record_real_sky
from tests.functional.routes.drawing import ANALYST, HEADER, VIEWER, Judge, aircraft, fly, upload
from tests.identities import install

TABLE = HEADER + "SWR100,SWR,100,SWR,LSZH-EGLL\nBAW9,BAW,9,BAW,EGLL-WSSS-YSSY\nDLH5,DLH,5,DLH,EDDF-KJFK\n"
OVER_FRANCE = (49.3, 4.1)


@pytest.fixture
def judge(client):
    upload(client, TABLE)
    judge = Judge(client.runtime)
    yield judge
    judge.monitor.close()


def route(client, callsign, **more):
    return client.get(f"/api/v1/routes/{callsign}", **more).json


def codes(answer):
    return answer and (answer["origin"]["icao"], answer["destination"]["icao"])


def test_a_callsign_without_an_aircraft(client):
    upload(client, TABLE)
    answer = route(client, "baw9")
    assert answer["callsign"] == "BAW9"
    assert codes(answer["route"]) == ("EGLL", "YSSY")
    assert [airport["iata"] for airport in answer["route"]["via"]] == ["SIN"]
    assert (answer["route"]["source"], answer["route"]["sure"], answer["route"]["checked_at"]) == ("table", 0.7, None)
    airport = answer["route"]["origin"]
    assert (airport["icao"], airport["iata"], airport["country"]) == ("EGLL", "LHR", "GB")
    assert "Heathrow" in airport["name"]
    assert airport["lat"] == pytest.approx(51.47, abs=0.01)
    (candidate,) = answer["candidates"]
    assert (candidate["flights"], candidate["first_at"], "refused" in candidate) == (0, None, False)


def test_an_unknown_callsign_is_no_error_and_a_malformed_one_is(client):
    assert route(client, "XYZ123") == {"callsign": "XYZ123", "route": None, "candidates": []}
    for malformed in ("A", "ABCDEFGHI", "AB-1", "%C3%9CAB"):
        assert client.get(f"/api/v1/routes/{malformed}", status=400).json["code"] == "validation_failed"


def test_the_aircraft_has_the_route_of_its_callsign(client, judge):
    judge.judge(aircraft("SWR100", *OVER_FRANCE))
    one = client.get("/api/v1/aircraft/4b1601").json
    assert codes(one["route"]) == ("LSZH", "EGLL")
    assert one["route"]["checked_at"] is not None
    assert route(client, "SWR100")["route"] == one["route"]
    listed = client.get("/api/v1/aircraft?fields=flight,route").json["aircraft"]
    assert listed == [{"hex": "4b1601", "flight": "SWR100", "route": "LSZH-EGLL"}]
    assert "route" not in client.get("/api/v1/aircraft").json["aircraft"][0]


def test_an_aircraft_without_a_route_has_null(client, judge):
    judge.judge(aircraft("SWR999", *OVER_FRANCE))
    assert client.get("/api/v1/aircraft/4b1601").json["route"] is None
    assert client.get("/api/v1/aircraft?fields=route").json["aircraft"] == [{"hex": "4b1601", "route": None}]


def test_what_the_aircraft_contradicts_is_not_shown_and_says_why(client, judge):
    judge.judge(aircraft("SWR100", 30.0, 30.0))
    answer = route(client, "SWR100")
    assert answer["route"] is None
    assert [candidate["refused"] for candidate in answer["candidates"]] == ["off_way"]
    assert client.get("/api/v1/aircraft/4b1601").json["route"] is None
    # Judged again a minute later, where it flies as the route says.
    judge.judge(aircraft("SWR100", *OVER_FRANCE), at=60)
    assert codes(route(client, "SWR100")["route"]) == ("LSZH", "EGLL")


def test_it_flies_away_and_is_judged_so_after_ten_minutes(client, judge):
    for minute in range(12):
        judge.judge(aircraft("SWR100", 50.5 - 0.08 * minute, 1.5 + 0.1 * minute), at=60 * minute)
        assert judge.routes() == ({"SWR100": "LSZH-EGLL"} if minute < 10 else {})
    assert route(client, "SWR100")["candidates"][0]["refused"] == "flying_away"


def test_a_simulated_aircraft_has_no_route_once_a_real_one_was_heard_even_when_it_is_alone(client, judge):
    simulated = aircraft("SWR100", *OVER_FRANCE, simulated=True)
    judge.judge(simulated)
    assert judge.routes() == {"SWR100": "LSZH-EGLL"}
    assert route(client, "SWR100")["route"]["checked_at"] is not None
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
    assert route(client, "SWR100")["route"]["checked_at"] is None
    judge.judge(simulated, at=100)
    assert judge.routes() == {}


def test_of_several_legs_the_one_that_is_flown(client, judge):
    judge.judge(aircraft("BAW9", -10.0, 115.0, track=140.0))
    answer = route(client, "BAW9")
    assert codes(answer["route"]) == codes(answer["candidates"][0]) == ("WSSS", "YSSY")
    assert answer["route"]["via"] == []


def test_a_route_belongs_to_the_callsign(client, judge):
    judge.judge(aircraft("SWR100", *OVER_FRANCE))
    judge.show(aircraft("SWR101", *OVER_FRANCE), at=1)
    assert judge.routes() == {}
    # New callsigns need not wait for the minute.
    judge.monitor.judge(judge.show(aircraft("DLH5", *OVER_FRANCE), at=2), 1011.0)
    judge.show(aircraft("DLH5", *OVER_FRANCE), at=3)
    assert judge.routes() == {"DLH5": "EDDF-KJFK"}


def test_a_new_table_is_in_force_with_the_next_look(client, judge):
    judge.judge(aircraft("SWR100", *OVER_FRANCE))
    upload(client, HEADER + "SWR100,SWR,100,SWR,LSZH-EGCC\n")
    judge.judge(aircraft("SWR100", *OVER_FRANCE), at=11)
    assert judge.routes() == {"SWR100": "LSZH-EGCC"}
    client.delete("/api/v1/routes/table", headers=ANALYST, status=403)
    fly(client.runtime, "SWR100", "LSZH-EGLL", "LSZH-EGLL", "LSZH-EGLL")
    judge.judge(aircraft("SWR100", *OVER_FRANCE), at=71)
    assert judge.routes() == {"SWR100": "LSZH-EGLL"}
    refused = {codes(one): one.get("refused") for one in route(client, "SWR100")["candidates"]}
    assert refused == {("LSZH", "EGLL"): None, ("LSZH", "EGCC"): "superseded"}


def test_filters_take_either_code(client, judge):
    judge.judge(aircraft("SWR100", *OVER_FRANCE), aircraft("DLH5", *OVER_FRANCE, icao_hex="3c0001"))

    def listed(query):
        return [entry["flight"] for entry in client.get(f"/api/v1/aircraft?{query}").json["aircraft"]]

    assert listed("origin=lszh") == listed("origin=ZRH") == listed("destination=LHR") == ["SWR100"]
    assert listed("origin=ZRH,EDDF") == ["DLH5", "SWR100"]
    assert listed("origin=ZRH&destination=JFK") == listed("origin=KJFK") == []
    for malformed in ("Z", "ABCDE", "Z-H"):
        client.get(f"/api/v1/aircraft?origin={malformed}", status=400)


def test_military_flights_are_learnt_for_those_who_may_see_them(make_client):
    client = install(make_client(auth_mode="hybrid"))
    fly(client.runtime, "RCH1", *["KDOV-ETAR"] * 3, military=True, icao_hex="AE0001")
    assert codes(route(client, "RCH1", headers=ANALYST)["route"]) == ("KDOV", "ETAR")
    assert route(client, "RCH1", headers=VIEWER) == {"callsign": "RCH1", "route": None, "candidates": []}
    figures = [client.get("/api/v1/routes/status", headers=headers).json["learnt"] for headers in (ANALYST, VIEWER)]
    assert figures == [{"routes": 1, "callsigns": 1}, {"routes": 0, "callsigns": 0}]
    # Nor is it shown of a civil aircraft under the callsign.
    judge = Judge(client.runtime)
    judge.judge(aircraft("RCH1", 50.0, -20.0), aircraft("RCH1", 50.0, -20.0, icao_hex="ae0001", military=True))
    shown = judge.sky.routes([0, 1]).tolist()
    judge.monitor.close()
    assert shown == [b"", b"KDOV-ETAR"]


def test_what_is_learnt_counts_for_sixty_days(client):
    fly(client.runtime, "SWR7", *["LSZH-EGLL"] * 3, days_ago=59)
    fly(client.runtime, "SWR8", *["LSZH-EGLL"] * 3, days_ago=61)
    fly(client.runtime, "SWR9", "LSZH-EGLL", "LSZH-EGLL")
    assert codes(route(client, "SWR7")["route"]) == ("LSZH", "EGLL")
    assert route(client, "SWR8")["candidates"] == []
    assert route(client, "SWR9")["candidates"][0]["refused"] == "too_few"
    assert client.get("/api/v1/routes/status").json["learnt"] == {"routes": 1, "callsigns": 2}


def test_rules_on_the_ends_of_a_route_take_either_code(client, judge):
    judge.judge(aircraft("SWR100", *OVER_FRANCE), aircraft("DLH5", *OVER_FRANCE, icao_hex="3c0001"),
                aircraft("XYZ1", *OVER_FRANCE, icao_hex="3c0002"))  # fmt: skip

    def alerts(op, value, field="origin"):
        rule = {"name": "r", "conditions": {"field": field, "op": op, "value": value}}
        body = client.post_json("/api/v1/alerts/rules/test", {"rule": rule}, headers=ANALYST).json
        return {alert["callsign"]: alert["matched"][0]["actual"] for alert in body["alerts"]}

    assert alerts("eq", "ZRH") == alerts("eq", "lszh") == {"SWR100": "LSZH"}
    assert alerts("ne", "ZRH") == {"DLH5": "EDDF"}
    assert alerts("in", ["FRA", "ZRH"]) == {"SWR100": "LSZH", "DLH5": "EDDF"}
    assert alerts("starts_with", "J", "destination") == {"DLH5": "KJFK"}


def test_a_dry_run_looks_given_aircraft_up_by_callsign_and_position(client):
    upload(client, TABLE)
    given = [
        {"hex": "4b1601", "flight": "SWR100", "lat": 49.3, "lon": 4.1},
        {"hex": "4b1602", "flight": "SWR100", "lat": 30.0, "lon": 30.0},
        {"hex": "4b1603", "flight": "XYZ1", "lat": 49.3, "lon": 4.1},
    ]
    rule = {"name": "r", "conditions": {"field": "origin", "op": "eq", "value": "ZRH"}}
    answer = client.post_json("/api/v1/alerts/rules/test", {"rule": rule, "aircraft": given}, headers=ANALYST).json
    assert [alert["icao_hex"] for alert in answer["alerts"]] == ["4B1601"]
