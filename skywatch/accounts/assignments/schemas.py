"""Role assignments."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import colander

from skywatch.accounts.nodes import DROP
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonList,
    JsonString,
    Nullable,
    QueryInteger,
    Schema,
    Timestamp,
    boolean_node,
    integer_node,
    nullable_node,
    timestamp_node,
)


def row_id_node(**kw: Any) -> colander.SchemaNode:
    return integer_node(validator=colander.Range(1, 2**63 - 1), **kw)


class AssignmentQuery(PageQuery):
    user = colander.SchemaNode(QueryInteger(), validator=colander.Range(1), description="Number of a user.", **DROP)
    role = colander.SchemaNode(QueryInteger(), validator=colander.Range(1), description="Number of a role.", **DROP)


class AssignmentCreateFields(Fields):
    user: int
    role: int
    expires_at: datetime | None = None


class AssignmentCreate(Schema):
    struct = AssignmentCreateFields

    user = row_id_node()
    role = row_id_node()
    expires_at = nullable_node(Timestamp(), missing=None, description="When it ends by itself.")


class AssignmentChangeFields(Fields):
    expires_at: datetime | None


class AssignmentChange(Schema):
    struct = AssignmentChangeFields

    expires_at = nullable_node(Timestamp(), description="When it ends by itself; null for never.")


class AssignmentEntry(Schema):
    id = integer_node()
    user = integer_node()
    username = colander.SchemaNode(JsonString())
    role = integer_node()
    role_name = colander.SchemaNode(JsonString())
    expires_at = nullable_node(Timestamp())
    is_expired = boolean_node()
    assigned_by = colander.SchemaNode(Nullable(JsonInteger()))
    created_at = timestamp_node()


class AssignmentList(PageLinks):
    user_roles = colander.SchemaNode(JsonList(), AssignmentEntry())
