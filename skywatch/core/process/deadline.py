"""``Deadline``: ends the work for a request when its time is up, or when its client has left.

Work that can take long calls ``check`` again and again. Between two calls it may take some milliseconds of the
processor, not more; ``check`` also gives way to other requests.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from skywatch.core.problems import Problem
from skywatch.sentences import Sentence, sentence

T = TypeVar("T")
Checkpoint = Callable[[], None]
# Interval at which the client's connection is looked at (s).
LOOK_EVERY_S = 0.1
# After so much work (s) the thread rests for so long (s): while it calculates it holds the interpreter's lock, and a
# concurrent request waits for the lock several times.
SLICE_S, REST_S = 0.001, 0.003
RETRY_AFTER_S = 10
# Items of ``paced`` between two checks.
ITEMS = 16


class DeadlineExceeded(Problem):
    """503: the time is up."""


class Deadline:
    """The time limit of one request; ``what`` names the work. Used by one thread, as a context.

    Of several with the same ``turn`` only one works at a time; the others rest.
    """

    def __init__(self, what: Sentence, seconds: float, has_left: Callable[[], bool], turn: threading.Lock) -> None:
        self._turn = turn
        self._what = what
        self._seconds = seconds
        self._has_left = has_left
        self._began_at = now = time.monotonic()
        self._look_at, self._rest_at = now + LOOK_EVERY_S, now + SLICE_S

    def __enter__(self) -> Deadline:
        self._turn.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._turn.release()

    def extend(self, seconds: float) -> None:
        """Allow so much time from the begin on."""
        self._seconds = seconds

    def check(self) -> None:
        """Raise Problem (503) if the client has left, or DeadlineExceeded if the time is up."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + LOOK_EVERY_S
            if self._has_left():
                # Nobody reads this answer; it ends the work.
                raise Problem(
                    "unavailable",
                    sentence(
                        "work.client_gone", "{what} was stopped: the client has closed its connection.", what=self._what
                    ),
                )
        if now >= self._began_at + self._seconds:
            raise DeadlineExceeded(
                "unavailable",
                sentence(
                    "work.deadline",
                    "{what} took more than {seconds} s and was stopped. Ask for less, or try again later.",
                    what=self._what,
                    seconds=f"{self._seconds:g}",
                ),
                headers={"Retry-After": str(RETRY_AFTER_S)},
            )
        if now >= self._rest_at:
            self._turn.release()
            time.sleep(REST_S)
            self._turn.acquire()
            self._rest_at = time.monotonic() + SLICE_S


def paced(items: Iterable[T], checkpoint: Checkpoint | None) -> Iterable[T]:
    """The items, with a check between some of them."""
    return items if checkpoint is None else _paced(items, checkpoint)


def _paced(items: Iterable[T], checkpoint: Checkpoint) -> Iterator[T]:
    for number, item in enumerate(items):
        if number % ITEMS == 0:
            checkpoint()
        yield item
