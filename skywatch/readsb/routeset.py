"""tar1090's question for the routes of the aircraft that it shows (``/api/0/routeset``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import colander

from skywatch.airports.directory import Airport
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import Fields, body_of
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonSequence,
    JsonString,
    Nullable,
    OpenSchema,
    RangeOrNull,
    Schema,
    boolean_node,
    list_node,
    node,
    nullable_node,
    string_node,
)
from skywatch.http.resources.service import ApiService
from skywatch.routes.candidates import NOTHING, Candidate, airport_of, read
from skywatch.routes.plausibility import is_on_way
from skywatch.routes.table import upper
from skywatch.security.permissions import Permission

routeset = ApiService("readsb.routeset", "/api/0/routeset", feature="aircraft", absolute=True, tag="routes")

MAX_PLANES = 100
# What stands for the codes of a route that is not known.
UNKNOWN = "unknown"
LATITUDE_OR_NULL, LONGITUDE_OR_NULL = RangeOrNull(-90, 90), RangeOrNull(-180, 180)


class Plane(OpenSchema):
    """An aircraft whose route is asked for."""

    callsign = node(JsonString(), "Callsign; blanks around it do not count.", validator=colander.Length(max=64))
    lat = node(Nullable(JsonNumber()), "Latitude (degrees).", missing=None, validator=LATITUDE_OR_NULL)
    lng = node(Nullable(JsonNumber()), "Longitude (degrees).", missing=None, validator=LONGITUDE_OR_NULL)


class PlanesFields(Fields):
    """The aircraft whose routes are asked for."""

    planes: list[dict[str, Any]]


class Planes(OpenSchema):
    """The aircraft whose routes are asked for."""

    struct = PlanesFields

    planes = node(JsonList(), "At most 100.", Plane(name="plane"), validator=colander.Length(max=MAX_PLANES))


class PlaneAirport(Schema):
    """An airport of a route, as tar1090 reads it."""

    icao = string_node()
    iata = string_node("Empty where there is none.")
    name = string_node()
    location = string_node("Town.")
    countryiso2 = string_node("ISO 3166 alpha-2.")
    lat = nullable_node(JsonNumber())
    lon = nullable_node(JsonNumber())
    alt_feet = nullable_node(JsonInteger(), "Elevation (ft).")


class PlaneRoute(Schema):
    """The route of an aircraft, as tar1090 reads it."""

    callsign = string_node("As it was asked for.")
    airport_codes = string_node("ICAO codes with `-` between two, or `unknown`.")
    _airport_codes_iata = string_node("IATA codes likewise; an airport without one has its ICAO code.")
    _airports = list_node(PlaneAirport(name="airport"))
    plausible = boolean_node("Whether the place is on the way.")


class PlaneRoutes(JsonSequence):
    route = PlaneRoute()


@routeset.post(permission=Permission.AIRCRAFT_VIEW, body=Planes(), responses={200: PlaneRoutes()})
def find_routeset(request: Request) -> list[dict[str, Any]]:
    """The routes of up to 100 aircraft, as tar1090 asks for them

    Each is judged by the place that is given alone: one that is not on the way has no route, and of several legs the
    one on whose way it is counts.
    """
    planes = body_of(request, PlanesFields).planes
    callsigns = [upper(plane["callsign"].strip()) for plane in planes]
    known = read(request.db, callsigns)
    military = request.visibility.military
    return [
        _answer(plane, _stops(plane, known.get(callsign, NOTHING).candidates(military=military)))
        for plane, callsign in zip(planes, callsigns, strict=True)
    ]


def _stops(plane: Mapping[str, Any], candidates: Sequence[Candidate]) -> tuple[str, ...] | None:
    """The airports of the route of an aircraft; None where none is known or the place is not on the way."""
    shown = next((candidate for candidate in candidates if candidate.refused is None), None)
    if shown is None:
        return None
    lat, lng = plane["lat"], plane["lng"]
    if lat is None or lng is None:
        return shown.stops
    on_way = [leg for leg, is_near in zip(shown.legs, is_on_way(shown.legs, lat, lng), strict=True) if is_near]
    if not on_way:
        return None
    # Where several may be flown, which of them it is cannot be told by the place.
    return on_way[0] if len(on_way) == 1 else shown.stops


def _answer(plane: Mapping[str, Any], stops: tuple[str, ...] | None) -> dict[str, Any]:
    airports = [airport_of(code) for code in stops or ()]
    return {
        "callsign": plane["callsign"],
        "airport_codes": "-".join(stops) if stops is not None else UNKNOWN,
        "_airport_codes_iata": "-".join(airport.iata or airport.ident for airport in airports) or UNKNOWN,
        "_airports": [_airport(code, airport) for code, airport in zip(stops or (), airports, strict=True)],
        "plausible": stops is not None,
    }


def _airport(code: str, airport: Airport) -> dict[str, Any]:
    has_place = airport.lat == airport.lat
    return {
        "icao": code,
        "iata": airport.iata or "",
        "name": airport.name,
        "location": airport.town or "",
        "countryiso2": airport.country or "",
        "lat": airport.lat if has_place else None,
        "lon": airport.lon if has_place else None,
        "alt_feet": airport.elevation_ft,
    }
