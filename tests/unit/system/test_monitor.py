"""The system's part in the tracker: when it publishes, when it retains, and what is left when it ends."""

from __future__ import annotations

import threading
from itertools import pairwise
from types import SimpleNamespace

import pytest

from skywatch.core.bus import topics
from skywatch.core.storage.retention import Pruner
from skywatch.core.telemetry import health
from skywatch.system import monitor
from skywatch.system.extents import last_extents
from skywatch.system.health.log import find_changes
from skywatch.system.monitor import RETENTION, SystemMonitor
from tests.waiting import until

HOUR_S = 3600.0


class Clock:
    """A clock that the pauses of a worker move, until a time."""

    def __init__(self, end_s):
        self.now, self.end_s = 0.0, end_s

    def run(self, name, work, failed):
        """A worker that is run by this clock, in place of a thread."""

        def start(after_s=0.0):
            self.now = after_s
            while self.now < self.end_s:
                self.now += work()

        return SimpleNamespace(name=name, start=start, stopping=SimpleNamespace(wait=lambda pause_s: False))


def running(runtime, monkeypatch, end_s, uptime_s=1e6):
    """A monitor on a clock of its own."""
    clock = Clock(end_s)
    monkeypatch.setattr(monitor, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(monitor, "uptime_s", lambda: uptime_s)
    monkeypatch.setattr(monitor, "WorkerThread", clock.run)
    return SystemMonitor(runtime), clock


def start_only(one, monkeypatch, name):
    """Start one of the two threads of a monitor."""
    other = one._status if one._retention.name == name else one._retention
    monkeypatch.setattr(other, "start", lambda after_s: None)
    one.start()


def test_the_status_is_published_on_time_and_health_is_looked_at_between(make_runtime, monkeypatch):
    runtime = make_runtime()
    one, clock = running(runtime, monkeypatch, 85)
    published, looked = [], []
    runtime.bus.subscribe(("system",), lambda message: published.append(clock.now))
    take = one._health_log.take
    monkeypatch.setattr(one._health_log, "take", lambda checks: (looked.append(clock.now), take(checks)))
    start_only(one, monkeypatch, "system-status")
    assert published == [10, 20, 30, 40, 50, 60, 70, 80]
    assert looked == list(range(2, 85, 2))
    with runtime.sessions() as session:
        stored = {change.part: change.after for change in find_changes(session, None, 10)}
    assert (stored["database"], stored["tracker"]) == ("ok", "failing")


@pytest.mark.parametrize(
    ("outcome", "pause_s"),
    [("done", 600), ("waits", 60), ("partly", 60), ("failed", 6)],  # whole looks at the settings, of 2 s
)
def test_the_next_round_of_retention_comes_the_sooner_the_more_is_left(make_runtime, monkeypatch, outcome, pause_s):
    one, clock = running(make_runtime(retention_interval_s=600), monkeypatch, 2 * HOUR_S)
    rounds = []
    monkeypatch.setattr(monitor, "retain", lambda pruner: (rounds.append(clock.now), outcome)[1])
    start_only(one, monkeypatch, RETENTION)
    pauses = {later - before for before, later in pairwise(rounds)}
    assert len(pauses) == 1
    assert pause_s - 2 < pauses.pop() <= pause_s


@pytest.mark.parametrize(("uptime_s", "first_s"), [(10, 290), (298, 5), (4000, 5)])
def test_after_a_start_the_picture_comes_first_and_the_clock_may_settle(make_runtime, monkeypatch, uptime_s, first_s):
    one, clock = running(make_runtime(), monkeypatch, HOUR_S, uptime_s)
    rounds = []
    monkeypatch.setattr(monitor, "retain", lambda pruner: (rounds.append(clock.now), "done")[1])
    start_only(one, monkeypatch, RETENTION)
    assert rounds[0] == first_s


def test_a_changed_setting_begins_a_round_at_once_and_is_the_one_it_goes_by(make_runtime, monkeypatch):
    runtime = make_runtime(retention_interval_s=86_400)
    changed = make_runtime(retention_audit_days=5).current
    one, clock = running(runtime, monkeypatch, HOUR_S)
    rounds = []

    def change(pruner: Pruner):
        rounds.append((clock.now, pruner.settings))
        monkeypatch.setattr(type(runtime), "current", property(lambda _: changed))
        return "done"

    monkeypatch.setattr(monitor, "retain", change)
    before = runtime.current
    start_only(one, monkeypatch, RETENTION)
    assert [settings for _, settings in rounds[:2]] == [before, changed]
    assert rounds[1][0] - rounds[0][0] <= 2


def test_threads_work_and_end_with_the_monitor(make_runtime, monkeypatch):
    monkeypatch.setattr(monitor, "CHECK_EVERY_S", 0.01)
    monkeypatch.setattr(monitor, "STATUS_EVERY_S", 0.01)
    monkeypatch.setattr(monitor, "uptime_s", lambda: 1e6)
    monkeypatch.setattr(monitor, "FIRST_ROUND_S", 0.01)
    runtime = make_runtime()
    published, before = set(), set(threading.enumerate())
    expected = {"system", topics.RETENTION}
    runtime.bus.subscribe(tuple(expected), lambda message: published.add(message.topic))
    one = SystemMonitor(runtime)
    one.start()
    until(lambda: published == expected)
    assert last_extents(runtime.bus).kinds["audit"].rows == 0
    until(lambda: RETENTION in [component.name for component in health.components()])
    names = {"system-status", "retention", "simulated-removal"}
    own = {thread for thread in set(threading.enumerate()) - before if thread.name in names}
    assert {thread.name for thread in own} == names
    one.close()
    assert not any(thread.is_alive() for thread in own)
    assert RETENTION not in [component.name for component in health.components()]
