"""What is known of airframes: when lists were imported, the import of another one, and which aircraft are military."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.airframes.importers.importer import FORMATS, Outcome
from skywatch.airframes.military import decide, decisions
from skywatch.airframes.service import last_imports
from skywatch.airframes.settings import AirframeSettings
from skywatch.console.forms.airframes import import_list, load_list
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.edit_page import EditPage
from skywatch.console.forms.entries import Entries, fields_of, read_entries
from skywatch.console.forms.form import read_form
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.page import FormPage, Page
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.core.telemetry.logs import without_passwords
from skywatch.http.requests.forms import MEDIA_TYPE, read_upload
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import IcaoAddress, Schema, choice_node, node
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.settings import Settings


def _upload_bytes(settings: Settings) -> int:
    return settings.of(AirframeSettings).airframes_max_bytes


ADDRESS = "airframes_url"
# What may be set of an aircraft, and what it is in the API.
DECISIONS = {"no": False, "yes": True, "lists": None}


class ListForm(Schema):
    """The format of a list that is uploaded."""

    format = choice_node(FORMATS, missing=FORMATS[0])


class DecisionForm(Schema):
    """Whether an aircraft is military."""

    icao_hex = node(IcaoAddress())
    military = choice_node(DECISIONS)


airframes_page = FormPage("console.airframes", "airframes.jinja2", Permission.SYSTEM_MANAGE)


@airframes_page.get
def show_airframes(request: Request) -> dict[str, Any]:
    """When lists of airframes were imported, and the form for another one"""
    return _page(request, _opened(request))


@airframes_page.post
def post_airframes(request: Request) -> dict[str, Any]:
    """Import a list: one that is uploaded, or the one at `airframes_url`; or change that address"""
    if request.content_type != MEDIA_TYPE and ADDRESS in request.POST:
        return save(request, [ADDRESS], _page(request, Entries()), translate(request, "Saved."))
    if request.content_type != MEDIA_TYPE:
        # The token is checked already: what is missing is the file.
        read_form(request, "do", "format")
        raise invalid("list", sentence("field.missing", "is missing"))
    entries = read_entries(request, ListForm(), "do")
    values = dict(entries.values)
    what = values.pop("do", "")
    entries = Entries(values)
    try:
        source = fields_of(ListForm(), entries)["format"]
        if what == "load":
            settings = request.runtime.current.of(AirframeSettings)
            if not settings.airframes_url:
                raise Problem(
                    "conflict", sentence("console.no_list_address", "No address of a list is set (`airframes_url`).")
                )
            outcome = import_list(request, FORMATS[0], load_list(settings))
        elif what == "import":
            outcome = import_list(request, source, read_upload(request).files.get("list", b""))
        else:
            raise invalid("do", sentence("console.do_list", "must be import or load"))
    except Problem as problem:
        return refused(request, problem, _page(request, entries.refused(problem, _opened(request))))
    return _page(request, _opened(request).with_values(entries.values), outcome)


def _decide(request: Request, entries: Entries) -> Response:
    target = Target("airframe", str(entries.value("icao_hex"))[:64].upper())
    fields = fields_of(DecisionForm(), entries)
    with changing(request, "airframe.military_set", target) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        decide(session, caller.actor, fields["icao_hex"], DECISIONS[fields["military"]])
    return done(request, request.path, translate(request, "Saved."))


def _military_page(request: Request, entries: Entries) -> dict[str, Any]:
    shown = decisions(request.db) if request.visibility.military else ()
    return {
        "entries": entries,
        "decisions": shown,
        "choices": [
            ("no", translate(request, "no: shown to everybody who may see aircraft")),
            ("yes", translate(request, "yes: hidden from who may not see military aircraft")),
            ("lists", translate(request, "as lists and receivers say")),
        ],
        "problem": entries.problem,
    }


def _opened(request: Request) -> Entries:
    return open_entries(request, [ADDRESS]).with_values({"format": FORMATS[0]})


def _page(request: Request, entries: Entries, outcome: Outcome | None = None) -> dict[str, Any]:
    # A session of its own: the request's may have begun before the import.
    with request.runtime.sessions() as session:
        imports = last_imports(session)
    return {
        "entries": entries,
        "outcome": outcome,
        "imports": [(name, imports.get(name)) for name in FORMATS],
        "formats": [(name, name) for name in FORMATS],
        "url": without_passwords(request.runtime.current.of(AirframeSettings).airframes_url),
        "address": describe(request.runtime.current, [ADDRESS])[0],
        "problem": entries.problem,
    }


PAGES = (
    Page(
        route="console.airframes",
        path="/airframes",
        feature="system",
        title="Airframes",
        group="Data",
        permission=Permission.SYSTEM_MANAGE,
        upload_bytes=_upload_bytes,
    ),
    EditPage(
        route="console.airframes_military",
        path="/airframes/military",
        feature="system",
        permission=Permission.SYSTEM_MANAGE,
        shows="The aircraft of which somebody has set whether they are military, and the form for another one",
        does="Set whether an aircraft is military",
        template="airframes_military.jinja2",
        schema=DecisionForm(),
        proposed=lambda request: Entries({"military": "no"}),
        save=_decide,
        page=_military_page,
    ),
)
