"""Which roles a set of claims yields: pure rules, without a database or a provider.

A mapping looks a claim up by its name, first as it stands (``https://example.org/roles``), then as a path
(``realm_access.roles``), and compares each value found. Regular expressions run on RE2, whose time grows with the
text only, within the limits of ``skywatch.core.text.expressions``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from skywatch.core.text.expressions import Expression, ExpressionFault, expressions

MatchType = Literal["exact", "contains", "regex"]
MATCH_TYPES: tuple[MatchType, ...] = ("exact", "contains", "regex")
# What a provider sends beyond this is not looked at.
MAX_VALUES, MAX_VALUE_LENGTH = 2000, 1000


@dataclass(frozen=True)
class Rule:
    """A claim mapping as a value; ``provider`` None applies to all providers."""

    name: str
    claim_name: str
    match_type: str
    claim_value: str
    role: str
    priority: int = 0
    provider: str | None = None


def matching(rules: Iterable[Rule], claims: Mapping[str, Any], provider: str) -> list[Rule]:
    """The rules that claims from a provider satisfy, those of the highest priority first.

    Roles add up: each rule that matches gives its own role, and priority is only their order in lists.
    """
    own = [rule for rule in rules if rule.provider is None or rule.provider == provider]
    values: dict[str, dict[str, None]] = {}
    for rule in own:
        if rule.claim_name not in values:
            values[rule.claim_name] = dict.fromkeys(values_of(claims, rule.claim_name))
    ordered = sorted(own, key=lambda r: (-r.priority, r.name))
    return [rule for rule in ordered if _satisfies(rule, values[rule.claim_name])]


@dataclass(frozen=True)
class TriedRule:
    """What became of a rule in a trial: the values its claim has, and whether one of them satisfies it.

    ``fault`` is why no value can.
    """

    rule: Rule
    values: list[str]
    is_match: bool
    fault: str = ""


@dataclass(frozen=True)
class Trial:
    """The rules tried on a set of claims, and the roles that these give; ``is_default`` where no rule matches."""

    rules: list[TriedRule]
    roles: list[str]
    is_default: bool


def try_rules(rules: Iterable[Rule], claims: Mapping[str, Any], provider: str, default_role: str) -> Trial:
    """The roles that a login with these claims gives a user without roles assigned by hand."""
    ordered = sorted(rules, key=lambda rule: (-rule.priority, rule.name))
    matches = matching(ordered, claims, provider)
    tried = [TriedRule(rule, values_of(claims, rule.claim_name), rule in matches, fault_of(rule)) for rule in ordered]
    default = [default_role] if default_role else []
    return Trial(tried, sorted({rule.role for rule in matches}) or default, not matches)


def is_match(rule: Rule, claims: Mapping[str, Any]) -> bool:
    """Whether some value of the claim satisfies the rule; none satisfies one whose expression is refused."""
    return _satisfies(rule, dict.fromkeys(values_of(claims, rule.claim_name)))


def _satisfies(rule: Rule, values: Mapping[str, None]) -> bool:
    if rule.match_type == "exact":
        return rule.claim_value in values
    if fault_of(rule):
        return False
    return any(_compares(rule.match_type, rule.claim_value, value) for value in values)


def values_of(claims: Mapping[str, Any], name: str) -> list[str]:
    """The values of a claim as text; a claim that is not there, null or an object has none."""
    value: Any = claims.get(name)
    if value is None:
        value = claims
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    items = value if isinstance(value, list) else [value]
    texts = [_text(item) for item in items[:MAX_VALUES]]
    return [text for text in texts if text is not None and len(text) <= MAX_VALUE_LENGTH]


def compile_pattern(pattern: str) -> Expression:
    """A compiled expression; raises ExpressionFault, with the reason, for one that is refused."""
    return expressions.get(pattern, ignores_case=False)


def fault_of(rule: Rule) -> str:
    """Why a stored rule matches nothing: its expression is of an older version, which had wider limits."""
    if rule.match_type == "regex":
        try:
            compile_pattern(rule.claim_value)
        except ExpressionFault as fault:
            return f"its regular expression {fault}"
    return ""


def _compares(match_type: str, expected: str, value: str) -> bool:
    if match_type == "contains":
        return expected in value
    return compile_pattern(expected).matches(value)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None
