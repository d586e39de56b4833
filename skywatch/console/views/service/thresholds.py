"""The thresholds of safety events, with their bounds and sources."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries, fields_of, read_entries
from skywatch.console.pages.page import FormPage, Page
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid_fields
from skywatch.core.storing.audit import Target
from skywatch.core.storing.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.safety.schemas import ThresholdChange
from skywatch.safety.thresholds import store as settings_store
from skywatch.security.permissions import Permission

PAGES = (
    Page(
        route="console.thresholds",
        path="/thresholds",
        feature="safety",
        title="Safety thresholds",
        group="Alerts and channels",
        permission=Permission.SAFETY_MANAGE,
    ),
)
TARGET = Target("safety_settings", "thresholds")


thresholds_page = FormPage("console.thresholds", "thresholds.jinja2", Permission.SAFETY_MANAGE)


@thresholds_page.get
def show_thresholds(request: Request) -> dict[str, Any]:
    """Every threshold of the safety events"""
    return _page(request, _opened(request.db))


@thresholds_page.post
def post_thresholds(request: Request) -> dict[str, Any] | Response:
    """Change thresholds; they are in force within two seconds"""
    entries = read_entries(request, ThresholdChange())
    try:
        # An empty field takes the default.
        with request.runtime.sessions() as session:
            wanted = {row["name"]: row["default"] for row in settings_store.shown(session)}
        missing = {name: "is missing" for name in wanted if name not in entries.values}
        if missing:
            raise invalid_fields(missing)
        wanted |= fields_of(ThresholdChange(), entries, blank=tuple(wanted))
        with changing(request, "safety.settings_changed", TARGET) as (session, caller):
            caller.begin(session, Permission.SAFETY_MANAGE)
            check_version(session, TARGET, entries.version, _stored(session))
            rows = {row["name"]: row for row in settings_store.shown(session)}
            # A stored value that is not in force goes with any change.
            changes = {
                name: float(value)
                for name, value in wanted.items()
                if float(value) != rows[name]["value"] or rows[name]["fault"]
            }
            if changes:
                settings_store.change(session, caller.actor, changes)
    except Problem as problem:
        return refused(request, problem, _page(request, entries.refused(problem, _opened(request.db))))
    return done(
        request,
        request.path,
        translate(request, "{n} threshold changed.|{n} thresholds changed.", n=len(changes))
        if changes
        else translate(request, "Nothing was changed."),
    )


def _stored(session: Session) -> dict[str, str]:
    """What a form opens with: a threshold that has its default is an empty field."""
    rows = settings_store.shown(session)
    return {row["name"]: "" if row["value"] == row["default"] else _text(row["value"]) for row in rows}


def _text(value: float) -> str:
    """A value as a field holds it: short where that is exact, for every field is sent back with the form."""
    text = f"{value:.10g}"
    return text if float(text) == value else repr(value)


def _opened(session: Session) -> Entries:
    stored = _stored(session)
    rows = settings_store.shown(session)
    faults = {row["name"]: f"{row['fault']}; the default is in force" for row in rows if row["fault"]}
    return Entries(stored, version_of(stored), faults=faults)


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    rows = settings_store.shown(request.db)
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(str(row["name"]).partition("_")[0], []).append(row)
    return {
        "groups": list(groups.items()),
        "entries": entries,
        "problem": entries.problem,
    }
