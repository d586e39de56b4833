"""Autobahn's WebSocket with ends that are bounded in time and counted once, and without Autobahn's log.

What failed is answered with a close frame before the connection ends.

Autobahn gives each connection some eighty attributes in a dictionary, half of them copies of the server's options, and
keeps the whole handshake, two queues, three futures and counters that nothing here reads: nine kilobytes for a
connection that only listens. Here its attributes have slots, the options stand once in a class, and what only the
handshake needs is dropped when that is over. ``tests/unit/serving/test_private_names.py`` fails by the name where
Autobahn gives an attribute that has no slot.
"""

from __future__ import annotations

from typing import Any

from autobahn.asyncio.websocket import WebSocketServerProtocol
from autobahn.websocket import protocol as autobahn_protocol
from autobahn.websocket.protocol import TrafficStats
from autobahn.websocket.utf8validator import Utf8Validator

from skywatch.realtime.transports import handshake
from skywatch.realtime.transports.shared import Shared
from skywatch.realtime.wire import close_codes
from skywatch.realtime.wire.close_codes import INTERNAL_ERROR, CloseReason, Ending, closed_by_client, failed_by_client
from skywatch.realtime.wire.outbox import Outbox

# Autobahn pretty-prints all its options for a debug line with every connection, which costs more than the handshake.
vars(autobahn_protocol)["pformat"] = str
# A connection that broke the rules gets this long to read the reason.
FAILED_S = 1.0
# What Autobahn sets on each connection: what it was until its end, and what the end needs.
STATE_SLOTS = (
    "_isMessageCompressed", "_perMessageCompress", "autoPingPending", "autoPingPendingCall", "autoPingPendingSent",
    "autoPingPendingSeq", "autoPingTimeoutCall", "closeHandshakeTimeoutCall", "closedByMe", "control_frame_data",
    "current_frame", "current_frame_masker", "data", "droppedByMe", "factory", "failedByMe", "frame_data",
    "frame_length", "inside_message", "localCloseCode", "localCloseReason", "message_data",
    "message_data_total_length", "message_is_binary", "openHandshakeTimeoutCall", "remoteCloseCode",
    "remoteCloseReason", "send_queue", "send_state", "state", "trackedTimings", "trafficStats", "transport",
    "triggered", "utf8validateIncomingCurrentMessage", "utf8validateLast", "utf8validator", "wasClean",
    "wasCloseHandshakeTimeout", "wasMaxFramePayloadSizeExceeded", "wasMaxMessagePayloadSizeExceeded",
    "wasNotCleanReason", "wasOpenHandshakeTimeout", "wasServerConnectionDropTimeout",
    "wasServingFlashSocketPolicyFile",
)  # fmt: skip
# What only the handshake needs: the request with its tokens, the answer, and where it came from.
HANDSHAKE_SLOTS = (
    "_transport_details", "_wskey", "http_headers", "http_request_data", "http_request_host", "http_request_params",
    "http_request_path", "http_request_uri", "http_response_data", "http_status_line", "peer", "receive_queue",
    "websocket_extensions", "websocket_extensions_in_use", "websocket_origin", "websocket_protocol_in_use",
    "websocket_protocols", "websocket_version",
)  # fmt: skip
# Autobahn's counts of bytes, which nothing reads: one object for all connections.
UNREAD = TrafficStats()


class UnusedFuture:
    """Takes the place of Autobahn's futures for an open and a closed connection, which nothing waits for."""

    @staticmethod
    def set_result(result: object) -> None:
        """Ignore the result."""


UNUSED_FUTURE = UnusedFuture()


def with_options(kind: type[Any], factory: Any) -> type[Any]:
    """A class of connections that has the options of a factory, which Autobahn copies to each connection otherwise."""
    options = {name: getattr(factory, name) for name in kind.CONFIG_ATTRS}
    # A function would become a method.
    options["perMessageCompressionAccept"] = staticmethod(options["perMessageCompressionAccept"])
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, **options})


class _Silence:
    """Autobahn's log, which would write handshakes with their tokens; what matters is logged here."""

    def __getattr__(self, name: str) -> Any:
        return self._nothing

    @staticmethod
    def _nothing(*args: Any, **kw: Any) -> None:
        pass


class GuardedWebSocket(WebSocketServerProtocol):
    """One WebSocket; all methods run on the server's loop."""

    log = _Silence()
    is_open = is_closed = UNUSED_FUTURE
    factory: Any
    # Emptied in ways that Autobahn's types do not know.
    receive_queue: Any
    send_queue: Any
    utf8validator: Any
    utf8validateLast: Any  # noqa: N815
    __slots__ = (*STATE_SLOTS, *HANDSHAKE_SLOTS, "_ignores_input", "ending", "outbox", "shared")

    # Autobahn's makes two futures and a table of listeners for each connection.
    def __init__(self) -> None:
        pass

    def _consume(self) -> None:
        """Autobahn's queue of received data is not used: ``data_received`` reads it at once."""

    def connection_made(self, transport: Any) -> None:
        self.shared: Shared = self.factory.shared
        self.ending = Ending()
        self.outbox: Outbox | None = None
        self._ignores_input = False
        super().connection_made(transport)  # type: ignore[no-untyped-call]
        self.receive_queue, self.send_queue = None, ()
        self.trafficStats = UNREAD
        self.utf8validator = self.current_frame_masker = self.utf8validateLast = None

    def onFrameBegin(self) -> None:  # noqa: N802
        if self.utf8validator is None:
            self.utf8validator = Utf8Validator()
        super().onFrameBegin()

    def _forget_handshake(self) -> None:
        """Free what only the handshake needed."""
        for name in HANDSHAKE_SLOTS:
            setattr(self, name, None)

    def _forget_message(self) -> None:
        """Free what only a message that was read needed, unless more of it will come."""
        if self.state == self.STATE_OPEN and self.current_frame is None and not self.inside_message:
            self.utf8validator = self.current_frame_masker = self.utf8validateLast = None

    def sendHttpErrorResponse(self, code: int, reason: str, responseHeaders: Any = None) -> None:  # noqa: N802, N803
        self.ending.count(close_codes.HANDSHAKE_REFUSED)
        self.sendData(handshake.refusal(code, reason, responseHeaders or ()))

    def onOpenHandshakeTimeout(self) -> None:  # noqa: N802
        self.ending.count(close_codes.HANDSHAKE_TIMEOUT)
        super().onOpenHandshakeTimeout()

    def hang_up(self, reason: CloseReason) -> None:
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

    def drop(self, reason: CloseReason = INTERNAL_ERROR) -> None:
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
        self.hang_up(failed_by_client(code, reason))
        self._expel()
