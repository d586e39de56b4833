"""colander schemas as JSON Schema (2020-12), so that the document matches the validation exactly.

A type of our own may describe itself with ``openapi(node) -> dict``; a node may carry ``example``.
"""

from __future__ import annotations

from typing import Any

import colander

from skywatch.core.feature import FeatureSet
from skywatch.http.resources import schema as types

JsonSchema = dict[str, Any]

_SIMPLE: dict[type, JsonSchema] = {
    types.JsonString: {"type": "string"},
    types.JsonInteger: {"type": "integer"},
    types.JsonNumber: {"type": "number"},
    types.JsonBoolean: {"type": "boolean"},
    types.JsonObject: {"type": "object"},
    types.Timestamp: {"type": "string", "format": "date-time"},
    types.QueryString: {"type": "string", "minLength": 1},
    types.QueryInteger: {"type": "integer"},
    types.QueryNumber: {"type": "number"},
    types.QueryBoolean: {"type": "boolean"},
    types.QueryBox: {
        "type": "string",
        "pattern": r"^-?[0-9.]+,-?[0-9.]+,-?[0-9.]+,-?[0-9.]+$",
        "examples": ["5.9,45.8,10.5,47.8"],
    },
    types.IcaoAddress: {"type": "string", "pattern": "^~?[0-9a-fA-F]{6}$", "examples": ["4b1620"]},
}
_ITEMS: dict[Any, JsonSchema] = {types.parse_icao: _SIMPLE[types.IcaoAddress], int: {"type": "integer"}}


class SchemaWriter:
    """Writes nodes as JSON Schema and collects the named ones as components.

    With ``closed``, response objects have no members other than those named: for tests, not for the published document,
    so that a new member does not break clients that validate.
    """

    def __init__(self, features: FeatureSet, *, closed: bool) -> None:
        self.features = features
        self.closed = closed
        self.components: dict[str, JsonSchema] = {}
        self._classes: dict[str, type] = {}

    def write(self, node: colander.SchemaNode, *, request: bool) -> JsonSchema:
        """The schema of a node; classes derived from ``Schema`` become components."""
        cls = type(node)
        if cls in (types.Schema, colander.SchemaNode) or not isinstance(node.typ, colander.Mapping):
            return self._annotate(node, self._inline(node, request))
        name = cls.__name__
        if self._classes.setdefault(name, cls) is not cls:
            raise ValueError(f"two schemas are called {name}: {cls.__module__} and {self._classes[name].__module__}")
        if name not in self.components:
            self.components[name] = {}  # Prevents endless recursion.
            self.components[name] = self._inline(node, request)
        reference: JsonSchema = {"$ref": f"#/components/schemas/{name}"}
        return self._annotate(node, reference)

    def _inline(self, node: colander.SchemaNode, request: bool) -> JsonSchema:
        typ = node.typ
        if hasattr(typ, "openapi"):
            own_schema: JsonSchema = typ.openapi(node)
            return own_schema
        if isinstance(typ, types.Nullable):
            inner = colander.SchemaNode(typ.inner, *node.children)
            inner.validator = node.validator
            return {"anyOf": [self._limits(inner, self._inline(inner, request)), {"type": "null"}]}
        if isinstance(typ, colander.Mapping):
            return self._object(node, request)
        if isinstance(typ, colander.Sequence):
            return {"type": "array", "items": self.write(node.children[0], request=request)}
        if isinstance(typ, types.QueryList):
            return {"type": "array", "items": _ITEMS.get(typ.item, {"type": "string", "minLength": 1}), "minItems": 1}
        for cls, simple in _SIMPLE.items():
            if isinstance(typ, cls):
                return dict(simple)
        raise TypeError(f"{node.name}: {type(typ).__name__} has no JSON Schema")

    def _object(self, node: colander.SchemaNode, request: bool) -> JsonSchema:
        further = node.members_of_features(self.features) if isinstance(node, types.Schema) else ()
        children = [*node.children, *further]
        result: JsonSchema = {
            "type": "object",
            "properties": {child.name: self.write(child, request=request) for child in children},
        }
        required = [child.name for child in children if child.required]
        if required:
            result["required"] = required
        if request or self.closed:
            result["additionalProperties"] = (
                isinstance(node.typ, types.OpenMapping) or getattr(node.typ, "unknown", "ignore") == "preserve"
            )
        return result

    def _annotate(self, node: colander.SchemaNode, result: JsonSchema) -> JsonSchema:
        result = self._limits(node, result)
        if node.description:
            result["description"] = node.description(self.features) if callable(node.description) else node.description
        if isinstance(node.missing, bool | int | float | str):
            result["default"] = node.missing
        if getattr(node, "example", None) is not None:
            result["examples"] = [node.example]
        return result

    def _limits(self, node: colander.SchemaNode, result: JsonSchema) -> JsonSchema:
        bound = node.validator
        if isinstance(bound, colander.deferred):
            bound = bound(node, {"features": self.features})
        for validator in _flatten(bound):
            array = result.get("type") == "array"
            if isinstance(validator, colander.Range):
                result |= _pair("minimum", validator.min, "maximum", validator.max)
            elif isinstance(validator, colander.Length):
                names = ("minItems", "maxItems") if array else ("minLength", "maxLength")
                result |= _pair(names[0], validator.min, names[1], validator.max)
                if result.get(names[1]) == -1:
                    del result[names[1]]
            elif isinstance(validator, colander.OneOf):
                result["enum"] = list(validator.choices)
            elif isinstance(validator, colander.Regex):
                # JSON Schema's expressions are ECMAScript's, where $ is the end of the text.
                result["pattern"] = validator.match_object.pattern.replace(r"\Z", "$")
        return result


def _flatten(validator: Any) -> list[Any]:
    if validator is None:
        return []
    if isinstance(validator, colander.All):
        return [part for inner in validator.validators for part in _flatten(inner)]
    return [validator]


def _pair(low_name: str, low: Any, high_name: str, high: Any) -> JsonSchema:
    return {name: value for name, value in ((low_name, low), (high_name, high)) if value is not None}
