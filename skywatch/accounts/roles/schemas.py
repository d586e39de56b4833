"""Roles, the permissions they are made of, and those that the caller has."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.nodes import DROP, display_name_node, strings_node
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    QueryBoolean,
    Schema,
    boolean_node,
    integer_node,
    list_node,
    node,
    string_node,
    text_node,
    timestamp_node,
)
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence


def role_name_node(**kw: Any) -> colander.SchemaNode:
    pattern = colander.Regex(
        r"^[a-z][a-z0-9_]{1,63}\Z",
        sentence("accounts.role_name_rule", "must be lower-case letters, digits and underscores"),
    )
    return string_node(validator=pattern, **kw)


def permission_names_node(**kw: Any) -> colander.SchemaNode:
    is_permission = colander.OneOf(sorted(permission.value for permission in Permission))
    return strings_node(string_node(validator=is_permission), **kw)


def priority_node(**kw: Any) -> colander.SchemaNode:
    return integer_node(validator=colander.Range(0, 1000), description="Higher means more privileged.", **kw)


class RoleChangeFields(Fields):
    name: str | UnsetType = UNSET
    display_name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    permissions: list[str] | UnsetType = UNSET
    priority: int | UnsetType = UNSET


class RoleCreateFields(RoleChangeFields, kw_only=True):
    name: str


class RoleCreate(Schema):
    struct = RoleCreateFields

    name = role_name_node()
    display_name = display_name_node(**DROP)
    description = text_node(1000, **DROP)
    permissions = permission_names_node(**DROP)
    priority = priority_node(**DROP)


class RoleChange(Schema):
    struct = RoleChangeFields

    name = role_name_node(**DROP)
    display_name = display_name_node(**DROP)
    description = text_node(1000, **DROP)
    permissions = permission_names_node(**DROP)
    priority = priority_node(**DROP)


class RoleEntry(Schema):
    id = integer_node()
    name = string_node()
    display_name = string_node()
    description = string_node()
    permissions = strings_node(string_node(), maximum=1000)
    priority = integer_node()
    is_system = boolean_node()
    user_count = integer_node(description="How many users hold it now.")
    created_at = timestamp_node()
    updated_at = timestamp_node()


class RoleList(PageLinks):
    roles = list_node(RoleEntry())


class RoleDeletion(Schema):
    force = node(QueryBoolean(), "Delete the role although it is assigned.", missing=False)


class PermissionEntry(Schema):
    name = string_node()
    feature = string_node()
    action = string_node()
    description = string_node()


class PermissionList(PageLinks):
    permissions = list_node(PermissionEntry())


class OwnPermissions(Schema):
    permissions = strings_node(string_node(), maximum=1000)
    roles = strings_node(string_node(), maximum=1000)
