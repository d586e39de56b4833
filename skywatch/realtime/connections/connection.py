"""One WebSocket below a session: Autobahn's protocol, with everything that keeps a hostile peer from doing harm.

A connection that begins with a poll is handed over to ``HttpConnection``. Autobahn does the handshake and reads
frames. Frames to the client are ready-made and go straight to the transport; what a peer may send is bounded in size,
rate and time, and a connection that fails tells why before it ends.
"""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any

from autobahn.asyncio.websocket import WebSocketServerProtocol
from autobahn.websocket import protocol as autobahn_protocol
from autobahn.websocket.types import ConnectionDeny, ConnectionRequest

from skywatch.core.network.addresses import client_network
from skywatch.core.network.rate_limit import RateLimit
from skywatch.core.problems import Problem
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.realtime.connections import closing, handshake
from skywatch.realtime.connections.authentication import Offer
from skywatch.realtime.connections.closing import INTERNAL_ERROR, Closing, Refusal
from skywatch.realtime.connections.ending import Ending, closed_by_client, failed_by_client
from skywatch.realtime.connections.queues import HIGH_WATER_BYTES, LOW_WATER_BYTES, Outbox
from skywatch.realtime.polling.client import PollingClient
from skywatch.realtime.polling.http import HttpConnection
from skywatch.realtime.protocols import engineio
from skywatch.realtime.protocols.base import Protocol
from skywatch.realtime.protocols.native import PACKED_SUBPROTOCOL, SUBPROTOCOL, NativeProtocol, PackedProtocol
from skywatch.realtime.protocols.socketio import SocketIOProtocol
from skywatch.realtime.subscribers.session import Session
from skywatch.realtime.subscribers.shared import Shared

log = logging.getLogger(__name__)
_faults = FaultLog(
    log, "a connection is dropped: its data could not be handled", "data of connections is handled again"
)
# Autobahn pretty-prints all its options for a debug line with every connection, which costs more than the handshake.
vars(autobahn_protocol)["pformat"] = str
# Request line and headers of a handshake.
MAXIMUM_HANDSHAKE_BYTES = 16 * 1024
# A connection that is closing gets this long to take its last frames, one that broke the rules only this long.
CLOSING_S = 5.0
FAILED_S = 1.0


class _Silence:
    """Autobahn's log, which would write handshakes with their tokens; what matters is logged here."""

    def __getattr__(self, name: str) -> Any:
        return self._nothing

    @staticmethod
    def _nothing(*args: Any, **kw: Any) -> None:
        pass


