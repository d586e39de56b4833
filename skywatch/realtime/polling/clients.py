"""The clients that poll, by their session ids."""

from __future__ import annotations

import secrets

from skywatch.realtime.connections import closing
from skywatch.realtime.connections.ending import Ending
from skywatch.realtime.connections.limits import ConnectionCounter, Limits
from skywatch.realtime.hub import Hub
from skywatch.realtime.polling.client import CLOSING_S, PollingClient

# 120 bits: cannot be guessed.
SID_BYTES = 15


class PollingClients:
    """The clients of one server. ``addresses`` counts them by the network they come from."""

    def __init__(self, hub: Hub, limits: Limits, addresses: ConnectionCounter) -> None:
        self._hub = hub
        self._limits = limits
        self._addresses = addresses
        self._clients: dict[str, PollingClient] = {}
        self._counted: set[str] = set()

    def __len__(self) -> int:
        return len(self._counted)

    def open(self, network: str, origin: str, *, upgrades: bool) -> PollingClient | None:
        """A new client; None beyond the limits."""
        if len(self._counted) >= self._limits.connections:
            Ending().count(closing.CONNECTION_LIMIT)
            return None
        if not self._addresses.take(network):
            Ending().count(closing.ADDRESS_LIMIT)
            return None
        sid = secrets.token_urlsafe(SID_BYTES)
        client = PollingClient(self._hub, self._limits, sid, network=network, origin=origin, upgrades=upgrades)
        self._clients[sid] = client
        self._counted.add(sid)
        return client

    def find(self, sid: str, network: str, origin: str) -> PollingClient | None:
        """The client with an id, for requests from the network and origin that it was issued to."""
        client = self._clients.get(sid)
        if client is None or client.has_upgraded or (client.network, client.origin) != (network, origin):
            return None
        return client

    def release(self, client: PollingClient) -> None:
        """Stop counting a client that has ended."""
        if client.ended_at is not None and client.sid in self._counted:
            self._counted.discard(client.sid)
            self._addresses.release(client.network)

    def look_after(self, now: float) -> list[PollingClient]:
        """Remove clients that have ended; returns the others."""
        for client in list(self._clients.values()):
            self.release(client)
            if client.ended_at is not None and now - client.ended_at > CLOSING_S:
                client.outbox.discard()
                del self._clients[client.sid]
        return [client for client in self._clients.values() if client.ended_at is None]

    @property
    def has_unread_packets(self) -> bool:
        """Whether a client whose session was ended has not read its last packets yet."""
        return any(client.has_unread_packets for client in self._clients.values())

    def end_all(self) -> None:
        """Drop the clients that have not been admitted yet."""
        for client in list(self._clients.values()):
            if client.ended_at is None:
                client.drop(closing.RESTARTING)
