"""A function that is run again and again."""

import pytest

from skywatch.core.process import periodic
from skywatch.core.process.periodic import PeriodicTask, WorkerThread
from tests.waiting import PATIENCE_S, until


class Work:
    """Fails as often as it is told to."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.runs = 0

    def __call__(self) -> None:
        self.runs += 1
        if self.runs <= self.failures:
            raise OSError("the disk is away")


@pytest.fixture
def start():
    tasks = []

    def start(work, every_s):
        task = PeriodicTask("work", every_s, work)
        task.start()
        tasks.append(task)
        return task

    yield start
    for task in tasks:
        task.close()


def test_what_failed_is_tried_again_long_before_its_next_time(start, monkeypatch):
    monkeypatch.setattr(periodic, "RETRY_S", 0.01)
    work = Work(failures=3)
    task = start(work, every_s=3600.0)
    until(lambda: work.runs == 4, "the run that succeeds")
    until(lambda: task.state().ok, "the end of the fault")
    assert not task.state().figures["failures"]


def test_costly_work_that_failed_waits_as_it_says(monkeypatch):
    monkeypatch.setattr(periodic, "RETRY_S", 0.001)
    task = PeriodicTask("work", 3600.0, Work(failures=1), retry_s=1800.0)
    assert task._failed(OSError("the disk is away")) == 1800.0


def test_a_pause_that_is_shorter_than_that_stays_so(start):
    work = Work(failures=10**9)
    task = start(work, every_s=0.001)
    until(lambda: work.runs >= 5, "runs that fail")
    assert task.state().detail == "failed: the disk is away"


def test_what_works_waits_for_its_time_or_until_it_is_asked(start):
    work = Work(failures=0)
    task = start(work, every_s=3600.0)
    until(lambda: work.runs == 1, "the first run")
    task.run_soon()
    until(lambda: work.runs == 2, "the run that was asked for")
    assert periodic.RETRY_S <= 5.0


def test_a_worker_repeats_its_work_whatever_it_raises_until_it_is_closed():
    pauses, faults = [], []

    def work():
        pauses.append(len(pauses))
        if len(pauses) == 1:
            raise OSError("the disk is away")
        return 3600.0

    def failed(error):
        faults.append(error)
        return 0.0

    worker = WorkerThread("work", work, failed)
    assert worker.close()  # it need not have begun
    worker = WorkerThread("work", work, failed)
    worker.start()
    until(lambda: len(pauses) == 2, "the run that succeeds")
    worker.run_soon()
    until(lambda: len(pauses) == 3, "the run that was asked for")
    assert worker.close(PATIENCE_S)
    assert len(faults) == 1
