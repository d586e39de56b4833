"""Users and the roles they hold."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.schemas.auth import Profile, ProfileChange
from skywatch.accounts.schemas.parts import (
    DROP,
    boolean_node,
    display_name_node,
    email_node,
    number_node,
    optional_timestamp_node,
    password_node,
    role_names_node,
    timestamp_node,
    username_node,
)
from skywatch.http.paging import PageLinks, PageQuery
from skywatch.http.schema import (
    JsonInteger,
    JsonList,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryInteger,
    QueryString,
    Schema,
)


class UserQuery(PageQuery):
    search = colander.SchemaNode(
        QueryString(), validator=colander.Length(1, 100), description="Part of a name or e-mail address.", **DROP
    )
    is_active = colander.SchemaNode(QueryBoolean(), **DROP)
    role = colander.SchemaNode(
        QueryString(), validator=colander.Length(1, 64), description="Name of a role that they hold.", **DROP
    )


class UserList(PageLinks):
    users = colander.SchemaNode(JsonList(), Profile())


class UserCreate(Schema):
    username = username_node()
    email = email_node()
    password = password_node(**DROP)
    display_name = display_name_node(**DROP)
    roles = role_names_node(**DROP)


class UserChange(ProfileChange):
    is_active = boolean_node(**DROP)
    password = password_node(**DROP)
    roles = role_names_node(description="The names of exactly the roles that the user shall hold.", **DROP)


def row_id_node(**kw: Any) -> colander.SchemaNode:
    return number_node(validator=colander.Range(1, 2**63 - 1), **kw)


class AssignmentQuery(PageQuery):
    user = colander.SchemaNode(QueryInteger(), validator=colander.Range(1), description="Number of a user.", **DROP)
    role = colander.SchemaNode(QueryInteger(), validator=colander.Range(1), description="Number of a role.", **DROP)


class AssignmentCreate(Schema):
    user = row_id_node()
    role = row_id_node()
    expires_at = optional_timestamp_node(missing=None, description="When it ends by itself.")


class AssignmentChange(Schema):
    expires_at = optional_timestamp_node(description="When it ends by itself; null for never.")


class AssignmentEntry(Schema):
    id = number_node()
    user = number_node()
    username = colander.SchemaNode(JsonString())
    role = number_node()
    role_name = colander.SchemaNode(JsonString())
    expires_at = optional_timestamp_node()
    is_expired = boolean_node()
    assigned_by = colander.SchemaNode(Nullable(JsonInteger()))
    created_at = timestamp_node()


class AssignmentList(PageLinks):
    user_roles = colander.SchemaNode(JsonList(), AssignmentEntry())
