"""One WebSocket below a session, with what keeps a hostile peer from doing harm.

A connection that begins with a poll is handed over to ``HttpConnection``. Autobahn does the handshake and reads
frames. Frames to the client are ready-made and go straight to the transport; what a peer may send is bounded in size,
rate and time, and a connection that fails sends the reason before it closes.
"""

from __future__ import annotations

import logging
from typing import Any

from autobahn.websocket.types import ConnectionRequest

from skywatch.core.network.rate_limit import RateLimit
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.realtime.connections import closing
from skywatch.realtime.connections.heartbeat import Heartbeat
from skywatch.realtime.connections.peers import CountedPeer
from skywatch.realtime.connections.queues import HIGH_WATER_BYTES, LOW_WATER_BYTES, Outbox
from skywatch.realtime.connections.websocket import GuardedWebSocket
from skywatch.realtime.handshakes import handshake
from skywatch.realtime.handshakes.opening import OPENED, Opening, UpgradeFailedError
from skywatch.realtime.polling.http import HttpConnection
from skywatch.realtime.subscribers.session import Session

log = logging.getLogger(__name__)
_faults = FaultLog(
    log, "a connection is dropped: its data could not be handled", "data of connections is handled again"
)
# Request line and headers of a handshake.
MAXIMUM_HANDSHAKE_BYTES = 16 * 1024
# A connection that is closing gets this long to take its last frames.
CLOSING_S = 5.0


