"""The shared state of all connections of one server, and the address that each of them is counted for."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from skywatch.core.limits import CountLimit, RateLimit
from skywatch.core.network.addresses import client_network
from skywatch.core.problems import Problem
from skywatch.realtime.subscribers.authentication import Offer
from skywatch.realtime.subscribers.hub import Hub
from skywatch.realtime.transports import handshake
from skywatch.realtime.transports.handshake import HandshakeRequest, Rules
from skywatch.realtime.transports.polling_clients import PollingClients
from skywatch.realtime.wire import close_codes
from skywatch.realtime.wire.close_codes import INTERNAL_ERROR, ORIGIN_NOT_ALLOWED, CloseReason, Ending, Refusal
from skywatch.realtime.wire.limits import Limits

log = logging.getLogger(__name__)
# Interval between two log lines about tokens in URLs, and about refused origins (s).
WARN_EVERY_S = 60.0
MAX_LOGGED_ORIGIN = 200


class Peer(Protocol):
    """One connection, or one client that polls."""

    def look_after(self, now: float, heartbeat_s: float) -> None:
        """Called once a second: end it if it exceeds a time limit."""

    def drop(self, reason: CloseReason = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""


class PeerConnection(Peer, Protocol):
    """One connection."""

    transport: Any

    @property
    def is_idle(self) -> bool:
        """Whether it can be dropped without loss."""


@dataclass
class Shared:
    """The shared state of all connections of one server; each is made with it."""

    hub: Hub
    rules: Rules
    limits: Limits
    addresses: CountLimit
    polling: PollingClients
    # Makes the protocol of a connection that becomes a WebSocket.
    new_web_socket: Callable[[], Any]
    # Whether messages are compressed for clients that offer it.
    compresses: bool = False
    connections: dict[PeerConnection, None] = field(default_factory=dict)
    leak_warnings: RateLimit = field(default_factory=lambda: RateLimit(1 / WARN_EVERY_S, burst=1))
    origin_warnings: RateLimit = field(default_factory=lambda: RateLimit(1 / WARN_EVERY_S, burst=1))
    # Connections refused by a limit.
    refused: int = 0
    # Whether the service stops: nobody is admitted any more.
    stopping: bool = False

    def refusal_of(self, request: HandshakeRequest) -> Refusal | None:
        """The refusal of a page of another origin, which is logged; None if it may open the channel."""
        if handshake.page_allowed(request, self.rules):
            return None
        if self.origin_warnings.take(time.monotonic()):
            log.warning(
                "the channel refused a page of the origin %.*r: cors_allowed_origins does not list it",
                MAX_LOGGED_ORIGIN,
                request.origin,
            )
        return ORIGIN_NOT_ALLOWED

    def offer_of(self, request: HandshakeRequest, peer: str) -> Offer | Problem:
        """The credentials of a handshake, or the fault in them."""
        offer = handshake.offer_of(request, self.rules)
        if isinstance(offer, Offer) and handshake.is_local(request, peer, self.rules):
            offer = replace(offer, is_local=True)
        if isinstance(offer, Offer) and offer.leaks and self.leak_warnings.take(time.monotonic()):
            log.warning("a client at %s sent its token in the address, where it leaks into logs", peer)
        return offer


class CountedPeer:
    """``address`` is the socket's peer, which may be a proxy; what is counted may be the client behind it."""

    __slots__ = ("_ending", "_network", "_shared", "address")

    def __init__(self, shared: Shared, ending: Ending, address: str) -> None:
        self.address = address
        self._shared = shared
        self._ending = ending
        self._network: str | None = None

    def count(self, address: str) -> bool:
        """Count the connection for an address; False if its network has reached the limit, which ends it."""
        network = client_network(address)
        if not self._shared.addresses.take(network):
            self._shared.refused += 1
            self._ending.count(close_codes.ADDRESS_LIMIT)
            return False
        self._network = network
        return True

    def release(self) -> None:
        """The connection has ended. Safe to call twice."""
        if self._network is not None:
            self._shared.addresses.release(self._network)
            self._network = None
