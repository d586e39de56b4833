"""JSON responses through msgspec; timestamps are ISO 8601 in UTC with ``Z``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.clock import to_iso
from skywatch.sentences import Sentence

# Types that msgspec encodes as they are; converting each value would take longer than encoding.
_PLAIN = frozenset((str, int, float, bool, type(None)))


def to_builtins(value: Any) -> Any:
    """A value with its timestamps as texts, for JSON columns and for ``encode``."""
    # msgspec encodes datetimes with their own offset and microseconds; ours end in Z.
    if isinstance(value, dict):
        others = [key for key, item in value.items() if type(item) not in _PLAIN]
        return {**value, **{key: to_builtins(value[key]) for key in others}} if others else value
    if isinstance(value, datetime):
        return to_iso(value)
    if isinstance(value, Sentence):
        return value.text
    if isinstance(value, list | tuple | set | frozenset):
        return [item if type(item) in _PLAIN else to_builtins(item) for item in value]
    return value


def encode(value: Any) -> bytes:
    """A Python value as JSON bytes; NaN becomes null."""
    return msgspec.json.encode(to_builtins(value))


class JsonRenderer:
    """The renderer named ``json`` that every service uses."""

    def __call__(self, info: Any) -> Any:
        return self.render

    def render(self, value: Any, system: dict[str, Any]) -> bytes:
        request = system.get("request")
        if request is not None:
            if request.response.status_code == 204:
                request.response.content_type = None
                return b""
            response = request.response
            # The list is made here: WebOb takes its parameters apart and goes through it several times.
            others = [header for header in response.headerlist if header[0].lower() != "content-type"]
            response.headerlist = [*others, ("Content-Type", "application/json")]
        return encode(value)


def json_response(body: bytes, *, content_type: str = "application/json", status: int = 200) -> Response:
    """A response whose body is encoded already."""
    # The list is made here: WebOb would take the type apart and go through the list for each header.
    headers = [("Content-Type", content_type), ("Content-Length", str(len(body)))]
    return Response(app_iter=[body], status=status, headerlist=headers)


def includeme(config: Configurator) -> None:
    config.add_renderer("json", JsonRenderer())
    config.add_renderer(None, JsonRenderer())
