"""One WebSocket below a session, with what keeps a hostile peer from doing harm.

A connection that begins with a poll is handed over to ``PollingConnection``. Autobahn does the handshake and reads
frames. Frames to the client are ready-made and go straight to the transport; what a peer may send is bounded in size,
rate and time, and a connection that fails sends the reason before it closes.
"""

from __future__ import annotations

import logging
import secrets
from typing import Any

from autobahn.websocket.types import ConnectionDeny, ConnectionRequest

from skywatch.core.limits import RateLimit
from skywatch.core.network.addresses import client_network
from skywatch.core.problems import Problem
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.realtime.subscribers.authentication import NO_OFFER, Offer
from skywatch.realtime.subscribers.session import Session
from skywatch.realtime.transports import handshake
from skywatch.realtime.transports.guarded_websocket import GuardedWebSocket
from skywatch.realtime.transports.heartbeat import Heartbeat
from skywatch.realtime.transports.polling_clients import PollingClient, UpgradeLink
from skywatch.realtime.transports.polling_connection import PollingConnection
from skywatch.realtime.transports.shared import CountedPeer, Shared
from skywatch.realtime.wire import close_codes, engineio
from skywatch.realtime.wire.close_codes import Refusal
from skywatch.realtime.wire.messages import Protocol
from skywatch.realtime.wire.native import NATIVE, PACKED, PACKED_SUBPROTOCOL, SUBPROTOCOL
from skywatch.realtime.wire.outbox import HIGH_WATER_BYTES, LOW_WATER_BYTES, Link, Outbox
from skywatch.realtime.wire.socketio import SocketIOProtocol

log = logging.getLogger(__name__)
_faults = FaultLog(
    log, "a connection is dropped: its data could not be handled", "data of connections is handled again"
)
# Request line and headers of a handshake.
MAX_HANDSHAKE_BYTES = 16 * 1024
# A connection that is closing gets this long to take its last frames.
CLOSING_S = 5.0
DEFLATE = "permessage-deflate"


class UpgradeFailedError(Exception):
    """A client that polls has sent something else than what changes it over to a WebSocket."""


class OpeningHandshake:
    """The result of one handshake. ``candidate`` is the client that polls until this WebSocket takes over."""

    __slots__ = ("_address", "_is_packed", "_is_socket_io", "_offer", "_refusal", "candidate")

    def __init__(self) -> None:
        self.candidate: PollingClient | None = None
        self._offer: Offer | Problem = NO_OFFER
        self._refusal: Refusal | None = None
        self._address = ""
        self._is_socket_io = self._is_packed = False

    def accept(self, request: ConnectionRequest, shared: Shared, peer: CountedPeer) -> str | None:
        """Take a handshake; returns the subprotocol. Raises ConnectionDeny."""
        if handshake.is_misdirected(request, peer.address, shared.rules):
            raise ConnectionDeny(handshake.MISDIRECTED_REQUEST, "Misdirected Request")
        self._is_socket_io = handshake.is_socket_io(request, shared.rules)
        forwarded = handshake.forwarded_address(request, peer.address, shared.rules)
        if forwarded is not None and not peer.count(forwarded):
            raise ConnectionDeny(429, "Too Many Requests")
        self._address = forwarded or peer.address
        if self._is_socket_io and "sid" in request.params:
            self.candidate = _candidate_of(request, self._address, shared)
            return None
        self._refusal = shared.refusal_of(request)
        self._offer = shared.offer_of(request, peer.address)
        supported = [name for name in request.protocols if name in (SUBPROTOCOL, PACKED_SUBPROTOCOL)]
        chosen = supported[0] if supported and not self._is_socket_io else None
        self._is_packed = chosen == PACKED_SUBPROTOCOL
        return chosen

    def begin_session(self, shared: Shared, link: Link, outbox: Outbox) -> Session:
        """A session for a new client, connecting or refused where the handshake says so already."""
        offer = self._offer
        session = Session(shared.hub, link, outbox, self._protocol(shared), self._address)
        if self._refusal is not None:
            session.refuse(self._refusal)
        elif isinstance(offer, Problem):
            session.refuse(close_codes.wrong_credential(offer))
        else:
            session.offer = offer
            # A Socket.IO client always sends its CONNECT packet, a native one need not when the header says it.
            if offer.credential is not None and not self._is_socket_io:
                session.connect(offer.credential)
        return session

    def _protocol(self, shared: Shared) -> Protocol:
        if not self._is_socket_io:
            return PACKED if self._is_packed else NATIVE
        limits, sid = shared.limits, secrets.token_urlsafe(15)
        return SocketIOProtocol(
            engineio.open_packet(sid, shared.hub.heartbeat_s, limits.pong_s, limits.message_bytes, ())
        )

    def negotiate(self, payload: bytes, link: UpgradeLink, outbox: Outbox) -> PollingClient | None:
        """One of the two messages by which a client that polls tries a WebSocket and changes over to it.

        Returns the client after the second one. Raises UpgradeFailedError.
        """
        client = self.candidate
        assert client is not None
        if payload == engineio.PROBE and client.may_upgrade:
            outbox.push(engineio.PROBE_ANSWER_FRAME)
            client.begin_upgrade(link)
            return None
        if payload == engineio.UPGRADE and client.is_upgrading(link):
            self.candidate = None
            return client
        raise UpgradeFailedError


