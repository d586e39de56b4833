"""Autobahn's WebSocket with ends that are bounded in time and counted once, and without Autobahn's log.

What failed is answered with a close frame before the connection ends.
"""

from __future__ import annotations

from typing import Any

from autobahn.asyncio.websocket import WebSocketServerProtocol

from skywatch.realtime.transports import handshake
from skywatch.realtime.transports.shared import Shared
from skywatch.realtime.wire import close_codes
from skywatch.realtime.wire.close_codes import INTERNAL_ERROR, CloseReason, Ending, closed_by_client, failed_by_client
from skywatch.realtime.wire.outbox import Outbox

# A connection that broke the rules gets this long to read the reason.
FAILED_S = 1.0


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

    def __init__(self, shared: Shared) -> None:
        super().__init__()
        self.shared = shared

    def begin(self) -> None:
        """Prepare what an end needs; to be called before anything else happens to the connection."""
        self.ending = Ending()
        self.outbox: Outbox | None = None
        self.transport: Any = None
        # Between the handshake and the first close frame of either side.
        self._is_established = False
        self._ignores_input = False

    def forget_handshake(self) -> None:
        """Keep nothing of the request: credentials come in its address, its headers and its cookies."""
        for name, value in vars(self).items():
            if name.startswith("http_") and value is not None:
                setattr(self, name, type(value)())

    def sendHttpErrorResponse(self, code: int, reason: str, responseHeaders: Any = None) -> None:  # noqa: N802, N803
        self.ending.count(close_codes.HANDSHAKE_REFUSED)
        self.transport.write(handshake.refusal(code, reason, responseHeaders or ()))

    def onOpenHandshakeTimeout(self) -> None:  # noqa: N802
        self.ending.count(close_codes.HANDSHAKE_TIMEOUT)
        super().onOpenHandshakeTimeout()

    def hang_up(self, reason: CloseReason) -> None:
        """Send a close frame; the connection ends with the peer's answer, or a little later without."""
        self.ending.count(reason)
        if self.transport is None or not self._is_established:
            self.drop()
            return
        if self.outbox is not None and not self.outbox.close():
            self.drop()
            return
        self._is_established = False
        self.sendCloseFrame(reason.code, reason.message.encode()[:123])

    def onCloseFrame(self, code: int, reasonRaw: bytes) -> Any:  # noqa: N802, N803
        result = super().onCloseFrame(code, reasonRaw)
        self._is_established = False
        # After an end of ours this is the answer to it.
        self.ending.count(closed_by_client(code))
        return result

    def drop(self, reason: CloseReason = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""
        self.ending.count(reason)
        self._is_established = False
        self._stop_listening()
        if self.transport is not None:
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
