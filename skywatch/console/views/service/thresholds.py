"""The thresholds of safety events, with their bounds and sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import colander
from pyramid.response import Response

from skywatch.console.forms.changes import changing, done
from skywatch.console.forms.edit_page import EditPage
from skywatch.console.forms.entries import Entries, fields_of
from skywatch.console.forms.form import read_query
from skywatch.console.texts.language import translate
from skywatch.core.database.models import AuditEntry
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryInteger, Schema, node
from skywatch.safety.thresholds import store as settings_store
from skywatch.safety.thresholds.schemas import ThresholdChange
from skywatch.security.permissions import Permission
from skywatch.sentences import reworded, sentence

# What the names of thresholds begin with, in words.
SUBJECTS = {
    "advisory": "resolution advisories",
    "aggregate": "many events in one",
    "altitude": "altitude leaps",
    "area": "disturbed areas",
    "contradiction": "contradicting positions",
    "emergency": "emergencies",
    "extreme": "extreme vertical rates",
    "formation": "formations",
    "gather": "aircraft gathered in one point",
    "leap": "position leaps",
    "low": "low flight",
    "proximity": "aircraft near each other",
    "reversal": "reversals of the vertical rate",
    "unlawful": "unlawful interference (7500)",
    "vertical": "end of vertical events",
}


class ThresholdQuery(Schema):
    """An entry of the audit log: the form opens with the values from before that change."""

    before = node(QueryInteger(), missing=None, validator=colander.Range(1, 2**63 - 1))


TARGET = Target("safety_settings", "thresholds")


def _proposed(request: Request) -> Entries:
    """What is stored, or the values from before a change that the address names."""
    number = read_query(request, ThresholdQuery())["before"]
    return _stored(request) if number is None else _stored(request).with_values(_before(request, number))


def _save(request: Request, entries: Entries) -> Response:
    """Store what differs; it is in force within two seconds."""
    # An empty field takes the default.
    with request.runtime.sessions() as session:
        values = {row["name"]: row["default"] for row in settings_store.threshold_answers(session)}
    missing = {name: "is missing" for name in values if name not in entries.values}
    if missing:
        raise invalid_fields(missing)
    values |= fields_of(ThresholdChange(), entries, blank=tuple(values))
    with changing(request, "safety.settings_changed", TARGET) as (session, caller):
        caller.begin(session, Permission.SAFETY_MANAGE)
        answers = settings_store.threshold_answers(session)
        check_version(session, TARGET, entries.version, _values(answers))
        rows = {row["name"]: row for row in answers}
        # A stored value that is not in force goes with any change.
        changes = {
            name: float(value)
            for name, value in values.items()
            if float(value) != rows[name]["value"] or rows[name]["fault"]
        }
        if changes:
            settings_store.change(session, caller.actor, changes)
    if not changes:
        return done(request, request.path, translate(request, "Nothing was changed."))
    text = translate(request, "{n} threshold changed.|{n} thresholds changed.", n=len(changes))
    return done(request, request.path, text)


def _before(request: Request, number: int) -> dict[str, str]:
    """The thresholds as they were before a change that the audit log has; raises Problem (403, 404)."""
    if Permission.SYSTEM_MANAGE not in request.caller.permissions:
        raise Problem(
            "permission_denied",
            sentence("console.restore_needs_audit", "Only who reads the audit log may restore from it."),
        )
    entry = request.db.get(AuditEntry, number)
    if entry is None or entry.action != "safety.settings_changed":
        raise not_found(sentence("thing.threshold_change", "change of thresholds"))
    defaults = {row["name"]: row["default"] for row in settings_store.threshold_answers(request.db)}
    before = {name: float(value) for name, value in (entry.before or {}).items() if name in defaults}
    return {name: "" if value == defaults[name] else _text(value) for name, value in before.items()}


def _values(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """What a form opens with: a threshold that has its default is an empty field."""
    return {row["name"]: "" if row["value"] == row["default"] else _text(row["value"]) for row in rows}


def _text(value: float) -> str:
    """A value as a field holds it: short where that is exact, for every field is sent back with the form."""
    text = f"{value:.10g}"
    return text if float(text) == value else repr(value)


def _stored(request: Request) -> Entries:
    rows = settings_store.threshold_answers(request.db)
    stored = _values(rows)
    faults = {
        row["name"]: sentence(
            "console.default_in_force",
            "{fault}; the default is in force",
            fault=reworded(row["fault"], row["fault_code"], row["fault_params"]),
        )
        for row in rows
        if row["fault"]
    }
    return Entries(stored, version_of(stored), faults=faults)


def _is_special(entries: Entries, name: str) -> bool:
    return bool(entries.value(name) or entries.fault(name) or entries.other(name) is not None)


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in settings_store.threshold_answers(request.db):
        groups.setdefault(str(row["name"]).partition("_")[0], []).append(row)
    return {
        # What differs from its default, or is wrong, is seen without unfolding anything.
        "groups": [
            (SUBJECTS.get(name, name), members, any(_is_special(entries, row["name"]) for row in members))
            for name, members in groups.items()
        ],
        "entries": entries,
        "is_earlier": entries.problem is None and read_query(request, ThresholdQuery())["before"] is not None,
        "problem": entries.problem,
    }


PAGES = (
    EditPage(
        route="console.thresholds",
        path="/thresholds",
        feature="safety",
        title="Safety thresholds",
        group="Alerts and channels",
        permission=Permission.SAFETY_MANAGE,
        shows="Every threshold of the safety events",
        does="Change thresholds; they are in force within two seconds",
        template="thresholds.jinja2",
        schema=ThresholdChange(),
        proposed=_proposed,
        stored=_stored,
        save=_save,
        page=_page,
    ),
)
