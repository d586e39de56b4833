"""Claim mappings: which claims of an identity provider give which roles, and a trial of them."""

from __future__ import annotations

import json
from typing import Any

import colander
from pyramid.response import Response

from skywatch.accounts.identity.caller import check_covers
from skywatch.accounts.models import Role
from skywatch.accounts.users.service import permissions_of_role
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.choices import role_choices
from skywatch.console.forms.confirmation import confirmation
from skywatch.console.forms.entries import VERSION, Entries, fields_of, read_entries
from skywatch.console.forms.form import read_form
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.http.requests.request import Request
from skywatch.http.resources.document import fault_of
from skywatch.http.resources.schema import JsonString, Schema
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import ADMINISTRATIVE_KINDS, Permission
from skywatch.sso import mappings
from skywatch.sso.claims import MATCH_TYPES, Trial, try_rules
from skywatch.sso.models import ClaimMapping
from skywatch.sso.schemas import MappingCreate, MappingCreateFields, MappingReplacement, MappingReplacementFields
from skywatch.sso.sign_on.flow import SignOn

PAGES = (
    Page(
        route="console.mappings",
        path="/mappings",
        feature="roles",
        title="Roles from single sign-on",
        group="People",
        permission=Permission.ROLES_EDIT,
    ),
    Page(route="console.mappings.new", path="/mappings/new", feature="roles"),
    Page(route="console.mapping", path=f"/mappings/{{id:{NUMBER}}}", feature="roles"),
    Page(route="console.mapping.delete", path=f"/mappings/{{id:{NUMBER}}}/delete", feature="roles"),
)
EXAMPLE = '{"sub": "1234", "groups": ["spotters", "staff"]}'


# The box that has to be ticked for a role that administers the installation.
UNDERSTOOD = "understood"
WARNING = (
    "This role administers the installation: whoever the rule matches gets its rights. Tick the box if that is meant."
)


class TrialForm(Schema):
    claims = colander.SchemaNode(JsonString(multiline=True))
    party = colander.SchemaNode(JsonString(), missing="")


mappings_page = FormPage("console.mappings", "mappings.jinja2", Permission.ROLES_EDIT)


@mappings_page.get
def show_mappings(request: Request) -> dict[str, Any]:
    """Claim mappings, the highest priority first, and the form of a trial"""
    return _list(request, Entries({"claims": EXAMPLE}))


@mappings_page.post
def post_trial(request: Request) -> dict[str, Any]:
    """Which roles a set of claims would give; nothing is changed"""
    entries = read_entries(request, TrialForm())
    try:
        fields = fields_of(TrialForm(), entries)
        trial = _try(request, fields)
    except Problem as problem:
        return refused(request, problem, _list(request, entries.refused(problem)))
    return {**_list(request, entries), "trial": trial}


mappings_new_page = FormPage("console.mappings.new", "mapping.jinja2", Permission.ROLES_EDIT)


@mappings_new_page.get
def show_new(request: Request) -> dict[str, Any]:
    """The form of a new claim mapping"""
    return _page(request, Entries({"match_type": "exact", "priority": "0", "is_active": True}))


@mappings_new_page.post
def post_new(request: Request) -> dict[str, Any] | Response:
    """Create a claim mapping to a role within the viewer's rights; an administrative one has to be confirmed"""
    entries = read_entries(request, MappingCreate(), UNDERSTOOD)
    try:
        fields = MappingCreateFields.of(fields_of(MappingCreate(), entries, blank=("priority", "role")))
        target = Target("claim_mapping", None, fields.name)
        with changing(request, "claim_mapping.created", target) as (session, caller):
            mapping = mappings.create_mapping(session, caller, fields, _parties(request))
            _check_understood(entries, mapping.role)
            name = mapping.name
    except Problem as problem:
        return refused(request, problem, _page(request, entries.refused(problem)))
    return done(request, f"{HOME}/mappings", translate(request, "The rule {name} is created.", name=name))


mapping_page = FormPage("console.mapping", "mapping.jinja2", Permission.ROLES_EDIT)


@mapping_page.get
def show_mapping(request: Request) -> dict[str, Any]:
    """The form of a claim mapping"""
    mapping = _changeable(request)
    return _page(request, _stored(mapping), mapping)


@mapping_page.post
def post_mapping(request: Request) -> dict[str, Any] | Response:
    """Change a claim mapping; it holds from each person's next login on"""
    entries, target = read_entries(request, MappingReplacement(), UNDERSTOOD), Target("claim_mapping", _id(request))
    try:
        values = fields_of(MappingReplacement(), entries, blank=("priority", "role"))
        fields = MappingReplacementFields.of(values)
        with changing(request, "claim_mapping.changed", target) as (session, caller):
            caller.begin(session, Permission.ROLES_EDIT)
            present = mappings.get_mapping(session, _id(request))
            check_version(session, target, entries.version, _values(present))
            role = present.role.name
            changed = mappings.update_mapping(session, caller, _id(request), fields, _parties(request))
            if fields.role != role:
                _check_understood(entries, changed.role)
            name = changed.name
    except Problem as problem:
        mapping = mappings.get_mapping(request.db, _id(request))
        return refused(request, problem, _page(request, entries.refused(problem, _stored(mapping)), mapping))
    return done(request, f"{HOME}/mappings", translate(request, "The rule {name} is saved.", name=name))


