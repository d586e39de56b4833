"""What the connections of one server have in common, whatever they speak."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from skywatch.core.problems import Problem
from skywatch.realtime import handshake
from skywatch.realtime.authentication import Offer
from skywatch.realtime.closing import INTERNAL_ERROR, ORIGIN_NOT_ALLOWED, Closing, Refusal
from skywatch.realtime.handshake import HandshakeRequest, Rules
from skywatch.realtime.hub import Hub
from skywatch.realtime.limits import ConnectionCounter, Limits, LogInterval
from skywatch.realtime.polling.clients import PollingClients

log = logging.getLogger(__name__)
# Tokens in addresses, and refused origins, are logged this often at most.
WARN_EVERY_S = 60.0
SHOWN_CHARACTERS = 200


class Peer(Protocol):
    """One connection, or one client that polls."""

    def look_after(self, now: float, heartbeat_s: float) -> None:
        """Once a second: end it where it breaks the limits of time."""

    def drop(self, reason: Closing = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""


class PeerConnection(Peer, Protocol):
    """One connection."""

    transport: Any

    @property
    def is_idle(self) -> bool:
        """Whether nothing is lost when it is cut."""


@dataclass
class Shared:
    """What the connections of one server have in common; each finds it in its factory."""

    hub: Hub
    rules: Rules
    limits: Limits
    addresses: ConnectionCounter
    polling: PollingClients
    # Makes the protocol of a connection that becomes a WebSocket.
    new_web_socket: Callable[[], Any]
    connections: dict[PeerConnection, None] = field(default_factory=dict)
    leak_warnings: LogInterval = field(default_factory=lambda: LogInterval(WARN_EVERY_S))
    origin_warnings: LogInterval = field(default_factory=lambda: LogInterval(WARN_EVERY_S))
    # Connections refused by a limit.
    refused: int = 0
    # Whether the service stops: nobody is let in any more.
    stopping: bool = False

    def refusal_of(self, request: HandshakeRequest) -> Refusal | None:
        """Why the page that opens the channel may not, which is logged; None where it may."""
        if handshake.page_allowed(request, self.rules):
            return None
        if self.origin_warnings.take(time.monotonic()):
            log.warning(
                "the channel refused a page of the origin %.*r: cors_allowed_origins does not list it",
                SHOWN_CHARACTERS,
                request.origin,
            )
        return ORIGIN_NOT_ALLOWED

    def offer_of(self, request: HandshakeRequest, peer: str) -> Offer | Problem:
        """The credentials that a handshake brings, or why they cannot be taken."""
        offer = handshake.offer_of(request, self.rules)
        if isinstance(offer, Offer) and offer.leaks and self.leak_warnings.take(time.monotonic()):
            log.warning("a client at %s sent its token in the address, where it leaks into logs", peer)
        return offer
