"""How many exports and replays are sent at once: for each user, each client network without an identity, and in all.

A stream occupies a thread and a database connection for as long as its client reads. The server starts a thread in its
slot and closes clients that read too slowly.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from typing import Any, Protocol

from pyramid.config import Configurator

from skywatch.core.network.addresses import client_network
from skywatch.core.problems import Problem
from skywatch.http.metrics import STREAMS, THROTTLED
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings

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
        """The thread will be occupied until the client has read nearly all; raises RuntimeError without another."""

    def end_stream(self) -> None:
        """It is free again."""

    def check_client_disconnected(self) -> bool:
        """Whether the client has closed the connection."""


class Slot:
    """The slot of one stream; released once."""

    def __init__(self, limiter: StreamLimiter, holder: Hashable, connection: Connection | None) -> None:
        self.holder, self.connection = holder, connection
        self._limiter = limiter

    def release(self) -> None:
        """Give the slot to others."""
        self._limiter.release(self)


class StreamLimiter:
    """Counts streams by holder. Thread-safe."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._slots: list[Slot] = []
        self._waiting = 0

    def acquire(self, request: Request) -> Slot:
        """The slot of a new stream; raises Problem (429, or 503 where no thread can be started in its slot)."""
        settings, identity = self._settings, request.identity
        connection: Connection | None = request.environ.get(CONNECTION)
        # A server that starts no thread for it must keep some for others.
        limit = settings.api_streams if connection is not None else min(settings.api_streams, settings.api_threads // 2)
        holder: Hashable
        if identity is not None:
            holder, most, whom = identity.user_id, settings.api_streams_per_user, "one user"
        else:
            holder, most = client_network(request.client_address), settings.api_streams_per_address
            whom = "one address without credentials"
        with self._changed:
            self._wait_for_end(holder, most)
            if len(self._of(holder)) >= most:
                raise _too_many(f"The limit for {whom} is {most} exports and replays at once.")
            if len(self._slots) >= max(1, limit):
                raise _too_many(f"The limit for all users is {max(1, limit)} exports and replays at once.")
            slot = Slot(self, holder, connection)
            self._slots.append(slot)
            STREAMS.set(len(self._slots))
        if connection is not None:
            try:
                connection.begin_stream()
            except RuntimeError:
                self._free(slot)
                raise Problem(
                    "unavailable",
                    "The service has no thread for another export or replay. Try again in a moment.",
                    headers={"Retry-After": str(RETRY_AFTER_S)},
                ) from None
        return slot

    def release(self, slot: Slot) -> None:
        """Count one stream less."""
        self._free(slot)
        if slot.connection is not None:
            slot.connection.end_stream()

    def _free(self, slot: Slot) -> None:
        with self._changed:
            self._slots.remove(slot)
            STREAMS.set(len(self._slots))
            self._changed.notify_all()

    def _of(self, holder: Hashable) -> list[Slot]:
        return [slot for slot in self._slots if slot.holder == holder]

    def _wait_for_end(self, holder: Hashable, most: int) -> None:
        """Wait for the end of a stream whose client has gone, where the holder has as many as allowed."""
        began = time.monotonic()
        if len(self._of(holder)) < most or self._waiting >= min(MAX_WAITING, self._settings.api_threads - 1):
            return
        self._waiting += 1
        try:
            while len(slots := self._of(holder)) >= most:
                connections = [slot.connection for slot in slots if slot.connection is not None]
                has_gone = any(connection.check_client_disconnected() for connection in connections)
                if time.monotonic() - began >= (WAIT_FOR_END_S if has_gone else WAIT_FOR_NEWS_S):
                    return
                self._changed.wait(POLL_S)
        finally:
            self._waiting -= 1


def stream_limiter(registry: Any) -> StreamLimiter:
    """The one of the application."""
    limiter: StreamLimiter = registry["stream_limiter"]
    return limiter


def _too_many(detail: str) -> Problem:
    THROTTLED.labels("streams").inc()
    return Problem(
        "rate_limited", f"{detail} Try again when one has ended.", headers={"Retry-After": str(RETRY_AFTER_S)}
    )


def includeme(config: Configurator) -> None:
    config.registry["stream_limiter"] = StreamLimiter(config.registry["runtime"].settings.of(HttpSettings))
