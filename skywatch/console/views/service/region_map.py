"""The detailed map of the region: how large it would be, fetching it, stopping that, and removing it."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyramid.response import Response

from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries
from skywatch.console.forms.form import read_form
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid
from skywatch.http.requests.request import Request
from skywatch.picture.settings import PictureSettings
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.web.region import job as jobs
from skywatch.web.region.cut import Region
from skywatch.web.region.place import region_file
from skywatch.web.settings import WebSettings

ADDRESS = f"{HOME}/maps/region"
PAGES = (
    Page(
        route="console.region_map",
        path="/maps/region",
        feature="system",
        title="Detailed map",
        group="Data",
        permission=Permission.SYSTEM_MANAGE,
    ),
)
NAMES = ("map_region_url",)
# What is offered: radii (nm), and the last zooms of main roads, and of buildings.
RADII_NM = (25, 50, 100, 150, 250)
ROADS, BUILDINGS = 11, 13
USUAL = {"radius_nm": "100", "max_zoom": str(BUILDINGS)}


region_page = FormPage("console.region_map", "region_map.jinja2", Permission.SYSTEM_MANAGE)


@region_page.get
def show_region(request: Request) -> dict[str, Any]:
    """The detailed map of the region: what is there, and what is being fetched"""
    return {**_page(request), "entries": open_entries(request, NAMES)}


@region_page.post
def post_region(request: Request) -> dict[str, Any] | Response:
    """Ask for the size of a map, fetch it, stop that, or remove it; or change the source"""
    if "do" not in request.POST:
        return save(request, NAMES, _page(request), translate(request, "Saved."))
    form = read_form(request, "do", "radius_nm", "max_zoom")
    try:
        text = _change(request, form.get("do", ""), form)
    except Problem as problem:
        return refused(request, problem, {**_page(request), "entries": open_entries(request, NAMES)})
    return done(request, ADDRESS, text)


def _change(request: Request, what: str, form: dict[str, str]) -> str:
    actions = {
        "measure": jobs.MEASURED,
        "get": jobs.BEGUN,
        "stop": jobs.STOPPED,
        "discard": jobs.REMOVED,
        "remove": jobs.REMOVED,
    }
    if what not in actions:
        raise invalid("do", sentence("console.do_region", "must be measure, get, stop, discard or remove"))
    path = region_file(request.runtime.settings)
    if path is None:
        raise Problem("conflict", sentence("region.no_place", "There is no place for the map: name map_region_file."))
    with changing(request, actions[what], jobs.TARGET) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        if what == "measure":
            source = request.runtime.current.of(WebSettings).map_region_url
            region, margin_nm = _region(request, form)
            jobs.ask_size(session, caller.actor, region, source, margin_nm=margin_nm)
            return translate(request, "The size is being read.")
        if what == "get":
            jobs.begin(session, caller.actor)
            return translate(request, "The map is being fetched.")
        if what == "stop":
            jobs.stop(session, caller.actor)
            return translate(request, "Stopped.")
        jobs.forget(session, caller.actor)
        if what == "discard":
            return translate(request, "Discarded.")
        _remove(path)
        return translate(request, "The map is removed.")


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise Problem(
            "conflict", sentence("region.not_removed", "The map cannot be removed: {reason}", reason=why)
        ) from None


def _region(request: Request, form: dict[str, str]) -> tuple[Region, float]:
    """What was chosen, around the place that everybody may know, and how far (nm) the station is from there at most."""
    rough = request.runtime.current.of(PictureSettings).rough_station
    if rough is None:
        raise Problem("conflict", sentence("region.no_station", "The station has no position yet."))
    radius, zoom = form.get("radius_nm", ""), form.get("max_zoom", "")
    if radius not in map(str, RADII_NM):
        raise invalid("radius_nm", sentence("console.not_offered", "is none of those that are offered"))
    if zoom not in (str(ROADS), str(BUILDINGS)):
        raise invalid("max_zoom", sentence("console.not_offered", "is none of those that are offered"))
    (latitude, longitude), margin_nm = rough
    return Region(latitude, longitude, float(radius), int(zoom)), margin_nm


def _page(request: Request) -> dict[str, Any]:
    path = region_file(request.runtime.settings)
    # A session of its own: that of a POST would hold the database's lock before the change.
    with request.runtime.sessions() as session:
        job = jobs.read_job(session)
    size, free = None, None
    if path is not None:
        with suppress(OSError):
            free = shutil.disk_usage(path.parent).free
            size = path.stat().st_size
    chosen = {"radius_nm": str(job.radius_nm), "max_zoom": str(job.max_zoom)} if job is not None else USUAL
    return {
        "job": job,
        "path": path,
        "size": size,
        "free": free,
        "has_station": request.runtime.current.of(PictureSettings).station is not None,
        "choices": Entries(chosen),
        "radii": [(str(radius), translate(request, "{n} nm", n=radius)) for radius in RADII_NM],
        "details": [
            (str(ROADS), translate(request, "main roads")),
            (str(BUILDINGS), translate(request, "streets, paths and buildings; several times larger")),
        ],
        "settings": {setting["name"]: setting for setting in describe(request.runtime.current, NAMES)},
        "problem": None,
    }
