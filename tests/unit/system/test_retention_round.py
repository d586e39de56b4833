"""A round of retention that fails shows in health, and the next one is tried all the same."""

import pytest
from sqlalchemy.exc import OperationalError

from skywatch.core import health
from skywatch.system.monitor import RETENTION, retain


class Failing:
    removed = {"positions": 3}  # noqa: RUF012

    def __init__(self, fault):
        self.fault = fault

    def run(self):
        if self.fault is not None:
            raise self.fault
        return 3


@pytest.mark.parametrize(
    ("fault", "why"),
    [(OperationalError("DELETE", {}, Exception("locked")), "locked"), (KeyError("a fault of ours"), "a fault of ours")],
    ids=["database", "ours"],
)
def test_a_round_that_fails_shows_until_one_works(fault, why):
    def said():
        return next(component for component in health.components() if component.name == RETENTION)

    assert retain(Failing(fault)) is False  # tried again soon, not at the next round
    assert not said().ok
    assert why in said().detail
    assert retain(Failing(None)) is True
    assert (said().ok, said().figures) == (True, {"removed_positions": 3})
    health.withdraw(RETENTION)
