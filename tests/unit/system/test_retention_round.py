"""A round of retention that fails shows in health, and the next one is tried all the same."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import OperationalError

from skywatch.core.storage.retention_clock import Hold, Record
from skywatch.core.telemetry import health
from skywatch.system.monitor import RETENTION, retain


class Failing:
    removed = {"positions": 3}  # noqa: RUF012
    clock = None

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


def test_a_round_that_doubts_the_clock_waits_and_says_what_to_do():
    doubting = Failing(None)
    hold = Hold(datetime(2029, 1, 1, tzinfo=UTC), "the clock was set forward by 1,095 days", True, "boot", 0.0)
    doubting.clock = SimpleNamespace(record=Record(hold=hold))
    assert retain(doubting) == "waits"
    assert not said().ok
    assert said().detail.startswith("waits: the clock was set forward by 1,095 days: confirm the clock in the console")
    assert "skywatch history prune FILE.ini --yes" in said().detail
    assert "on 2029-01-08 it goes on by itself" in said().detail
    doubting.clock = SimpleNamespace(record=Record(left={"positions": 80.0, "events": 0.5}))
    assert retain(doubting) == "done"
    assert (said().ok, said().detail) == (
        True,
        "80 days of positions, 0 days of events wait: 3 days of data go in an hour",
    )
    health.withdraw(RETENTION)


def test_a_kind_that_fails_is_named_in_health_with_what_the_others_removed():
    assert retain(Failing(None, alerts=OverflowError("date value out of range"))) == "partly"
    assert not said().ok
    assert said().detail == "failed for alerts: date value out of range"
    assert said().figures == {"removed_positions": 3}
    health.withdraw(RETENTION)
