"""Claim mappings: which claims of an identity provider give which roles, and a trial of them."""

from __future__ import annotations

import json
from typing import Any

from pyramid.response import Response

from skywatch.accounts.identity.caller import check_covers
from skywatch.accounts.models import Role
from skywatch.accounts.users.service import permissions_of_role
from skywatch.console.forms.changes import changing, done
from skywatch.console.forms.choices import role_choices
from skywatch.console.forms.confirmation import confirmation
from skywatch.console.forms.edit_page import DeletePage, EditPage
from skywatch.console.forms.entries import Entries, fields_of
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import invalid
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.http.requests.request import Request
from skywatch.http.resources.document import fault_of
from skywatch.http.resources.schema import JsonString, Schema, node, string_node
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import ADMINISTRATIVE_KINDS, Permission
from skywatch.sentences import sentence
from skywatch.sso import mappings
from skywatch.sso.claims import MATCH_TYPES, Trial, try_rules
from skywatch.sso.models import ClaimMapping
from skywatch.sso.schemas import MappingCreate, MappingCreateFields, MappingReplacement, MappingReplacementFields
from skywatch.sso.sign_on.flow import SignOn

LIST = f"{HOME}/mappings"
EXAMPLE = '{"sub": "1234", "groups": ["spotters", "staff"]}'


# The box that has to be ticked for a role that administers the installation.
UNDERSTOOD = "understood"
WARNING = sentence(
    "console.administering_role",
    "This role administers the installation: whoever the rule matches gets its rights. Tick the box if that is meant.",
)


class TrialForm(Schema):
    claims = node(JsonString(multiline=True))
    party = string_node(missing="")


def _create(request: Request, entries: Entries) -> Response:
    fields = MappingCreateFields.of(fields_of(MappingCreate(), entries, blank=("priority", "role")))
    target = Target("claim_mapping", None, fields.name)
    with changing(request, "claim_mapping.created", target) as (session, caller):
        mapping = mappings.create_mapping(session, caller, fields, _parties(request))
        _check_understood(entries, mapping.role)
        name = mapping.name
    return done(request, LIST, translate(request, "The rule {name} is created.", name=name))


def _save(request: Request, entries: Entries) -> Response:
    target = Target("claim_mapping", _id(request))
    fields = MappingReplacementFields.of(fields_of(MappingReplacement(), entries, blank=("priority", "role")))
    with changing(request, "claim_mapping.changed", target) as (session, caller):
        caller.begin(session, Permission.ROLES_EDIT)
        present = mappings.get_mapping(session, _id(request))
        check_version(session, target, entries.version, _values(present))
        role = present.role.name
        changed = mappings.update_mapping(session, caller, _id(request), fields, _parties(request))
        if fields.role != role:
            _check_understood(entries, changed.role)
        name = changed.name
    return done(request, LIST, translate(request, "The rule {name} is saved.", name=name))


def _delete(request: Request, version: str) -> str:
    target = Target("claim_mapping", _id(request))
    with changing(request, "claim_mapping.deleted", target) as (session, caller):
        caller.begin(session, Permission.ROLES_EDIT)
        mapping = mappings.get_mapping(session, _id(request))
        check_version(session, target, version, _values(mapping))
        text = translate(request, "The rule {name} is deleted.", name=mapping.name)
        mappings.delete_mapping(session, caller, mapping.id)
    return text


def _check_understood(entries: Entries, role: Role) -> None:
    """Raise Problem (400) where a role administers the installation and nobody has said that it is meant."""
    if _is_administrative(role) and entries.value(UNDERSTOOD) != "true":
        raise invalid(UNDERSTOOD, WARNING)


def _is_administrative(role: Role) -> bool:
    return any(permission.kind in ADMINISTRATIVE_KINDS for permission in permissions_of_role(role))


def _check_changeable(request: Request) -> None:
    """Raise Problem (403) where the role of a mapping is beyond the viewer."""
    check_covers(
        request.caller.permissions,
        permissions_of_role(_mapping(request).role),
        sentence("accounts.the_role", "The role"),
    )


def _mapping(request: Request) -> ClaimMapping:
    """The mapping that the address names; raises Problem (404)."""
    return mappings.get_mapping(request.db, _id(request))


def _id(request: Request) -> int:
    return int(request.matchdict["id"])


def _parties(request: Request) -> Any:
    return request.runtime.shared(SignOn).parties


def _show_trial(request: Request, entries: Entries) -> dict[str, Any]:
    return {**_list(request, entries), "trial": _try(request, fields_of(TrialForm(), entries))}


def _try(request: Request, fields: dict[str, Any]) -> Trial:
    try:
        claims = json.loads(fields["claims"])
    except (ValueError, RecursionError):
        raise invalid(
            "claims", sentence("console.json_object", "must be a JSON object such as {example}", example=EXAMPLE)
        ) from None
    fault = (
        fault_of(claims)
        if isinstance(claims, dict)
        else sentence("console.json_object", "must be a JSON object such as {example}", example=EXAMPLE)
    )
    if fault is not None:
        raise invalid("claims", fault)
    parties = _parties(request)
    if fields["party"] and fields["party"] not in parties:
        raise invalid("party", sentence("console.no_provider", "there is no such identity provider"))
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


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    mapping = _mapping(request) if "id" in request.matchdict else None
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


def _stored(request: Request) -> Entries:
    values = _values(_mapping(request))
    return Entries(values, version_of(values))


def _question(request: Request) -> dict[str, Any]:
    mapping = _mapping(request)
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
        back=LIST,
        entries=Entries({}, version_of(_values(mapping))),
    )


MAPPING = f"/mappings/{{id:{NUMBER}}}"
PAGES = (
    EditPage(
        route="console.mappings",
        path="/mappings",
        feature="roles",
        title="Roles from single sign-on",
        group="People",
        permission=Permission.ROLES_EDIT,
        shows="Claim mappings, the highest priority first, and the form of a trial",
        does="Which roles a set of claims would give; nothing is changed",
        template="mappings.jinja2",
        schema=TrialForm(),
        proposed=lambda request: Entries({"claims": EXAMPLE}),
        save=_show_trial,
        page=_list,
    ),
    EditPage(
        route="console.mappings.new",
        path="/mappings/new",
        feature="roles",
        permission=Permission.ROLES_EDIT,
        shows="The form of a new claim mapping",
        does="Create a claim mapping to a role within the viewer's rights; an administrative one has to be confirmed",
        template="mapping.jinja2",
        schema=MappingCreate(),
        more=(UNDERSTOOD,),
        proposed=lambda request: Entries({"match_type": "exact", "priority": "0", "is_active": True}),
        save=_create,
        page=_page,
    ),
    EditPage(
        route="console.mapping",
        path=MAPPING,
        feature="roles",
        permission=Permission.ROLES_EDIT,
        shows="The form of a claim mapping",
        does="Change a claim mapping; it holds from each person's next login on",
        template="mapping.jinja2",
        check=_check_changeable,
        schema=MappingReplacement(),
        more=(UNDERSTOOD,),
        stored=_stored,
        save=_save,
        page=_page,
    ),
    DeletePage(
        route="console.mapping.delete",
        path=f"{MAPPING}/delete",
        feature="roles",
        permission=Permission.ROLES_EDIT,
        shows="What deleting a claim mapping means",
        does="Delete a claim mapping",
        check=_check_changeable,
        question=_question,
        delete=_delete,
        onward=LIST,
    ),
)
