"""Strict colander types for JSON bodies and query strings, and the functions that write nodes of them.

All packages write their schemas in ``string_node``, ``integer_node`` and so on, and in ``node`` for types of their own.
colander's own types turn numbers into strings and strings into numbers; a body must not be coerced.
Nodes carry what the OpenAPI document needs: a type may define ``openapi(node)`` to describe itself.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

import colander

from skywatch.http.resources.document import fault_of
from skywatch.sentences import sentence

if TYPE_CHECKING:
    from skywatch.core.feature import FeatureSet
    from skywatch.http.resources.fields import Fields

WHITE_SPACE = re.compile(r"\s+")
# Unknown members of one object reported as faults.
MAX_UNKNOWN = 200
# Entries of a list whose schema names no limit. A list is counted before its entries are looked at.
MAX_ENTRIES = 1_000
# Control characters and lone surrogates; texts of several lines may have line breaks and tabs.
_CONTROL = re.compile("[\\x00-\\x1f\\x7f\\ud800-\\udfff]")
_CONTROL_BUT_LINES = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\\ud800-\\udfff]")
ICAO_ADDRESS = re.compile(r"~?[0-9a-fA-F]{6}")


class StrictMapping(colander.Mapping):
    """A mapping that reports every unknown key as a fault, along with all other faults."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        if cstruct is colander.null:
            return colander.null
        if not isinstance(cstruct, dict):
            raise colander.Invalid(node, sentence("field.object", "must be an object"))
        names = {child.name for child in node.children}
        unknown = [key for key in cstruct if key not in names]
        fault: colander.Invalid | None = None
        result: Any = None
        try:
            result = super().deserialize(node, {k: v for k, v in cstruct.items() if k in names})
        except colander.Invalid as error:
            fault = error
        # A body of a megabyte may contain a hundred thousand of them.
        for key in unknown[:MAX_UNKNOWN]:
            fault = fault or colander.Invalid(node)
            stranger = colander.SchemaNode(colander.String(), name=str(key)[:64])
            fault.add(colander.Invalid(stranger, sentence("field.unknown", "is not a known field")))
        if fault is not None:
            raise fault
        return result


class OpenMapping(StrictMapping):
    """A mapping that passes unknown keys over."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """The known members; raises colander.Invalid for their faults."""
        names = {child.name for child in node.children}
        return super().deserialize(
            node, {k: v for k, v in cstruct.items() if k in names} if isinstance(cstruct, dict) else cstruct
        )


def one_of_declared(names: Callable[[FeatureSet], Sequence[str]]) -> colander.deferred:
    """A validator for one of the names that features declare; schemas are bound to the application's ``features``."""
    return colander.deferred(lambda node, bindings: colander.OneOf(names(bindings["features"])))


class Schema(colander.MappingSchema):
    """The base of every schema: unknown fields are refused. ``struct`` is what a validated body becomes."""

    struct: ClassVar[type[Fields] | None] = None

    @staticmethod
    def schema_type(**kw: Any) -> colander.SchemaType:
        return StrictMapping()

    def members_of_features(self, features: FeatureSet) -> Iterable[colander.SchemaNode]:
        """Further members of a response, which features declare."""
        return ()


class OpenSchema(Schema):
    """A body in which clients send more than what is read."""

    @staticmethod
    def schema_type(**kw: Any) -> colander.SchemaType:
        return OpenMapping()


def node(
    kind: colander.SchemaType, description: str | Callable[[FeatureSet], str] = "", *children: Any, **kw: Any
) -> colander.SchemaNode:
    """A described node; a function describes it by the features of the application whose document is written."""
    return colander.SchemaNode(kind, *children, description=description, **kw)


def string_node(description: str | Callable[[FeatureSet], str] = "", **kw: Any) -> colander.SchemaNode:
    """A string."""
    return node(JsonString(), description, **kw)


def text_node(maximum: int, minimum: int = 0, description: str = "", **kw: Any) -> colander.SchemaNode:
    """A string of limited length."""
    return node(JsonString(), description, validator=colander.Length(minimum, maximum), **kw)


def number_node(description: str = "", **kw: Any) -> colander.SchemaNode:
    """A number."""
    return node(JsonNumber(), description, **kw)


def integer_node(description: str = "", **kw: Any) -> colander.SchemaNode:
    """A whole number."""
    return node(JsonInteger(), description, **kw)


def boolean_node(description: str = "", **kw: Any) -> colander.SchemaNode:
    """True or false."""
    return node(JsonBoolean(), description, **kw)


def timestamp_node(description: str = "", **kw: Any) -> colander.SchemaNode:
    """A moment."""
    return node(Timestamp(), description, **kw)


def nullable_node(kind: colander.SchemaType, description: str = "", **kw: Any) -> colander.SchemaNode:
    """A value of another type, or null."""
    return node(Nullable(kind), description, **kw)


