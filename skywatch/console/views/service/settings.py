"""The settings in force by feature, where each comes from, and the form of those that the console may change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import colander
from pyramid.response import Response

from skywatch.console.forms.form import read_query
from skywatch.console.forms.settings import FREE, OWN_PAGES, describe, open_entries, save, text_of
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import catalogue_of, translate
from skywatch.core import stored_settings
from skywatch.core.feature import Feature
from skywatch.core.problems import not_found
from skywatch.core.telemetry.logs import without_passwords
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.schema import QueryBoolean, QueryString, Schema, node
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.settings import Origin, Settings, names_of, origins_of

PAGES = (
    Page(
        route="console.settings",
        path="/settings",
        feature="system",
        title="Settings",
        group="Service",
        permission=Permission.SYSTEM_MANAGE,
    ),
    Page(route="console.setting", path="/settings/{setting}", feature="system"),
)
MASK = "********"
# The family of base maps, and the page that lists them.
BASE_MAP, MAPS = "base_map.", f"{HOME}/maps"
# What a package's settings are about, in the order of the page; the others come last, by the titles of their features.
TITLES = {
    "": "The service",
    "picture": "Station and picture",
    "receivers": "Receivers",
    "web": "Application and base maps",
    "accounts": "Accounts and logins",
    "sso": "Single sign-on",
    "acars": "ACARS messages",
    "audio": "Audio and transcription",
    "cannonball": "Cannonball",
    "notify": "Notifications, MQTT and Web Push",
    "outputs": "Outputs",
    "archive": "Archive",
    "backup": "Backups",
    "realtime": "Real-time channel",
    "http": "Addresses, limits and uploads",
    "console": "Console",
    "system": "State of the service",
    "aircraft": "Airspaces",
    "airframes": "Airframes",
    "readsb": "readsb files",
    "mcp": "Assistants (MCP)",
}


@dataclass(frozen=True)
class Row:
    """One setting, or a family of which none is set (``output.*``)."""

    name: str
    package: str
    value: str
    default: str
    source: str
    meaning: str
    is_changed: bool
    # How it stands in the ini file.
    line: str
    # Where it is changed in the console; nothing where the ini file or the environment alone sets it.
    address: str


@dataclass(frozen=True)
class Group:
    """The settings of one feature; ``is_open`` is whether they are shown without being unfolded."""

    name: str
    title: str
    rows: list[Row]
    is_open: bool


class SettingQuery(Schema):
    """Which settings are shown."""

    search = node(QueryString(), missing="", validator=colander.Length(max=100))
    changed = node(QueryBoolean(), missing=False)


class ValueQuery(Schema):
    """The value that a form opens with, such as an earlier one from the audit log."""

    value = node(QueryString(), missing="", validator=colander.Length(max=2000))


@view_config(
    route_name="console.settings", request_method="GET", permission=Permission.SYSTEM_MANAGE, renderer="settings.jinja2"
)
def show_settings(request: Request) -> dict[str, Any]:
    """Every setting in force by feature, changed ones first, where it comes from and what it means"""
    query = read_query(request, SettingQuery())
    search = query["search"].lower()
    rows = [
        row
        for row in _rows(request)
        if any(search in text for text in (row.name, row.meaning.lower(), row.line.lower()))
        and (row.is_changed or not query["changed"])
    ]
    is_found = bool(search) or query["changed"]
    groups = [Group("changed", translate(request, "Changed"), [row for row in rows if row.is_changed], is_open=True)]
    order = [*TITLES, *sorted({row.package for row in rows} - TITLES.keys())]
    for package in order:
        members = [row for row in rows if row.package == package and not row.is_changed]
        groups.append(Group(package or "service", _title(request, package), members, is_open=is_found))
    unused = [row for row in stored_settings.listed(request.db, request.runtime.settings) if row.fault]
    return {
        "groups": [group for group in groups if group.rows],
        "count": len(rows),
        "query": query,
        "unused": unused,
    }


setting_page = FormPage("console.setting", "setting.jinja2", Permission.SYSTEM_MANAGE)


@setting_page.get
def show_setting(request: Request) -> dict[str, Any]:
    """The form of one setting; an earlier value may be filled in, and is saved from here"""
    name = _editable(request)
    query = read_query(request, ValueQuery())
    entries = open_entries(request, [name])
    if "value" in request.GET:
        entries = entries.with_values({name: query["value"]})
    return {**_page(request, name), "entries": entries, "is_earlier": "value" in request.GET}


@setting_page.post
def post_setting(request: Request) -> dict[str, Any] | Response:
    """Change one setting; an empty field takes the default. It holds within seconds"""
    name = _editable(request)
    text = translate(request, "{name} is saved.", name=name)
    return save(request, [name], _page(request, name), text, f"{HOME}/settings")


def _editable(request: Request) -> str:
    """The setting that an address names; raises Problem (404) where none of this name is changed in the console."""
    name: str = request.matchdict["setting"]
    is_single = name in names_of(type(request.runtime.settings)).single and name not in OWN_PAGES
    if not is_single or not _is_declared(request, name):
        raise not_found(sentence("thing.changed_setting", "setting that is changed here"))
    return name


def _is_declared(request: Request, name: str) -> bool:
    return stored_settings.is_storable(request.runtime.settings, name)


def _page(request: Request, name: str) -> dict[str, Any]:
    (setting,) = describe(request.runtime.current, [name])
    return {"name": name, "setting": setting, "is_earlier": False, "problem": None}


def _rows(request: Request) -> Iterator[Row]:
    settings, catalogue = request.runtime.current, catalogue_of(request)
    names, packages = names_of(type(settings)), packages_of(type(settings), settings.features)
    origins = origins_of(settings)
    for prefix, field in names.families.items():
        if not getattr(settings, field):
            metadata = names.fields[field].metadata
            meaning = catalogue.sentence(metadata["meaning"])
            yield Row(f"{prefix}*", packages[field], "", "", "default", meaning, False, f"{prefix}NAME = ...", "")
    for origin in sorted(origins, key=lambda origin: origin.name):
        family = origin.name not in names.single
        field = names.single.get(origin.name) or next(f for p, f in names.families.items() if origin.name.startswith(p))
        value = _shown(origin)
        default = "" if family else text_of(names.fields[field].default)
        yield Row(
            origin.name,
            packages[field],
            value,
            default,
            stored_settings.source_name(origin.source),
            catalogue.sentence(origin.meaning),
            origin.source != "default",
            f"{origin.name} = {'...' if origin.secret else value or default}",
            _address(request, origin, family=family),
        )


def _title(request: Request, package: str) -> str:
    titles = {feature.name: feature.title or feature.name for feature in request.runtime.features}
    text = translate(request, TITLES.get(package) or titles[package])
    return text[:1].upper() + text[1:]


def _shown(origin: Origin) -> str:
    return MASK if origin.secret and origin.value else without_passwords(text_of(origin.value))


def _address(request: Request, origin: Origin, *, family: bool) -> str:
    if not _is_declared(request, origin.name) or origin.source not in FREE:
        return ""
    if origin.name.startswith(BASE_MAP):
        return MAPS
    if family and stored_settings.is_ini_only(request.runtime.settings, origin.name, str(origin.value)):
        return ""
    return f"{HOME}/receivers" if family else OWN_PAGES.get(origin.name, f"{HOME}/settings/{origin.name}")


def packages_of(kind: type[Settings], features: Iterable[Feature]) -> dict[str, str]:
    """Return the feature that declares each field of ``kind``; an empty name for what all features share."""
    packages = dict.fromkeys(names_of(kind).fields, "")
    for feature in features:
        declared = vars(feature.settings).get("__annotations__", {}) if feature.settings is not None else {}
        packages.update({name: feature.name for name in declared if name in packages})
    return packages
