"""The OpenAPI document is complete, valid, and shown on a page."""

import pytest

from skywatch.http.service import ApiService


def services(client):
    return [s for s in client.app.registry.cornice_services.values() if isinstance(s, ApiService)]


def test_every_service_is_ours_and_in_the_document(client):
    assert len(services(client)) == len(client.app.registry.cornice_services)
    document = client.get("/api/v1/openapi.json").json
    assert document["openapi"] == "3.1.0"
    for service in services(client):
        template = next(p for p in document["paths"] if p.rstrip("/") == plain(service.canonical))
        methods = {operation.method.lower() for operation in service.operations}
        assert set(document["paths"][template]) == methods


def plain(path):
    import re

    return re.sub(r"\{(\w+):[^/]*\}", r"{\1}", path).rstrip("/")


def test_every_operation_says_what_it_is_for(client):
    for service in services(client):
        for operation in service.operations:
            assert operation.summary, f"{operation.method} {service.path} has no summary"
            assert operation.permission, f"{operation.method} {service.path} has no permission"


def test_operation_ids_are_unique(client):
    document = client.get("/api/v1/openapi.json").json
    ids = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert len(ids) == len(set(ids))


def test_it_is_not_sent_twice(client):
    etag = client.get("/api/v1/openapi.json").headers["ETag"]
    again = client.get("/api/v1/openapi.json", headers={"If-None-Match": etag}, status=304)
    assert again.body == b""


@pytest.mark.parametrize("path", ["/api/v1/docs", "/api/v1/docs/", "/api/v1/docs/static/docs.js"])
def test_the_page_is_there(client, path):
    assert client.get(path).status_code == 200


def test_what_is_created_and_has_an_address_of_its_own_says_so(client):
    paths = client.get("/api/v1/openapi.json").json["paths"]
    found = set()
    for path, operations in paths.items():
        created = operations.get("post", {}).get("responses", {}).get("201")
        if created is not None and "get" in paths.get(f"{path.rstrip('/')}/{{id}}{path[len(path.rstrip('/')) :]}", {}):
            assert created["headers"]["Location"]["required"]
            found.add(path.split("/v1/")[1])
    of_alerts = {f"alerts/{name}/" for name in ("channels", "geofences", "rules", "watchlists")}
    others = {"audio/transmissions", "cannonball/known-aircraft/", "oidc-mappings", "roles", "user-roles", "users"}
    assert found == of_alerts | others
