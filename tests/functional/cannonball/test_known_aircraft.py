"""The list of known aircraft over HTTP: entries, filters, search, check, statistics, and who may do what."""

from urllib.parse import quote

import pytest

from skywatch.cannonball.known.service import count_detections
from skywatch.cannonball.known.views import entries
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.http.lists import pagination
from tests.functional.cannonball.conftest import ADMIN, ANALYST, VIEWER
from tests.identities import as_role, install
from tests.servers import BEFORE_SQL

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_an_entry_has_every_field_and_what_was_not_said_is_derived",
        "test_detections_count_once_a_flight",
        "test_filters_and_search",
        "test_military_entries_are_hidden_from_those_who_may_not_see_military_aircraft",
        "test_statistics",
        "test_the_search_sees_every_change_at_once",
        "test_verifying_keeps_the_first_moment_and_can_be_taken_back",
    ],
)

URL = "/api/v1/cannonball/known-aircraft/"
FIELDS = {
    "id", "icao_hex", "registration", "aircraft_type", "aircraft_model", "agency_name", "agency_type",
    "agency_state", "agency_city", "source", "source_url", "verified", "verified_at", "times_detected",
    "last_detected", "notes", "created_at", "updated_at",
}  # fmt: skip


def found(client, headers=VIEWER, **query):
    body = client.get(URL, query, headers=headers).json
    return [entry["icao_hex"] for entry in body["aircraft"]], body["count"], body["verified_count"]


def test_an_entry_has_every_field_and_what_was_not_said_is_derived(client, add_known):
    entry = add_known("a68a37", registration="n520pd", agency_name="Los Angeles Police Dept", notes="Red\nand white")
    assert set(entry) == FIELDS
    assert entry["icao_hex"] == "A68A37"
    assert entry["registration"] == "N520PD"
    assert (entry["agency_type"], entry["agency_state"]) == ("local", "CA")
    assert (entry["source"], entry["verified"], entry["times_detected"]) == ("manual", False, 0)
    assert entry["created_at"].endswith("Z")
    assert client.get(f"{URL}{entry['id']}/", headers=ADMIN).json == entry


def test_both_forms_of_the_address_answer(client, add_known):
    add_known("A68A37")
    assert client.get(URL, headers=VIEWER).json == client.get(URL[:-1], headers=VIEWER).json


@pytest.fixture
def five(add_known):
    add_known("A00001", registration="N1CA", agency_name="Fresno Police Dept", verified=True)
    add_known("A00002", registration="N2NY", agency_name="New York State Police", source="faa")
    add_known("A00003", registration="N3TX", agency_name="Houston Police Dept", source="research", verified=True)
    add_known("3C0001", registration="D-HBPA", agency_name="Bundespolizei Fuldatal", source="community")
    add_known("E90001", registration="LQ-X", agency_name="Policía de Córdoba")


@pytest.mark.parametrize(
    ("query", "addresses"),
    [
        ({"search": "police"}, ["A00001", "A00002", "A00003"]),
        ({"search": "000"}, ["3C0001", "A00001", "A00002", "A00003", "E90001"]),
        ({"search": "d-hb"}, ["3C0001"]),
        ({"search": "cordoba"}, ["E90001"]),
        ({"search": "CÓRDOBA"}, ["E90001"]),
        ({"search": "%"}, []),
        ({"search": "_"}, []),
        ({"search": "A00001\\"}, []),
        ({"agency_type": "state"}, ["A00002"]),
        ({"agency_state": "tx"}, ["A00003"]),
        ({"verified": "true"}, ["A00001", "A00003"]),
        ({"verified": "false", "search": "N2"}, ["A00002"]),
        ({"source": "community"}, ["3C0001"]),
        ({"source": "manual", "agency_type": "local"}, ["A00001"]),
    ],
)
def test_filters_and_search(client, five, query, addresses):
    assert found(client, **query)[0] == addresses


def test_count_and_verified_count_are_of_all_that_match_and_pages_link(client, five):
    first = client.get(URL, {"search": "police", "limit": 2}, headers=VIEWER).json
    assert (first["count"], first["verified_count"], len(first["aircraft"])) == (3, 2, 2)
    rest = client.get(first["next"], headers=VIEWER).json
    assert [entry["icao_hex"] for entry in rest["aircraft"]] == ["A00003"]
    assert rest["next"] is None
    assert rest["previous"]


