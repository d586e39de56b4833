"""What goes into and comes out of the calls of routes."""

from __future__ import annotations

import colander

from skywatch.http.resources.schema import (
    JsonInteger,
    JsonNumber,
    JsonString,
    Nullable,
    QueryString,
    Schema,
    Timestamp,
    choice_node,
    code_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    params_node,
    string_node,
)
from skywatch.routes.candidates import LEARNT, TABLE
from skywatch.routes.table import CALLSIGN, upper
from skywatch.sentences import sentence

REASONS = (
    "off_way",
    "flying_away",
    "at_other_airport",
    "from_other_airport",
    "too_few",
    "mixed",
    "superseded",
)


class RouteAirport(Schema):
    """An airport of a route."""

    icao = string_node("ICAO code.")
    iata = nullable_node(JsonString(), "IATA code.")
    name = string_node()
    lat = nullable_node(JsonNumber(), "Degrees.")
    lon = nullable_node(JsonNumber(), "Degrees.")
    country = nullable_node(JsonString(), "ISO 3166 alpha-2.")


class Route(Schema):
    """Where a flight comes from and goes to."""

    origin = RouteAirport()
    destination = RouteAirport()
    via = list_node(
        RouteAirport(name="airport"),
        "The stops of the whole route; none where the leg of an aircraft is known.",
    )
    source = choice_node((TABLE, LEARNT), "`table` (imported) or `learnt` (from flights seen here).")
    sure = number_node("0 to 1.")
    checked_at = nullable_node(
        Timestamp(), "When the aircraft of the callsign was last compared with it; null without one in the sky."
    )


class RouteCandidate(Route):
    """A route that the callsign may fly."""

    flights = integer_node("Flights of the last 60 days that were seen to take off and to land so.")
    first_at = nullable_node(Timestamp(), "When the first of them began.")
    last_at = nullable_node(Timestamp(), "When the last of them ended.")
    refused = choice_node(
        REASONS,
        "Why it is not shown: the aircraft is off the way, flies away from the destination, lands at another airport or"
        " took off from one; fewer than three flights, no pair with 80 % of them, or a learnt route that differs.",
        missing=colander.drop,
    )


def route_node() -> colander.SchemaNode:
    """The route that is shown of an aircraft or callsign."""
    return colander.SchemaNode(
        Nullable(Route.schema_type()),
        *Route().children,
        name="route",
        description="Where it comes from and goes to, if that is known and nothing contradicts it.",
    )


class CallsignRoutes(Schema):
    """What is known of the route of a callsign."""

    callsign = string_node()
    route = route_node()
    candidates = list_node(RouteCandidate(name="candidate"), "Every route that is known, the one that counts first.")


class CallsignPath(Schema):
    callsign = node(
        QueryString(),
        "2 to 8 letters and digits, in either case.",
        preparer=upper,
        validator=colander.Regex(
            f"^{CALLSIGN.pattern}$", sentence("routes.callsign_path", "must be 2 to 8 letters and digits")
        ),
    )


class RouteTable(Schema):
    """The imported table."""

    routes = integer_node("Callsigns in it.")
    source = nullable_node(JsonString(), "Name of the imported file, or `upload`; null where there is no table.")
    imported_at = nullable_node(Timestamp())


class LearntRoutes(Schema):
    """What was learnt from the flights of the last 60 days."""

    routes = nullable_node(JsonInteger(), "Callsigns with a learnt route.")
    callsigns = nullable_node(JsonInteger(), "Callsigns with a flight that was seen to take off and to land.")


class RouteStatus(Schema):
    """How many routes are known."""

    table = RouteTable()
    learnt = LearntRoutes()


class RefusedRow(Schema):
    """A row of the table that was refused."""

    line = integer_node()
    detail = string_node()
    detail_code = code_node()
    detail_params = params_node()


class ImportedRoutes(Schema):
    """The result of an import."""

    routes = integer_node("Callsigns that have a route now.")
    refused = integer_node("Rows that were refused.")
    errors = list_node(RefusedRow(name="row"), "The first 100 of them.")
