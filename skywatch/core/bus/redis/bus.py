"""The bus between processes, on Redis: publish/subscribe for events, keys for snapshots and values that expire.

Redis is one server, or the master that Sentinel names. The master is asked for once a second: connections to a former
one, which may go on answering in a part of the network that was cut off, are given up.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import msgspec
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel

from skywatch.core.bus.base import BusAwayError, BusError, Callback, Message, Subscription
from skywatch.core.bus.message_codec import pack, unpack
from skywatch.core.bus.queued import QueuedBus
from skywatch.core.bus.redis.errors import describe, is_refusal
from skywatch.core.bus.redis.subscription import RedisSubscription
from skywatch.core.telemetry.metrics import BUS_BYTES
from skywatch.settings.bus_address import BusAddress, parse_bus_address

# Nobody waits longer for an answer, or for a connection.
SOCKET_TIMEOUT_S = 2.0
# A Sentinel that does not answer costs this much before the next one is asked (s).
SENTINEL_TIMEOUT_S = 0.5
# A snapshot outlives a restart of its publisher, but not a machine that was off for the night.
SNAPSHOT_TTL_S = 3600
# The kernel notices a peer that is gone: asked after 5 s without data, given up after 10 s without an answer.
_KEEPALIVE = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 10_000}

# What tries whether the server takes writes is forgotten after this time.
ALIVE_MS = 10_000

Address = tuple[str, int]


def _options(retries: int) -> dict[str, Any]:
    return {
        "socket_timeout": SOCKET_TIMEOUT_S,
        "socket_connect_timeout": SOCKET_TIMEOUT_S,
        # A connection that a restart of the server has closed is tried once more, one that hangs is not.
        "retry": Retry(NoBackoff(), retries, (redis.ConnectionError,)),
    }


def _keepalive() -> dict[str, Any]:
    options = {getattr(socket, name): value for name, value in _KEEPALIVE.items() if hasattr(socket, name)}
    return {"socket_keepalive": True, "socket_keepalive_options": options}


def _open_client(address: BusAddress, retries: int) -> Any:
    if address.kind == "sentinel":
        return _open_master(address, retries)
    keepalive = {} if address.url.startswith("unix") else _keepalive()
    return redis.Redis.from_url(address.url, **_options(retries), **keepalive)


def _open_master(address: BusAddress, retries: int) -> Any:
    """A client of whichever server is the master when it connects."""
    tls = {"ssl": True} if address.is_tls else {}
    sentinels = cast("Any", Sentinel)(
        list(address.hosts),
        sentinel_kwargs={
            "username": address.option("sentinel_username"),
            "password": address.option("sentinel_password"),
            "socket_timeout": SENTINEL_TIMEOUT_S,
            "socket_connect_timeout": SENTINEL_TIMEOUT_S,
            **tls,
        },
        username=address.username,
        password=address.password,
        db=address.database,
        **_options(retries),
        **_keepalive(),
        **tls,
    )
    return sentinels.master_for(address.service)


class RedisBus(QueuedBus):
    """All keys begin with the prefix of the address, so that installations share a server."""

    server = "Redis"
    errors = (redis.RedisError, OSError)

    def __init__(self, address: BusAddress | str) -> None:
        super().__init__()
        address = parse_bus_address(address) if isinstance(address, str) else address
        self._prefix = f"{address.prefix}:"
        self._is_sentinel = address.kind == "sentinel"
        self._master: Address | None = None
        try:
            # redis-py parses the URL lazily enough to fail in several ways; all mean the same here.
            self._client = _open_client(address, 1)
            self._listening = _open_client(address, 0)
            self._find_master()
            self._client.ping()
        except self.errors as error:
            raise BusAwayError(f"setting bus: {describe(error)}") from None
        except ValueError as error:
            raise BusError(f"setting bus: {describe(error)}") from None
        self._begin()

    def _find_master(self) -> None:
        """Ask Sentinel; where the master is another one, connections to the former are not used again."""
        if not self._is_sentinel:
            return
        for client in (self._client, self._listening):
            # Closes idle connections where the address differs from the one before. Those in use belong to other
            # threads: they end with their answer or its timeout, and are not used again.
            self._master = client.connection_pool.get_master_address()

    def _master_address(self) -> Address | None:
        return self._master

    def _send(self, messages: Sequence[Message]) -> None:
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

    def _beat(self) -> None:
        """Try what the bus needs: to write a value, and to publish."""
        self._find_master()
        self._client.publish(self._heartbeat, b"")
        self._answered_at = time.monotonic()
        self._client.set(f"{self._prefix}alive:{self._name}", b"", px=ALIVE_MS)

    def _describe(self, error: BaseException) -> str:
        return describe(error)

    def _is_refusal(self, error: BaseException) -> bool:
        return is_refusal(error)

    def _disconnect(self) -> None:
        self._client.connection_pool.disconnect(inuse_connections=False)

    @property
    def _heartbeat(self) -> str:
        return f"{self._prefix}heartbeat:{self._name}"

    def subscribe(
        self, topics: Iterable[str], callback: Callback, on_reconnect: Callable[[], None] | None = None
    ) -> Subscription:
        channels = {f"{self._prefix}topic:{topic}".encode(): topic for topic in topics}
        heartbeat = self._heartbeat.encode()
        wait_s = SOCKET_TIMEOUT_S if self.state().ok else 0.0
        subscription = RedisSubscription(
            self._listening, channels, heartbeat, callback, on_reconnect, wait_s, self._faults, self._master_address
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

    def close(self) -> None:
        super().close()
        self._client.close()
        self._listening.close()


def _escape(pattern: str) -> str:
    return "".join("\\" + c if c in "*?[]\\" else c for c in pattern)
