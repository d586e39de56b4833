"""What the aircraft topics carry, and the snapshot of an event topic."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.aircraft.schemas import AircraftSequence
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonObject,
    JsonString,
    Schema,
    node,
)

NOW = "Time of the picture (unix seconds)."


def strings(description: str) -> colander.SchemaNode:
    """A list of texts."""
    return node(JsonList(), description, colander.SchemaNode(JsonString()))


class RowList(colander.SchemaType):
    """Lists of values in the order of ``fields``."""

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """Any JSON value in each place."""
        return {"type": "array", "items": {"type": "array", "items": {}}}


class AircraftSnapshot(Schema):
    """All aircraft of the subscription: they replace the list."""

    aircraft = AircraftSequence()
    count = node(JsonInteger(), "How many there are.")
    now = node(JsonNumber(), NOW)


class AircraftUpdate(Schema):
    """What has changed since the tick before."""

    now = node(JsonNumber(), NOW)
    since = node(JsonInteger(), "The seq that this update builds upon.")
    aircraft = AircraftSequence(description="Aircraft that are new or have changed, complete.")
    removed = strings("Addresses that are gone, whether or not they were there.")


class AircraftColumns(Schema):
    """Aircraft as rows of values."""

    full = node(JsonBoolean(), "Whether the rows are everything, and replace what was there.")
    fields = strings("What the values of a row are; hex is the first.")
    rows = node(RowList(), "A row for each aircraft.")
    removed = strings("Addresses that are gone.")
    hidden = node(JsonInteger(), "How many aircraft the limit leaves out.")
    now = node(JsonNumber(), NOW)


class AircraftTile(AircraftColumns):
    """The aircraft of one tile."""

    tile = node(JsonString(), "size:row:column.")


class PastEvent(Schema):
    """An event of a snapshot."""

    event = node(JsonString(), "Its name.")
    data = node(JsonObject(), "Its data.")


class EventsSnapshot(Schema):
    """The latest events of a topic, the oldest first."""

    events = node(JsonList(), "At most 100.", PastEvent(name="event"))
    count = node(JsonInteger(), "How many there are.")
    now = node(JsonNumber(), "Time of the service (unix seconds).")


LIVE_EVENTS: dict[str, type[Schema]] = {
    "aircraft:snapshot": AircraftSnapshot,
    "aircraft:update": AircraftUpdate,
    "aircraft:columns": AircraftColumns,
    "aircraft:tile": AircraftTile,
}
