"""Who may open connections to the REST API: one client address must not take them all."""

from __future__ import annotations

import logging
import socket
import time
from functools import partial
from typing import Any

from skywatch.cli.api_channel import ApiChannel
from skywatch.realtime.limits import Places, Seldom, address_group, is_proxy, networks
from skywatch.settings import Settings

log = logging.getLogger(__name__)
# How often the log says that connections are refused (s).
TELL_EVERY_S = 60.0


class Door:
    """Makes channels of accepted connections, at most so many at a time for one address (IPv6: one /64).

    One too many is closed at once, unread: whoever holds that many is not owed an answer, and a worker's time least of
    all. Trusted proxies bring the connections of many clients and have any number. Used by the server's loop alone.
    """

    def __init__(self, settings: Settings) -> None:
        self._limit = settings.api_connections_per_address
        self._places = Places(self._limit)
        self._trusted = networks(settings.trusted_proxy)
        self._telling = Seldom(TELL_EVERY_S)

    def __call__(
        self, server: Any, connection: socket.socket, peer: tuple[Any, ...], adjustments: Any, **kw: Any
    ) -> ApiChannel | None:
        """What waitress calls with each accepted connection; None where it is refused."""
        holder = address_group(peer[0])
        if is_proxy(peer[0], self._trusted):
            return ApiChannel(server, connection, peer, adjustments, **kw)
        if not self._places.take(holder):
            connection.close()
            if self._telling.take(time.monotonic()):
                log.warning("%s has %d connections (api_connections_per_address): no more for it", holder, self._limit)
            return None
        channel = ApiChannel(server, connection, peer, adjustments, **kw)
        channel.at_close = partial(self._places.give_back, holder)
        return channel
