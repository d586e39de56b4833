"""The web server of the api role: waitress as its manual says, behind sockets that keep from it what would harm it."""

from __future__ import annotations

import contextlib
import logging
import select
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import waitress

from skywatch import make_app
from skywatch.core.process.open_files import allow_files
from skywatch.core.runtime import Runtime
from skywatch.http.path_rules import PathRules
from skywatch.http.settings import HttpSettings
from skywatch.realtime.settings import RealtimeSettings
from skywatch.serving.web_server.connections import Connections, ListeningSocket
from skywatch.serving.web_server.gate import Gate
from skywatch.serving.web_server.http_channel import install
from skywatch.settings import SettingsError, split_listen

if TYPE_CHECKING:
    from pyramid.router import Router

log = logging.getLogger(__name__)
# Logs every short burst in which a request waits for a thread; the metrics show the relevant queues.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)

# An idle connection is closed after this time (s), and the interval of the check.
SILENCE_S = 60
CLEANUP_S = 10
# Backpressure: a streaming worker waits while so much is unread (bytes), in memory for each connection.
AHEAD_BYTES = 1_048_576
# What the server adds to a head (bytes).
ADDED_BYTES = 1024
# How long the stop waits for clients to read their responses, and then for workers (s).
DRAIN_S = 5.0
# While it ends it takes connections until nothing came for so long, no longer than ACCEPT_S, and then those that wait.
QUIET_S, ACCEPT_S = 0.15, 1.0
WORKERS_S = 1.0
# File descriptors for database, log files, receivers and everything else but connections.
OTHER_FILES = 512


class ApiServer:
    """A web server that listens; ``application`` may be exchanged while it serves."""

    def __init__(self, application: Any, settings: HttpSettings) -> None:
        allow_files(settings.api_max_connections + settings.of(RealtimeSettings).realtime_max_connections + OTHER_FILES)
        self._ports = _listening_sockets(settings)
        self.host, self.port = self._ports[0].getsockname()[:2]
        self.connections = Connections(settings, SILENCE_S, CLEANUP_S)
        for port in self._ports:
            port.serve(self.connections)
        self._gate = Gate(application)
        self._sockets: dict[int, Any] = {}
        self._waitress = waitress.create_server(
            self._gate,
            map=self._sockets,
            sockets=self._ports,
            # Exports and replays occupy theirs for as long as their clients read.
            threads=settings.api_threads + settings.api_streams,
            ident="",
            connection_limit=settings.api_max_connections,
            max_request_header_size=settings.api_max_header_bytes + ADDED_BYTES,
            channel_timeout=SILENCE_S,
            cleanup_interval=CLEANUP_S,
            outbuf_high_watermark=AHEAD_BYTES,
            # What is ahead stays in memory.
            outbuf_overflow=2 * AHEAD_BYTES,
            # Our own tween trusts them from a trusted proxy only; waitress would trust every client.
            clear_untrusted_proxy_headers=False,
            asyncore_use_poll=True,
        )
        self._end_probes = install(self._sockets)
        self._thread = threading.Thread(target=self._serve, name="api", daemon=True)
        self._has_ended = threading.Event()
        self._failure: Exception | None = None

    @property
    def application(self) -> Any:
        """The WSGI application."""
        return self._gate.application

    @application.setter
    def application(self, application: Any) -> None:
        self._gate.application = application

    def start(self) -> None:
        """Serve in a thread, if it does not already."""
        if not self._thread.is_alive():
            self._thread.start()

    def run(self) -> None:
        """Serve until KeyboardInterrupt, then finish open requests within limits; a second one aborts that."""
        with contextlib.suppress(KeyboardInterrupt):
            self.start()
            self._has_ended.wait()
        if self._failure is not None:
            raise self._failure
        with contextlib.suppress(KeyboardInterrupt):
            self.drain()

    def drain(self) -> None:
        """Finish open requests within limits, and take no more.

        What a proxy sent before it knew of the end is still answered, with ``Connection: close``, until nothing has
        come for ``QUIET_S``, and no longer than ``ACCEPT_S``. Then the port is closed at once, and so are idle
        connections: who connects later is refused, and a proxy asks another process, where a connection that nobody
        looks after would be reset with its request.
        """
        self.connections.is_ending = True
        self._wait_until_quiet(ACCEPT_S)
        self._wait_until_accepted(ACCEPT_S)
        for port in self._ports:
            port.close_port()
        self._wait_until_quiet(DRAIN_S)
        for client in self.connections.all():
            if not client.is_busy:
                client.hang_up()

    def close(self) -> None:
        """End without waiting for any client."""
        if self._thread.is_alive():
            until = time.monotonic() + WORKERS_S
            for client in self.connections.all():
                client.hang_up()
            while self.connections.all() and time.monotonic() < until:
                time.sleep(QUIET_S / 16)
            self._ports[0].stop()
            self._has_ended.wait(WORKERS_S)
        self._end_probes()
        self.connections.close()
        for port in self._ports:
            port.close()

    def _serve(self) -> None:
        try:
            self._waitress.run()
        except Exception as error:
            self._failure = error
        finally:
            self._has_ended.set()

    def _wait_until_quiet(self, limit_s: float) -> None:
        """Wait until nobody was busy for ``QUIET_S``, and no longer than a limit."""
        now = time.monotonic()
        until, quiet_at = now + limit_s, now + QUIET_S
        while now < min(until, quiet_at):
            time.sleep(QUIET_S / 4)
            now = time.monotonic()
            if any(client.is_busy for client in self.connections.all()):
                quiet_at = now + QUIET_S

    def _wait_until_accepted(self, limit_s: float) -> None:
        """Wait until all who have connected are accepted."""
        until = time.monotonic() + limit_s
        while select.select(self._ports, [], [], 0)[0] and time.monotonic() < until:
            time.sleep(QUIET_S / 16)


def create_api_server(runtime: Runtime, server: ApiServer | None = None, app: Router | None = None) -> ApiServer:
    """A server that is already listening; raises SettingsError if it cannot.

    ``server`` is one that has served another application until now, and keeps its connections; ``app`` is the
    application where it is there already.
    """
    app = app or make_app(runtime)
    if server is None:
        server = create_server(app, runtime.settings.of(HttpSettings))
    limits, rules = server.connections.limits, runtime.shared(PathRules)
    limits.form_fields = {path: credential.field for path, credential in rules.form_credentials.items()}
    limits.larger = rules.body_limits
    server.application = app
    return server


def create_server(app: Any, settings: HttpSettings) -> ApiServer:
    """The same for any WSGI application, without what the parts of ours say about bodies."""
    try:
        return ApiServer(app, settings)
    except (OSError, ValueError) as error:
        raise SettingsError("listen", f"{settings.listen} cannot be opened: {error}") from None


def _listening_sockets(settings: HttpSettings) -> list[ListeningSocket]:
    """One for each address of the host."""
    host, port = split_listen(settings.listen)
    found = socket.getaddrinfo(
        None if host == "*" else host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
    )
    opened: list[ListeningSocket] = []
    with contextlib.ExitStack() as failed:
        for family, kind, proto, _, address in dict.fromkeys(found):
            listening = failed.enter_context(ListeningSocket(family, kind, proto))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listening.bind(address)
            opened.append(listening)
        failed.pop_all()
    return opened
