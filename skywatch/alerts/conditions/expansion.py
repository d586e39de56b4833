"""Tests written out as conditions over other fields: of the field ``class``, and of values in two columns."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from skywatch.alerts.conditions.classes import AIRLINE_CALLSIGN, CATEGORIES, LIGHT_CATEGORIES, TYPES
from skywatch.alerts.conditions.fields import FIELDS, Kind
from skywatch.alerts.conditions.tree import All, Any_, Node, Not, Test
from skywatch.alerts.conditions.values import compile_pattern

# Id of the addresses of known police aircraft, which the engine treats as a watch list.
POLICE_LIST = 0

_MILITARY = Test(FIELDS["military"], "eq", True)


@cache
def _airline() -> Test:
    """Made when the first rule asks: the library of regular expressions takes 4 MB."""
    return Test(FIELDS["flight"], "matches", compile_pattern(AIRLINE_CALLSIGN), AIRLINE_CALLSIGN)


def expanded(node: Node) -> Node:
    """The tree without tests of ``class`` and of two columns."""
    if isinstance(node, Not):
        return Not(expanded(node.part))
    if isinstance(node, All | Any_):
        return type(node)(tuple(expanded(part) for part in node.parts))
    if node.field.also:
        either = (replace(node.field, also=""), replace(node.field, column=node.field.also, also=""))
        parts = tuple(replace(node, field=field) for field in either)
        return All(parts) if node.op == "ne" else Any_(parts)
    if node.field.kind is not Kind.CLASS:
        return node
    if node.op == "in":
        return Any_(tuple(_class(name) for name in sorted(node.value)))
    return Not(_class(node.value)) if node.op == "ne" else _class(node.value)


def _class(name: str) -> Node:
    if name == "military":
        return _MILITARY
    if name == "police":
        return Test(FIELDS["watchlist"], "in", POLICE_LIST)
    if name == "airline":
        return All((Not(_MILITARY), _airline()))
    if name == "general_aviation":
        return All((Not(_MILITARY), Not(_airline()), _one_of("category", LIGHT_CATEGORIES)))
    by_category = _one_of("category", CATEGORIES[name])
    return Any_((by_category, _one_of("t", TYPES[name]))) if name in TYPES else by_category


def _one_of(field: str, values: tuple[str, ...]) -> Test:
    return Test(FIELDS[field], "in", frozenset(values))