def list_node(item: colander.SchemaNode, description: str = "", **kw: Any) -> colander.SchemaNode:
    """A list."""
    return node(JsonList(), description, item, **kw)


def choice_node(words: Iterable[str], description: str = "", **kw: Any) -> colander.SchemaNode:
    """One of these words."""
    return node(JsonString(), description, validator=colander.OneOf(tuple(words)), **kw)


def choice_filter(words: Iterable[str], description: str) -> colander.SchemaNode:
    """A parameter of the query that filters by one of these words."""
    return node(QueryString(), description, missing=None, validator=colander.OneOf(tuple(words)))


def code_node() -> colander.SchemaNode:
    """Create the node of the code of a text beside it."""
    return node(
        Nullable(JsonString()),
        "The code of the text, from which every language is worded; null or absent where it has none.",
        missing=colander.drop,
    )


def params_node() -> colander.SchemaNode:
    """Create the node of the parameters of a text beside it."""
    return node(
        Nullable(JsonObject()),
        "The parameters of the text by name; one that has a code itself is an object `{text, code, params}`.",
        missing=colander.drop,
    )


class RangeOrNull(colander.Range):
    """A number within bounds, or null for none."""

    def __call__(self, node: colander.SchemaNode, value: float | None) -> None:
        if value is not None:
            super().__call__(node, value)


class _Json(colander.SchemaType):
    """A JSON value of one kind; null stands for a value only where the node says ``nullable=True``."""

    expected = sentence("field.value", "must be a value")

    def accept(self, value: Any) -> bool:
        raise NotImplementedError

    def convert(self, value: Any) -> Any:
        return value

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        if cstruct is colander.null:
            return colander.null
        if not self.accept(cstruct):
            raise colander.Invalid(node, self.expected)
        return self.convert(cstruct)


class JsonString(_Json):
    """A JSON string without control characters (line breaks only where ``multiline``)."""

    expected = sentence("field.text", "must be a string")

    def __init__(self, *, multiline: bool = False) -> None:
        self.multiline = multiline

    def accept(self, value: Any) -> bool:
        return isinstance(value, str)

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        value = super().deserialize(node, cstruct)
        if value is not colander.null and (_CONTROL_BUT_LINES if self.multiline else _CONTROL).search(value):
            raise colander.Invalid(node, sentence("field.control", "must not contain control characters"))
        return value


class FilePart(JsonString):
    """A file in a form; the view reads it."""

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """Bytes (generators of clients look for the format)."""
        return {"type": "string", "format": "binary", "contentMediaType": "application/octet-stream"}


