"""Receivers and inputs: how they are, and those of the database added, changed, tried and removed."""

from __future__ import annotations

from typing import Any

import colander
from pyramid.response import Response
from pyramid.view import view_config

from skywatch.accounts.identity.caller import caller_of
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries, read_entries
from skywatch.console.forms.form import read_query
from skywatch.console.forms.trials import try_input
from skywatch.console.pages.page import FormPage, Page
from skywatch.console.pages.reception import describe_inputs
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid, not_found
from skywatch.core.reporting.logs import without_passwords
from skywatch.core.storing import stored_settings
from skywatch.core.storing.audit import Target
from skywatch.core.storing.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import JsonString, QueryInteger, QueryString, Schema
from skywatch.inputs.trial import Trial
from skywatch.security.permissions import Permission

LIST = f"{HOME}/receivers"
PAGES = (
    Page(
        route="console.receivers",
        path="/receivers",
        feature="system",
        title="Receivers",
        group="Receivers",
        permission=Permission.SYSTEM_MANAGE,
    ),
    Page(route="console.receiver", path="/receivers/input", feature="system"),
)


class InputQuery(Schema):
    """Which input is edited; none for another one."""

    name = colander.SchemaNode(QueryString(), missing="", validator=colander.Length(max=100))
    # The third of the three steps of a new installation.
    step = colander.SchemaNode(QueryInteger(), missing=0, validator=colander.Range(3, 3))


class InputForm(Schema):
    """An input as it is entered."""

    family = colander.SchemaNode(JsonString(), missing="")
    name = colander.SchemaNode(JsonString(), missing="")
    text = colander.SchemaNode(JsonString(), missing="")


@view_config(
    route_name="console.receivers",
    request_method="GET",
    permission=Permission.SYSTEM_MANAGE,
    renderer="receivers.jinja2",
)
def show_receivers(request: Request) -> dict[str, Any]:
    """Receivers and inputs with their states, rates, errors, accuracy and range"""
    unused = [row for row in stored_settings.listed(request.db, request.runtime.settings) if row.fault]
    families = tuple(request.runtime.features.editable_inputs())
    return {
        "rows": describe_inputs(request.runtime, request.sky),
        "unused": [row for row in unused if row.name.startswith(families)],
    }


receiver_page = FormPage("console.receiver", "receiver.jinja2", Permission.SYSTEM_MANAGE)


@receiver_page.get
def show_receiver(request: Request) -> dict[str, Any]:
    """The form of an input of the database, or of another one"""
    return _page(request, _opened(request))


@receiver_page.post
def post_receiver(request: Request) -> dict[str, Any] | Response:
    """Try, save or remove an input; the tracker follows within seconds"""
    entries = read_entries(request, InputForm(), "do")
    # Which button was pressed is no value of the form.
    values = dict(entries.values)
    what = values.pop("do", "")
    entries = Entries(values, entries.version)
    try:
        full_name = _name(request) or _new_name(request, entries)
        if what == "try":
            return _try(request, full_name, entries)
        if what not in ("save", "remove"):
            raise invalid("do", "must be try, save or remove")
        _change(request, full_name, entries, is_removed=what == "remove")
    except Problem as problem:
        stored = _opened(request)
        again = entries.refused(_beside_fields(problem), Entries({}, stored.version) if what == "remove" else stored)
        return refused(request, again.problem or problem, _page(request, again))
    if _is_step(request):
        return done(request, HOME, translate(request, "{name} is saved. The installation is set up.", name=full_name))
    if what == "remove":
        text = translate(request, "{name} is removed. The tracker follows within seconds.", name=full_name)
    else:
        text = translate(request, "{name} is saved. The tracker follows within seconds.", name=full_name)
    return done(request, LIST, text)


