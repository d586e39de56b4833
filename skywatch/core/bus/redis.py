"""The bus between processes, on Redis: publish/subscribe for events, keys for snapshots and values that expire.

A lost connection is retried with growing pauses; subscribers hear of the gap.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec
import redis

from skywatch.core.bus.base import Bus, BusError, Callback, Message, Subscription
from skywatch.core.bus.packing import pack, unpack

log = logging.getLogger(__name__)
PREFIX = "skywatch:"
# A publisher must never hang on a dead server: the live picture goes on without it.
SOCKET_TIMEOUT_S = 2.0
POLL_S = 0.2
RETRY_FIRST_S, RETRY_LAST_S = 0.25, 5.0
# A snapshot outlives a restart of its publisher, but not a machine that was off for the night.
SNAPSHOT_TTL_S = 3600


class _RedisSubscription(Subscription):
    """One thread and one connection a subscription; there are a handful in a process."""

    def __init__(
        self,
        client: Any,
        prefix: str,
        topics: frozenset[str],
        callback: Callback,
        on_reconnect: Callable[[], None] | None,
    ) -> None:
        self._client = client
        self._channels = {f"{prefix}topic:{topic}".encode(): topic for topic in topics}
        self._callback = callback
        self._on_reconnect = on_reconnect
        self._stop = threading.Event()
        self._subscribed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="bus-redis", daemon=True)
        self._thread.start()
        self._subscribed.wait(SOCKET_TIMEOUT_S)

    def _run(self) -> None:
        pause, interrupted = RETRY_FIRST_S, False
        while not self._stop.is_set():
            pubsub = self._client.pubsub(ignore_subscribe_messages=False)
            try:
                pubsub.subscribe(*self._channels)
                confirmed = 0
                while not self._stop.is_set():
                    received = pubsub.get_message(timeout=POLL_S)
                    if received is None:
                        continue
                    if received["type"] == "subscribe":
                        confirmed += 1
                        if confirmed == len(self._channels):
                            pause = RETRY_FIRST_S
                            self._subscribed.set()
                            if interrupted and self._on_reconnect is not None:
                                self._call(self._on_reconnect)
                            interrupted = False
                    elif received["type"] == "message":
                        self._deliver(received)
            except (redis.RedisError, OSError) as error:
                if not interrupted:
                    log.warning("the bus lost its connection to Redis: %s", error)
                interrupted = True
                self._stop.wait(pause)
                pause = min(pause * 2, RETRY_LAST_S)
            finally:
                try:
                    pubsub.close()
                except (redis.RedisError, OSError):
                    pass

    def _deliver(self, received: dict[str, bytes]) -> None:
        try:
            message = unpack(self._channels[received["channel"]], received["data"])
        except (msgspec.MsgspecError, KeyError) as error:
            log.warning("the bus received something that is not a message: %s", error)
            return
        self._call(lambda: self._callback(message))

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except Exception:
            log.exception("a subscriber of the bus failed")

    def close(self) -> None:
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(SOCKET_TIMEOUT_S + POLL_S)


def split_prefix(address: str) -> tuple[str, str]:
    """A Redis URL without the ``prefix`` of its query, and what keys begin with (``?prefix=north`` -> ``north:``)."""
    parts = urlsplit(address)
    query = parse_qsl(parts.query, keep_blank_values=True)
    named = [value for name, value in query if name == "prefix"]
    rest = urlencode([(name, value) for name, value in query if name != "prefix"])
    return urlunsplit(parts._replace(query=rest)), f"{named[-1]}:" if named else PREFIX


class RedisBus(Bus):
    """All keys begin with ``skywatch:``, or with the prefix the address names, so that installations share a server."""

    def __init__(self, address: str) -> None:
        url, prefix = split_prefix(address)
        try:
            # redis-py parses the URL lazily enough to fail in several ways; all mean the same here.
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=SOCKET_TIMEOUT_S, socket_connect_timeout=SOCKET_TIMEOUT_S
            )
            self._client.ping()
        except (redis.RedisError, ValueError, OSError) as error:
            raise BusError(f"setting bus: Redis cannot be reached: {error}") from None
        self._prefix = prefix
        self._subscriptions: list[_RedisSubscription] = []
        self._down = False
        self.dropped = 0

    def publish(self, message: Message) -> None:
        packed = pack(message)
        try:
            pipe = self._client.pipeline(transaction=False)
            if message.snapshot:
                pipe.set(f"{self._prefix}last:{message.topic}", packed, ex=SNAPSHOT_TTL_S)
            pipe.publish(f"{self._prefix}topic:{message.topic}", packed)
            pipe.execute()
            self._down = False
        except (redis.RedisError, OSError) as error:
            self.dropped += 1
            if not self._down:
                log.warning("the bus cannot publish to Redis: %s", error)
            self._down = True

    def subscribe(
        self, topics: Iterable[str], callback: Callback, on_reconnect: Callable[[], None] | None = None
    ) -> Subscription:
        subscription = _RedisSubscription(self._client, self._prefix, frozenset(topics), callback, on_reconnect)
        self._subscriptions.append(subscription)
        return subscription

    def last(self, topic: str) -> Message | None:
        try:
            packed = self._client.get(f"{self._prefix}last:{topic}")
        except (redis.RedisError, OSError):
            return None
        return unpack(topic, packed) if packed is not None else None

    def put(self, key: str, value: bytes, ttl_s: float) -> None:
        with _reachable():
            self._client.set(f"{self._prefix}value:{key}", value, px=max(1, int(ttl_s * 1000)))

    def get(self, key: str) -> bytes | None:
        with _reachable():
            return self._client.get(f"{self._prefix}value:{key}")

    def delete(self, key: str) -> None:
        with _reachable():
            self._client.delete(f"{self._prefix}value:{key}")

    def items(self, prefix: str) -> dict[str, bytes]:
        stem = f"{self._prefix}value:"
        with _reachable():
            keys = list(self._client.scan_iter(match=_escape(stem + prefix) + "*", count=500))
            values = self._client.mget(keys) if keys else []
        return {
            key.decode().removeprefix(stem): value for key, value in zip(keys, values, strict=True) if value is not None
        }

    def healthy(self) -> bool:
        try:
            return bool(self._client.ping())
        except (redis.RedisError, OSError):
            return False

    def close(self) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
        self._client.close()


@contextmanager
def _reachable() -> Iterator[None]:
    """Turns the client's errors into BusError."""
    try:
        yield
    except (redis.RedisError, OSError) as error:
        raise BusError(f"the bus cannot reach Redis: {error}") from error


def _escape(pattern: str) -> str:
    return "".join("\\" + c if c in "*?[]\\" else c for c in pattern)
