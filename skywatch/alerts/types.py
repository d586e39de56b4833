"""colander types of alerts: documents whose faults are all reported by their path."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.alerts.conditions.quiet_hours import parse_windows
from skywatch.alerts.conditions.templates import fault_of
from skywatch.alerts.conditions.tree import Conditions, parse
from skywatch.core.polygons.geometry import GeometryFault, parse_geometry
from skywatch.http.resources.document import fault_of as document_fault
from skywatch.http.resources.schema import JsonString, string_node
from skywatch.notify.deliveries.quiet_hours import DAYS
from skywatch.sentences import sentence


def not_blank(node: colander.SchemaNode, value: str) -> None:
    """Refuse a name that consists of spaces only."""
    if not value.strip():
        raise colander.Invalid(node, sentence("field.blank", "must not be blank"))


def name_node(**kw: Any) -> colander.SchemaNode:
    """The schema node of a name."""
    validator = colander.All(colander.Length(1, 120), not_blank)
    return string_node("Name for people.", validator=validator, **kw)


def raise_faults(node: colander.SchemaNode, faults: dict[str, str]) -> None:
    """Raise colander's error with these faults, by path below the node (``conditions.all.0.field``)."""
    if not faults:
        return
    own = faults.pop(node.name, None)
    error = colander.Invalid(node, own)
    for path, detail in faults.items():
        name = path.removeprefix(f"{node.name}.")
        error.add(colander.Invalid(colander.SchemaNode(colander.String(), name=name), detail))
    raise error


class _Document(colander.SchemaType):
    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def faults(self, node: colander.SchemaNode, value: Any) -> dict[str, str]:
        raise NotImplementedError

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        if cstruct is colander.null:
            return colander.null
        unfit = document_fault(cstruct) if isinstance(cstruct, dict) else None
        raise_faults(node, {node.name: unfit} if unfit else self.faults(node, cstruct))
        return cstruct


class ConditionsDocument(_Document):
    """A tree of conditions, as ``Conditions``."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """The document with its tree; raises colander.Invalid for every fault of it."""
        if cstruct is colander.null:
            return colander.null
        unfit = document_fault(cstruct) if isinstance(cstruct, dict) else None
        tree, faults = (None, {node.name: unfit}) if unfit else parse(cstruct, node.name)
        raise_faults(node, faults)
        return Conditions(cstruct, tree)

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """An object: the grammar is in the manual."""
        return {"type": "object"}


class QuietHours(_Document):
    """Windows of local time."""

    def faults(self, node: colander.SchemaNode, value: Any) -> dict[str, str]:
        """Every fault of every window."""
        return parse_windows(value, node.name)[1]

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """A list of windows; they last all days, and times are those of UTC, where nothing else is given."""
        time_of_day = {"type": "string", "examples": ["22:00"]}
        members = {
            "days": {"type": "array", "items": {"type": "string", "enum": list(DAYS)}},
            "from": time_of_day,
            "to": time_of_day,
            "timezone": {"type": "string", "examples": ["Europe/Zurich"]},
        }
        return {"type": "array", "items": {"type": "object", "properties": members, "required": ["from", "to"]}}


class Geometry(_Document):
    """A GeoJSON Polygon or MultiPolygon."""

    def faults(self, node: colander.SchemaNode, value: Any) -> dict[str, str]:
        """The reason why it cannot be used, if any."""
        try:
            parse_geometry(value)
        except GeometryFault as error:
            return {node.name: str(error)}
        return {}

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """GeoJSON."""
        members = {
            "type": {"type": "string", "enum": ["Polygon", "MultiPolygon"]},
            "coordinates": {"type": "array", "items": {}},
        }
        return {"type": "object", "properties": members, "required": list(members)}


class Template(JsonString):
    """A message with named fields."""

    def __init__(self) -> None:
        super().__init__(multiline=True)

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """The template; raises colander.Invalid for its first fault."""
        value = super().deserialize(node, cstruct)
        fault = None if value is colander.null else fault_of(value)
        if fault is not None:
            raise colander.Invalid(node, fault)
        return value
