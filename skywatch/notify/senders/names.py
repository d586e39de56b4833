"""``NameResolver``: looks names up in threads that are divided by person.

A lookup occupies a thread until the system gives up, and nothing can interrupt it. So one person has a quarter of the
threads at most, however many of their names do not answer; others' lookups run in the rest.
"""

from __future__ import annotations

import socket
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from skywatch.core.limits import FairSlots

Rows = list[Any]


@dataclass(eq=False)
class _Lookup:
    person: str
    host: str
    port: int
    answer: Future[Rows] = field(default_factory=Future)


class NameResolver:
    """``person`` is who has the name looked up; empty is the service itself. Thread-safe."""

    def __init__(self, threads: int) -> None:
        self.share = max(1, threads // 4)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="resolver")
        self._guard = threading.Lock()
        self._slots: FairSlots[_Lookup] = FairSlots(threads, lambda _: self.share)

    def look_up(self, person: str, host: str, port: int) -> Future[Rows]:
        """The rows of ``socket.getaddrinfo``, or what it raises; returns at once."""
        lookup = _Lookup(person, host, port)
        with self._guard:
            self._slots.put(person, lookup)
            self._begin()
        return lookup.answer

    def _begin(self) -> None:
        """Let those run who may; called with the guard."""
        for lookup in self._slots.begin():
            self._pool.submit(self._run, lookup)

    def _run(self, lookup: _Lookup) -> None:
        try:
            # Who asked may have given up meanwhile.
            if lookup.answer.set_running_or_notify_cancel():
                lookup.answer.set_result(socket.getaddrinfo(lookup.host, lookup.port, type=socket.SOCK_STREAM))
        except Exception as error:
            lookup.answer.set_exception(error)
        finally:
            with self._guard:
                self._slots.leave(lookup.person)
                self._begin()
