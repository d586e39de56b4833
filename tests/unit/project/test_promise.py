"""What a major version promises: lines made of the documents, and which of the recorded ones do not hold."""

from __future__ import annotations

import copy

import pytest

from release import promise
from tests.conftest import ROOT

BODY = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "size": {"type": ["integer", "null"]}, "kind": {"enum": ["a", "b"]}},
}
DOCUMENT = {
    "paths": {
        "/things": {
            "post": {
                "parameters": [
                    {"in": "query", "name": "dry", "schema": {"enum": ["yes", "no"]}},
                    {"in": "path", "name": "id", "schema": {}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Taken"}}}},
                "responses": {
                    "201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Said"}}}},
                    "400": {},
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Taken": BODY,
            "Said": {
                "type": "object",
                "required": ["parts"],
                "properties": {"parts": {"type": "array", "items": copy.deepcopy(BODY)}},
            },
        }
    },
}


def changed(*steps, value=None):
    """The document with something else, or nothing, at a place."""
    document = copy.deepcopy(DOCUMENT)
    part = document
    for step in steps[:-1]:
        part = part[step]
    if value is None:
        del part[steps[-1]]
    else:
        part[steps[-1]] = value
    return document


def lines(document):
    return sorted(set(promise.rest(document)))


TAKEN, SAID = ("components", "schemas", "Taken"), ("components", "schemas", "Said")
CALL = ("paths", "/things", "post")


@pytest.mark.parametrize(
    ("document", "gone"),
    [
        (changed(*CALL), "POST /things"),
        (changed(*CALL, "parameters", value=[]), 'POST /things query dry = "yes"'),
        (changed(*CALL, "parameters", 0, "required", value=True), "POST /things query dry may be left out"),
        (changed(*CALL, "responses", "201"), "POST /things answers 201"),
        (changed(*TAKEN, "required", value=["name", "size"]), "Taken.size may be left out"),
        (changed(*TAKEN, "properties", "size", "type", value="integer"), "Taken.size: null"),
        (changed(*TAKEN, "properties", "kind", "enum", value=["a"]), 'Taken.kind = "b"'),
        (changed(*SAID, "required"), "Said.parts: array always"),
        (changed(*SAID, "properties", "parts", "items", "required"), "Said.parts[].name: string always"),
        (changed(*SAID, "properties", "parts", "type", value="object"), "Said.parts: array always"),
    ],
)
def test_a_change_that_breaks_a_program_is_named(document, gone):
    assert gone in promise.broken(lines(DOCUMENT), lines(document))


@pytest.mark.parametrize(
    "document",
    [
        changed("paths", "/others", value={"get": {"responses": {"200": {}}}}),
        changed(*TAKEN, "required", value=[]),
        changed(*TAKEN, "properties", "more", value={"type": "string"}),
        changed(*TAKEN, "properties", "kind", "enum", value=["a", "b", "c"]),
        changed(*SAID, "properties", "more", value={"type": "string"}),
        changed(*CALL, "parameters", 0, "schema", "enum", value=["yes", "no", "perhaps"]),
    ],
)
def test_what_is_added_breaks_none(document):
    assert promise.broken(lines(DOCUMENT), lines(document)) == []


def test_the_service_keeps_what_is_promised(client):
    recorded = (ROOT / promise.RECORDED).read_text(encoding="utf-8").splitlines()
    assert len(recorded) > 5_000
    assert promise.broken(recorded, promise.promises(client.get("/api/v1/openapi.json").json)) == []
