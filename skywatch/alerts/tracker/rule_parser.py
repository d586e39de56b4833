"""Parses stored rules, each once for each of its revisions, within the budgets of rules and users.

A rule of an older version may be beyond the budget of a rule, and the rules of a user together beyond the user's: such
a rule is not compiled and not in force, and its fault says why. The oldest rules of a user count first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from skywatch.alerts.conditions import budget
from skywatch.alerts.conditions.tree import ConditionsFault, Node, tests_of, tree_of
from skywatch.alerts.models import AlertRule
from skywatch.core.text.expressions import Expression
from skywatch.sentences import sentence

_MEMORY = budget.USER_MEMORY_BYTES
_TEXT_FAULT = sentence(
    "alerts.owner_expressions_bytes",
    "the regular expressions of the owner's enabled rules have more than {most} bytes in "
    "all; switch rules off or shorten them",
    most=budget.USER_BYTES,
)
_MEMORY_FAULT = sentence(
    "alerts.owner_expressions_memory",
    "the regular expressions of the owner's enabled rules need more than {most} MiB in "
    "all; switch rules off or simplify them",
    most=budget.USER_MEMORY_BYTES >> 20,
)
# Rules of a user are compiled until those that are in force or were too large needed so many times the budget.
TRIED = 2
_OF_USER = (_TEXT_FAULT, _MEMORY_FAULT)


@dataclass(frozen=True)
class Parsed:
    """A tree of conditions, or why there is none; and the memory of its expressions (bytes)."""

    node: Node | None = None
    fault: str = ""
    memory_bytes: int = 0


@dataclass
class _Use:
    """How much of the budget the rules of a user have used."""

    text_bytes: int = 0
    memory_bytes: int = 0
    tried_bytes: int = 0
    texts: set[str] = field(default_factory=set)
    expressions: set[Expression] = field(default_factory=set)


RevisionKey = tuple[int, int]


class RuleParser:
    """Parses rules and remembers the results. Used by one thread."""

    def __init__(self) -> None:
        self._texts: dict[RevisionKey, frozenset[str]] = {}
        """The regular expressions; none for a rule beyond its own budget, which is never compiled."""
        self._parsed: dict[RevisionKey, Parsed] = {}

    def parse(self, rules: Iterable[AlertRule]) -> Mapping[RevisionKey, Parsed]:
        """The conditions of these rules, which are in order of their ids, by id and revision."""
        uses: defaultdict[int, _Use] = defaultdict(_Use)
        texts, parsed = self._texts, self._parsed
        self._texts, self._parsed = {}, {}
        for rule in rules:
            key = rule.id, rule.revision
            own = self._texts[key] = texts[key] if key in texts else _texts_of(rule)
            self._parsed[key] = _within(uses[rule.user_id], rule, own, parsed.get(key))
        return self._parsed


def _within(use: _Use, rule: AlertRule, texts: frozenset[str], before: Parsed | None) -> Parsed:
    """Parse a rule unless the user's budget is used up; ``before`` is the last result for the same revision.

    Each expression counts once, in however many rules it is.
    """
    size = budget.bytes_of(texts - use.texts)
    if use.text_bytes + size > budget.USER_BYTES:
        return Parsed(fault=_TEXT_FAULT)
    use.text_bytes += size
    use.texts |= texts
    if before is not None and before.fault == _MEMORY_FAULT and use.memory_bytes + before.memory_bytes > _MEMORY:
        use.tried_bytes += before.memory_bytes
        return before
    if use.tried_bytes > TRIED * _MEMORY:
        return Parsed(fault=_MEMORY_FAULT)
    parsed = before if before is not None and before.fault not in _OF_USER else _parse(rule)
    expressions = _expressions(parsed.node) - use.expressions if parsed.node is not None else set()
    memory = sum(expression.size for expression in expressions)
    use.tried_bytes += memory
    if use.memory_bytes + memory > _MEMORY:
        # Without the tree, which holds the compiled expressions.
        return Parsed(fault=_MEMORY_FAULT, memory_bytes=memory)
    use.memory_bytes += memory
    use.expressions |= expressions
    return parsed


def _texts_of(rule: AlertRule) -> frozenset[str]:
    texts = budget.texts_of(rule.conditions)
    return frozenset() if budget.fault_of(texts) is not None else frozenset(texts)


def _parse(rule: AlertRule) -> Parsed:
    try:
        return Parsed(tree_of(rule.conditions))
    except ConditionsFault as fault:
        return Parsed(fault=str(fault))


def _expressions(node: Node) -> set[Expression]:
    return {test.value for test in tests_of(node) if isinstance(test.value, Expression)}
