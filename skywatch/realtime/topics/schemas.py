"""What the aircraft topics carry, and the snapshot of an event topic."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.aircraft.schemas import AircraftSequence
from skywatch.http.resources.schema import (
    JsonObject,
    Schema,
    boolean_node,
    integer_node,
    list_node,
    node,
    number_node,
    string_node,
)

NOW = "Time of the picture (unix seconds)."


def strings(description: str) -> colander.SchemaNode:
    """A list of texts."""
    return list_node(string_node(), description)


class RowList(colander.SchemaType):
    """Lists of values in the order of ``fields``."""

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """Any JSON value in each place."""
        return {"type": "array", "items": {"type": "array", "items": {}}}


class AircraftSnapshot(Schema):
    """All aircraft of the subscription: they replace the list."""

    aircraft = AircraftSequence()
    count = integer_node("How many there are.")
    now = number_node(NOW)


class AircraftUpdate(Schema):
    """What has changed since the tick before."""

    now = number_node(NOW)
    since = integer_node("The seq that this update builds upon.")
    aircraft = AircraftSequence(description="Aircraft that are new or have changed, complete.")
    removed = strings("Addresses that are gone, whether or not they were there.")


class AircraftColumns(Schema):
    """Aircraft as rows of values."""

    full = boolean_node("Whether the rows are everything, and replace what was there.")
    fields = strings("What the values of a row are; hex is the first.")
    rows = node(RowList(), "A row for each aircraft.")
    removed = strings("Addresses that are gone.")
    hidden = integer_node("How many aircraft the limit leaves out.")
    now = number_node(NOW)


class AircraftTile(AircraftColumns):
    """The aircraft of one tile."""

    tile = string_node("size:row:column.")


class PastEvent(Schema):
    """An event of a snapshot."""

    event = string_node("Its name.")
    data = node(JsonObject(), "Its data.")


class EventsSnapshot(Schema):
    """The latest events of a topic, the oldest first."""

    events = list_node(PastEvent(name="event"), "At most 100.")
    count = integer_node("How many there are.")
    now = number_node("Time of the service (unix seconds).")


LIVE_EVENTS: dict[str, type[Schema]] = {
    "aircraft:snapshot": AircraftSnapshot,
    "aircraft:update": AircraftUpdate,
    "aircraft:columns": AircraftColumns,
    "aircraft:tile": AircraftTile,
}
