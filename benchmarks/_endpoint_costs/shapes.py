"""Geofences, rules and texts as large as the API allows them."""

from __future__ import annotations

import math
from typing import Any

from skywatch.alerts.conditions.tree import MAX_TESTS
from skywatch.alerts.conditions.values import MAX_LIST
from skywatch.alerts.watchlists.entries import MAX_ENTRIES


def ring(vertices: int, number: int = 0) -> dict[str, Any]:
    """A Polygon of so many vertices around another place for each number."""
    lon, lat = 4 + number % 90 / 10, 45 + number // 90 % 50 / 10
    angles = [2 * math.pi * place / vertices for place in range(vertices)]
    points = [[round(lon + 0.2 * math.cos(angle), 6), round(lat + 0.2 * math.sin(angle), 6)] for angle in angles]
    return {"type": "Polygon", "coordinates": [[*points, points[0]]]}


# A rule of the usual size, as it is stored.
RULE: dict[str, Any] = {
    "priority": "warning",
    "conditions": {
        "all": [
            {"field": "alt_baro", "op": "lt", "value": 3000},
            {"field": "t", "op": "in", "value": ["A320", "B738"]},
            {"not": {"field": "military", "op": "eq", "value": True}},
        ]
    },
    "count": None,
    "message": "{callsign} at {alt_baro} ft",
}


def listed(tests: int = MAX_TESTS, entries: int = MAX_LIST) -> dict[str, Any]:
    """Conditions of so many tests, each with a list of so many addresses."""
    return {
        "any": [
            {"field": "hex", "op": "in", "value": [f"{test * entries + n:06x}" for n in range(entries)]}
            for test in range(tests)
        ]
    }


def matching(tests: int, pattern: str) -> dict[str, Any]:
    """Conditions of so many regular expressions, each another one."""
    return {"any": [{"field": "flight", "op": "matches", "value": f"{pattern}{test}"} for test in range(tests)]}


def whole_list(number: int) -> list[str]:
    """A watch list as long as they may be."""
    return [f"{(number * 7 + entry) % 0xFFFFFF:06X}" for entry in range(MAX_ENTRIES)]
