"""Deadlines of long work: its time, its client, and those who wait meanwhile."""

from __future__ import annotations

import threading

import pytest

from skywatch.core.problems import Problem
from skywatch.core.process import deadline as module
from skywatch.core.process.deadline import Deadline, DeadlineExceeded, paced


class Clock:
    """A clock that the test moves; sleeping moves it too."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []
        self.at_sleep = lambda: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at_sleep()
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def deadline_of(seconds=5.0, has_left=lambda: False, turn=None):
    return Deadline("The work", seconds, has_left, turn or threading.Lock())


def test_work_ends_when_its_time_is_up(clock):
    with deadline_of() as deadline:
        deadline.check()
        clock.now += 6
        with pytest.raises(DeadlineExceeded) as error:
            deadline.check()
    assert (error.value.kind.status, error.value.headers["Retry-After"]) == (503, "10")
    assert "took more than 5 s" in error.value.detail


def test_the_time_can_be_extended(clock):
    with deadline_of() as deadline:
        deadline.extend(20)
        clock.now += 6
        deadline.check()
        clock.now += 15
        with pytest.raises(DeadlineExceeded):
            deadline.check()


def test_work_ends_when_the_client_leaves(clock):
    is_gone = False
    with deadline_of(has_left=lambda: is_gone) as deadline:
        deadline.check()
        is_gone = True
        clock.now += 1
        with pytest.raises(Problem, match="has closed its connection") as error:
            deadline.check()
    assert not isinstance(error.value, DeadlineExceeded)


def test_the_connection_is_not_looked_at_every_time(clock):
    looks = []
    with deadline_of(has_left=lambda: bool(looks.append(clock.now))) as deadline:
        for _ in range(1000):
            deadline.check()
            clock.now += 0.0001
    assert len(looks) <= 10


def test_work_gives_its_turn_away_again_and_again(clock):
    turn = threading.Lock()
    was_free: list[bool] = []

    def note() -> None:
        was_free.append(turn.acquire(blocking=False))
        turn.release()

    clock.at_sleep = note
    with deadline_of(turn=turn) as deadline:
        for _ in range(10):
            clock.now += 0.002
            deadline.check()
        assert turn.locked()
    assert not turn.locked()
    assert was_free == [True] * 10
    # At least as much rest as work: two at once leave the interpreter to others.
    assert sum(clock.slept) >= 0.02


def test_a_turn_is_given_back_after_a_fault(clock):
    turn = threading.Lock()
    with pytest.raises(DeadlineExceeded), deadline_of(seconds=0, turn=turn) as deadline:
        deadline.check()
    assert not turn.locked()


def test_items_are_checked_between():
    checks: list[int] = []
    assert list(paced(range(40), lambda: checks.append(1))) == list(range(40))
    assert len(checks) == 3
    items = [1, 2]
    assert paced(items, None) is items
