"""The connection to NATS: an asyncio loop in a thread of its own, asked from any other thread."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import nats
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from skywatch.core.bus.nats.errors import is_login_refusal
from skywatch.core.bus.nats.parts import Joiner, PartsError, cut
from skywatch.settings.bus_address import BusAddress

T = TypeVar("T")
# Nobody waits longer for an answer, or for a connection.
TIMEOUT_S = 2.0
# A start tries the servers of the list for so long.
CONNECT_S = 5.0
RECONNECT_PAUSE_S = 0.25
# Longer than a connection without answers lives.
FLUSH_S = 30
# A server that leaves so many pings unanswered, one a second, is given up.
PING_S, MAX_UNANSWERED = 1, 3
# Parts are no larger, whatever the server accepts: nothing waits long behind one.
MAX_PART = 1 << 19


class NatsClient:
    """One connection; ``reconnected`` is called on the loop after subscriptions are in place again."""

    def __init__(self, address: BusAddress, reconnected: Callable[[], None]) -> None:
        self._address = address
        self._reconnected = reconnected
        self.loop = asyncio.new_event_loop()
        self.connection = Client()
        # The last error that the server or the client reported outside of a call.
        self.reported: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="bus-nats", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        self.loop.close()

    def ask(self, coroutine: Coroutine[Any, Any, T], within_s: float | None = None) -> T:
        """The result of a coroutine on the loop; raises TimeoutError. Not to be called on the loop."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        try:
            return future.result(TIMEOUT_S if within_s is None else within_s)
        except TimeoutError:
            future.cancel()
            raise

    def connect(self) -> None:
        """Connect to one of the servers; raises what the last attempt failed with."""
        try:
            self.ask(self._connect(), CONNECT_S)
        except TimeoutError:
            raise self.reported or TimeoutError from None

    async def _connect(self) -> None:
        address = self._address
        scheme = "tls" if address.is_tls else "nats"
        hosts = [f"[{host.name}]" if ":" in host.name else host.name for host in address.hosts]
        credentials: dict[str, Any] = {}
        if address.password is not None:
            credentials = {"user": address.username, "password": address.password}
        elif address.username is not None:
            credentials = {"token": address.username}
        # Fractions of a second are taken, whatever the annotation says.
        pauses: dict[str, Any] = {"connect_timeout": TIMEOUT_S, "reconnect_time_wait": RECONNECT_PAUSE_S}
        await self.connection.connect(
            servers=[f"{scheme}://{host}:{at.port}" for host, at in zip(hosts, address.hosts, strict=True)],
            # In this order: with its own server first a process loses no bus with another host.
            dont_randomize=True,
            error_cb=self._report,
            reconnected_cb=self._on_reconnect,
            name="skywatch",
            max_reconnect_attempts=-1,
            ping_interval=PING_S,
            max_outstanding_pings=MAX_UNANSWERED,
            tls=ssl.create_default_context(cafile=address.option("ca_file")) if address.is_tls else None,
            **pauses,
            **credentials,
        )

    async def _report(self, error: Exception) -> None:
        # A server that refuses the password also resets the connection: the refusal says why.
        if not (isinstance(error, ConnectionResetError) and is_login_refusal(self.reported)):
            self.reported = error

    async def _on_reconnect(self) -> None:
        self._reconnected()

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection at this moment."""
        return self.connection.is_connected

    async def publish(self, subject: str, data: bytes) -> None:
        """Publish, in parts where it must be; raises where there is no connection."""
        if not self.is_connected:
            raise self.reported or nats.errors.ConnectionReconnectingError
        for part in cut(data, min(self.connection.max_payload, MAX_PART)):
            await self.connection.publish(subject, part)

    async def flush(self) -> None:
        """Wait until the server has taken what was published."""
        if not self.is_connected:
            raise self.reported or nats.errors.ConnectionReconnectingError
        # The client's reading ends with an exception where an answer comes after its flush was given up: wait apart.
        flushing = asyncio.ensure_future(self.connection.flush(timeout=FLUSH_S))
        flushing.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait_for(asyncio.shield(flushing), TIMEOUT_S)
        self.reported = None

    async def request(self, subject: str) -> bytes | None:
        """The first whole answer of those who listen on a subject; None where nobody does."""
        answer: asyncio.Future[bytes | None] = self.loop.create_future()
        joiner = Joiner()

        async def take(message: Msg) -> None:
            if answer.done():
                return
            if message.headers and message.headers.get("Status") == "503":
                answer.set_result(None)
                return
            try:
                data = joiner.add(message.data)
            except PartsError:
                answer.set_result(None)
                return
            if data is not None:
                answer.set_result(data)

        inbox = self.connection.new_inbox()
        subscription = await self.connection.subscribe(inbox, cb=take)
        try:
            await self.connection.publish(subject, b"", reply=inbox)
            return await asyncio.wait_for(answer, TIMEOUT_S / 2)
        except TimeoutError:
            return None
        finally:
            await _quietly(subscription.unsubscribe())

    async def _end(self) -> None:
        await _quietly(self.connection.close())
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        """End the connection and the loop; safe to call twice."""
        if self.loop.is_closed() or not self._thread.is_alive():
            return
        with suppress(TimeoutError):
            self.ask(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(TIMEOUT_S)


async def _quietly(ending: Awaitable[object]) -> None:
    """Wait for an end that may find the connection gone already."""
    try:
        await ending
    except (nats.errors.Error, OSError):
        return