class Connection(GuardedWebSocket):
    """One client; all methods run on the server's loop."""

    __slots__ = (
        "_closing_since",
        "_opening",
        "_peer",
        "_rate",
        "_unanswered_ping",
        "deflate",
        "heartbeat",
        "session",
    )

    def connection_made(self, transport: Any) -> None:
        self.session: Session | None = None
        self.deflate = False
        self.heartbeat = Heartbeat()
        self._opening = Opening()
        self._closing_since: float | None = None
        # A client's ping that came while frames waited for it to read.
        self._unanswered_ping: bytes | None = None
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES, low=LOW_WATER_BYTES)
        address = str((transport.get_extra_info("peername") or ("local",))[0])
        self._peer = CountedPeer(self.shared, self.ending, address)
        self.shared.connections[self] = None
        if len(self.shared.connections) > self.shared.limits.connections:
            self.shared.refused += 1
            self.ending.count(closing.CONNECTION_LIMIT)
            transport.abort()
        elif address not in self.shared.rules.proxies and not self._peer.count(address):
            transport.abort()

    def eof_received(self) -> None:
        """The peer has closed its side without a close frame: nothing more is sent."""
        self.ending.count(closing.CLIENT_GONE)
        self._leave()

    def _leave(self) -> None:
        if self.outbox is not None:
            self.outbox.discard()
        if self.session is not None:
            self.session.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.shared.stopping:
            self.ending.count(closing.RESTARTING)
        self.ending.count(closing.CLIENT_GONE if exc is None else closing.CONNECTION_LOST)
        self.shared.connections.pop(self, None)
        self._peer.release()
        if self._opening.candidate is not None:
            self._opening.candidate.end_upgrade(self)
        self._leave()
        super().connection_lost(exc)  # type: ignore[no-untyped-call]

    # Handshake

    def processHandshake(self) -> None:  # noqa: N802 (Autobahn's name)
        if len(self.data) > MAXIMUM_HANDSHAKE_BYTES and b"\r\n\r\n" not in self.data[: MAXIMUM_HANDSHAKE_BYTES + 4]:
            self.drop(closing.HANDSHAKE_SIZE)
            return
        if handshake.is_poll(self.data):
            self._hand_over()
        else:
            super().processHandshake()

    def _hand_over(self) -> None:
        """Leave the connection to one that reads plain requests."""
        data, self.data = self.data, b""
        self._ignores_input = True
        self.state = self.STATE_CLOSED
        if self.openHandshakeTimeoutCall is not None:
            self.openHandshakeTimeoutCall.cancel()
            self.openHandshakeTimeoutCall = None
        self.shared.connections.pop(self, None)
        connection = HttpConnection(self.shared, self.transport, self._peer)
        self.transport.set_protocol(connection)
        connection.data_received(data)

    def onConnect(self, request: ConnectionRequest) -> str | None:  # noqa: N802
        return self._opening.accept(request, self.shared, self._peer)

    def onOpen(self) -> None:  # noqa: N802
        limits = self.shared.limits
        self.deflate = self._perMessageCompress is not None
        self.outbox = Outbox(
            self.transport,
            self.shared.hub.turn,
            limits.queue_frames,
            limits.queue_bytes,
            self._overflow,
            self._cannot_write,
        )
        self._rate = RateLimit(limits.messages_per_s)
        if self._opening.candidate is None:
            self.session = self._opening.begin_session(self.shared, self, self.outbox)
            self._opening = OPENED
        self._forget_handshake()

    # From the client

    def data_received(self, data: bytes) -> None:
        if self._ignores_input or self.transport is None:
            return
        self.heartbeat.receive()
        try:
            self._dataReceived(data)
            self._forget_message()
            _faults.succeeded()
        except Exception as error:
            # Logged rarely: a client could fill the disk with such a fault.
            _faults.failed(type(error).__name__, error)
            self.drop()

    def _count(self) -> bool:
        if self._rate.take(self.heartbeat.active_at):
            return True
        if not self._ignores_input and self.session is not None:
            self.session.end(closing.TOO_MANY_MESSAGES)
            self._expel()
        return False

    def charge(self, messages: int) -> None:
        """Count a costly message as several."""
        for _ in range(messages):
            self._count()

    def onMessageFrameBegin(self, length: int) -> None:  # noqa: N802
        self._count()
        super().onMessageFrameBegin(length)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803
        if self._opening.candidate is not None and not self._ignores_input:
            self._negotiate(payload)
            return
        if self.session is None or self._ignores_input:
            return
        if isBinary == self.session.protocol.is_binary:
            self.session.received(payload)
        elif self.session.protocol.is_binary:
            self.session.end(closing.NOT_BINARY)
        elif not self.session.protocol.expects_binary():
            self.session.end(closing.NOT_TEXT)

    def _negotiate(self, payload: bytes) -> None:
        """The two messages by which a client that polls tries a WebSocket and changes over to it."""
        assert self.outbox is not None
        try:
            client = self._opening.negotiate(payload, self, self.outbox)
        except UpgradeFailedError:
            self.drop(closing.UPGRADE_FAILED)
            return
        if client is not None:
            self.session = client.session
            client.complete_upgrade(self, self.outbox)
            self.shared.polling.release(client)

    def onPing(self, payload: bytes) -> None:  # noqa: N802
        if not self._count() or self.outbox is None:
            return
        if self.outbox.congested:
            # Of several only the newest need be answered (RFC 6455, 5.5.3).
            self._unanswered_ping = payload
        else:
            super().onPing(payload)

    def onPong(self, payload: bytes) -> None:  # noqa: N802
        self._count()

    # Flow of what is written

    def pause_writing(self) -> None:
        if self.outbox is not None:
            self.outbox.pause()

    def resume_writing(self) -> None:
        if self.outbox is not None:
            self.outbox.resume()
            if self.outbox.congested:
                return
            if self._unanswered_ping is not None:
                payload, self._unanswered_ping = self._unanswered_ping, None
                super().onPing(payload)
            if self.session is not None:
                self.session.drained()

    def _overflow(self) -> None:
        if self.session is not None:
            self.session.end(closing.TOO_SLOW)

    def _cannot_write(self) -> None:
        if self.session is not None:
            self.session.close()
        self.drop(closing.WRITE_FAILED)

    def look_after(self, now: float, heartbeat_s: float) -> None:
        """Called once a second: ping silent clients; end those that do not authenticate, read or answer."""
        session, outbox = self.session, self.outbox
        if session is None or outbox is None:
            # Autobahn's handshake timeout looks after the others.
            if self._opening.candidate is not None and now - self.heartbeat.opened_at > self.shared.limits.connect_s:
                self.drop(closing.UPGRADE_FAILED)
            return
        if self.state != self.STATE_OPEN or session.state == "ended":
            self._closing_since = self._closing_since or now
            if now - self._closing_since > CLOSING_S and self.transport is not None:
                self.transport.abort()
            return
        limits, heartbeat = self.shared.limits, self.heartbeat
        if session.state in ("new", "connecting") and now - heartbeat.opened_at > limits.connect_s:
            session.refuse(closing.CONNECT_MISSING)
        elif outbox.stalled_s() > limits.stall_s:
            session.end(closing.TOO_SLOW)
        elif outbox.congested:
            # Behind a backlog a ping is read late; the stall above judges that.
            return
        elif heartbeat.is_late(now, limits.pong_s):
            session.close()
            self.drop(closing.NO_PONG)
        elif heartbeat.pinged_at is None and heartbeat.is_due(
            now, heartbeat_s, regularly=session.protocol.pings_regularly
        ):
            heartbeat.ping(now)
            outbox.push(session.protocol.ping)

    # The end

    def _fail_connection(self, code: int = 1002, reason: str = "") -> None:
        """Called by Autobahn for a protocol error of the peer."""
        if self.session is not None:
            self.session.close()
        super()._fail_connection(code, reason)

    @property
    def is_idle(self) -> bool:
        """Whether no client has been admitted yet."""
        return self.session is None
