"""Passwords as Argon2id hashes, and how many threads may hash at a time: a burst of logins must not hold up the rest.

At most half of the API's workers hash or wait to hash, and at most half of the processors hash; requests beyond that,
and those that wait too long, get 503 with ``Retry-After``. Both are divided by person; of a login, which has no
identity yet, that is its network.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from skywatch.core.limits import ConcurrencyLimiter, SlowThreads
from skywatch.core.problems import Problem
from skywatch.sentences import sentence

# OWASP's minimum for Argon2id (19 MiB, two passes, one lane): receivers often run on single-board computers.
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# The hash of random bytes by ``HASHER``, verified where there is no such account: the answer takes as long as for one
# that is there. Written out, since hashing at every start would take as long as a login.
DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$yxee1SYtmWrEn3DZTZ8gtQ$SbB495QFCtfN7P7oHpS1pi+STmaQ8WR+IvmN5ryosj4"
# Each hash takes 19 MiB and a processor for about 30 ms: on two, four at a time would leave nothing for other requests.
MAX_CONCURRENT = 4
WAIT_S = 1.0
RETRY_AFTER_S = 2


class HashingLimiter:
    """Turns at the password hasher, divided by person. Safe to use from any thread."""

    def __init__(self, workers: int) -> None:
        self._local = threading.local()
        self._threads = SlowThreads(1)
        self.limiter = ConcurrencyLimiter(
            "password_hashes",
            1,
            wait_s=WAIT_S,
            threads=self._threads,
            is_short=True,
            refusal=lambda _: _too_many(),
        )
        self.resize(workers)

    def resize(self, workers: int) -> None:
        """Set the number of threads that answer requests; half of them may hash or wait for it."""
        self._threads.places = max(1, workers // 2)
        self.limiter.resize(max(1, min(MAX_CONCURRENT, self._threads.places, _processors() // 2)))

    @property
    def slots(self) -> int:
        """How many threads may hash or wait for it."""
        return self._threads.places

    def check(self, person: str) -> None:
        """Raise Problem (503) where there is no slot: before anything is read for a request that will be refused."""
        with self._threads.lock:
            if not self._has_turn and not self._threads.has_room(person):
                raise _too_many()

    @contextmanager
    def turn(self, person: str = "") -> Iterator[None]:
        """One turn, in which a thread may hash several times; raises Problem (503) where there is none.

        Those for whom no person is named are one.
        """
        if self._has_turn:
            yield
            return
        with self.limiter.turn(person):
            self._local.has_turn = True
            try:
                yield
            finally:
                self._local.has_turn = False

    @property
    def _has_turn(self) -> bool:
        """Whether this thread has a turn already."""
        return getattr(self._local, "has_turn", False)


def _processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _too_many() -> Problem:
    headers = {"Retry-After": str(RETRY_AFTER_S)}
    return Problem(
        "unavailable",
        sentence("accounts.too_many_logins", "Too many logins at once; try again in a moment."),
        headers=headers,
    )


# Of this process; the application sets its size.
hashing = HashingLimiter(workers=2 * MAX_CONCURRENT)


def normalise(password: str) -> str:
    """The form that is hashed: the same keys on another keyboard or system give the same password (RFC 8265)."""
    return unicodedata.normalize("NFC", password)


def hash_password(password: str) -> str:
    """The Argon2id hash; raises Problem (503) where too many are being computed."""
    with hashing.turn():
        return HASHER.hash(normalise(password))


def verify_password(password_hash: str | None, password: str) -> bool:
    """Whether the password is the right one; takes the same time where there is no hash. Raises Problem (503)."""
    with hashing.turn():
        try:
            HASHER.verify(password_hash or DUMMY_HASH, normalise(password))
        except (Argon2Error, InvalidHashError):
            return False
    return bool(password_hash)


def needs_rehash(password_hash: str) -> bool:
    """Whether the hash was made with weaker parameters than today's."""
    return HASHER.check_needs_rehash(password_hash)
