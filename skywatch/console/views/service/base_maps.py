"""The named base maps that readers choose among: those of the database are added, changed and removed here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import colander
from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries, read_entries
from skywatch.console.forms.form import read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core import stored_settings
from skywatch.core.problems import Problem, invalid, invalid_fields, not_found
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryString, Schema, node, string_node
from skywatch.security.permissions import Permission
from skywatch.sentences import Sentence, sentence
from skywatch.web.settings import REGION_NAME, WebSettings, check_base_map, parse_attribution

FAMILY = "base_map."
LIST = f"{HOME}/maps"
PAGES = (Page(route="console.base_map", path="/maps/base-map", feature="system"),)
# Each is in the page's head and in its policy, a header that proxies limit to some kilobytes.
MOST = 20


class BaseMapQuery(Schema):
    """Which base map is edited; none for another one."""

    name = node(QueryString(), missing="", validator=colander.Length(max=100))


class BaseMapForm(Schema):
    """A base map as it is entered."""

    name = string_node(missing="")
    address = string_node(missing="")
    attribution = string_node(missing="")


@dataclass(frozen=True)
class Row:
    """A base map of the list; ``fault`` is why a stored one is not in force."""

    name: str
    address: str
    attribution: str
    source: Sentence
    is_stored: bool
    fault: str = ""


base_map_page = FormPage("console.base_map", "base_map.jinja2", Permission.SYSTEM_MANAGE)


@base_map_page.get
def show_base_map(request: Request) -> dict[str, Any]:
    """The form of a base map of the database, or of another one"""
    return _page(request, _opened(request))


@base_map_page.post
def post_base_map(request: Request) -> dict[str, Any] | Response:
    """Save or remove a base map; in the map when it is opened again"""
    entries = read_entries(request, BaseMapForm(), "do")
    # Which button was pressed is no value of the form.
    values = dict(entries.values)
    what = values.pop("do", "")
    entries = Entries(values, entries.version)
    try:
        if what not in ("save", "remove"):
            raise invalid("do", sentence("console.do_base_map", "must be save or remove"))
        name = _asked(request) or _new_name(request, entries)
        text = _text(entries) if what == "save" else None
        target = Target("setting", FAMILY + name, FAMILY + name)
        with changing(request, "setting.changed", target) as (session, caller):
            caller.begin(session, Permission.SYSTEM_MANAGE)
            stored = _stored(request, session)
            if not _asked(request) and name in stored:
                raise invalid("name", sentence("console.in_use", "is already in use"))
            if name not in stored and len(stored) >= MOST:
                raise Problem(
                    "conflict",
                    sentence(
                        "console.too_many_base_maps", "There are {most} base maps already; remove one first.", most=MOST
                    ),
                )
            check_version(session, target, entries.version, stored.get(name, ""))
            stored_settings.change(session, request.runtime.settings, caller.actor, {FAMILY + name: text})
    except Problem as problem:
        opened = _opened(request)
        again = entries.refused(problem, Entries({}, opened.version) if what == "remove" else opened)
        return refused(request, again.problem or problem, _page(request, again))
    request.runtime.stored.expire()
    if text is None:
        return done(request, LIST, translate(request, "{name} is removed.", name=name))
    said = translate(request, "{name} is saved. The map has it when its page is opened again.", name=name)
    return done(request, LIST, said)


def list_base_maps(request: Request, session: Session) -> list[Row]:
    """The base maps in force, and those stored ones that are not."""
    settings = request.runtime.settings
    rows = []
    fixed = settings.of(WebSettings).base_maps
    for name, text in fixed.items():
        source = stored_settings.source_name(settings.sources.get(FAMILY + name, "ini"))
        rows.append(Row(name, *_parts(text), source=source, is_stored=False))
    source = stored_settings.source_name("database")
    for stored in stored_settings.listed(session, settings, FAMILY):
        parts = _parts(stored.text or "")
        rows.append(Row(stored.name.removeprefix(FAMILY), *parts, source, is_stored=True, fault=stored.fault))
    return rows


def _parts(text: str) -> tuple[str, str]:
    """Address and source of the text of a setting."""
    address, _, attribution = text.strip().partition(" ")
    return address, attribution.strip()


def _text(entries: Entries) -> str:
    """What was entered as the text of a setting; raises Problem (400) with the fault of each field."""
    address, attribution = (str(entries.value(name)).strip() for name in ("address", "attribution"))
    faults = {}
    for name, value, parse in (("address", address, check_base_map), ("attribution", attribution, parse_attribution)):
        try:
            parse(value)
        except ValueError as error:
            faults[name] = str(error)
    if faults:
        raise invalid_fields(faults)
    return f"{address} {attribution}".strip()


def _new_name(request: Request, entries: Entries) -> str:
    """The name of another one: ``Night chart`` is ``night_chart``."""
    name = "_".join(str(entries.value("name")).lower().split())
    if not stored_settings.MEMBER_NAME.fullmatch(name):
        raise invalid("name", stored_settings.NAME_RULE)
    if name == REGION_NAME:
        raise invalid("name", sentence("console.region_name", "is the name of the map of your region"))
    if FAMILY + name in request.runtime.settings.sources:
        raise invalid(
            "name", sentence("console.in_use_elsewhere", "is already in use: the ini file or the environment sets it")
        )
    return name


def _asked(request: Request) -> str:
    """The base map that the address names, or nothing; raises Problem (404) for one that is not stored."""
    name: str = read_query(request, BaseMapQuery())["name"]
    if name and name not in _stored_apart(request):
        raise not_found(sentence("thing.stored_base_map", "base map in the database"))
    return name


def _stored_apart(request: Request) -> dict[str, str]:
    # A session of its own: that of a POST would hold the database's lock before the change.
    with request.runtime.sessions() as session:
        return _stored(request, session)


def _stored(request: Request, session: Session) -> dict[str, str]:
    """The text of each base map of the database by name."""
    rows = stored_settings.read(session, request.runtime.settings)
    return {name.removeprefix(FAMILY): row.text or "" for name, row in rows.items() if name.startswith(FAMILY)}


def _opened(request: Request) -> Entries:
    name = _asked(request)
    if not name:
        return Entries({}, version_of(""))
    text = _stored_apart(request)[name]
    address, attribution = _parts(text)
    return Entries({"address": address, "attribution": attribution}, version_of(text))


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    return {"name": _asked(request), "entries": entries, "problem": entries.problem}
