"""The access settings of features."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.nodes import DROP, LEVELS
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import JsonList, JsonString, Schema, Timestamp, boolean_node, nullable_node
from skywatch.security.permissions import FEATURES


class AccessSummary(Schema):
    read_access = colander.SchemaNode(JsonString(), validator=colander.OneOf(LEVELS))
    write_access = colander.SchemaNode(JsonString(), validator=colander.OneOf(LEVELS))
    is_enabled = boolean_node()


class FeatureSummaries(Schema):
    """The access setting of every feature, by its name."""

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        for feature in FEATURES:
            self.add(AccessSummary(name=feature))


class AccessChangeFields(Fields):
    read_access: str | UnsetType = UNSET
    write_access: str | UnsetType = UNSET
    is_enabled: bool | UnsetType = UNSET


class AccessReplacementFields(AccessChangeFields, kw_only=True):
    """All three, none left out."""

    read_access: str
    write_access: str
    is_enabled: bool


class AccessChange(Schema):
    struct = AccessChangeFields

    read_access = colander.SchemaNode(JsonString(), validator=colander.OneOf(LEVELS), **DROP)
    write_access = colander.SchemaNode(JsonString(), validator=colander.OneOf(LEVELS), **DROP)
    is_enabled = boolean_node(**DROP)


class AccessReplacement(AccessSummary):
    """All three, none left out."""

    struct = AccessReplacementFields


class AccessEntry(AccessSummary):
    feature = colander.SchemaNode(JsonString())
    updated_at = nullable_node(Timestamp())


class AccessList(PageLinks):
    feature_access = colander.SchemaNode(JsonList(), AccessEntry())
