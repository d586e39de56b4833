"""How many connections a client may open to the REST API: one address must not take them all."""

from __future__ import annotations

import logging
import socket
import time
from functools import partial
from typing import Any

from skywatch.core.addresses import TrustedProxies, client_network
from skywatch.http.settings import HttpSettings
from skywatch.realtime.limits import ConnectionCounter, LogInterval
from skywatch.serving.http_connection import HttpConnection

log = logging.getLogger(__name__)
# How often the log says that connections are refused (s).
LOG_EVERY_S = 60.0


class ConnectionLimiter:
    """Accepts connections, at most so many at a time from one address (IPv6: one /64).

    A connection beyond the limit is closed unread, without an answer, which would cost a worker's time. Trusted proxies
    bring the connections of many clients and have any number. Used on the server's loop alone.
    """

    def __init__(self, settings: HttpSettings) -> None:
        self._limit = settings.api_connections_per_address
        self._connections = ConnectionCounter(self._limit)
        self._proxies = TrustedProxies(settings.trusted_proxy)
        self._log_interval = LogInterval(LOG_EVERY_S)

    def __call__(
        self, server: Any, connection: socket.socket, peer: tuple[Any, ...], adjustments: Any, **kw: Any
    ) -> HttpConnection | None:
        """What waitress calls with each accepted connection; None where it is refused."""
        holder = client_network(peer[0])
        if peer[0] in self._proxies:
            return HttpConnection(server, connection, peer, adjustments, **kw)
        if not self._connections.take(holder):
            connection.close()
            if self._log_interval.take(time.monotonic()):
                client = holder.removesuffix("/32")
                log.warning("%s has %d connections (api_connections_per_address): no more for it", client, self._limit)
            return None
        accepted = HttpConnection(server, connection, peer, adjustments, **kw)
        accepted.at_close = partial(self._connections.release, holder)
        return accepted
