"""The address that a connection comes from, counted against the limit of connections per address."""

from __future__ import annotations

from skywatch.core.network.addresses import client_network
from skywatch.realtime.connections import closing
from skywatch.realtime.connections.ending import Ending
from skywatch.realtime.subscribers.shared import Shared


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
            self._ending.count(closing.ADDRESS_LIMIT)
            return False
        self._network = network
        return True

    def release(self) -> None:
        """The connection has ended. Safe to call twice."""
        if self._network is not None:
            self._shared.addresses.release(self._network)
            self._network = None
