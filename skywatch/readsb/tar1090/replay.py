"""Half hours of history in the form of readsb's heatmap files, of which tar1090 makes its replay and its heatmap.

A file is a table of 16-byte entries, little-endian: first an index (the place of each moment), then for each moment a
mark with its time and the aircraft of that moment. An aircraft has an entry with callsign and squawk and one with its
position.
"""

from __future__ import annotations

import struct
from datetime import timedelta
from typing import Any

import colander
import sqlalchemy as sa
from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.core.clock import unix_now
from skywatch.core.problems import not_found
from skywatch.history.flights.service import IDS_A_QUERY
from skywatch.history.models import Flight
from skywatch.history.storage.points import address_code
from skywatch.http.requests.compression import compress, takes_gzip
from skywatch.http.resources.schema import QueryInteger, Schema, node
from skywatch.http.resources.service import ApiService
from skywatch.picture.counted import counts_simulated
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.readsb.tar1090.past_pictures import (
    INTERVAL_S,
    is_open,
    moments,
    readsb_pictures,
    settled_until,
    who_sees,
)
from skywatch.readsb.tar1090.tracks import day_of
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

half_hour_file = ApiService(
    "readsb.half_hour",
    "/globe_history/{year}/{month}/{day}/heatmap/{half_hour}.bin.ttf",
    feature="aircraft",
    absolute=True,
)

HALF_HOUR = timedelta(minutes=30)
HALF_HOURS = 48
MOMENTS = int(HALF_HOUR.total_seconds()) // INTERVAL_S
# The begin of a moment. The places and the sources are readsb's; ``other`` is a position of unknown source.
MARK = 0xE7F7C9D
SOURCE_OTHER = 6 << 27
ON_GROUND, NO_ALTITUDE, NO_SPEED = -123, -124, -1
ALTITUDE_STEP_FT = 25
# In the place of a latitude: this entry contains the squawk (in the low bits) and the callsign.
NAMES = 1 << 30
_NAMES = struct.Struct("<Ii8s")
_POSITION = struct.Struct("<Iiihh")
_MARK = struct.Struct("<IIIHh")
_INDEX = struct.Struct("<Iiihh")


class HalfHourPath(Schema):
    year = node(QueryInteger())
    month = node(QueryInteger())
    day = node(QueryInteger())
    half_hour = node(
        QueryInteger(), "The half hour of the day (UTC), 00 to 47.", validator=colander.Range(0, HALF_HOURS - 1)
    )


@half_hour_file.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=HalfHourPath(),
    any_query=True,
    responses={200: "application/octet-stream"},
    errors=(404,),
)
def get_half_hour(request: SkyRequest) -> Response:
    """Half an hour of all aircraft, as readsb keeps it in globe_history for tar1090's replay and heatmap

    404 where nothing was recorded, and for a half hour that is not over.
    """
    path, visibility = request.validated["path"], request.visibility
    begin = (day_of(path) + path["half_hour"] * HALF_HOUR).timestamp()
    if not is_open(request) or begin + HALF_HOUR.total_seconds() > settled_until(request, unix_now()):
        raise not_found(sentence("thing.replay", "replay of this half hour"))
    past = request.runtime.shared(readsb_pictures)
    simulated = counts_simulated(request.db)
    key = ("half_hour", begin, simulated, *who_sees(request.db, visibility))
    body = past.once(key, lambda: half_hour(request.db, int(begin), visibility, simulated=simulated))
    if not body:
        raise not_found(sentence("thing.replay", "replay of this half hour"))
    response = Response(body=body, content_type="application/octet-stream", charset=None)
    response.headers["Cache-Control"] = "no-cache, private"
    response.vary = "Accept-Encoding"
    if takes_gzip(request):
        compress(response)
    return response


def half_hour(session: Session, begin: int, visibility: Visibility, *, simulated: bool = True) -> bytes:
    """The file of the half hour from ``begin`` (unix seconds); empty where no aircraft was there.

    tar1090 sums it as well, and its form has no mark: ``simulated`` aircraft are in it where they count.
    """
    end = begin + int(HALF_HOUR.total_seconds()) - INTERVAL_S
    squawks: dict[int, int] = {}
    index: list[bytes] = []
    entries: list[bytes] = []
    any_aircraft = False
    for at, every in moments(session, begin, end, visibility):
        aircraft = every if simulated else [entry for entry in every if not entry.get("simulated")]
        any_aircraft |= bool(aircraft)
        _fetch_squawks(session, squawks, {entry["flight_id"] for entry in aircraft})
        index.append(_INDEX.pack(MOMENTS + len(entries), 0, 0, 0, 0))
        entries.append(_mark(at))
        for entry in aircraft:
            address = address_code(entry["hex"])
            if entry["flight"]:
                callsign = entry["flight"].encode("ascii", "replace").ljust(8)[:8]
                entries.append(_NAMES.pack(address, NAMES | squawks.get(entry["flight_id"], 0), callsign))
            entries.append(_position(address, entry))
    return b"".join(index + entries) if any_aircraft else b""


def _mark(at_s: int) -> bytes:
    at_ms = at_s * 1000
    return _MARK.pack(MARK, at_ms >> 32, at_ms & 0xFFFFFFFF, INTERVAL_S * 1000, 0)


def _position(address: int, entry: dict[str, Any]) -> bytes:
    altitude = entry["alt_baro"]
    if altitude == "ground":
        steps = ON_GROUND
    elif altitude is None:
        steps = NO_ALTITUDE
    else:
        steps = _within_16_bits(round(altitude / ALTITUDE_STEP_FT))
    speed = NO_SPEED if entry["gs"] is None else _within_16_bits(round(entry["gs"] * 10))
    lat, lon = round(entry["lat"] * 1e6), round(entry["lon"] * 1e6)
    return _POSITION.pack(address | SOURCE_OTHER, lat, lon, steps, speed)


def _within_16_bits(value: int) -> int:
    return max(-32768, min(32767, value))


def _fetch_squawks(session: Session, squawk_of: dict[int, int], flights: set[int]) -> None:
    """Add the squawks of flights; 0 where a flight has none."""
    missing = sorted(flights - squawk_of.keys())
    for start in range(0, len(missing), IDS_A_QUERY):
        some = missing[start : start + IDS_A_QUERY]
        squawk_of.update(dict.fromkeys(some, 0))
        query = sa.select(Flight.id, Flight.squawk).where(Flight.id.in_(some), Flight.squawk.is_not(None))
        squawk_of.update({flight: int(squawk or 0) for flight, squawk in session.execute(query)})
