"""One HTTP connection of clients that poll: reads requests, answers each in its turn, and bounds what a peer may do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from skywatch.core.limits import RateLimit
from skywatch.core.network.addresses import client_network
from skywatch.core.problems import Problem
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.http.clients.locality import MISDIRECTED
from skywatch.realtime.metrics import REALTIME_POLLS
from skywatch.realtime.transports import handshake
from skywatch.realtime.transports import polling_responses as responses
from skywatch.realtime.transports.polling_clients import PollingClient
from skywatch.realtime.transports.polling_requests import BadRequest, Request, RequestReader
from skywatch.realtime.transports.polling_responses import EngineError, answer_head, page_headers
from skywatch.realtime.transports.shared import CountedPeer, Shared
from skywatch.realtime.wire import close_codes, engineio
from skywatch.realtime.wire.close_codes import INTERNAL_ERROR, CloseReason, wrong_credential
from skywatch.realtime.wire.outbox import Outbox

log = logging.getLogger(__name__)
_faults = FaultLog(log, "a connection is dropped: its request could not be handled", "requests are handled again")
# Without a request, beyond the longest pause of a client that answers pings.
IDLE_S = 30.0
# Time to read the answer for a peer that sent an invalid request.
FAILED_S = 1.0


class PollingConnection(asyncio.Protocol):
    """Takes over a connection whose first request is a poll; ``peer`` counts it and is released at its end."""

    session = None

    def __init__(self, shared: Shared, transport: Any, peer: CountedPeer) -> None:
        self.shared = shared
        self.transport = transport
        self._peer = peer
        limits = shared.limits
        # One answer at a time is sent, so nothing queues up behind it.
        self._outbox = Outbox(transport, shared.hub.turn, limits.queue_frames, limits.queue_bytes, self.drop, self.drop)
        self._reader = RequestReader(limits.message_bytes, self._send_continue)
        # The request that is being answered, and whose poll it is.
        self._current: Request | None = None
        self._client: PollingClient | None = None
        self._reading = self._ignores_input = self._ends = False
        # Of requests that no session counts; what is refused ends the connection.
        self._rate = RateLimit(limits.messages_per_s)
        shared.connections[self] = None

    # From the peer

    def data_received(self, data: bytes) -> None:
        if self._ignores_input:
            return
        if not self._reader.put(data):
            self.drop()
            return
        try:
            self._read()
            _faults.succeeded()
        except Exception as error:
            _faults.failed(type(error).__name__, error)
            self.drop()

    def _read(self) -> None:
        """Handle the requests that are complete, one after the other."""
        if self._reading:
            return
        self._reading = True
        try:
            while self._current is None and not self._ignores_input and self._next():
                pass
        except BadRequest as error:
            self._fail(error.status, str(error))
        finally:
            self._reading = False

    def _next(self) -> bool:
        """Handle one request; False where none is complete. Raises BadRequest."""
        complete = self._reader.next()
        if complete is None:
            return False
        request, body = complete
        if request.is_websocket:
            self._hand_over()
            return False
        self._current = request
        self._serve(request, body)
        return True

    def _send_continue(self) -> None:
        self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _hand_over(self) -> None:
        """Leave the connection to a WebSocket: some clients upgrade on the connection that they polled by."""
        if self._outbox.congested:
            raise BadRequest(400, "The answer before has not been read yet.")
        data = self._reader.take_rest()
        self._ignores_input = True
        self._release()
        connection = self.shared.new_web_socket()
        self.transport.set_protocol(connection)
        connection.connection_made(self.transport)
        connection.data_received(data)

    def _serve(self, request: Request, body: bytes) -> None:
        transport = request.param("transport")
        if handshake.is_misdirected(request, self._peer.address, self.shared.rules):
            self._answer(handshake.MISDIRECTED_REQUEST, responses.TEXT, [f"{MISDIRECTED}\n".encode()], is_last=True)
        elif request.path.rstrip("/") != handshake.SOCKET_IO_PATH:
            self._answer(404, responses.TEXT, [b"Not Found\n"], is_last=True)
        elif request.param("sid") is None and not self._rate.take(self._reader.active_at):
            self._refuse(responses.TOO_MANY_REQUESTS)
        elif request.method == "OPTIONS":
            self._answer(200, responses.TEXT, [])
        elif request.param("EIO") != engineio.VERSION:
            self._refuse(responses.UNSUPPORTED_VERSION)
        elif transport != "polling":
            self._refuse(responses.BAD_REQUEST if transport == "websocket" else responses.UNKNOWN_TRANSPORT)
        elif request.param("sid") is None:
            self._open_session(request)
        else:
            self._serve_client(request, body)

    def _network(self, request: Request) -> str:
        forwarded = handshake.forwarded_address(request, self._peer.address, self.shared.rules)
        return client_network(self._peer.address if forwarded is None else forwarded)

    def _open_session(self, request: Request) -> None:
        shared = self.shared
        if request.method != "GET":
            self._refuse(responses.BAD_HANDSHAKE_METHOD)
            return
        if shared.stopping:
            self._refuse(responses.RESTARTING)
            return
        refusal = shared.refusal_of(request)
        client = shared.polling.open(self._network(request), request.origin, upgrades=refusal is None)
        if client is None:
            shared.refused += 1
            self._refuse(responses.TOO_MANY)
            return
        offer = shared.offer_of(request, self._peer.address)
        if refusal is not None:
            client.session.refusal = refusal
        elif isinstance(offer, Problem):
            client.session.refusal = wrong_credential(offer)
        else:
            client.session.offer = offer
        self._poll(client)

    def _serve_client(self, request: Request, body: bytes) -> None:
        client = self.shared.polling.find(request.param("sid") or "", self._network(request), request.origin)
        if client is None:
            self._refuse(responses.UNKNOWN_SID)
        elif request.method == "GET":
            self._poll(client)
        elif request.method != "POST":
            self._refuse(responses.BAD_REQUEST)
        else:
            is_valid = client.post(body)
            self.shared.polling.release(client)
            if is_valid:
                self._answer(200, responses.TEXT, [b"ok"])
            else:
                self._refuse(responses.BAD_REQUEST)

    def _poll(self, client: PollingClient) -> None:
        REALTIME_POLLS.inc()
        self._client = client
        if not client.poll(self):
            self._refuse(responses.BAD_REQUEST if not client.ended_at else responses.UNKNOWN_SID)

    # Answers

    @property
    def is_sending(self) -> bool:
        """Whether the last answer has not left yet."""
        return self._outbox.congested

    def answer_poll(self, parts: Sequence[bytes | memoryview]) -> None:
        """Answer the poll that waits; packets for a connection that has just ended end the session, not get lost."""
        client, self._client = self._client, None
        if client is not None and self.transport.is_closing():
            client.drop(close_codes.CLIENT_GONE)
            return
        self._answer(200, responses.TEXT, parts)

    def _refuse(self, error: EngineError) -> None:
        self._client = None
        self._answer(error.status, responses.JSON, [error.body], is_last=True)

    def _answer(
        self, status: int, media_type: bytes, parts: Sequence[bytes | memoryview], *, is_last: bool = False
    ) -> None:
        request, self._current = self._current, None
        assert request is not None
        self._ends = is_last or request.is_last or self.shared.stopping
        headers = page_headers(request, self.shared.rules)
        head = answer_head(status, media_type, sum(map(len, parts)), headers, is_last=self._ends)
        self._outbox.write((head, *parts))
        if self._ends:
            self._ignores_input = True
            self._close_when_sent()
        elif not self._reader.is_empty:
            self._reader.restart()
            self._read()

    def _fail(self, status: int, detail: str) -> None:
        """Answer a request that cannot be parsed, stop reading, and close when the peer has had time to read it."""
        self._ignores_input = True
        self._reader.take_rest()
        body = f"{detail}\n".encode()
        self._outbox.write((answer_head(status, responses.TEXT, len(body), b"", is_last=True), body))
        self.shared.hub.loop.call_later(FAILED_S, self.drop)

    def _close_when_sent(self) -> None:
        if not self._outbox.congested:
            self.transport.close()

    # Flow and the end

    def pause_writing(self) -> None:
        self._outbox.pause()

    def resume_writing(self) -> None:
        self._outbox.resume()
        if self._ends:
            self._close_when_sent()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being received or answered."""
        return self._current is None and not self._outbox.congested

    def look_after(self, now: float, heartbeat_s: float) -> None:
        """Once a second: close if a request is not finished, an answer not read, or nothing requested for too long."""
        limits = self.shared.limits
        if (
            (self._current is None and self._reader.is_overdue(now))
            or self._outbox.stalled_s() > limits.stall_s
            or (self.is_idle and now - self._reader.active_at > heartbeat_s + limits.pong_s + IDLE_S)
        ):
            self.drop()

    def _release(self) -> None:
        self.shared.connections.pop(self, None)
        self._peer.release()

    def drop(self, reason: CloseReason = INTERNAL_ERROR) -> None:
        """End at once; what is counted is the end of the client whose poll waits."""
        self._ignores_input = True
        self._outbox.discard()
        self.transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self._ignores_input = True
        self._outbox.discard()
        self._release()
        client, self._client = self._client, None
        if client is not None:
            client.poll_lost(self)
            self.shared.polling.release(client)
