"""The schemas of export and import of rules."""

from __future__ import annotations

from typing import Any

import colander
import msgspec

from skywatch.alerts.access import MAXIMUM_GEOFENCES, MAXIMUM_RULES, MAXIMUM_WATCHLISTS
from skywatch.alerts.history.schemas import ObjectList
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import JsonInteger, Schema


class RulesImportFields(Fields):
    """The contents of an export; its entries are validated one by one."""

    version: int
    rules: list[dict[str, Any]] = msgspec.field(default_factory=list)
    geofences: list[dict[str, Any]] = msgspec.field(default_factory=list)
    watchlists: list[dict[str, Any]] = msgspec.field(default_factory=list)


class RulesExport(Schema):
    """Rules with what they refer to."""

    version = colander.SchemaNode(JsonInteger())
    rules = ObjectList()
    geofences = ObjectList(description="With the ids by which the rules refer to them.")
    watchlists = ObjectList(description="With the ids by which the rules refer to them.")


class RulesImport(Schema):
    """The contents of an export."""

    struct = RulesImportFields

    version = colander.SchemaNode(JsonInteger())
    rules = ObjectList(missing=[], validator=colander.Length(max=MAXIMUM_RULES))
    geofences = ObjectList(missing=[], validator=colander.Length(max=MAXIMUM_GEOFENCES))
    watchlists = ObjectList(missing=[], validator=colander.Length(max=MAXIMUM_WATCHLISTS))


class RulesImported(Schema):
    """The number of objects that an import created."""

    rules = colander.SchemaNode(JsonInteger())
    geofences = colander.SchemaNode(JsonInteger())
    watchlists = colander.SchemaNode(JsonInteger())
