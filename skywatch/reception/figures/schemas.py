"""The answer about the quality of a receiver."""

from __future__ import annotations

import colander

from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import (
    JsonNumber,
    QueryString,
    Schema,
    Timestamp,
    boolean_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    timestamp_node,
)

MAX_NAME = 80


class ReceiverName(Schema):
    """The name of a receiver in a path."""

    name = node(QueryString(), "Name of a receiver of the settings.", validator=colander.Length(1, MAX_NAME))


class RangeOfSector(Schema):
    """How far aircraft are received in one direction."""

    bearing = integer_node("Where the sector of 10 degrees begins (degrees true).")
    now_nm = nullable_node(JsonNumber(), "Greatest distance of the newest hour (nm); null without an aircraft.")
    p50_30d_nm = nullable_node(
        JsonNumber(), "Median of the greatest distances of the hours of 30 days (nm); hours without any are left out."
    )
    max_30d_nm = nullable_node(JsonNumber(), "Greatest distance of 30 days (nm).")


class SignalBin(Schema):
    """Signals of one strength."""

    dbfs = integer_node("Weakest signal of the bin, which is 1 dB wide (dBFS); the first bin has all weaker ones.")
    count = integer_node("Signals: the newest one of each aircraft, every ten seconds.")


class SignalQuality(Schema):
    """The signals of the newest hour."""

    histogram = list_node(SignalBin(name="bin"), "Signals by strength, in 50 bins from -50 dBFS.")
    strong_share = nullable_node(JsonNumber(), "Share of signals over -3 dBFS; null without signals.")
    weak_share = nullable_node(JsonNumber(), "Share of signals under -33 dBFS; null without signals.")


class QualityPoint(Schema):
    """A minute, or an hour."""

    at = timestamp_node("When it began.")
    messages_s = number_node("Messages a second.")
    positions_s = number_node("Positions a second.")
    aircraft = number_node("Aircraft received, on average.")
    max_range_nm = nullable_node(JsonNumber(), "Greatest distance (nm).")
    strong_share = nullable_node(JsonNumber(), "Share of signals over -3 dBFS.")
    duplicates_share = nullable_node(
        JsonNumber(), "Share of its messages that another feeder had sent within 50 ms before."
    )
    disputes_share = nullable_node(JsonNumber(), "Share of its positions that the picture refused.")


class ReceiverConnectionEntry(Schema):
    """A connection of the receiver."""

    since = timestamp_node("When it began.")
    until = nullable_node(Timestamp(), "When it ended, to the minute after a crash; null while it is open.")


class ReceptionQuality(Schema):
    """How well a receiver receives."""

    range = list_node(
        RangeOfSector(name="sector"),
        "The 36 sectors, from the feeder's own place or else the station's as others may know it.",
    )
    signal = SignalQuality()
    series = list_node(
        QualityPoint(name="point"),
        "In the order of time: by hour for 30 days, by minute in the last of them; what was not observed is missing.",
    )
    connections = list_node(
        ReceiverConnectionEntry(name="connection"), "Its connections of 30 days, the latest first and 100 at most."
    )


class DaySlot(Schema):
    """A span of the day."""

    at = timestamp_node("When it began.")
    messages_s = number_node("Messages a second of all receivers, on average.")
    aircraft = number_node("Aircraft with a position, on average.")


class ReceptionOfDay(Schema):
    """What all receivers received over the last day."""

    slot_s = integer_node("Length of a slot (s).")
    slots = list_node(DaySlot(name="slot"), "In the order of time; what was not observed is missing.")


class CoverageCell(Schema):
    """A cell, named by its south-west corner."""

    lat = number_node("Its south (degrees).")
    lon = number_node("Its west (degrees).")
    now = boolean_node("Whether aircraft were received there in the newest hour.")


class FeederCoverage(Schema):
    """Where a feeder receives aircraft, in cells."""

    cell_deg = number_node("Height and width of a cell: 0.5 degrees.")
    cells = list_node(CoverageCell(name="cell"), "Cells that the greatest range of 30 days reaches.")


def receiver_name(request: Request) -> str:
    """The name in the path of a request that ``ReceiverName`` has validated."""
    name: str = request.validated["path"]["name"]
    return name
