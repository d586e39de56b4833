"""``Connections``: all connections of a web server, how many one client may have, and which of them must end."""

from __future__ import annotations

import errno
import logging
import os
import selectors
import socket
import threading
import time
from contextlib import suppress

from skywatch.core.limits import CountLimit, RateLimit
from skywatch.core.network.addresses import TrustedProxies, client_network
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.http.metrics import CLOSED_SLOW
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.client_socket import ClientSocket
from skywatch.serving.web_server.incoming_body import BodyLimits

log = logging.getLogger(__name__)
# Interval of log lines about refused connections (s).
LOG_EVERY_S = 60.0
# How long the end waits for its own connection to the port (s).
WAKE_S = 1.0
# After a fault of the thread that looks for slow clients (s).
PAUSE_S = 1.0


class Connections:
    """Accepts connections up to a limit for each address (IPv6: one /64, and a larger one for a /48).

    A connection beyond the limit is closed without a response, which would cost a worker's time. Trusted proxies carry
    the connections of many clients and are not limited. A thread looks every ``every_s`` for clients that read or send
    too slowly for ``silence_s``, and reads what comes after a refusal.
    """

    def __init__(self, settings: HttpSettings, silence_s: float, every_s: float) -> None:
        self.limits = BodyLimits(settings)
        self.max_header_bytes, self.max_header_fields = settings.api_max_header_bytes, settings.api_max_header_fields
        self.is_ending = False
        self._open: dict[ClientSocket, None] = {}
        self._silence_s, self._every_s = silence_s, every_s
        self._limit, self._in_all = settings.api_connections_per_address, settings.api_max_connections
        self._guard = threading.Lock()
        self._counts = CountLimit(self._limit, settings.api_max_connections, of_sites=True)
        self._proxies = TrustedProxies(settings.trusted_proxy)
        self._log_limit = RateLimit(1 / LOG_EVERY_S, burst=1)
        self._faults = FaultLog(log, "connections cannot be looked after", "connections are looked after again")
        self._selector = selectors.DefaultSelector()
        self._wake, self._waker = socket.socketpair()
        self._selector.register(self._wake, selectors.EVENT_READ)
        threading.Thread(target=self._watch, name="connections", daemon=True).start()

    def all(self) -> list[ClientSocket]:
        """The connections that are open now."""
        with self._guard:
            return list(self._open)

    def admit(self, connection: socket.socket, peer: str) -> ClientSocket | None:
        """The socket of a new client; None, and it is closed, where its address has enough."""
        holder = client_network(peer) if peer not in self._proxies else None
        with self._guard:
            # Waitress no longer counts those that were refused and go on sending.
            is_full = len(self._open) >= self._in_all
            if not is_full and (holder is None or self._counts.take(holder)):
                client = ClientSocket(fileno=connection.detach())
                client.admit(self, holder, peer)
                self._open[client] = None
                return client
        connection.close()
        if is_full:
            if self._log_limit.take(time.monotonic()):
                log.warning("there are %d connections, the limit (api_max_connections): refusing more", self._in_all)
        elif self._log_limit.take(time.monotonic()):
            name = client_network(peer).removesuffix("/32")
            log.warning(
                "%s has %d connections, the limit (api_connections_per_address): refusing more", name, self._limit
            )
        return None

    def linger(self, client: ClientSocket) -> None:
        """Read what a client goes on sending, until it ends."""
        self._selector.register(client, selectors.EVENT_READ)

    def forget(self, client: ClientSocket) -> None:
        """A connection is about to be closed."""
        with suppress(KeyError, ValueError):
            self._selector.unregister(client)
        with self._guard:
            if client in self._open:
                del self._open[client]
                if client.holder is not None:
                    self._counts.release(client.holder)

    def close_slow(self, now: float) -> None:
        """End connections whose client reads or sends too slowly.

        Waitress never closes one with requests, so that a client that does not read its response would block a worker
        thread indefinitely. Requests in progress are not affected.
        """
        for client in self.all():
            reason = client.reason_to_close(self._silence_s, now)
            if reason is not None:
                CLOSED_SLOW.labels(reason).inc()
                client.hang_up()

    def close(self) -> None:
        """End the thread, and what is left."""
        self._waker.close()

    def _watch(self) -> None:
        due = time.monotonic() + self._every_s
        while True:
            try:
                for key, _ in self._selector.select(max(due - time.monotonic(), 0.0)):
                    if key.fileobj is self._wake:
                        self._end()
                        return
                    if isinstance(key.fileobj, ClientSocket):
                        key.fileobj.discard()
                if time.monotonic() >= due:
                    due = time.monotonic() + self._every_s
                    self.close_slow(time.time())
                self._faults.succeeded()
            except Exception as error:
                # Whatever it is: without this thread slow clients would stay for ever.
                self._faults.failed(f"{type(error).__name__}: {error}", error)
                time.sleep(PAUSE_S)

    def _end(self) -> None:
        for client in self.all():
            client.end()
        self._selector.close()
        self._wake.close()


class ListeningSocket(socket.socket):
    """A port whose clients are ``ClientSocket``s."""

    _instead: tuple[socket.socket, socket.socket] | None = None

    def serve(self, connections: Connections) -> None:
        """To be called before waitress listens."""
        self._connections = connections
        self._is_ending = False

    def close_port(self) -> None:
        """Refuse whoever connects from now on; waitress goes on, with a socket in its place on which nothing comes."""
        if self._instead is not None:
            return
        address = self.getsockname()[:2]
        self._instead = socket.socketpair()
        os.dup2(self._instead[0].fileno(), self.fileno(), inheritable=False)
        # Where waitress waits at this moment the kernel keeps the port open until it wakes: by a connection to the
        # port, and because there is something to read from the socket in its place.
        self._instead[1].send(b"\0")
        with suppress(OSError), socket.create_connection(address, WAKE_S):
            pass

    def stop(self) -> None:
        """End waitress' loop."""
        self._is_ending = True
        self.close_port()
        if self._instead is not None:
            self._instead[1].send(b"\0")

    def close(self) -> None:
        """Close it for good."""
        for other in self._instead or ():
            other.close()
        super().close()

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        """Called by waitress' loop; raises BlockingIOError where nobody is accepted, and SystemExit at the end."""
        if self._is_ending:
            raise SystemExit
        if self._instead is not None:
            self._instead[0].recv(1)
            raise BlockingIOError(errno.EWOULDBLOCK, "the port is closed")
        connection, address = super().accept()
        client = self._connections.admit(connection, address[0])
        if client is None:
            raise BlockingIOError(errno.EWOULDBLOCK, "its address has too many")
        return client, address
