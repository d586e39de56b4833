"""Judges messages of the channel by its AsyncAPI document, as ``tests.contract`` does answers by that of REST."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema_rs

from skywatch.features import FEATURES
from skywatch.realtime.document import document
from skywatch.settings import load_with_origins
from tests.contract import ContractBroken

NATIVE, SOCKET_IO = "native", "socketio"


@cache
def asyncapi() -> dict[str, Any]:
    """The document of an installation with default settings; its objects have no other members than those named."""
    settings, _ = load_with_origins(FEATURES.settings(), {"secret": "x" * 40}, {})
    return document(FEATURES, "test", settings, closed=True)


@cache
def _named(protocol: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The messages of a protocol by their topic (empty where they have none) and name."""
    table = {}
    for key, message in asyncapi()["components"]["messages"].items():
        if key.partition(".")[0] == protocol:
            topic = message["payload"]["properties"].get("topic", {}).get("const", "")
            table[topic, message["name"]] = message["payload"]
    return table


@cache
def _validator(protocol: str, topic: str, name: str) -> jsonschema_rs.Draft202012Validator | None:
    payload = _named(protocol).get((topic, name))
    if payload is None:
        return None
    schemas = {"schemas": asyncapi()["components"]["schemas"]}
    return jsonschema_rs.Draft202012Validator({**payload, "components": schemas})


def judge(protocol: str, name: str, message: dict[str, Any]) -> None:
    """Raise ContractBroken where the document does not allow a message: in Socket.IO its data, in native all of it."""
    topic = message.get("topic", "") if "seq" in message and name != "response" else ""
    validator = _validator(protocol, topic, name)
    if validator is None:
        raise ContractBroken(f"{name} on topic {topic!r} is not in the AsyncAPI document: {json.dumps(message)[:300]}")
    faults = [f"{'/'.join(map(str, e.instance_path))}: {e.message[:200]}" for e in validator.iter_errors(message)]
    if faults:
        raise ContractBroken(f"{name} breaks its schema in the AsyncAPI document: " + "; ".join(faults[:5]))


def judge_native(message: dict[str, Any]) -> None:
    """The same for a message of the native protocol, whichever it is."""
    judge(NATIVE, message["event"] if message["type"] == "event" else message["type"], message)


def example(event: str, **members: Any) -> bytes:
    """Data that the document allows for an event, as plain as it may be, with some members of a test's own."""
    data = next(payload["properties"]["data"] for (_, name), payload in _named(NATIVE).items() if name == event)
    return json.dumps(_example(data) | members).encode()


def _example(schema: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(asyncapi()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return None if {"type": "null"} in schema["anyOf"] else _example(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        required = schema.get("required", ())
        return {name: _example(schema["properties"][name]) for name in required}
    plain: dict[Any, Any] = {
        "array": [],
        "string": "",
        "integer": schema.get("minimum", 1),
        "number": 0.0,
        "boolean": False,
    }
    return plain.get(kind)
