"""readsb's own files under ``/data/``, so that tar1090 and other readers of readsb work with Skywatch.

Such readers add query parameters of their own (to get past caches), so these are not looked at here.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from pyramid.response import Response

from skywatch.aircraft import filters
from skywatch.aircraft.live import live_response
from skywatch.airframes.military import hidden_from
from skywatch.core.clock import unix_now
from skywatch.core.problems import not_found
from skywatch.core.process.version import VERSION
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.schema import QueryInteger, Schema, node
from skywatch.http.resources.service import ApiService
from skywatch.picture.counted import counted_rows, counts_simulated
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.picture.settings import PictureSettings
from skywatch.picture.state.sky import Sky
from skywatch.readsb.bincraft import BINARY, PACKED_BINARY, encode_rows, packed
from skywatch.readsb.bodies import bodies
from skywatch.readsb.statistics import Figures
from skywatch.readsb.tar1090.outline import range_outline
from skywatch.readsb.tar1090.past_pictures import (
    INTERVAL_S,
    is_open,
    newest_moment,
    offered,
    readsb_pictures,
)
from skywatch.readsb.topics import STATISTICS
from skywatch.receivers.reports.report import SOURCES
from skywatch.receivers.settings import ReceiverSettings, is_simulated
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

aircraft_json = ApiService("readsb.aircraft", "/data/aircraft.json", feature="aircraft", absolute=True)
aircraft_binary = ApiService("readsb.bincraft", "/data/aircraft.binCraft", feature="aircraft", absolute=True)
aircraft_packed = ApiService("readsb.bincraft_zst", "/data/aircraft.binCraft.zst", feature="aircraft", absolute=True)
receiver_json = ApiService("readsb.receiver", "/data/receiver.json", feature="aircraft", absolute=True)
outline_json = ApiService("readsb.outline", "/data/outline.json", feature="aircraft", absolute=True)
stats_json = ApiService("readsb.stats", "/data/stats.json", feature="aircraft", absolute=True)
history_json = ApiService("readsb.history", "/data/history_{number}.json", feature="aircraft", absolute=True)

REFRESH_MS = 1000


class HistoryPath(Schema):
    number = node(QueryInteger(), "0 for the newest picture, one more for each 30 s before.")


@aircraft_json.get(permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: "application/json", 304: None})
def get_aircraft_json(request: SkyRequest) -> Response:
    """The picture as readsb writes it into aircraft.json

    Distance and bearing have readsb's names, callsigns eight characters. Skywatch's other members are there too;
    readers of readsb pass over what they do not know.
    """

    def build(sky: Sky, visibility: Visibility) -> bytes:
        rows = np.flatnonzero(filters.select(sky, {}, military=visibility.military))
        head = b'{"now":%s,"messages":%d,"aircraft":[' % (encode(round(sky.now, 3)), sky.messages)
        return head + b",".join(bodies(sky, rows, visibility)) + b"]}"

    return live_response(request, build)


@aircraft_binary.get(permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: BINARY, 304: None})
def get_aircraft_bincraft(request: SkyRequest) -> Response:
    """The picture in readsb's rows of fixed width (binCraft)

    What aircraft.json has, without Skywatch's own members, resolution advisories and the lists `mlat` and `tisb`.
    """
    return live_response(request, _all_rows, content_type=BINARY)


@aircraft_packed.get(permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: PACKED_BINARY, 304: None})
def get_packed_aircraft_bincraft(request: SkyRequest) -> Response:
    """The picture as binCraft, packed with zstd"""
    return live_response(request, lambda sky, seen: packed(_all_rows(sky, seen)), content_type=PACKED_BINARY)


def _all_rows(sky: Sky, visibility: Visibility) -> bytes:
    rows = np.flatnonzero(filters.select(sky, {}, military=visibility.military))
    return encode_rows(sky, rows.tolist(), visibility)


@receiver_json.get(permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: "application/json"})
def get_receiver_json(request: SkyRequest) -> dict[str, Any]:
    """The description of the receiver as readsb writes it into receiver.json

    `history` says how many pictures of the past there are (`/data/history_N.json`), `outlineJson` whether there is a
    range outline, `haveTraces` that there are tracks (`/data/traces/`), `binCraft` and `zstd` that the picture is there
    in these forms, `simulated` that no aircraft is a real one.
    """
    sky = request.sky
    shows_past = is_open(request)
    described: dict[str, Any] = {
        "refresh": REFRESH_MS,
        "history": offered(len(sky)) if shows_past else 0,
        "readsb": True,
        "haveTraces": True,
        "binCraft": True,
        "zstd": True,
        "version": f"skywatch {VERSION}",
    }
    if is_simulated(request.runtime.current.of(ReceiverSettings).receivers):
        described["simulated"] = True
    # Not of the picture, which is not there yet when the service has just started.
    station = request.runtime.current.of(PictureSettings).station_for(exact=request.visibility.exact_station)
    if station is not None:
        described |= {"lat": station[0], "lon": station[1], "outlineJson": shows_past}
    return described


@stats_json.get(permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: "application/json", 304: None})
def get_stats_json(request: SkyRequest) -> Response:
    """What was received, as readsb writes it into stats.json

    The periods are those of all receivers together; `local` is a radio of this service's own, which it has not.
    """
    published = request.runtime.bus.last(STATISTICS)
    form = "every" if request.visibility.military else "civil"
    if published is None:  # before the tracker's first tick
        periods = Figures(request.sky.now).periods(request.visibility.military)
    else:
        periods = msgspec.json.decode(published.data)[form]

    counts = counts_simulated(request.db)

    def build(sky: Sky, visibility: Visibility) -> bytes:
        return encode({"now": round(sky.now, 1), **_by_type(sky, visibility, simulated=counts), **periods})

    return live_response(request, build, f"{periods['total']['end']} {counts}", with_details=False)


@history_json.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=HistoryPath(),
    any_query=True,
    responses={200: "application/json"},
    errors=(404,),
)
def get_history_json(request: SkyRequest) -> Response:
    """A picture of the last hour as readsb writes it into history_N.json

    Pages draw the trails of aircraft from these when they are opened.
    """
    number = request.validated["path"]["number"]
    # tar1090 requests one more than announced.
    if not is_open(request) or not 0 <= number <= offered(len(request.sky)):
        raise not_found(sentence("thing.past_picture", "picture of the past"))
    past = request.runtime.shared(readsb_pictures)
    newest = newest_moment(request, unix_now())
    return json_response(past.picture(request.db, newest - number * INTERVAL_S, newest, request.visibility))


@outline_json.get(
    permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: "application/json"}, errors=(404,)
)
def get_outline_json(request: SkyRequest) -> dict[str, Any]:
    """The range outline as readsb writes it into outline.json

    The farthest position of the last 24 hours in each direction from the station that its receivers heard:
    `[lat, lon, altitude_ft]`.
    """
    station = request.sky.station
    if station is None or not is_open(request):
        raise not_found(sentence("thing.range_outline", "range outline"))
    outline = request.runtime.shared(range_outline)
    points = outline.points(
        request.db,
        station,
        unix_now(),
        hidden_from(request.visibility, request.db),
        simulated=counts_simulated(request.db),
    )
    return {"actualRange": {"last24h": {"points": points}}}


def _by_type(sky: Sky, visibility: Visibility, *, simulated: bool) -> dict[str, Any]:
    """How many aircraft there are that count, with and without a position and by the source of their data."""
    mask = filters.select(sky, {}, military=visibility.military) & counted_rows(sky, simulated=simulated)
    with_position = int(np.count_nonzero(~np.isnan(sky.column("lat")[mask])))
    counts = np.bincount(sky.column("source")[mask], minlength=len(SOURCES)).tolist()
    return {
        "aircraft_with_pos": with_position,
        "aircraft_without_pos": int(np.count_nonzero(mask)) - with_position,
        "aircraft_count_by_type": dict(zip(SOURCES, counts, strict=True)),
    }
