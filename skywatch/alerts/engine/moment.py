"""The snapshot in an alert: the aircraft, the tests that it met and their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import Test
from skywatch.alerts.engine.operands.bits import Slots
from skywatch.alerts.engine.operands.board import EXACT_COLUMNS, Board
from skywatch.alerts.engine.operands.documents import DETAILS
from skywatch.alerts.engine.operands.environment import Environment
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.program import Compiled
from skywatch.alerts.engine.rule import NOBODY, Fired, Rule
from skywatch.core.clock import unix_to_iso

_encode = msgspec.json.Encoder().encode

# Largest number of aircraft listed in an alert of a rule with a count.
NAMED = 100
# What an alert says of the tests that were met, at most: values of each, characters of a value, and bytes in all.
VALUES_LISTED, TEXT_LISTED, MATCHED_BYTES = 20, 1_000, 16_000
# Field -> column, for values that a live aircraft's object does not have.
_COLUMNS = {
    "elevation_deg": "elevation_deg",
    "climb_ft_min": "climb_ft_min",
    "age_s": "seen",
    "seen": "seen",
    "seen_pos": "seen_pos",
}
_SAME = {"source": "type", "owner": "ownOp"}


def describe(
    rule: Rule,
    compiled: Compiled,
    environment: Environment,
    slot: int,
    now: float,
    fences: Mapping[int, Fence],
    doubt: str = "",
) -> Fired:
    """The announcement for one aircraft; ``doubt`` as in it."""
    board = environment.board
    aircraft = _with_exact_distance(visible(environment.document(slot), rule), rule, environment, slot)
    matched, geofence = _Matched(), None
    for test, step in compiled.tests:
        if not step.at(environment, np.array([slot]), 0)[0]:
            continue
        matched.add(_matched(test, rule, aircraft, environment, slot))
        if test.field.kind is Kind.GEOFENCE and geofence is None and test.value in fences:
            geofence = fences[test.value].name
    military = bool(board.flag("military")[slot])
    of_strangers = bool(doubt) or bool(board.strangers()[slot])
    return Fired(
        rule.id, rule.revision, board.addresses[slot], now, aircraft, matched.entries(), military, geofence,
        doubt=doubt, of_strangers=of_strangers, simulated=bool(board.flag("simulated")[slot]),
    )  # fmt: skip


class _Matched:
    """The tests that were met, as far as an alert lists them."""

    def __init__(self) -> None:
        self._entries: list[Mapping[str, Any]] = []
        self._bytes = self._left_out = 0

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a test, if there is room."""
        size = len(_encode(entry))
        if self._bytes + size > MATCHED_BYTES:
            self._left_out += 1
        else:
            self._bytes += size
            self._entries.append(entry)

    def entries(self) -> tuple[Mapping[str, Any], ...]:
        """The entries; the last one says how many more there are, if any."""
        if not self._left_out:
            return tuple(self._entries)
        return *self._entries, {"field": "not_listed", "op": "gt", "value": 0, "actual": self._left_out}


def describe_count(rule: Rule, environment: Environment, slots: Slots, now: float, doubt: str = "") -> Fired:
    """The announcement of the number of aircraft in these slots, of which the first hundred are listed."""
    is_military = environment.board.flag("military")[slots]
    military = bool(is_military.any())
    named = []
    # Military ones first: the alert is theirs as well, and hidden like them.
    for slot in slots[np.argsort(~is_military, kind="stable")][:NAMED].tolist():
        aircraft = visible(environment.document(slot), rule)
        named.append(
            {
                "icao_hex": environment.board.addresses[slot].upper(),
                "callsign": aircraft.get("flight"),
                "registration": aircraft.get("r"),
            }
        )
    number = len(slots)
    return Fired(
        rule.id, rule.revision, NOBODY, now, {}, tuple(named), military, None, number, doubt,
        of_strangers=bool(doubt), simulated=bool(environment.board.flag("simulated")[slots].any()),
    )  # fmt: skip


def describe_state(rule: Rule, now: float) -> Fired:
    """The announcement of a state of the installation."""
    test = rule.state
    assert test is not None
    matched = {"field": test.field.name, "op": test.op, "value": test.written, "actual": True}
    return Fired(rule.id, rule.revision, NOBODY, now, {}, (matched,), military=False)


def visible(document: dict[str, Any], rule: Rule) -> dict[str, Any]:
    """The aircraft's object as the rule's owner may see it."""
    return document if rule.rights.details else {k: v for k, v in document.items() if k not in DETAILS}


def _with_exact_distance(aircraft: dict[str, Any], rule: Rule, environment: Environment, slot: int) -> dict[str, Any]:
    """The aircraft's object with distance and bearing as the rule's owner may know them."""
    if not rule.rights.exact_station:
        return aircraft
    exact = {}
    for name, column, digits in (("distance_nm", "distance_nm", 3), ("bearing", "bearing_deg", 1)):
        value = float(environment.board.number(EXACT_COLUMNS[column])[slot])
        if not np.isnan(value):
            exact[name] = round(value, digits)
    return {**aircraft, **exact}


def _matched(
    test: Test, rule: Rule, aircraft: Mapping[str, Any], environment: Environment, slot: int
) -> dict[str, Any]:
    value = test.written if test.written is not None else test.value
    actual = _actual(test, rule, aircraft, environment, slot)
    if isinstance(actual, str):
        actual = actual[:TEXT_LISTED]
    entry = {"field": test.field.name, "op": test.op, "value": value, "actual": actual}
    if isinstance(value, list) and len(value) > VALUES_LISTED:
        entry |= {"value": value[:VALUES_LISTED], "more": len(value) - VALUES_LISTED}
    return entry


def _actual(test: Test, rule: Rule, aircraft: Mapping[str, Any], environment: Environment, slot: int) -> Any:
    name, board = test.field.name, environment.board
    if test.field.kind is Kind.MESSAGE:
        return (environment.message or {}).get(name)
    if test.field.kind is Kind.GEOFENCE:
        return [aircraft["lat"], aircraft["lon"]] if "lat" in aircraft and "lon" in aircraft else None
    if test.field.kind is Kind.WATCHLIST:
        return aircraft.get("hex", "").upper()
    if test.field.kind is Kind.CLASS:
        return test.written
    if name == "first_seen":
        return unix_to_iso(float(board.number("first_seen")[slot]))
    if name in _COLUMNS:
        column = _COLUMNS[name]
        if rule.rights.exact_station:
            column = EXACT_COLUMNS.get(column, column)
        value = float(board.number(column)[slot])
        return None if np.isnan(value) else round(value, 1)
    if test.field.is_declared:
        return _stored(board, test.field.column, slot)
    return aircraft.get(_SAME.get(name, name))


def _stored(board: Board, column: str, slot: int) -> Any:
    """The value of a column of the picture, which a test has met and so is known."""
    assert board.sky is not None
    value = board.sky.columns[column][board.rows[slot]].item()
    if isinstance(value, bytes):
        return value.decode("ascii", "replace")
    return round(value, 6) if isinstance(value, float) else value
