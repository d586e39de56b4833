"""The schemas of export and import of rules."""

from __future__ import annotations

from typing import Any

import colander
import msgspec

from skywatch.alerts.access import MAX_GEOFENCES, MAX_RULES, MAX_WATCHLISTS
from skywatch.alerts.history.schemas import ObjectList
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import Schema, integer_node, node
from skywatch.sentences import sentence


class RulesImportFields(Fields):
    """The contents of an export; its entries are validated one by one."""

    version: int
    rules: list[dict[str, Any]] = msgspec.field(default_factory=list)
    geofences: list[dict[str, Any]] = msgspec.field(default_factory=list)
    watchlists: list[dict[str, Any]] = msgspec.field(default_factory=list)


class RulesExport(Schema):
    """Rules with what they refer to."""

    version = integer_node()
    rules = ObjectList()
    geofences = ObjectList(description="With the ids by which the rules refer to them.")
    watchlists = ObjectList(description="With the ids by which the rules refer to them.")


class Entries(colander.SchemaType):
    """A list of objects, which are looked at when they have been counted: ``transfer.check_entries``."""

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """The list as it is."""
        if cstruct is not colander.null and not isinstance(cstruct, list):
            raise colander.Invalid(node, sentence("field.list", "must be a list"))
        return cstruct

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """A list of objects."""
        return {"type": "array", "items": {"type": "object"}}


def _entries(most: int) -> colander.SchemaNode:
    return node(Entries(), f"At most {most} with those that exist (409).", missing=[])


class RulesImport(Schema):
    """The contents of an export."""

    struct = RulesImportFields

    version = integer_node()
    rules = _entries(MAX_RULES)
    geofences = _entries(MAX_GEOFENCES)
    watchlists = _entries(MAX_WATCHLISTS)


class RulesImported(Schema):
    """The number of objects that an import created."""

    rules = integer_node()
    geofences = integer_node()
    watchlists = integer_node()
