"""The clients that poll: the link below the session of each, from its handshake to its end or its upgrade to WebSocket.

HTTP long polling of Engine.IO 4 is how Socket.IO clients connect before they upgrade, if they can. A client sends a
handshake (GET), then one GET at a time that waits for packets, and POSTs with its own packets. What it receives and
what it may do is decided by its ``Session``, as for every other subscriber.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Protocol

from skywatch.core.limits import CountLimit, RateLimit
from skywatch.realtime.metrics import REALTIME_UPGRADES
from skywatch.realtime.subscribers.hub import Hub
from skywatch.realtime.subscribers.session import Session
from skywatch.realtime.transports.heartbeat import Heartbeat
from skywatch.realtime.transports.polling_outbox import PollingOutbox
from skywatch.realtime.wire import close_codes, engineio
from skywatch.realtime.wire.close_codes import INTERNAL_ERROR, CloseReason, Ending
from skywatch.realtime.wire.engineio import SEPARATOR
from skywatch.realtime.wire.limits import Limits
from skywatch.realtime.wire.outbox import Link, Outlet
from skywatch.realtime.wire.socketio import PollingProtocol

# 120 bits: cannot be guessed.
SID_BYTES = 15
# A session that was ended is kept for so long, so that the client reads the close packet with its next poll.
CLOSING_S = 5.0
# The client is at fault: its session ends without a close packet.
FAULTS = (close_codes.PROTOCOL_ERROR, close_codes.NOT_TEXT, close_codes.TOO_MANY_MESSAGES)
NOTHING: Sequence[bytes] = (engineio.NOOP,)


class Poll(Protocol):
    """The request of a poll, and the connection that it came by."""

    @property
    def is_sending(self) -> bool:
        """Whether the last answer has not left yet."""

    def answer_poll(self, parts: Sequence[bytes | memoryview]) -> None:
        """Send packets."""


class UpgradeLink(Protocol):
    """The WebSocket that a client upgrades to."""

    def drop(self, reason: CloseReason = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""


class PollingClient:
    """One client. All methods run on the server's loop."""

    deflate = False

    def __init__(self, hub: Hub, limits: Limits, sid: str, *, network: str, origin: str, upgrades: bool) -> None:
        self.sid = sid
        # A session id is part of URLs, which end up in logs: it is valid for the client that got it alone.
        self.network = network
        self.origin = origin
        self._heartbeat = Heartbeat()
        self.ended_at: float | None = None
        self.ending = Ending()
        self._limits = limits
        self._rate = RateLimit(limits.messages_per_s)
        self._answering: Poll | None = None
        self._upgrade: UpgradeLink | None = None
        self.outbox = PollingOutbox(
            hub.turn,
            limits.queue_frames,
            limits.queue_bytes,
            lambda: self.session.end(close_codes.TOO_SLOW),
            lambda: self.drop(close_codes.WRITE_FAILED),
        )
        offered = ("websocket",) if upgrades else ()
        self.protocol = PollingProtocol(
            engineio.open_packet(sid, hub.heartbeat_s, limits.pong_s, limits.message_bytes, offered)
        )
        self.session = Session(hub, self, self.outbox, self.protocol, network.partition("/")[0])

    @property
    def has_upgraded(self) -> bool:
        """Whether the session has a WebSocket by now."""
        return self.session.link is not self

    @property
    def has_unread_packets(self) -> bool:
        """Whether the session was ended and the client has not read its last packets yet."""
        return self.ended_at is not None and not self.outbox.is_empty

    # What the client sends

    def poll(self, poll: Poll) -> bool:
        """Take a poll, which is answered now or later; False where it is not one that a client may send."""
        if self.ended_at is not None and self.outbox.is_empty:
            return False
        if self.outbox.poll is not None:
            # Two polls at once: the client is broken, or two clients share one session id.
            self.session.end(close_codes.PROTOCOL_ERROR)
            self.drop(close_codes.PROTOCOL_ERROR)
            return False
        self._heartbeat.receive()
        self._answering = poll
        if self._upgrade is not None:
            # Answered at once: nothing but the rate limit bounds how many polls come.
            if not self._rate.take(self._heartbeat.active_at):
                self.drop(close_codes.TOO_MANY_MESSAGES)
                return False
            poll.answer_poll(NOTHING)
            return True
        was_congested = self.outbox.congested
        self.outbox.wait(poll)
        if self.ended_at is not None:
            self.outbox.flush()
        elif was_congested:
            self.session.drained()
        return True

    def post(self, body: bytes) -> bool:
        """Handle packets; False where the body is malformed, which ends the session."""
        if self.ended_at is not None:
            return True  # Sent before it could read the close packet.
        self._heartbeat.receive()
        try:
            body.decode()
        except UnicodeDecodeError:
            self.session.end(close_codes.PROTOCOL_ERROR)
        else:
            for packet in body.split(SEPARATOR):
                self._handle(packet)
                if self.ended_at is not None:
                    break
        if self.ending.reason in FAULTS:
            self.drop()
            return False
        return True

    def _handle(self, packet: bytes) -> None:
        if not self._rate.take(self._heartbeat.active_at):
            self.session.end(close_codes.TOO_MANY_MESSAGES)
        elif not packet.startswith(engineio.BINARY):
            self.session.received(packet)
        elif not self.protocol.expects_binary():
            self.session.end(close_codes.NOT_TEXT)

    # What the session asks for

    def charge(self, messages: int) -> None:
        """Count a costly message as several."""
        for _ in range(messages):
            if not self._rate.take(self._heartbeat.active_at):
                self.session.end(close_codes.TOO_MANY_MESSAGES)
                return

    def hang_up(self, reason: CloseReason) -> None:
        """Send what waits and a close packet, with the poll that waits or with the next one."""
        self.ending.count(reason)
        self._finish(engineio.NOOP if reason is close_codes.CLIENT_LEFT else engineio.CLOSE)

    def drop(self, reason: CloseReason = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""
        self.ending.count(reason)
        self.session.close()
        self._finish(engineio.CLOSE)
        self.outbox.discard()

    def _finish(self, last_packet: bytes) -> None:
        if self.ended_at is None:
            self.ended_at = time.monotonic()
        self.outbox.close(last_packet)
        if self._upgrade is not None:
            self._upgrade.drop(close_codes.UPGRADE_FAILED)

    def poll_lost(self, poll: Poll) -> None:
        """The connection of a poll has ended before it was answered: the session ends."""
        if self.outbox.poll is poll:
            self.outbox.poll = None
            self.drop(close_codes.CLIENT_GONE)

    # Upgrade

    def is_upgrading(self, link: UpgradeLink) -> bool:
        """Whether this WebSocket has sent its probe and may take over."""
        return self._upgrade is link and self.ended_at is None

    @property
    def may_upgrade(self) -> bool:
        """Whether a WebSocket may send its probe."""
        return self.ended_at is None and self._upgrade is None

    def begin_upgrade(self, link: UpgradeLink) -> None:
        """A WebSocket has sent its probe: the poll that waits is answered, packets wait for the upgrade."""
        self._upgrade = link
        poll, self.outbox.poll = self.outbox.poll, None
        if poll is not None:
            poll.answer_poll(NOTHING)

    def end_upgrade(self, link: UpgradeLink) -> None:
        """The WebSocket has ended before the upgrade: polling continues."""
        if self._upgrade is link:
            self._upgrade = None

    def complete_upgrade(self, link: Link, outbox: Outlet) -> None:
        """End here, and have the session go on with the WebSocket, beginning with the packets that wait."""
        receipts = self.outbox.take_receipts()
        self._upgrade = None
        self.ended_at = time.monotonic()
        waiting = b"".join(self.outbox.take()).split(SEPARATOR)[:-1]
        self.outbox.discard()
        REALTIME_UPGRADES.inc()
        self.session.move(link, outbox, self.protocol.upgraded(), waiting)
        for callback in receipts:
            outbox.on_written(callback)

    def look_after(self, now: float, heartbeat_s: float) -> None:
        """Once a second: send pings, and end a client that does not connect or answer."""
        session, heartbeat = self.session, self._heartbeat
        if self.ended_at is not None:
            return
        if session.state in ("new", "connecting") and now - heartbeat.opened_at > self._limits.connect_s:
            session.refuse(close_codes.CONNECT_MISSING)
        elif heartbeat.pinged_at is not None:
            # A snapshot may take the client longer than it has for an answer; its connection is judged by itself.
            if self._answering is not None and self._answering.is_sending:
                heartbeat.pinged_at = now
            elif heartbeat.is_late(now, self._limits.pong_s):
                self.drop(close_codes.NO_PONG)
        elif heartbeat.is_due(now, heartbeat_s, regularly=True) and self._upgrade is None:
            heartbeat.ping(now)
            self.outbox.push(session.protocol.ping)


class PollingClients:
    """The clients of one server. ``addresses`` counts them by the network they come from."""

    def __init__(self, hub: Hub, limits: Limits, addresses: CountLimit) -> None:
        self._hub = hub
        self._limits = limits
        self._addresses = addresses
        self._clients: dict[str, PollingClient] = {}
        self._counted: set[str] = set()

    def __len__(self) -> int:
        return len(self._counted)

    def open(self, network: str, origin: str, *, upgrades: bool) -> PollingClient | None:
        """A new client; None beyond the limits."""
        if len(self._counted) >= self._limits.connections:
            Ending().count(close_codes.CONNECTION_LIMIT)
            return None
        if not self._addresses.take(network):
            Ending().count(close_codes.ADDRESS_LIMIT)
            return None
        sid = secrets.token_urlsafe(SID_BYTES)
        client = PollingClient(self._hub, self._limits, sid, network=network, origin=origin, upgrades=upgrades)
        self._clients[sid] = client
        self._counted.add(sid)
        return client

    def find(self, sid: str, network: str, origin: str) -> PollingClient | None:
        """The client with an id, for requests from the network and origin that it was issued to."""
        client = self._clients.get(sid)
        if client is None or client.has_upgraded or (client.network, client.origin) != (network, origin):
            return None
        return client

    def release(self, client: PollingClient) -> None:
        """Stop counting a client that has ended."""
        if client.ended_at is not None and client.sid in self._counted:
            self._counted.discard(client.sid)
            self._addresses.release(client.network)

    def look_after(self, now: float) -> list[PollingClient]:
        """Remove clients that have ended; returns the others."""
        for client in list(self._clients.values()):
            self.release(client)
            if client.ended_at is not None and now - client.ended_at > CLOSING_S:
                client.outbox.discard()
                del self._clients[client.sid]
        return [client for client in self._clients.values() if client.ended_at is None]

    @property
    def has_unread_packets(self) -> bool:
        """Whether a client whose session was ended has not read its last packets yet."""
        return any(client.has_unread_packets for client in self._clients.values())

    def end_all(self) -> None:
        """Drop the clients that have not been admitted yet."""
        for client in list(self._clients.values()):
            if client.ended_at is None:
                client.drop(close_codes.RESTARTING)
