"""Limits of what people share: at most so many at once, and at most so many a second or so many bytes.

What is shared is divided by *person*, a text such as ``user 7`` or ``network 192.0.2.0/24``
(``skywatch.security.identity.person_of``). One person has at most half of it while others wait; what is urgent goes
first; waiting and refusals are counted (``state`` for health, ``skywatch_limit_*`` for metrics).

* ``CountLimit`` is at most so many (connections, bytes) at once of each key and in all; beyond is refused.
* ``ConcurrencyLimiter`` is at most so many at once in the threads of requests; others wait. ``FairSlots`` is the same
  for tasks and threads of one's own, and ``FairQueue`` the order in which both are given to those who wait.
* ``RateLimit`` is at most so many a second of one thing, ``RateLimits`` of each person.

All of them count in this process. What an installation counts together is elsewhere: requests and passwords by
``http.limits.limiter`` (Redis or messages between processes, windows that clients see), queries of the archive by locks
that end with their process (``archive.reader.query_limits``), rows of a user by the database.
"""

from __future__ import annotations

import itertools
import math
import sys
import threading
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from skywatch.core.network.addresses import SITE_FACTOR, ipv6_site
from skywatch.core.telemetry.health import State
from skywatch.core.telemetry.metrics import LATENCY_S, counter, gauge, histogram
from skywatch.sentences import sentence

T = TypeVar("T")

LIMIT_WAITING = gauge("skywatch_limit_waiting", "Waiting for a turn at what people share", "limit")
LIMIT_REFUSED = counter("skywatch_limit_refused_total", "Refused because others, or they themselves, had it", "limit")
LIMIT_WAIT_SECONDS = histogram(
    "skywatch_limit_wait_duration_seconds",
    "Time that was waited for a turn at what people share",
    "limit",
    buckets=(*LATENCY_S, 30.0),
)


# What is urgent goes first, but for every tenth turn: urgent ones without end let others move on.
URGENT_IN_A_ROW = 9

# The limits of this process, for health.
_limits: weakref.WeakSet[Counted] = weakref.WeakSet()


class Counted(Protocol):
    """A limit as health sees it: how many wait for it now, and how many were refused since the start."""

    name: str
    refused: int

    @property
    def waiting(self) -> int:
        """How many wait now."""


def state() -> State:
    """For health: who waits in this process for what people share, and who was refused."""
    waiting, refused = Counter[str](), Counter[str]()
    for limit in list(_limits):
        waiting[limit.name] += limit.waiting
        refused[limit.name] += limit.refused
    detail = sentence(
        "health.limit",
        "{waiting} waiting, {refused} refused since the start",
        waiting=waiting.total(),
        refused=refused.total(),
    )
    figures = {f"{name}_waiting": float(count) for name, count in sorted(waiting.items())}
    figures |= {f"{name}_refused": float(count) for name, count in sorted(refused.items())}
    return State(True, detail if waiting.total() or refused.total() else "", figures)


class CountLimit:
    """At most ``each`` at once of each key, and ``total`` of all. Used by one thread at a time.

    ``of_sites``: keys are networks of clients (``client_network``). An IPv6 client has a /64 and counts as one network;
    a site may have a /48 of 65,536 of them, so that it has a limit of its own: ``SITE_FACTOR`` times as much as one
    network, and at most half of ``total``.
    """

    def __init__(self, each: int, total: float = math.inf, *, of_sites: bool = False) -> None:
        self._each, self._total = each, total
        self._of_site = max(each, min(SITE_FACTOR * each, total / 2)) if of_sites else 0
        self._counts: dict[Hashable, int] = {}
        self.in_use = 0
        """How many all keys have."""

    def count(self, key: Hashable) -> int:
        """How many a key has."""
        return self._counts.get(key, 0)

    def take(self, key: Hashable, count: int = 1, *, may_exceed: bool = False) -> bool:
        """Count so many more; False, uncounted, beyond a limit. With ``may_exceed`` that is not ``each``."""
        counts = self._counts
        of_key, in_use = counts.get(key, 0) + count, self.in_use + count
        if (of_key > self._each and not may_exceed) or in_use > self._total:
            return False
        site = self._site_of(key)
        if site:
            of_site = counts.get(site, 0) + count
            if of_site > self._of_site:
                return False
            counts[site] = of_site
        counts[key], self.in_use = of_key, in_use
        return True

    def release(self, key: Hashable, count: int = 1) -> None:
        """Count so many less."""
        self.in_use -= count
        for name in (key, self._site_of(key)):
            left = self._counts.get(name, 0) - count
            if left > 0:
                self._counts[name] = left
            else:
                self._counts.pop(name, None)

    def _site_of(self, key: Hashable) -> str:
        return ipv6_site(key) if self._of_site and isinstance(key, str) else ""


