"""The bus between processes, on Redis: publish/subscribe for events, keys for snapshots and values that expire.

Publishing never waits: a thread takes what is published from a bounded queue. Once a second the same thread writes a
value and publishes a heartbeat, so that a server that is gone, hangs or refuses writes is noticed within seconds.
"""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from skywatch.core.bus.base import OUTAGE, Bus, BusAwayError, BusError, Callback, Message, Subscription
from skywatch.core.bus.packing import pack, unpack
from skywatch.core.bus.publish_queue import PublishQueue
from skywatch.core.bus.redis_errors import describe, is_refusal
from skywatch.core.bus.redis_subscription import RedisSubscription
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.core.reporting.health import State
from skywatch.core.reporting.metrics import BUS_BYTES, BUS_DROPPED

log = logging.getLogger(__name__)
PREFIX = "skywatch:"
# Nobody waits longer for an answer, or for a connection.
SOCKET_TIMEOUT_S = 2.0
HEARTBEAT_S = 1.0
# A heartbeat that takes this long is shown in health.
LATE_S = 4.0
# Pause after a failure.
RETRY_S = 0.5
# A snapshot outlives a restart of its publisher, but not a machine that was off for the night.
SNAPSHOT_TTL_S = 3600
# What is left is sent for so long when the bus is closed, and threads get as long to end (s).
FLUSH_S, JOIN_S = 1.0, 1.0
# What was dropped is shown in health for so long (s).
DROPPED_SHOWN_S = 3.0
# The kernel notices a peer that is gone: asked after 5 s without data, given up after 10 s without an answer.
_KEEPALIVE = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 10_000}


def split_prefix(address: str) -> tuple[str, str]:
    """A Redis URL without the ``prefix`` of its query, and what keys begin with (``?prefix=north`` -> ``north:``)."""
    parts = urlsplit(address)
    query = parse_qsl(parts.query, keep_blank_values=True)
    named = [value for name, value in query if name == "prefix"]
    rest = urlencode([(name, value) for name, value in query if name != "prefix"])
    return urlunsplit(parts._replace(query=rest)), f"{named[-1]}:" if named else PREFIX


def _open_client(url: str, retries: int) -> Any:
    options: dict[str, Any] = {}
    if not url.startswith("unix"):
        options["socket_keepalive"] = True
        options["socket_keepalive_options"] = {
            getattr(socket, name): value for name, value in _KEEPALIVE.items() if hasattr(socket, name)
        }
    return redis.Redis.from_url(
        url,
        socket_timeout=SOCKET_TIMEOUT_S,
        socket_connect_timeout=SOCKET_TIMEOUT_S,
        # A connection that a restart of the server has closed is tried once more, one that hangs is not.
        retry=Retry(NoBackoff(), retries, (redis.ConnectionError,)),
        **options,
    )


