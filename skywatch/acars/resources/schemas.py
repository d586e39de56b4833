"""What goes into and comes out of ACARS messages, statistics and labels."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonInteger,
    JsonNumber,
    JsonObject,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryNumber,
    QueryString,
    Schema,
    SearchText,
    boolean_node,
    choice_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    string_node,
    timestamp_node,
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
    acknowledgements = node(QueryBoolean(), "Acknowledgements (label `_d`) only, or none of them.", missing=None)
    source = node(QueryString(), "Network.", missing=None, validator=colander.OneOf(SOURCES))
    frequency = node(QueryNumber(), "Frequency (MHz), within 0.5 kHz.", missing=None)
    station = text_filter("Station that received it, the first one or another.", 64)
    direction = node(QueryString(), "Direction.", missing=None, validator=colander.OneOf(DIRECTIONS))
    kind = text_filter("Kind of decoded content.", 32)
    begin = timestamp_node("Messages at or after this time.", name="from", missing=None)
    end = timestamp_node("Messages before this time.", name="to", missing=None)
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

    kind = string_node("Kind of content.")
    title = nullable_node(JsonString(), "One line for people; null without acars.view_full.")
    items = list_node(node(JsonObject(), "`{name, label, value}`."), "Values; empty without acars.view_full.")


class MessagePosition(Schema):
    """A position that a message names."""

    lat = number_node("Latitude (degrees).")
    lon = number_node("Longitude (degrees).")
    altitude_ft = nullable_node(JsonInteger(), "Altitude.")


class ReceptionRecord(Schema):
    """One station's reception."""

    station = string_node("Station.")
    at = string_node("When.")
    level_db = nullable_node(JsonNumber(), "Signal level (dB).")
    frequency_mhz = nullable_node(JsonNumber(), "Frequency (MHz).")


class AcarsRecord(Schema):
    """An ACARS message."""

    id = integer_node("Identifier.")
    at = timestamp_node("When it was sent.")
    received_at = timestamp_node("When it arrived here.")
    source = choice_node(SOURCES, "Network.")
    station = string_node("The first station that received it.")
    frequency_mhz = nullable_node(JsonNumber(), "Frequency (MHz).")
    level_db = nullable_node(JsonNumber(), "Signal level (dB).")
    icao_hex = nullable_node(JsonString(), "ICAO address, upper case.")
    registration = nullable_node(JsonString(), "Registration; null without aircraft.view_details.")
    flight = nullable_node(JsonString(), "Flight number as the message has it.")
    callsign = nullable_node(JsonString(), "Callsign of the flight it belongs to.")
    flight_id = nullable_node(JsonInteger(), "The flight in history.")
    label = string_node("Label.")
    label_name = nullable_node(JsonString(), "Name of the label.")
    block_id = nullable_node(JsonString(), "Block identifier.")
    message_number = nullable_node(JsonString(), "Message number.")
    direction = nullable_node(JsonString(), "downlink or uplink.")
    text = nullable_node(JsonString(multiline=True), "Text; null without acars.view_full.")
    incomplete = boolean_node("Parts of the text are missing.")
    decoded = node(
        Nullable(Schema.schema_type()), "The decoded content; null if no form fits.", *DecodedMessage().children
    )
    position = node(Nullable(Schema.schema_type()), "A position that it names, or null.", *MessagePosition().children)
    heard_by = list_node(ReceptionRecord(name="reception"), "The stations that received it.")
    repeats = integer_node("How often it came again within 120 s.")
    raw = nullable_node(JsonObject(), "The envelope as received; null without acars.view_full and details.")


class AcarsList(PageLinks):
    messages = list_node(AcarsRecord(name="message"), "Messages, the newest first.")


class StatsQuery(Schema):
    begin = timestamp_node("Messages since this time; 24 h by default.", name="from", missing=None)
    end = timestamp_node("Messages before this time.", name="to", missing=None)


class AcarsStats(Schema):
    """Messages counted."""

    total = integer_node("Messages.")
    decoded = integer_node("Messages with a known form.")
    linked = integer_node("Messages whose aircraft is known by its address.")
    by_hour = list_node(node(JsonObject(), "`{at, count}`."), "Messages by hour.")
    by_label = node(JsonObject(), "Messages by label.")
    by_source = node(JsonObject(), "Messages by network.")
    by_station = node(JsonObject(), "Messages by station.")
    by_kind = node(JsonObject(), "Decoded messages by kind.")


class LabelRecord(Schema):
    """A label."""

    label = string_node("Label.")
    name = nullable_node(JsonString(), "Its name, where it has one.")
    count = integer_node("Messages of the last 24 hours.")


class LabelList(PageLinks):
    labels = list_node(LabelRecord(name="label"), "Labels that have a name, and those received.")
