"""readsb's API and the v2 interface over HTTP: who sees what, and what programs of these families ask."""

import pytest

from tests.functional.readsb.conftest import FIGHTER, SWISS
from tests.identities import as_role

VIEWER, OPERATOR, ANALYST = (as_role(role) for role in ("viewer", "operator", "analyst"))


def hexes(answer):
    return [aircraft["hex"] for aircraft in answer.json.get("aircraft", answer.json.get("ac"))]


def test_queries_of_programs_written_for_readsb(client):
    for query in ("?all", "?all&jv2", "?json&all&nobody_knows=1&_", "/?all"):
        assert set(hexes(client.get(f"/re-api{query}", headers=ANALYST))) == {SWISS, FIGHTER, "3c6444"}
    assert hexes(client.get("/re-api/?find_callsign=SWR22&x", headers=VIEWER)) == [SWISS]
    assert hexes(client.get("/re-api/?closest=55.3,8.3,60", headers=ANALYST)) == [SWISS]
    assert client.get("/re-api/?status", headers=VIEWER).json == {}


def test_one_answer_a_tick_for_all_who_ask_the_same(client):
    first = client.get("/re-api/?all&_=1", headers=ANALYST)
    again = client.get("/re-api/?_=2&all", headers=ANALYST)
    assert first.body == again.body
    client.get("/re-api/?all", headers={**ANALYST, "If-None-Match": first.headers["ETag"]}, status=304)


def test_addresses_of_v2(client):
    for address in (
        "hex/4B1620",
        "icao/4b1620,000000",
        "callsign/swr22",
        "type/A320",
        "squawk/1000",
        "sqk/1000/",
        "reg/HB-JJA",
        "registration/HB-JJA",
        "point/55.4/8.32/20?api=whatever",
        "lat/55.4/lon/8.32/dist/9",
        "closest/55.4/8.32/300",
    ):
        answer = client.get(f"/v2/{address}", headers=ANALYST)
        assert SWISS in hexes(answer), address
        assert answer.json["total"] == len(answer.json["ac"])
    assert hexes(client.get("/v2/mil", headers=ANALYST)) == [FIGHTER]
    assert set(hexes(client.get("/v2/all", headers=ANALYST))) == {SWISS, FIGHTER, "3c6444"}
    assert hexes(client.get("/v2/pia", headers=ANALYST)) == hexes(client.get("/v2/ladd", headers=ANALYST)) == []


def test_a_circle_of_v2_is_never_larger_than_250_nm(client):
    assert hexes(client.get("/v2/point/47/8/9000", headers=ANALYST)) == []
    assert SWISS in hexes(client.get("/re-api/?circle=47,8,9000", headers=ANALYST))


def test_rights(client):
    for address in ("/re-api/?all", "/re-api/?find_hex=43c001", "/v2/mil", "/v2/hex/43c001", "/v2/point/55.4/8/250"):
        assert FIGHTER not in client.get(address, headers=VIEWER).text
        assert FIGHTER in client.get(address, headers=ANALYST).text
    for address in ("/re-api/?find_reg=HB-JJA", "/v2/reg/HB-JJA"):
        assert client.get(address, headers=VIEWER, status=403).json["code"] == "permission_denied"
        assert hexes(client.get(address, headers=OPERATOR)) == [SWISS]
    assert "HB-JJA" not in client.get("/re-api/?all", headers=VIEWER).text
    for address in ("/re-api/?all", "/v2/all"):
        client.get(address, headers=as_role("viewer", scopes=["aircraft"]))
        client.get(address, headers=as_role("viewer", scopes=["history"]), status=403)
        client.get(address, status=401)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("/re-api/", "query"),
        ("/re-api/?box=1,2", "box"),
        ("/v2/hex/nonsense", "find_hex"),
        ("/v2/squawk/9999", "filter_squawk"),
        ("/v2/point/99/8/20", "lat"),
        ("/v2/closest/47/8/-1", "radius"),
    ],
)
def test_what_is_wrong_is_named(client, address, name):
    refused = client.get(address, headers=ANALYST, status=400).json
    assert [error["name"] for error in refused["errors"]] == [name]