def test_the_search_sees_every_change_at_once(client, add_known):
    entry = add_known("A00001", agency_name="Fresno Police Dept")
    assert found(client, search="fresno") == (["A00001"], 1, 0)
    client.patch_json(f"{URL}{entry['id']}/", {"agency_name": "Reno Police Dept"}, headers=ADMIN)
    assert found(client, search="fresno") == ([], 0, 0)
    client.post(f"{URL}{entry['id']}/verify/", headers=ADMIN)
    assert found(client, search="reno") == (["A00001"], 1, 1)
    client.delete(f"{URL}{entry['id']}/", headers=ADMIN, status=204)
    assert found(client) == ([], 0, 0)
    add_known("A00001", agency_name="Boise Police Dept")
    assert found(client, search="boise") == (["A00001"], 1, 0)


@BEFORE_SQL
@pytest.mark.parametrize(
    "query",
    [{"agency_type": "navy"}, {"agency_state": "XX"}, {"verified": "maybe"}, {"source": "x"},
     {"colour": "red"}, {"limit": 0}],
)  # fmt: skip
def test_wrong_filters_are_refused_by_name(client, query):
    problem = client.get(URL, query, headers=VIEWER, status=400).json
    assert problem["code"] == "validation_failed"
    assert problem["errors"][0]["name"] == next(iter(query))


def test_check_finds_in_either_case(client, add_known):
    add_known("A68A37")
    body = client.get(f"{URL}check/a68a37/", headers=VIEWER).json
    assert body["found"] is True
    assert body["aircraft"]["icao_hex"] == "A68A37"
    assert client.get(f"{URL}check/ABCDEF/", headers=VIEWER).json == {"found": False, "icao_hex": "ABCDEF"}


def test_check_shows_a_detection_as_soon_as_it_is_counted(client, add_known):
    known_id = add_known("A68A37")["id"]
    url = f"{URL}check/A68A37/"
    assert client.get(url, headers=VIEWER).json["aircraft"]["times_detected"] == 0
    with writing(client.runtime.sessions) as db:
        count_detections(db, [(known_id, utcnow(), utcnow())])
    assert client.get(url, headers=VIEWER).json["aircraft"]["times_detected"] == 1


@pytest.mark.parametrize("asked", ["A68A3", "a68A377", "XYZXYZ", "A68A3 ", "~a68a37", "Ä68A37", "x" * 500, "a68a37\n"])
def test_what_is_no_address_is_not_on_the_list(client, five, asked):
    assert client.get(f"{URL}check/{quote(asked)}/", headers=VIEWER).json == {"found": False, "icao_hex": asked}


def test_the_list_is_whole_without_a_limit(client, monkeypatch):
    lines = "\n".join(["icao_hex", *(f"A{number:05X}" for number in range(120))])
    client.post(f"{URL}import/?format=skywatch", lines, headers=ADMIN, content_type="text/csv")
    whole = client.get(URL, headers=VIEWER).json
    assert (len(whole["aircraft"]), whole["count"], whole["next"]) == (120, 120, None)
    first = client.get(f"{URL}?limit=100", headers=VIEWER).json
    assert len(first["aircraft"]) == 100
    client.get(f"{URL}?limit=1001", headers=VIEWER, status=400)
    monkeypatch.setattr(entries, "WHOLE_LIST", 110)
    monkeypatch.setattr(pagination, "MAX_LIMIT", 109)
    whole = client.get(URL, headers=VIEWER).json
    assert len(whole["aircraft"]) == 110
    rest = client.get(whole["next"].removeprefix("http://localhost"), headers=VIEWER).json
    assert (len(rest["aircraft"]), rest["next"]) == (10, None)
    assert "limit" not in whole["next"]


def test_statistics(client, five):
    assert client.get(f"{URL}stats/", headers=VIEWER).json == {
        "total": 5,
        "verified": 2,
        "by_agency_type": {"federal": 0, "state": 1, "local": 2, "military": 0, "unknown": 2},
        "by_state": {"CA": 1, "NY": 1, "TX": 1},
    }


