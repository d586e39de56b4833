"""The engine's masks against one aircraft at a time, for any tree and any sky."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.alerts.engine.operands.bits import slots_of
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.program import Rights
from skywatch.alerts.engine.rule import Fired
from skywatch.alerts.watchlists.entries import Entries
from skywatch.core import geo
from skywatch.core.polygons.band import Band
from skywatch.core.polygons.geometry import parse_geometry
from tests.rules import boolean_label, node_of, rule_of
from tests.skies import sky_of

pytestmark = pytest.mark.deep("walks a corpus")

BOX = {"type": "Polygon", "coordinates": [[[8, 47], [9, 47], [9, 48], [8, 48], [8, 47]]]}
PACIFIC = {"type": "Polygon", "coordinates": [[[179, -1], [-179, -1], [-179, 1], [179, 1], [179, -1]]]}
FENCES = {
    1: Fence(1, "Zurich", parse_geometry(BOX)),
    2: Fence(2, "Low", parse_geometry(BOX), Band(1000, 5000)),
    3: Fence(3, "Below", parse_geometry(BOX), Band(None, 3000)),
    4: Fence(4, "Pacific", parse_geometry(PACIFIC)),
}
LISTS = {1: Entries(("ABC001", "DLH1", "D-AIBL")), 2: Entries(("ABC001", "ABC002")), 3: Entries()}
AROUND = {"fences": FENCES, "lists": {number: entries.values for number, entries in LISTS.items()}}


def test(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


test.__test__ = False  # type: ignore[attr-defined]

NUMBERS = st.builds(
    test,
    st.sampled_from(["alt_baro", "gs", "track", "lat", "lon", "nav_altitude_mcp", "roll", "ias"]),
    st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
    st.sampled_from([0, 8.5, 47.5, 100, 1000, 3000, 5000]),
)
TEXTS = st.builds(
    test,
    st.sampled_from(["flight", "r", "t", "squawk", "category", "desc"]),
    st.sampled_from(["contains", "starts_with", "ends_with", "matches"]),
    st.sampled_from(["D", "dlh", "1", "7", "a3"]),
)
OTHERS = st.sampled_from(
    [
        test("alt_baro", "eq", "ground"),
        test("alt_baro", "ne", "ground"),
        test("alt_baro", "in", ["ground", 1000]),
        test("gs", "in", [100, 0]),
        test("squawk", "in", ["7000-7700", "1000"]),
        test("squawk", "eq", "7700"),
        test("flight", "in", ["dlh1", "SWR2"]),
        test("flight", "ne", " dlh1 "),
        test("military", "eq", True),
        test("military", "ne", True),
        test("on_ground", "eq", True),
        test("emergency", "eq", True),
        test("emergency", "eq", "general"),
        test("nav_modes", "contains", "tcas"),
        test("class", "eq", "airline"),
        test("class", "in", ["helicopter", "military"]),
        test("class", "ne", "general_aviation"),
        *(test("geofence", "within", number) for number in FENCES),
        *(test("watchlist", "in", number) for number in LISTS),
    ]
)
TREES = st.recursive(
    NUMBERS | TEXTS | OTHERS,
    lambda parts: (
        st.lists(parts, min_size=1, max_size=3).map(lambda nodes: {"all": nodes})
        | st.lists(parts, min_size=1, max_size=3).map(lambda nodes: {"any": nodes})
        | parts.map(lambda node: {"not": node})
    ),
    max_leaves=6,
)


@st.composite
def aircraft(draw: st.DrawFn, number: int) -> dict[str, Any]:
    maybe = {
        "flight": st.sampled_from(["DLH1", "SWR2", "D-AIBL", "N123"]),
        "r": st.sampled_from(["D-AIBL", "HB-JCA"]),
        "t": st.sampled_from(["A320", "EC35", "C172"]),
        "desc": st.sampled_from(["AIRBUS A-320", "Cessna"]),
        "squawk": st.sampled_from(["7700", "1000", "7000", "2000"]),
        "category": st.sampled_from(["A1", "A3", "A7"]),
        "alt_baro": st.sampled_from(["ground", 0, 1000, 3000, 4000, 9000]),
        "gs": st.sampled_from([0, 100, 450]),
        "track": st.sampled_from([0, 100]),
        "nav_altitude_mcp": st.sampled_from([1000, 5000]),
        "roll": st.sampled_from([-3, 0, 8.5]),
        "emergency": st.sampled_from(["none", "general"]),
        "nav_modes": st.sampled_from([[], ["tcas"], ["vnav", "TCAS"]]),
    }
    shown = {name: draw(values) for name, values in maybe.items() if draw(st.booleans())}
    if draw(st.booleans()):
        shown["lon"], shown["lat"] = draw(
            st.sampled_from([(8.5, 47.5), (8.0, 47.0), (10.0, 47.5), (179.5, 0.0), (-179.5, 0.5), (0.0, 0.0)])
        )
    return {"hex": f"abc{number:03d}", "military": draw(st.booleans()), **shown}


@st.composite
def ticks(draw: st.DrawFn) -> list[list[dict[str, Any]]]:
    return [
        [draw(aircraft(number)) for number in draw(st.lists(st.integers(0, 5), unique=True, max_size=5))]
        for _ in range(draw(st.integers(1, 3)))
    ]


def skies(ticks: list[list[dict[str, Any]]]) -> Any:
    """One sky a tick, rows linked to those of the tick before."""
    before: dict[str, int] = {}
    for place, aircraft in enumerate(ticks):
        sky = sky_of(*aircraft, seq=place + 1, now=1_000_000.0 + place)
        sky.columns["previous_row"][:] = [before.get(entry["hex"], -1) for entry in aircraft]
        before = {entry["hex"]: row for row, entry in enumerate(aircraft)}
        yield sky


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(TREES, min_size=1, max_size=4), ticks())
def test_masks_are_kleenes_logic(trees: list[Any], ticks: list[list[dict[str, Any]]]) -> None:
    rules = [rule_of(tree, number) for number, tree in enumerate(trees)]
    engine = Engine()
    engine.install(RuleSet(tuple(rules), FENCES, LISTS), 0.0)
    for shown, sky in zip(ticks, skies(ticks), strict=True):
        engine.tick(sky)
        board = engine.environment.board
        for rule, compiled in zip(rules, engine.rules.compiled, strict=True):
            expected = {entry["hex"]: boolean_label(rule.node, entry, AROUND) for entry in shown}
            true = {board.addresses[slot] for slot in slots_of(compiled.true.bits).tolist()}
            assert true == {address for address, value in expected.items() if value is True}
            slots = np.array([board.slot(entry["hex"]) for entry in shown], np.intp)
            for step, wanted in ((compiled.true, True), (compiled.false, False)):
                at = step.at(engine.environment, slots, 0).tolist()
                assert at == [expected[entry["hex"]] is wanted for entry in shown]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(TREES, ticks())
def test_margins_only_ever_help_what_matches(tree: Any, ticks: list[list[dict[str, Any]]]) -> None:
    engine = Engine()
    engine.install(RuleSet((rule_of(tree),), FENCES, LISTS), 0.0)
    for sky in skies(ticks):
        engine.tick(sky)
        compiled = engine.rules.compiled[0]
        slots = np.flatnonzero(engine.environment.board.present)
        strict = compiled.true.at(engine.environment, slots, 0)
        eased = compiled.true.at(engine.environment, slots, 1)
        failed = compiled.false.at(engine.environment, slots, -1)
        assert not (strict & ~eased).any()
        assert not (eased & failed).any()


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(TREES, ticks())
def test_without_the_right_no_military_aircraft_is_ever_announced(tree: Any, ticks: list[list[dict[str, Any]]]) -> None:
    civil = Rights(military=False)
    rules = (
        rule_of(tree, 1, rights=civil),
        dataclasses.replace(rule_of(tree, 2, rights=civil), count=None),
    )
    engine = Engine()
    engine.install(RuleSet(rules, FENCES, LISTS), 0.0)
    for shown, sky in zip(ticks, skies(ticks), strict=True):
        military = {entry["hex"] for entry in shown if entry["military"]}
        for change in engine.tick(sky):
            if isinstance(change, Fired):
                assert change.address not in military
                assert not change.military


@pytest.mark.parametrize("field", ["r", "operator", "ownOp", "owner", "year"])
def test_without_the_right_to_details_a_test_of_them_is_unknown_even_under_not(field: str) -> None:
    condition = test(field, "contains", "x")
    rules = tuple(
        rule_of(tree, number, rights=Rights(details=False))
        for number, tree in enumerate([condition, {"not": condition}, {"any": [condition, {"not": condition}]}])
    )
    engine = Engine()
    engine.install(RuleSet(rules), 0.0)
    shown = {"hex": "abc001", "r": "D-AXXX", "operator": "x", "ownOp": "x", "year": "2000x"}
    assert engine.tick(sky_of(shown)) == []


def test_registrations_in_a_watch_list_are_unknown_without_the_right_to_details() -> None:
    lists = {1: Entries(("D-AIBL", "DLH1"))}
    listed = test("watchlist", "in", 1)
    rules = [rule_of(tree, n, rights=Rights(details=False)) for n, tree in enumerate([listed, {"not": listed}])]
    engine = Engine()
    engine.install(RuleSet(tuple(rules), {}, lists), 0.0)
    by_registration = {"hex": "abc001", "r": "D-AIBL", "flight": "XYZ"}
    neither = {"hex": "abc002", "r": "D-AXXX", "flight": "XYZ"}
    by_callsign = {"hex": "abc003", "r": "D-AXXX", "flight": "DLH1"}
    fired = engine.tick(sky_of(by_registration, neither, by_callsign))
    assert [(change.rule_id, change.address) for change in fired if isinstance(change, Fired)] == [(0, "abc003")]


def test_equal_tests_of_many_rules_are_one_step() -> None:
    common = [test("alt_baro", "lt", 3000), test("class", "eq", "helicopter"), test("geofence", "within", 1)]
    rules = tuple(rule_of({"all": [*common, test("gs", "gt", number)]}, number) for number in range(100))
    program = RuleSet(rules, FENCES).program
    assert len(program.early) <= 100 + 100 + 6


def test_node_of_names_what_is_wrong() -> None:
    with pytest.raises(AssertionError, match="is not a field"):
        node_of(test("altitude", "lt", 1))


def test_distances_of_a_rule_are_as_exact_as_its_owner_may_know():
    """``elevation_deg`` and what an alert shows follow as well."""
    station, shown = (47.451234, 8.567891), (47.45, 8.57)
    entry = {"hex": "4b1620", "lat": 47.46, "lon": 8.567891, "alt_baro": 3000}
    exactly, roughly = (float(geo.distance_nm(*place, entry["lat"], entry["lon"])) for place in (station, shown))
    assert exactly < roughly
    between = (exactly + roughly) / 2
    said = {**entry, "distance_nm": round(roughly, 3), "bearing": 350.0}
    sky = dataclasses.replace(sky_of(said, station=shown), exact_station=station)
    for field, value in (("distance_nm", between), ("elevation_deg", -90.0)):
        op = "lt" if field == "distance_nm" else "gt"
        found = {}
        for exact_station in (False, True):
            engine = Engine()
            rule = dataclasses.replace(rule_of(test(field, op, value)), rights=Rights(exact_station=exact_station))
            engine.install(RuleSet((rule,), {}, {}), 0.0)
            found[exact_station] = [change for change in engine.tick(sky) if isinstance(change, Fired)]
        if field == "distance_nm":
            assert (len(found[False]), len(found[True])) == (0, 1)
        (alert,) = found[True]
        assert alert.aircraft["distance_nm"] == round(float(np.float32(exactly)), 3)
        if field == "elevation_deg":
            (rough,) = found[False]
            assert rough.aircraft["distance_nm"] == round(roughly, 3)
            assert rough.matched[0]["actual"] < alert.matched[0]["actual"]
