"""The OpenAPI document is complete, valid, and shown on a page."""

import re
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import colander
import msgspec
import pytest

from skywatch.features import SETTINGS
from skywatch.http.resources import schema as kinds
from skywatch.http.resources.fields import UNSET, UnsetType
from skywatch.http.resources.service import operations as documented
from skywatch.settings import names_of
from tests.functional.access.table import rows


def services(client):
    return client.app.registry.cornice_services.values()


def test_every_service_is_in_the_document(client):
    document = client.get("/api/v1/openapi.json").json
    assert document["openapi"] == "3.1.0"
    for service in services(client):
        template = next(p for p in document["paths"] if p.rstrip("/") == plain(service.canonical))
        methods = {operation.method.lower() for operation in documented(service)}
        assert set(document["paths"][template]) == methods


def plain(path):
    import re

    return re.sub(r"\{(\w+):[^/]*\}", r"{\1}", path).rstrip("/")


def test_every_operation_says_what_it_is_for(client):
    for service in services(client):
        for operation in documented(service):
            assert operation.summary, f"{operation.method} {service.path} has no summary"
            assert operation.permission, f"{operation.method} {service.path} has no permission"


def test_operation_ids_are_unique(client):
    document = client.get("/api/v1/openapi.json").json
    ids = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert len(ids) == len(set(ids))


# Documents that count their parts; every other list has pages.
COUNTED_PARTS = {"airframes", "cells", "kinds", "points", "trail"}
WHOLE_PICTURES = {"/api/v1/aircraft/nearest", "/api/v1/history/picture"}


def test_every_list_has_the_same_envelope(client):
    document = client.get("/api/v1/openapi.json").json
    lists = 0
    for path, operations in document["paths"].items():
        content = operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        members = resolved(document, content.get("application/json", {}).get("schema", {})).get("properties", {})
        entries = {name for name, member in members.items() if resolved(document, member).get("type") == "array"}
        if "id" in members or "count" not in members or entries & COUNTED_PARTS or path in WHOLE_PICTURES:
            continue
        lists += 1
        assert {"next", "previous"} <= set(members), path
    assert lists > 20


def resolved(document, schema):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def test_it_is_not_sent_twice(client):
    etag = client.get("/api/v1/openapi.json").headers["ETag"]
    again = client.get("/api/v1/openapi.json", headers={"If-None-Match": etag}, status=304)
    assert again.body == b""


@pytest.mark.parametrize("path", ["/api/v1/docs", "/api/v1/docs/", "/api/v1/docs/static/docs.js"])
def test_the_page_is_there(client, path):
    assert client.get(path).status_code == 200


def test_the_page_begins_with_a_first_request_and_how_to_authenticate(client):
    head = client.get("/api/v1/docs").html.header
    assert [line.partition(" '")[0] for line in head.pre.get_text().splitlines()] == ["curl", "curl -H"]
    assert {"X-API-Key", "Authorization: Bearer"} <= {code.get_text() for code in head.find_all("code")}


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
    assert found >= of_alerts | others