class RedisBus(Bus):
    """All keys begin with ``skywatch:``, or with the prefix the address names, so that installations share a server."""

    def __init__(self, address: str) -> None:
        url, self._prefix = split_prefix(address)
        try:
            # redis-py parses the URL lazily enough to fail in several ways; all mean the same here.
            self._client = _open_client(url, 1)
            self._listening = _open_client(url, 0)
            self._client.ping()
        except (redis.RedisError, OSError) as error:
            raise BusAwayError(f"setting bus: {describe(error)}") from None
        except ValueError as error:
            raise BusError(f"setting bus: {describe(error)}") from None
        self._subscriptions: list[RedisSubscription] = []
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
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Messages that were not delivered: the server was away, or the queue was full."""
        return self._lost

    def publish(self, message: Message) -> None:
        self._count_lost(self._queue.put(message))

    def send(self, message: Message) -> bool:
        try:
            self._send([message])
        except (redis.RedisError, OSError) as error:
            self._failed(error)
            self._count_lost(1)
            return False
        return True

    def _send(self, messages: Sequence[Message]) -> None:
        """Raises where a message was not published; a snapshot that was published but not kept is only reported."""
        pipe = self._client.pipeline(transaction=False)
        sets = []
        for message in messages:
            packed = pack(message)
            BUS_BYTES.inc(len(packed))
            if message.snapshot:
                pipe.set(f"{self._prefix}last:{message.topic}", packed, ex=SNAPSHOT_TTL_S)
                sets.append(True)
            pipe.publish(f"{self._prefix}topic:{message.topic}", packed)
            sets.append(False)
        results = pipe.execute(raise_on_error=False)
        for is_set, result in zip(sets, results, strict=True):
            if isinstance(result, Exception):
                if is_set and is_refusal(result):
                    self._failed(result)
                else:
                    raise result

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
            except Exception as error:
                # Whatever it is: this thread ends with the bus and not before.
                self._failed(error)
                self._count_lost(len(messages))
                self._stopping.wait(RETRY_S)

    def _beat(self) -> None:
        """Try what the bus needs: to write a value, and to publish."""
        self._client.publish(self._heartbeat, b"")
        self._answered_at = time.monotonic()
        self._client.set(f"{self._prefix}alive:{self._name}", b"", px=int(10_000 * HEARTBEAT_S))
        self._failure = None
        if not any(subscription.is_interrupted for subscription in self._subscriptions):
            self._faults.succeeded()

    @property
    def _heartbeat(self) -> str:
        return f"{self._prefix}heartbeat:{self._name}"

    def _failed(self, error: Exception) -> None:
        self._failure = error
        if not is_refusal(error):
            # What has died without a word took all connections with it: each would cost its own timeout.
            self._client.connection_pool.disconnect(inuse_connections=False)
        known = isinstance(error, redis.RedisError | OSError)
        self._faults.failed(describe(error) if known else str(error), None if known else error, OUTAGE if known else "")

    def _count_lost(self, messages: int) -> None:
        if messages:
            self._lost += messages
            self._lost_at = time.monotonic()
            BUS_DROPPED.inc(messages)

    def subscribe(
        self, topics: Iterable[str], callback: Callback, on_reconnect: Callable[[], None] | None = None
    ) -> Subscription:
        channels = {f"{self._prefix}topic:{topic}".encode(): topic for topic in topics}
        heartbeat = self._heartbeat.encode()
        wait_s = SOCKET_TIMEOUT_S if self.state().ok else 0.0
        subscription = RedisSubscription(
            self._listening, channels, heartbeat, callback, on_reconnect, wait_s, self._faults
        )
        self._subscriptions.append(subscription)
        return subscription

    def last(self, topic: str) -> Message | None:
        try:
            with self._reachable():
                packed = self._client.get(f"{self._prefix}last:{topic}")
            return unpack(topic, packed) if packed is not None else None
        except (BusError, msgspec.MsgspecError):
            return None

    def put(self, key: str, value: bytes, ttl_s: float) -> None:
        with self._reachable():
            self._client.set(f"{self._prefix}value:{key}", value, px=max(1, int(ttl_s * 1000)))

    def get(self, key: str) -> bytes | None:
        with self._reachable():
            value: bytes | None = self._client.get(f"{self._prefix}value:{key}")
            return value

    def delete(self, key: str) -> None:
        with self._reachable():
            self._client.delete(f"{self._prefix}value:{key}")

    def items(self, prefix: str) -> dict[str, bytes]:
        stem = f"{self._prefix}value:"
        with self._reachable():
            keys = list(self._client.scan_iter(match=_escape(stem + prefix) + "*", count=500))
            values = self._client.mget(keys) if keys else []
        return {
            key.decode().removeprefix(stem): value for key, value in zip(keys, values, strict=True) if value is not None
        }

    def state(self) -> State:
        detail = ""
        silent_s = time.monotonic() - self._answered_at
        interrupted = [s for s in self._subscriptions if s.is_interrupted]
        if not self._thread.is_alive() and not self._stopping.is_set():
            detail = "its thread has ended"
        elif self._failure is not None:
            detail = describe(self._failure)
        elif silent_s > LATE_S:
            detail = "Redis does not answer"
        elif interrupted:
            detail = f"{len(interrupted)} of {len(self._subscriptions)} subscriptions receive nothing"
        elif time.monotonic() - self._lost_at < DROPPED_SHOWN_S:
            detail = f"{self.dropped} messages were dropped since the start, the last of them a moment ago"
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
        self._thread.join(FLUSH_S)
        deadline = time.monotonic() + JOIN_S
        for subscription in self._subscriptions:
            subscription.join(max(0.0, deadline - time.monotonic()))
        self._subscriptions.clear()
        self._client.close()
        self._listening.close()

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        """Turns the client's errors into BusError; while the server is known to be away nobody waits for it."""
        if self._failure is not None and not is_refusal(self._failure):
            raise BusError(f"the bus cannot be used: {describe(self._failure)}")
        try:
            yield
        except (redis.RedisError, OSError) as error:
            if not is_refusal(error):
                self._failed(error)
            raise BusError(f"the bus cannot be used: {describe(error)}") from error


def _escape(pattern: str) -> str:
    return "".join("\\" + c if c in "*?[]\\" else c for c in pattern)
