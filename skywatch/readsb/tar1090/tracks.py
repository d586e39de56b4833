"""Tracks in the form of readsb's trace files, as tar1090 asks for them when an aircraft is selected.

``trace_recent`` is the end of the live trail, ``trace_full`` the last 24 hours; past days are under
``/globe_history/``. Files lie in a folder named by the last two digits of the address.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.aircraft.live import live_sky
from skywatch.aircraft.schemas import AircraftPath
from skywatch.core.clock import utcnow
from skywatch.core.problems import not_found
from skywatch.history import tracks
from skywatch.history.flights.service import Labels
from skywatch.http.resources.schema import QueryInteger, QueryString, node
from skywatch.http.resources.service import ApiService
from skywatch.picture.access import picture_replica
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.trail import Point
from skywatch.readsb.bodies import bodies, padded
from skywatch.readsb.tar1090.past_pictures import is_open
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

_FOLDER = "/data/traces/{folder}"
_DAY = "/globe_history/{year}/{month}/{day}"
recent_trace = ApiService(
    "readsb.trace_recent", _FOLDER + "/trace_recent_{icao_hex}.json", feature="aircraft", absolute=True
)
full_trace = ApiService("readsb.trace_full", _FOLDER + "/trace_full_{icao_hex}.json", feature="aircraft", absolute=True)
day_trace = ApiService(
    "readsb.trace_of_day",
    _DAY + "/traces/{folder}/trace_full_{icao_hex}.json",
    feature="aircraft",
    absolute=True,
)

FULL_SPAN = timedelta(hours=24)
RECENT_POINTS = 100
# Times are unix seconds, and the day after is a day as well.
FIRST_YEAR, LAST_YEAR = 1970, 9998
# Marks of a position, readsb's bits: nothing was received for a while before it, and it begins a flight.
STALE, NEW_LEG = 1, 2
# A position of a live trail so long after the one before (s) is stale.
STALE_S = 60.0
# The members of a trace's last position besides its place.
STATE = ("type", "flight", "squawk", "category", "emergency", "alt_geom", "nav_altitude_mcp", "nav_heading", "version")
AIRFRAME = ("r", "t", "desc", "dbFlags", "ownOp", "year")

# Seconds after the trace's time, latitude, longitude, altitude (ft, "ground" or null), speed (kt), track (degrees),
# marks, vertical rate (ft/min), details.
Entry = list[Any]


class TracePath(AircraftPath):
    folder = node(QueryString(), "The last two digits of the address.")


class DayTracePath(TracePath):
    year = node(QueryInteger())
    month = node(QueryInteger())
    day = node(QueryInteger())


@recent_trace.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=TracePath(),
    any_query=True,
    responses={200: "application/json"},
    errors=(404,),
)
def get_recent_trace(request: SkyRequest) -> dict[str, Any]:
    """The latest positions of an aircraft as readsb writes them into trace_recent_HEX.json"""
    address = _address(request)
    entries = _live_entries(request, address)
    if not entries:
        now = utcnow()
        entries = _past_entries(request, address, now - FULL_SPAN, now)
    return _trace(request, address, entries[-RECENT_POINTS:])


@full_trace.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=TracePath(),
    any_query=True,
    responses={200: "application/json"},
    errors=(404,),
)
def get_full_trace(request: SkyRequest) -> dict[str, Any]:
    """The track of an aircraft over the last 24 hours as readsb writes it into trace_full_HEX.json

    Where the past is not shown (setting `readsb_history`) this is the trail of the present flight.
    """
    address, now = _address(request), utcnow()
    entries = _past_entries(request, address, now - FULL_SPAN, now)
    # History is written some seconds later than the trail.
    newest = entries[-1][0] if entries else 0.0
    entries += [entry for entry in _live_entries(request, address) if entry[0] > newest]
    return _trace(request, address, entries)


@day_trace.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=DayTracePath(),
    any_query=True,
    responses={200: "application/json"},
    errors=(404,),
)
def get_trace_of_day(request: SkyRequest) -> dict[str, Any]:
    """The track of an aircraft on one day (UTC), as readsb keeps it in globe_history"""
    address, path = _address(request), request.validated["path"]
    begin = day_of(path)
    return _trace(request, address, _past_entries(request, address, begin, begin + timedelta(days=1)))


def day_of(path: dict[str, Any]) -> datetime:
    """The begin of the day that a path names; raises Problem (404) for a day of which there can be no recording."""
    try:
        if not FIRST_YEAR <= path["year"] <= LAST_YEAR:
            raise ValueError(path["year"])
        return datetime(path["year"], path["month"], path["day"], tzinfo=UTC)
    except (ValueError, OverflowError):
        raise not_found(sentence("thing.such_day", "such day")) from None


def _address(request: SkyRequest) -> str:
    """The address asked for; raises Problem (404) for one in the wrong folder or that the caller may not see."""
    path = request.validated["path"]
    address: str = path["icao_hex"]
    hidden = not request.visibility.military and request.sky.is_military(address)
    if path["folder"].lower() != address[-2:] or hidden:
        raise not_found(sentence("thing.track", "track of this aircraft"))
    return address


def _trace(request: SkyRequest, address: str, entries: list[Entry]) -> dict[str, Any]:
    if not entries:
        raise not_found(sentence("thing.track", "track of this aircraft"))
    begin = entries[0][0]
    aircraft = _visible_aircraft(request.sky, address, request.visibility)
    state = {name: aircraft[name] for name in STATE if name in aircraft}
    trace = [[round(entry[0] - begin, 2), *entry[1:]] for entry in entries]
    if state:
        trace[-1][8] = state
    described = {name: aircraft[name] for name in AIRFRAME if name in aircraft}
    return {"icao": address, **described, "timestamp": begin, "trace": trace}


def _visible_aircraft(sky: Sky, address: str, visibility: Visibility) -> dict[str, Any]:
    """The aircraft as it is now; empty where it is not in the sky."""
    row = sky.index.get(address)
    if row is None:
        return {}
    aircraft: dict[str, Any] = msgspec.json.decode(bodies(sky, [row], visibility)[0])
    return aircraft


def _live_entries(request: SkyRequest, address: str) -> list[Entry]:
    if address not in live_sky(request).index:
        return []
    points: list[Point] = request.runtime.shared(picture_replica).trail(address)
    previous = itertools.chain([None], points)
    return [
        _entry(
            point.at,
            point.lat,
            point.lon,
            point.altitude_ft,
            point.on_ground,
            point.gs_kt,
            point.track_deg,
            STALE if before is not None and point.at - before.at > STALE_S else 0,
        )
        for before, point in zip(previous, points, strict=False)
    ]


def _past_entries(request: SkyRequest, address: str, begin: datetime, end: datetime) -> list[Entry]:
    if not is_open(request):
        return []
    session: Session = request.db
    points = tracks.of_aircraft(session, address, begin, end, request.visibility)
    labels_by_flight = Labels(request.visibility).fetch(session, set(points["flight"].tolist()))
    entries: list[Entry] = []
    for part in tracks.split_flights(points):
        begins = len(entries)
        for at, lat, lon, altitude, speed, track, ground, gap in tracks.plain(part):
            entries.append(_entry(at, lat, lon, altitude, ground, speed, track, STALE if gap else 0))
        if begins:
            entries[begins][6] |= NEW_LEG
        label = labels_by_flight.get(int(part["flight"][0]))
        if label is not None and label.callsign:
            entries[begins][8] = {"flight": padded(label.callsign)}
    return entries


def _entry(
    at: float,
    lat: float,
    lon: float,
    altitude_ft: int | None,
    on_ground: bool,
    speed_kt: float | None,
    track_deg: float | None,
    marks: int,
) -> Entry:
    return [at, lat, lon, "ground" if on_ground else altitude_ft, speed_kt, track_deg, marks, None, None]
