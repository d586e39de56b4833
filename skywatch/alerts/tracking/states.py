"""``States``: whether the states of the installation hold that rules test (``skywatch.core.rule_fields.RuleState``)."""

from __future__ import annotations

from collections.abc import Callable

from skywatch.alerts.conditions.fields import all_fields
from skywatch.alerts.engine.rule import Rule
from skywatch.core.feature import load
from skywatch.core.runtime import Runtime

Holds = Callable[[str, int, bool], bool | None]


class States:
    """The states that features declare, in the process of the tracker."""

    def __init__(self, runtime: Runtime) -> None:
        self._by_field: dict[str, Holds] = {
            name: load(field.state.holds)(runtime) for name, field in all_fields().items() if field.state is not None
        }

    def holds(self, rule: Rule) -> bool | None:
        """Whether the state of a rule holds for its user; None where that is unknown."""
        test = rule.state
        assert test is not None
        _, user_id = rule.id
        return self._by_field[test.field.name](test.written, user_id, rule.rights.manages_all)