class RateLimit:
    """A token bucket: ``rate`` a second on average, ``burst`` at once (twice the rate). Times are monotonic seconds."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float | None = None) -> None:
        self._rate = rate
        self._burst = 2 * rate if burst is None else burst
        self._tokens = self._burst
        self._at: float | None = None

    @property
    def rate(self) -> float:
        """Events a second."""
        return self._rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._rate, self._burst = rate, 2 * rate
        self._tokens = min(self._burst, self._tokens)

    def take(self, now: float) -> bool:
        """Count one event; False where it exceeds the rate."""
        self._refill(now)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def take_up_to(self, count: int, now: float) -> int:
        """Count as many of these events as keep the rate; how many."""
        self._refill(now)
        taken = min(count, max(0, int(self._tokens)))
        self._tokens -= taken
        return taken

    def spend(self, count: float, now: float) -> float:
        """Count events that have happened already; the seconds to wait until the rate is kept."""
        self._refill(now)
        self._tokens -= count
        return max(0.0, -self._tokens / self._rate)

    def is_full(self, now: float) -> bool:
        """Whether nothing of the burst is in use."""
        self._refill(now)
        return self._tokens >= self._burst

    def _refill(self, now: float) -> None:
        if self._at is not None:
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now


class RateLimits:
    """A ``RateLimit`` for each person. Used by one thread; whoever uses it sets ``waiting`` and counts refusals."""

    def __init__(self, name: str, rate: float, burst: float) -> None:
        self.name = name
        self.waiting = self.refused = 0
        self._rate, self._burst = rate, burst
        self._limits: dict[str, RateLimit] = {}
        self._sweep_above = 1024
        _limits.add(self)

    def refuse(self) -> None:
        """Count a refusal."""
        self.refused += 1
        LIMIT_REFUSED.labels(self.name).inc()

    def set_waiting(self, waiting: int) -> None:
        """Set how many wait."""
        LIMIT_WAITING.labels(self.name).inc(waiting - self.waiting)
        self.waiting = waiting

    def spend(self, person: str, count: float, now: float) -> float:
        """Count what a person had, or nothing; the seconds until the rate is kept again."""
        limit = self._limits.get(person)
        if limit is None:
            if len(self._limits) >= self._sweep_above:
                self._limits = {name: one for name, one in self._limits.items() if not one.is_full(now)}
                self._sweep_above = max(1024, 2 * len(self._limits))
            limit = self._limits[person] = RateLimit(self._rate, self._burst)
        return limit.spend(count, now)


@dataclass
class _Line(Generic[T]):
    """What one person waits for; ``since`` is when it began, or when the person had a turn last."""

    since: int
    urgent: deque[T] = field(default_factory=deque)
    other: deque[T] = field(default_factory=deque)


class FairQueue(Generic[T]):
    """What waits for something that people share, by person. Used by one thread at a time."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line[T]] = {}
        self._numbers = itertools.count()
        self._in_a_row = 0
        """How many urgent ones have gone before others."""

    def __len__(self) -> int:
        return sum(len(line.urgent) + len(line.other) for line in self._lines.values())

    def put(self, person: str, item: T, *, urgent: bool = False) -> None:
        """Put an item behind those of the same person."""
        line = self._lines.get(person)
        if line is None:
            line = self._lines[person] = _Line(next(self._numbers))
        (line.urgent if urgent else line.other).append(item)

    def remove(self, person: str, item: T) -> None:
        """Take an item out that does not wait any more; nothing where it is not there."""
        line = self._lines.get(person)
        for items in (line.urgent, line.other) if line is not None else ():
            if item in items:
                items.remove(item)
        self._drop_empty(person)

    def take(self, most: int, held: Counter[str] | None = None, limit: Callable[[str], int] | None = None) -> list[T]:
        """Take up to ``most`` items out, of all persons by turns.

        A person who has half of ``most`` (rounded up) comes after all others who wait. Before that what is urgent comes
        first (after ``URGENT_IN_A_ROW`` of them something else), then whoever has least, then whoever waits longest.
        ``held`` is what persons have of it already, and with it after this; a person gets no more than ``limit`` of it.
        """
        has = Counter[str]() if held is None else held
        half = (most + 1) // 2
        taken: list[T] = []
        while len(taken) < most:
            passes_over = self._in_a_row >= URGENT_IN_A_ROW
            waiting = [
                (
                    has[person] >= half,
                    not (line.other if passes_over else line.urgent),
                    has[person],
                    line.since,
                    person,
                )
                for person, line in self._lines.items()
                if limit is None or has[person] < limit(person)
            ]
            if not waiting:
                break
            person = min(waiting)[-1]
            line = self._lines[person]
            is_urgent = bool(line.urgent) and not (passes_over and line.other)
            self._in_a_row = self._in_a_row + 1 if is_urgent else 0
            taken.append((line.urgent if is_urgent else line.other).popleft())
            has[person] += 1
            line.since = next(self._numbers)
            self._drop_empty(person)
        return taken

    def had_turn(self, person: str) -> None:
        """Put a person behind the others who wait now: a turn of theirs has just ended."""
        if person in self._lines:
            self._lines[person].since = next(self._numbers)

    def _drop_empty(self, person: str) -> None:
        line = self._lines.get(person)
        if line is not None and not line.urgent and not line.other:
            del self._lines[person]


