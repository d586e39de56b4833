"""What goes into and comes out of the calls of airports."""

from __future__ import annotations

import colander

from skywatch.airports.directory import KINDS
from skywatch.airports.movements import KINDS as MOVEMENTS
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonNumber,
    JsonString,
    QueryBox,
    QueryString,
    Schema,
    SearchText,
    choice_filter,
    choice_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    string_node,
    timestamp_node,
)

# No code of an airport is longer.
MAX_CODE = 16


class AirportPath(Schema):
    ident = node(QueryString(), "Ident, ICAO or IATA code, in either case.", validator=colander.Length(1, MAX_CODE))


class AirportQuery(PageQuery):
    bbox = node(
        QueryBox(), "Airports in a box: `west,south,east,north`; west > east crosses the date line.", missing=None
    )
    q = node(
        SearchText(),
        "Code, or words of name or town, without accents and case: codes first, then large airports.",
        missing=None,
        validator=colander.Length(1, 100),
    )


class RunwayRecord(Schema):
    """One direction of a runway."""

    ident = string_node("Its name: `09L`.")
    heading_true = nullable_node(JsonNumber(), "Direction (degrees true).")
    length_ft = nullable_node(JsonInteger(), "Length of the runway.")
    lat = nullable_node(JsonNumber(), "Latitude of the threshold, or of the beginning (degrees).")
    lon = nullable_node(JsonNumber(), "Longitude of the threshold, or of the beginning (degrees).")


class AirportRecord(Schema):
    """An airport. What nobody surveyed is null."""

    ident = string_node("Its identifier, of which there is one each: the ICAO code, or one of OurAirports.")
    icao = nullable_node(JsonString(), "ICAO code.")
    iata = nullable_node(JsonString(), "IATA code.")
    name = string_node("Name.")
    town = nullable_node(JsonString(), "Town that it serves.")
    kind = choice_node(KINDS, "Kind.")
    lat = number_node("Latitude (degrees).")
    lon = number_node("Longitude (degrees).")
    elevation_ft = nullable_node(JsonInteger(), "Height of the field above mean sea level.")
    country = nullable_node(JsonString(), "Country (ISO 3166 alpha-2).")
    runways = list_node(RunwayRecord(name="runway"), "Runways, one entry a direction.")


class AirportList(PageLinks):
    airports = list_node(AirportRecord(name="airport"), "Airports, the large ones first.")


class MovementRecord(Schema):
    """A movement at an airport."""

    id = integer_node("Identifier.")
    airport = string_node("Ident of the airport.")
    icao_hex = string_node("The aircraft, upper case.")
    callsign = nullable_node(JsonString(), "Its callsign.")
    registration = nullable_node(JsonString(), "Its registration; null without `aircraft.view_details`.")
    type = nullable_node(JsonString(), "Its type (ICAO designator).")
    kind = choice_node(MOVEMENTS, "What it did.")
    runway = nullable_node(JsonString(), "The runway; null where none is known, and of helicopters.")
    at = timestamp_node("Touchdown, lift-off, or the lowest point of a go-around.")
    sure = number_node("How sure it is, 0 to 1; 0.8 at most where the ground itself was not received.")
    flight_id = nullable_node(JsonInteger(), "Its flight in history; null where none is stored.")
    from_or_to = nullable_node(
        JsonString(), "Ident of the airport at the other end: seen on this flight, else that of its route."
    )


class ExpectedArrival(Schema):
    """An aircraft that is about to land."""

    icao_hex = string_node("The aircraft, upper case.")
    callsign = nullable_node(JsonString(), "Its callsign.")
    type = nullable_node(JsonString(), "Its type (ICAO designator).")
    eta = timestamp_node("When it is expected on the ground.")
    runway = nullable_node(JsonString(), "The runway on whose line it descends.")
    sure = number_node("How sure it is, 0 to 1.")


class RunwayInUse(Schema):
    """A runway in use."""

    runway = string_node("The runway.")
    since = timestamp_node("The first movement in the hour before the end of the span.")
    landings = integer_node("Landings in that hour, touch-and-goes with them.")
    take_offs = integer_node("Take-offs in that hour, touch-and-goes with them.")


class BoardQuery(PageQuery):
    direction = choice_filter(("arrivals", "departures"), "Arrivals or departures only.")
    begin = timestamp_node("Movements at or after this time; 24 h before `to` by default.", name="from", missing=None)
    end = timestamp_node("Movements before this time; now by default.", name="to", missing=None)


class Board(PageLinks):
    """What lands at an airport, what takes off, and what is expected."""

    airport = node(AirportRecord.schema_type(), "The airport.", *AirportRecord().children)
    covered = nullable_node(
        JsonBoolean(), "Whether approaches are received to the ground; null where none was seen in 30 days."
    )
    movements = list_node(MovementRecord(name="movement"), "Movements, the newest first.")
    expected = list_node(
        ExpectedArrival(name="arrival"), "Arrivals expected now, the first one first; none for departures or the past."
    )
    runways_in_use = list_node(RunwayInUse(name="runway"), "Runways in use at the end of the span, the busiest first.")


class AirportDetail(AirportRecord):
    """An airport, and how well it is received."""

    covered = nullable_node(
        JsonBoolean(), "Whether approaches are received to the ground; null where none was seen in 30 days."
    )
