"""The Autobahn server of role ``realtime``: listens, checks connections, and closes them when it stops."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import socket
import time
from collections import Counter
from typing import Any

from autobahn.asyncio.websocket import WebSocketServerFactory
from autobahn.websocket.compress import PerMessageDeflateOffer, PerMessageDeflateOfferAccept

from skywatch.airframes.military import military_aircraft
from skywatch.core.events import EventReader
from skywatch.core.limits import CountLimit
from skywatch.core.process.open_files import allow_files
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.http.settings import HttpSettings
from skywatch.picture.access import PictureAccess
from skywatch.picture.settings import PictureSettings
from skywatch.realtime.metrics import REALTIME_CONNECTIONS, REALTIME_SUBSCRIBERS, REALTIME_TICK_AGE
from skywatch.realtime.settings import RealtimeSettings
from skywatch.realtime.subscribers.authentication import Authenticator, ConnectionAuthenticator
from skywatch.realtime.subscribers.hub import Hub
from skywatch.realtime.topics.marks import MarkReader
from skywatch.realtime.topics.receipts import Receipts
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.transports.handshake import Rules
from skywatch.realtime.transports.polling_clients import PollingClients
from skywatch.realtime.transports.shared import Peer, PeerConnection, Shared
from skywatch.realtime.transports.websocket import CLOSING_S, WebSocketConnection
from skywatch.realtime.wire import close_codes
from skywatch.realtime.wire.limits import Limits
from skywatch.sentences import sentence
from skywatch.settings import split_listen

log = logging.getLogger(__name__)
# Send buffer of the kernel: data in it is outdated for a slow client, and the default is megabytes.
SEND_BUFFER_BYTES = 256 * 1024
BACKLOG = 1024
HANDSHAKE_S = 10.0
# How often it is looked which aircraft are military (s).
MILITARY_EVERY_S = 1.0
# Time without a tick, and without a turn of the loop, after which health reports a fault (s).
SILENT_S, BLOCKED_S = 10.0, 5.0
COMPONENT = "realtime"
# File descriptors in addition to those of the connections.
OTHER_FILES = 256


class RealtimeServer:
    """The real-time channel of one process.

    ``start`` and ``stop`` run on the loop that serves the channel. ``authenticator`` checks credentials.
    """

    def __init__(
        self,
        runtime: Runtime,
        authenticator: Authenticator,
        *,
        limits: Limits | None = None,
    ) -> None:
        settings = runtime.settings.of(RealtimeSettings)
        self._runtime = runtime
        self._settings = settings
        self._authenticator = authenticator
        self.limits = limits or Limits.of(settings)
        self.rules = Rules.of(settings.of(HttpSettings))
        self.hub: Hub
        self._shared: Shared
        self._server: asyncio.Server | None = None
        self._look_after: asyncio.Task[None] | None = None
        self._marks: MarkReader | None = None
        self._receipts = Receipts(runtime.sessions, runtime.features)
        self._military = PeriodicTask("military_aircraft", MILITARY_EVERY_S, self._read_military)
        self._looked_at = 0.0
        self._faults = FaultLog(log, "care of connections", "all connections are looked after again")

    @property
    def path(self) -> str:
        """The path of the native protocol."""
        return self.rules.path

    @property
    def connections(self) -> dict[PeerConnection, None]:
        """The connections that are open now."""
        return self._shared.connections

    @property
    def port(self) -> int:
        """The port that is listened on (the system's choice where the setting says 0)."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def start(self) -> None:
        """Listen; raises OSError if the address cannot be bound."""
        loop = asyncio.get_running_loop()
        settings = self._settings
        allow_files(self.limits.connections + OTHER_FILES)
        topics = TopicTable(self._runtime.features)
        connection_authenticator = ConnectionAuthenticator(self._authenticator, settings.auth_mode, topics)
        self.hub = Hub(
            self._runtime.bus,
            loop,
            connection_authenticator,
            topics,
            EventReader(self._runtime.sessions, topics.events),
            heartbeat_s=settings.realtime_heartbeat_s,
            connections_per_user=settings.realtime_connections_per_user,
            picture_timeout_s=settings.of(PictureSettings).picture_timeout_s,
            snapshots_per_s=settings.realtime_snapshots_per_s,
            serves_picture=self._runtime.shared(PictureAccess).may_serve,
            note_written=self._receipts.note,
        )
        of_address, in_all = settings.realtime_connections_per_address, settings.realtime_max_connections
        addresses = CountLimit(of_address, in_all, of_sites=True)
        # Counted apart: behind a proxy the connections of clients that poll are the proxy's.
        polling = PollingClients(self.hub, self.limits, CountLimit(of_address, in_all, of_sites=True))
        factory = self._factory(loop)
        compresses = settings.realtime_compression
        self._shared = Shared(self.hub, self.rules, self.limits, addresses, polling, factory, compresses)
        factory.protocol = functools.partial(WebSocketConnection, self._shared)
        host, port = split_listen(settings.of(HttpSettings).realtime_listen)
        sockets = [_listening_socket(*address) for address in await _addresses(loop, host, port)]
        try:
            # Before the first subscriber connects: earlier events are not news for it.
            await self.hub.open()
            self._server = await loop.create_server(factory, sock=sockets[0], backlog=BACKLOG)
        except BaseException:
            for listening in sockets:
                listening.close()
            await self.hub.close()
            raise
        self._receipts.start()
        self._military.start()
        self._looked_at = time.monotonic()
        self._look_after = loop.create_task(self._look_after_forever(), name="care of connections")
        health.watch(COMPONENT, self._state)
        self._marks = MarkReader(self._runtime, loop, self.hub.live.take_marks)
        self._marks.start()
        log.info("the real-time channel listens on %s port %d", host, self.port)

    async def stop(self) -> None:
        """Accept no more connections, close all with 1012 and a time to return, and stop."""
        if self._server is None:
            return
        health.withdraw(COMPONENT, self._state)
        self._server.close()
        if self._look_after is not None:
            self._look_after.cancel()
        self._shared.stopping = True
        self.hub.subscribers.end_all(close_codes.RESTARTING, self._settings.realtime_return_s)
        self._shared.polling.end_all()
        deadline = time.monotonic() + CLOSING_S
        while self.connections and time.monotonic() < deadline:
            if not self._shared.polling.has_unread_packets:
                for connection in list(self.connections):
                    if connection.is_idle and connection.transport is not None:
                        connection.transport.abort()  # Not even a handshake yet, or between two polls.
            await asyncio.sleep(0.02)
        for connection in list(self.connections):
            if connection.transport is not None:
                connection.transport.abort()
        if self._marks is not None:
            await asyncio.to_thread(self._marks.close)
        await asyncio.to_thread(self._military.close)
        await self.hub.close()
        await asyncio.to_thread(self._receipts.close)
        self.hub.subscribers.close()
        self._server = None

    def _read_military(self) -> None:
        """Which aircraft are military, so that earlier events about them are hidden within a second."""
        with self._runtime.sessions() as session:
            military = military_aircraft(session)
        with contextlib.suppress(RuntimeError):  # The loop has ended.
            self.hub.loop.call_soon_threadsafe(self.hub.events.take_military, military)

    def statistics(self) -> dict[str, int]:
        """Counts for the system's status: connections, clients that poll, subscribers, views, refused by a limit."""
        return {
            "connections": len(self.connections),
            "polling": len(self._shared.polling),
            "subscribers": len(self.hub.sessions),
            "views": self.hub.live.view_count,
            "refused": self._shared.refused,
        }

    def _factory(self, loop: asyncio.AbstractEventLoop) -> Any:
        factory: Any = WebSocketServerFactory(server="Skywatch", loop=loop)
        factory.setProtocolOptions(
            versions=[13],
            webStatus=False,
            utf8validateIncoming=True,
            maxFramePayloadSize=self.limits.message_bytes,
            maxMessagePayloadSize=self.limits.message_bytes,
            failByDrop=True,
            openHandshakeTimeout=HANDSHAKE_S,
            closeHandshakeTimeout=CLOSING_S,
            tcpNoDelay=True,
            perMessageCompressionAccept=_accept_deflate if self._settings.realtime_compression else lambda offers: None,
            # Origins are looked at by WebSocketConnection, which can say why it refuses.
            allowedOrigins=["*"],
            allowNullOrigin=True,
        )
        return factory

    async def _look_after_forever(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            self._looked_at = now = time.monotonic()
            peers: list[Peer] = [*self.connections, *self._shared.polling.look_after(now)]
            for connection in peers:
                try:
                    connection.look_after(now, self.hub.heartbeat_s)
                except Exception as error:
                    self._faults.failed("a connection is dropped", error)
                    with contextlib.suppress(Exception):
                        connection.drop()
            try:
                self._measure()
            except Exception as error:
                self._faults.failed("the figures cannot be taken", error)

    def _state(self) -> State:
        """For health: whether subscribers receive ticks and messages; called from any thread."""
        now = time.monotonic()
        subscribers = len(self.hub.sessions)
        tick_age_s, waiting_s = now - self.hub.tick_at, self.hub.turn.waiting_s()
        ended = self.hub.ended_tasks()
        if self._look_after is not None and self._look_after.done():
            ended.append("care of connections")
        detail = ""
        if ended:
            detail = sentence("health.ended", "ended: {names}", names=", ".join(ended))
        elif now - self._looked_at > BLOCKED_S:
            detail = sentence(
                "health.loop_held_up",
                "the loop has been held up for {seconds} s",
                seconds=f"{now - self._looked_at:.0f}",
            )
        elif waiting_s > BLOCKED_S:
            detail = sentence(
                "health.messages_waiting", "messages have waited for {seconds} s to be sent", seconds=f"{waiting_s:.0f}"
            )
        elif tick_age_s > SILENT_S:
            detail = sentence("health.no_picture_for", "no picture has come for {age} s", age=f"{tick_age_s:.0f}")
        figures = {"subscribers": float(subscribers), "connections": float(len(self.connections))}
        figures["polling"] = float(len(self._shared.polling))
        return State(not detail, detail, {**figures, "tick_age_s": round(tick_age_s, 1)})

    def _measure(self) -> None:
        """Update the gauges of the metrics."""
        REALTIME_TICK_AGE.set(time.monotonic() - self.hub.tick_at)
        protocols: Counter[str] = Counter(native=0, socketio=0, polling=0)
        topics: Counter[str] = Counter(dict.fromkeys(self.hub.topics.all, 0))
        for session in self.hub.sessions:
            protocols[session.protocol.name] += 1
            topics.update(session.subscriptions.keys())
        for name, count in protocols.items():
            REALTIME_CONNECTIONS.labels(name).set(count)
        for name, count in topics.items():
            REALTIME_SUBSCRIBERS.labels(name).set(count)


def _accept_deflate(offers: list[Any]) -> Any:
    for offer in offers:
        if isinstance(offer, PerMessageDeflateOffer):
            # The client must not keep a context either: thousands of windows would cost 32 KiB each.
            return PerMessageDeflateOfferAccept(
                offer,
                request_no_context_takeover=offer.accept_no_context_takeover,
                no_context_takeover=True,
            )
    return None


async def _addresses(loop: asyncio.AbstractEventLoop, host: str, port: int) -> list[tuple[int, Any]]:
    candidates = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return [(family, address) for family, _, _, _, address in candidates[:1]]


def _listening_socket(family: int, address: Any) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Accepted connections inherit it.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        listening.setblocking(False)
        listening.bind(address)
    except BaseException:
        listening.close()
        raise
    return listening
