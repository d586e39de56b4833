"""Values that expire, in a bucket of JetStream: the one part of the bus that needs a quorum of the servers."""

from __future__ import annotations

import asyncio
import re
import time

import nats.js.errors
from nats.aio.client import Client
from nats.js.api import KeyValueConfig
from nats.js.kv import KeyValue

# The bucket forgets what nobody has read or removed for so long (s).
MAX_AGE_S = 7 * 86_400
# JetStream says so where a server alone is asked for several replicas.
_NOT_CLUSTERED = 10074
_EXPIRY_BYTES = 8
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
# A server whose election is on answers later, or not.
REQUEST_S = 1.5
NEVER_MS = 2**62
# How many values are asked for at once.
READ_AT_ONCE = 50


class Values:
    """All methods are coroutines of the connection's loop; they raise what the client raises."""

    def __init__(self, connection: Client, bucket: str, servers: int) -> None:
        self._connection = connection
        self._bucket_name = bucket
        self._replicas = 3 if servers >= 3 else 1
        self._bucket: KeyValue | None = None

    async def open(self) -> KeyValue:
        """The bucket, created where there is none."""
        if self._bucket is None:
            jetstream = self._connection.jetstream(timeout=REQUEST_S)
            try:
                self._bucket = await jetstream.key_value(self._bucket_name)
            except nats.js.errors.BucketNotFoundError:
                self._bucket = await self._create(self._replicas)
        return self._bucket

    async def _create(self, replicas: int) -> KeyValue:
        config = KeyValueConfig(bucket=self._bucket_name, history=1, ttl=MAX_AGE_S, replicas=replicas)
        try:
            return await self._connection.jetstream(timeout=REQUEST_S).create_key_value(config)
        except nats.js.errors.APIError as error:
            if replicas > 1 and error.err_code == _NOT_CLUSTERED:
                return await self._create(1)
            raise

    async def put(self, kind: str, key: str, value: bytes, ttl_s: float | None) -> None:
        """Store a value, for ``ttl_s`` or as long as the bucket stores anything."""
        expires_ms = NEVER_MS if ttl_s is None else int((time.time() + ttl_s) * 1000)
        bucket = await self.open()
        try:
            await bucket.put(f"{kind}.{escape(key)}", expires_ms.to_bytes(_EXPIRY_BYTES, "big") + value)
        except nats.js.errors.NoStreamResponseError:
            # Somebody has removed the bucket, or its leader is gone: the next one looks again.
            self._bucket = None
            raise

    async def get(self, kind: str, key: str) -> bytes | None:
        """A value that has not expired."""
        bucket = await self.open()
        try:
            entry = await bucket.get(f"{kind}.{escape(key)}")
        except nats.js.errors.KeyNotFoundError:
            return None
        return _current(entry.value)

    async def delete(self, kind: str, key: str) -> None:
        """Forget a value."""
        bucket = await self.open()
        await bucket.delete(f"{kind}.{escape(key)}")

    async def items(self, kind: str, prefix: str) -> dict[str, bytes]:
        """Values whose keys begin with a prefix.

        Read one by one, many at a time: a watcher would be a consumer, which JetStream gives to one of the servers, be
        it the one that is frozen or cut off.
        """
        await self.open()
        jetstream = self._connection.jetstream(timeout=REQUEST_S)
        before = f"$KV.{self._bucket_name}.{kind}."
        try:
            info = await jetstream.stream_info(f"KV_{self._bucket_name}", subjects_filter=f"{before}>")
        except nats.js.errors.NotFoundError:
            # Somebody has removed the bucket: what is stored next makes it again.
            self._bucket = None
            return {}
        keys = [unescape(subject.removeprefix(before)) for subject in info.state.subjects or {}]
        free = asyncio.Semaphore(READ_AT_ONCE)

        async def read(key: str) -> tuple[str, bytes | None]:
            async with free:
                return key, await self.get(kind, key)

        read_values = await asyncio.gather(*(read(key) for key in keys if key.startswith(prefix)))
        return {key: value for key, value in read_values if value is not None}


def escape(key: str) -> str:
    """A key as JetStream accepts it; ``=`` and two digits stand for each other byte."""
    return _UNSAFE.sub(lambda match: "".join(f"={byte:02X}" for byte in match[0].encode()), key)


def unescape(key: str) -> str:
    """The key of ``escape``."""
    return re.sub(r"(?:=[0-9A-F]{2})+", lambda match: bytes.fromhex(match[0].replace("=", "")).decode(), key)


def _current(stored: bytes | None) -> bytes | None:
    if stored is None or int.from_bytes(stored[:_EXPIRY_BYTES], "big") <= time.time() * 1000:
        return None
    return stored[_EXPIRY_BYTES:]
