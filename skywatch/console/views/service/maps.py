"""What the map shows below and above the aircraft: base maps, weather radar, airspaces, photos."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.aircraft.airspaces import (
    MAX_BYTES,
    UPLOADED,
    AirspaceStore,
    find_upload,
    parse_upload,
    remove_airspaces,
    store_upload,
)
from skywatch.aircraft.settings import AircraftSettings
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries
from skywatch.console.forms.form import read_form
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.page import FormPage, Page
from skywatch.console.texts.language import translate
from skywatch.console.views.service.base_maps import list_base_maps
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.http.requests.forms import MEDIA_TYPE, read_upload
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.web.built import ground_archives

# Room for the parts of a form around its file.
FORM_BYTES = 10_000
PAGES = (
    Page(
        route="console.maps",
        path="/maps",
        feature="system",
        title="Map",
        group="Data",
        permission=Permission.SYSTEM_MANAGE,
        upload_bytes=lambda settings: MAX_BYTES + FORM_BYTES,
    ),
)
NAMES = ("map_tiles_url", "map_pmtiles", "map_attribution", "weather_tiles_url", "photo_source")


maps_page = FormPage("console.maps", "maps.jinja2", Permission.SYSTEM_MANAGE)


@maps_page.get
def show_maps(request: Request) -> dict[str, Any]:
    """Base maps, weather radar, photos and airspaces"""
    return {**_page(request), "entries": open_entries(request, NAMES)}


@maps_page.post
def post_maps(request: Request) -> dict[str, Any] | Response:
    """Change the sources of the map, upload a file of airspaces, or remove it; in the map when it is opened again"""
    if request.content_type == MEDIA_TYPE:
        return _change_airspaces(request, "upload")
    if "do" in request.POST:
        return _change_airspaces(request, read_form(request, "do").get("do", ""))
    return save(
        request, NAMES, _page(request), translate(request, "Saved. The map has it when its page is opened again.")
    )


def _change_airspaces(request: Request, what: str) -> dict[str, Any] | Response:
    try:
        if what == "upload":
            # Before the change: other writers would wait for megabytes to be parsed.
            form = read_upload(request)
            content = form.files.get("airspaces", b"")
            if not content:
                raise invalid("airspaces", sentence("console.missing_or_empty", "is missing or empty"))
            file, airspaces = parse_upload(form.file_names["airspaces"], content)
        with changing(request, UPLOADED, Target("airspaces")) as (session, caller):
            caller.begin(session, Permission.SYSTEM_MANAGE)
            if what == "upload":
                store_upload(session, caller.actor, file, airspaces.count)
                text = translate(
                    request, "{n} airspace is on the map.|{n} airspaces are on the map.", n=airspaces.count
                )
                if airspaces.faults:
                    text += " " + translate(request, "Left out: {fault}", fault=airspaces.faults[0])
            elif what == "remove":
                remove_airspaces(session, caller.actor)
                text = translate(request, "The airspaces are removed.")
            else:
                raise invalid("do", sentence("console.do_airspaces", "must be upload or remove"))
    except Problem as problem:
        page = {**_page(request), "entries": open_entries(request, NAMES)}
        return refused(request, problem, {**page, "airspace_entries": Entries({"airspaces": ""}, problem=problem)})
    request.runtime.shared(AirspaceStore).expire()
    return done(request, request.path, text)


def _page(request: Request) -> dict[str, Any]:
    # A session of its own: that of a POST would hold the database's lock before the change.
    with request.runtime.sessions() as session:
        upload, maps = find_upload(session), list_base_maps(request, session)
    return {
        "airspace_entries": Entries(),
        "settings": {setting["name"]: setting for setting in describe(request.runtime.current, NAMES)},
        "airspace_file": request.runtime.settings.of(AircraftSettings).airspace_file,
        "upload": upload,
        "base_maps": maps,
        "has_finer_ground": bool(ground_archives()),
        "problem": None,
    }
