"""The station: its name and where its antenna is, by numbers, by a town or airport, or by a click on the map."""

from __future__ import annotations

import re
from typing import Any

import colander
from pyramid.response import Response

from skywatch.console.forms.entries import Entries, read_entries
from skywatch.console.forms.form import read_query
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import RECEIVER_STEP
from skywatch.console.sessions.handover import STATION
from skywatch.console.texts.language import translate
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryInteger, QueryNumber, Schema, node
from skywatch.security.permissions import Permission
from skywatch.web.airports import find_airports, find_towns

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
# What the form has besides the settings: what is looked for, and the button.
FINDING = ("find", "do")
MAX_FIND = 100
CHOSEN = re.compile(r"(-?[0-9]{1,2}(?:\.[0-9]{1,8})?),(-?[0-9]{1,3}(?:\.[0-9]{1,8})?)")
LABELS = {
    "station_name": "Name",
    "station_lat": "Latitude (degrees)",
    "station_lon": "Longitude (degrees)",
    "station_accuracy": "Accuracy shown to others",
}


class StationQuery(Schema):
    """Whether the page is a step of a new installation, and a place that was chosen on the map."""

    step = node(QueryInteger(), missing=0, validator=colander.Range(2, 2))
    lat = node(QueryNumber(), missing=None, validator=colander.Range(-90, 90))
    lon = node(QueryNumber(), missing=None, validator=colander.Range(-180, 180))


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
    """Change name and position, or find a town or airport; the tracker follows within seconds"""
    entries = read_entries(request, colander.SchemaNode(colander.Mapping()), *NAMES, *FINDING)
    find, do = (str(entries.value(name)).strip()[:MAX_FIND] for name in FINDING)
    chosen = CHOSEN.fullmatch(do)
    if chosen is not None:
        # Whoever has chosen looks for nothing any more.
        values = {"station_lat": chosen[1], "station_lon": chosen[2], "find": ""}
        return {**_page(request), "entries": entries.with_values(values), "is_chosen": True}
    if do == "find" and find:
        return {**_page(request, find), "entries": entries}
    onward = RECEIVER_STEP if _is_step(request) else ""
    text = translate(request, "Saved. The picture follows within seconds.")
    return save(request, NAMES, _page(request), text, onward, FINDING)


def _page(request: Request, find: str = "") -> dict[str, Any]:
    query = read_query(request, StationQuery())
    settings = describe(request.runtime.current, NAMES)
    airports = find_airports(find)
    return {
        "settings": settings,
        "labels": LABELS,
        "is_step": _is_step(request),
        "onward": RECEIVER_STEP,
        "may_place": all(setting["is_free"] for setting in settings if setting["name"] in PLACE),
        "fixed": [setting for setting in settings if not setting["is_free"]],
        "has_airports": airports is not None,
        "find": find,
        "towns": find_towns(find),
        "airports": airports or (),
        "station_page": STATION,
        "is_chosen": query["lat"] is not None and query["lon"] is not None,
        "problem": None,
    }


def _is_step(request: Request) -> bool:
    """Whether the page is the second of the three steps of a new installation."""
    return bool(read_query(request, StationQuery())["step"])
