"""The AsyncAPI 3.1 document of the channel: what is sent and received, in both protocols.

It is made of the declarations that make the messages: the structs that commands are validated by and answers are
encoded from, the topics and events that features declare with the schemas of REST, the close codes, and the limits of
the installation. Source: https://www.asyncapi.com/docs/reference/specification/v3.1.0
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import colander
import msgspec

from skywatch.core.feature import FeatureSet
from skywatch.core.problems import KINDS
from skywatch.http.openapi.schemas import JsonSchema, SchemaWriter
from skywatch.realtime.settings import RealtimeSettings
from skywatch.realtime.subscribers.commands import Ping, Refresh, Request, SubscribeMessage, Unsubscribe
from skywatch.realtime.topics.schemas import LIVE_EVENTS, AircraftTile, EventsSnapshot
from skywatch.realtime.wire import answers, close_codes
from skywatch.realtime.wire.native import PACKED_SUBPROTOCOL, SUBPROTOCOL
from skywatch.settings import Settings

JSON, PACKED = "application/json", "application/msgpack"
COMMANDS: dict[str, tuple[type[msgspec.Struct], type[answers.ServerMessage]]] = {
    "subscribe": (SubscribeMessage, answers.Subscribed),
    "unsubscribe": (Unsubscribe, answers.Unsubscribed),
    "ping": (Ping, answers.Pong),
    "request": (Request, answers.Response),
    "refresh": (Refresh, answers.Refreshed),
}
# What the service says by itself.
NEWS = (answers.Connected, answers.ConnectError, answers.PictureState, answers.Reconnect, answers.Unsubscribed)
AUTH: JsonSchema = {
    "type": ["object", "null"],
    "properties": {"token": {"type": ["string", "null"], "description": "An access token or an API key."}},
    "description": "Left out by an anonymous client, and where the handshake had the credential.",
}
CONNECT: JsonSchema = {
    "type": "object",
    "properties": {"type": {"const": "connect"}, "auth": AUTH},
    "required": ["type"],
}
STAMP: dict[str, JsonSchema] = {
    "topic": {"type": "string"},
    "epoch": {"type": "string", "description": "Opaque; within one epoch seq grows by one."},
    "seq": {"type": "integer"},
}


@dataclass
class _Message:
    """One message: its key in the document, its name on the wire and the schema of what it says, in both protocols.

    ``members`` are those of the object, without type and stamp.
    """

    name: str
    title: str
    schema: JsonSchema
    topic: str = ""
    is_event: bool = False
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """A name that AsyncAPI allows; an event that two topics carry has a message for each."""
        if self.name in LIVE_EVENTS:
            return f"{self.topic}.{self.name.partition(':')[2]}"
        return self.name.replace(":", ".")


class _Writer:
    """Collects the schemas of a document."""

    def __init__(self, features: FeatureSet, *, closed: bool) -> None:
        self._closed = closed
        self._nodes = SchemaWriter(features, closed=closed)
        self._codes = sorted({*KINDS, *features.problems})
        self.schemas: dict[str, JsonSchema] = {}

    @property
    def components(self) -> dict[str, JsonSchema]:
        """All schemas by their names."""
        return dict(sorted((self._nodes.components | self.schemas).items()))

    def node(self, schema: type[colander.SchemaNode]) -> JsonSchema:
        """A reference to a schema of REST."""
        return self._nodes.write(schema(), request=False)

    def struct(self, kind: type[msgspec.Struct], name: str) -> JsonSchema:
        """The object of a struct, with the name on the wire as its type."""
        (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
        own = parts.pop(schema["$ref"].rpartition("/")[2])
        self.schemas.update({part: self._close(inner) for part, inner in parts.items()})
        own["properties"] = {"type": {"const": name}, **{k: v for k, v in own["properties"].items() if k != "type"}}
        own["required"] = ["type", *(member for member in own.get("required", ()) if member != "type")]
        if "code" in own["properties"] and name == "error":
            own["properties"]["code"] |= {"enum": self._codes}
        own.pop("title", None)
        return self._close(own)

    def _close(self, schema: JsonSchema) -> JsonSchema:
        return {**schema, "additionalProperties": False} if self._closed else schema


def document(features: FeatureSet, version: str, settings: Settings, *, closed: bool = False) -> JsonSchema:
    """The document of an installation, without its servers; ``closed`` is that of SchemaWriter."""
    writer = _Writer(features, closed=closed)
    commands = [_Message(name, _first(kind), writer.struct(kind, name)) for name, (kind, _) in COMMANDS.items()]
    said: list[type[answers.ServerMessage]] = [*(answer for _, answer in COMMANDS.values()), answers.Error, *NEWS]
    own = {
        answers.type_of(kind): _Message(answers.type_of(kind), _first(kind), writer.struct(kind, answers.type_of(kind)))
        for kind in said
    }
    events = list(_events(writer, features))
    received = [_Message("connect", "Log in, or come anonymously.", CONNECT), *commands]
    sent = [*own.values(), *events]
    both, schemas = [*received, *sent], writer.components
    channels = {
        "native": _channel(
            "native",
            "Native protocol",
            f"One object a frame: JSON in text frames ({SUBPROTOCOL}), or MessagePack in binary frames "
            f"({PACKED_SUBPROTOCOL}). The first message of a client is connect.",
            both,
        ),
        "socketio": _channel(
            "socketio",
            "Socket.IO",
            "The main namespace. The name of a message is that of the event, the payload its data; connect and "
            "connect_error are Socket.IO's own packets. An acknowledgement is the answer with its type.",
            both,
        ),
    }
    return {
        "asyncapi": "3.1.0",
        "info": {
            "title": "Skywatch real-time channel",
            "version": version,
            "description": "The live air picture and its events. Errors, limits and ends of connections are in "
            "`x-limits`, `x-close-codes` and the message `error`.",
            "license": {"name": "MIT", "url": "https://opensource.org/license/mit"},
        },
        "defaultContentType": JSON,
        "channels": channels,
        "operations": {
            f"{protocol}.{name}": operation
            for protocol in channels
            for name, operation in _operations(protocol, received, sent).items()
        },
        "components": {
            "messages": {
                **{f"native.{m.key}": _native_message(m) for m in both},
                **{f"socketio.{m.key}": _socketio_message(m, schemas) for m in both},
            },
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                           "description": "An access token, in the handshake or as auth.token of connect."},
                "api_key": {"type": "httpApiKey", "in": "header", "name": "X-API-Key",
                            "description": "An API key, in the handshake or as auth.token of connect."},
                "cookie": {"type": "httpApiKey", "in": "cookie", "name": "skywatch_access",
                           "description": "The access token of a page of this service, with jwt_auth_cookie."},
            },
        },
        "x-close-codes": _close_codes(),
        "x-limits": _limits(settings.of(RealtimeSettings)),
    }  # fmt: skip


def _first(kind: type) -> str:
    return (kind.__doc__ or "").partition("\n")[0]


def servers(address: str, path: str) -> JsonSchema:
    """The servers of an installation whose channel is at ``address`` (``wss://host:port/prefix``; empty: unknown).

    ``path`` is that of the native protocol.
    """
    parts = urlsplit(address or "ws://localhost")
    security = [{"$ref": f"#/components/securitySchemes/{name}"} for name in ("bearer", "api_key", "cookie")]

    def server(path: str, description: str) -> JsonSchema:
        place = {"host": parts.netloc, "pathname": f"{parts.path}{path}", "protocol": parts.scheme}
        return {**place, "description": description, "security": security}

    return {
        "native": server(path, f"Subprotocols {SUBPROTOCOL} (JSON) and {PACKED_SUBPROTOCOL} (MessagePack)."),
        "socketio": server("/socket.io/", "Socket.IO 5 over Engine.IO 4: by WebSocket, or by HTTP long polling."),
    }


def _events(writer: _Writer, features: FeatureSet) -> Iterator[_Message]:
    for topic in features.topics.values():
        permission: dict[str, Any] = {"x-permission": topic.permission}
        if topic.live:
            for name, schema in LIVE_EVENTS.items():
                extra = permission | ({"x-native-messagepack-only": True} if schema is AircraftTile else {})
                yield _Message(name, _first(schema), writer.node(schema), topic.name, is_event=True, extra=extra)
        else:
            snapshot = writer.node(EventsSnapshot)
            title = _first(EventsSnapshot)
            yield _Message(f"{topic.name}:snapshot", title, snapshot, topic.name, is_event=True, extra=permission)
        for event in features.events.values():
            if event.topic == topic.name:
                content = event.content() if event.content is not None else None
                data = writer.node(content) if content is not None else {"type": "object"}
                extra = permission | ({"x-needs": list(event.needs)} if event.needs else {})
                title = _first(content) if content is not None else event.name
                yield _Message(event.name, title, data, topic.name, is_event=True, extra=extra)


def _native_message(message: _Message) -> JsonSchema:
    payload = message.schema
    if message.is_event:
        members = {
            "type": {"const": "event"},
            "topic": {"const": message.topic},
            "event": {"const": message.name},
            "epoch": STAMP["epoch"],
            "seq": STAMP["seq"],
            "data": message.schema,
        }
        payload = {"type": "object", "properties": members, "required": list(members)}
    return {"name": message.name, "title": message.title, "payload": payload, **message.extra}


def _socketio_message(message: _Message, schemas: dict[str, JsonSchema]) -> JsonSchema:
    """The data of the event of this name."""
    schema = message.schema
    if message.is_event:
        # The stamp stands among the members of the data.
        name = schema["$ref"].rpartition("/")[2] if "$ref" in schema else ""
        inner = schemas.get(name, {"type": "object", "properties": {}})
        stamp = STAMP | {"topic": {"const": message.topic}}
        payload = {
            **inner,
            "properties": inner.get("properties", {}) | stamp,
            "required": [*inner.get("required", ()), *stamp],
        }
    else:
        payload = {
            **schema,
            "properties": {name: member for name, member in schema["properties"].items() if name != "type"},
            "required": [name for name in schema["required"] if name != "type"],
        }
    return {"name": message.name, "title": message.title, "payload": payload, **message.extra}


def _reference(protocol: str, message: _Message) -> JsonSchema:
    return {"$ref": f"#/channels/{protocol}/messages/{message.key}"}


def _channel(protocol: str, title: str, description: str, messages: list[_Message]) -> JsonSchema:
    return {
        "address": "/",
        "title": title,
        "description": description,
        "servers": [{"$ref": f"#/servers/{protocol}"}],
        "messages": {m.key: {"$ref": f"#/components/messages/{protocol}.{m.key}"} for m in messages},
    }


def _operations(protocol: str, received: list[_Message], sent: list[_Message]) -> JsonSchema:
    channel = {"$ref": f"#/channels/{protocol}"}
    operations: dict[str, Any] = {}
    for message in received:
        replies: tuple[type[answers.ServerMessage], ...] = (answers.Connected, answers.ConnectError)
        if message.name in COMMANDS:
            replies = (COMMANDS[message.name][1], answers.Error)
        names = {answers.type_of(reply) for reply in replies}
        operations[message.key] = {
            "action": "receive",
            "channel": channel,
            "summary": message.title,
            "messages": [_reference(protocol, message)],
            "reply": {"channel": channel, "messages": [_reference(protocol, m) for m in sent if m.name in names]},
        }
    for message in sent:
        if message.is_event or message.name in {answers.type_of(kind) for kind in NEWS}:
            operations[f"send.{message.key}"] = {
                "action": "send",
                "channel": channel,
                "summary": message.title,
                "messages": [_reference(protocol, message)],
            }
    return operations


def _close_codes() -> list[JsonSchema]:
    """Each close code that is sent, with its causes as the metric counts them."""
    reasons = [reason for reason in vars(close_codes).values() if isinstance(reason, close_codes.CloseReason)]
    return [
        {"code": reason.code, "message": reason.message, "cause": str(reason.cause)}
        for reason in sorted(reasons, key=lambda r: (r.code, r.cause))
        if reason.code != close_codes.ABNORMAL and reason.message
    ]


def _limits(settings: RealtimeSettings) -> JsonSchema:
    return {
        name: getattr(settings, name)
        for name in (
            "realtime_max_connections",
            "realtime_connections_per_address",
            "realtime_connections_per_user",
            "realtime_messages_per_s",
            "realtime_snapshots_per_s",
            "realtime_max_message_bytes",
            "realtime_queue_events",
            "realtime_queue_bytes",
            "realtime_heartbeat_s",
        )
    }
