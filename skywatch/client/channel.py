"""One lasting connection to the channel: breaks are mended with growing pauses, and nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import websockets
from websockets.asyncio.client import ClientConnection, connect

from skywatch.client.picture import AircraftList, OutOfStep
from skywatch.client.tokens import FixedToken, TokenSource

log = logging.getLogger(__name__)
SUBPROTOCOL = "skywatch.v1"
FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 30.0
CONNECT_TIMEOUT_S = 15.0
# The server pings every ``heartbeat_s``; one that has been silent for longer than two of these is gone.
PATIENCE = 2.5
# Refusals that trying again cannot mend, unless a new token can be had (4001).
AUTHENTICATION_FAILED, PERMISSION_DENIED = 4001, 4003
MAX_MESSAGE_BYTES = 256 * 1024 * 1024
LIVE_TOPICS = frozenset({"aircraft", "military"})


class Refused(Exception):
    """The service refuses this client; ``code`` is its close code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message or f"the connection was closed with {code}")
        self.code = code


@dataclass(frozen=True)
class Event:
    """One event of a topic."""

    topic: str
    event: str
    epoch: str
    seq: int
    data: Any


class Client:
    """Subscribes to topics and yields their events until the caller stops.

    ``url`` is the address of the channel (``ws://host:port/ws``). ``lists`` holds the aircraft of the live topics,
    up to date whenever an event is yielded. Raises Refused where the service refuses it.
    """

    def __init__(
        self,
        url: str,
        topics: Sequence[str],
        *,
        tokens: TokenSource | None = None,
        bbox: Sequence[float] | None = None,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        self.url = url
        self.topics = list(topics)
        self.bbox = list(bbox) if bbox is not None else None
        self.lists = {topic: AircraftList() for topic in self.topics if topic in LIVE_TOPICS}
        self.denied: list[str] = []
        self.user: dict[str, Any] | None = None
        self.connects = 0
        self.last_error: str | None = None
        self._tokens = tokens or FixedToken(None)
        self._points: dict[str, dict[str, Any]] = {}
        self._first_pause_s = first_pause_s
        self._come_back_after_s: float | None = None
        # The connection on which topics were asked for, and whether that has been answered.
        self._socket: ClientConnection | None = None
        self._is_subscribed = False

    async def __aiter__(self) -> AsyncIterator[Event]:
        pause, refused = self._first_pause_s, 0
        while True:
            connects = self.connects
            try:
                async for event in self._once():
                    pause, refused = self._first_pause_s, 0
                    yield event
            except Refused as error:
                # A token may have ended a moment before it was shown: once more, with a new one.
                refused += 1
                if error.code not in (AUTHENTICATION_FAILED, PERMISSION_DENIED):
                    self.last_error = str(error)
                elif refused > 1 or self._tokens.renew_at() is None:
                    raise
            except (OSError, TimeoutError, websockets.WebSocketException, msgspec.DecodeError) as error:
                self.last_error = str(error) or type(error).__name__
            except OutOfStep:
                self.last_error = "a seq was skipped; starting over"
                self._points.clear()
            if self.connects > connects:
                pause = self._first_pause_s
            log.info("the channel is interrupted: %s", self.last_error)
            wait, self._come_back_after_s = self._come_back_after_s, None
            # Full jitter, so that thousands of clients do not come back in the same moment.
            await asyncio.sleep(wait if wait is not None else random.uniform(pause / 2, pause))
            pause = min(pause * 2, LAST_PAUSE_S)

    @property
    def connected(self) -> bool:
        """Whether the channel is open and subscribed at this moment."""
        return self._is_subscribed

    async def move(self, bbox: Sequence[float] | None) -> None:
        """Look at another area from now on."""
        self.bbox = list(bbox) if bbox is not None else None
        for topic in LIVE_TOPICS:
            self._points.pop(topic, None)
        live = [topic for topic in self.topics if topic in LIVE_TOPICS]
        if self._socket is not None and live:
            # A connection that has just been lost is replaced by one that asks for this area.
            with contextlib.suppress(websockets.ConnectionClosed):
                await self._send(self._socket, {"type": "subscribe", "topics": live, "bbox": self.bbox})

    async def _once(self) -> AsyncIterator[Event]:
        token = await self._tokens.token()
        async with connect(
            self.url,
            subprotocols=[websockets.Subprotocol(SUBPROTOCOL)],
            open_timeout=CONNECT_TIMEOUT_S,
            max_size=MAX_MESSAGE_BYTES,
            ping_interval=None,
        ) as socket:
            hello: dict[str, Any] = {"type": "connect"}
            if token is not None:
                hello["auth"] = {"token": token}
            await self._send(socket, hello)
            renewal: asyncio.Task[None] | None = None
            again: asyncio.Task[None] | None = None
            try:
                patience_s = CONNECT_TIMEOUT_S
                while True:
                    message = await self._receive(socket, patience_s)
                    if message["type"] == "connected":
                        patience_s = message["heartbeat_s"] * PATIENCE
                        self.user = message["user"]
                        renewal = asyncio.create_task(self._renew(socket))
                        await self._subscribe(socket)
                    elif message["type"] == "subscribed":
                        # Every later ``move`` is answered with it as well.
                        self.connects += not self._is_subscribed
                        self._is_subscribed = True
                        self.last_error = None
                        self.denied = message["denied"]
                    elif message["type"] == "unsubscribed" and message.get("code") == "permission_denied":
                        # What was allowed is not any more.
                        self.denied = sorted({*self.denied, *message["topics"]})
                    elif message["type"] == "error" and message["code"] == "rate_limited":
                        # Too many snapshots in a short time: what was asked for last comes a little later.
                        if again is None or again.done():
                            after_s = float(message.get("retry_after_s", 1.0))
                            again = asyncio.create_task(self._subscribe(socket, after_s))
                    elif message["type"] == "reconnect":
                        self._come_back_after_s = float(message["after_s"])
                    elif message["type"] == "event":
                        yield self._take(message)
            except websockets.ConnectionClosed as end:
                if end.rcvd is not None and end.rcvd.code >= 4000:
                    raise Refused(end.rcvd.code, end.rcvd.reason) from None
                raise
            finally:
                self._socket, self._is_subscribed = None, False
                for task in filter(None, (renewal, again)):
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError, Exception):
                        await task

    async def _receive(self, socket: ClientConnection, patience_s: float) -> dict[str, Any]:
        # Pings of the server are answered below us; where even they stay away, we ask ourselves.
        try:
            text = await asyncio.wait_for(socket.recv(), patience_s)
        except TimeoutError:
            await asyncio.wait_for(await socket.ping(), CONNECT_TIMEOUT_S)
            return {"type": "alive"}
        message = msgspec.json.decode(text)
        return message if isinstance(message, dict) and "type" in message else {"type": "unknown"}

    async def _subscribe(self, socket: ClientConnection, after_s: float = 0.0) -> None:
        await asyncio.sleep(after_s)
        # From now on ``move`` asks on this connection, and its answer comes after this one.
        self._socket = socket
        message: dict[str, Any] = {"type": "subscribe", "topics": self.topics}
        if self.bbox is not None:
            message["bbox"] = self.bbox
        if self._points:
            message["since"] = self._points
        await self._send(socket, message)

    async def _renew(self, socket: ClientConnection) -> None:
        """Show a new token before the old one expires."""
        while (at := self._tokens.renew_at()) is not None:
            await asyncio.sleep(max(0.0, at - time.time()))
            token = await self._tokens.token()
            await self._send(socket, {"type": "refresh", "auth": {"token": token}})

    def _take(self, message: dict[str, Any]) -> Event:
        event = Event(message["topic"], message["event"], message["epoch"], message["seq"], message["data"])
        aircraft_list = self.lists.get(event.topic)
        if aircraft_list is not None:
            aircraft_list.apply(event.event, event.epoch, event.seq, event.data)
        self._points[event.topic] = {"epoch": event.epoch, "seq": event.seq}
        return event

    @staticmethod
    async def _send(socket: ClientConnection, message: dict[str, Any]) -> None:
        await socket.send(msgspec.json.encode(message).decode())
