"""A rule in the engine, and the decisions of the engine: announced, cleared and adopted matches."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import Node, Test, tests_of
from skywatch.alerts.engine.program import Rights

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
# (rule id, user id) of a stored rule and the user it notifies; the rule of a dry run may have any key.
RuleKey = Any
# The subject of a rule with a count or a state: no aircraft.
NOBODY = ""


@dataclass(frozen=True)
class Count:
    """The number of aircraft that must meet the conditions."""

    op: str
    value: int

    def holds(self, number: int, *, is_complete: bool) -> bool | None:
        """Whether this number of aircraft meets the count; None if that is unknown.

        Of a picture that is not complete, ``number`` is the least that it may be.
        """
        compare, value = COMPARISONS[self.op], self.value
        if is_complete:
            return compare(number, value)
        # All numbers above the value compare alike.
        answers = {compare(possible, value) for possible in (number, value, value + 1) if possible >= number}
        return answers.pop() if len(answers) == 1 else None


@dataclass(frozen=True, eq=False)
class Rule:
    """The properties of a rule that the engine needs. ``revision`` increases when its conditions change.

    The first matches of a ``silent`` rule count as announced: it was changed, not created.
    """

    id: RuleKey
    revision: int
    node: Node
    for_s: float = 2.0
    cooldown_s: float = 300.0
    count: Count | None = None
    rights: Rights = field(default_factory=Rights)
    silent: bool = False

    @property
    def key(self) -> tuple[RuleKey, int, Rights]:
        """Identifies the state of the rule: while it is equal, the state stays valid."""
        return self.id, self.revision, self.rights

    @property
    def state(self) -> Test | None:
        """The test of a state of the installation, which is alone in its rule; None for rules about aircraft."""
        is_state = isinstance(self.node, Test) and self.node.field.kind is Kind.STATE
        return self.node if is_state and isinstance(self.node, Test) else None

    @property
    def is_message_rule(self) -> bool:
        """Whether it has a condition on messages of aircraft."""
        return any(test.field.is_event for test in tests_of(self.node))


@dataclass(slots=True)
class Pair:
    """A rule and one aircraft (or, with a count, the rule alone). Times are unix seconds.

    ``is_true`` since ``since``; ``active`` once it was announced, until it is cleared; ``true_until`` is when its
    conditions were last true; ``fired_at`` when it was last announced, which its cooldown counts from.
    """

    is_true: bool = False
    since: float = 0.0
    active: bool = False
    true_until: float = 0.0
    fired_at: float | None = None

    def ready_at(self, rule: Rule) -> float:
        """The time at which it may be announced if it stays true."""
        ready = self.since + rule.for_s
        return ready if self.fired_at is None else max(ready, self.fired_at + rule.cooldown_s)


@dataclass(frozen=True)
class Stored:
    """A stored match: whether it is active, and when it was last announced (unix seconds)."""

    active: bool
    fired_at: float | None


@dataclass(frozen=True)
class Fired:
    """An alert to announce, for one aircraft or (``address`` NOBODY) for a number of them."""

    rule_id: RuleKey
    revision: int
    address: str
    at: float
    aircraft: Mapping[str, Any]
    matched: tuple[Mapping[str, Any], ...]
    military: bool
    geofence: str | None = None
    count: int | None = None


@dataclass(frozen=True)
class Cleared:
    """An announced alert whose conditions are no longer true."""

    rule_id: RuleKey
    revision: int
    address: str
    at: float


@dataclass(frozen=True)
class Adopted:
    """The first matches of a changed rule, which count as announced; unless ``is_last``, more of them may follow."""

    rule_id: RuleKey
    revision: int
    addresses: tuple[str, ...]
    at: float
    is_last: bool = True


Change = Fired | Cleared | Adopted