class FairSlots(Generic[T]):
    """``at_once`` slots, of one person at most ``share(person)``; items wait until there is one.

    Used by one thread at a time.
    """

    def __init__(self, at_once: int, share: Callable[[str], int]) -> None:
        self.at_once = at_once
        self._share = share
        self._taken: Counter[str] = Counter()
        self._queue: FairQueue[T] = FairQueue()

    @property
    def taken(self) -> int:
        """How many slots are taken."""
        return self._taken.total()

    @property
    def waiting(self) -> int:
        """How many items wait."""
        return len(self._queue)

    def is_full(self, person: str) -> bool:
        """Whether a person has their share."""
        return self._taken[person] >= self._share(person)

    def put(self, person: str, item: T) -> None:
        """Let an item wait."""
        self._queue.put(person, item)

    def remove(self, person: str, item: T) -> None:
        """Take an item out that does not wait any more; nothing where it is not there."""
        self._queue.remove(person, item)

    def clear(self) -> None:
        """Let nothing wait any more."""
        self._queue = FairQueue()

    def has_room(self, person: str) -> bool:
        """Whether there is a slot for a person now."""
        return self.taken < self.at_once and not self.is_full(person)

    def enter(self, person: str) -> None:
        """Take a slot without waiting."""
        self._taken[person] += 1

    def begin(self) -> list[T]:
        """Take a slot for each of those that may begin now; each is given back by ``leave``."""
        free = self.at_once - self.taken
        return self._queue.take(free, self._taken, self._share) if free > 0 else []

    def leave(self, person: str) -> None:
        """Give a slot back; who had it comes behind the others who wait now."""
        self._taken[person] -= 1
        if not self._taken[person]:
            del self._taken[person]
        self._queue.had_turn(person)


class Refused(Exception):
    """There is no turn of ``limiter``; ``is_own``: because of what the same person has running or waiting."""

    def __init__(self, limiter: ConcurrencyLimiter, person: str, *, is_own: bool) -> None:
        super().__init__("there is no turn")
        self.limiter, self.person, self.is_own = limiter, person, is_own


@dataclass(eq=False)
class Turn:
    """A turn that runs, or that waits to; ``over`` is set when it waits no longer."""

    person: str
    limiter: ConcurrencyLimiter
    since: float
    is_running: bool = False
    over: threading.Event = field(default_factory=threading.Event)


