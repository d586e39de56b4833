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
    QueryInteger,
    Schema,
    Timestamp,
    boolean_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    string_node,
    timestamp_node,
)


def row_id_node(**kw: Any) -> colander.SchemaNode:
    return integer_node(validator=colander.Range(1, 2**63 - 1), **kw)


class AssignmentQuery(PageQuery):
    user = node(QueryInteger(), "Number of a user.", validator=colander.Range(1), **DROP)
    role = node(QueryInteger(), "Number of a role.", validator=colander.Range(1), **DROP)


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
    username = string_node()
    role = integer_node()
    role_name = string_node()
    expires_at = nullable_node(Timestamp())
    is_expired = boolean_node()
    assigned_by = nullable_node(JsonInteger())
    created_at = timestamp_node()


class AssignmentList(PageLinks):
    user_roles = list_node(AssignmentEntry())
