"""The answer about the quality of a receiver."""

from __future__ import annotations

import colander

from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    Nullable,
    QueryString,
    Schema,
    Timestamp,
    node,
)

MAX_NAME = 80


class ReceiverName(Schema):
    """The name of a receiver in a path."""

    name = node(QueryString(), "Name of a receiver of the settings.", validator=colander.Length(1, MAX_NAME))


class RangeOfSector(Schema):
    """How far aircraft are received in one direction."""

    bearing = node(JsonInteger(), "Where the sector of 10 degrees begins (degrees true).")
    now_nm = node(Nullable(JsonNumber()), "Greatest distance of the newest hour (nm); null without an aircraft.")
    p50_30d_nm = node(
        Nullable(JsonNumber()),
        "Median of the greatest distances of the hours of 30 days (nm); hours without any are left out.",
    )
    max_30d_nm = node(Nullable(JsonNumber()), "Greatest distance of 30 days (nm).")


class SignalBin(Schema):
    """Signals of one strength."""

    dbfs = node(
        JsonInteger(), "Weakest signal of the bin, which is 1 dB wide (dBFS); the first bin has all weaker ones."
    )
    count = node(JsonInteger(), "Signals: the newest one of each aircraft, every ten seconds.")


class SignalQuality(Schema):
    """The signals of the newest hour."""

    histogram = node(JsonList(), "Signals by strength, in 50 bins from -50 dBFS.", SignalBin(name="bin"))
    strong_share = node(Nullable(JsonNumber()), "Share of signals over -3 dBFS; null without signals.")
    weak_share = node(Nullable(JsonNumber()), "Share of signals under -33 dBFS; null without signals.")


class QualityPoint(Schema):
    """A minute, or an hour."""

    at = node(Timestamp(), "When it began.")
    messages_s = node(JsonNumber(), "Messages a second.")
    positions_s = node(JsonNumber(), "Positions a second.")
    aircraft = node(JsonNumber(), "Aircraft received, on average.")
    max_range_nm = node(Nullable(JsonNumber()), "Greatest distance (nm).")
    strong_share = node(Nullable(JsonNumber()), "Share of signals over -3 dBFS.")
    duplicates_share = node(
        Nullable(JsonNumber()), "Share of its messages that another feeder had sent within 50 ms before."
    )
    disputes_share = node(Nullable(JsonNumber()), "Share of its positions that the picture refused.")


class ReceiverConnectionEntry(Schema):
    """A connection of the receiver."""

    since = node(Timestamp(), "When it began.")
    until = node(Nullable(Timestamp()), "When it ended, to the minute after a crash; null while it is open.")


class ReceptionQuality(Schema):
    """How well a receiver receives."""

    range = node(
        JsonList(),
        "The 36 sectors, from the feeder's own place or else the station's as others may know it.",
        RangeOfSector(name="sector"),
    )
    signal = SignalQuality()
    series = node(
        JsonList(),
        "In the order of time: by hour for 30 days, by minute in the last of them; what was not observed is missing.",
        QualityPoint(name="point"),
    )
    connections = node(
        JsonList(),
        "Its connections of 30 days, the latest first and 100 at most.",
        ReceiverConnectionEntry(name="connection"),
    )


class CoverageCell(Schema):
    """A cell, named by its south-west corner."""

    lat = node(JsonNumber(), "Its south (degrees).")
    lon = node(JsonNumber(), "Its west (degrees).")
    now = node(JsonBoolean(), "Whether aircraft were received there in the newest hour.")


class FeederCoverage(Schema):
    """Where a feeder receives aircraft, in cells."""

    cell_deg = node(JsonNumber(), "Height and width of a cell: 0.5 degrees.")
    cells = node(JsonList(), "Cells that the greatest range of 30 days reaches.", CoverageCell(name="cell"))


def receiver_name(request: Request) -> str:
    """The name in the path of a request that ``ReceiverName`` has validated."""
    name: str = request.validated["path"]["name"]
    return name
