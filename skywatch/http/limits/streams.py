"""How many exports and replays are sent at once: in all, and of each person.

A stream occupies a thread and a database connection for as long as its client reads. The server has a thread for each
of them, and closes clients that read too slowly.
"""

from __future__ import annotations

import time
from typing import Protocol

from skywatch.core.limits import ConcurrencyLimiter, Refused, Turn
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.http.metrics import STREAMS, THROTTLED
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.sentences import sentence

# The key of the environment with the server's connection; other servers than ours have none.
CONNECTION = "skywatch.connection"
RETRY_AFTER_S = 10
# Who breaks off a stream and asks for another at once gets it: the end of the first is noticed at its next piece. So
# long is waited where its client has gone, and where that may not have been noticed yet, by so many threads (s).
WAIT_FOR_END_S, WAIT_FOR_NEWS_S, POLL_S = 3.0, 0.25, 0.05
MAX_WAITING = 2


class Connection(Protocol):
    """What the server is told and asked about a stream."""

    def begin_stream(self) -> None:
        """The thread will be occupied until the client has read nearly all."""

    def end_stream(self) -> None:
        """It is free again."""

    def check_client_disconnected(self) -> bool:
        """Whether the client has closed the connection."""


class Slot:
    """The slot of one stream; released once."""

    def __init__(self, limiter: StreamLimiter, turn: Turn, connection: Connection | None) -> None:
        self.turn, self.connection = turn, connection
        self._limiter = limiter

    def release(self) -> None:
        """Give the slot to others."""
        self._limiter.release(self)


class StreamLimiter:
    """Limits streams by person. Thread-safe."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        # A server without threads for streams must keep some for others.
        without_threads = max(1, min(settings.api_streams, settings.api_threads // 2))
        self._limiters = {True: self._create(settings.api_streams), False: self._create(without_threads)}
        self._slots: dict[Slot, None] = {}

    def _create(self, at_once: int) -> ConcurrencyLimiter:
        return ConcurrencyLimiter("streams", at_once, wait_s=WAIT_FOR_END_S, share=self._share, refusal=_too_many)

    def _share(self, person: str) -> int:
        settings = self._settings
        return settings.api_streams_per_user if person.startswith("user ") else settings.api_streams_per_address

    def acquire(self, request: Request) -> Slot:
        """The slot of a new stream; raises Problem (429)."""
        connection: Connection | None = request.environ.get(CONNECTION)
        turn = self._limiters[connection is not None].enter(request.person)
        self._wait(turn)
        slot = Slot(self, turn, connection)
        self._slots[slot] = None
        STREAMS.set(len(self._slots))
        if connection is not None:
            connection.begin_stream()
        return slot

    def release(self, slot: Slot) -> None:
        """Count one stream less."""
        if slot.connection is not None:
            slot.connection.end_stream()
        del self._slots[slot]
        STREAMS.set(len(self._slots))
        slot.turn.limiter.leave(slot.turn)

    def _wait(self, turn: Turn) -> None:
        """Wait for the end of a stream whose client has gone; raises Problem (429) where none ends."""
        may_wait = turn.limiter.waiting <= min(MAX_WAITING, self._settings.api_threads - 1)
        began = time.monotonic()
        while not turn.is_running:
            own = [slot.connection for slot in list(self._slots) if slot.turn.person == turn.person]
            has_gone = any(connection.check_client_disconnected() for connection in own if connection is not None)
            if not may_wait or time.monotonic() - began >= (WAIT_FOR_END_S if has_gone else WAIT_FOR_NEWS_S):
                turn.limiter.check(turn)
                return
            turn.over.wait(POLL_S)


def stream_limiter(runtime: Runtime) -> StreamLimiter:
    """The limiter of a process that serves the API."""
    return StreamLimiter(runtime.settings.of(HttpSettings))


def _too_many(refused: Refused) -> Problem:
    THROTTLED.labels("streams").inc()
    whom, most = sentence("work.all_users", "all users"), refused.limiter.at_once
    if refused.is_own:
        most = refused.limiter.share(refused.person)
        whom = (
            sentence("work.one_user", "one user")
            if refused.person.startswith("user ")
            else sentence("work.one_network", "callers of one network")
        )
    detail = sentence(
        "work.streams",
        "The limit for {whom} is {most} exports and replays at once. Try again when one has ended.",
        whom=whom,
        most=most,
    )
    return Problem("rate_limited", detail, headers={"Retry-After": str(RETRY_AFTER_S)})
