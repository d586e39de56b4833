"""What holds for every response: request ids, problems, both slash forms, body limit."""

import gc
import weakref

import colander
import pytest

from skywatch.accounts.sign_in.schemas import Credentials
from skywatch.http.resources.schema import MAX_UNKNOWN
from skywatch.http.resources.validation import MAX_VALUES
from tests.identities import as_role, install_with_users


def problem(response, code):
    assert response.content_type == "application/problem+json"
    assert response.json["code"] == code
    assert response.json["status"] == response.status_code
    assert response.json["request_id"] == response.headers["X-Request-ID"]
    return response.json


def test_an_unknown_address_is_a_problem(client):
    problem(client.get("/api/v1/nothing", status=404), "not_found")


def test_a_well_formed_request_id_is_kept_and_another_replaced(client):
    kept = client.get("/api/v1/nothing", status=404, headers={"X-Request-ID": "trace-0123456789"})
    assert kept.headers["X-Request-ID"] == "trace-0123456789"
    other = client.get("/api/v1/nothing", status=404, headers={"X-Request-ID": "bad id <script>"})
    assert other.headers["X-Request-ID"] != "bad id <script>"


def test_a_body_over_the_limit_is_refused(make_client):
    client = make_client(max_body_bytes=2048)
    problem(client.post("/api/v1/nothing", b"x" * 2049, status=413), "payload_too_large")


@pytest.mark.parametrize("media_type", ["application/json", "Application/JSON", "APPLICATION/JSON; charset=utf-8"])
def test_media_types_are_compared_without_case(client, media_type):
    answer = client.post(
        "/api/v1/aircraft/airframes/lookup",
        b'{"icao_hex": ["4B1620"]}',
        headers={"Content-Type": media_type},
    )
    assert answer.json["not_found"] == ["4B1620"]


def test_every_parameter_given_twice_is_named_with_all_other_faults(client):
    query = "limit=5&limit=5&callsign=%00&colour=red&offset=x&type=A320&type=B738&lat=1&lon=2&radius_nm=3&radius_nm=3"
    errors = problem(client.get(f"/api/v1/aircraft?{query}", status=400), "validation_failed")["errors"]
    assert {(error["name"], error["detail"]) for error in errors} == {
        ("limit", "is given more than once"),
        ("radius_nm", "is given more than once"),
        ("callsign", "must not contain control characters"),
        ("offset", "must be a whole number"),
        ("colour", "is not a known field"),
    }
    assert {error["location"] for error in errors} == {"querystring"}


def test_a_body_of_unknown_fields_alone_is_refused_by_naming_some():
    """Each named fault is an object: a megabyte of unknown fields took half a second of the processor."""
    with pytest.raises(colander.Invalid) as refused:
        Credentials().deserialize({f"k{i}": i for i in range(10_000)})
    assert len(refused.value.children) <= MAX_UNKNOWN + 2


@pytest.mark.parametrize("path", ["/api/v1/%ff%fe", "/api/v1/%00", "/nothing//here", "/api/v1//"])
def test_odd_addresses_are_not_found(client, path):
    assert client.get(path, status=404).content_type == "application/problem+json"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/aircraft", 200),
        ("/api/v1/aircraft/abcdef", 404),
        ("/api/v1/nothing", 404),
        ("/api/v1/history/flights", 200),
        ("/api/v1/roles", 401),
    ],
)
def test_nothing_of_a_request_stays_once_it_is_answered(client, monkeypatch, path, status):
    """Requests that referred to themselves kept the picture of their second until the garbage collector came."""
    made, make_request = [], client.app.request_factory

    def make_and_note(environ):
        request = make_request(environ)
        made.append(weakref.ref(request))
        return request

    monkeypatch.setattr(client.app, "request_factory", make_and_note)
    gc.disable()
    try:
        client.get(path, status=status)
        assert [request() for request in made] == [None]
    finally:
        gc.enable()


def test_a_body_of_more_values_than_are_read_is_refused(client):
    body = b'{"icao_hex": [' + b"0," * MAX_VALUES + b"0]}"
    refused = client.post("/api/v1/aircraft/airframes/lookup", body, content_type="application/json", status=400).json
    assert refused["code"] == "malformed_body"
    assert f"{MAX_VALUES:,}" in refused["detail"]


def test_a_long_list_is_refused_by_its_length_and_not_by_each_entry(client):
    body = {"icao_hex": [0] * 50_000}
    (fault,) = client.post_json("/api/v1/aircraft/airframes/lookup", body, status=400).json["errors"]
    assert (fault["name"], fault["detail"]) == ("icao_hex", "must have at most 500 entries, not 50000")


def test_a_number_beyond_every_float_is_refused(make_client):
    client = install_with_users(make_client(auth_mode="hybrid"))
    body = b'{"lat": 1' + b"0" * 400 + b', "lon": 8.5}'
    path, headers = "/api/v1/cannonball/location/", as_role("viewer")
    refused = client.put(path, body, headers=headers, content_type="application/json", status=400).json
    assert [(fault["name"], fault["detail"]) for fault in refused["errors"]] == [("lat", "must be a number")]
