"""What goes into and comes out of the calls of overflights and their reports."""

from __future__ import annotations

from typing import Any

import colander
import msgspec

from skywatch.alerts.rules.schemas import MAX_CHANNELS, ChannelIds
from skywatch.alerts.types import Geometry, name_node
from skywatch.core.polygons.band import HIGHEST_FT
from skywatch.history.analysis.schemas import OF_SIMULATED
from skywatch.history.nodes import SpanQuery, optional
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.ids import MAX_ID, RowId
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonNumber,
    JsonSequence,
    JsonString,
    QueryBox,
    QueryInteger,
    QueryNumber,
    QueryString,
    Schema,
    boolean_node,
    choice_node,
    integer_node,
    node,
    nullable_node,
    number_node,
    string_node,
    timestamp_node,
)

DEFAULT_BELOW_FT = 10_000
LOWEST_GROUND_FT, HIGHEST_GROUND_FT = -2_000, 30_000
FORMATS = ("json", "csv", "pdf")
PERIODS = ("day", "week", "month")
OVER = ("sea", "ground")


def _over(meaning: str, **kw: Any) -> colander.SchemaNode:
    return node(JsonString(), meaning, validator=colander.OneOf(OVER), **kw)


class FormatQuery(Schema):
    format = node(QueryString(), "`json`, or a file: `csv`, `pdf`.", missing="json", validator=colander.OneOf(FORMATS))


class OverflightQuery(PageQuery, SpanQuery, FormatQuery):
    geofence = optional(QueryInteger(), "Id of a geofence of the caller's.", validator=colander.Range(1, MAX_ID))
    bbox = optional(QueryBox(), "`west,south,east,north` instead; west > east crosses the date line.")
    below_ft = node(
        QueryNumber(),
        "Height below which a flight counts (ft).",
        missing=DEFAULT_BELOW_FT,
        validator=colander.Range(1, HIGHEST_FT),
    )
    over = node(
        QueryString(),
        "What heights are over: the `sea`, or the `ground`.",
        missing="sea",
        validator=colander.OneOf(OVER),
    )
    elevation_ft = optional(
        QueryNumber(),
        "Elevation of the ground with `over=ground`; else that of the geofence, else of the nearest airport (ft).",
        validator=colander.Range(LOWEST_GROUND_FT, HIGHEST_GROUND_FT),
    )


class OverflightRecord(Schema):
    """A flight that entered the area."""

    flight_id = integer_node("Id of the flight in history.")
    icao_hex = string_node("ICAO address.")
    callsign = nullable_node(JsonString(), "Callsign.")
    registration = nullable_node(JsonString(), "Registration; null without `aircraft.view_details`.")
    type = nullable_node(JsonString(), "ICAO type designator.")
    entered_at = timestamp_node("When it entered the area below the height first.")
    left_at = timestamp_node("When it left it last.")
    lowest_ft = number_node("Its lowest height there (ft).")
    closest_nm = number_node("Its nearest distance to the middle of the area (nm).")
    at_night = boolean_node("It entered in the night of the station.")


class OverflightSequence(JsonSequence):
    overflight = OverflightRecord()


class HourCounts(JsonSequence):
    """Flights by the hour of the day, from 0 to 23."""

    flights = integer_node()


class DayRecord(Schema):
    """A day of the station."""

    day = string_node("The day.")
    flights = integer_node("Flights that entered.")
    night = integer_node("Those of them in the night.")


class DaySequence(JsonSequence):
    day = DayRecord()


class TypeRecord(Schema):
    """A type of aircraft."""

    type = nullable_node(JsonString(), "ICAO type designator; null where it is unknown.")
    flights = integer_node("Flights.")


class TypeSequence(JsonSequence):
    type = TypeRecord()


class AreaRecord(Schema):
    """The area."""

    geofence = nullable_node(JsonInteger(), "Id of the geofence.")
    name = nullable_node(JsonString(), "Name of the geofence.")
    lat = number_node("Latitude of its middle (degrees).")
    lon = number_node("Longitude of its middle (degrees).")
    geometry = node(Geometry(), "GeoJSON.")


