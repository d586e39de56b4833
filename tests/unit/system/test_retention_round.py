"""A round of retention that fails shows in health, and the next one is tried all the same."""

import pytest
from sqlalchemy.exc import OperationalError

from skywatch.core.reporting import health
from skywatch.system.monitor import RETENTION, retain


class Failing:
    removed = {"positions": 3}  # noqa: RUF012

    def __init__(self, fault, **faults):
        self.fault = fault
        self.faults = faults

    def run(self):
        if self.fault is not None:
            raise self.fault
        return 3


def said():
    return next(component for component in health.components() if component.name == RETENTION)


@pytest.mark.parametrize(
    ("fault", "why"),
    [(OperationalError("DELETE", {}, Exception("locked")), "locked"), (KeyError("a fault of ours"), "a fault of ours")],
    ids=["database", "ours"],
)
def test_a_round_that_fails_shows_until_one_works(fault, why):
    assert retain(Failing(fault)) == "failed"  # tried again soon, not at the next round
    assert not said().ok
    assert why in said().detail
    assert retain(Failing(None)) == "done"
    assert (said().ok, said().figures) == (True, {"removed_positions": 3})
    health.withdraw(RETENTION)


def test_a_kind_that_fails_is_named_in_health_with_what_the_others_removed():
    assert retain(Failing(None, alerts=OverflowError("date value out of range"))) == "partly"
    assert not said().ok
    assert said().detail == "failed for alerts: date value out of range"
    assert said().figures == {"removed_positions": 3}
    health.withdraw(RETENTION)