mapping_delete_page = FormPage("console.mapping.delete", "confirm.jinja2", Permission.ROLES_EDIT)


@mapping_delete_page.get
def show_delete(request: Request) -> dict[str, Any]:
    """What deleting a claim mapping means"""
    return _deletion(request, _changeable(request))


@mapping_delete_page.post
def post_delete(request: Request) -> dict[str, Any] | Response:
    """Delete a claim mapping"""
    version, target = read_form(request, VERSION).get(VERSION, ""), Target("claim_mapping", _id(request))
    try:
        with changing(request, "claim_mapping.deleted", target) as (session, caller):
            caller.begin(session, Permission.ROLES_EDIT)
            mapping = mappings.get_mapping(session, _id(request))
            check_version(session, target, version, _values(mapping))
            name = mapping.name
            mappings.delete_mapping(session, caller, mapping.id)
    except Problem as problem:
        return refused(request, problem, _deletion(request, mappings.get_mapping(request.db, _id(request))))
    return done(request, f"{HOME}/mappings", translate(request, "The rule {name} is deleted.", name=name))


def _check_understood(entries: Entries, role: Role) -> None:
    """Raise Problem (400) where a role administers the installation and nobody has said that it is meant."""
    if _is_administrative(role) and entries.value(UNDERSTOOD) != "true":
        raise invalid(UNDERSTOOD, WARNING)


def _is_administrative(role: Role) -> bool:
    return any(permission.kind in ADMINISTRATIVE_KINDS for permission in permissions_of_role(role))


def _changeable(request: Request) -> ClaimMapping:
    """The mapping that an address names; raises Problem (404; 403 where the form could only be refused)."""
    mapping = mappings.get_mapping(request.db, _id(request))
    check_covers(request.caller.permissions, permissions_of_role(mapping.role), "The role")
    return mapping


def _id(request: Request) -> int:
    return int(request.matchdict["id"])


def _parties(request: Request) -> Any:
    return request.runtime.shared(SignOn).parties


def _try(request: Request, fields: dict[str, Any]) -> Trial:
    try:
        claims = json.loads(fields["claims"])
    except (ValueError, RecursionError):
        raise invalid("claims", f"must be a JSON object such as {EXAMPLE}") from None
    fault = fault_of(claims) if isinstance(claims, dict) else f"must be a JSON object such as {EXAMPLE}"
    if fault is not None:
        raise invalid("claims", fault)
    parties = _parties(request)
    if fields["party"] and fields["party"] not in parties:
        raise invalid("party", "there is no such identity provider")
    party = parties[fields["party"]].provider if fields["party"] else None
    rules = mappings.active_rules(request.db)
    return try_rules(rules, claims, party.name if party else "", party.default_role if party else "")


def _list(request: Request, entries: Entries) -> dict[str, Any]:
    stored, count = mappings.find_mappings(request.db, limit=MAX_LIMIT, offset=0)
    rights = request.caller.permissions
    return {
        "mappings": [
            {"entry": mapping, "is_within": permissions_of_role(mapping.role) <= rights} for mapping in stored
        ],
        "count": count,
        "entries": entries,
        "parties": [(name, party.provider.display_name) for name, party in _parties(request).items()],
        "trial": None,
        "problem": None,
    }


def _page(request: Request, entries: Entries, mapping: ClaimMapping | None = None) -> dict[str, Any]:
    parties = [(name, party.provider.display_name) for name, party in _parties(request).items()]
    provider = mapping.provider if mapping is not None else None
    if provider is not None and provider not in dict(parties):
        parties.append((provider, translate(request, "{name} (not in the settings)", name=provider)))
    return {
        "mapping": mapping,
        "entries": entries,
        "match_types": [(name, translate(request, name)) for name in MATCH_TYPES],
        "choices": [
            {**choice, "is_administrative": _is_administrative(choice["role"])}
            for choice in role_choices(request.db, request.caller.permissions, ())
        ],
        "parties": [("", translate(request, "all")), *parties],
        "problem": None,
    }


def _values(mapping: ClaimMapping) -> dict[str, Any]:
    values = {name: getattr(mapping, name) for name in mappings.FIELDS}
    return values | {"priority": str(mapping.priority), "provider": mapping.provider or "", "role": mapping.role.name}


def _stored(mapping: ClaimMapping) -> Entries:
    return Entries(_values(mapping), version_of(_values(mapping)))


def _deletion(request: Request, mapping: ClaimMapping) -> dict[str, Any]:
    return confirmation(
        title=translate(request, "Delete the rule {name}", name=mapping.name),
        text=translate(
            request,
            "Whoever has the role {role} by this rule alone loses it at the next login.",
            role=translate(request, mapping.role.display_name),
        ),
        facts=[
            (translate(request, "Claim"), mapping.claim_name),
            (translate(request, "Match"), f"{translate(request, mapping.match_type)} {mapping.claim_value}"),
            (translate(request, "Gives"), translate(request, mapping.role.display_name)),
        ],
        button=translate(request, "Delete {name}", name=mapping.name),
        back=f"{HOME}/mappings",
        entries=Entries({}, version_of(_values(mapping))),
    )
