"""Cannonball's known aircraft: found, added, edited, verified, removed, and whole lists imported."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.cannonball.known import service
from skywatch.cannonball.known.formats.delimited_table import DELIMITERS, ENCODINGS, Unreadable
from skywatch.cannonball.known.imports.lists import FORMS
from skywatch.cannonball.known.imports.update import ImportRefused, Report
from skywatch.cannonball.known.imports.uploads import ImportOptions, import_list
from skywatch.cannonball.known.schemas import (
    STATES,
    KnownAircraftChangeFields,
    KnownFields,
    KnownQuery,
    NewKnownAircraft,
    NewKnownAircraftFields,
)
from skywatch.cannonball.known.search import Filters, find
from skywatch.cannonball.known.service import WRITABLE, defaults, state_of
from skywatch.cannonball.models import KnownAircraft
from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.vocabulary import AgencyType, Source, values
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.edit_page import EditPage
from skywatch.console.forms.entries import Entries, fields_of, read_entries
from skywatch.console.forms.form import read_form, read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.pages.pagination import PAGE_SIZE, turn_pages
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import version_of
from skywatch.http.clients.audit import actor_of
from skywatch.http.requests.forms import MEDIA_TYPE, read_upload
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.schema import Schema, boolean_node, choice_node
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

MANAGE = Permission.CANNONBALL_MANAGE
LIST = f"{HOME}/known-aircraft"
IMPORT = "/known-aircraft/import"
# So many refused lines are listed; all are counted.
REFUSALS_SHOWN = 200


class ImportForm(Schema):
    """How a list is read."""

    format = choice_node(FORMS)
    delimiter = choice_node(DELIMITERS)
    encoding = choice_node(ENCODINGS)
    keep_good = boolean_node()


@view_config(route_name="console.known", request_method="GET", permission=MANAGE, renderer="known_aircraft.jinja2")
def show_known_aircraft(request: Request) -> dict[str, Any]:
    """Known aircraft by address, found by part of address, registration or agency, by type, state and source"""
    query = read_query(request, KnownQuery())
    offset = query.pop("offset")
    query.pop("limit")
    matches = find(request.db, request.visibility, Filters(**query), offset, PAGE_SIZE)
    return {
        "aircraft": matches.entries,
        "count": matches.count,
        "verified": matches.verified_count,
        "query": query,
        "pages": turn_pages(request, offset, matches.count),
        **_choices(),
    }


def _create(request: Request, entries: Entries) -> Response:
    # What is left empty is derived from the agency's name, or stays empty.
    blank = tuple(name for name in WRITABLE if name != "verified")
    fields = NewKnownAircraftFields.of(fields_of(NewKnownAircraft(), entries, blank=(*blank, "icao_hex")))
    with changing(request, "known_aircraft.created", Target("known_aircraft")) as (session, caller):
        caller.begin(session, MANAGE)
        entry = service.create(session, actor_of(request), fields)
    return done(request, f"{LIST}/{entry.id}", translate(request, "{name} is on the list.", name=entry.icao_hex))


known_entry_page = FormPage("console.known_entry", "known_aircraft_entry.jinja2", MANAGE)


@known_entry_page.get
def show_known_aircraft_entry(request: Request) -> dict[str, Any]:
    """One known aircraft"""
    return _page(request, _opened(_entry(request)))


@known_entry_page.post
def post_known_aircraft_entry(request: Request) -> dict[str, Any] | Response:
    """Change, verify or remove a known aircraft"""
    entries = read_entries(request, KnownFields(), "do")
    fields = dict(entries.values)
    what = fields.pop("do", "")
    entries = Entries(fields, entries.version)
    try:
        entry, text = _change(request, what, entries)
    except Problem as problem:
        if problem.kind.code == "not_found":
            raise
        entered = entries if what == "save" else Entries(version=entries.version)
        return refused(request, problem, _page(request, entered.refused(problem, _opened(_entry(request)))))
    address = LIST if what == "remove" else f"{LIST}/{entry.id}"
    return done(request, address, text)


known_import_page = FormPage("console.known_import", "known_aircraft_import.jinja2", MANAGE)


@known_import_page.get
def show_known_aircraft_import(request: Request) -> dict[str, Any]:
    """The form with which a list is imported"""
    return _import_page(Entries({"format": "skywatch", "delimiter": "comma", "encoding": "utf-8"}))


@known_import_page.post
def post_known_aircraft_import(request: Request) -> dict[str, Any]:
    """Import a list, or only report what that would do"""
    if request.content_type != MEDIA_TYPE:
        # The token is checked already: what is missing is the file.
        read_form(request, "do", *(node.name for node in ImportForm().children))
        raise invalid("list", sentence("field.missing", "is missing"))
    entries = read_entries(request, ImportForm(), "do")
    options = dict(entries.values)
    is_trial = options.pop("do", "") != "import"
    entries = Entries(options)
    try:
        fields = fields_of(ImportForm(), entries)
        report = _import(request, fields, read_upload(request).files, is_trial=is_trial)
    except Problem as problem:
        return refused(request, problem, _import_page(entries.refused(problem)))
    except ImportRefused as refusal:
        request.response.status_code = 400
        return _import_page(entries, refusal.report, is_refused=True)
    return _import_page(entries, report)


def _change(request: Request, what: str, entries: Entries) -> tuple[KnownAircraft, str]:
    target = Target("known_aircraft", _id(request))
    with changing(request, "known_aircraft.changed", target) as (session, caller):
        caller.begin(session, MANAGE)
        entry = service.get(session, request.visibility, _id(request))
        context = (session, request.visibility, actor_of(request), entry.id)
        if what == "remove":
            service.remove(*context, entries.version)
            return entry, translate(request, "{name} is no longer on the list.", name=entry.icao_hex)
        if what in ("verify", "doubt"):
            service.verify(*context, what == "verify", entries.version)
            if what == "verify":
                return entry, translate(request, "{name} is verified.", name=entry.icao_hex)
            return entry, translate(request, "{name} is no longer verified.", name=entry.icao_hex)
        if what != "save":
            raise invalid("do", sentence("console.do_known", "must be save, verify, doubt or remove"))
        present, fields = state_of(entry), fields_of(KnownFields(), entries)
        # What stays as it is does not count as edited by hand.
        changed = {name: value for name, value in fields.items() if present[name] != value}
        service.change(*context, KnownAircraftChangeFields.of(changed), entries.version)
        return entry, translate(request, "{name} is saved.", name=entry.icao_hex)


def _import(request: Request, fields: dict[str, Any], files: dict[str, bytes], *, is_trial: bool) -> Report:
    listed = files.get("list", b"")
    if not listed:
        raise invalid("list", sentence("console.missing_or_empty", "is missing or empty"))
    options = ImportOptions(**fields, dry_run=is_trial)
    try:
        return import_list(request.runtime, actor_of(request), options, listed, files.get("acftref", b""))
    except Unreadable as fault:
        raise invalid("list", str(fault)) from None


def _opened(entry: KnownAircraft) -> Entries:
    return Entries(state_of(entry), version_of(state_of(entry)))


def _choices() -> dict[str, Any]:
    return {"types": values(AgencyType), "states": STATES, "sources": values(Source)}


def _entry(request: Request) -> KnownAircraft:
    """The entry that the address names; raises Problem (404)."""
    return service.get(request.db, request.visibility, _id(request))


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    entry = _entry(request) if "known" in request.matchdict else None
    return {"entry": entry, "entries": entries, "problem": entries.problem, **_choices()}


def _import_page(entries: Entries, report: Report | None = None, *, is_refused: bool = False) -> dict[str, Any]:
    return {
        "entries": entries,
        "report": report,
        "refused": list(report.refused[:REFUSALS_SHOWN]) if report is not None else [],
        "is_refused": is_refused,
        "formats": tuple(FORMS),
        "delimiters": tuple(DELIMITERS),
        "encodings": ENCODINGS,
        "problem": entries.problem,
    }


def _id(request: Request) -> int:
    return int(request.matchdict["known"])


PAGES = (
    Page(
        route="console.known",
        path="/known-aircraft",
        feature="cannonball",
        title="Known aircraft",
        group="Data",
        permission=MANAGE,
    ),
    EditPage(
        route="console.known_new",
        path="/known-aircraft/new",
        feature="cannonball",
        permission=MANAGE,
        shows="The form of another known aircraft",
        does="Add a known aircraft",
        template="known_aircraft_entry.jinja2",
        schema=NewKnownAircraft(),
        proposed=lambda request: Entries({**defaults(), "agency_type": ""}),
        save=_create,
        page=_page,
    ),
    Page(
        route="console.known_import",
        path=IMPORT,
        feature="cannonball",
        upload_bytes=lambda settings: settings.of(CannonballSettings).cannonball_import_max_bytes,
    ),
    Page(route="console.known_entry", path=f"/known-aircraft/{{known:{NUMBER}}}", feature="cannonball"),
)
