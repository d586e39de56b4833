"""Permissions, and which of them the caller has."""

from __future__ import annotations

import colander

from skywatch.accounts.nodes import (
    strings_node,
)
from skywatch.http.lists.paging import PageLinks
from skywatch.http.resources.schema import (
    JsonList,
    JsonString,
    Schema,
)


class PermissionEntry(Schema):
    name = colander.SchemaNode(JsonString())
    feature = colander.SchemaNode(JsonString())
    action = colander.SchemaNode(JsonString())
    description = colander.SchemaNode(JsonString())


class PermissionList(PageLinks):
    permissions = colander.SchemaNode(JsonList(), PermissionEntry())


class OwnPermissions(Schema):
    permissions = strings_node(colander.SchemaNode(JsonString()), maximum=1000)
    roles = strings_node(colander.SchemaNode(JsonString()), maximum=1000)
