"""The station: its name and where its antenna is."""

from __future__ import annotations

from typing import Any

import colander
from pyramid.response import Response

from skywatch.console.forms.form import read_query
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.pages.page import FormPage, Page
from skywatch.console.routes import RECEIVER_STEP
from skywatch.console.texts.language import translate
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryInteger, Schema
from skywatch.security.permissions import Permission

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


class StationQuery(Schema):
    """Whether the page is a step of a new installation."""

    step = colander.SchemaNode(QueryInteger(), missing=0, validator=colander.Range(2, 2))


NAMES = ("station_name", "station_lat", "station_lon", "station_accuracy")
LABELS = {
    "station_name": "Name",
    "station_lat": "Latitude (degrees)",
    "station_lon": "Longitude (degrees)",
    "station_accuracy": "Accuracy shown to others",
}


station_page = FormPage("console.station", "station.jinja2", Permission.SYSTEM_MANAGE)


@station_page.get
def show_station(request: Request) -> dict[str, Any]:
    """The name of the station and the position of its antenna"""
    return {**_page(request), "entries": open_entries(request, NAMES)}


@station_page.post
def post_station(request: Request) -> dict[str, Any] | Response:
    """Change name and position; the tracker follows within seconds"""
    onward = RECEIVER_STEP if _is_step(request) else ""
    return save(
        request, NAMES, _page(request), translate(request, "Saved. The picture follows within seconds."), onward
    )


def _page(request: Request) -> dict[str, Any]:
    return {
        "settings": describe(request.runtime.current, NAMES),
        "labels": LABELS,
        "is_step": _is_step(request),
        "onward": RECEIVER_STEP,
        "problem": None,
    }


def _is_step(request: Request) -> bool:
    """Whether the page is the second of the three steps of a new installation."""
    return bool(read_query(request, StationQuery())["step"])
