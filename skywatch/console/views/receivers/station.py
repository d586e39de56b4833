"""The station: its name and where its antenna is, by numbers, by an airport's name, or by a click on the map."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import colander
from pyramid.response import Response

from skywatch.console.forms.entries import Entries
from skywatch.console.forms.form import read_query
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import RECEIVER_STEP
from skywatch.console.sessions.handover import STATION
from skywatch.console.texts.language import translate
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryInteger, QueryNumber, QueryString, Schema, node
from skywatch.security.permissions import Permission
from skywatch.web.airports import find_airports

PAGES = (
    Page(
        route="console.station",
        path="/station",
        feature="system",
        title="Station",
        group="Receivers",
        permission=Permission.SYSTEM_MANAGE,
    ),
)
NAMES = ("station_name", "station_lat", "station_lon", "station_accuracy")
PLACE = ("station_lat", "station_lon")
LABELS = {
    "station_name": "Name",
    "station_lat": "Latitude (degrees)",
    "station_lon": "Longitude (degrees)",
    "station_accuracy": "Accuracy shown to others",
}


class StationQuery(Schema):
    """Whether the page is a step of a new installation; a place that was chosen elsewhere, or an airport to find."""

    step = node(QueryInteger(), missing=0, validator=colander.Range(2, 2))
    lat = node(QueryNumber(), missing=None, validator=colander.Range(-90, 90))
    lon = node(QueryNumber(), missing=None, validator=colander.Range(-180, 180))
    airport = node(QueryString(), missing="", validator=colander.Length(max=100))


station_page = FormPage("console.station", "station.jinja2", Permission.SYSTEM_MANAGE)


@station_page.get
def show_station(request: Request) -> dict[str, Any]:
    """The name of the station and the position of its antenna"""
    entries = open_entries(request, NAMES)
    query = read_query(request, StationQuery())
    if query["lat"] is not None and query["lon"] is not None:
        chosen = {"station_lat": f"{query['lat']:.6g}", "station_lon": f"{query['lon']:.7g}"}
        entries = Entries({**entries.values, **chosen}, entries.version)
    return {**_page(request), "entries": entries}


@station_page.post
def post_station(request: Request) -> dict[str, Any] | Response:
    """Change name and position; the tracker follows within seconds"""
    onward = RECEIVER_STEP if _is_step(request) else ""
    return save(
        request, NAMES, _page(request), translate(request, "Saved. The picture follows within seconds."), onward
    )


def _page(request: Request) -> dict[str, Any]:
    query = read_query(request, StationQuery())
    settings = describe(request.runtime.current, NAMES)
    airports = find_airports(query["airport"])
    step = {"step": 2} if query["step"] else {}
    return {
        "settings": settings,
        "labels": LABELS,
        "is_step": _is_step(request),
        "onward": RECEIVER_STEP,
        "may_place": all(setting["is_free"] for setting in settings if setting["name"] in PLACE),
        "fixed": [setting for setting in settings if not setting["is_free"]],
        "has_airports": airports is not None,
        "airport": query["airport"],
        "airports": [
            (airport, f"{request.path}?{urlencode({**step, 'lat': airport.lat, 'lon': airport.lon})}")
            for airport in airports or ()
        ],
        "station_page": STATION,
        "is_chosen": query["lat"] is not None and query["lon"] is not None,
        "problem": None,
    }


def _is_step(request: Request) -> bool:
    """Whether the page is the second of the three steps of a new installation."""
    return bool(read_query(request, StationQuery())["step"])
