"""``WorkerPool``: the threads that answer requests, woken by a queue that is written in C.

Waitress wakes them by a condition, which makes a lock for each wait and takes three to pass on a request: a sixth of
what a small request costs.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

from waitress.task import ThreadedTaskDispatcher


class WorkerPool(ThreadedTaskDispatcher):
    """Waitress' dispatcher. There is one wake-up for each request and each end of a thread; an end goes first."""

    def __init__(self) -> None:
        super().__init__()
        self._wake_ups: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._resizing = threading.Lock()

    def add_task(self, task: Any) -> None:
        """Queue a connection whose first request waits for an answer."""
        self.queue.append(task)
        self._wake_ups.put(None)

    def set_thread_count(self, count: int) -> None:
        """Start threads, or end some as soon as they have nothing to do."""
        with self._resizing:
            with self.lock:
                # A thread that ends now lowers both.
                excess = len(self.threads) - self.stop_count - count
            super().set_thread_count(count)
            for _ in range(excess):
                self._wake_ups.put(None)

    def handler_thread(self, thread_no: int) -> None:
        """Answer requests until an end is asked for."""
        while True:
            self._count_active(-1)
            self._wake_ups.get()
            self._count_active(1)
            if self.stop_count and self._ends(thread_no):
                return
            try:
                task = self.queue.popleft()
            except IndexError:
                # It was cancelled.
                continue
            try:
                task.service()
            except BaseException:
                self.logger.exception("Exception when servicing %r", task)

    def _count_active(self, change: int) -> None:
        with self.lock:
            self.active_count += change

    def _ends(self, thread_no: int) -> bool:
        with self.lock:
            if not self.stop_count:
                # Another thread has ended instead.
                return False
            self.stop_count -= 1
            self.active_count -= 1
            self.threads.discard(thread_no)
            self.thread_exit_cv.notify()
            return True
