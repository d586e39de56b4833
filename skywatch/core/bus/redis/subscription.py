"""One subscription on Redis: a connection and a thread that notice when nothing arrives any more.

The bus publishes a heartbeat every second on a channel of this process. A connection on which nothing arrives for five
seconds is given up, whatever the network says of it, and a new one made. Time in which this process was frozen does not
count: it published no heartbeats.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
import redis

from skywatch.core.bus.base import OUTAGE, Callback
from skywatch.core.bus.message_codec import UnknownVersion, unpack
from skywatch.core.bus.queued import ServerSubscription
from skywatch.core.bus.redis.errors import describe
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
POLL_S = 0.2
RETRY_FIRST_S, RETRY_LAST_S = 0.25, 4.0
# Heartbeats come every second; so many are missed before a connection is given up.
SILENT_AFTER_S = 5.0


class RedisSubscription(ServerSubscription):
    """One thread and one connection a subscription; there are a handful in a process."""

    def __init__(
        self,
        client: Any,
        channels: dict[bytes, str],
        heartbeat: bytes,
        callback: Callback,
        on_reconnect: Callable[[], None] | None,
        wait_s: float,
        faults: FaultLog,
        master: Callable[[], object] = lambda: None,
    ) -> None:
        self._client = client
        # The address of the master; a subscription to a former one is given up.
        self._master = master
        self._channels = channels
        self._heartbeat = heartbeat
        self._callback = callback
        self._on_reconnect = on_reconnect
        self._stop = threading.Event()
        self._subscribed = threading.Event()
        # Held while a callback runs, so that none begins after ``close``; a callback may close its own subscription.
        self._calling = threading.RLock()
        topics = ", ".join(sorted(channels.values())[:3]) + (", ..." if len(channels) > 3 else "")
        # That of the bus: what ends all subscriptions is logged once.
        self._faults = faults
        self._callback_faults = FaultLog(log, f"a subscriber of {topics} failed", f"the subscriber of {topics} works")
        self.reconnects = 0
        self._thread = threading.Thread(target=self._run, name="bus-redis", daemon=True)
        self._thread.start()
        self._subscribed.wait(wait_s)

    @property
    def is_interrupted(self) -> bool:
        """Whether messages are missed at this moment."""
        return not self._stop.is_set() and (not self._subscribed.is_set() or not self._thread.is_alive())

    def close(self) -> None:
        with self._calling:
            self._stop.set()

    def join(self, within_s: float) -> None:
        """Wait for the thread to end; it does so soon after ``close``."""
        if threading.current_thread() is not self._thread:
            self._thread.join(within_s)

    def _run(self) -> None:
        pause_s, is_first = RETRY_FIRST_S, True
        while not self._stop.is_set():
            pubsub = self._client.pubsub(ignore_subscribe_messages=False)
            try:
                self._listen(pubsub, is_first)
            except Exception as error:
                # Whatever it is: this thread ends with the subscription and not before.
                is_outage = isinstance(error, redis.RedisError | OSError)
                self._faults.failed(
                    f"nothing arrives: {describe(error)}", None if is_outage else error, OUTAGE if is_outage else ""
                )
            finally:
                _discard(pubsub)
            if self._subscribed.is_set():
                # It had worked until now.
                pause_s, is_first = RETRY_FIRST_S, False
                self._subscribed.clear()
            self._stop.wait(pause_s)
            pause_s = min(pause_s * 2, RETRY_LAST_S)

    def _listen(self, pubsub: Any, is_first: bool) -> None:
        pubsub.subscribe(self._heartbeat, *self._channels)
        confirmed, master = 0, self._master()
        silent_s, looked_at = 0.0, time.monotonic()
        while not self._stop.is_set():
            received = pubsub.get_message(timeout=POLL_S)
            if self._master() != master:
                raise redis.ConnectionError("another server is the master")
            before, looked_at = looked_at, time.monotonic()
            if received is None:
                # The heartbeats are this process's own: while it was frozen itself there were none.
                silent_s += min(looked_at - before, 2 * POLL_S)
                if silent_s > SILENT_AFTER_S:
                    raise TimeoutError
                continue
            silent_s = 0.0
            if received["type"] == "message":
                if received["channel"] != self._heartbeat:
                    self._deliver(received)
            elif received["type"] == "subscribe":
                confirmed += 1
                if confirmed == 1 + len(self._channels):
                    self._subscribed.set()
                    if not is_first:
                        self.reconnects += 1
                        if self._on_reconnect is not None:
                            self._call(self._on_reconnect)

    def _deliver(self, received: dict[str, bytes]) -> None:
        try:
            message = unpack(self._channels[received["channel"]], received["data"])
        except (msgspec.MsgspecError, KeyError) as error:
            if isinstance(error, UnknownVersion):
                self.note_unreadable(error)
            self._callback_faults.failed(f"what was received is not a message: {error}")
            return
        self._call(lambda: self._callback(message))

    def _call(self, callback: Callable[[], None]) -> None:
        with self._calling:
            if self._stop.is_set():
                return
            try:
                callback()
                self._callback_faults.succeeded()
            except Exception as error:
                self._callback_faults.failed(f"{type(error).__name__}: {error}", error)


def _discard(pubsub: Any) -> None:
    try:
        pubsub.close()
    except Exception:
        log.debug("a connection that failed could not be closed", exc_info=True)
