"""API keys."""

from __future__ import annotations

import colander

from skywatch.accounts.nodes import (
    boolean_node,
    number_node,
    optional_timestamp_node,
    strings_node,
    text,
    timestamp_node,
)
from skywatch.http.lists.paging import PageLinks
from skywatch.http.resources.schema import (
    JsonList,
    JsonString,
    Schema,
)
from skywatch.security.permissions import OPTIONAL_SCOPES, SCOPES, WITHHELD_FROM_KEYS

ALL_SCOPES = (*SCOPES, *OPTIONAL_SCOPES)


class KeyCreate(Schema):
    name = text(120, 1)
    scopes = strings_node(
        colander.SchemaNode(JsonString(), validator=colander.OneOf(ALL_SCOPES)),
        minimum=1,
        maximum=len(ALL_SCOPES),
        description=(
            f"What the key reaches; {' and '.join(OPTIONAL_SCOPES)} is for devices without a password, such as one in "
            f"a car: it carries the owner's own records there, never {' or '.join(sorted(WITHHELD_FROM_KEYS))}."
        ),
    )
    expires_at = optional_timestamp_node(missing=None, description="When it ends; to set one is advised.")


class KeyEntry(Schema):
    id = number_node()
    name = colander.SchemaNode(JsonString())
    key_prefix = colander.SchemaNode(JsonString())
    scopes = strings_node(colander.SchemaNode(JsonString()))
    is_active = boolean_node()
    expires_at = optional_timestamp_node()
    last_used_at = optional_timestamp_node()
    created_at = timestamp_node()


class NewKey(KeyEntry):
    key = colander.SchemaNode(JsonString(), description="The whole key; it is never shown again.")


class KeyList(PageLinks):
    api_keys = colander.SchemaNode(JsonList(), KeyEntry())
