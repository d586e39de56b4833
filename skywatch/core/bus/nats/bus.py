"""The bus between processes and hosts, on NATS.

What is live (messages, the picture) goes by core subjects, which need no election: any server of the list does. Values
that expire and small snapshots are stored in JetStream besides. The last snapshot of a topic is answered by any process
that has it, the publisher or a subscriber, and by JetStream where nobody has.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec
from nats.aio.msg import Msg

from skywatch.core.bus.base import BusAwayError, BusError, Callback, Message, Subscription
from skywatch.core.bus.message_codec import pack, unpack
from skywatch.core.bus.nats.client import MAX_PART, TIMEOUT_S, NatsClient
from skywatch.core.bus.nats.errors import ERRORS, describe, is_refusal
from skywatch.core.bus.nats.subscription import NatsSubscription
from skywatch.core.bus.nats.values import Values, escape
from skywatch.core.bus.queued import HEARTBEAT_S, QueuedBus
from skywatch.core.telemetry.health import State
from skywatch.core.telemetry.metrics import BUS_BYTES
from skywatch.sentences import sentence
from skywatch.settings.bus_address import BusAddress

# Larger snapshots are not stored, only answered by those who have them.
MAX_STORED = MAX_PART // 2
VALUE, LAST, NEWER = "value", "last", "newer"


class NatsBus(QueuedBus):
    """Subjects begin with the prefix of the address, which also names the bucket."""

    server = "NATS"
    errors = ERRORS

    def __init__(self, address: BusAddress) -> None:
        super().__init__()
        self._prefix = address.prefix
        self._client = NatsClient(address, self._reconnected)
        self._values = Values(self._client.connection, address.prefix, len(address.hosts))
        self._snapshots: dict[str, bytes] = {}
        self._unstored: dict[str, bytes] = {}
        self._state_failure: Exception | None = None
        self._guard = threading.Lock()
        try:
            self._client.connect()
            self._client.ask(self._open(), 2 * TIMEOUT_S)
        except ERRORS as error:
            self._client.close()
            raise BusAwayError(f"setting bus: {describe(error)}") from None
        except ValueError as error:
            self._client.close()
            raise BusError(f"setting bus: {error}") from None
        self._begin()

    async def _open(self) -> None:
        await self._values.open()
        self._storing = asyncio.create_task(self._store())

    def _subject(self, kind: str, topic: str) -> str:
        return f"{self._prefix}.{kind}.{escape(topic)}"

    def _send(self, messages: Sequence[Message]) -> None:
        packed = [(message, pack(message)) for message in messages]
        self._client.ask(self._publish(packed))
        for message, data in packed:
            BUS_BYTES.inc(len(data))
            if message.snapshot:
                self._hold(message, data)
                if len(data) <= MAX_STORED:
                    self._unstored[message.topic] = data

    async def _publish(self, messages: list[tuple[Message, bytes]]) -> None:
        for message, data in messages:
            await self._client.publish(self._subject("topic", message.topic), data)
            if message.snapshot:
                await self._client.connection.publish(self._subject(NEWER, message.topic), self._name.encode())
        await self._client.flush()

    def _hold(self, message: Message, packed: bytes) -> None:
        """Answer for a topic from now on; called in the publisher's and the subscribers' threads."""
        if not message.snapshot:
            return
        with self._guard:
            is_first = message.topic not in self._snapshots
            self._snapshots[message.topic] = packed
        if is_first:
            asyncio.run_coroutine_threadsafe(self._answer_for(message.topic), self._client.loop)

    async def _answer_for(self, topic: str) -> None:
        async def answer(message: Msg) -> None:
            packed = self._snapshots.get(topic)
            if packed is None:
                return
            try:
                await self._client.publish(message.reply, packed)
            except ERRORS as error:
                # Whoever asked asks another process, or again.
                self._client.reported = error

        async def forget(message: Msg) -> None:
            """Another process has published a newer one; a subscriber has it, or is about to."""
            if message.data.decode() == self._name or any(topic in s.topics for s in self._open_subscriptions()):
                return
            with self._guard:
                self._snapshots.pop(topic, None)
                self._unstored.pop(topic, None)
            for handle in handles:
                await handle.unsubscribe()

        handles = [
            await self._client.connection.subscribe(self._subject(LAST, topic), cb=answer),
            await self._client.connection.subscribe(self._subject(NEWER, topic), cb=forget),
        ]

    def _open_subscriptions(self) -> list[NatsSubscription]:
        return [s for s in self._subscriptions if isinstance(s, NatsSubscription) and not s.is_closed]

    async def _store(self) -> None:
        """Store the newest snapshot of each topic, however long JetStream takes."""
        while True:
            try:
                for topic in list(self._unstored):
                    await self._values.put(LAST, topic, self._unstored[topic], None)
                    self._unstored.pop(topic, None)
                await self._values.put("alive", self._name, b"", 10 * HEARTBEAT_S)
                self._state_failure = None
            except ERRORS as error:
                self._state_failure = error
            await asyncio.sleep(HEARTBEAT_S)

    def _beat(self) -> None:
        self._client.ask(self._client.flush())
        self._answered_at = time.monotonic()

    def _describe(self, error: BaseException) -> str:
        return describe(error)

    def _is_refusal(self, error: BaseException) -> bool:
        return is_refusal(error)

    def _reconnected(self) -> None:
        for subscription in self._open_subscriptions():
            subscription.reconnected()

    def subscribe(
        self, topics: Iterable[str], callback: Callback, on_reconnect: Callable[[], None] | None = None
    ) -> Subscription:
        subjects = {self._subject("topic", topic): topic for topic in topics}
        subscription = NatsSubscription(
            subjects, callback, on_reconnect, lambda: self._client.is_connected, self._hold, self._unsubscribe
        )
        self._subscriptions.append(subscription)
        try:
            self._client.ask(self._subscribe(subscription, list(subjects)))
        except ERRORS as error:
            # The client subscribes once it is connected again.
            self._failed(error)
        return subscription

    async def _subscribe(self, subscription: NatsSubscription, subjects: list[str]) -> None:
        for subject in subjects:
            handle = await self._client.connection.subscribe(subject, cb=subscription.received)
            subscription.handles.append(handle)
        await self._client.flush()

    def _unsubscribe(self, subscription: NatsSubscription) -> None:
        async def unsubscribe() -> None:
            for handle in subscription.handles:
                try:
                    await handle.unsubscribe()
                except ERRORS:
                    return

        if not self._client.loop.is_closed():
            asyncio.run_coroutine_threadsafe(unsubscribe(), self._client.loop)

    def last(self, topic: str) -> Message | None:
        try:
            with self._stored():
                packed = self._client.ask(self._client.request(self._subject(LAST, topic)))
                if packed is None:
                    packed = self._client.ask(self._values.get(LAST, topic))
            return unpack(topic, packed) if packed is not None else None
        except (BusError, msgspec.MsgspecError):
            return None

    @contextmanager
    def _stored(self) -> Iterator[None]:
        """Turns errors into BusError. JetStream alone may be away: what is live goes on."""
        if not self._client.is_connected:
            raise BusError(f"the bus cannot be used: {describe(self._client.reported or ConnectionError())}")
        try:
            yield
        except ERRORS as error:
            raise BusError(f"the bus cannot be used: {describe(error)}") from error

    def put(self, key: str, value: bytes, ttl_s: float) -> None:
        with self._stored():
            self._client.ask(self._values.put(VALUE, key, value, ttl_s))

    def get(self, key: str) -> bytes | None:
        with self._stored():
            return self._client.ask(self._values.get(VALUE, key))

    def delete(self, key: str) -> None:
        with self._stored():
            self._client.ask(self._values.delete(VALUE, key))

    def items(self, prefix: str) -> dict[str, bytes]:
        with self._stored():
            return self._client.ask(self._values.items(VALUE, prefix))

    def state(self) -> State:
        state = super().state()
        if state.ok and self._state_failure is not None:
            return State(
                False,
                sentence(
                    "health.values_unstored", "values are not stored: {error}", error=describe(self._state_failure)
                ),
                state.figures,
            )
        return state

    def close(self) -> None:
        super().close()
        self._client.close()
