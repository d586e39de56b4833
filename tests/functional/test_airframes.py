"""What is known of airframes over REST."""

import pytest

from skywatch.airframes.models import AirframeRecord
from skywatch.core.database.engine import writing
from tests.identities import as_role, install
from tests.skies import show, sky_of

pytestmark = pytest.mark.portable("sends what others send")

SWISS = {"registration": "HB-IJS", "type_code": "A320", "type_name": "AIRBUS A-320", "operator": "Swiss", "owner": ""}
FIGHTER = {"registration": "J-5001", "type_code": "F18", "type_name": "", "operator": "", "owner": ""}


@pytest.fixture
def client(make_client, database_url):
    client = install(make_client(auth_mode="hybrid", database_url=database_url))
    with writing(client.runtime.sessions) as session:
        session.add(AirframeRecord(icao_hex="4B1620", source="tar1090", year=1997, flags=0, **SWISS))
        session.add(AirframeRecord(icao_hex="4B7F01", source="tar1090", year=0, flags=1, **FIGHTER))
    return client


def test_one_airframe_in_either_case(client):
    for address in ("4b1620", "4B1620"):
        found = client.get(f"/api/v1/aircraft/airframes/{address}", headers=as_role("analyst")).json
        assert found == {
            "icao_hex": "4B1620",
            "registration": "HB-IJS",
            "type": "A320",
            "type_name": "AIRBUS A-320",
            "operator": "Swiss",
            "owner": None,
            "year": 1997,
            "military": False,
            "interesting": False,
            "pia": False,
            "ladd": False,
            "sources": ["tar1090"],
        }


def test_details_and_military_need_their_permissions(client):
    found = client.get("/api/v1/aircraft/airframes/4b1620", headers=as_role("viewer")).json
    assert not {"registration", "operator", "owner", "year"} & set(found)
    client.get("/api/v1/aircraft/airframes/4b7f01", headers=as_role("operator"), status=404)
    client.get("/api/v1/aircraft/airframes/4b7f01", headers=as_role("analyst"), status=200)


def test_an_aircraft_that_receivers_report_as_military_is_hidden_here_too(client):
    body = {"icao_hex": ["4b1620"]}
    show(client.runtime, sky_of({"hex": "4b1620", "military": True}))
    client.get("/api/v1/aircraft/airframes/4b1620", headers=as_role("operator"), status=404)
    client.get("/api/v1/aircraft/airframes/4b1620", headers=as_role("analyst"), status=200)
    assert client.post_json("/api/v1/aircraft/airframes/lookup", body, headers=as_role("operator")).json["count"] == 0
    assert client.post_json("/api/v1/aircraft/airframes/lookup", body, headers=as_role("analyst")).json["count"] == 1


def test_many_at_once_in_the_order_asked_for(client):
    asked = {"icao_hex": ["4B7F01", "ffffff", "4b1620", "4b1620"]}
    answer = client.post_json("/api/v1/aircraft/airframes/lookup", asked, headers=as_role("analyst")).json
    assert [a["icao_hex"] for a in answer["airframes"]] == ["4B7F01", "4B1620"]
    assert (answer["count"], answer["not_found"]) == (2, ["FFFFFF"])
    answer = client.post_json("/api/v1/aircraft/airframes/lookup", asked, headers=as_role("viewer")).json
    assert (answer["count"], answer["not_found"]) == (1, ["4B7F01", "FFFFFF"])


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"icao_hex": []}, {"icao_hex"}),
        ({"icao_hex": ["4b1620"] * 501}, {"icao_hex"}),
        ({"icao_hex": ["4b1620", "nonsense", 5]}, {"icao_hex.1", "icao_hex.2"}),
        ({"icao_hex": "4b1620"}, {"icao_hex"}),
        ({}, {"icao_hex"}),
        ({"icao_hex": ["4b1620"], "colour": 1}, {"colour"}),
    ],
)
def test_every_fault_of_a_lookup_is_named(client, body, names):
    refused = client.post_json("/api/v1/aircraft/airframes/lookup", body, headers=as_role("viewer"), status=400).json
    assert {error["name"] for error in refused["errors"]} == names


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        (b"{", "application/json", 400, "malformed_body"),
        (b'{"icao_hex": ["4b1620"], "icao_hex": []}', "application/json", 400, "malformed_body"),
        (b'{"icao_hex": NaN}', "application/json", 400, "malformed_body"),
        (b"\xff\xfe", "application/json", 400, "malformed_body"),
        (b"[" * 100_000, "application/json", 400, "malformed_body"),
        (b"[]", "application/json", 400, "validation_failed"),
        (b"icao_hex=4b1620", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(client, body, content_type, status, code):
    refused = client.post(
        "/api/v1/aircraft/airframes/lookup",
        body,
        headers=as_role("viewer"),
        content_type=content_type,
        status=status,
    )
    assert refused.json["code"] == code


def test_a_byte_order_mark_is_passed_over(client):
    body = b'\xef\xbb\xbf{"icao_hex": ["4b1620"]}'
    client.post(
        "/api/v1/aircraft/airframes/lookup",
        body,
        headers=as_role("viewer"),
        content_type="application/json",
        status=200,
    )


def test_a_number_without_end_is_refused_without_advice_to_programmers(client):
    refused = client.post(
        "/api/v1/aircraft/airframes/lookup",
        b'{"icao_hex": ' + b"9" * 5000 + b"}",
        headers=as_role("viewer"),
        content_type="application/json",
        status=400,
    ).json
    assert (refused["code"], refused["detail"]) == (
        "malformed_body",
        "The body is not JSON: a number has more than 1000 digits.",
    )


def test_a_compressed_body_is_refused(client):
    refused = client.post(
        "/api/v1/aircraft/airframes/lookup",
        b"\x1f\x8b",
        headers={**as_role("viewer"), "Content-Encoding": "gzip"},
        content_type="application/json",
        status=415,
    )
    assert refused.json["code"] == "unsupported_media_type"


def test_a_thousand_faults_are_not_all_named(client):
    body = {f"field{n}": n for n in range(1000)}
    refused = client.post_json("/api/v1/aircraft/airframes/lookup", body, headers=as_role("viewer"), status=400).json
    assert len(refused["errors"]) == 200
