"""Validates the messages of a subscriber; a fault is one sentence."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

from skywatch.aircraft.schemas import FIELDS
from skywatch.realtime.topics.areas import Area, parse_area
from skywatch.realtime.topics.columns import DEFAULT_FIELDS, MAX_LIMIT, Form
from skywatch.realtime.topics.tile_grid import TileForm, parse_tiles
from skywatch.realtime.wire.frames import Point

MAX_TOPICS = 32
T = TypeVar("T", bound=msgspec.Struct)


class InvalidCommand(Exception):
    """A message that a rule refuses; ``code`` is a problem code, ``str()`` is for people.

    ``members`` are what else the error says.
    """

    def __init__(self, detail: str, code: str = "validation_failed", **members: Any) -> None:
        super().__init__(detail)
        self.code = code
        self.members = members


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    id: str | int | None = None


class _Subscribe(_Body, kw_only=True):
    topics: list[str]
    bbox: Any = None
    since: Any = None
    format: Literal["columns", "tiles"] | None = None
    fields: list[str] | None = None
    limit: int | None = None
    zoom: float | None = None
    tiles: list[str] | None = None


class Unsubscribe(_Body, kw_only=True):
    """Topics to unsubscribe from."""

    topics: list[str]


class Ping(_Body, kw_only=True):
    """A ping of the client; ``timestamp`` is ignored."""

    timestamp: Any = None


class Request(_Body, kw_only=True):
    """A request with one response."""

    method: Literal["snapshot"]
    topic: str
    bbox: Any = None


class Refresh(_Body, kw_only=True):
    """A new token for the same user."""

    auth: dict[str, Any]


class Subscribe:
    """Topics to subscribe to, with area, form and the point to resume from."""

    def __init__(self, body: dict[str, Any]) -> None:
        fields = convert(body, _Subscribe)
        if not 1 <= len(fields.topics) <= MAX_TOPICS:
            raise InvalidCommand(f"topics must name 1 to {MAX_TOPICS} topics.")
        self.topics = list(dict.fromkeys(fields.topics))
        self.area = area_of(fields.bbox)
        self.since = _points(fields.since, self.topics)
        self.form = _form(fields)


def _form(body: _Subscribe) -> Form | TileForm | None:
    """The columns or tiles that a message asks for; None for whole aircraft."""
    if body.format != "columns" and (body.fields is not None or body.limit is not None):
        raise InvalidCommand('fields and limit belong to the format "columns".')
    if body.format != "tiles" and (body.zoom is not None or body.tiles is not None):
        raise InvalidCommand('zoom and tiles belong to the format "tiles".')
    if body.format is None:
        return None
    if body.format == "tiles":
        return _tiles(body)
    named = DEFAULT_FIELDS if body.fields is None else tuple(dict.fromkeys(("hex", *body.fields)))
    unknown = [name for name in named if name != "flags" and name not in FIELDS]
    if unknown:
        raise InvalidCommand(f"{unknown[0][:32]} is not a field of an aircraft.")
    if body.limit is not None and not 1 <= body.limit <= MAX_LIMIT:
        raise InvalidCommand(f"limit must be 1 to {MAX_LIMIT}.")
    return Form(named, body.limit)


def _tiles(body: _Subscribe) -> TileForm:
    if body.bbox is not None:
        raise InvalidCommand('The format "tiles" has no bbox: its tiles are the area.')
    try:
        return parse_tiles(body.zoom, body.tiles)
    except ValueError as error:
        raise InvalidCommand(f"{error}.") from None


def convert(body: dict[str, Any], kind: type[T]) -> T:
    """The body as one of the above; raises InvalidCommand."""
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise InvalidCommand(f"{error}.") from None


def area_of(bbox: Any) -> Area | None:
    """The area a message names; raises InvalidCommand."""
    try:
        return parse_area(bbox)
    except ValueError as error:
        raise InvalidCommand(f"{error}.") from None


def _points(since: Any, topics: list[str]) -> dict[str, Point]:
    """``{epoch, seq}`` for all topics named, or such an object for each topic by its name."""
    if since is None:
        return {}
    if not isinstance(since, dict):
        raise InvalidCommand("since must be an object with epoch and seq.")
    try:
        if "epoch" in since or "seq" in since:
            point = msgspec.convert(since, Point)
            return dict.fromkeys(topics, point)
        return msgspec.convert(since, dict[str, Point])
    except msgspec.ValidationError:
        raise InvalidCommand("since must be an object with epoch (text) and seq (whole number).") from None
