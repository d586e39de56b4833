"""What is known of airframes by their ICAO address, alone or many at once."""

from __future__ import annotations

from typing import Any

from pyramid.request import Request

from skywatch.aircraft import schemas
from skywatch.aircraft.live import Rights
from skywatch.airframes import service as airframes
from skywatch.core.problems import not_found
from skywatch.http.service import ApiService
from skywatch.security.permissions import Permission

airframe = ApiService("aircraft.airframe", "/aircraft/airframes/{icao_hex}", feature="aircraft")
lookup = ApiService("aircraft.airframes.lookup", "/aircraft/airframes/lookup", feature="aircraft")


@airframe.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=schemas.AircraftPath(),
    responses={200: schemas.Airframe()},
    errors=(404,),
)
def get_airframe(request: Request) -> dict[str, Any]:
    """What is known of one airframe, in the sky or not"""
    address = request.validated["path"]["icao_hex"]
    rights = request.aircraft_rights
    frame = airframes.find(request.db, address)
    if frame is None or (frame.military and not rights.military):
        raise not_found("airframe")
    return airframe_fields(frame, rights)


@lookup.post(
    permission=Permission.AIRCRAFT_VIEW, body=schemas.AirframeLookup(), responses={200: schemas.AirframeList()}
)
def post_lookup(request: Request) -> dict[str, Any]:
    """What is known of up to 500 airframes"""
    rights = request.aircraft_rights
    wanted = list(dict.fromkeys(request.validated["body"]["icao_hex"]))
    known = airframes.find_many(request.db, wanted)
    frames = [known[address.upper()] for address in wanted if address.upper() in known]
    shown = [frame for frame in frames if rights.military or not frame.military]
    found = [airframe_fields(frame, rights) for frame in shown]
    seen = {entry["icao_hex"] for entry in found}
    missing = [address.upper() for address in wanted if address.upper() not in seen]
    return {"airframes": found, "count": len(found), "not_found": missing}


def airframe_fields(frame: airframes.Airframe, rights: Rights) -> dict[str, Any]:
    """An airframe as the caller may see it."""
    fields: dict[str, Any] = {
        "icao_hex": frame.icao_hex,
        "type": frame.type_code,
        "type_name": frame.type_name,
        "military": frame.military,
        "interesting": frame.interesting,
        "pia": frame.pia,
        "ladd": frame.ladd,
        "sources": frame.sources,
    }
    if rights.details:
        fields |= {name: getattr(frame, name) for name in ("registration", "operator", "owner", "year")}
    return fields