class Connection(WebSocketServerProtocol):
    """One client; all methods run on the server's loop."""

    log = _Silence()
    factory: Any

    def connection_made(self, transport: Any) -> None:
        self.shared: Shared = self.factory.shared
        self.ending = Ending()
        self.session: Session | None = None
        self.outbox: Outbox | None = None
        self.deflate = False
        self.opened_at = self.received_at = self._pinged_last_at = time.monotonic()
        self.pinged_at: float | None = None
        self._offer: Offer | Problem = Offer()
        self._refusal: Refusal | None = None
        # The client that polls until this WebSocket takes over.
        self._candidate: PollingClient | None = None
        self._socket_io = False
        self._packed = False
        self._counted_address: str | None = None
        self._ignores_input = False
        self._closing_since: float | None = None
        # A client's ping that came while frames waited for it to read.
        self._unanswered_ping: bytes | None = None
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES, low=LOW_WATER_BYTES)
        peer = (transport.get_extra_info("peername") or ("local",))[0]
        self._peer = str(peer)
        self.shared.connections[self] = None
        if len(self.shared.connections) > self.shared.limits.connections:
            self.shared.refused += 1
            self.ending.count(closing.CONNECTION_LIMIT)
            transport.abort()
        elif self._peer not in self.shared.rules.proxies and not self._count_address(self._peer):
            transport.abort()

    def _count_address(self, address: str) -> bool:
        group = client_network(address)
        if not self.shared.addresses.take(group):
            self.shared.refused += 1
            self.ending.count(closing.ADDRESS_LIMIT)
            return False
        self._counted_address = group
        return True

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
        if self._counted_address is not None:
            self.shared.addresses.release(self._counted_address)
            self._counted_address = None
        if self._candidate is not None:
            self._candidate.end_upgrade(self)
        self._leave()
        super().connection_lost(exc)

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
        connection = HttpConnection(self.shared, self.transport, self._peer, self._counted_address)
        self._counted_address = None
        self.transport.set_protocol(connection)
        connection.data_received(data)

    def sendHttpErrorResponse(self, code: int, reason: str, responseHeaders: Any = None) -> None:  # noqa: N802, N803
        self.ending.count(closing.HANDSHAKE_REFUSED)
        self.sendData(handshake.refusal(code, reason, responseHeaders or ()))

    def onOpenHandshakeTimeout(self) -> None:  # noqa: N802
        self.ending.count(closing.HANDSHAKE_TIMEOUT)
        super().onOpenHandshakeTimeout()

    def onConnect(self, request: ConnectionRequest) -> str | None:  # noqa: N802
        rules = self.shared.rules
        self._socket_io = handshake.is_socket_io(request, rules)
        forwarded = handshake.forwarded_address(request, self._peer, rules)
        if forwarded is not None and not self._count_address(forwarded):
            raise ConnectionDeny(429, "Too Many Requests")
        if self._socket_io and "sid" in request.params:
            self._candidate = self._candidate_of(request, forwarded or self._peer)
            return None
        self._refusal = self.shared.refusal_of(request)
        self._offer = self.shared.offer_of(request, self._peer)
        supported = [name for name in request.protocols if name in (SUBPROTOCOL, PACKED_SUBPROTOCOL)]
        chosen = supported[0] if supported and not self._socket_io else None
        self._packed = chosen == PACKED_SUBPROTOCOL
        return chosen

    def _candidate_of(self, request: ConnectionRequest, address: str) -> PollingClient:
        """The client that wants to upgrade; raises ConnectionDeny where there is none."""
        client = self.shared.polling.find(request.params["sid"][-1], client_network(address), request.origin or "")
        if client is None or not client.may_upgrade:
            raise ConnectionDeny(400, "Session ID unknown")
        return client

    def onOpen(self) -> None:  # noqa: N802
        hub, limits, offer = self.shared.hub, self.shared.limits, self._offer
        self.deflate = self._perMessageCompress is not None
        self.outbox = Outbox(
            self.transport, hub.turn, limits.queue_frames, limits.queue_bytes, self._overflow, self._cannot_write
        )
        self._rate = RateLimit(limits.messages_per_s)
        if self._candidate is not None:
            return
        protocol: Protocol
        if self._socket_io:
            sid = secrets.token_urlsafe(15)
            protocol = SocketIOProtocol(
                engineio.open_packet(sid, hub.heartbeat_s, limits.pong_s, limits.message_bytes, ())
            )
        else:
            protocol = PackedProtocol() if self._packed else NativeProtocol()
        self.session = Session(hub, self, self.outbox, protocol)
        self._offer = Offer()
        if self._refusal is not None:
            self.session.refuse(self._refusal)
        elif isinstance(offer, Problem):
            self.session.refuse(closing.wrong_credential(offer))
        else:
            self.session.offer = offer
            # A Socket.IO client always sends its CONNECT packet, a native one need not when the header says it.
            if offer.credential is not None and not self._socket_io:
                self.session.connect(offer.credential)

    # From the client

    def data_received(self, data: bytes) -> None:
        if self._ignores_input or self.transport is None:
            return
        self.received_at = time.monotonic()
        self.pinged_at = None
        try:
            self._dataReceived(data)
            _faults.succeeded()
        except Exception as error:
            # Logged rarely: a client could fill the disk with such a fault.
            _faults.failed(type(error).__name__, error)
            self.drop()

    def _count(self) -> bool:
        if self._rate.take(self.received_at):
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
        if self._candidate is not None and not self._ignores_input:
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
        client, outbox = self._candidate, self.outbox
        assert client is not None
        assert outbox is not None
        if payload == engineio.PROBE and client.may_upgrade:
            outbox.push(engineio.PROBE_ANSWER_FRAME)
            client.begin_upgrade(self)
        elif payload == engineio.UPGRADE and client.is_upgrading(self):
            self._candidate = None
            self.session = session = client.session
            receipts = client.outbox.take_receipts()
            session.move(self, outbox, client.protocol.upgraded(), client.complete_upgrade())
            for callback in receipts:
                outbox.on_written(callback)
            self.shared.polling.release(client)
        else:
            self.drop(closing.UPGRADE_FAILED)

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
            if self._candidate is not None and now - self.opened_at > self.shared.limits.connect_s:
                self.drop(closing.UPGRADE_FAILED)
            return
        if self.state != self.STATE_OPEN or session.state == "ended":
            self._closing_since = self._closing_since or now
            if now - self._closing_since > CLOSING_S and self.transport is not None:
                self.transport.abort()
            return
        limits = self.shared.limits
        if session.state in ("new", "connecting") and now - self.opened_at > limits.connect_s:
            session.refuse(closing.CONNECT_MISSING)
        elif outbox.stalled_s() > limits.stall_s:
            session.end(closing.TOO_SLOW)
        elif self.pinged_at is not None:
            # Behind a backlog a ping is read late; the stall above judges that.
            if now - self.pinged_at > limits.pong_s and not outbox.congested:
                session.close()
                self.drop(closing.NO_PONG)
        elif self._is_ping_due(session, now, heartbeat_s) and not outbox.congested:
            self.pinged_at = self._pinged_last_at = now
            outbox.push(session.protocol.ping)

    def _is_ping_due(self, session: Session, now: float, heartbeat_s: float) -> bool:
        """Engine.IO's clients end a connection that did not ping them in time, however much came over it."""
        return now - (self._pinged_last_at if session.protocol.pings_regularly else self.received_at) > heartbeat_s

    # The end

    @property
    def is_idle(self) -> bool:
        """Whether nobody has been let in yet."""
        return self.session is None

    def hang_up(self, reason: Closing) -> None:
        """Send a close frame; the connection ends with the peer's answer, or a little later without."""
        self.ending.count(reason)
        if self.transport is None or self.state != self.STATE_OPEN:
            self.drop()
            return
        if self.outbox is not None and not self.outbox.close():
            self.drop()
            return
        self.sendCloseFrame(reason.code, reason.message.encode()[:123])

    def onCloseFrame(self, code: int, reasonRaw: bytes) -> Any:  # noqa: N802, N803
        result = super().onCloseFrame(code, reasonRaw)
        # After an end of ours this is the answer to it.
        self.ending.count(closed_by_client(code))
        return result

    def drop(self, reason: Closing = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""
        self.ending.count(reason)
        self._stop_listening()
        if self.transport is not None:
            self.wasClean = False
            self.dropConnection(abort=True)

    def _expel(self) -> None:
        """Read no more, and end when the peer has had time to read the reason."""
        self._stop_listening()
        self.shared.hub.loop.call_later(FAILED_S, self.drop)

    def _stop_listening(self) -> None:
        self._ignores_input = True
        self.data = b""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.pause_reading()

    def _fail_connection(self, code: int = 1002, reason: str = "") -> None:
        """Called by Autobahn for a protocol error of the peer: send a close frame, read no more, and end."""
        self.failedByMe = True
        if self.session is not None:
            self.session.close()
        self.hang_up(failed_by_client(code, reason))
        self._expel()
