"""The audit log."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.nodes import DROP
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonList,
    JsonObject,
    JsonString,
    Nullable,
    QueryInteger,
    QueryString,
    Schema,
    Timestamp,
    integer_node,
    timestamp_node,
)


class AuditQuery(PageQuery):
    action = colander.SchemaNode(
        QueryString(),
        validator=colander.Length(1, 64),
        description="An action such as user.changed, or its first part.",
        **DROP,
    )
    actor = colander.SchemaNode(
        QueryString(),
        validator=colander.Length(1, 254),
        description="Number or username of the user who acted.",
        **DROP,
    )
    target_type = colander.SchemaNode(QueryString(), validator=colander.Length(1, 32), **DROP)
    target_id = colander.SchemaNode(QueryString(), validator=colander.Length(1, 64), **DROP)
    address = colander.SchemaNode(QueryString(), validator=colander.Length(1, 64), **DROP)
    to = colander.SchemaNode(Timestamp(), description="Before this moment.", **DROP)
    cursor = colander.SchemaNode(
        QueryInteger(), validator=colander.Range(0), description="Go on after the entry of this number.", **DROP
    )

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        # A word that cannot be the name of an attribute.
        self.add(colander.SchemaNode(Timestamp(), name="from", description="At or after this moment.", **DROP))


class AuditRecord(Schema):
    id = integer_node()
    at = timestamp_node()
    action = colander.SchemaNode(JsonString())
    actor_id = colander.SchemaNode(Nullable(JsonInteger()))
    actor_name = colander.SchemaNode(JsonString())
    method = colander.SchemaNode(JsonString(), description="jwt, api_key, console, reset_link, cli or anonymous.")
    address = colander.SchemaNode(Nullable(JsonString()))
    request_id = colander.SchemaNode(Nullable(JsonString()))
    target_type = colander.SchemaNode(Nullable(JsonString()))
    target_id = colander.SchemaNode(Nullable(JsonString()))
    target_name = colander.SchemaNode(Nullable(JsonString()))
    before = colander.SchemaNode(Nullable(JsonObject()))
    after = colander.SchemaNode(Nullable(JsonObject()))


class AuditList(PageLinks):
    entries = colander.SchemaNode(JsonList(), AuditRecord())
