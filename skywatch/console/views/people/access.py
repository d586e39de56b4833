"""The access settings of all features in one table, and what they permit to whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import colander
from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.accounts.access import service as access
from skywatch.accounts.access.effect import reach_of
from skywatch.accounts.access.schemas import AccessReplacement, AccessReplacementFields
from skywatch.accounts.nodes import LEVELS
from skywatch.accounts.roles.service import find_roles
from skywatch.accounts.users.service import permissions_of_role
from skywatch.console.forms.changes import changing, done
from skywatch.console.forms.edit_page import EditPage
from skywatch.console.forms.entries import Entries, fields_of
from skywatch.console.texts.language import translate
from skywatch.core.storage.audit import Target, last_change
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.clients.exposure import beyond_loopback, listen_addresses
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.http.requests.request import Request
from skywatch.security.contexts import FeatureAccess
from skywatch.security.permissions import FEATURES, Permission

# The button that shows what the entries would do, without saving them.
PREVIEW = "preview"


def _form() -> colander.SchemaNode:
    """Three fields of each feature: ``aircraft.read_access`` and so on."""
    form = colander.SchemaNode(colander.Mapping())
    for feature in FEATURES:
        for node in AccessReplacement().children:
            field = node.clone()
            field.name = f"{feature}.{node.name}"
            form.add(field)
    return form


FORM = _form()


def _answer(request: Request, entries: Entries) -> dict[str, Any] | Response:
    """Save the settings, which hold at once, or show what that would do."""
    fields = fields_of(FORM, entries)
    if entries.value(PREVIEW):
        return {**_page(request, entries, fields), "is_preview": True}
    changed = _save(request, entries, fields)
    if not changed:
        return done(request, request.path, translate(request, "Nothing was changed."))
    names = ", ".join(translate(request, feature) for feature in changed)
    return done(request, request.path, translate(request, "In force now: {features}.", features=names))


def _save(request: Request, entries: Entries, fields: Mapping[str, Any]) -> list[str]:
    """Store what differs; gives the features that it concerns."""
    with changing(request, "feature_access.changed", Target("feature_access")) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        check_version(session, _last_changed(session), entries.version, _values(session))
        changed = []
        for setting in access.find_access(session):
            desired = {name: fields[f"{setting.feature}.{name}"] for name in access.FIELDS}
            if any(getattr(setting, name) != value for name, value in desired.items()):
                changed.append(setting.feature)
                access.change_access(session, caller, setting.feature, AccessReplacementFields.of(desired))
        return changed


def _last_changed(session: Session) -> Target:
    """The feature whose settings were changed last."""
    targets = [Target("feature_access", feature, feature) for feature in FEATURES]
    numbers = [entry.id if (entry := last_change(session, target)) is not None else 0 for target in targets]
    return targets[numbers.index(max(numbers))]


def _values(session: Session) -> dict[str, Any]:
    """What is stored, by the names of the fields."""
    settings = access.find_access(session)
    return {f"{s.feature}.{name}": getattr(s, name) for s in settings for name in access.FIELDS}


def _stored(request: Request) -> Entries:
    values = _values(request.db)
    return Entries(values, version_of(values))


def _page(request: Request, entries: Entries, desired: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The page; ``desired`` are settings that are not stored yet, whose effect is shown."""
    present = _values(request.db)
    return {
        "features": [(feature, _label(request, feature)) for feature in FEATURES],
        "levels": [(level, translate(request, LABELS[level])) for level in LEVELS],
        "entries": entries,
        "mode": request.runtime.settings.auth_mode,
        "audiences": _audiences(request, present, desired or present),
        "may_now": {who: _may(request, present, permissions) for who, permissions in _watched(request).items()},
        "reached": _reached(request) if any(present[f"{f}.read_access"] == "public" for f in FEATURES) else [],
        "is_preview": False,
        "problem": None,
    }


def _reached(request: Request) -> list[str]:
    """The addresses of a service in mode ``hybrid`` that others than its machine may reach."""
    settings = request.runtime.settings
    return beyond_loopback(listen_addresses(settings, settings.roles)) if settings.auth_mode == "hybrid" else []


LABELS = {"public": "everybody", "authenticated": "signed in", "permission": "with permission"}


def _audiences(request: Request, present: Mapping[str, Any], desired: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Everybody whom settings may concern: their name, and for each feature what they may do and may do so far."""
    mode, before, after = request.runtime.settings.auth_mode, _access(present), _access(desired)
    people: list[tuple[str, frozenset[Permission] | None]] = [
        (translate(request, "Nobody in particular (not signed in)"), None),
        (translate(request, "Signed in, without a role"), frozenset()),
    ]
    roles, _ = find_roles(request.db, limit=MAX_LIMIT, offset=0)
    for role in sorted(roles, key=lambda role: (role.priority, role.name)):
        people.append((translate(request, role.display_name), permissions_of_role(role)))
    audiences = []
    for name, permissions in people:
        then, now = reach_of(mode, before, permissions), reach_of(mode, after, permissions)
        cells = [
            {"label": _label(request, feature), "now": now[feature], "then": then[feature]} for feature in FEATURES
        ]
        audiences.append({"name": name, "cells": cells})
    return audiences


def _watched(request: Request) -> dict[str, frozenset[Permission] | None]:
    """A visitor, and whoever has the role of viewers, if there is one."""
    roles, _ = find_roles(request.db, limit=MAX_LIMIT, offset=0)
    viewer = next((role for role in roles if role.name == "viewer"), None)
    return {"visitor": None} | ({"viewer": permissions_of_role(viewer)} if viewer is not None else {})


def _may(request: Request, present: Mapping[str, Any], permissions: frozenset[Permission] | None) -> tuple[str, str]:
    """What somebody sees and what they change now, in words."""
    reach = reach_of(request.runtime.settings.auth_mode, _access(present), permissions)

    def named(chosen: list[str]) -> str:
        if not chosen:
            return translate(request, "nothing")
        if len(chosen) == len(FEATURES):
            return translate(request, "everything")
        return ", ".join(_label(request, feature) for feature in chosen)

    return named([f for f in FEATURES if reach[f].sees]), named([f for f in FEATURES if reach[f].changes])


def open_to_write(request: Request) -> list[str]:
    """The features that everybody may change now, signed in or not, as people are shown them."""
    mode, access = request.runtime.settings.auth_mode, _access(_values(request.db))
    is_open = mode == "public"
    return [
        _label(request, feature)
        for feature in FEATURES
        if access[feature].is_enabled and (is_open or (mode == "hybrid" and access[feature].write_access == "public"))
    ]


def _label(request: Request, feature: str) -> str:
    """A feature as people are shown it."""
    text = translate(request, feature)
    return text.upper() if feature == "acars" else text[:1].upper() + text[1:]


def _access(values: Mapping[str, Any]) -> dict[str, FeatureAccess]:
    return {feature: FeatureAccess(**{n: values[f"{feature}.{n}"] for n in access.FIELDS}) for feature in FEATURES}


PAGES = (
    # Of no feature: one that is switched off must not lock away the switch.
    EditPage(
        route="console.access",
        path="/access",
        title="Who may see what",
        group="People",
        permission=Permission.SYSTEM_MANAGE,
        shows="The three settings of every feature, and what they let whom do",
        does="Change the settings of the features, or show what that would do; saved ones hold at once",
        template="access.jinja2",
        schema=FORM,
        more=(PREVIEW,),
        stored=_stored,
        save=_answer,
        page=_page,
    ),
)
