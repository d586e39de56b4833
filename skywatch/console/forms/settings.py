"""Forms of single settings that the console keeps in the database: station and retention.

A field that is left empty takes the setting out of the database, so that the default holds again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

import colander
from pyramid.response import Response

from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries, read_entries
from skywatch.console.routes import HOME
from skywatch.core import stored_settings
from skywatch.core.problems import Problem, invalid_fields
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.settings import Settings, names_of

# What neither the ini file nor the environment sets.
FREE = ("default", "database")
# Settings whose own page has more to check than their text: they are changed there alone.
OWN_PAGES = {"notify_own_networks": f"{HOME}/channels/networks"}


def describe(settings: Settings, names: Iterable[str]) -> list[dict[str, Any]]:
    """The settings by name: value in force, default, meaning, source, and whether the console may change it."""
    declared = names_of(type(settings))
    descriptions = []
    for name in names:
        field = declared.fields[declared.single[name]]
        source = settings.sources.get(name, "default")
        minimum, maximum = field.metadata["minimum"], field.metadata["maximum"]
        descriptions.append(
            {
                "name": name,
                "value": text_of(getattr(settings, field.name)),
                "default": text_of(field.default),
                "minimum": text_of(minimum),
                "maximum": text_of(maximum),
                "meaning": field.metadata["meaning"],
                "options": _options(declared.hints[field.name]),
                "source": stored_settings.source_name(source),
                "is_free": source in FREE,
            }
        )
    return descriptions


def open_entries(request: Request, names: Iterable[str]) -> Entries:
    """The form as it opens: what is stored, empty where nothing is, with the fault of what is not in force."""
    names = list(names)
    stored = _stored(request, names)
    return Entries(stored, version_of(stored), faults=_stored_faults(request, names))


def _stored_faults(request: Request, names: Iterable[str]) -> dict[str, str]:
    """Why stored settings of these names are not in force, and what is instead."""
    settings = request.runtime.settings
    merged, faults = stored_settings.merge(settings, stored_settings.read(request.db, settings))
    declared = names_of(type(settings))
    return {
        name: sentence(
            "console.stored_but",
            "is stored, but {fault}; in force: {value}",
            fault=faults[name],
            value=text_of(getattr(merged, declared.single[name])) or sentence("console.nothing", "nothing"),
        )
        for name in names
        if name in faults and _is_free(request, name)
    }


def save(
    request: Request, names: Iterable[str], page: dict[str, Any], text: str, onward: str = "", more: Iterable[str] = ()
) -> dict[str, Any] | Response:
    """Store what was entered and go on, to ``onward`` or the page itself; the page again where that is refused.

    ``more`` are fields of the form that are no settings.
    """
    names = [name for name in names if request.runtime.settings.sources.get(name, "default") in FREE]
    entries = read_entries(request, colander.SchemaNode(colander.Mapping()), *names, *more)
    try:
        missing = {name: sentence("field.missing", "is missing") for name in names if name not in entries.values}
        if missing or not names:
            raise invalid_fields(missing)
        texts = {name: str(entries.value(name)).strip() or None for name in names}
        with changing(request, "setting.changed", Target("setting", names[0] if names else "")) as (session, caller):
            caller.begin(session, Permission.SYSTEM_MANAGE)
            present = stored_settings.read(session, request.runtime.settings)
            stored = {name: present[name].text or "" if name in present else "" for name in names}
            different = [name for name in names if stored[name] != (texts[name] or "")]
            check_version(session, Target("setting", different[0] if different else ""), entries.version, stored)
            stored_settings.change(session, request.runtime.settings, caller.actor, texts)
        request.runtime.stored.expire()
    except Problem as problem:
        again = entries.refused(problem, open_entries(request, names))
        return refused(request, problem, {**page, "entries": again})
    return done(request, onward or request.path, text)


def text_of(value: Any) -> str:
    """The value of a setting as a field holds it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _stored(request: Request, names: Iterable[str]) -> dict[str, str]:
    present = stored_settings.read(request.db, request.runtime.settings)
    return {name: present[name].text or "" if name in present else "" for name in names if _is_free(request, name)}


def _options(hint: Any) -> tuple[str, ...]:
    """The values of a setting that has few, each a word."""
    return get_args(hint) if get_origin(hint) is Literal else ()


def _is_free(request: Request, name: str) -> bool:
    return request.runtime.settings.sources.get(name, "default") in FREE
