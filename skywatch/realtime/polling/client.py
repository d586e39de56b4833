"""One client that polls: the link below its session, from the handshake to its end or to its upgrade to WebSocket."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from skywatch.core.network.rate_limit import RateLimit
from skywatch.realtime.connections import closing
from skywatch.realtime.connections.closing import INTERNAL_ERROR, Closing
from skywatch.realtime.connections.ending import Ending
from skywatch.realtime.connections.heartbeat import Heartbeat
from skywatch.realtime.connections.limits import Limits
from skywatch.realtime.connections.queues import Outlet
from skywatch.realtime.hub import Hub
from skywatch.realtime.metrics import REALTIME_UPGRADES
from skywatch.realtime.polling.outbox import PollingOutbox
from skywatch.realtime.protocols import engineio
from skywatch.realtime.protocols.engineio import SEPARATOR
from skywatch.realtime.protocols.socketio import PollingProtocol
from skywatch.realtime.subscribers.link import Link
from skywatch.realtime.subscribers.session import Session

# A session that was ended is kept for so long, so that the client reads the close packet with its next poll.
CLOSING_S = 5.0
# The client is at fault: its session ends without a close packet.
FAULTS = (closing.PROTOCOL_ERROR, closing.NOT_TEXT, closing.TOO_MANY_MESSAGES)
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

    def drop(self, reason: Closing = INTERNAL_ERROR) -> None:
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
            lambda: self.session.end(closing.TOO_SLOW),
            lambda: self.drop(closing.WRITE_FAILED),
        )
        offered = ("websocket",) if upgrades else ()
        self.protocol = PollingProtocol(
            engineio.open_packet(sid, hub.heartbeat_s, limits.pong_s, limits.message_bytes, offered)
        )
        self.session = Session(hub, self, self.outbox, self.protocol)

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
            self.session.end(closing.PROTOCOL_ERROR)
            self.drop(closing.PROTOCOL_ERROR)
            return False
        self._heartbeat.receive()
        self._answering = poll
        if self._upgrade is not None:
            # Answered at once: nothing but the rate limit bounds how many polls come.
            if not self._rate.take(self._heartbeat.active_at):
                self.drop(closing.TOO_MANY_MESSAGES)
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
            self.session.end(closing.PROTOCOL_ERROR)
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
            self.session.end(closing.TOO_MANY_MESSAGES)
        elif not packet.startswith(engineio.BINARY):
            self.session.received(packet)
        elif not self.protocol.expects_binary():
            self.session.end(closing.NOT_TEXT)

    # What the session asks for

    def charge(self, messages: int) -> None:
        """Count a costly message as several."""
        for _ in range(messages):
            if not self._rate.take(self._heartbeat.active_at):
                self.session.end(closing.TOO_MANY_MESSAGES)
                return

    def hang_up(self, reason: Closing) -> None:
        """Send what waits and a close packet, with the poll that waits or with the next one."""
        self.ending.count(reason)
        self._finish(engineio.NOOP if reason is closing.CLIENT_LEFT else engineio.CLOSE)

    def drop(self, reason: Closing = INTERNAL_ERROR) -> None:
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
            self._upgrade.drop(closing.UPGRADE_FAILED)

    def poll_lost(self, poll: Poll) -> None:
        """The connection of a poll has ended before it was answered: the session ends."""
        if self.outbox.poll is poll:
            self.outbox.poll = None
            self.drop(closing.CLIENT_GONE)

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
            session.refuse(closing.CONNECT_MISSING)
        elif heartbeat.pinged_at is not None:
            # A snapshot may take the client longer than it has for an answer; its connection is judged by itself.
            if self._answering is not None and self._answering.is_sending:
                heartbeat.pinged_at = now
            elif heartbeat.is_late(now, self._limits.pong_s):
                self.drop(closing.NO_PONG)
        elif heartbeat.is_due(now, heartbeat_s, regularly=True) and self._upgrade is None:
            heartbeat.ping(now)
            self.outbox.push(session.protocol.ping)
