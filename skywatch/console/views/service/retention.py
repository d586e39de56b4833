"""Retention: how much there is of each kind of data, and how long and how much of it is kept."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.console.forms.changes import changing, done
from skywatch.console.forms.form import read_form
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.page import FormPage, Page
from skywatch.console.texts.language import translate
from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Target
from skywatch.core.storage.retention_clock import CONFIRMED, confirm, records
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.settings import names_of
from skywatch.system import status
from skywatch.system.extents import last_extents

PAGES = (
    Page(
        route="console.retention",
        path="/retention",
        feature="system",
        title="Retention",
        group="Data",
        permission=Permission.SYSTEM_MANAGE,
    ),
)
PREFIX = "retention_"


retention_page = FormPage("console.retention", "retention.jinja2", Permission.SYSTEM_MANAGE)


@retention_page.get
def show_retention(request: Request) -> dict[str, Any]:
    """The room that each kind of data takes, and what is kept of it"""
    return {**_page(request), "entries": open_entries(request, _names(request.runtime))}


@retention_page.post
def post_retention(request: Request) -> dict[str, Any] | Response:
    """Change the limits, or confirm the clock; the next round begins within seconds"""
    if "do" in request.POST:
        return _confirm(request)
    return save(
        request,
        _names(request.runtime),
        _page(request),
        translate(request, "Saved. Retention begins a round within seconds."),
    )


def _confirm(request: Request) -> Response:
    """Let retention go on where it doubts the clock."""
    if read_form(request, "do").get("do") != "confirm":
        raise invalid("do", sentence("console.do_confirm", "must be confirm"))
    with changing(request, CONFIRMED, Target("retention")) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        confirm(session, caller.actor)
    return done(request, request.path, translate(request, "Confirmed. Retention goes on within a minute."))


def _names(runtime: Runtime) -> list[str]:
    names = names_of(type(runtime.settings))
    stored = [name for name, field in names.single.items() if names.fields[field].metadata["stored"]]
    return sorted(name for name in stored if name.startswith(PREFIX))


def _page(request: Request) -> dict[str, Any]:
    runtime = request.runtime
    settings, seen = runtime.current, last_extents(runtime.bus)
    # A session of its own: that of a POST would hold the database's lock before the change.
    with runtime.sessions() as session:
        remembered = [record for _, record in sorted(records(session).items())]
    kinds = [
        {
            "name": kind.name,
            "days": kind.days(settings),
            "megabytes": kind.megabytes(settings),
            "extent": seen.kinds.get(kind.name) if seen is not None else None,
        }
        for kind in runtime.features.retention_kinds()
    ]
    return {
        "kinds": kinds,
        "records": remembered,
        "now": utcnow(),
        "seen_at": seen.at if seen is not None else None,
        "database": status.database_answer(runtime),
        "settings": describe(settings, _names(runtime)),
        "problem": None,
    }
