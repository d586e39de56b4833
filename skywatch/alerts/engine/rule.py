"""A rule in the engine, and the decisions of the engine: announced, cleared and adopted matches."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
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

    The first matches of a ``silent`` rule count as announced: it was changed, not created. ``person`` is whoever
    it notifies: announcements are divided by person (``skywatch.core.limits``).
    """

    id: RuleKey
    revision: int
    node: Node
    for_s: float = 2.0
    cooldown_s: float = 300.0
    count: Count | None = None
    rights: Rights = field(default_factory=Rights)
    silent: bool = False
    person: str = ""
    priority: str = "info"

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
    def is_of_nobody(self) -> bool:
        """Whether its alerts are about a number or a state, and not about one aircraft."""
        return self.count is not None or self.state is not None

    @cached_property
    def is_message_rule(self) -> bool:
        """Whether it has a condition on messages of aircraft."""
        return any(test.field.is_event for test in tests_of(self.node))

    @cached_property
    def is_momentary(self) -> bool:
        """Whether it has a condition that is true for one moment."""
        return any(test.is_event for test in tests_of(self.node))


@dataclass(slots=True)
class Pair:
    """A rule and one aircraft (or, with a count, the rule alone). Times are unix seconds.

    ``is_true`` since ``since``; ``active`` once it was announced, until it is cleared; ``true_until`` is when its
    conditions were last true; ``fired_at`` when it was last announced, which its cooldown counts from. ``in_doubt``:
    nobody vouched for that (``Fired.doubt``).
    """

    is_true: bool = False
    since: float = 0.0
    active: bool = False
    true_until: float = 0.0
    fired_at: float | None = None
    in_doubt: bool = False

    def ready_at(self, rule: Rule) -> float:
        """The time at which it may be announced if it stays true."""
        ready = self.since + rule.for_s
        return ready if self.fired_at is None else max(ready, self.fired_at + rule.cooldown_s)


@dataclass(frozen=True)
class Stored:
    """A stored match: whether it is active, when it was last announced (unix seconds), ``in_doubt`` as of a pair."""

    active: bool
    fired_at: float | None
    in_doubt: bool = False


@dataclass(frozen=True)
class Fired:
    """An alert to announce, for one aircraft or (``address`` NOBODY) for a number of them.

    ``doubt`` says why nobody vouches for it: only one feeder has heard the aircraft, ours do not say what it rests on,
    or the number holds only with such aircraft; empty where it is sure. ``of_strangers``: only strangers hear the
    aircraft, or it is in doubt. ``simulated``: the aircraft, or one of the number, is a simulator's.
    """

    rule_id: RuleKey
    revision: int
    address: str
    at: float
    aircraft: Mapping[str, Any]
    matched: tuple[Mapping[str, Any], ...]
    military: bool
    geofence: str | None = None
    count: int | None = None
    doubt: str = ""
    of_strangers: bool = False
    simulated: bool = False

    @property
    def in_doubt(self) -> bool:
        """Whether nobody vouches for it."""
        return bool(self.doubt)


@dataclass(frozen=True)
class Cleared:
    """An announced alert whose conditions are no longer true."""

    rule_id: RuleKey
    revision: int
    address: str
    at: float


@dataclass(frozen=True)
class Adopted:
    """The first matches of a changed rule, which count as announced; unless ``is_last``, more of them may follow.

    ``in_doubt`` are those of the addresses whose match nobody vouches for.
    """

    rule_id: RuleKey
    revision: int
    addresses: tuple[str, ...]
    at: float
    is_last: bool = True
    in_doubt: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Unstored:
    """How many alerts of a rule were given up since the last tick: what they were about ended, or too many waited.

    ``of_strangers`` is how many of them are as ``Fired.of_strangers``.
    """

    rule_id: RuleKey
    revision: int
    number: int
    of_strangers: int = 0


@dataclass(frozen=True)
class Tick:
    """The time of the decisions that follow (unix seconds)."""

    at: float


Decision = Fired | Cleared | Adopted | Unstored
Change = Decision | Tick
