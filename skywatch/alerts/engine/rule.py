"""A rule as the engine runs it, and what it decides: who matches, since when, and what is to be announced."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skywatch.alerts.conditions.tree import Node, tests_of
from skywatch.alerts.engine.program import Rights

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
# A rule of the database and the user that it tells; a rule that is only tried out may have any name.
RuleKey = Any
# The subject of a rule with a count: no aircraft.
NOBODY = ""


@dataclass(frozen=True)
class Count:
    """How many aircraft must meet the conditions."""

    op: str
    value: int

    def holds(self, number: int) -> bool:
        """Whether so many aircraft are as many as wanted."""
        return COMPARISONS[self.op](number, self.value)


@dataclass(frozen=True, eq=False)
class Rule:
    """What the engine needs of a rule. ``revision`` grows when what it asks for changes.

    A ``silent`` rule takes for announced what it matches when it is first tested: it was changed, and did not begin.
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
        """The same as long as the engine's memory of the rule holds."""
        return self.id, self.revision, self.rights

    @property
    def is_message_rule(self) -> bool:
        """Whether it asks for an ACARS message."""
        return any(test.field.is_event for test in tests_of(self.node))


@dataclass(slots=True)
class Pair:
    """A rule and one aircraft (or, with a count, the rule alone). Times are unix seconds.

    ``is_true`` since ``since``; ``active`` once it was announced, until it is cleared; ``held_at`` is when its
    conditions last held; ``fired_at`` when it was last announced, which its cooldown counts from.
    """

    is_true: bool = False
    since: float = 0.0
    active: bool = False
    held_at: float = 0.0
    fired_at: float | None = None

    def ready_at(self, rule: Rule) -> float:
        """When it may be announced, if it stays true."""
        ready = self.since + rule.for_s
        return ready if self.fired_at is None else max(ready, self.fired_at + rule.cooldown_s)


@dataclass(frozen=True)
class Stored:
    """What the database says of a pair: whether it matches, and when it was last announced (unix seconds)."""

    active: bool
    fired_at: float | None


@dataclass(frozen=True)
class Fired:
    """A rule is to be announced for an aircraft, or with ``address`` NOBODY for a number of them."""

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
    """A rule that was announced no longer holds."""

    rule_id: RuleKey
    revision: int
    address: str
    at: float


@dataclass(frozen=True)
class Adopted:
    """A changed rule takes these for announced, and counts as begun."""

    rule_id: RuleKey
    revision: int
    addresses: tuple[str, ...]
    at: float


Change = Fired | Cleared | Adopted
