"""The opening of a WebSocket: which protocol its handshake asks for, who it is, and the session that begins with it."""

from __future__ import annotations

import secrets

from autobahn.websocket.types import ConnectionDeny, ConnectionRequest

from skywatch.core.network.addresses import client_network
from skywatch.core.problems import Problem
from skywatch.realtime.connections import closing
from skywatch.realtime.connections.authentication import NO_OFFER, Offer
from skywatch.realtime.connections.closing import Refusal
from skywatch.realtime.connections.peers import CountedPeer
from skywatch.realtime.connections.queues import Outbox
from skywatch.realtime.handshakes import handshake
from skywatch.realtime.polling.client import PollingClient, UpgradeLink
from skywatch.realtime.protocols import engineio
from skywatch.realtime.protocols.base import Protocol
from skywatch.realtime.protocols.native import NATIVE, PACKED, PACKED_SUBPROTOCOL, SUBPROTOCOL
from skywatch.realtime.protocols.socketio import SocketIOProtocol
from skywatch.realtime.subscribers.link import Link
from skywatch.realtime.subscribers.session import Session
from skywatch.realtime.subscribers.shared import Shared


class UpgradeFailedError(Exception):
    """A client that polls has sent something else than what changes it over to a WebSocket."""


class Opening:
    """The result of one handshake. ``candidate`` is the client that polls until this WebSocket takes over."""

    __slots__ = ("_is_packed", "_is_socket_io", "_offer", "_refusal", "candidate")

    def __init__(self) -> None:
        self.candidate: PollingClient | None = None
        self._offer: Offer | Problem = NO_OFFER
        self._refusal: Refusal | None = None
        self._is_socket_io = self._is_packed = False

    def accept(self, request: ConnectionRequest, shared: Shared, peer: CountedPeer) -> str | None:
        """Take a handshake; returns the subprotocol. Raises ConnectionDeny."""
        self._is_socket_io = handshake.is_socket_io(request, shared.rules)
        forwarded = handshake.forwarded_address(request, peer.address, shared.rules)
        if forwarded is not None and not peer.count(forwarded):
            raise ConnectionDeny(429, "Too Many Requests")
        if self._is_socket_io and "sid" in request.params:
            self.candidate = _candidate_of(request, forwarded or peer.address, shared)
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
        session = Session(shared.hub, link, outbox, self._protocol(shared))
        if self._refusal is not None:
            session.refuse(self._refusal)
        elif isinstance(offer, Problem):
            session.refuse(closing.wrong_credential(offer))
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
OPENED = Opening()


def _candidate_of(request: ConnectionRequest, address: str, shared: Shared) -> PollingClient:
    """The client that requests the upgrade; raises ConnectionDeny where there is none."""
    client = shared.polling.find(request.params["sid"][-1], client_network(address), request.origin or "")
    if client is None or not client.may_upgrade:
        raise ConnectionDeny(400, "Session ID unknown")
    return client
