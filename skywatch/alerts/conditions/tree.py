"""The tree of conditions: parsed once into frozen nodes, with every fault reported by its path."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skywatch.alerts.conditions import budget
from skywatch.alerts.conditions.fields import EVENT_OPS, Field, Kind, field_named
from skywatch.alerts.conditions.values import ValueFault, parse_op, parse_value
from skywatch.sentences import sentence

MAX_TESTS = 100
MAX_DEPTH = 8
# Largest number of faults reported: a body of a megabyte could hold a hundred thousand.
MAX_FAULTS = 100
BRANCHES = ("all", "any", "not")


@dataclass(frozen=True, slots=True)
class Test:
    """``value`` is normalised for comparison, ``written`` is the value in the document."""

    field: Field
    op: str
    value: Any
    written: Any = dataclasses.field(default=None, compare=False, hash=False)

    @property
    def is_event(self) -> bool:
        """Whether it is true for one moment only."""
        return self.op in EVENT_OPS or self.field.is_event


@dataclass(frozen=True, slots=True)
class All:
    """True where every part is true."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any_:  # noqa: N801
    """True where any part is true."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """True where the part is false; unknown stays unknown."""

    part: Node


Node = Test | All | Any_ | Not
Faults = dict[str, str]


def tests_of(node: Node) -> Iterator[Test]:
    """Every test of a tree, from left to right."""
    if isinstance(node, Test):
        yield node
    elif isinstance(node, Not):
        yield from tests_of(node.part)
    else:
        for part in node.parts:
            yield from tests_of(part)


def parse(document: Any, name: str = "conditions") -> tuple[Node | None, Faults]:
    """The tree of a JSON document (None if it has faults), and its faults by path (``conditions.all.0.field``).

    Regular expressions are compiled only within the budget of a rule.
    """
    parser = _Parser()
    fault = budget.fault_of(budget.texts_of(document))
    if fault is not None:
        parser.compiles = False
        parser.fault(name, fault)
    node = parser.node(document, name, 1)
    if parser.tests > MAX_TESTS:
        parser.fault(
            name,
            sentence(
                "alerts.too_many_tests",
                "holds {count} tests; at most {most} are allowed",
                count=parser.tests,
                most=MAX_TESTS,
            ),
            always=True,
        )
    if node is not None and not isinstance(node, Test):
        for test in tests_of(node):
            if test.field.kind is Kind.STATE:
                parser.fault(
                    name,
                    sentence(
                        "alerts.state_alone",
                        "holds {name} with something else; it must be alone in its rule",
                        name=test.field.name,
                    ),
                )
    return (None if parser.faults else node), parser.faults


class ConditionsFault(ValueError):
    """Stored conditions that this version refuses; ``faults`` by path."""

    def __init__(self, faults: Faults) -> None:
        name, detail = next(iter(faults.items()))
        super().__init__(sentence("alerts.fault_at", "{name}: {detail}", name=name, detail=detail))
        self.faults = faults


@dataclass(frozen=True)
class Conditions:
    """The conditions of a rule: the JSON document, and what it was parsed to once.

    ``node`` is None where this version refuses stored conditions, with ``faults`` by path.
    """

    document: dict[str, Any]
    node: Node | None = dataclasses.field(compare=False)
    faults: Faults = dataclasses.field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Conditions:
        """Parse a document."""
        return cls(dict(document), *parse(document))

    @property
    def tree(self) -> Node:
        """The tree; raises ConditionsFault."""
        if self.node is None:
            raise ConditionsFault(self.faults)
        return self.node

    def renumbered(self, ids: Mapping[Kind, Mapping[int, int]]) -> Conditions:
        """The same with other ids of geofences and watch lists; those that are not named stay."""
        return Conditions(_renumbered_document(self.document, ids), _renumbered(self.tree, ids))


def tree_of(document: Mapping[str, Any]) -> Node:
    """The tree of stored conditions; raises ConditionsFault."""
    return Conditions.of(document).tree


def _renumbered(node: Node, ids: Mapping[Kind, Mapping[int, int]]) -> Node:
    if isinstance(node, Test):
        number = ids.get(node.field.kind, {}).get(node.value)
        return node if number is None else Test(node.field, node.op, number, number)
    if isinstance(node, Not):
        return Not(_renumbered(node.part, ids))
    return type(node)(tuple(_renumbered(part, ids) for part in node.parts))


def _renumbered_document(document: Mapping[str, Any], ids: Mapping[Kind, Mapping[int, int]]) -> dict[str, Any]:
    if "not" in document:
        return {"not": _renumbered_document(document["not"], ids)}
    for branch in ("all", "any"):
        if branch in document:
            return {branch: [_renumbered_document(part, ids) for part in document[branch]]}
    field, value = field_named(document["field"]), document["value"]
    numbers = ids.get(field.kind, {}) if field is not None else {}
    return {**document, "value": numbers[value]} if numbers and value in numbers else dict(document)


class _Parser:
    def __init__(self) -> None:
        self.faults: Faults = {}
        self.tests = 0
        self.compiles = True

    def fault(self, name: str, detail: str, *, always: bool = False) -> None:
        if always or len(self.faults) < MAX_FAULTS:
            self.faults.setdefault(name, detail)

    def node(self, document: Any, name: str, depth: int) -> Node | None:
        if depth > MAX_DEPTH:
            self.fault(name, sentence("alerts.depth", "is deeper than {most} levels", most=MAX_DEPTH))
            return None
        if not isinstance(document, dict):
            self.fault(name, sentence("alerts.node_shape", "must be an object: a test, all, any or not"))
            return None
        branches = [key for key in BRANCHES if key in document]
        if not branches:
            return self._test(document, name)
        for key in document:
            if key not in BRANCHES:
                self.fault(
                    f"{name}.{_key_text(key)}",
                    sentence("alerts.next_to_branch", "is not allowed next to all, any or not"),
                )
        if len(branches) > 1:
            self.fault(
                name,
                sentence(
                    "alerts.several_branches", "has {names} in one object; nest them", names=" and ".join(branches)
                ),
            )
            return None
        branch = branches[0]
        if branch == "not":
            part = self.node(document["not"], f"{name}.not", depth + 1)
            return Not(part) if part is not None else None
        return self._parts(document[branch], f"{name}.{branch}", depth, All if branch == "all" else Any_)

    def _parts(self, documents: Any, name: str, depth: int, kind: type[All] | type[Any_]) -> Node | None:
        if not isinstance(documents, list):
            self.fault(name, sentence("field.list", "must be a list"))
            return None
        if not documents:
            self.fault(name, sentence("field.empty_list", "must not be an empty list"))
            return None
        if self.tests > MAX_TESTS:
            return None  # The count is a fault already; the rest of a long list need not be parsed.
        parts = [self.node(document, f"{name}.{index}", depth + 1) for index, document in enumerate(documents)]
        complete = tuple(part for part in parts if part is not None)
        return kind(complete) if len(complete) == len(parts) else None

    def _test(self, document: dict[str, Any], name: str) -> Test | None:
        self.tests += 1
        if not document:
            self.fault(name, sentence("alerts.empty_object", "must not be an empty object"))
            return None
        fault_count = len(self.faults)
        for key in document:
            if key not in ("field", "op", "value"):
                self.fault(
                    f"{name}.{_key_text(key)}",
                    sentence("alerts.test_members", "is not a known field; a test has field, op and value"),
                )
        for key in ("field", "op", "value"):
            if key not in document:
                self.fault(f"{name}.{key}", sentence("field.needed", "is required"))
        field = self._field(document, name)
        if field is None or "op" not in document or "value" not in document:
            return None
        try:
            member = f"{name}.op"
            op = parse_op(field, document["op"])
            if op == "matches" and not self.compiles:
                return None
            member = f"{name}.value"
            value = parse_value(field, op, document["value"])
        except ValueFault as error:
            self.fault(member, str(error))
            return None
        return Test(field, op, value, document["value"]) if len(self.faults) == fault_count else None

    def _field(self, document: dict[str, Any], name: str) -> Field | None:
        if "field" not in document:
            return None
        field_name = document["field"]
        if not isinstance(field_name, str):
            self.fault(f"{name}.field", sentence("alerts.field_name", "must be the name of a field"))
            return None
        field = field_named(field_name)
        if field is None:
            self.fault(
                f"{name}.field", sentence("alerts.no_field", "{name} is not a field", name=f"{field_name[:60]!r}")
            )
        return field


def _key_text(key: Any) -> str:
    return str(key)[:60]


def references(node: Node, kind: Kind) -> frozenset[int]:
    """Ids of the geofences or watch lists that a tree refers to."""
    return frozenset(test.value for test in tests_of(node) if test.field.kind is kind)
