"""readsb's own files under ``/data/``, so that tar1090 and other readers of readsb work with Skywatch.

Such readers add query parameters of their own (to get past caches), so these are not looked at here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pyramid.response import Response

from skywatch.aircraft import filters
from skywatch.aircraft.live import live_response
from skywatch.core.version import VERSION
from skywatch.http.render import encode
from skywatch.http.service import ApiService
from skywatch.picture.request import SkyRequest
from skywatch.picture.sky import Sky
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

aircraft_json = ApiService("readsb.aircraft", "/data/aircraft.json", feature="aircraft", absolute=True)
receiver_json = ApiService("readsb.receiver", "/data/receiver.json", feature="aircraft", absolute=True)

REFRESH_MS = 1000
# Members that readsb has under a name of its own. In encoded JSON such bytes can only be a member's name: within a
# string the quotation marks are escaped.
READSB_NAMES = ((b'"distance_nm":', b'"r_dst":'), (b'"bearing":', b'"r_dir":'))


@aircraft_json.get(permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: "application/json", 304: None})
def get_aircraft_json(request: SkyRequest) -> Response:
    """The picture as readsb writes it into aircraft.json

    Distance and bearing have readsb's names. Skywatch's other members are there too; readers of readsb pass over
    what they do not know.
    """

    def build(sky: Sky, may: Visibility) -> bytes:
        rows = np.flatnonzero(filters.select(sky, {}, military=may.military))
        head = b'{"now":%s,"messages":%d,"aircraft":' % (encode(round(sky.now, 3)), sky.messages)
        bodies = sky.bodies(rows, may.details)
        for name, readsb_name in READSB_NAMES:
            bodies = bodies.replace(name, readsb_name)
        return head + bodies + b"}"

    return live_response(request, build)


@receiver_json.get(permission=Permission.AIRCRAFT_VIEW, any_query=True, responses={200: "application/json"})
def get_receiver_json(request: SkyRequest) -> dict[str, Any]:
    """The description of the receiver as readsb writes it into receiver.json"""
    sky = request.sky
    described: dict[str, Any] = {
        "refresh": REFRESH_MS,
        "history": 0,
        "readsb": True,
        "version": f"skywatch {VERSION}",
    }
    if sky.station is not None:
        described |= {"lat": sky.station[0], "lon": sky.station[1]}
    return described
