"""Flights and tracks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pyramid.response import Response

from skywatch.core.problems import Problem
from skywatch.history import schemas, tracks
from skywatch.history.exports import FORMATS
from skywatch.history.exports.source import named
from skywatch.history.flights import service
from skywatch.history.flights.filter import FlightFilter
from skywatch.history.nodes import SpanQuery
from skywatch.history.requests import reaching
from skywatch.history.storage.points import in_order
from skywatch.http.lists.cursor import cursor_page
from skywatch.http.requests.request import Request
from skywatch.http.requests.span import refuse_reversed, span_of
from skywatch.http.resources.answer import answer
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

FEATURE = "history"
TRACK_TYPES = ",".join(f.media_type for f in FORMATS.values() if f.name != "parquet")

flight_list = ApiService("history_flights", "/history/flights", feature=FEATURE)
flight_one = ApiService("history_flight", "/history/flights/{flight_id}", feature=FEATURE)
flight_track = ApiService("history_flight_track", "/history/flights/{flight_id}/track", feature=FEATURE)
aircraft_track = ApiService("history_track", "/history/tracks/{icao_hex}", feature=FEATURE)


@flight_list.get(
    permission=Permission.HISTORY_VIEW, query=schemas.FlightsQuery(), responses={200: schemas.FlightList()}
)
def list_flights(request: Request) -> dict[str, Any]:
    """Search flights

    The newest first. Without `aircraft.view_military` military flights are left out, without
    `aircraft.view_details` registration and operator are null and cannot be searched.
    """
    query = request.validated["querystring"]
    if query["registration"] is not None and not request.visibility.details:
        raise Problem(
            "permission_denied",
            sentence("history.registration_needs_details", "Searching by registration needs aircraft.view_details."),
        )
    refuse_reversed(query["from"], query["to"])
    query_filter = FlightFilter(
        begin=query["from"],
        end=query["to"],
        icao_hex=query["icao_hex"],
        callsign=query["callsign"],
        registration=query["registration"],
        aircraft_type=query["type"],
        military=query["military"],
        emergency=query["emergency"],
        active=query["active"],
        min_altitude_ft=query["min_altitude_ft"],
        max_altitude_ft=query["max_altitude_ft"],
    )
    rows, count, more = service.search(
        reaching(request, begin=query["from"], end=query["to"]),
        query_filter,
        visibility=request.visibility,
        limit=query["limit"],
        offset=0 if query["cursor"] else query["offset"],
        cursor=query["cursor"],
    )
    last = (rows[-1].first_seen_at, rows[-1].id) if more else None
    return cursor_page(request, "flights", [flight_answer(row, request.visibility) for row in rows], count, last)


@flight_one.get(permission=Permission.HISTORY_VIEW, path=schemas.FlightPath(), responses={200: schemas.FlightRecord()})
def get_flight(request: Request) -> dict[str, Any]:
    """One flight"""
    flight = service.get(reaching(request), request.validated["path"]["flight_id"], request.visibility)
    return flight_answer(flight, request.visibility)


@flight_track.get(
    permission=Permission.HISTORY_VIEW,
    path=schemas.FlightPath(),
    query=schemas.TrackQuery(),
    responses={200: (schemas.FlightTrack(), TRACK_TYPES)},
)
def get_flight_track(request: Request) -> Any:
    """The track of a flight

    As JSON (`{flight, points, count}`) or as a file: `geojson`, `kml`, `gpx`, `csv`. One flight is no bulk export:
    `history.view` is enough for all formats.
    """
    flight = service.get(reaching(request), request.validated["path"]["flight_id"], request.visibility)
    points = tracks.of_flight(reaching(request), flight)
    format_name = request.validated["querystring"]["format"]
    if format_name == "json":
        return {
            "flight": flight_answer(flight, request.visibility),
            "points": tracks.points_answer(points),
            "count": len(points),
        }
    export_format = FORMATS[format_name]
    body = b"".join(export_format.write(named(reaching(request), in_order(points), service.Labels(request.visibility))))
    response = Response(body=body, content_type=export_format.media_type)
    response.charset = "utf-8" if export_format.media_type.startswith("text/") else None
    response.content_disposition = f'attachment; filename="flight-{flight.id}.{export_format.extension}"'
    return response


@aircraft_track.get(
    permission=Permission.HISTORY_VIEW,
    path=schemas.AircraftPath(),
    query=SpanQuery(),
    responses={200: schemas.AircraftTrack()},
)
def get_aircraft_track(request: Request) -> dict[str, Any]:
    """The track of an aircraft over a span

    The last 24 hours by default; at most 31 days.
    """
    begin, end = span_of(request, default=timedelta(days=1), longest=timedelta(days=schemas.MAX_TRACK_DAYS))
    address = request.validated["path"]["icao_hex"]
    points = tracks.of_aircraft(reaching(request, begin=begin, end=end), address, begin, end, request.visibility)
    return {
        "icao_hex": address.upper(),
        "from": begin,
        "to": end,
        "points": tracks.points_answer(points),
        "count": len(points),
    }


def flight_answer(flight: service.FlightRow, visibility: Visibility) -> dict[str, Any]:
    """A flight as the caller may see it."""
    duration = flight.last_seen_at - flight.first_seen_at
    hidden = {} if visibility.details else {"registration": None, "operator": None}
    return answer(schemas.FlightRecord, flight, duration_s=round(duration.total_seconds(), 1), **hidden)