class Summary(Schema):
    """The flights over an area, counted."""

    by_hour = HourCounts(description="Flights by the hour of the station at which they entered, from 0 to 23.")
    by_day = DaySequence(description="By day of the station, in order.")
    by_type = TypeSequence(description="By type, the most frequent first.")
    night_share = nullable_node(JsonNumber(), "Share of the flights in the night, 0 to 1; null where there is none.")
    area = AreaRecord()
    begin = timestamp_node("Begin of the span.", name="from")
    end = timestamp_node("End of the span.", name="to")
    timezone = string_node("The time zone of the station.")
    below_ft = number_node("The height (ft).")
    over = choice_node(OVER, "What heights are over.")
    elevation_ft = nullable_node(JsonNumber(), "Elevation of the ground, where heights are over the ground (ft).")
    simulated = boolean_node(OF_SIMULATED)


class Overflights(PageLinks, Summary):
    """The flights over an area, the newest first; counts and shares are of all pages."""

    flights = OverflightSequence()


class ReportFields(Fields):
    """A report to create."""

    name: str
    geofence: int
    below_ft: int
    every: str
    over: str = "sea"
    channels: list[int] = msgspec.field(default_factory=list)


class ReportChangeFields(Fields):
    """The members of a report to change."""

    name: str | UnsetType = UNSET
    geofence: int | UnsetType = UNSET
    below_ft: int | UnsetType = UNSET
    every: str | UnsetType = UNSET
    over: str | UnsetType = UNSET
    channels: list[int] | UnsetType = UNSET


def _channels(missing: Any) -> colander.SchemaNode:
    return ChannelIds(
        name="channels",
        missing=missing,
        validator=colander.Length(max=MAX_CHANNELS),
        description="Ids of the channels that get its editions.",
    )


def _report_nodes(**missing: Any) -> list[colander.SchemaNode]:
    return [
        name_node(name="name", **missing),
        integer_node(
            "Id of a geofence of the caller's.", name="geofence", validator=colander.Range(1, MAX_ID), **missing
        ),
        integer_node(
            "Height below which a flight counts (ft).",
            name="below_ft",
            validator=colander.Range(1, HIGHEST_FT),
            **missing,
        ),
        choice_node(PERIODS, "How often it is made; weeks begin on Monday.", name="every", **missing),
    ]


class NewReport(Schema):
    """A report to create."""

    struct = ReportFields

    name, geofence, below_ft, every = _report_nodes()
    over = _over("What heights are over: the `sea`, or the `ground`.", missing="sea")
    channels = _channels([])


class ReportChange(Schema):
    """The members of a report to change."""

    struct = ReportChangeFields

    name, geofence, below_ft, every = _report_nodes(missing=colander.drop)
    over = _over("What heights are over.", missing=colander.drop)
    channels = _channels(colander.drop)


class ReportRecord(Schema):
    """A report."""

    id = integer_node()
    name = string_node()
    geofence = integer_node("Id of the geofence.")
    below_ft = integer_node("Height below which a flight counts (ft).")
    over = choice_node(OVER, "What heights are over.")
    every = choice_node(PERIODS, "How often it is made.")
    channels = ChannelIds(description="Ids of the channels that get its editions.")
    next_at = timestamp_node("When the next edition is due.")
    created_at = timestamp_node()
    updated_at = timestamp_node()


class ReportSequence(JsonSequence):
    report = ReportRecord()


class ReportList(PageLinks):
    """A page of the caller's reports."""

    reports = ReportSequence()


class EditionRecord(Schema):
    """An edition of a report."""

    id = integer_node()
    begin = timestamp_node("Begin of its span.", name="from")
    end = timestamp_node("End of its span.", name="to")
    made_at = timestamp_node("When it was made.")
    count = integer_node("Flights.")
    night_share = nullable_node(JsonNumber(), "Share of the flights in the night, 0 to 1; null where there is none.")


class EditionSequence(JsonSequence):
    edition = EditionRecord()


class EditionList(PageLinks):
    """A page of editions, the newest first."""

    editions = EditionSequence()


class EditionPath(RowId):
    edition = node(QueryInteger(), "Id of the edition.", validator=colander.Range(1, MAX_ID))


class EditionQuery(PageQuery, FormatQuery):
    """The form in which an edition is answered."""
