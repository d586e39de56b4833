"""Rules on states of the installation: who may write one, and that there is no dry run of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from skywatch.alerts.access import sees_all
from skywatch.alerts.conditions.fields import Kind, field_named
from skywatch.alerts.conditions.tree import Conditions, Test, tests_of
from skywatch.core.problems import invalid_fields
from skywatch.core.runtime import Runtime
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence


def state_in(conditions: Conditions) -> Test | None:
    """The test of a state in conditions, if there is one; conditions that this version refuses have none."""
    tests = tests_of(conditions.node) if conditions.node is not None else ()
    return next((test for test in tests if test.field.kind is Kind.STATE), None)


def state_fault(runtime: Runtime, session: Session, visibility: Visibility, conditions: Conditions) -> str | None:
    """Why a caller may not write a rule on the state in these conditions, or None."""
    test = state_in(conditions)
    if test is None or test.field.state is None:
        return None
    return test.field.state.fault(runtime, session, test.written, visibility.user_id, sees_all(visibility))


def check_state(runtime: Runtime, session: Session, visibility: Visibility, conditions: Conditions) -> None:
    """Raise Problem (400) where a caller may not write a rule on the state in these conditions."""
    fault = state_fault(runtime, session, visibility, conditions)
    if fault is not None:
        raise invalid_fields({"conditions.value": fault})


def check_states(
    runtime: Runtime, session: Session, visibility: Visibility, rules: Sequence[Mapping[str, Any]]
) -> None:
    """``check_state`` for the rules of an import, which were not looked at yet."""
    faults = {}
    for index, rule in enumerate(rules):
        conditions = rule.get("conditions")
        field = conditions.get("field") if isinstance(conditions, dict) else None
        # Nothing else is parsed: a test of a state is alone in its rule, and other conditions are checked later.
        if isinstance(conditions, dict) and isinstance(field, str) and _is_state(field):
            fault = state_fault(runtime, session, visibility, Conditions.of(conditions))
            if fault is not None:
                faults[f"rules.{index}.conditions.value"] = fault
    if faults:
        raise invalid_fields(faults)


def _is_state(name: str) -> bool:
    field = field_named(name)
    return field is not None and field.kind is Kind.STATE


def check_triable(conditions: Conditions, name: str = "conditions") -> None:
    """Raise Problem (400) for conditions on a state: a dry run is about aircraft."""
    test = state_in(conditions)
    if test is not None:
        raise invalid_fields(
            {
                name: sentence(
                    "alerts.no_trial_of_state",
                    "cannot be tried out: {name} is not about aircraft",
                    name=test.field.name,
                )
            }
        )
