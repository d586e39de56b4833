"""JSON responses through msgspec; timestamps are ISO 8601 in UTC with ``Z``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.clock import to_iso

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
            request.response.content_type = "application/json"
            request.response.charset = None
        return encode(value)


def json_response(body: bytes, *, content_type: str = "application/json", status: int = 200) -> Response:
    """A response whose body is encoded already."""
    return Response(body=body, status=status, content_type=content_type, charset=None)


def includeme(config: Configurator) -> None:
    config.add_renderer("json", JsonRenderer())
    config.add_renderer(None, JsonRenderer())
