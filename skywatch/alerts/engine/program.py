"""All rules as one list of steps, in which a test that several rules share is one step.

A tree of conditions is written in negation normal form: ``not`` moves down to the tests, so that every step is a mask
of where something surely holds, and ``and`` and ``or`` are one operation of NumPy each. Equal tests and equal
branches of all rules are one step, evaluated once per tick; a step whose parts did not change is not evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.alerts.conditions.expansion import expanded
from skywatch.alerts.conditions.fields import FIELDS, IS_NULL, Kind, permissions
from skywatch.alerts.conditions.tree import All, Any_, Node, Not, Test, tests_of
from skywatch.alerts.engine.literals import (
    DocumentLiteral,
    Everywhere,
    FenceLiteral,
    FlagLiteral,
    GroundLiteral,
    Literal,
    MembershipLiteral,
    MessageLiteral,
    Nowhere,
    NullLiteral,
    NumberLiteral,
    TextLiteral,
)
from skywatch.alerts.engine.operands.bits import WORD, Words, slots_of
from skywatch.alerts.engine.operands.board import EXACT_COLUMNS
from skywatch.alerts.engine.operands.environment import Environment
from skywatch.alerts.engine.predicates import text_predicate, value_predicate
from skywatch.alerts.watchlists.entries import Entries
from skywatch.core.process.deadline import paced
from skywatch.picture.state.doubt import ALARM_MEMBERS, ALONE, ALTITUDE, GROUP_BITS, POSITION, VERTICAL_RATE
from skywatch.picture.state.fields import GROUPS
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Rights:
    """The data that a rule may read, by its owner's rights."""

    military: bool = True
    details: bool = True
    withheld: frozenset[str] = frozenset()
    """Permissions of fields that the owner does not have."""
    # Whether distances are from the exact place of the station where the picture has others.
    exact_station: bool = False
    # Whether rules may watch what belongs to others.
    manages_all: bool = False

    @classmethod
    def of(cls, visibility: Visibility, *, exact_station: bool = False) -> Rights:
        """The rights of a user."""
        return cls(
            visibility.military,
            visibility.details,
            permissions() - visibility.permissions,
            exact_station,
            Permission.ALERTS_MANAGE_ALL in visibility.permissions,
        )


class Join:
    """The conjunction or disjunction of its parts, which precede it in the list of steps."""

    def __init__(self, parts: tuple[Step, ...], conjunction: bool) -> None:
        self.bits: Words = np.zeros(0, np.uint64)
        self.changed = True
        self.parts = parts
        self._join_bits = np.bitwise_and if conjunction else np.bitwise_or
        self._join = np.logical_and if conjunction else np.logical_or

    def update(self, environment: Environment) -> None:
        """Combine the parts' bits if any of them changed."""
        parts, size = self.parts, environment.board.capacity // WORD
        if len(self.bits) != size:
            self.bits = np.zeros(size, np.uint64)
        else:
            for part in parts:
                if part.changed:
                    break
            else:
                self.changed = False
                return
        self.changed = True
        join, bits = self._join_bits, self.bits
        join(parts[0].bits, parts[1].bits, bits)
        for part in parts[2:]:
            join(bits, part.bits, bits)

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The same for a few slots."""
        mask = self.parts[0].at(environment, slots, slack)
        for part in self.parts[1:]:
            mask = self._join(mask, part.at(environment, slots, slack))
        return mask

    def surely(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The same where what is in doubt counts as unknown."""
        mask = self.parts[0].surely(environment, slots, slack)
        for part in self.parts[1:]:
            mask = self._join(mask, part.surely(environment, slots, slack))
        return mask


Step = Literal | Join


@dataclass(eq=False)
class Compiled:
    """The steps of a rule: surely true, surely false, and (if it reads JSON objects) perhaps true."""

    true: Step
    false: Step
    visibility: Step | None
    tests: tuple[tuple[Test, Step], ...]


@dataclass
class Program:
    """The steps in their order of evaluation; ``early`` ones select the aircraft whose JSON objects are decoded."""

    early: list[Step] = field(default_factory=list)
    late: list[Step] = field(default_factory=list)
    texts: frozenset[str] = frozenset()
    fences: frozenset[int] = frozenset()

    def update(self, environment: Environment, candidates: Iterable[Step]) -> None:
        """Evaluate every step for a tick; ``candidates`` are the ``visibility`` of the rules that have one."""
        environment.documents.clear()
        for step in paced(self.early, environment.checkpoint):
            step.update(environment)
        masks = [step.bits for step in candidates]
        if masks:
            environment.read(slots_of(np.bitwise_or.reduce(masks)))
        for step in paced(self.late, environment.checkpoint):
            step.update(environment)


