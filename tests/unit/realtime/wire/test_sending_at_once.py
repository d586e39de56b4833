"""Events that are written without waiting for the end of the turn: the same bytes, in the same order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from skywatch.core.bus import Message
from skywatch.realtime.topics.event_topics import EventTopics
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.wire.native import encode_event
from skywatch.realtime.wire.outbox import HIGH_WATER_BYTES, LOW_WATER_BYTES, PIECE_BYTES, Outbox, Turn, spread
from skywatch.security.visibility import EVERYTHING
from tests.unit.realtime.listeners import FakeOutbox, payload_of


class Client(asyncio.Protocol):
    """The server's end of a socket with its outbox, and what the other end reads."""

    def __init__(self, turn: Turn, reader: socket.socket) -> None:
        self.turn, self.reader, self.overflows, self.failures = turn, reader, 0, 0
        self.variant = (encode_event, False)

    def connection_made(self, transport: Any) -> None:
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES, low=LOW_WATER_BYTES)
        self.transport = transport
        self.outbox = Outbox(transport, self.turn, 1000, 1 << 30, self._overflow, self._fail)

    def pause_writing(self) -> None:
        self.outbox.pause()

    def resume_writing(self) -> None:
        self.outbox.resume()

    def _overflow(self) -> None:
        self.overflows += 1

    def _fail(self) -> None:
        self.failures += 1

    def send(self, frame: bytes) -> None:
        spread([self], {self.variant: frame})

    async def read(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            found += await asyncio.wait_for(asyncio.get_running_loop().sock_recv(self.reader, 1 << 20), 30)
        return found


@asynccontextmanager
async def connected() -> AsyncIterator[Client]:
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * 1024)
    transport, client = await loop.create_connection(lambda: Client(Turn(loop), theirs), sock=ours)
    try:
        yield client
    finally:
        transport.abort()
        theirs.close()
        await asyncio.sleep(0)


def test_a_frame_leaves_at_once_where_nothing_waits():
    async def scenario():
        async with connected() as client:
            client.send(b"first")
            assert client.reader.recv(100) == b"first"
            client.outbox.push(b"second")
            # Not before what waits for the end of the turn.
            client.send(b"third")
            await asyncio.sleep(0)
            assert client.reader.recv(100) == b"secondthird"

    asyncio.run(scenario())


def test_frames_keep_their_order_where_the_client_reads_slowly():
    async def scenario():
        async with connected() as client:
            frames = [bytes([number]) * size for number, size in enumerate([9, 50_000, 3, 60_000, 5, 64_000, 7] * 3)]
            frames.append(b"z" * (3 * PIECE_BYTES))
            for number, frame in enumerate(frames):
                (client.send if number % 4 else client.outbox.push)(frame)
                if number % 5 == 0:
                    await asyncio.sleep(0)
            assert client.outbox.waiting_bytes
            sent = b"".join(frames)
            assert await client.read(len(sent)) == sent
            assert (client.outbox.congested, client.overflows, client.failures) == (False, 0, 0)
            client.send(b"again at once")
            assert client.reader.recv(100) == b"again at once"

    asyncio.run(scenario())


def test_what_another_wrote_to_the_transport_goes_first():
    async def scenario():
        async with connected() as client:
            # As Autobahn does with the answer to a ping.
            client.transport.write(b"p" * 40_000)
            assert client.transport.get_write_buffer_size()
            client.send(b"event")
            assert await client.read(40_005) == b"p" * 40_000 + b"event"

    asyncio.run(scenario())


def test_a_closed_connection_gets_nothing_and_a_lost_one_ends():
    async def scenario():
        async with connected() as client:
            client.transport.close()
            client.send(b"late")
            await asyncio.sleep(0.01)
            assert client.reader.recv(100) == b""
        async with connected() as client:
            client.reader.close()
            client.send(b"to nobody")
            assert client.transport.is_closing()
            client.send(b"to nobody")
            await asyncio.sleep(0.01)
            assert client.outbox.waiting_bytes == 0

    asyncio.run(scenario())


class Listener:
    def __init__(self, outbox: Any, deflate: bool = False) -> None:
        self.outbox, self.variant = outbox, (encode_event, deflate)


class RaisingOutbox(FakeOutbox):
    """Of a connection that was lost a moment ago; its end leaves the stream."""

    def __init__(self, leave: Any) -> None:
        super().__init__()
        self.leave = leave

    def push(self, frame: bytes) -> None:
        raise AttributeError("'NoneType' object has no attribute 'send'")

    def fail(self, error: Exception) -> None:
        self.leave()


def topics() -> EventTopics:
    from skywatch.features import FEATURES

    return EventTopics(TopicTable(FEATURES))


def test_a_listener_that_fails_leaves_and_the_others_are_served():
    events = topics()
    stream = events.stream_of("safety", EVERYTHING)
    good = [Listener(FakeOutbox()) for _ in range(3)]
    bad = Listener(None)
    bad.outbox = RaisingOutbox(lambda: events.leave(bad, stream))
    for listener in (good[0], bad, *good[1:]):
        events.join(listener, stream, None)
    for _ in range(2):
        events.publish(Message("safety", "safety:event", b'{"id":1}'))
        events.hand_over()
    assert [[b'"id":1' in payload_of(f) for f in listener.outbox.frames] for listener in good] == [[True, True]] * 3


def test_clients_of_different_variants_get_their_own_frames():
    events = topics()
    stream = events.stream_of("safety", EVERYTHING)
    plain, packed = Listener(FakeOutbox()), Listener(FakeOutbox(), deflate=True)
    other = Listener(FakeOutbox())
    for listener in (plain, packed, other):
        events.join(listener, stream, None)
    events.publish(Message("safety", "safety:event", b'{"text":"%b"}' % (b"x" * 5000)))
    events.hand_over()
    assert plain.outbox.frames == other.outbox.frames
    assert len(packed.outbox.frames[0]) < 500 < len(plain.outbox.frames[0])


def test_events_of_two_topics_wait_to_leave_in_one_write():
    async def scenario():
        async with connected() as client:
            events = topics()
            for topic in ("safety", "alerts"):
                events.join(client, events.stream_of(topic, EVERYTHING), None)
                events.publish(Message(topic, f"{topic}:event", b"{}"))
            events.hand_over()
            assert client.outbox._queued
            assert len(client.outbox._parts) == 2
            await asyncio.sleep(0)
            assert (await client.read(10)).count(b'"type":"event"') == 2
            events.publish(Message("alerts", "alerts:event", b"{}"))
            events.hand_over()
            assert client.reader.recv(1000).count(b'"type":"event"') == 1

    asyncio.run(scenario())
