"""What goes into and comes out of statistics, heat map and coverage."""

from __future__ import annotations

import colander

from skywatch.history.nodes import SpanQuery, optional
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonNumber,
    QueryBox,
    QueryNumber,
    Schema,
    boolean_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    string_node,
    timestamp_node,
)

MAX_ANALYSIS_DAYS = 31
MAX_HOTSPOT_DAYS = 366
OF_SIMULATED = "It is of simulated aircraft, too: no other receiver has been heard yet."
SAMPLED = "Of so many slices of ten minutes one was evaluated; 1: all of them."


class DailyChange(Schema):
    """The change against the span of the same length before, in percent; null where there was nothing."""

    flights = nullable_node(JsonNumber(), "Flights.")
    aircraft = nullable_node(JsonNumber(), "Different aircraft.")
    positions = nullable_node(JsonNumber(), "Positions.")


class DayStatistics(Schema):
    """One day (UTC)."""

    date = string_node("The day.")
    flights = integer_node("Flights that began on it.")
    aircraft = integer_node("Different aircraft.")
    positions = integer_node("Positions received of these flights.")


class TypeCount(Schema):
    type = string_node("ICAO type designator.")
    flights = integer_node("Flights.")


class OperatorCount(Schema):
    operator = string_node("The first three letters of callsigns.")
    flights = integer_node("Flights.")


class AircraftCount(Schema):
    icao_hex = string_node("ICAO address.")
    flights = integer_node("Flights.")


class AltitudeCount(Schema):
    min_altitude_ft = integer_node("From this altitude.")
    max_altitude_ft = nullable_node(JsonInteger(), "Up to this altitude.")
    flights = integer_node("Flights whose greatest altitude is in it.")


class CountryCount(Schema):
    country = string_node("ISO 3166 code of the register or State to which the ICAO address belongs.")
    flights = integer_node("Flights.")


class HistoryStatistics(Schema):
    """Counts and trends of a span."""

    begin = timestamp_node("Begin of the span.", name="from")
    end = timestamp_node("End of the span.", name="to")
    flights = integer_node("Flights.")
    aircraft = integer_node("Different aircraft.")
    positions = integer_node("Positions received.")
    messages = integer_node("Messages received.")
    military_flights = integer_node("Flights of military aircraft.")
    emergency_flights = integer_node("Flights with an emergency.")
    max_distance_nm = nullable_node(JsonNumber(), "Farthest from the station.")
    max_altitude_ft = nullable_node(JsonInteger(), "Highest.")
    max_speed_kt = nullable_node(JsonNumber(), "Fastest over ground.")
    simulated = boolean_node(OF_SIMULATED)
    change = DailyChange()
    days = list_node(DayStatistics(name="day"))
    hours = list_node(
        integer_node("Flights.", name="hour"),
        "Flights that began in each of the 24 hours of the day (UTC), of all days.",
    )
    altitudes = list_node(AltitudeCount(name="altitude"), "By greatest altitude; flights without any are left out.")
    top_countries = list_node(CountryCount(name="country"))
    top_types = list_node(TypeCount(name="type"))
    top_operators = list_node(OperatorCount(name="operator"))
    top_aircraft = list_node(AircraftCount(name="aircraft"))


class HeatmapQuery(SpanQuery):
    cell_deg = node(QueryNumber(), "Size of a cell (degrees).", missing=0.1, validator=colander.Range(0.01, 10))
    bbox = optional(QueryBox(), "west,south,east,north.")
    min_altitude_ft = optional(QueryNumber(), "At or above this altitude only.")
    max_altitude_ft = optional(QueryNumber(), "At or below this altitude only.")


class HeatmapCell(Schema):
    lat = number_node("Centre of the cell.")
    lon = number_node("Centre of the cell.")
    aircraft_s = number_node("Total time that aircraft spent in it (s).")


class Heatmap(Schema):
    """Where aircraft were; the busiest cells first."""

    begin = timestamp_node("Begin of the span.", name="from")
    end = timestamp_node("End of the span.", name="to")
    cell_deg = number_node("Size of a cell (degrees).")
    count = integer_node("Cells that are not empty.")
    truncated = boolean_node("Only the busiest cells are listed.")
    one_slice_in = integer_node(SAMPLED)
    simulated = boolean_node(OF_SIMULATED)
    cells = list_node(HeatmapCell(name="cell"))


class HotspotsQuery(SpanQuery):
    bbox = optional(QueryBox(), "west,south,east,north: cells whose centre is in it.")


class Hotspot(Schema):
    lat = number_node("Centre of the cell.")
    lon = number_node("Centre of the cell.")
    info = integer_node("Near misses that were held back for a reason, such as formations.")
    warning = integer_node("Near misses.")
    critical = integer_node("Critical near misses.")


class Hotspots(Schema):
    """Near misses by cell; the cells with the most critical ones first."""

    begin = timestamp_node("Begin of the span.", name="from")
    end = timestamp_node("End of the span.", name="to")
    cell_deg = number_node("Size of a cell (degrees).")
    count = integer_node("Cells with near misses.")
    truncated = boolean_node("Only the first cells are listed.")
    missing_days = list_node(string_node("A day.", name="day"), "Days of the span (UTC) without a result.")
    cells = list_node(Hotspot(name="cell"))


class CoverageQuery(SpanQuery):
    min_altitude_ft = optional(QueryNumber(), "At or above this altitude only.")
    max_altitude_ft = optional(QueryNumber(), "At or below this altitude only.")


class CoverageBand(Schema):
    min_altitude_ft = integer_node("From this altitude.")
    max_altitude_ft = nullable_node(JsonInteger(), "Up to this altitude.")
    max_distance_nm = nullable_node(JsonNumber(), "Farthest position.")
    points = integer_node("Track points.")


class CoverageSector(Schema):
    bearing_from = integer_node("From this bearing.")
    bearing_to = integer_node("Up to this bearing.")
    max_distance_nm = nullable_node(JsonNumber(), "Farthest position at any altitude.")
    bands = list_node(CoverageBand(name="band"))


class StationPosition(Schema):
    lat = number_node("Latitude.")
    lon = number_node("Longitude.")


class Coverage(Schema):
    """The range of reception, by bearing and altitude."""

    begin = timestamp_node("Begin of the span.", name="from")
    end = timestamp_node("End of the span.", name="to")
    station = StationPosition()
    one_slice_in = integer_node(SAMPLED)
    simulated = boolean_node(OF_SIMULATED)
    sectors = list_node(CoverageSector(name="sector"))