def _try(request: Request, full_name: str, entries: Entries) -> dict[str, Any]:
    family, _, name = full_name.partition(".")
    # A session of its own: the request's would hold the database's lock while the trial runs.
    with request.runtime.sessions() as session:
        row = stored_settings.read(session, request.runtime.settings).get(full_name)
    if _name(request) and row is None:
        raise _no_input()
    text = _text(entries, row if _name(request) else None)
    return _page(request, entries, try_input(request.runtime, caller_of(request).actor, f"{family}.", name, text))


def _change(request: Request, full_name: str, entries: Entries, *, is_removed: bool) -> None:
    target = Target("setting", full_name, full_name)
    with changing(request, "setting.changed", target) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        settings = request.runtime.settings
        row = stored_settings.read(session, settings).get(full_name)
        if not _name(request) and row is not None:
            raise invalid("name", "is already in use")
        check_version(session, target, entries.version, _stamp(row))
        text = None if is_removed else _text(entries, row)
        stored_settings.change(session, settings, caller.actor, {full_name: text})
    request.runtime.stored.expire()


def _text(entries: Entries, row: stored_settings.StoredValue | None) -> str:
    """What was entered; what is stored where an address with credentials was left as it is."""
    text = str(entries.value("text")).strip() or (row.text if row is not None and row.text is not None else "")
    if not text:
        raise invalid("text", "is missing")
    return text


def _name(request: Request) -> str:
    """The input that the address names, or nothing; raises Problem (404) for any other setting."""
    name: str = read_query(request, InputQuery())["name"]
    if name and not name.startswith(tuple(request.runtime.features.editable_inputs())):
        raise _no_input()
    return name


def _is_step(request: Request) -> bool:
    return bool(read_query(request, InputQuery())["step"])


def _new_name(request: Request, entries: Entries) -> str:
    family, name = str(entries.value("family")), str(entries.value("name")).strip()
    if family not in request.runtime.features.editable_inputs():
        raise invalid("family", "is missing")
    full_name = family + name
    if not stored_settings.is_storable(request.runtime.settings, full_name):
        raise invalid("name", stored_settings.NAME_RULE)
    if full_name in request.runtime.settings.sources:
        raise invalid("name", "is already in use: the ini file or the environment sets it")
    return full_name


def _opened(request: Request) -> Entries:
    name = _name(request)
    if not name:
        return Entries({"family": "receiver."}, version_of(_stamp(None)))
    row = stored_settings.read(request.db, request.runtime.settings).get(name)
    if row is None:
        raise _no_input()
    # An address with credentials is not shown again: whoever changes it enters it anew.
    text = "" if row.text is None or without_passwords(row.text) != row.text else row.text
    return Entries({"text": text}, version_of(_stamp(row)))


def _no_input() -> Problem:
    return not_found("receiver or input in the database")


def _stamp(row: stored_settings.StoredValue | None) -> str:
    """What a form is opened with: never the text, because a version is sent to the browser."""
    return "" if row is None else row.updated_at.isoformat()


def _page(request: Request, entries: Entries, trial: Trial | None = None) -> dict[str, Any]:
    name = _name(request)
    row = stored_settings.read(request.db, request.runtime.settings).get(name) if name else None
    shown = "" if row is None or row.text is None else without_passwords(row.text)
    features = request.runtime.features
    families = features.editable_inputs()
    titles = {family.prefix: family.title for family in features.input_families.values()}
    return {
        "name": name,
        "is_hidden": row is not None and row.text is not None and shown != row.text,
        "shown": shown,
        "families": [(prefix, translate(request, titles[prefix])) for prefix in families],
        "examples": [(titles[prefix], family.example) for prefix, family in families.items()],
        "entries": entries,
        "trial": trial,
        "is_step": _is_step(request),
        "problem": entries.problem,
    }


def _beside_fields(problem: Problem) -> Problem:
    """The problem with the faults of the setting itself beside the field of its text."""
    if not problem.errors:
        return problem
    errors = [{**error, "name": "text" if "." in error["name"] else error["name"]} for error in problem.errors]
    return Problem(problem.kind.code, problem.detail, errors=errors)
