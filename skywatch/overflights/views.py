"""The REST resource ``/api/v1/overflights``."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.core.problems import invalid
from skywatch.history.analysis.views import evaluation_limiter, is_of_simulated
from skywatch.history.requests import reaching
from skywatch.http.lists.pagination import page_of
from skywatch.http.lists.spreadsheets import csv_rows
from skywatch.http.requests.request import Request
from skywatch.http.requests.span import span_of
from skywatch.http.resources.answer import members
from skywatch.http.resources.service import ApiService
from skywatch.overflights import schemas, service
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

FILES = "text/csv,application/pdf"
COLUMNS = (
    "flight_id", "icao_hex", "callsign", "registration", "type",
    "entered_at", "left_at", "lowest_ft", "closest_nm", "at_night",
)  # fmt: skip

overflight_list = ApiService("overflights", "/overflights", feature="history")


@overflight_list.get(
    permission=Permission.HISTORY_VIEW,
    query=schemas.OverflightQuery(),
    responses={200: (schemas.Overflights(), FILES)},
    errors=(404,),
)
def list_overflights(request: Request) -> Any:
    """List the flights over an area that were below a height

    The area is a geofence of the caller's or a box. The newest first; the last 7 days by default, at most 92 days.
    Flights count that were in the air within the area, between two positions where these are at most 60 s apart; a
    flight has one entry, at the time it entered first. Heights are pressure altitudes corrected by what is known of the
    local pressure. Days, hours and nights are those of the station.
    """
    query = request.validated["querystring"]
    span = span_of(
        request, default=service.SPAN, longest=service.LONGEST_SPAN, earliest=service.EARLIEST, ends_now=True
    )
    asked = service.asked_about(
        request.db,
        request.visibility,
        span=span,
        **{name: query[name] for name in ("geofence", "bbox", "below_ft", "over", "elevation_ft")},
    )
    with request.runtime.shared(evaluation_limiter).turn(request.person):
        session = reaching(request, begin=asked.begin, end=asked.end)
        try:
            flights = service.overflights(session, request.runtime.current, request.visibility, asked)
        except service.TooManyFlights:
            most = service.MOST_FLIGHTS
            detail = sentence(
                "overflights.too_many", "has more than {most} flights since then: ask for less", most=most
            )
            raise invalid("from", detail, "querystring") from None
        counted = {
            **service.summary(flights, asked, request.runtime.current),
            "simulated": is_of_simulated(request),
        }
        return answer_of(request, flights, counted, asked.name or "Overflights")


def answer_of(request: Request, flights: list[dict[str, Any]], counted: dict[str, Any], title: str) -> Any:
    """Flights and what is counted of them, in the form that the query asks for: a page of them, or a file with all."""
    form = request.validated["querystring"]["format"]
    if form == "csv":
        rows = ([flight[name] for name in COLUMNS] for flight in flights)
        return _file(csv_rows([COLUMNS, *rows]), "text/csv", form, counted)
    if form == "pdf":
        # Its library is loaded by the first who asks for one.
        from skywatch.overflights.pdf import pdf_of

        return _file(pdf_of(title, flights, counted), "application/pdf", form, counted)
    listed = page_of(request, "flights", flights)
    shown = members(schemas.OverflightRecord)
    listed["flights"] = [{name: flight[name] for name in shown} for flight in listed["flights"]]
    return {**listed, **counted}


def _file(body: bytes, media_type: str, ending: str, counted: dict[str, Any]) -> Response:
    """A file to be saved."""
    response = Response(body=body, content_type=media_type)
    response.charset = "utf-8" if media_type.startswith("text/") else None
    begin, end = counted["from"], counted["to"]
    response.content_disposition = f'attachment; filename="overflights-{begin:%Y%m%d}-{end:%Y%m%d}.{ending}"'
    return response
