"""The audit log."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.nodes import DROP
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonObject,
    JsonString,
    QueryInteger,
    QueryString,
    Schema,
    integer_node,
    list_node,
    node,
    nullable_node,
    string_node,
    timestamp_node,
)


class AuditQuery(PageQuery):
    action = node(
        QueryString(), "An action such as user.changed, or its first part.", validator=colander.Length(1, 64), **DROP
    )
    actor = node(QueryString(), "Number or username of the user who acted.", validator=colander.Length(1, 254), **DROP)
    target_type = node(QueryString(), validator=colander.Length(1, 32), **DROP)
    target_id = node(QueryString(), validator=colander.Length(1, 64), **DROP)
    address = node(QueryString(), validator=colander.Length(1, 64), **DROP)
    to = timestamp_node("Before this moment.", **DROP)
    cursor = node(QueryInteger(), "Go on after the entry of this number.", validator=colander.Range(0), **DROP)

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        # A word that cannot be the name of an attribute.
        self.add(timestamp_node("At or after this moment.", name="from", **DROP))


class AuditRecord(Schema):
    id = integer_node()
    at = timestamp_node()
    action = string_node()
    actor_id = nullable_node(JsonInteger())
    actor_name = string_node()
    method = string_node("jwt, api_key, console, reset_link, cli or anonymous.")
    address = nullable_node(JsonString())
    request_id = nullable_node(JsonString())
    target_type = nullable_node(JsonString())
    target_id = nullable_node(JsonString())
    target_name = nullable_node(JsonString())
    before = nullable_node(JsonObject())
    after = nullable_node(JsonObject())


class AuditList(PageLinks):
    entries = list_node(AuditRecord())