class Compiler:
    """Compiles rules into one program; ``lists`` are the watch lists that they refer to."""

    def __init__(self, lists: Mapping[int, Entries]) -> None:
        self._lists = lists
        self._steps: dict[Any, Step] = {}
        self._late: set[Step] = set()
        self._program = Program()
        self._texts: set[str] = {"hex"}
        self._fences: set[int] = set()

    def rule(self, node: Node, rights: Rights) -> Compiled:
        """The steps of one rule."""
        tree = self._resolved(expanded(node), rights)
        if not rights.military:
            tree = All((tree, Test(FIELDS["military"], "eq", False)))
        visibility = None
        if any(step_kind(test) == "document" for test in tests_of(tree)):
            visibility = self._step(tree, negated=False, early=True)
        true = self._step(tree, negated=False)
        false = self._on_demand(tree)
        tests = tuple((test, self._on_demand(self._resolved(expanded(test), rights), False)) for test in tests_of(node))
        return Compiled(true, false, visibility, tests)

    def program(self) -> Program:
        """The program of all rules compiled so far."""
        self._program.texts = frozenset(self._texts)
        self._program.fences = frozenset(self._fences)
        return self._program

    def _resolved(self, node: Node, rights: Rights) -> Node:
        """The tree with watch lists expanded, and with tests that the owner has no right to replaced by unknown."""
        if isinstance(node, Not):
            return Not(self._resolved(node.part, rights))
        if isinstance(node, All | Any_):
            return type(node)(tuple(self._resolved(part, rights) for part in node.parts))
        if node.field.kind is Kind.WATCHLIST:
            entries = self._lists.get(node.value, Entries())
            parts: list[Node] = [Test(FIELDS["hex"], "in", entries.addresses)]
            if entries.callsigns:
                parts.append(Test(FIELDS["flight"], "in", entries.callsigns))
            if entries.registrations:
                parts.append(Test(FIELDS["r"], "in", entries.registrations))
            return self._resolved(Any_(tuple(parts)), rights)
        if node.field.kind is Kind.STATE:
            return _UNKNOWN  # The engine asks for it itself.
        if (node.field.details and not rights.details) or node.field.permission in rights.withheld:
            return _UNKNOWN
        if rights.exact_station and node.field.column in EXACT_COLUMNS:
            return replace(node, field=replace(node.field, column=EXACT_COLUMNS[node.field.column]))
        return node

    def _on_demand(self, node: Node, negated: bool = True) -> Step:
        """A step that is only evaluated for a few slots, and so is not in the list of steps."""
        if isinstance(node, Not):
            return self._on_demand(node.part, not negated)
        if isinstance(node, All | Any_):
            parts = tuple(self._on_demand(part, negated) for part in node.parts)
            return parts[0] if len(parts) == 1 else Join(parts, isinstance(node, All) is not negated)
        key = ("on demand", node, negated)
        if key not in self._steps:
            self._steps[key] = self._literal(node, negated)
        return self._steps[key]

    def _step(self, node: Node, *, negated: bool, early: bool = False) -> Step:
        """The step of a node; with ``early`` a test of a JSON object counts as perhaps true."""
        if isinstance(node, Not):
            return self._step(node.part, negated=not negated, early=early)
        if isinstance(node, All | Any_):
            return self._join(node, negated, early)
        kind = step_kind(node)
        key = (kind, node, negated, early and kind == "document")
        step = self._steps.get(key)
        if step is None:
            step = Everywhere() if key[3] else self._literal(node, negated)
            self._steps[key] = step
            self._schedule(step, late=kind == "document" and not early)
        return step

    def _join(self, node: All | Any_, negated: bool, early: bool) -> Step:
        conjunction = isinstance(node, All) is not negated
        parts = {id(step): step for step in (self._step(part, negated=negated, early=early) for part in node.parts)}
        if len(parts) == 1:
            return next(iter(parts.values()))
        key = (conjunction, frozenset(parts))
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = Join(tuple(parts.values()), conjunction)
            self._schedule(step, late=any(part in self._late for part in parts.values()))
        return step

    def _schedule(self, step: Step, *, late: bool) -> None:
        if late:
            self._late.add(step)
        (self._program.late if late else self._program.early).append(step)

    def _literal(self, test: Test, negated: bool) -> Literal:
        literal = self._new_literal(test, negated)
        literal.doubt = FIELD_DOUBT.get(test.field.name, 0)
        return literal

    def _new_literal(self, test: Test, negated: bool) -> Literal:
        field, kind = test.field, test.field.kind
        if test is _UNKNOWN:
            return Nowhere()
        if kind is Kind.GEOFENCE:
            self._fences.add(test.value)
            return FenceLiteral(test, negated)
        if kind is Kind.MESSAGE:
            return MessageLiteral(field.name, text_predicate(test), negated)
        if test.op == IS_NULL:
            return NullLiteral(field.column, test.value is not negated)
        if kind is Kind.FLAG or isinstance(test.value, bool):
            return FlagLiteral(field.column, (test.value is (test.op == "eq")) is not negated)
        if test.value == "ground":
            return GroundLiteral((test.op == "eq") is not negated)
        if step_kind(test) == "document":
            return DocumentLiteral(field.member, value_predicate(test), negated)
        if kind is Kind.TEXT:
            self._texts.add(field.column)
            return TextLiteral(field.column, text_predicate(test), negated)
        return MembershipLiteral(test, negated) if test.op == "in" else NumberLiteral(test, negated)


_UNKNOWN = Test(FIELDS["hex"], "unknown", None)
# Field -> the bits of its doubt: those of its group, and of what it is computed from. Alarms in doubt are unknown to
# rules (``with_sure_alarms``), but of aircraft that are in doubt as a whole.
FIELD_DOUBT = {name: GROUP_BITS.get(group.name, 0) for group in GROUPS for name in group.fields} | {
    **dict.fromkeys(ALARM_MEMBERS.values(), ALONE),
    **dict.fromkeys(("distance_nm", "bearing", "seen_pos", "receiver", "mlat", "tisb"), POSITION),
    "elevation_deg": POSITION | ALTITUDE,
    "on_ground": ALTITUDE,
    "climb_ft_min": VERTICAL_RATE,
}


def step_kind(test: Test) -> str:
    """``document`` if a test needs a member of the JSON object, else ``column``."""
    field = test.field
    if field.kind in (Kind.GEOFENCE, Kind.MESSAGE) or test is _UNKNOWN:
        return "column"
    if field.kind is Kind.EMERGENCY:
        return "column" if isinstance(test.value, bool) else "document"
    return "column" if field.column else "document"
