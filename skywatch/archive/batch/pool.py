"""A pool of processes of this machine. A worker that dies is replaced, and its day is tried again.

Workers end with their standard input, so that none outlives the command, however it ends.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from skywatch.archive.batch.planner import Planned
from skywatch.archive.batch.task import Outcome
from skywatch.archive.reader.archive_reader import child_environment
from skywatch.core.process.children import Child, ChildEnded

# How often a day is tried whose worker dies.
TRIES = 3
Result = tuple[Planned, Outcome]
Tell = Callable[[str], None]


class ProcessPool:
    """``workers`` processes that run ``command``, each with one task at a time."""

    def __init__(self, command: Sequence[str], workers: int, tell: Tell) -> None:
        self._command = command
        self._workers = workers
        self._tell = tell
        self._children: dict[int, Child] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def run(self, tasks: Iterator[Planned]) -> Iterator[Result]:
        """The outcome of each task as it comes. Tasks are taken as workers are free."""
        # So many results wait at most: each worker waits with its own.
        results: queue.Queue[Result | BaseException | None] = queue.Queue(1)
        threads = [
            threading.Thread(target=self._work, args=(number, tasks, results), daemon=True)
            for number in range(self._workers)
        ]
        for thread in threads:
            thread.start()
        running = len(threads)
        while running:
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            self._is_closed = True
            for child in self._children.values():
                child.kill()

    def _work(self, number: int, tasks: Iterator[Planned], results: queue.Queue[Any]) -> None:
        try:
            while not self._is_closed:
                with self._lock:
                    planned = next(tasks, None)
                if planned is None:
                    break
                results.put((planned, self._do(number, planned)))
            results.put(None)
        except BaseException as error:
            # The command ends with it.
            results.put(error)
        finally:
            child = self._children.get(number)
            if child is not None:
                child.close()

    def _do(self, number: int, planned: Planned) -> Outcome:
        for attempt in range(1, TRIES + 1):
            try:
                return msgspec.msgpack.decode(
                    self._child(number).ask(msgspec.msgpack.encode(planned.task)), type=Outcome
                )
            except ChildEnded:
                if self._is_closed:
                    break
                again = "is tried again" if attempt < TRIES else f"is given up after {TRIES} times"
                self._tell(f"{planned.day.isoformat()}: its worker process ended; the day {again}.")
        return Outcome(fault=f"its worker process ended {TRIES} times: it was killed, or had too little memory")

    def _child(self, number: int) -> Child:
        child = self._children.get(number)
        if child is None or not child.is_alive:
            with self._lock:
                child = self._children[number] = Child(self._command, child_environment())
                if self._is_closed:
                    child.kill()
        return child
