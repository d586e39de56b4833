"""The list of aircraft, one aircraft, and its trail."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from pyramid.request import Request
from pyramid.response import Response

from skywatch.aircraft import filters, schemas
from skywatch.aircraft.airframe_views import airframe_fields
from skywatch.aircraft.live import Rights, live_response, refuse_hidden_filters, visible_row
from skywatch.airframes import service as airframes
from skywatch.core.clock import unix_to_iso
from skywatch.http.paging import page_links
from skywatch.http.render import encode
from skywatch.http.service import ApiService
from skywatch.picture.sky import Sky
from skywatch.security.permissions import Permission

aircraft_list = ApiService("aircraft", "/aircraft", feature="aircraft")
one_aircraft = ApiService("aircraft.one", "/aircraft/{icao_hex}", feature="aircraft")
trail = ApiService("aircraft.trail", "/aircraft/{icao_hex}/trail", feature="aircraft")

AGE_COLUMNS = {
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
def list_aircraft(request: Request) -> Response:
    """The live picture, filtered, sorted and paged

    A new picture is made once a second; the ETag changes with it. Filters combine with "and".
    """
    query = request.validated["querystring"]
    refuse_hidden_filters(request.aircraft_rights, {*query, query["sort"].removeprefix("-")})

    def build(sky: Sky, rights: Rights) -> bytes:
        mask = filters.select(sky, query, military=rights.military)
        rows = filters.ordered(sky, mask, query["sort"])
        some = rows[query["offset"] : query["offset"] + query["limit"]]
        bodies = sky.bodies(some, rights.details)
        if "fields" in query:
            bodies = only_fields(bodies, query["fields"])
        rest = {"count": len(rows), **page_links(request, len(rows))}
        head = b'{"now":%s,"messages":%d,"aircraft":' % (encode(round(sky.now, 3)), sky.messages)
        return head + bodies + b"," + encode(rest)[1:]

    return live_response(request, build)


@one_aircraft.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=schemas.AircraftPath(),
    responses={200: schemas.AircraftDetail()},
    errors=(404,),
)
def get_aircraft(request: Request) -> dict[str, Any]:
    """One aircraft, with its airframe and the age of every group of fields"""
    sky: Sky = request.sky
    rights = request.aircraft_rights
    address = request.validated["path"]["icao_hex"]
    row = visible_row(request, address, rights)
    found: dict[str, Any] = msgspec.json.decode(sky.body(row, rights.details))
    frame = airframes.find(request.db, address)
    found["airframe"] = airframe_fields(frame, rights) if frame is not None else None
    found["ages"] = {"message": _age(sky, row, "seen_at")}
    for group, column in AGE_COLUMNS.items():
        age = _age(sky, row, column)
        if age is not None:
            found["ages"][group] = age
    return found


@trail.get(
    permission=Permission.AIRCRAFT_VIEW, path=schemas.AircraftPath(), responses={200: schemas.Trail()}, errors=(404,)
)
def get_trail(request: Request) -> dict[str, Any]:
    """The positions of the aircraft's current flight, oldest first"""
    sky: Sky = request.sky
    address = request.validated["path"]["icao_hex"]
    row = visible_row(request, address, request.aircraft_rights)
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
        for point in request.registry["picture"].trail(address)
    ]
    first_seen = unix_to_iso(float(sky.column("first_seen")[row]))
    return {"hex": address, "first_seen": first_seen, "count": len(points), "trail": points}


def only_fields(bodies: bytes, names: list[str]) -> bytes:
    """A JSON array of aircraft with only these members, and always ``hex``."""
    wanted = {"hex", *names}
    return msgspec.json.encode(
        [{k: v for k, v in aircraft.items() if k in wanted} for aircraft in msgspec.json.decode(bodies)]
    )


def _age(sky: Sky, row: int, column: str) -> float | None:
    at = float(sky.column(column)[row])
    return None if np.isnan(at) else max(0.0, round(sky.now - at, 1))
