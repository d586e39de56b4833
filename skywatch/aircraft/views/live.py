"""The list of aircraft, one aircraft, and its trail."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyramid.response import Response

from skywatch.aircraft import filters, members, schemas
from skywatch.aircraft.bodies import ROUTE, only_fields, with_members
from skywatch.aircraft.live import live_response, refuse_hidden_filters, visible_row
from skywatch.aircraft.views.airframes import airframe_answer
from skywatch.airframes import service as airframes
from skywatch.core.clock import unix_to_iso
from skywatch.http.lists.pagination import page_links
from skywatch.http.requests.links import link_base
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.service import ApiService
from skywatch.picture.access import picture_replica
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.picture.state.sky import Sky
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

aircraft_list = ApiService("aircraft", "/aircraft", feature="aircraft")
one_aircraft = ApiService("aircraft.one", "/aircraft/{icao_hex}", feature="aircraft")
trail = ApiService("aircraft.trail", "/aircraft/{icao_hex}/trail", feature="aircraft")

AGE_COLUMNS = {
    "message": "seen_at",
    "position": "position_at",
    "altitude": "altitude_at",
    "velocity": "velocity_at",
    "callsign": "callsign_at",
    "squawk": "squawk_at",
}


@aircraft_list.get(
    permission=Permission.AIRCRAFT_VIEW,
    query=schemas.AircraftQuery(),
    remember_query=True,
    responses={200: schemas.AircraftList(), 304: None},
)
def list_aircraft(request: SkyRequest) -> Response:
    """The live picture, filtered, sorted and paged

    A new picture is made once a second; the ETag changes with it. Filters combine with "and". Pages are made with
    `limit` (100, at most 1000) and `offset`, there is no `cursor`; `count` is all that match, `next` and `previous` are
    addresses. The rate limit is that of callers: 1000/minute for each user (`default_throttle_rates.user`), or
    `default_throttle_rates.anon` for each client address.
    """
    query = request.validated["querystring"]
    refuse_hidden_filters(request.visibility, {*query, query["sort"].removeprefix("-")})

    def build(sky: Sky, visibility: Visibility) -> bytes:
        mask = filters.select(sky, query, military=visibility.military)
        rows = filters.ordered(sky, mask, query["sort"])
        some = rows[query["offset"] : query["offset"] + query["limit"]]
        bodies = sky.bodies(some, visibility.details)
        if "fields" in query:
            routes = sky.routes(some).tolist() if ROUTE in query["fields"] else ()
            bodies = only_fields(bodies, query["fields"], routes)
        rest = {"age_s": round(sky.age_s, 1), "count": len(rows), **page_links(request, len(rows))}
        head = b'{"now":%s,"messages":%d,"aircraft":' % (encode(round(sky.now, 3)), sky.messages)
        return head + bodies + b"," + encode(rest)[1:]

    # The answer has links, which repeat the query string and begin with what this client calls the service.
    return live_response(request, build, f"{link_base(request)} {request.environ.get('QUERY_STRING', '')}")


@one_aircraft.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=schemas.AircraftPath(),
    responses={200: schemas.AircraftDetail()},
    errors=(404,),
)
def get_aircraft(request: SkyRequest) -> Response:
    """One aircraft, with its airframe and the age of every group of fields"""
    sky = request.sky
    visibility = request.visibility
    address = request.validated["path"]["icao_hex"]
    row = visible_row(request, address)
    frame = airframes.find(request.db, address)
    ages = {group: _age(sky, row, column) for group, column in AGE_COLUMNS.items()}
    more = {
        "airframe": airframe_answer(frame, visibility) if frame is not None else None,
        "ages": {group: age for group, age in ages.items() if age is not None},
        **members.values(request.runtime, request.db, request.runtime.features, visibility, address),
    }
    return json_response(with_members(sky.body(row, visibility.details), more))


@trail.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=schemas.AircraftPath(),
    responses={200: schemas.AircraftTrail()},
    errors=(404,),
)
def get_aircraft_trail(request: SkyRequest) -> dict[str, Any]:
    """The positions of the aircraft's current flight, oldest first"""
    sky = request.sky
    address = request.validated["path"]["icao_hex"]
    row = visible_row(request, address)
    points = [
        {
            "at": unix_to_iso(point[0]),
            "lat": point[1],
            "lon": point[2],
            "altitude_ft": point[3],
            "on_ground": point[4],
            "speed_kt": point[5],
            "track": point[6],
        }
        for point in request.runtime.shared(picture_replica).trail(address)
    ]
    first_seen = unix_to_iso(float(sky.column("first_seen")[row]))
    return {"hex": address, "first_seen": first_seen, "count": len(points), "trail": points}


def _age(sky: Sky, row: int, column: str) -> float | None:
    at = float(sky.column(column)[row])
    return None if np.isnan(at) else max(0.0, round(sky.now - at, 1))
