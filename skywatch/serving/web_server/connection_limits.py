"""Limits the connections of one client address to the REST API."""

from __future__ import annotations

import logging
import socket
import time
from functools import partial
from typing import Any

from skywatch.core.network.addresses import TrustedProxies, client_network
from skywatch.core.network.client_counts import ClientCounts
from skywatch.core.telemetry.fault_log import LogInterval
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.http_connection import HttpConnection

log = logging.getLogger(__name__)
# Interval of log lines about refused connections (s).
LOG_EVERY_S = 60.0


class ConnectionLimiter:
    """Accepts connections up to a limit for each address (IPv6: one /64, and a larger one for a /48).

    A connection beyond the limit is closed without a response, which would cost a worker's time. Trusted proxies carry
    the connections of many clients and are not limited. Used on the server's loop only.
    """

    def __init__(self, settings: HttpSettings) -> None:
        self._limit = settings.api_connections_per_address
        self._connections = ClientCounts(self._limit, settings.api_max_connections)
        self._proxies = TrustedProxies(settings.trusted_proxy)
        self._log_interval = LogInterval(LOG_EVERY_S)

    def __call__(
        self, server: Any, connection: socket.socket, peer: tuple[Any, ...], adjustments: Any, **kw: Any
    ) -> HttpConnection | None:
        """Called by waitress with each accepted connection; None refuses it."""
        holder = client_network(peer[0])
        if peer[0] in self._proxies:
            return HttpConnection(server, connection, peer, adjustments, **kw)
        if not self._connections.take(holder):
            connection.close()
            if self._log_interval.take(time.monotonic()):
                client = holder.removesuffix("/32")
                log.warning(
                    "%s has %d connections, the limit (api_connections_per_address): refusing more",
                    client,
                    self._limit,
                )
            return None
        channel = HttpConnection(server, connection, peer, adjustments, **kw)
        channel.at_close = partial(self._connections.release, holder)
        return channel