@BEFORE_SQL
@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "body.icao_hex"),
        ({"icao_hex": "A6"}, "body.icao_hex"),
        ({"icao_hex": "~A68A37"}, "body.icao_hex"),
        ({"icao_hex": "A68A37", "agency_type": "police"}, "body.agency_type"),
        ({"icao_hex": "A68A37", "agency_state": "Texas"}, "body.agency_state"),
        ({"icao_hex": "A68A37", "verified": "yes"}, "body.verified"),
        ({"icao_hex": "A68A37", "times_detected": 7}, "body.times_detected"),
        ({"icao_hex": "A68A37", "agency_name": "x" * 161}, "body.agency_name"),
        ({"icao_hex": "A68A37", "source_url": "javascript:alert(1)"}, "body.source_url"),
        ({"icao_hex": "A68A37", "source_url": "https://"}, "body.source_url"),
    ],
)
def test_wrong_entries_are_refused_by_field(client, body, name):
    errors = client.post_json(URL, body, headers=ADMIN, status=400).json["errors"]
    assert errors[0]["name"] in (name, name.removeprefix("body."))


def test_an_address_is_on_the_list_once(client, add_known):
    add_known("A68A37")
    assert client.post_json(URL, {"icao_hex": "a68a37"}, headers=ADMIN, status=409).json["code"] == "conflict"


def test_verifying_keeps_the_first_moment_and_can_be_taken_back(client, add_known):
    url = f"{URL}{add_known('A68A37')['id']}/verify/"
    first = client.post(url, headers=ADMIN).json
    assert first["verified"] is True
    assert client.post(url, headers=ADMIN).json["verified_at"] == first["verified_at"]
    taken_back = client.post_json(url, {"verified": False}, headers=ADMIN).json
    assert (taken_back["verified"], taken_back["verified_at"]) == (False, None)


def test_an_unknown_entry_is_not_found(client):
    for method, path in (("GET", "99/"), ("PATCH", "99/"), ("DELETE", "99/"), ("POST", "99/verify/")):
        response = client.request(f"{URL}{path}", method=method, headers=ADMIN, status=404)
        assert response.json["code"] == "not_found"


@pytest.mark.parametrize("mode", ["public", "hybrid", "private"])
def test_nobody_in_particular_is_told_to_authenticate_but_reads_in_mode_public(make_client, mode):
    client = install(make_client(auth_mode=mode))
    for path in ("", "stats/", "check/A68A37/"):
        if mode == "public":
            client.get(URL + path)
            continue
        response = client.get(URL + path, status=401)
        assert response.json["code"] == "authentication_required"
        assert "WWW-Authenticate" in response.headers
    client.post_json(URL, {"icao_hex": "A68A37"}, status=401)


def test_only_managers_write_and_keys_have_no_scope_for_it(client, add_known):
    entry = add_known("A68A37")
    for method, path in (("POST", ""), ("GET", f"{entry['id']}/"), ("PATCH", f"{entry['id']}/"),
                         ("DELETE", f"{entry['id']}/"), ("POST", f"{entry['id']}/verify/")):  # fmt: skip
        denied = client.request(f"{URL}{path}", method=method, headers=ANALYST, status=403)
        assert denied.json["code"] == "permission_denied"
    key = as_role("superadmin", 1, ["aircraft", "alerts", "system"])
    assert client.get(URL, headers=key, status=403).json["code"] == "scope_denied"


def test_military_entries_are_hidden_from_those_who_may_not_see_military_aircraft(client, add_known):
    add_known("AE0001", agency_name="United States Air Force")
    assert found(client, headers=VIEWER)[1] == 0
    assert found(client, headers=ANALYST)[1] == 1
    assert client.get(f"{URL}check/AE0001/", headers=VIEWER).json["found"] is False
    assert client.get(f"{URL}stats/", headers=VIEWER).json["total"] == 0
    assert client.get(f"{URL}stats/", headers=ANALYST).json["by_agency_type"]["military"] == 1


def test_detections_count_once_a_flight(client, add_known):
    entry = add_known("A68A37")
    start = utcnow()
    with writing(client.runtime.sessions) as db:
        count_detections(db, [(entry["id"], start, start)])
    with writing(client.runtime.sessions) as db:
        count_detections(db, [(entry["id"], start, utcnow())])
    shown = client.get(f"{URL}check/A68A37/", headers=VIEWER).json["aircraft"]
    assert shown["times_detected"] == 1
    assert shown["last_detected"]
    assert shown["updated_at"] == entry["updated_at"]
