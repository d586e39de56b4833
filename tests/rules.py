"""Alert rules the slow way: one aircraft at a time, from its JSON object, for tests and benchmarks to compare with."""

from __future__ import annotations

import math
import re
from typing import Any

from shapely.geometry import Point

from skywatch.alerts.conditions.expansion import expanded
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import All, Any_, Node, Not, Test, parse
from skywatch.alerts.conditions.values import SquawkRange
from skywatch.alerts.engine.rule import Rule

Document = dict[str, Any]
COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def node_of(document: Any) -> Node:
    """The tree of conditions that must have no fault."""
    node, faults = parse(document)
    assert node is not None, faults
    return node


def rule_of(document: Any, number: int = 1, **kw: Any) -> Rule:
    """A rule that fires at once unless said otherwise."""
    return Rule(number, kw.pop("revision", 1), node_of(document), **({"for_s": 0.0} | kw))


def boolean_label(node: Node, aircraft: Document, surroundings: dict[str, Any] | None = None) -> bool | None:
    """Kleene's three values for one aircraft: True, False or None for unknown."""
    return _truth(expanded(node), aircraft, surroundings or {})


def _truth(node: Node, aircraft: Document, around: dict[str, Any]) -> bool | None:
    if isinstance(node, Not):
        value = _truth(node.part, aircraft, around)
        return None if value is None else not value
    if isinstance(node, All | Any_):
        values = [_truth(part, aircraft, around) for part in node.parts]
        decides = not isinstance(node, All)
        if decides in values:
            return decides
        return None if None in values else not decides
    return _test(node, aircraft, around)


def _test(test: Test, aircraft: Document, around: dict[str, Any]) -> bool | None:
    name, value = test.field.name, _value(test, aircraft, around)
    if test.field.kind is Kind.GEOFENCE:
        return _within(test, aircraft, around)
    if test.field.kind is Kind.WATCHLIST:
        return _listed(around["lists"].get(test.value, ()), aircraft)
    if name in ("alt_baro",) and (test.value == "ground" or value == "ground"):
        return _ground(test, value)
    if value is None or value == "":
        return None
    if isinstance(test.value, bool):
        return COMPARE[test.op](bool(value), test.value)
    if test.field.kind in (Kind.NUMBER, Kind.ALTITUDE):
        return value in test.value if test.op == "in" else COMPARE[test.op](value, test.value)
    if test.field.kind is Kind.WORDS:
        wanted = test.value if test.op == "in" else {test.value}
        return any(word.upper() in wanted for word in value)
    return _text(test, str(value).strip().upper())


def _value(test: Test, aircraft: Document, around: dict[str, Any]) -> Any:
    name = test.field.name
    if name in ("military", "on_ground"):
        return bool(aircraft.get(name)) if name == "military" else aircraft.get("alt_baro") == "ground"
    if name == "emergency" and isinstance(test.value, bool):
        return aircraft.get("squawk") in ("7500", "7600", "7700")
    return aircraft.get(name)


def _ground(test: Test, value: Any) -> bool | None:
    if test.op == "in":
        if value == "ground":
            return True if "ground" in test.value else None
        return None if value is None else value in test.value
    if test.value != "ground" or value is None:
        return None
    return COMPARE[test.op](value, "ground")


def _within(test: Test, aircraft: Document, around: dict[str, Any]) -> bool | None:
    fence = around["fences"][test.value]
    if aircraft.get("lat") is None:
        return None
    if not fence.geometry.intersects(Point(aircraft["lon"], aircraft["lat"])):
        return False
    altitude, band = aircraft.get("alt_baro"), fence.band
    if band.is_open:
        return True
    if altitude == "ground":
        return True if band.floor_ft is None else None
    if altitude is None:
        return None
    low = -math.inf if band.floor_ft is None else band.floor_ft
    high = math.inf if band.ceiling_ft is None else band.ceiling_ft
    return bool(low <= altitude <= high)


def _listed(entries: Any, aircraft: Document) -> bool | None:
    if aircraft["hex"].upper() in entries:
        return True
    names = [aircraft.get("flight"), aircraft.get("r")]
    if any(name and name.strip().upper() in entries for name in names):
        return True
    only_addresses = all(re.fullmatch("[0-9A-F]{6}", entry) for entry in entries)
    return False if only_addresses or all(names) else None


def _text(test: Test, text: str) -> bool:
    match test.op:
        case "eq" | "ne":
            return COMPARE[test.op](text, test.value)
        case "in":
            return any(
                entry.low <= text <= entry.high if isinstance(entry, SquawkRange) else entry == text
                for entry in test.value
            )
        case "contains":
            return test.value in text
        case "starts_with":
            return text.startswith(test.value)
        case "ends_with":
            return text.endswith(test.value)
        case _:
            return re.search(test.value.text, text, re.IGNORECASE) is not None
