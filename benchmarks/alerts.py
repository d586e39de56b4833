"""Alert rules on every tick: 1,000 rules with 200 geofences over 15,000 moving aircraft, compared with one at a time.

CPU time of the tracker's thread. The naive loop asks every rule about every aircraft, as JSON objects with Shapely's
geometries; it is measured on a share of the aircraft and scaled. ``lists`` adds watch lists of 100,000 entries.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import msgspec
import numpy as np

from benchmarks._traffic import Traffic
from skywatch.alerts.conditions.tree import tests_of
from skywatch.alerts.engine.data.fences import Fence
from skywatch.alerts.engine.engine import FIRED_PER_TICK, Engine, RuleSet
from skywatch.alerts.watchlists.entries import Entries
from skywatch.core.areas.geometry import parse_geometry
from skywatch.picture.state.sky import Sky
from tests.rules import boolean_label, rule_of

AIRCRAFT, RULES, FENCES, VERTICES = 15_000, 1_000, 200, 60
WARM_UP, TICKS = 5, 60
NAIVE_AIRCRAFT = 30
LISTED = 100_000


def fences() -> dict[int, Fence]:
    """Geofences of 60 vertices, 5 to 25 nm wide."""
    rng = np.random.default_rng(7)
    made = {}
    for number in range(1, FENCES + 1):
        lat, lon, radius = rng.uniform(45, 50), rng.uniform(4, 13), rng.uniform(0.04, 0.2)
        angles = np.linspace(0, 2 * np.pi, VERTICES, endpoint=False)
        reach = radius * rng.uniform(0.8, 1.2, VERTICES)
        ring = np.stack([lon + reach * np.cos(angles) / np.cos(np.radians(lat)), lat + reach * np.sin(angles)], 1)
        points = [*ring.tolist(), ring[0].tolist()]
        made[number] = Fence(number, f"Fence {number}", parse_geometry({"type": "Polygon", "coordinates": [points]}))
    return made


def conditions(number: int) -> dict[str, Any]:
    """What a rule asks: altitudes, speeds, callsigns, squawks, classes, lists and geofences in many mixtures."""
    fence = {"field": "geofence", "op": "within", "value": 1 + number % FENCES}
    low = {"field": "alt_baro", "op": "lt", "value": 1_000 + 250 * (number % 20)}
    fast = {"field": "gs", "op": "gt", "value": 200 + number % 250}
    callsign = {"field": "flight", "op": "starts_with", "value": f"TST{number % 97}"}
    kind = {"field": "t", "op": "in", "value": ["A320", "C172"] if number % 2 else ["B738"]}
    military = {"field": "military", "op": "eq", "value": True}
    listed = {"field": "watchlist", "op": "in", "value": 1 + number % 4}
    return {
        0: {"all": [fence, low]},
        1: {"all": [fence, kind, {"not": military}]},
        2: {"all": [fast, callsign]},
        3: {"all": [listed, {"field": "alt_baro", "op": "gt", "value": 20_000 + number}]},
        4: {"all": [military, {"any": [fence, low]}]},
        5: {"all": [{"field": "geofence", "op": "enters", "value": 1 + number % FENCES}, kind]},
        6: {"all": [{"field": "climb_ft_min", "op": "lt", "value": -2_000 - number}, low, {"not": fence}]},
        7: {"all": [{"field": "track", "op": "ge", "value": number % 360}, fast, fence, low]},
    }[number % 8]


def rule_set(entries: int) -> RuleSet:
    """All rules, with watch lists of so many entries altogether."""
    lists = {
        number: Entries(tuple(f"{0xA00000 + 4 * place + number:06X}" for place in range(entries // 4)))
        for number in range(1, 5)
    }
    rules = tuple(rule_of(conditions(number), number, for_s=2.0) for number in range(RULES))
    return RuleSet(rules, fences(), lists)


def skies(count: int) -> list[Sky]:
    """Ticks one second apart, with JSON objects for what alerts show."""
    traffic = Traffic(AIRCRAFT, 1_750_000_000.0)
    made = [traffic() for _ in range(count)]
    for sky in made:
        sky.encoded[:] = [b'{"hex":"%b","lat":47.0,"lon":8.0}' % address.encode() for address in sky.hexes]
    return made


def measured(rules: RuleSet, ticks: list[Sky]) -> tuple[list[float], int]:
    """CPU milliseconds of each tick after the first ones, and how many alerts there were."""
    engine = Engine(fired_per_tick=1_000_000)
    engine.install(rules, ticks[0].now)
    spent, fired = [], 0
    for place, sky in enumerate(ticks):
        if place == WARM_UP:  # Whoever matched from the beginning has been announced.
            engine.fired_per_tick = FIRED_PER_TICK
        began = time.thread_time()
        fired += len(engine.tick(sky)) if place >= WARM_UP else len(engine.tick(sky)) * 0
        spent.append(1000 * (time.thread_time() - began))
    return spent[WARM_UP:], fired


def naive(rules: RuleSet, sky: Sky) -> float:
    """CPU milliseconds of a tick one rule and one aircraft at a time, from a share of the aircraft."""
    columns = sky.columns
    around = {"fences": rules.fences, "lists": {n: set(entries.values) for n, entries in rules.lists.items()}}
    documents: list[dict[str, Any]] = [
        {
            "hex": sky.hexes[row],
            "lat": float(columns["lat"][row]),
            "lon": float(columns["lon"][row]),
            "alt_baro": float(columns["alt_baro_ft"][row]),
            "gs": float(columns["gs_kt"][row]),
            "track": float(columns["track_deg"][row]),
            "flight": columns["flight"][row].decode(),
            "t": columns["type"][row].decode(),
            "military": bool(columns["military"][row]),
        }
        for row in range(NAIVE_AIRCRAFT)
    ]
    encoded = [msgspec.json.encode(document) for document in documents]
    nodes = [rule.node for rule in rules.rules if not any(test.is_event for test in tests_of(rule.node))]
    began = time.thread_time()
    for body in encoded:
        aircraft = msgspec.json.decode(body)
        for node in nodes:
            boolean_label(node, aircraft, around)
    return 1000 * (time.thread_time() - began) * AIRCRAFT / NAIVE_AIRCRAFT


def main() -> None:
    """Print the table."""
    ticks = skies(WARM_UP + TICKS)
    print(f"{RULES} rules, {FENCES} geofences of {VERTICES} vertices, {AIRCRAFT} aircraft; ms of CPU a tick")
    for title, entries in (("watch lists of 100 entries", 100), (f"watch lists of {LISTED} entries", LISTED)):
        began = time.thread_time()
        rules = rule_set(entries)
        compiled_ms = 1000 * (time.thread_time() - began)
        spent, fired = measured(rules, ticks)
        p95 = statistics.quantiles(spent, n=20)[-1]
        print(
            f"  {title:32} median {statistics.median(spent):7.1f}  mean {statistics.mean(spent):7.1f}  "
            f"p95 {p95:7.1f}  ({fired} changes; made ready in {compiled_ms:.0f} ms outside of the tick)"
        )
    print(f"  one rule and aircraft at a time  {naive(rule_set(100), ticks[-1]):14.0f}")


if __name__ == "__main__":
    main()
