"""The threads that answer requests: every request is answered once, and threads end when they are asked to."""

from __future__ import annotations

import threading
import time

import pytest

from skywatch.serving.web_server.worker_pool import WorkerPool
from tests.waiting import until


class Task:
    def __init__(self, begin: threading.Event | None = None) -> None:
        self.begin, self.served, self.cancelled = begin, 0, False

    def service(self) -> None:
        if self.begin is not None:
            assert self.begin.wait(30)
        self.served += 1

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture
def pool():
    pool = WorkerPool()
    yield pool
    pool.shutdown(timeout=10)
    assert not pool.threads


def test_every_request_is_answered_once_while_threads_come_and_go(pool):
    pool.set_thread_count(3)
    tasks = [Task() for _ in range(2000)]

    def add(some: list[Task]) -> None:
        for task in some:
            pool.add_task(task)

    adding = [threading.Thread(target=add, args=(tasks[begin::4],)) for begin in range(4)]
    for thread in adding:
        thread.start()
    for count in (5, 1, 4, 2, 7, 1, 3) * 5:
        pool.set_thread_count(count)
        time.sleep(0.001)
    for thread in adding:
        thread.join()
    until(lambda: all(task.served for task in tasks))
    assert {task.served for task in tasks} == {1}
    until(lambda: len(pool.threads) == 3 and not pool.stop_count and pool.active_count == 0)


def test_an_end_goes_before_requests_that_wait(pool):
    pool.set_thread_count(2)
    begin = threading.Event()
    busy, waiting = [Task(begin), Task(begin)], [Task() for _ in range(5)]
    for task in (*busy, *waiting):
        pool.add_task(task)
    until(lambda: len(pool.queue) == 5)
    pool.set_thread_count(0)
    begin.set()
    until(lambda: not pool.threads)
    assert [task.served for task in (*busy, *waiting)] == [1, 1] + [0] * 5
    # They are answered where threads are started again.
    pool.set_thread_count(1)
    until(lambda: all(task.served == 1 for task in waiting))


def test_requests_that_wait_at_the_end_are_cancelled_and_late_threads_survive_it(pool):
    pool.set_thread_count(1)
    begin = threading.Event()
    busy, waiting = Task(begin), Task()
    pool.add_task(busy)
    pool.add_task(waiting)
    until(lambda: len(pool.queue) == 1)
    assert pool.shutdown(timeout=0.05)
    assert (waiting.served, waiting.cancelled) == (0, True)
    begin.set()
    until(lambda: not pool.threads)
    pool.set_thread_count(1)
    last = Task()
    pool.add_task(last)
    until(lambda: last.served == 1)


def test_a_request_that_fails_ends_no_thread(pool, caplog):
    pool.set_thread_count(1)
    broken, good = Task(), Task()
    broken.service = lambda: 1 / 0  # type: ignore[method-assign]
    pool.add_task(broken)
    pool.add_task(good)
    until(lambda: good.served == 1)
    assert "Exception when servicing" in caplog.text
