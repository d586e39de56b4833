"""readsb's API (``/re-api/?...``) and the v2 interface of adsb.lol and its relatives, for programs written for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import colander
from pyramid.response import Response

from skywatch.aircraft.live import live_response, refuse_hidden_filters
from skywatch.aircraft.schemas import LATITUDE, LONGITUDE
from skywatch.http.resources.render import json_response
from skywatch.http.resources.schema import QueryNumber, QueryString, Schema, node
from skywatch.http.resources.service import ApiService
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.readsb import queries
from skywatch.readsb.bincraft import BINARY, PACKED_BINARY
from skywatch.security.permissions import Permission

# As adsb.lol: the largest radius around a point (nm).
MAX_V2_RADIUS_NM = 250.0


re_api = ApiService("readsb.api", "/re-api", trailing_slash=True, feature="aircraft", absolute=True, tag="re-api")
v2_all = ApiService("readsb.v2_all", "/v2/all", feature="aircraft", absolute=True, tag="v2")
v2_military = ApiService("readsb.v2_mil", "/v2/mil", feature="aircraft", absolute=True, tag="v2")
v2_pia = ApiService("readsb.v2_pia", "/v2/pia", feature="aircraft", absolute=True, tag="v2")
v2_ladd = ApiService("readsb.v2_ladd", "/v2/ladd", feature="aircraft", absolute=True, tag="v2")
v2_squawk = ApiService("readsb.v2_squawk", "/v2/squawk/{text}", feature="aircraft", absolute=True, tag="v2")
v2_sqk = ApiService("readsb.v2_sqk", "/v2/sqk/{text}", feature="aircraft", absolute=True, tag="v2")
v2_type = ApiService("readsb.v2_type", "/v2/type/{text}", feature="aircraft", absolute=True, tag="v2")
v2_registration = ApiService(
    "readsb.v2_registration", "/v2/registration/{text}", feature="aircraft", absolute=True, tag="v2"
)
v2_reg = ApiService("readsb.v2_reg", "/v2/reg/{text}", feature="aircraft", absolute=True, tag="v2")
v2_hex = ApiService("readsb.v2_hex", "/v2/hex/{text}", feature="aircraft", absolute=True, tag="v2")
v2_icao = ApiService("readsb.v2_icao", "/v2/icao/{text}", feature="aircraft", absolute=True, tag="v2")
v2_callsign = ApiService("readsb.v2_callsign", "/v2/callsign/{text}", feature="aircraft", absolute=True, tag="v2")
v2_point = ApiService("readsb.v2_point", "/v2/point/{lat}/{lon}/{radius}", feature="aircraft", absolute=True, tag="v2")
v2_dist = ApiService(
    "readsb.v2_dist", "/v2/lat/{lat}/lon/{lon}/dist/{radius}", feature="aircraft", absolute=True, tag="v2"
)
v2_closest = ApiService(
    "readsb.v2_closest", "/v2/closest/{lat}/{lon}/{radius}", feature="aircraft", absolute=True, tag="v2"
)

_JSON: dict[int, Any] = {200: "application/json", 304: None}
READ: dict[str, Any] = {"permission": Permission.AIRCRAFT_VIEW, "any_query": True, "responses": _JSON}
BINARY_TOO = READ | {"responses": {200: ("application/json", BINARY, PACKED_BINARY), 304: None}}


class TextPath(Schema):
    text = node(QueryString(), "What to look for; several are separated by commas.")


class PointPath(Schema):
    lat = node(QueryNumber(), validator=LATITUDE)
    lon = node(QueryNumber(), validator=LONGITUDE)
    radius = node(QueryNumber(), "nm; 250 at most count.", validator=colander.Range(0, queries.MAX_RADIUS_NM))


@re_api.get(**BINARY_TOO)
def query_readsb_api(request: SkyRequest) -> Response:
    """Live aircraft by a query in the language of readsb's API

    One of `all`, `all_with_pos`, `box=south,north,west,east`, `circle=lat,lon,nm`, `closest=lat,lon,nm`, `find_hex`,
    `find_callsign`, `find_reg`, `find_type` (lists separated by commas), and filters: `filter_with_pos`, `filter_mil`,
    `filter_interesting`, `filter_pia`, `filter_ladd`, `filter_squawk`, `filter_type`, `filter_callsign_exact`,
    `filter_callsign_prefix`, `above_alt_baro`, `below_alt_baro`. With `jv2` the answer has the form of v2, with
    `binCraft` it is rows of fixed width, with `zstd` it is packed. Other parameters are passed over. Searching by
    registration needs `aircraft.view_details`.
    """
    query = queries.parse(request.query_string)
    if "status" in query.bare:
        return json_response(b"{}")
    return _answered(request, query)


@v2_all.get(**READ)
def list_v2_aircraft(request: SkyRequest) -> Response:
    """All live aircraft, as v2"""
    return _matching(request, ["all"])


@v2_military.get(**READ)
def list_v2_military_aircraft(request: SkyRequest) -> Response:
    """Military aircraft, as v2; without `aircraft.view_military` there are none"""
    return _matching(request, ["all", "filter_mil"])


@v2_pia.get(**READ)
def list_v2_aircraft_with_privacy_addresses(request: SkyRequest) -> Response:
    """Aircraft with privacy addresses (PIA), as v2"""
    return _matching(request, ["all", "filter_pia"])


@v2_ladd.get(**READ)
def list_v2_aircraft_on_ladd(request: SkyRequest) -> Response:
    """Aircraft whose owners limit the display of their data (LADD), as v2"""
    return _matching(request, ["all", "filter_ladd"])


@v2_sqk.get(path=TextPath(), operation_id="list_v2_aircraft_by_sqk", **READ)
@v2_squawk.get(path=TextPath(), **READ)
def list_v2_aircraft_by_squawk(request: SkyRequest) -> Response:
    """Aircraft with a squawk, as v2"""
    return _matching(request, ["all", f"filter_squawk={_text(request)}"])


@v2_type.get(path=TextPath(), **READ)
def list_v2_aircraft_by_type(request: SkyRequest) -> Response:
    """Aircraft of a type (ICAO designator), as v2"""
    return _matching(request, [f"find_type={_text(request)}"])


@v2_reg.get(path=TextPath(), operation_id="list_v2_aircraft_by_reg", **READ)
@v2_registration.get(path=TextPath(), **READ)
def list_v2_aircraft_by_registration(request: SkyRequest) -> Response:
    """Aircraft by registration, as v2; needs `aircraft.view_details`"""
    return _matching(request, [f"find_reg={_text(request)}"])


@v2_icao.get(path=TextPath(), operation_id="list_v2_aircraft_by_icao", **READ)
@v2_hex.get(path=TextPath(), **READ)
def list_v2_aircraft_by_hex(request: SkyRequest) -> Response:
    """Aircraft by ICAO address, as v2"""
    return _matching(request, [f"find_hex={_text(request)}"])


@v2_callsign.get(path=TextPath(), **READ)
def list_v2_aircraft_by_callsign(request: SkyRequest) -> Response:
    """Aircraft by callsign, as v2"""
    return _matching(request, [f"find_callsign={_text(request)}"])


@v2_dist.get(path=PointPath(), operation_id="list_v2_aircraft_within_distance", **READ)
@v2_point.get(path=PointPath(), **READ)
def list_v2_aircraft_around_point(request: SkyRequest) -> Response:
    """Aircraft around a point, as v2"""
    return _matching(request, [f"circle={_circle(request)}"])


@v2_closest.get(path=PointPath(), **READ)
def get_v2_closest_aircraft(request: SkyRequest) -> Response:
    """The aircraft closest to a point, as v2"""
    return _matching(request, [f"closest={_circle(request)}"])


def _text(request: SkyRequest) -> str:
    return quote(request.validated["path"]["text"], safe=",")


def _circle(request: SkyRequest) -> str:
    path = request.validated["path"]
    return f"{path['lat']:.8f},{path['lon']:.8f},{min(path['radius'], MAX_V2_RADIUS_NM):.4f}"


def _matching(request: SkyRequest, parameters: Iterable[str]) -> Response:
    return _answered(request, queries.parse("&".join((*parameters, "jv2"))))


def _answered(request: SkyRequest, query: queries.Query) -> Response:
    if "find_reg" in query.lists:
        refuse_hidden_filters(request.visibility, {"registration"})
    return live_response(
        request,
        lambda sky, visibility: queries.answer(sky, query, visibility),
        query.key,
        content_type=query.content_type,
    )
