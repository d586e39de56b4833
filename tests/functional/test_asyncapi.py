"""The AsyncAPI document is open, complete, and says the same as the manual."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from skywatch.features import FEATURES
from skywatch.realtime.document import COMMANDS
from skywatch.realtime.wire.close_codes import ABNORMAL
from tests.asyncapi import asyncapi, judge, judge_native
from tests.contract import ContractBroken

MANUAL = (Path(__file__).parents[2] / "docs/realtime.md").read_text(encoding="utf-8")
# What is no event of a topic.
OWN = {"connect", "connected", "connect_error", "error", "picture", "reconnect"}


@pytest.fixture
def document(client):
    return client.get("/api/v1/asyncapi.json").json


@pytest.mark.deep("costs over a processor second")
def test_it_is_the_same_as_json_and_yaml_and_is_not_sent_twice(client):
    answer = client.get("/api/v1/asyncapi.yaml")
    assert yaml.safe_load(answer.text) == client.get("/api/v1/asyncapi.json").json
    assert answer.content_type == "application/yaml"
    again = client.get("/api/v1/asyncapi.yaml", headers={"If-None-Match": answer.headers["ETag"]}, status=304)
    assert again.body == b""


def test_it_is_open_in_private_mode(make_client):
    client = make_client(auth_mode="private")
    assert client.get("/api/v1/asyncapi.json").json["asyncapi"] == "3.1.0"


@pytest.mark.parametrize(
    ("settings", "host", "native", "protocol"),
    [
        ({}, "localhost:6544", "/ws", "ws"),
        ({"base_url": "https://sky.example"}, "sky.example", "/ws", "wss"),
        ({"realtime_url": "wss://live.example/sky", "realtime_path": "/feed"}, "live.example", "/sky/feed", "wss"),
    ],
)
def test_servers_are_where_the_channel_is(make_client, settings, host, native, protocol):
    servers = make_client(**settings).get("/api/v1/asyncapi.json").json["servers"]
    assert {(server["host"], server["protocol"]) for server in servers.values()} == {(host, protocol)}
    assert servers["native"]["pathname"] == native
    assert servers["socketio"]["pathname"] == native.rpartition("/")[0] + "/socket.io/"


def test_limits_are_those_of_the_installation(make_client):
    client = make_client(realtime_messages_per_s="7")
    assert client.get("/api/v1/asyncapi.json").json["x-limits"]["realtime_messages_per_s"] == 7


def names_of(document, protocol):
    messages = document["components"]["messages"]
    return {message["name"] for key, message in messages.items() if key.partition(".")[0] == protocol}


@pytest.mark.parametrize("protocol", ["native", "socketio"])
def test_every_message_is_in_it_and_in_the_manual(document, protocol):
    live = {"aircraft:snapshot", "aircraft:update", "aircraft:columns", "aircraft:tile"}
    snapshots = {f"{topic.name}:snapshot" for topic in FEATURES.topics.values() if not topic.live}
    answers = {"subscribed", "unsubscribed", "pong", "response", "refreshed"}
    assert names_of(document, protocol) == OWN | {*COMMANDS} | answers | {*FEATURES.events} | live | snapshots
    in_manual = set(re.findall(r"`(\w+(?::\w+)?)(?: \{[^`]*\})?`", MANUAL)) | set(
        re.findall(r'"type": "(\w+)"', MANUAL)
    )
    assert names_of(document, protocol) - snapshots <= in_manual | {"connect_error"}


def test_commands_of_the_manual_have_the_members_of_the_document(document):
    rows = re.findall(r"^\| `(\w+)(?: \{([^`]*)\})?` \| `(\w+) \{", MANUAL, re.MULTILINE)
    assert {name for name, _, _ in rows} == {*COMMANDS}
    for name, members, answer in rows:
        operation = document["operations"][f"native.{name}"]
        assert f"#/channels/native/messages/{answer}" in {m["$ref"] for m in operation["reply"]["messages"]}
        payload = document["components"]["messages"][f"native.{name}"]["payload"]
        named = {member.split(":")[0].strip(" ?{}") for member in members.split(",") if member.strip()}
        # Each message may carry an id.
        assert named | {"id", "type"} == set(payload["properties"]) - ({"timestamp"} if name == "ping" else set())


def test_close_codes_are_those_of_the_manual(document):
    rows = {
        int(code)
        for cell in re.findall(r"^\| ([0-9]{4}(?:, [0-9]{4})*) \|", MANUAL, re.MULTILINE)
        for code in cell.split(",")
    }
    sent = {row["code"] for row in document["x-close-codes"]}
    assert ABNORMAL not in sent
    # 1007 and 1009 are Autobahn's own.
    assert sent == rows - {1007, 1009}


def test_every_reference_leads_somewhere(document):
    def walk(value):
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for inner in value.values():
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    found = set(walk(document))
    assert len(found) > 100
    for reference in found:
        at = document
        for part in reference.removeprefix("#/").split("/"):
            at = at[part]


def test_events_have_the_schemas_of_rest(document):
    data = {
        message["name"]: message["payload"]["properties"]["data"]
        for key, message in document["components"]["messages"].items()
        if key.startswith("native.")
        and "data" in message["payload"]["properties"]
        and "event" in message["payload"]["properties"]
    }
    assert data["alert:triggered"] == {"$ref": "#/components/schemas/AlertHistoryRecord"}
    assert data["acars:message"] == {"$ref": "#/components/schemas/AcarsRecord"}
    assert all(set(schema) == {"$ref"} for name, schema in data.items() if name in FEATURES.events)


@pytest.mark.parametrize(
    "message",
    [
        {"type": "pong"},
        {"type": "pong", "timestamp": "now", "extra": 1},
        {"type": "pang", "timestamp": "now"},
        {"type": "error", "code": "no_code_of_ours", "detail": "x"},
        {"type": "event", "topic": "safety", "event": "acars:message", "epoch": "a", "seq": 1, "data": {}},
        {"type": "event", "topic": "aircraft", "event": "aircraft:update", "epoch": "a", "seq": 1, "data": {"now": 1}},
    ],
)
def test_messages_that_it_does_not_allow_break_a_test(message):
    with pytest.raises(ContractBroken):
        judge_native(message)


def test_the_data_of_socket_io_has_the_stamp_among_its_members():
    update = {"now": 1.0, "since": 1, "aircraft": [], "removed": []}
    stamp = {"topic": "aircraft", "epoch": "a", "seq": 2}
    judge("socketio", "aircraft:update", update | stamp)
    with pytest.raises(ContractBroken):
        judge("socketio", "aircraft:update", update | {"topic": "aircraft", "seq": 2})
    assert "type" not in asyncapi()["components"]["messages"]["socketio.subscribed"]["payload"]["properties"]
