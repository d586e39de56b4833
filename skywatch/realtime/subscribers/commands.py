"""Validates the messages of a subscriber; a fault is one sentence."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from skywatch.aircraft.schemas import FIELDS
from skywatch.realtime.topics.areas import Area, parse_area
from skywatch.realtime.topics.columns import DEFAULT_FIELDS, MAX_LIMIT, Form
from skywatch.realtime.topics.tile_grid import MAX_TILES, TileForm, parse_tiles
from skywatch.realtime.wire.answers import Error
from skywatch.realtime.wire.frames import Point
from skywatch.sentences import sentence

MAX_TOPICS = 32
T = TypeVar("T", bound=msgspec.Struct)


class InvalidCommand(Exception):
    """A message that a rule refuses; ``code`` is a problem code, ``str()`` is for people.

    ``retry_after_s`` is when to try again.
    """

    def __init__(self, detail: str, code: str = "validation_failed", retry_after_s: int | UnsetType = UNSET) -> None:
        super().__init__(detail)
        self.message = Error.of(code, detail, retry_after_s)


BOX = {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 4, "maxItems": 4}
POINT = {
    "type": "object",
    "properties": {"epoch": {"type": "string"}, "seq": {"type": "integer"}},
    "required": ["epoch", "seq"],
}
POINTS = {"anyOf": [{"type": "null"}, POINT, {"type": "object", "additionalProperties": POINT}]}
BOX_MEANING = "West, south, east and north (degrees)."


def _described(text: str, **schema: Any) -> Meta:
    return Meta(description=text, extra_json_schema=schema or None)


class ClientMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A message of a client."""

    id: Annotated[str | int | None, _described("Comes back in the answer.")] = None


class SubscribeMessage(ClientMessage, kw_only=True):
    """Topics to subscribe to. The last subscription of a topic replaces the one before."""

    topics: Annotated[list[str], _described("Topics.", minItems=1, maxItems=MAX_TOPICS)]
    bbox: Annotated[Any, _described(f"{BOX_MEANING} Aircraft topics only.", **BOX)] = None
    since: Annotated[
        Any, _described("The last event that came: of all topics of the message, or of each by its name.", **POINTS)
    ] = None
    format: Annotated[Literal["columns", "tiles"] | None, _described("Aircraft topics only; null: whole aircraft.")] = (
        None
    )
    fields: Annotated[list[str] | None, _described("Of columns: members of an aircraft, and flags.")] = None
    limit: Annotated[int | None, _described("Of columns: the most aircraft.", minimum=1, maximum=MAX_LIMIT)] = None
    zoom: Annotated[float | None, _described("Of tiles.", minimum=0, maximum=30)] = None
    tiles: Annotated[
        list[str] | None, _described("Of tiles: size:row:column of each.", minItems=1, maxItems=MAX_TILES)
    ] = None


class Unsubscribe(ClientMessage, kw_only=True):
    """Topics to unsubscribe from."""

    topics: list[str]


class Ping(ClientMessage, kw_only=True):
    """A ping of the client."""

    timestamp: Annotated[Any, _described("Ignored.")] = None


class Request(ClientMessage, kw_only=True):
    """A request with one response."""

    method: Literal["snapshot"]
    topic: str
    bbox: Annotated[Any, _described(f"{BOX_MEANING} Without it: that of the subscription.", **BOX)] = None


class Refresh(ClientMessage, kw_only=True):
    """A new token for the same user."""

    auth: Annotated[dict[str, Any], _described("The new token.", required=["token"])]


class Subscribe:
    """Topics to subscribe to, with area, form and the point to resume from."""

    def __init__(self, body: dict[str, Any]) -> None:
        fields = convert(body, SubscribeMessage)
        if not 1 <= len(fields.topics) <= MAX_TOPICS:
            raise InvalidCommand(sentence("realtime.topics", "topics must name 1 to {most} topics.", most=MAX_TOPICS))
        self.topics = list(dict.fromkeys(fields.topics))
        self.area = area_of(fields.bbox)
        self.since = _points(fields.since, self.topics)
        self.form = _form(fields)


def _form(body: SubscribeMessage) -> Form | TileForm | None:
    """The columns or tiles that a message asks for; None for whole aircraft."""
    if body.format != "columns" and (body.fields is not None or body.limit is not None):
        raise InvalidCommand(sentence("realtime.columns_only", 'fields and limit belong to the format "columns".'))
    if body.format != "tiles" and (body.zoom is not None or body.tiles is not None):
        raise InvalidCommand(sentence("realtime.tiles_only", 'zoom and tiles belong to the format "tiles".'))
    if body.format is None:
        return None
    if body.format == "tiles":
        return _tiles(body)
    named = DEFAULT_FIELDS if body.fields is None else tuple(dict.fromkeys(("hex", *body.fields)))
    unknown = [name for name in named if name != "flags" and name not in FIELDS]
    if unknown:
        raise InvalidCommand(
            sentence("realtime.unknown_field", "{name} is not a field of an aircraft.", name=unknown[0][:32])
        )
    if body.limit is not None and not 1 <= body.limit <= MAX_LIMIT:
        raise InvalidCommand(sentence("realtime.limit", "limit must be 1 to {most}.", most=MAX_LIMIT))
    return Form(named, body.limit)


def _tiles(body: SubscribeMessage) -> TileForm:
    if body.bbox is not None:
        raise InvalidCommand(
            sentence("realtime.tiles_no_bbox", 'The format "tiles" has no bbox: its tiles are the area.')
        )
    try:
        return parse_tiles(body.zoom, body.tiles)
    except ValueError as error:
        raise InvalidCommand(sentence("realtime.fault", "{error}.", error=error)) from None


def convert(body: dict[str, Any], kind: type[T]) -> T:
    """The body as one of the above; raises InvalidCommand."""
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise InvalidCommand(sentence("realtime.fault", "{error}.", error=error)) from None


def area_of(bbox: Any) -> Area | None:
    """The area a message names; raises InvalidCommand."""
    try:
        return parse_area(bbox)
    except ValueError as error:
        raise InvalidCommand(sentence("realtime.fault", "{error}.", error=error)) from None


def _points(since: Any, topics: list[str]) -> dict[str, Point]:
    """``{epoch, seq}`` for all topics named, or such an object for each topic by its name."""
    if since is None:
        return {}
    if not isinstance(since, dict):
        raise InvalidCommand(sentence("realtime.since", "since must be an object with epoch and seq."))
    try:
        if "epoch" in since or "seq" in since:
            point = msgspec.convert(since, Point)
            return dict.fromkeys(topics, point)
        return msgspec.convert(since, dict[str, Point])
    except msgspec.ValidationError:
        raise InvalidCommand(
            sentence("realtime.since_types", "since must be an object with epoch (text) and seq (whole number).")
        ) from None
