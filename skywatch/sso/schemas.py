"""What goes into and comes out of the resources of single sign-on."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.nodes import DROP
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonString,
    QueryString,
    Schema,
    boolean_node,
    choice_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    string_node,
    text_node,
    timestamp_node,
)
from skywatch.sso.claims import MATCH_TYPES

MAX_TEXT = 4096


class AuthorizeQuery(Schema):
    redirect_uri = node(
        QueryString(),
        "Where the provider shall send the person: registered in oidc_redirect_uris, or loopback.",
        validator=colander.Length(1, 1024),
        **DROP,
    )
    provider = node(QueryString(), "Name of a provider; the first without.", validator=colander.Length(1, 32), **DROP)


class AuthorizeAnswer(Schema):
    authorization_url = string_node("Where to send the person.")
    state = string_node("Comes back with the code.")


def _back(description: str) -> colander.SchemaNode:
    return node(QueryString(), description, validator=colander.Length(1, MAX_TEXT), **DROP)


class CallbackQuery(colander.MappingSchema):
    """What the provider sends back; providers add parameters of their own, which are passed over."""

    code = _back("The authorization code.")
    state = _back("The state that authorize gave.")
    iss = _back("Who answers (RFC 9207).")
    error = _back("Why there is no code.")


class ProviderEntry(Schema):
    name = string_node()
    display_name = string_node()


class ProviderList(PageLinks):
    providers = list_node(ProviderEntry())


class LogoutToken(Schema):
    logout_token = text_node(64_000, 1)


class _Mapping(Schema):
    claim_name = text_node(200, 1, description="Name of a claim, or a path such as realm_access.roles.")
    match_type = choice_node(MATCH_TYPES)
    claim_value = text_node(500, 1, description="The value, part of a value, or RE2 pattern.")
    role = text_node(64, 1, description="Name of the role that it gives.")


def _priority(**kw: Any) -> colander.SchemaNode:
    return integer_node(validator=colander.Range(-10_000, 10_000), **kw)


def _provider(**kw: Any) -> colander.SchemaNode:
    return nullable_node(
        JsonString(), "Name of the only provider it applies to; null for all.", validator=_short_or_none, **kw
    )


def _short_or_none(node: colander.SchemaNode, value: Any) -> None:
    if value is not None:
        colander.Length(1, 32)(node, value)


class MappingChangeFields(Fields):
    name: str | UnsetType = UNSET
    claim_name: str | UnsetType = UNSET
    match_type: str | UnsetType = UNSET
    claim_value: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    priority: int | UnsetType = UNSET
    is_active: bool | UnsetType = UNSET
    provider: str | UnsetType | None = UNSET


class MappingCreateFields(MappingChangeFields, kw_only=True):
    name: str
    claim_name: str
    match_type: str
    claim_value: str
    role: str


class MappingReplacementFields(MappingCreateFields):
    priority: int = 0
    is_active: bool = True
    provider: str | None = None


class MappingCreate(_Mapping):
    struct = MappingCreateFields

    name = text_node(120, 1)
    priority = _priority(**DROP)
    is_active = boolean_node(**DROP)
    provider = _provider(**DROP)


class MappingReplacement(_Mapping):
    """What PUT sends: all that a new mapping has, with the same defaults."""

    struct = MappingReplacementFields

    name = text_node(120, 1)
    priority = _priority(missing=0)
    is_active = boolean_node(missing=True)
    provider = _provider(missing=None)


class MappingChange(Schema):
    struct = MappingChangeFields

    name = text_node(120, 1, **DROP)
    claim_name = text_node(200, 1, **DROP)
    match_type = choice_node(MATCH_TYPES, **DROP)
    claim_value = text_node(500, 1, **DROP)
    role = text_node(64, 1, **DROP)
    priority = _priority(**DROP)
    is_active = boolean_node(**DROP)
    provider = _provider(**DROP)


class MappingEntry(_Mapping):
    id = integer_node()
    name = string_node()
    priority = integer_node()
    is_active = boolean_node()
    provider = _provider()
    created_at = timestamp_node()
    updated_at = timestamp_node()


class MappingList(PageLinks):
    oidc_mappings = list_node(MappingEntry())
