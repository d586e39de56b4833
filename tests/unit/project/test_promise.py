"""What a major version promises: lines made of the documents, and which of the recorded ones do not hold."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Literal

import click
import pytest

from release import promise
from release.record import version_of
from skywatch.security.permissions import Permission
from skywatch.settings import Settings, names_of, setting
from tests.conftest import ROOT

BODY = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 64},
        "size": {"type": ["integer", "null"]},
        "kind": {"enum": ["a", "b"]},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 2}},
    },
}
DOCUMENT = {
    "paths": {
        "/things": {
            "post": {
                "x-permission": "things.create",
                "parameters": [
                    {"in": "query", "name": "dry", "schema": {"enum": ["yes", "no"]}},
                    {"in": "path", "name": "id", "required": True, "schema": {"type": "string"}},
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


def changed(*steps, value=None, of=DOCUMENT):
    """A document with something else, or nothing, at a place."""
    document = copy.deepcopy(of)
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
PART = (*SAID, "properties", "parts", "items")
CALL = ("paths", "/things", "post")


def with_member(schema, name, member, required):
    """The document with one more member in a schema."""
    document = changed(*schema, "properties", name, value=member)
    document["components"]["schemas"][schema[-1]]["required"] = required
    return document


@pytest.mark.parametrize(
    ("document", "gone"),
    [
        (changed(*CALL), "POST /things"),
        (changed(*CALL, "parameters", value=[]), 'POST /things query dry = "yes"'),
        (changed(*CALL, "parameters", 0, "required", value=True), "POST /things without query dry"),
        (changed(*CALL, "parameters", 1, "schema", "type", value="integer"), "POST /things path id: string"),
        (changed(*CALL, "x-permission", value="things.administer"), "POST /things needs things.create"),
        (changed(*CALL, "responses", "201"), "POST /things answers 201"),
        (changed(*TAKEN, "required", value=["name", "size"]), "Taken without size"),
        (with_member(TAKEN, "colour", {"type": "string"}, required=["name", "colour"]), "Taken without colour"),
        (changed(*TAKEN, "properties", "name", "maxLength", value=32), "Taken.name at most 64 characters"),
        (changed(*TAKEN, "properties", "size", "minimum", value=1), "Taken.size without at least 1"),
        (changed(*TAKEN, "properties", "name", "enum", value=["A", "B"]), "Taken.name of any value"),
        (changed(*TAKEN, "properties", "name", "pattern", value="^[A-Z]+$"), "Taken.name of any form"),
        (changed(*TAKEN, "properties", "tags", "items", "minLength", value=3), "Taken.tags[] at least 2 characters"),
        (changed(*TAKEN, "properties", "size", "type", value="integer"), "Taken.size: null"),
        (changed(*TAKEN, "properties", "kind", "enum", value=["a"]), 'Taken.kind = "b"'),
        (changed(*SAID, "required"), "Said.parts: array always"),
        (changed(*SAID, "properties", "parts", "items", "required"), "Said.parts[].name: string always"),
        (changed(*SAID, "properties", "parts", "type", value="object"), "Said.parts: array always"),
        (changed(*PART, "properties", "tags", "items", "type", value="integer"), "Said.parts[].tags[]: string"),
        (changed(*PART, "properties", "name", "format", value="date-time"), "Said.parts[].name: string always"),
    ],
)
def test_a_change_that_breaks_a_program_is_named(document, gone):
    assert gone in promise.broken(lines(DOCUMENT), lines(document))


@pytest.mark.parametrize(
    "document",
    [
        changed("paths", "/others", value={"get": {"responses": {"200": {}}}}),
        changed(*TAKEN, "required", value=[]),
        changed(*TAKEN, "properties", "name", "maxLength", value=128),
        changed(*TAKEN, "properties", "name", "maxLength"),
        with_member(TAKEN, "colour", {"type": "string", "enum": ["red"], "maxLength": 3}, required=["name"]),
        changed(*TAKEN, "properties", "more", value={"type": "string"}),
        changed(*TAKEN, "properties", "kind", "enum", value=["a", "b", "c"]),
        changed(*SAID, "properties", "more", value={"type": "string"}),
        changed(*CALL, "parameters", 0, "schema", "enum", value=["yes", "no", "perhaps"]),
    ],
)
def test_what_is_added_breaks_none(document):
    assert promise.broken(lines(DOCUMENT), lines(document)) == []


CHANNEL = {
    "channels": {"native": {"messages": {"subscribe": {"$ref": "#/a/subscribe"}, "pong": {"$ref": "#/a/pong"}}}},
    "operations": {
        "subscribe": {"action": "receive", "messages": [{"$ref": "#/channels/native/messages/subscribe"}]},
        "pong": {"action": "send", "messages": [{"$ref": "#/channels/native/messages/pong"}]},
    },
    "components": {
        "messages": {
            "subscribe": {
                "payload": {
                    "required": ["topics"],
                    "properties": {"topics": {"type": "array"}, "format": {"enum": ["columns", "tiles"]}},
                }
            },
            "pong": {
                "payload": {"required": ["at"], "properties": {"at": {"type": "string"}, "more": {"type": "null"}}}
            },
        },
        "schemas": {},
    },
    "x-close-codes": [{"code": 4001, "cause": "authentication", "message": "Authentication failed"}],
}
MESSAGES = ("components", "messages")


@pytest.mark.parametrize(
    ("document", "gone"),
    [
        (changed("channels", "native", "messages", "pong", of=CHANNEL), "message native pong"),
        (changed(*MESSAGES, "pong", "payload", "properties", "more", of=CHANNEL), "message native pong.more: null"),
        (changed(*MESSAGES, "pong", "payload", "required", of=CHANNEL), "message native pong.at: string always"),
        (
            changed(*MESSAGES, "subscribe", "payload", "required", value=["topics", "format"], of=CHANNEL),
            "message native subscribe without format",
        ),
        (
            changed(*MESSAGES, "subscribe", "payload", "properties", "format", "enum", value=["tiles"], of=CHANNEL),
            'message native subscribe.format = "columns"',
        ),
        (changed("x-close-codes", value=[], of=CHANNEL), "channel closes 4001 authentication"),
    ],
)
def test_a_change_of_the_channel_that_breaks_a_program_is_named(document, gone):
    assert gone in promise.broken(sorted(promise.channel(CHANNEL)), sorted(promise.channel(document)))


def command(*parameters, **others):
    """A program with one command."""
    return click.Group("sky", {"serve": click.Command("serve", params=list(parameters)), **others})


INI, ROLE = click.Argument(["ini"]), click.Option(["--role"], type=click.Choice(["api", "worker"]))


@pytest.mark.parametrize(
    ("program", "gone"),
    [
        (command(INI), "command sky serve --role"),
        (command(INI, click.Option(["--role"], type=click.Choice(["api"]))), "command sky serve --role = worker"),
        (command(INI, click.Option(["--role"], is_flag=True)), "command sky serve --role takes a value"),
        (command(INI, click.Option(["--role"], required=True)), "command sky serve without --role"),
        (command(INI, click.Argument(["day"]), ROLE), "command sky serve without argument 2"),
        (click.Group("sky", {"run": command(INI, ROLE).commands["serve"]}), "command sky serve"),
    ],
)
def test_a_change_of_the_command_line_that_breaks_a_script_is_named(program, gone):
    before = sorted(promise.commands(command(INI, ROLE), "sky"))
    assert gone in promise.broken(before, sorted(promise.commands(program, "sky")))


@dataclass(frozen=True, kw_only=True)
class Before(Settings):
    mode: Literal["open", "closed"] = setting("open", "who may enter")
    length_s: float = setting(1.0, "how long (s)", minimum=0, maximum=60)
    places: dict[str, str] = setting({}, "where", name="place.*")


@dataclass(frozen=True, kw_only=True)
class Renamed(Before):
    mode: Literal["open", "closed"] = setting("open", "who may enter", name="door")


@dataclass(frozen=True, kw_only=True)
class Fewer(Before):
    mode: Literal["open"] = setting("open", "who may enter")


@dataclass(frozen=True, kw_only=True)
class Shorter(Before):
    length_s: float = setting(1.0, "how long (s)", minimum=0, maximum=30)


@dataclass(frozen=True, kw_only=True)
class OfWords(Before):
    length_s: str = setting("1", "how long (s)")


@pytest.mark.parametrize(
    ("kind", "gone"),
    [
        (Renamed, "setting mode"),
        (Fewer, "setting mode = closed"),
        (Shorter, "setting length_s at most 60"),
        (OfWords, "setting length_s: float"),
    ],
)
def test_a_change_of_settings_that_breaks_an_installation_is_named(kind, gone):
    before, now = (sorted(promise.settings(names_of(one))) for one in (Before, kind))
    assert gone in promise.broken(before, now)


def test_a_code_and_a_permission_that_are_gone_are_named(monkeypatch):
    for others in ("channel", "commands", "settings"):
        monkeypatch.setattr(promise, others, lambda *of: [])
    before = promise.promises(DOCUMENT | {"paths": {}})
    kinds = {code: kind for code, kind in promise.KINDS.items() if code != "conflict"}
    kinds["not_found"] = replace(kinds["not_found"], status=410)
    monkeypatch.setattr(promise, "KINDS", kinds)
    monkeypatch.setattr(promise, "Permission", [one for one in Permission if one is not Permission.AIRCRAFT_VIEW])
    gone = promise.broken(before, promise.promises(DOCUMENT | {"paths": {}}))
    assert gone == ["error conflict 409", "error not_found 404", "permission aircraft.view"]


def test_the_service_keeps_what_is_promised(client):
    recorded = (ROOT / promise.RECORDED).read_text(encoding="utf-8").splitlines()
    assert len(recorded) > 5_000
    assert promise.broken(recorded, promise.promises(client.get("/api/v1/openapi.json").json)) == []


@pytest.mark.parametrize("document", ["openapi", "asyncapi"])
def test_both_documents_carry_the_version(client, document):
    assert client.get(f"/api/v1/{document}.json").json["info"]["version"] == version_of(ROOT)