class SlowThreads:
    """The threads of one process that may be occupied by slow work, running or waiting, of several limiters.

    The others stay free for what is answered at once. Where all are occupied, a newcomer takes the place of the last
    comer of whoever has most of them waiting, if that one has at least two more than the newcomer.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self.lock = threading.Lock()
        self._turns: dict[Turn, None] = {}

    @classmethod
    def of_all(cls, threads: int) -> SlowThreads:
        """Create it for all threads that answer requests: a quarter, at least one of several, stays free."""
        return cls(max(1, threads - max(1, threads // 4)))

    def has_room(self, person: str) -> bool:
        """Whether one more of a person may enter, perhaps in the place of another turn."""
        return len(self._turns) < self.places or self._last_of_most(person) is not None

    def make_room(self, person: str) -> bool:
        """The same; the turn whose place is taken is refused."""
        if len(self._turns) >= self.places:
            last = self._last_of_most(person)
            if last is None:
                return False
            last.limiter.displace(last)
        return True

    def _last_of_most(self, person: str) -> Turn | None:
        """The last turn that waits of whoever has most, if that is at least two more than a person has."""
        occupied = Counter(turn.person for turn in self._turns)
        waiting = [turn for turn in self._turns if not turn.is_running and occupied[turn.person] > occupied[person] + 1]
        most = max((occupied[turn.person] for turn in waiting), default=0)
        return next((turn for turn in reversed(waiting) if occupied[turn.person] == most), None)

    def enter(self, turn: Turn) -> None:
        """Count a turn."""
        self._turns[turn] = None

    def leave(self, turn: Turn) -> None:
        """Count it no more; nothing where it has left."""
        self._turns.pop(turn, None)


class ConcurrencyLimiter:
    """At most ``at_once`` turns run at once, of one person at most half of them (with ``share``, at most that).

    With ``is_short`` one person may have all while nobody else waits: the next to end makes room.

    Others wait for up to ``wait_s`` (0: they are refused): whoever has least running goes first, then whoever came
    first. ``refusal`` makes what is raised where there is no turn. ``name`` is that of figures and metrics; ``threads``
    are those that slow work may occupy. Thread-safe; ``enter`` and ``leave`` never block.
    """

    def __init__(
        self,
        name: str,
        at_once: int,
        *,
        wait_s: float,
        threads: SlowThreads | None = None,
        share: Callable[[str], int] | None = None,
        is_short: bool = False,
        refusal: Callable[[Refused], Exception] = lambda refused: refused,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.wait_s = wait_s
        self._threads = threads or SlowThreads(sys.maxsize)
        self._clock = clock
        self._slots: FairSlots[Turn] = FairSlots(at_once, self.share)
        self.refused = 0
        self._share = share
        self._is_short = is_short
        self._refusal = refusal
        _limits.add(self)

    @property
    def at_once(self) -> int:
        """How many turns run at once."""
        return self._slots.at_once

    def resize(self, at_once: int) -> None:
        """Set how many turns run at once."""
        self._slots.at_once = at_once

    def share(self, person: str) -> int:
        """How many turns one person may have at once."""
        most = self.at_once if self._is_short else max(1, self.at_once // 2)
        return most if self._share is None else max(1, min(most, self._share(person)))

    @property
    def running(self) -> int:
        """How many turns run now."""
        return self._slots.taken

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return self._slots.waiting

    @contextmanager
    def turn(self, person: str, wait_s: float | None = None) -> Iterator[None]:
        """One turn; raises the refusal where there is none in time (``wait_s`` of the limiter, if it is not given)."""
        turn = self.enter(person)
        try:
            if not turn.is_running:
                turn.over.wait(self.wait_s if wait_s is None else wait_s)
                self.check(turn)
            yield
        finally:
            self.leave(turn)

    def enter(self, person: str) -> Turn:
        """A turn that runs, or waits until its ``over`` is set; raises the refusal."""
        with self._threads.lock:
            turn = Turn(person, self, self._clock())
            may_run = self._slots.has_room(person)
            if (not may_run and not self.wait_s) or not self._threads.make_room(person):
                raise self._refuse(turn)
            self._threads.enter(turn)
            if may_run:
                self._slots.enter(person)
                self._run(turn)
            else:
                self._slots.put(person, turn)
                LIMIT_WAITING.labels(self.name).inc()
        return turn

    def check(self, turn: Turn) -> None:
        """Raise the refusal where a turn does not run by now; it waits no longer."""
        with self._threads.lock:
            if not turn.is_running:
                self._stop_waiting(turn)
                self._threads.leave(turn)
                raise self._refuse(turn)

    def leave(self, turn: Turn) -> None:
        """End a turn, and let those run who wait for it. Safe to call twice."""
        with self._threads.lock:
            self._stop_waiting(turn)
            self._threads.leave(turn)
            if turn.is_running:
                turn.is_running = False
                self._slots.leave(turn.person)
            for waiting in self._slots.begin():
                LIMIT_WAITING.labels(self.name).dec()
                self._run(waiting)

    def displace(self, turn: Turn) -> None:
        """Refuse a turn that waits; called with the lock of the threads."""
        self._stop_waiting(turn)
        self._threads.leave(turn)

    def _run(self, turn: Turn) -> None:
        turn.is_running = True
        turn.over.set()
        LIMIT_WAIT_SECONDS.labels(self.name).observe(self._clock() - turn.since)

    def _stop_waiting(self, turn: Turn) -> None:
        if not turn.over.is_set():
            turn.over.set()
            self._slots.remove(turn.person, turn)
            LIMIT_WAITING.labels(self.name).dec()

    def _refuse(self, turn: Turn) -> Exception:
        self.refused += 1
        LIMIT_REFUSED.labels(self.name).inc()
        return self._refusal(Refused(self, turn.person, is_own=self._slots.is_full(turn.person)))
