"""What goes into and comes out of statistics, heat map and coverage."""

from __future__ import annotations

import colander

from skywatch.history.nodes import SpanQuery, optional
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonString,
    Nullable,
    QueryBox,
    QueryNumber,
    Schema,
    Timestamp,
    node,
)

MAX_ANALYSIS_DAYS = 31
MAX_HOTSPOT_DAYS = 366
SAMPLED = "Of so many slices of ten minutes one was evaluated; 1: all of them."


class DailyChange(Schema):
    """The change against the span of the same length before, in percent; null where there was nothing."""

    flights = node(Nullable(JsonNumber()), "Flights.")
    aircraft = node(Nullable(JsonNumber()), "Different aircraft.")
    positions = node(Nullable(JsonNumber()), "Positions.")


class DayStatistics(Schema):
    """One day (UTC)."""

    date = node(JsonString(), "The day.")
    flights = node(JsonInteger(), "Flights that began on it.")
    aircraft = node(JsonInteger(), "Different aircraft.")
    positions = node(JsonInteger(), "Positions received of these flights.")


class TypeCount(Schema):
    type = node(JsonString(), "ICAO type designator.")
    flights = node(JsonInteger(), "Flights.")


class OperatorCount(Schema):
    operator = node(JsonString(), "The first three letters of callsigns.")
    flights = node(JsonInteger(), "Flights.")


class AircraftCount(Schema):
    icao_hex = node(JsonString(), "ICAO address.")
    flights = node(JsonInteger(), "Flights.")


class HistoryStatistics(Schema):
    """Counts and trends of a span."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    flights = node(JsonInteger(), "Flights.")
    aircraft = node(JsonInteger(), "Different aircraft.")
    positions = node(JsonInteger(), "Positions received.")
    messages = node(JsonInteger(), "Messages received.")
    military_flights = node(JsonInteger(), "Flights of military aircraft.")
    emergency_flights = node(JsonInteger(), "Flights with an emergency.")
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest from the station.")
    max_altitude_ft = node(Nullable(JsonInteger()), "Highest.")
    max_speed_kt = node(Nullable(JsonNumber()), "Fastest over ground.")
    change = DailyChange()
    days = colander.SchemaNode(JsonList(), DayStatistics(name="day"))
    top_types = colander.SchemaNode(JsonList(), TypeCount(name="type"))
    top_operators = colander.SchemaNode(JsonList(), OperatorCount(name="operator"))
    top_aircraft = colander.SchemaNode(JsonList(), AircraftCount(name="aircraft"))


class HeatmapQuery(SpanQuery):
    cell_deg = node(QueryNumber(), "Size of a cell (degrees).", missing=0.1, validator=colander.Range(0.01, 10))
    bbox = optional(QueryBox(), "west,south,east,north.")
    min_altitude_ft = optional(QueryNumber(), "At or above this altitude only.")
    max_altitude_ft = optional(QueryNumber(), "At or below this altitude only.")


class HeatmapCell(Schema):
    lat = node(JsonNumber(), "Centre of the cell.")
    lon = node(JsonNumber(), "Centre of the cell.")
    aircraft_s = node(JsonNumber(), "Total time that aircraft spent in it (s).")


class Heatmap(Schema):
    """Where aircraft were; the busiest cells first."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    cell_deg = node(JsonNumber(), "Size of a cell (degrees).")
    count = node(JsonInteger(), "Cells that are not empty.")
    truncated = node(JsonBoolean(), "Only the busiest cells are listed.")
    one_slice_in = node(JsonInteger(), SAMPLED)
    cells = colander.SchemaNode(JsonList(), HeatmapCell(name="cell"))


class HotspotsQuery(SpanQuery):
    bbox = optional(QueryBox(), "west,south,east,north: cells whose centre is in it.")


class Hotspot(Schema):
    lat = node(JsonNumber(), "Centre of the cell.")
    lon = node(JsonNumber(), "Centre of the cell.")
    info = node(JsonInteger(), "Near misses that were held back for a reason, such as formations.")
    warning = node(JsonInteger(), "Near misses.")
    critical = node(JsonInteger(), "Critical near misses.")


class Hotspots(Schema):
    """Near misses by cell; the cells with the most critical ones first."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    cell_deg = node(JsonNumber(), "Size of a cell (degrees).")
    count = node(JsonInteger(), "Cells with near misses.")
    truncated = node(JsonBoolean(), "Only the first cells are listed.")
    missing_days = colander.SchemaNode(
        JsonList(), node(JsonString(), "A day.", name="day"), description="Days of the span (UTC) without a result."
    )
    cells = colander.SchemaNode(JsonList(), Hotspot(name="cell"))


class CoverageQuery(SpanQuery):
    min_altitude_ft = optional(QueryNumber(), "At or above this altitude only.")
    max_altitude_ft = optional(QueryNumber(), "At or below this altitude only.")


class CoverageBand(Schema):
    min_altitude_ft = node(JsonInteger(), "From this altitude.")
    max_altitude_ft = node(Nullable(JsonInteger()), "Up to this altitude.")
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest position.")
    points = node(JsonInteger(), "Track points.")


class CoverageSector(Schema):
    bearing_from = node(JsonInteger(), "From this bearing.")
    bearing_to = node(JsonInteger(), "Up to this bearing.")
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest position at any altitude.")
    bands = colander.SchemaNode(JsonList(), CoverageBand(name="band"))


class StationPosition(Schema):
    lat = node(JsonNumber(), "Latitude.")
    lon = node(JsonNumber(), "Longitude.")


class Coverage(Schema):
    """The range of reception, by bearing and altitude."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    station = StationPosition()
    one_slice_in = node(JsonInteger(), SAMPLED)
    sectors = colander.SchemaNode(JsonList(), CoverageSector(name="sector"))
