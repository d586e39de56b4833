"""The access settings of features."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.nodes import DROP, LEVELS
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    list_node,
    nullable_node,
    string_node,
)
from skywatch.security.permissions import FEATURES


class AccessSummary(Schema):
    read_access = choice_node(LEVELS)
    write_access = choice_node(LEVELS)
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

    read_access = choice_node(LEVELS, **DROP)
    write_access = choice_node(LEVELS, **DROP)
    is_enabled = boolean_node(**DROP)


class AccessReplacement(AccessSummary):
    """All three, none left out."""

    struct = AccessReplacementFields


class AccessEntry(AccessSummary):
    feature = string_node()
    updated_at = nullable_node(Timestamp())


class AccessList(PageLinks):
    feature_access = list_node(AccessEntry())