def test_operation_ids_are_what_people_expect(client):
    paths = client.get("/api/v1/openapi.json").json["paths"]
    ids = {operation["operationId"] for path in paths.values() for operation in path.values()}
    assert {"list_aircraft", "get_aircraft", "create_api_key", "log_in", "list_users", "replay_history"} <= ids
    assert not [name for name in ids if not re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", name)]


def test_model_names_are_not_too_general(client):
    names = set(client.get("/api/v1/openapi.json").json["components"]["schemas"])
    assert not names & {"Change", "Detail", "Fault", "Band", "Cell", "Day", "Top", "Stats", "Station", "Span", "Areas"}


def test_every_tag_is_described_and_used(client):
    document = client.get("/api/v1/openapi.json").json
    described = {tag["name"] for tag in document["tags"] if tag["description"]}
    assert described == {tag for path in document["paths"].values() for o in path.values() for tag in o["tags"]}


def test_documents_of_alerts_are_described_by_their_own_members(client):
    schemas = client.get("/api/v1/openapi.json").json["components"]["schemas"]
    geometry = schemas["GeofenceRecord"]["properties"]["geometry"]
    assert set(geometry["properties"]) == {"type", "coordinates"}
    assert "description" not in geometry
    rule = schemas["RuleRecord"]["properties"]
    assert rule["count"]["anyOf"][0]["required"] == ["op", "value"]
    assert rule["quiet_hours"]["items"]["required"] == ["from", "to"]


def test_regular_expressions_are_ecmascript_s_and_constants_are_enums(client):
    def nodes(value):
        if isinstance(value, dict):
            yield value
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from nodes(inner)

    document = client.get("/api/v1/openapi.json").json
    for node in nodes(document):
        assert r"\Z" not in str(node.get("pattern", ""))
        assert "const" not in node


def test_a_list_may_be_repeated_like_other_programs_write_it(client):
    answer = client.get("/api/v1/aircraft?hex=4b1620&hex=4b1621,4b1622&sort=hex").json
    assert answer["count"] == 0
    wrong = client.get("/api/v1/aircraft?hex=4b1620&hex=zz&sort=hex", status=400).json
    assert [error["name"] for error in wrong["errors"]] == ["hex"]
    twice = client.get("/api/v1/aircraft?sort=hex&sort=hex", status=400).json
    assert [(error["name"], error["detail"]) for error in twice["errors"]] == [("sort", "is given more than once")]


@pytest.mark.parametrize(
    ("path", "bucket"), [("/api/v1/aircraft", "user"), ("/api/v1/cannonball/known-aircraft/", "user")]
)
def test_the_two_large_lists_name_their_rate_limit_and_their_pages(client, path, bucket):
    operation = client.get("/api/v1/openapi.json").json["paths"][path]["get"]
    parameters = {parameter["name"]: parameter["schema"] for parameter in operation["parameters"]}
    text = " ".join(operation["description"].split())
    limit = parameters["limit"]
    most = ", ".join([*([str(limit["default"])] if "default" in limit else []), f"at most {limit['maximum']}"])
    assert f"`limit` ({most}) and `offset`, there is no `cursor`" in text
    assert "offset" in parameters
    assert "cursor" not in parameters
    name = f"default_throttle_rates.{bucket}"
    names = names_of(SETTINGS)
    assert f"{names.fields[names.single[name]].default} for each user" in text
    assert f"(`{name}`)" in text


def test_files_are_bytes_and_imports_of_geofences_a_feature_collection(client):
    document = client.get("/api/v1/openapi.json").json
    for path in ("/api/v1/audio/transmissions", "/api/call-upload"):
        content = document["paths"][path]["post"]["requestBody"]["content"]["multipart/form-data"]
        file = resolved(document, content["schema"])["properties"]["audio"]
        assert (file["type"], file["format"]) == ("string", "binary")
        assert file["contentMediaType"] == "application/octet-stream"
    content = document["paths"]["/api/v1/alerts/geofences/import/"]["post"]["requestBody"]["content"]
    assert content["text/plain"]["schema"] == {"type": "string"}
    for media_type in ("application/json", "application/geo+json"):
        collection = resolved(document, content[media_type]["schema"])
        assert collection["required"] == ["type", "features"]
        assert collection["properties"]["type"]["enum"] == ["FeatureCollection"]
        feature = resolved(document, collection["properties"]["features"]["items"])
        assert {"type", "geometry"} == set(feature["required"])
        # Editors of maps add members of their own.
        assert collection["additionalProperties"] is feature["additionalProperties"] is True


KINDS = {
    kinds.JsonString: str,
    kinds.JsonInteger: int,
    kinds.JsonNumber: float,
    kinds.JsonBoolean: bool,
    kinds.JsonObject: dict,
    kinds.JsonList: list,
    kinds.Timestamp: datetime,
}


def bodies(client):
    """The schemas of JSON bodies that have members; forms and texts are read by their views."""
    for service in services(client):
        for operation in documented(service):
            body, is_json = operation.body, operation.body_types == ("application/json",)
            if body is not None and body.children and is_json:
                yield operation.operation_id, body


def test_every_body_becomes_a_struct(client):
    assert [name for name, body in bodies(client) if body.struct is None] == []


def test_a_schema_and_its_struct_name_the_same_members(client):
    for _, body in bodies(client):
        members = [child.name for child in body.children]
        assert sorted(body.struct.__struct_encode_fields__) == sorted(members), type(body).__name__


def test_a_schema_and_its_struct_agree_on_what_a_member_may_be(client):
    compared = 0
    for _, body in bodies(client):
        hints = get_type_hints(body.struct)
        fields = {field.encode_name: field for field in msgspec.structs.fields(body.struct)}
        for child in body.children:
            field, where = fields[child.name], f"{body.struct.__name__}.{child.name}"
            types = union_of(hints[field.name])
            assert (NoneType in types) == takes_null(child), where
            assert (UnsetType in types) == (child.missing is colander.drop), where
            assert default_of(field) == (UNSET if child.missing is colander.drop else child.missing), where
            inner = child.typ.inner if isinstance(child.typ, kinds.Nullable) else child.typ
            expected = next((python for kind, python in KINDS.items() if isinstance(inner, kind)), None)
            if expected is not None:
                assert expected in {get_origin(kind) or kind for kind in types}, where
                compared += 1
    assert compared > 30


def union_of(hint: Any) -> set[Any]:
    return set(get_args(hint)) if isinstance(hint, UnionType) or get_origin(hint) is Union else {hint}


def takes_null(child: Any) -> bool:
    try:
        return child.missing is None or child.deserialize(None) is None
    except colander.Invalid:
        return False


def default_of(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return colander.required if field.default is msgspec.NODEFAULT else field.default


def test_what_changes_the_callers_own_account_takes_no_key(client):
    """What the rights say of such operations (``own_account``) the document says, too."""
    paths = client.get("/api/v1/openapi.json").json["paths"]
    own = [row for row in rows() if row.needs == "own_account"]
    assert len(own) > 5
    assert [row.operation for row in own if paths[row.path][row.method.lower()]["security"] != [{"bearer": []}]] == []