# Of every connection whose session has begun, or that has taken one over.
OPENED = OpeningHandshake()


def _candidate_of(request: ConnectionRequest, address: str, shared: Shared) -> PollingClient:
    """The client that requests the upgrade; raises ConnectionDeny where there is none."""
    client = shared.polling.find(request.params["sid"][-1], client_network(address), request.origin or "")
    if client is None or not client.may_upgrade:
        raise ConnectionDeny(400, "Session ID unknown")
    return client


class WebSocketConnection(GuardedWebSocket):
    """One client; all methods run on the server's loop."""

    def connection_made(self, transport: Any) -> None:
        self.session: Session | None = None
        self.deflate = False
        self.heartbeat = Heartbeat()
        self._opening = OpeningHandshake()
        self._closing_since: float | None = None
        # A client's ping that came while frames waited for it to read.
        self._unanswered_ping: bytes | None = None
        # What came before the whole head of the handshake was there; None after it.
        self._head: bytes | None = b""
        self.begin()
        address = str((transport.get_extra_info("peername") or ("local",))[0])
        self._peer = CountedPeer(self.shared, self.ending, address)
        # The limits stand before what Autobahn prepares for a connection.
        self._is_admitted = self._admit(address)
        if not self._is_admitted:
            self._ignores_input = True
            transport.abort()
            return
        self.shared.connections[self] = None
        super().connection_made(transport)  # type: ignore[no-untyped-call]
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES, low=LOW_WATER_BYTES)

    def _admit(self, address: str) -> bool:
        """Whether there is room for one more connection, in all and of its address."""
        if len(self.shared.connections) >= self.shared.limits.connections:
            self.shared.refused += 1
            self.ending.count(close_codes.CONNECTION_LIMIT)
            return False
        return address in self.shared.rules.proxies or self._peer.count(address)

    def eof_received(self) -> None:
        """The peer has closed its side without a close frame: nothing more is sent."""
        self.ending.count(close_codes.CLIENT_GONE)
        self._leave()

    def _leave(self) -> None:
        if self.outbox is not None:
            self.outbox.discard()
        if self.session is not None:
            self.session.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.shared.stopping:
            self.ending.count(close_codes.RESTARTING)
        self.ending.count(close_codes.CLIENT_GONE if exc is None else close_codes.CONNECTION_LOST)
        self.shared.connections.pop(self, None)
        self._peer.release()
        if self._opening.candidate is not None:
            self._opening.candidate.end_upgrade(self)
        self._leave()
        if self._is_admitted:
            super().connection_lost(exc)  # type: ignore[no-untyped-call]

    # Handshake

    def _take_head(self, data: bytes) -> bytes:
        """What Autobahn is to read: nothing before the head is whole, nor of a connection that begins with a poll."""
        head = (self._head or b"") + data
        if len(head) > MAX_HANDSHAKE_BYTES and b"\r\n\r\n" not in head[: MAX_HANDSHAKE_BYTES + 4]:
            self.drop(close_codes.HANDSHAKE_SIZE)
            return b""
        if b"\r\n\r\n" not in head:
            self._head = head
            return b""
        self._head = None
        if not handshake.is_poll(head):
            return head
        self._hand_over(head)
        return b""

    def _hand_over(self, data: bytes) -> None:
        """Leave the connection to one that reads plain requests."""
        transport = self.transport
        self._ignores_input = True
        self.shared.connections.pop(self, None)
        # For Autobahn it ends here.
        super().connection_lost(None)  # type: ignore[no-untyped-call]
        connection = PollingConnection(self.shared, transport, self._peer)
        transport.set_protocol(connection)
        connection.data_received(data)

    def onConnect(self, request: ConnectionRequest) -> str | None:  # noqa: N802
        # The first offer is accepted; one that cannot be read fails the handshake.
        self.deflate = self.shared.compresses and any(name == DEFLATE for name, _ in request.extensions)
        return self._opening.accept(request, self.shared, self._peer)

    def onOpen(self) -> None:  # noqa: N802
        self._is_established = True
        self.forget_handshake()
        limits = self.shared.limits
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

    # From the client

    def data_received(self, data: bytes) -> None:
        if self._ignores_input or self.transport is None:
            return
        self.heartbeat.receive()
        try:
            if self._head is not None:
                data = self._take_head(data)
            if data:
                self._dataReceived(data)
            _faults.succeeded()
        except Exception as error:
            # Logged rarely: a client could fill the disk with such a fault.
            _faults.failed(type(error).__name__, error)
            self.drop()

    def _count(self) -> bool:
        if self._rate.take(self.heartbeat.active_at):
            return True
        if not self._ignores_input and self.session is not None:
            self.session.end(close_codes.TOO_MANY_MESSAGES)
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
            self.session.end(close_codes.NOT_BINARY)
        elif not self.session.protocol.expects_binary():
            self.session.end(close_codes.NOT_TEXT)

    def _negotiate(self, payload: bytes) -> None:
        """The two messages by which a client that polls tries a WebSocket and changes over to it."""
        assert self.outbox is not None
        try:
            client = self._opening.negotiate(payload, self, self.outbox)
        except UpgradeFailedError:
            self.drop(close_codes.UPGRADE_FAILED)
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
            self.session.end(close_codes.TOO_SLOW)

    def _cannot_write(self) -> None:
        if self.session is not None:
            self.session.close()
        self.drop(close_codes.WRITE_FAILED)

    def look_after(self, now: float, heartbeat_s: float) -> None:
        """Called once a second: ping silent clients; end those that do not authenticate, read or answer."""
        session, outbox = self.session, self.outbox
        if session is None or outbox is None:
            # Autobahn's handshake timeout looks after the others.
            if self._opening.candidate is not None and now - self.heartbeat.opened_at > self.shared.limits.connect_s:
                self.drop(close_codes.UPGRADE_FAILED)
            return
        if not self._is_established or session.state == "ended":
            self._closing_since = self._closing_since or now
            if now - self._closing_since > CLOSING_S and self.transport is not None:
                self.transport.abort()
            return
        limits, heartbeat = self.shared.limits, self.heartbeat
        if session.state in ("new", "connecting") and now - heartbeat.opened_at > limits.connect_s:
            session.refuse(close_codes.CONNECT_MISSING)
        elif outbox.stalled_s() > limits.stall_s:
            session.end(close_codes.TOO_SLOW)
        elif outbox.congested:
            # Behind a backlog a ping is read late; the stall above judges that.
            return
        elif heartbeat.is_late(now, limits.pong_s):
            session.close()
            self.drop(close_codes.NO_PONG)
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
