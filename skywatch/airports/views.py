"""The REST resources below ``/api/v1/airports``."""

from __future__ import annotations

from typing import Any

from skywatch.airports import schemas, service
from skywatch.airports.directory import Airport, Directory, directory
from skywatch.airports.lines import lines
from skywatch.airports.storage import movement_answer
from skywatch.core.clock import utcnow
from skywatch.core.hooks import stored_flights
from skywatch.core.problems import not_found
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.requests.span import span_of
from skywatch.http.resources.answer import answer
from skywatch.http.resources.service import ApiService
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

# A call belongs to the area of its permission.
airport_list = ApiService("airports", "/airports", feature="aircraft")
one_airport = ApiService("airports.one", "/airports/{ident}", feature="aircraft")
board = ApiService("airports.board", "/airports/{ident}/board", feature="history")


@airport_list.get(
    permission=Permission.AIRCRAFT_VIEW, query=schemas.AirportQuery(), responses={200: schemas.AirportList()}
)
def list_airports(request: Request) -> dict[str, Any]:
    """List the airports of the world, the large ones first

    They are those of OurAirports and of airportsdata, and come with the service. Closed airports are left out.
    """
    query = request.validated["querystring"]
    airports = directory()
    numbers = airports.search(query["q"], query["bbox"])
    some = numbers[query["offset"] : query["offset"] + query["limit"]].tolist()
    return page(request, "airports", [airport_answer(airports, airports.airport(n)) for n in some], len(numbers))


@one_airport.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=schemas.AirportPath(),
    responses={200: schemas.AirportDetail()},
    errors=(404,),
)
def get_airport(request: Request) -> dict[str, Any]:
    """Show an airport with its runways"""
    airport = asked_airport(request)
    covered = service.coverage(request.db, request.visibility, airport.ident, utcnow())
    return {**airport_answer(directory(), airport), "covered": covered}


@board.get(
    permission=Permission.HISTORY_VIEW,
    path=schemas.AirportPath(),
    query=schemas.BoardQuery(),
    responses={200: schemas.Board()},
    errors=(404,),
)
def get_airport_board(request: SkyRequest) -> dict[str, Any]:
    """Show what lands at an airport and takes off

    A span has 24 hours by default and 31 days at most. Movements are those that were received: where `covered` is not
    true, there were others. `expected` is of the present moment, and empty where the span has ended.
    """
    query, airport, now = request.validated["querystring"], asked_airport(request), utcnow()
    span = span_of(request, default=service.SPAN, longest=service.LONGEST_SPAN, ends_now=True)
    visibility, direction = request.visibility, query["direction"]
    rows, count = service.movements(
        request.db, visibility, airport.ident, span, direction, query["limit"], query["offset"]
    )
    flights = service.stored_flight_ids(request.db, rows, stored_flights(request.runtime.features))
    entries = [
        movement_answer(row, has_details=visibility.details)
        | {"flight_id": row.flight_id if row.flight_id in flights else None}
        for row in rows
    ]
    expected = []
    if direction != "departures" and span[1] >= now:
        expected = service.expected(request.db, request.sky, visibility, airport, lines())
    return {
        **page(request, "movements", entries, count),
        "airport": airport_answer(directory(), airport),
        "covered": service.coverage(request.db, visibility, airport.ident, now),
        "expected": expected,
        "runways_in_use": service.runways_in_use(request.db, visibility, airport.ident, span[1]),
    }


def asked_airport(request: Request) -> Airport:
    """The airport of the path; raises Problem (404)."""
    found = directory().find(request.validated["path"]["ident"])
    if found is None:
        raise not_found(sentence("thing.airport", "airport"))
    return found


def airport_answer(airports: Directory, airport: Airport) -> dict[str, Any]:
    """An airport as the API answers it."""
    runways = [answer(schemas.RunwayRecord, runway) for runway in airports.runways_of(airport.number)]
    return answer(schemas.AirportRecord, airport, runways=runways, lat=round(airport.lat, 6), lon=round(airport.lon, 6))
