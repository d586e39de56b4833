"""``QueuedBus``: what every bus with a server has in common.

Publishing never waits: a thread takes what is published from a bounded queue. Once a second the same thread tries what
the bus needs, so that a server that is gone, hangs or refuses writes is noticed within seconds.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from skywatch.core.bus.base import OUTAGE, Bus, BusError, Message, Subscription
from skywatch.core.bus.publish_queue import PublishQueue
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.core.telemetry.metrics import BUS_DROPPED
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
HEARTBEAT_S = 1.0
# A heartbeat that takes this long is shown in health.
LATE_S = 4.0
# Pause after a failure.
RETRY_S = 0.5
# What is left is sent for so long when the bus is closed, and threads get as long to end (s).
FLUSH_S, JOIN_S = 1.0, 1.0
# What was dropped is shown in health for so long (s), and what could not be read.
DROPPED_SHOWN_S, UNREADABLE_SHOWN_S = 3.0, 60.0


class ServerSubscription(Subscription):
    """A subscription with a thread of its own."""

    reconnects = 0
    # The last message of a release that this one cannot read: what to say of it, and when it came (monotonic s).
    unreadable = ""
    unreadable_at = float("-inf")

    def note_unreadable(self, error: Exception) -> None:
        """Show in health that a process of another release speaks on this bus."""
        self.unreadable, self.unreadable_at = str(error), time.monotonic()

    @property
    @abstractmethod
    def is_interrupted(self) -> bool:
        """Whether messages are missed at this moment."""

    @abstractmethod
    def join(self, within_s: float) -> None:
        """Wait for the thread to end; it does so soon after ``close``."""


class QueuedBus(Bus):
    """A subclass connects, then calls ``_begin``; ``errors`` are what its client raises for a server that is away."""

    server: ClassVar[str]
    errors: ClassVar[tuple[type[Exception], ...]]

    def __init__(self) -> None:
        self._subscriptions: list[ServerSubscription] = []
        self._queue = PublishQueue()
        self._lost = 0
        self._lost_at = float("-inf")
        self._name = secrets.token_hex(8)
        self._stopping = threading.Event()
        # The failure of the last exchange with the server, and when one succeeded (monotonic s).
        self._failure: Exception | None = None
        self._answered_at = time.monotonic()
        self._faults = FaultLog(log, "the bus cannot be used", "the bus can be used again")
        self._thread = threading.Thread(target=self._run, name="bus-publisher", daemon=True)

    @abstractmethod
    def _send(self, messages: Sequence[Message]) -> None:
        """Raises where a message was not published; a snapshot that was published but not stored is only reported."""

    @abstractmethod
    def _beat(self) -> None:
        """Try what the bus needs; sets ``_answered_at`` where the server answers."""

    @abstractmethod
    def _describe(self, error: BaseException) -> str:
        """One line without secrets."""

    @abstractmethod
    def _is_refusal(self, error: BaseException) -> bool:
        """Whether the server has answered, with a refusal."""

    def _disconnect(self) -> None:
        """Give up connections that a silent server may have taken with it."""

    @property
    def dropped(self) -> int:
        """Messages that were not delivered: the server was away, or the queue was full."""
        return self._lost

    def publish(self, message: Message) -> None:
        self._count_lost(self._queue.put(message))

    def send(self, message: Message) -> bool:
        try:
            self._send([message])
        except self.errors as error:
            self._failed(error)
            self._count_lost(1)
            return False
        return True

    def _begin(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        beat_at = 0.0
        while not self._stopping.is_set() or self._queue:
            messages = self._queue.take(0.0 if self._stopping.is_set() else HEARTBEAT_S / 2)
            try:
                if messages:
                    self._send(messages)
                    messages = []
                if time.monotonic() - beat_at >= HEARTBEAT_S:
                    beat_at = time.monotonic()
                    self._beat()
                    self._failure = None
                    if not any(subscription.is_interrupted for subscription in self._subscriptions):
                        self._faults.succeeded()
            except Exception as error:
                # Whatever it is: this thread ends with the bus and not before.
                self._failed(error)
                self._count_lost(len(messages))
                self._stopping.wait(RETRY_S)

    def _failed(self, error: Exception) -> None:
        self._failure = error
        if not self._is_refusal(error):
            # What has died without a word took all connections with it: each would cost its own timeout.
            self._disconnect()
        is_expected = isinstance(error, self.errors)
        self._faults.failed(
            self._describe(error) if is_expected else str(error),
            None if is_expected else error,
            OUTAGE if is_expected else "",
        )

    def _count_lost(self, messages: int) -> None:
        if messages:
            self._lost += messages
            self._lost_at = time.monotonic()
            BUS_DROPPED.inc(messages)

    def state(self) -> State:
        detail = ""
        interrupted = [s for s in self._subscriptions if s.is_interrupted]
        if not self._thread.is_alive() and not self._stopping.is_set():
            detail = sentence("health.thread_ended", "its thread has ended")
        elif self._failure is not None:
            detail = self._describe(self._failure)
        elif time.monotonic() - self._answered_at > LATE_S:
            detail = sentence("health.server_silent", "{server} does not answer", server=self.server)
        elif interrupted:
            detail = sentence(
                "health.subscriptions_interrupted",
                "{down} of {count} subscriptions receive nothing",
                down=len(interrupted),
                count=len(self._subscriptions),
            )
        elif time.monotonic() - self._lost_at < DROPPED_SHOWN_S:
            detail = sentence(
                "health.messages_dropped",
                "{count} messages were dropped since the start, the last of them a moment ago",
                count=self.dropped,
            )
        else:
            recent = [s for s in self._subscriptions if time.monotonic() - s.unreadable_at < UNREADABLE_SHOWN_S]
            detail = recent[0].unreadable if recent else ""
        figures = {
            "dropped": float(self.dropped),
            "waiting": float(len(self._queue)),
            "reconnects": float(sum(s.reconnects for s in self._subscriptions)),
        }
        return State(not detail, detail, figures)

    def healthy(self) -> bool:
        return self._failure is None and time.monotonic() - self._answered_at <= LATE_S

    def close(self) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(FLUSH_S)
        deadline = time.monotonic() + JOIN_S
        for subscription in self._subscriptions:
            subscription.join(max(0.0, deadline - time.monotonic()))
        self._subscriptions.clear()

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        """Turns the client's errors into BusError; while the server is known to be away nobody waits for it."""
        if self._failure is not None and not self._is_refusal(self._failure):
            raise BusError(f"the bus cannot be used: {self._describe(self._failure)}")
        try:
            yield
        except self.errors as error:
            if not self._is_refusal(error):
                self._failed(error)
            raise BusError(f"the bus cannot be used: {self._describe(error)}") from error
