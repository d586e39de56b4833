"""How often history is written, and what comes of a fault."""

import pytest
from sqlalchemy.exc import OperationalError

from skywatch.core import health
from skywatch.history.monitor import COMPONENT, TICK_S, HistoryMonitor, pause_after


@pytest.mark.parametrize(("flush_s", "took_s"), [(5.0, 0.0), (5.0, 0.7), (60.0, 3.0), (3.0, 0.2)])
def test_what_a_crash_may_lose_is_what_the_setting_says(flush_s, took_s):
    # Heard before the tick that the first of two flushes missed, until the second has been committed.
    assert TICK_S + took_s + pause_after(flush_s, took_s) + took_s <= flush_s + 1e-9


def test_slow_flushes_leave_time_to_others():
    assert pause_after(5.0, 20.0) == 2.5
    assert pause_after(1.0, 0.1) == 0.5


@pytest.mark.parametrize(
    "fault",
    [OperationalError("INSERT", {}, Exception("disk full")), ValueError("a fault of ours")],
    ids=["disk", "ours"],
)
def test_a_fault_shows_in_health_until_it_is_over(runtime, monkeypatch, fault):
    def fail():
        raise fault

    def said():
        return next(component for component in health.components() if component.name == COMPONENT)

    monitor = HistoryMonitor(runtime)
    monkeypatch.setattr(monitor.writer, "flush", fail)
    assert not monitor.flush()
    assert not said().ok
    assert said().detail in ("cannot be written: disk full", "cannot be written: a fault of ours")
    monkeypatch.undo()
    assert monitor.flush()
    assert said().ok
    health.withdraw(COMPONENT)
