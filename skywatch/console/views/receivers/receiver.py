"""A receiver or input of the database: chosen, tried, saved and removed; the last step of a new installation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import colander
from pyramid.response import Response

from skywatch.accounts.identity.caller import caller_of
from skywatch.console.forms import connections
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries, read_entries
from skywatch.console.forms.form import read_query
from skywatch.console.forms.input_trial import try_input
from skywatch.console.page import FormPage, Page
from skywatch.console.pages.notes import flash
from skywatch.console.routes import HOME
from skywatch.console.sessions.handover import to_map
from skywatch.console.texts.language import translate
from skywatch.core import stored_settings
from skywatch.core.hooks import InputFamily, editable_inputs
from skywatch.core.problems import Problem, invalid, not_found
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.core.telemetry.logs import without_passwords
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import (
    QueryInteger,
    QueryString,
    Schema,
    boolean_node,
    node,
    string_node,
)
from skywatch.inputs.trial import Trial
from skywatch.receivers.choices import BY_KIND, CHOICES, PATHS
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.settings import ini_line
from skywatch.system import simulated
from skywatch.web.settings import WebSettings

LIST = f"{HOME}/receivers"
PAGES = (Page(route="console.receiver", path="/receivers/input", feature="system"),)


class InputQuery(Schema):
    """Which input is edited, none for another one; and what discovery has found for that."""

    name = node(QueryString(), missing="", validator=colander.Length(max=100))
    # The third of the three steps of a new installation.
    step = node(QueryInteger(), missing=0, validator=colander.Range(3, 3))
    kind = node(QueryString(), missing="", validator=colander.OneOf(tuple(BY_KIND)))
    host = node(QueryString(), missing="", validator=colander.Length(max=253))
    port = node(QueryInteger(), missing=None, validator=colander.Range(1, 65535))
    path = node(QueryString(), missing="", validator=colander.Length(max=201))


class InputForm(Schema):
    """An input as it is entered: a receiver by kind, host and port, or any by the text of its setting."""

    kind = string_node(missing="")
    host = string_node(missing="")
    port = string_node(missing="")
    path = string_node(missing="")
    family = string_node(missing="")
    name = string_node(missing="")
    text = string_node(missing="")
    simulator_off = boolean_node(missing=False)
    simulated_removed = boolean_node(missing=False)


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
    entries = connections.apart(Entries(values, entries.version))
    try:
        full_name = _name(request) or _new_name(request, entries)
        if what == "try":
            return _try(request, full_name, entries)
        if what not in ("save", "remove"):
            raise invalid("do", sentence("console.do_receiver", "must be try, save or remove"))
        _change(request, full_name, entries, is_removed=what == "remove")
    except Problem as problem:
        stored = _opened(request)
        problem = _on_fields(problem, entries)
        again = entries.refused(problem, Entries({}, stored.version) if what == "remove" else stored)
        return refused(request, again.problem or problem, _page(request, again))
    if _is_step(request):
        text = translate(request, "{name} is saved. The installation is set up.", name=full_name)
        if not request.runtime.settings.of(WebSettings).web_enabled:
            return done(request, LIST, text)
        response = to_map(request)
        flash(request, response, text)
        return response
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
    if row is not None:
        stored_settings.check_changeable(request.runtime.settings, row)
    text = _text(full_name, entries, row if _name(request) else None)
    # What was proposed is in the field when the page comes back.
    entries = Entries({**entries.values, "name": name}, entries.version)
    return _page(request, entries, try_input(request.runtime, caller_of(request).actor, f"{family}.", name, text))


def _change(request: Request, full_name: str, entries: Entries, *, is_removed: bool) -> None:
    target = Target("setting", full_name, full_name)
    with changing(request, "setting.changed", target) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        settings = request.runtime.settings
        rows = stored_settings.read(session, settings)
        row = rows.get(full_name)
        if not _name(request) and row is not None:
            raise invalid("name", sentence("console.in_use", "is already in use"))
        check_version(session, target, entries.version, _stamp(row))
        changes: dict[str, str | None] = {full_name: None if is_removed else _text(full_name, entries, row)}
        if entries.value("simulator_off") is True and not is_removed:
            simulators = [name for name in connections.simulators(rows) if name != full_name]
            changes |= dict.fromkeys(simulators)
        stored_settings.change(session, settings, caller.actor, changes)
        is_off = not connections.left_simulators(request, rows, changes)
        if entries.value("simulated_removed") is True and is_off:
            simulated.ask(session, settings.features, caller.actor)
    request.runtime.stored.expire()


def _text(full_name: str, entries: Entries, row: stored_settings.StoredValue | None) -> str:
    """What was entered; what is stored where an address with credentials was left as it is."""
    text = connections.text_of(full_name, entries) or (row.text if row is not None and row.text is not None else "")
    if not text:
        is_receiver = full_name.startswith(connections.RECEIVER)
        raise invalid("host" if is_receiver else "text", sentence("field.missing", "is missing"))
    return text


def _name(request: Request) -> str:
    """The input that the address names, or nothing; raises Problem (404) for any other setting."""
    name: str = read_query(request, InputQuery())["name"]
    if name and not name.startswith(tuple(editable_inputs(request.runtime.features))):
        raise _no_input()
    return name


def _is_step(request: Request) -> bool:
    return bool(read_query(request, InputQuery())["step"])


def _new_name(request: Request, entries: Entries) -> str:
    family, name = str(entries.value("family")), str(entries.value("name")).strip()
    if family not in editable_inputs(request.runtime.features):
        raise invalid("family", sentence("field.missing", "is missing"))
    if not name:
        name = connections.proposed_name(request, family)
    full_name = family + name
    if not stored_settings.is_storable(request.runtime.settings, full_name):
        raise invalid("name", stored_settings.NAME_RULE)
    if full_name in request.runtime.settings.sources:
        raise invalid(
            "name", sentence("console.in_use_elsewhere", "is already in use: the ini file or the environment sets it")
        )
    return full_name


def _opened(request: Request) -> Entries:
    query = read_query(request, InputQuery())
    name = _name(request)
    if not name:
        values = {
            "family": connections.RECEIVER,
            "kind": query["kind"] or CHOICES[0].kind,
            "host": query["host"],
            "port": "" if query["port"] is None else str(query["port"]),
            "path": query["path"],
            "name": connections.proposed_name(request, connections.RECEIVER),
            "simulator_off": True,
            "simulated_removed": True,
        }
        return Entries(values, version_of(_stamp(None)))
    row = stored_settings.read(request.db, request.runtime.settings).get(name)
    if row is None:
        raise _no_input()
    # An address with credentials is not shown again: whoever changes it enters it again.
    text = "" if row.text is None or without_passwords(row.text) != row.text else row.text
    return Entries(connections.values_of(name, text), version_of(_stamp(row)))


def _no_input() -> Problem:
    return not_found(sentence("thing.stored_input", "receiver or input in the database"))


def _stamp(row: stored_settings.StoredValue | None) -> str:
    """What a form is opened with: never the text, because a version is sent to the browser."""
    return "" if row is None else row.updated_at.isoformat()


def _page(request: Request, entries: Entries, trial: Trial | None = None) -> dict[str, Any]:
    name = _name(request)
    rows = stored_settings.read(request.db, request.runtime.settings)
    row = rows.get(name) if name else None
    shown = "" if row is None or row.text is None else without_passwords(row.text)
    features = request.runtime.features
    families = editable_inputs(features)
    is_ini_only = row is not None and stored_settings.is_ini_only(request.runtime.settings, name, row.text)
    titles = {family.prefix: family.title for family in features.provided(InputFamily)}
    return {
        "name": name,
        "is_hidden": row is not None and row.text is not None and shown != row.text,
        "shown": shown,
        "ini_line": ini_line(name, shown) if is_ini_only else "",
        "has_choice": not name or name.startswith(connections.RECEIVER),
        "choices": CHOICES,
        "paths": PATHS,
        "families": [(prefix, translate(request, titles[prefix])) for prefix in families],
        "examples": [(titles[prefix], family.example) for prefix, family in families.items()],
        "entries": entries,
        "trial": trial,
        "has_worked": trial is not None and trial.status.messages > 0,
        "simulated": _simulated(request, rows),
        "is_simulator": name in connections.simulators(rows),
        "simulators": [other for other in connections.simulators(rows) if other != name],
        "fixed_simulators": connections.fixed_simulators(request),
        "is_step": _is_step(request),
        "problem": entries.problem,
    }


def _simulated(request: Request, rows: Mapping[str, stored_settings.StoredValue]) -> dict[str, int]:
    """What was recorded of simulated aircraft, where the last simulators can be switched off here."""
    if not connections.simulators(rows) or connections.fixed_simulators(request):
        return {}
    return simulated.count(request.db, request.runtime.features)


def _on_fields(problem: Problem, entries: Entries) -> Problem:
    """The problem with the faults of the setting itself at the field that it was made of."""
    if not problem.errors:
        return problem
    field = "text" if str(entries.value("text")).strip() else "host"
    errors = [{**error, "name": field if "." in error["name"] else error["name"]} for error in problem.errors]
    errors = [{**error, "name": field if error["name"] == "text" else error["name"]} for error in errors]
    return Problem(problem.kind.code, problem.sentence, errors=errors)
