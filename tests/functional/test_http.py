"""What holds for every response: request ids, problems, both slash forms, body limit."""

import pytest


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


@pytest.mark.parametrize("path", ["/api/v1/%ff%fe", "/api/v1/%00", "//", "/api/v1//"])
def test_odd_addresses_are_not_found(client, path):
    assert client.get(path, status=404).content_type == "application/problem+json"