class JsonInteger(_Json):
    """A JSON whole number within 64 bits."""

    expected = sentence("field.whole", "must be a whole number")

    def accept(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


class JsonNumber(_Json):
    """A finite JSON number."""

    expected = sentence("field.number", "must be a number")

    def accept(self, value: Any) -> bool:
        # An integer has no infinity, but may exceed every float.
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max

    def convert(self, value: Any) -> float:
        return float(value)


class JsonBoolean(_Json):
    """JSON true or false."""

    expected = sentence("field.boolean", "must be true or false")

    def accept(self, value: Any) -> bool:
        return isinstance(value, bool)


class JsonObject(_Json):
    """Any JSON object that every database can store (see ``document``), unchanged."""

    expected = sentence("field.object", "must be an object")

    def accept(self, value: Any) -> bool:
        return isinstance(value, dict)

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        value = super().deserialize(node, cstruct)
        fault = None if value is colander.null else fault_of(value)
        if fault is not None:
            raise colander.Invalid(node, fault)
        return value


class Timestamp(_Json):
    """ISO 8601 with a zone -> aware UTC datetime; a time without a zone is taken as UTC."""

    expected = sentence("field.time", "must be an ISO 8601 timestamp such as {example}", example="2026-01-31T12:00:00Z")

    def accept(self, value: Any) -> bool:
        return isinstance(value, str) and len(value) <= 40

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        value = super().deserialize(node, cstruct)
        if value is colander.null:
            return value
        try:
            # A "+" that was not escaped in a query string arrives as a space.
            at = datetime.fromisoformat(value.strip().replace(" ", "+") if value.count(" ") and "T" in value else value)
            at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        except (ValueError, OverflowError):
            raise colander.Invalid(node, self.expected) from None
        return at


class Nullable(colander.SchemaType):
    """Another type, or JSON null (which arrives as None)."""

    def __init__(self, inner: colander.SchemaType) -> None:
        self.inner = inner

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        return None if cstruct is None else self.inner.deserialize(node, cstruct)


class JsonList(colander.Sequence):
    """A JSON array; colander's own would also take objects and strings.

    It is counted first: the largest number of entries is that of the node's ``colander.Length``, or MAX_ENTRIES.
    """

    def deserialize(self, node: colander.SchemaNode, cstruct: Any, **kw: Any) -> Any:
        if cstruct is not colander.null and not isinstance(cstruct, list):
            raise colander.Invalid(node, sentence("field.list", "must be a list"))
        most = most_entries(node)
        if cstruct is not colander.null and len(cstruct) > most:
            raise colander.Invalid(
                node,
                sentence(
                    "field.entries", "must have at most {most} entries, not {count}", most=most, count=len(cstruct)
                ),
            )
        return super().deserialize(node, cstruct, **kw)


def most_entries(node: colander.SchemaNode) -> int:
    """The largest number of entries of a list."""
    validators = getattr(node.validator, "validators", (node.validator,))
    limits = [v.max for v in validators if isinstance(v, colander.Length) and v.max not in (None, -1)]
    return min(limits, default=MAX_ENTRIES)


class JsonSequence(colander.SequenceSchema):
    """A JSON array of the one node that a subclass has."""

    @staticmethod
    def schema_type(**kw: Any) -> colander.SchemaType:
        return JsonList()


class _Query(colander.SchemaType):
    """A value from the query string, which is always text; empty text is a fault, not an absence."""

    def parse(self, text: str) -> Any:
        raise NotImplementedError

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        if cstruct is colander.null:
            return colander.null
        try:
            return self.parse(cstruct)
        except ValueError as error:
            raise colander.Invalid(node, str(error)) from None


class QueryString(_Query):
    """Text without control characters."""

    def parse(self, text: str) -> str:
        if not text:
            raise ValueError(sentence("field.empty", "must not be empty"))
        if any(ord(c) < 32 or ord(c) == 127 for c in text):
            raise ValueError(sentence("field.control", "must not contain control characters"))
        return text


class SearchText(QueryString):
    """Words to search for; white space of any kind separates them."""

    def parse(self, text: str) -> str:
        return super().parse(WHITE_SPACE.sub(" ", text))


class QueryInteger(_Query):
    """A whole number."""

    def parse(self, text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text, re.ASCII):
            raise ValueError(sentence("field.whole", "must be a whole number"))
        return int(text)


class QueryNumber(_Query):
    """A finite number."""

    def parse(self, text: str) -> float:
        return parse_number(text)


class QueryBoolean(_Query):
    """``true`` or ``false`` (also 1 and 0)."""

    def parse(self, text: str) -> bool:
        if text.lower() in ("true", "1"):
            return True
        if text.lower() in ("false", "0"):
            return False
        raise ValueError(sentence("field.boolean", "must be true or false"))


class QueryList(_Query):
    """Values separated by commas, each parsed by ``item``; at most ``limit`` of them."""

    def __init__(self, item: Callable[[str], Any] = str, limit: int = 1000) -> None:
        self.item = item
        self.limit = limit

    def parse(self, text: str) -> list[Any]:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > self.limit:
            raise ValueError(sentence("field.most_values", "must have at most {most} values", most=self.limit))
        if any(ord(c) < 32 or ord(c) == 127 for c in text):
            raise ValueError(sentence("field.control", "must not contain control characters"))
        if not all(parts):
            raise ValueError(sentence("field.empty_values", "must not have empty values"))
        return [self.item(part) for part in parts]


class QueryBox(_Query):
    """``west,south,east,north`` in degrees -> four floats; west > east crosses the date line."""

    def parse(self, text: str) -> tuple[float, float, float, float]:
        parts = text.split(",")
        if len(parts) != 4:
            raise ValueError(sentence("field.box", "must be west,south,east,north"))
        west, south, east, north = (parse_number(part) for part in parts)
        if not (-180 <= west <= 180 and -180 <= east <= 180):
            raise ValueError(sentence("field.box_longitudes", "west and east must be between -180 and 180"))
        if not (-90 <= south <= north <= 90):
            raise ValueError(
                sentence("field.box_latitudes", "south must not be north of north, and both between -90 and 90")
            )
        return west, south, east, north


class IcaoAddress(_Query):
    """An ICAO address in either case, ``~`` before a non-ICAO one -> lower case."""

    def parse(self, text: str) -> str:
        return parse_icao(text)


def parse_icao(text: str) -> str:
    """An ICAO address in lower case; raises ValueError where it is not one."""
    if not isinstance(text, str) or not ICAO_ADDRESS.fullmatch(text):
        raise ValueError(sentence("field.icao", "must be an ICAO address of six hexadecimal digits"))
    return text.lower()


def parse_number(text: str) -> float:
    """A finite number in plain or scientific notation; raises ValueError otherwise."""
    if len(text) > 32 or not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", text, re.ASCII):
        raise ValueError(sentence("field.number", "must be a number"))
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(sentence("field.finite", "must be a finite number"))
    return value
