"""The values of tests: validated and normalised for comparison."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from skywatch.alerts.conditions.classes import CLASSES
from skywatch.alerts.conditions.fields import ALL_OPS, IS_NULL, Field, Kind
from skywatch.core.text.expressions import Expression, ExpressionFault, expressions
from skywatch.core.text.names import all_shown
from skywatch.sentences import Sentence, sentence

MAX_LIST = 1_000
MAX_TEXT = 200
MAX_ID = 2**53
SQUAWK = re.compile("[0-7]{4}")
SQUAWK_RANGE = re.compile("([0-7]{4})-([0-7]{4})")


class ValueFault(ValueError):
    """A value that its field or op does not accept; ``str()`` is the fault for people."""


@dataclass(frozen=True, slots=True)
class SquawkRange:
    """Mode A codes from ``low`` to ``high``, both included; four octal digits sort like their values."""

    low: str
    high: str


def normalised(text: str) -> str:
    """A text in the form for comparison: without padding, in upper case."""
    return text.strip().upper()


def parse_op(field: Field, op: Any) -> str:
    """The op; raises ValueFault if it does not exist or the field does not support it."""
    if not isinstance(op, str) or op not in ALL_OPS:
        raise ValueFault(
            sentence(
                "alerts.unknown_op",
                "{op} is not an op; the ops of {name} are {names}",
                op=_quoted(op),
                name=field.name,
                names=", ".join(field.ops),
            )
        )
    if op not in field.ops:
        raise ValueFault(
            sentence(
                "alerts.op_not_for_field",
                "{name} does not take {op}; it takes {names}",
                name=field.name,
                op=op,
                names=", ".join(field.ops),
            )
        )
    return op


def parse_value(field: Field, op: str, value: Any) -> Any:
    """The value normalised for comparison; raises ValueFault.

    Numbers become floats, texts upper case, times unix seconds, lists frozen sets (of a squawk also ranges), and a
    regular expression is compiled.
    """
    if op == "in" and field.kind is not Kind.WATCHLIST:
        return _list(field, value)
    if op == "matches":
        return _pattern(value)
    if op == IS_NULL:
        return _flag(value)
    return _single(field, op, value)


def _single(field: Field, op: str, value: Any) -> Any:
    if field.kind is Kind.NUMBER:
        return _number(value)
    if field.kind is Kind.ALTITUDE:
        if isinstance(value, str) and value.strip().lower() == "ground" and op in ("eq", "ne", "in"):
            return "ground"
        expected = sentence("alerts.altitude", 'must be a number or, with eq and ne, "ground"')
        return _number(value, expected)
    if field.kind is Kind.TIME:
        return _time(value)
    if field.kind is Kind.FLAG:
        return _flag(value)
    if field.kind is Kind.EMERGENCY and isinstance(value, bool) and op in ("eq", "ne"):
        return value
    if field.kind is Kind.CLASS:
        return _class(value)
    if field.kind in (Kind.GEOFENCE, Kind.WATCHLIST):
        return _identifier(field, value)
    text = _text(value)
    if field.value_fault is not None and (fault := field.value_fault(text)):
        raise ValueFault(fault)
    if field.name == "squawk" and op in ("eq", "ne") and not SQUAWK.fullmatch(text):
        raise ValueFault(sentence("alerts.squawk", "must be four octal digits, such as 7700"))
    return text


def _list(field: Field, value: Any) -> Any:
    values = [value] if field.name == "squawk" and isinstance(value, str) else value
    if not isinstance(values, list):
        raise ValueFault(sentence("field.list", "must be a list"))
    if not values:
        raise ValueFault(sentence("field.empty_list", "must not be an empty list"))
    if len(values) > MAX_LIST:
        raise ValueFault(
            sentence(
                "alerts.too_many_values", "must hold at most {most} values; put more into a watch list", most=MAX_LIST
            )
        )
    return frozenset(_squawks(entry) if field.name == "squawk" else _single(field, "in", entry) for entry in values)


def _squawks(value: Any) -> str | SquawkRange:
    text = _text(value)
    if SQUAWK.fullmatch(text):
        return text
    bounds = SQUAWK_RANGE.fullmatch(text)
    if bounds is None:
        raise ValueFault(
            sentence(
                "alerts.squawk_range",
                '{value} is neither four octal digits nor a range such as "3000-3050"',
                value=_quoted(value),
            )
        )
    low, high = bounds.groups()
    if low > high:
        raise ValueFault(
            sentence("alerts.squawk_range_order", "{value} is a range that ends before it begins", value=_quoted(value))
        )
    return SquawkRange(low, high)


_A_NUMBER = sentence("field.number", "must be a number")


def _number(value: Any, expected: Sentence = _A_NUMBER) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueFault(expected)
    try:
        number = float(value)
    except OverflowError:
        raise ValueFault(sentence("field.finite", "must be a finite number")) from None
    if not math.isfinite(number) or abs(number) > 1e15:
        raise ValueFault(sentence("alerts.finite_15_digits", "must be a finite number of at most 15 digits"))
    return number


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueFault(sentence("field.boolean", "must be true or false"))
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueFault(sentence("field.text", "must be a string"))
    text = normalised(value)
    if not text:
        raise ValueFault(sentence("field.empty", "must not be empty"))
    if len(text) > MAX_TEXT:
        raise ValueFault(sentence("field.long", "must have at most {n} characters", n=MAX_TEXT))
    if not all_shown(text):
        raise ValueFault(sentence("field.control", "must not contain control characters"))
    return text


def _time(value: Any) -> float:
    expected = sentence("field.time", "must be an ISO 8601 timestamp such as {example}", example="2026-01-31T12:00:00Z")
    if not isinstance(value, str) or len(value) > 40:
        raise ValueFault(expected)
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise ValueFault(expected) from None


def _class(value: Any) -> str:
    if not isinstance(value, str) or value.strip().lower() not in CLASSES:
        raise ValueFault(sentence("field.one_of", "must be one of {names}", names=", ".join(CLASSES)))
    return value.strip().lower()


def _identifier(field: Field, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < MAX_ID:
        raise ValueFault(
            sentence("alerts.geofence_id", "must be the id of a geofence")
            if field.kind is Kind.GEOFENCE
            else sentence("alerts.watch_list_id", "must be the id of a watch list")
        )
    return value


def _pattern(value: Any) -> Expression:
    if not isinstance(value, str) or not value:
        raise ValueFault(sentence("alerts.expression_needed", "must be a regular expression"))
    try:
        return compile_pattern(value)
    except ExpressionFault as fault:
        raise ValueFault(str(fault)) from None


def compile_pattern(text: str) -> Expression:
    """The expression of this text, which ignores case like all tests of texts; raises ExpressionFault."""
    return expressions.get(text, ignores_case=True)


def _quoted(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."
