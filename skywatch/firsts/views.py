"""The REST resources of firsts: firsts, records, the journal, and what is worth a look."""

from __future__ import annotations

from datetime import date
from typing import Any

from skywatch.airports.station_time import station_zone
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid
from skywatch.firsts import schemas, service
from skywatch.firsts.worth import worth_a_look
from skywatch.http.lists.pagination import PageQuery, page, page_of
from skywatch.http.requests.request import Request
from skywatch.http.requests.span import refuse_reversed
from skywatch.http.resources.service import ApiService
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

# A call belongs to the area of its permission.
first_list = ApiService("firsts", "/firsts", feature="history", tag="firsts")
all_records = ApiService("firsts.records", "/records", feature="history", tag="firsts")
one_day = ApiService("firsts.journal", "/journal", feature="history", tag="firsts")

worth = ApiService("firsts.worth_a_look", "/worth-a-look", feature="aircraft", tag="firsts")


@first_list.get(permission=Permission.HISTORY_VIEW, query=schemas.FirstQuery(), responses={200: schemas.FirstList()})
def list_firsts(request: Request) -> dict[str, Any]:
    """List what was seen for the first time, the newest first

    Airframes, types, operators and countries of register. Without `aircraft.view_military` everything is as if
    military aircraft had never flown; without `aircraft.view_details` there are no operators. Firsts stay when their
    flights are removed.
    """
    query, visibility = request.validated["querystring"], request.visibility
    begin, end = query["from"], query["to"]
    refuse_reversed(begin, end)
    kinds = service.kinds_for(visibility, query["kind"])
    entries, count = service.firsts(request.db, visibility, kinds, (begin, end), query["limit"], query["offset"])
    return page(request, "firsts", entries, count)


@all_records.get(permission=Permission.HISTORY_VIEW, responses={200: schemas.Records()})
def get_records(request: Request) -> dict[str, Any]:
    """Show the records of the station

    Each value was reached by two positions that are five seconds apart. `farthest` is the farthest position that an
    aircraft sent itself and the station's own antenna heard, within the radio horizon of its altitude. Records stay
    when their flights are removed.
    """
    return service.records(request.db, request.visibility, station_zone(request.runtime.current))


@one_day.get(permission=Permission.HISTORY_VIEW, query=schemas.JournalQuery(), responses={200: schemas.Journal()})
def get_journal(request: Request) -> dict[str, Any]:
    """Show a day of the station

    Flights count for the day on which they began, in the time zone of the station (`station_timezone`).
    """
    zone = station_zone(request.runtime.current)
    today = utcnow().astimezone(zone).date()
    return service.journal(request.db, request.visibility, _asked_day(request, today), zone)


@worth.get(permission=Permission.AIRCRAFT_VIEW, query=PageQuery(), responses={200: schemas.WorthALookList()})
def list_worth_a_look(request: SkyRequest) -> dict[str, Any]:
    """List what is worth a look in the sky now, the best first

    Emergencies come first, then aircraft of the caller's own watch lists, new types and airframes, military aircraft,
    rare types, those that were not seen for 30 days, and who flies low away from airports. `history.view` is needed
    as well.
    """
    if Permission.HISTORY_VIEW not in request.visibility.permissions:
        if request.identity is None:
            raise Problem("authentication_required")
        raise Problem("permission_denied", sentence("firsts.needs_history", "This needs history.view as well."))
    entries = worth_a_look(request.db, request.sky, request.visibility, request.runtime.features)
    return page_of(request, "aircraft", entries)


def _asked_day(request: Request, today: date) -> date:
    text = request.validated["querystring"]["day"]
    if text is None:
        return today
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise invalid("day", sentence("firsts.day", "must be a day, YYYY-MM-DD"), "querystring") from None
    if not date(1970, 1, 1) <= day <= today:
        raise invalid("day", sentence("firsts.day_range", "must not be in the future, nor before 1970"), "querystring")
    return day
