"""The ops as predicates over one text or one value of a JSON object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import Test
from skywatch.alerts.conditions.values import SquawkRange, normalised


def text_predicate(test: Test) -> Callable[[str], bool]:
    """The predicate for a text that is already normalised, and not empty."""
    value = test.value
    match test.op:
        case "eq":
            return lambda text: text == value
        case "ne":
            return lambda text: text != value
        case "in":
            return _member_of(value)
        case "contains":
            return lambda text: value in text
        case "starts_with":
            return lambda text: text.startswith(value)
        case "ends_with":
            return lambda text: text.endswith(value)
        case _:
            matches: Callable[[str], bool] = value.matches
            return matches


def _member_of(values: frozenset[Any]) -> Callable[[str], bool]:
    ranges = [value for value in values if isinstance(value, SquawkRange)]
    if not ranges:
        return values.__contains__
    return lambda text: text in values or any(span.low <= text <= span.high for span in ranges)


def value_predicate(test: Test) -> Callable[[Any, int], bool | None]:
    """The predicate for a value of a JSON object; it returns None for a value of another type.

    Its second argument is the slack: 1 moves a number's boundary by its margin so that the test holds more often.
    """
    if test.field.kind is Kind.WORDS:
        words = test.value if test.op == "in" else frozenset({test.value})
        return lambda value, slack: (
            any(normalised(str(word)) in words for word in value) if isinstance(value, list) else None
        )
    if test.field.kind is Kind.NUMBER:
        return _number_predicate(test)
    matches = text_predicate(test)

    def holds(value: Any, slack: int) -> bool | None:
        text = normalised(str(value))
        return matches(text) if text else None

    return holds


def _number_predicate(test: Test) -> Callable[[Any, int], bool | None]:
    bound, op, field = test.value, test.op, test.field
    margin = 0.0 if op == "in" else field.margin if field.margin is not None else field.share * abs(bound)

    def holds(value: Any, slack: int) -> bool | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        room = slack * margin
        match op:
            case "in":
                return value in bound
            case "eq":
                return bool(abs(value - bound) <= max(room, 0.0))
            case "ne":
                return bool(abs(value - bound) > max(-room, 0.0))
            case "lt":
                return bool(value < bound + room)
            case "le":
                return bool(value <= bound + room)
            case "gt":
                return bool(value > bound - room)
            case _:
                return bool(value >= bound - room)

    return holds
