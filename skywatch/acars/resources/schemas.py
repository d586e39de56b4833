"""What goes into and comes out of ACARS messages, statistics and labels."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonObject,
    JsonString,
    Nullable,
    QueryNumber,
    QueryString,
    Schema,
    SearchText,
    Timestamp,
    node,
)

SOURCES = ("acars", "vdl2", "hfdl", "inmarsat", "iridium")
DIRECTIONS = ("downlink", "uplink")


def text_filter(description: str, longest: int, **kw: Any) -> colander.SchemaNode:
    """A filter by a short text; upper and lower case are the same."""
    return node(QueryString(), description, missing=None, validator=colander.Length(1, longest), **kw)


class MessageFilters(Schema):
    """The filters of messages."""

    icao_hex = node(IcaoAddress(), "ICAO address.", missing=None)
    registration = text_filter("Registration; needs aircraft.view_details.", 12)
    flight = text_filter("Flight number or callsign.", 8)
    label = text_filter("Label.", 2)
    source = node(QueryString(), "Network.", missing=None, validator=colander.OneOf(SOURCES))
    frequency = node(QueryNumber(), "Frequency (MHz), within 0.5 kHz.", missing=None)
    station = text_filter("Station that received it, the first one or another.", 64)
    direction = node(QueryString(), "Direction.", missing=None, validator=colander.OneOf(DIRECTIONS))
    kind = text_filter("Kind of decoded content.", 32)
    begin = node(Timestamp(), "Messages at or after this time.", name="from", missing=None)
    end = node(Timestamp(), "Messages before this time.", name="to", missing=None)
    q = node(
        SearchText(),
        'Words in the text or decoded title: words, "phrases", prefix*, -not, OR; needs acars.view_full.',
        missing=None,
    )


class AcarsFilters(MessageFilters, CursorQuery):
    """The filters of the list, and its pages."""


class ExportQuery(MessageFilters):
    """The filters of the list, and the format."""

    format = node(QueryString(), "Format.", missing="csv", validator=colander.OneOf(("csv", "jsonl")))


class DecodedMessage(Schema):
    """The decoded content of a message."""

    kind = node(JsonString(), "Kind of content.")
    title = node(Nullable(JsonString()), "One line for people; null without acars.view_full.")
    items = node(JsonList(), "Values; empty without acars.view_full.", node(JsonObject(), "`{name, label, value}`."))


class MessagePosition(Schema):
    """A position that a message names."""

    lat = node(JsonNumber(), "Latitude (degrees).")
    lon = node(JsonNumber(), "Longitude (degrees).")
    altitude_ft = node(Nullable(JsonInteger()), "Altitude.")


class ReceptionRecord(Schema):
    """One station's reception."""

    station = node(JsonString(), "Station.")
    at = node(JsonString(), "When.")
    level_db = node(Nullable(JsonNumber()), "Signal level (dB).")
    frequency_mhz = node(Nullable(JsonNumber()), "Frequency (MHz).")


class AcarsRecord(Schema):
    """An ACARS message."""

    id = node(JsonInteger(), "Identifier.")
    at = node(Timestamp(), "When it was sent.")
    received_at = node(Timestamp(), "When it arrived here.")
    source = node(JsonString(), "Network.", validator=colander.OneOf(SOURCES))
    station = node(JsonString(), "The first station that received it.")
    frequency_mhz = node(Nullable(JsonNumber()), "Frequency (MHz).")
    level_db = node(Nullable(JsonNumber()), "Signal level (dB).")
    icao_hex = node(Nullable(JsonString()), "ICAO address, upper case.")
    registration = node(Nullable(JsonString()), "Registration; null without aircraft.view_details.")
    flight = node(Nullable(JsonString()), "Flight number as the message has it.")
    callsign = node(Nullable(JsonString()), "Callsign of the flight it belongs to.")
    flight_id = node(Nullable(JsonInteger()), "The flight in history.")
    label = node(JsonString(), "Label.")
    label_name = node(Nullable(JsonString()), "Name of the label.")
    block_id = node(Nullable(JsonString()), "Block identifier.")
    message_number = node(Nullable(JsonString()), "Message number.")
    direction = node(Nullable(JsonString()), "downlink or uplink.")
    text = node(Nullable(JsonString(multiline=True)), "Text; null without acars.view_full.")
    incomplete = node(JsonBoolean(), "Parts of the text are missing.")
    decoded = node(
        Nullable(Schema.schema_type()), "The decoded content; null if no form fits.", *DecodedMessage().children
    )
    position = node(Nullable(Schema.schema_type()), "A position that it names, or null.", *MessagePosition().children)
    heard_by = node(JsonList(), "The stations that received it.", ReceptionRecord(name="reception"))
    repeats = node(JsonInteger(), "How often it came again within 120 s.")
    raw = node(Nullable(JsonObject()), "The envelope as received; null without acars.view_full and details.")


class AcarsList(PageLinks):
    messages = node(JsonList(), "Messages, the newest first.", AcarsRecord(name="message"))


class StatsQuery(Schema):
    begin = node(Timestamp(), "Messages since this time; 24 h by default.", name="from", missing=None)
    end = node(Timestamp(), "Messages before this time.", name="to", missing=None)


class AcarsStats(Schema):
    """Messages counted."""

    total = node(JsonInteger(), "Messages.")
    decoded = node(JsonInteger(), "Messages with a known form.")
    linked = node(JsonInteger(), "Messages whose aircraft is known by its address.")
    by_hour = node(JsonList(), "Messages by hour.", node(JsonObject(), "`{at, count}`."))
    by_label = node(JsonObject(), "Messages by label.")
    by_source = node(JsonObject(), "Messages by network.")
    by_station = node(JsonObject(), "Messages by station.")
    by_kind = node(JsonObject(), "Decoded messages by kind.")


class LabelRecord(Schema):
    """A label."""

    label = node(JsonString(), "Label.")
    name = node(Nullable(JsonString()), "Its name, where it has one.")
    count = node(JsonInteger(), "Messages of the last 24 hours.")


class LabelList(PageLinks):
    labels = node(JsonList(), "Labels that have a name, and those received.", LabelRecord(name="label"))
