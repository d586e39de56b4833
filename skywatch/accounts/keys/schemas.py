"""API keys."""

from __future__ import annotations

from datetime import datetime

import colander

from skywatch.accounts.nodes import DROP, strings_node
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    QueryInteger,
    Schema,
    Timestamp,
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
from skywatch.security.permissions import OPTIONAL_SCOPES, SCOPES, WITHHELD_FROM_KEYS

ALL_SCOPES = (*SCOPES, *OPTIONAL_SCOPES)


# The number of an account.
MOST = 2**63 - 1


def owner_node() -> colander.SchemaNode:
    """The service account whose keys an address means."""
    return node(
        QueryInteger(),
        "A service account: its keys instead of the caller's own, for callers with users.edit and every "
        "permission of that account.",
        validator=colander.Range(1, MOST),
        **DROP,
    )


class KeyQuery(PageQuery):
    user = owner_node()


class KeyOwner(Schema):
    user = owner_node()


class KeyCreateFields(Fields):
    name: str
    scopes: list[str]
    expires_at: datetime | None = None
    user: int | UnsetType = UNSET


class KeyCreate(Schema):
    struct = KeyCreateFields

    name = text_node(120, 1)
    scopes = strings_node(
        choice_node(ALL_SCOPES),
        minimum=1,
        maximum=len(ALL_SCOPES),
        description=(
            f"What the key reaches; {' and '.join(OPTIONAL_SCOPES)} is for devices without a password, such as one in "
            f"a car: it carries the owner's own records there, never {' or '.join(sorted(WITHHELD_FROM_KEYS))}."
        ),
    )
    expires_at = nullable_node(Timestamp(), missing=None, description="When it ends; to set one is advised.")
    user = integer_node(
        validator=colander.Range(1, MOST),
        description="A service account that the key is for, instead of the caller; needs users.edit and every "
        "permission of that account.",
        **DROP,
    )


class KeyEntry(Schema):
    id = integer_node()
    name = string_node()
    key_prefix = string_node()
    scopes = strings_node(string_node())
    is_active = boolean_node()
    expires_at = nullable_node(Timestamp())
    last_used_at = nullable_node(Timestamp())
    created_at = timestamp_node()


class NewKey(KeyEntry):
    key = string_node("The whole key; it is never shown again.")


class KeyList(PageLinks):
    api_keys = list_node(KeyEntry())
