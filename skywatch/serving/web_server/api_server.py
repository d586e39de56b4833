"""The web server of the api role: waitress, hardened against resource exhaustion, with errors as problems.

By default waitress stops accepting at 100 connections, spools bodies of a gigabyte to disk, blocks a thread
indefinitely for a client that does not read, and answers malformed requests in plain text.
"""

from __future__ import annotations

import contextlib
import copy
import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import waitress
from waitress import wasyncore
from waitress.server import BaseWSGIServer, MultiSocketServer

from skywatch import make_app
from skywatch.core.process.open_files import allow_files
from skywatch.core.runtime import Runtime
from skywatch.http.metrics import CLOSED_SLOW
from skywatch.http.path_rules import PathRules
from skywatch.http.settings import HttpSettings
from skywatch.realtime.settings import RealtimeSettings
from skywatch.serving.web_server.connection_limits import ConnectionLimiter
from skywatch.serving.web_server.incoming_body import BodyLimits
from skywatch.serving.web_server.probe_dispatcher import ProbeDispatcher
from skywatch.serving.web_server.sending_channel import SEND_BYTES
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
# How long the stop waits for clients to read their responses, and then for workers (s).
DRAIN_S = 5.0
# While it ends it takes connections until nothing came for so long, no longer than ACCEPT_S, and then those that wait.
QUIET_S, ACCEPT_S, ACCEPTED_AT_END = 0.15, 1.0, 1024
WORKERS_S = 1.0
# File descriptors for database, log files, receivers and everything else but connections.
OTHER_FILES = 512
# Bodies up to so many times the application's limit are read, so that the application can respond.
SPARE = 2


def create_api_server(runtime: Runtime, server: Any = None, app: Router | None = None) -> Any:
    """A waitress server that is already listening; raises SettingsError if it cannot.

    ``server`` is one that has listened with another application until now, and keeps its connections; ``app`` is the
    application where it is there already.
    """
    app = app or make_app(runtime)
    if server is None:
        server = create_server(app, runtime.settings.of(HttpSettings))
    rules = runtime.shared(PathRules)
    for listening in _listening(server):
        listening.adj.body_limits.form_fields = {
            path: credential.field for path, credential in rules.form_credentials.items()
        }
        listening.adj.larger_bodies = _larger_bodies(listening.adj, rules.body_limits)
        listening.application = app
    return server


def create_server(app: Any, settings: HttpSettings) -> Any:
    """The same for any WSGI application, without what the parts of ours say about bodies."""
    host, port = split_listen(settings.listen)
    allow_files(settings.api_max_connections + settings.of(RealtimeSettings).realtime_max_connections + OTHER_FILES)
    try:
        server = waitress.create_server(
            app,
            host=host,
            port=port,
            threads=settings.api_threads,
            ident="",
            connection_limit=settings.api_max_connections,
            max_request_header_size=settings.api_max_header_bytes,
            max_request_body_size=SPARE * settings.max_body_bytes,
            channel_timeout=SILENCE_S,
            cleanup_interval=CLEANUP_S,
            outbuf_high_watermark=AHEAD_BYTES,
            # Our own tween trusts them from a trusted proxy only; waitress would trust every client.
            clear_untrusted_proxy_headers=False,
            asyncore_use_poll=True,
            _dispatcher=ProbeDispatcher(settings.api_threads),
        )
    except (OSError, ValueError) as error:
        raise SettingsError("listen", f"{settings.listen} cannot be opened: {error}") from None
    limiter, body_limits = ConnectionLimiter(settings), BodyLimits(settings)
    for listening in _listening(server):
        listening.channel_class = limiter
        # Waitress logs a warning about this option.
        listening.adj.send_bytes = SEND_BYTES
        listening.adj.max_header_fields = settings.api_max_header_fields
        listening.adj.body_limits, listening.adj.larger_bodies = body_limits, []
        # Set on the instance: waitress has no hook for its maintenance.
        listening.maintenance = lambda now, listening=listening: close_silent(listening, now)
    return server


def run_until_interrupted(server: Any) -> None:
    """Serve requests until KeyboardInterrupt, then drain open requests within limits; a second one aborts that.

    Waitress itself stops sending at once, which truncates responses in progress.
    """
    with contextlib.suppress(KeyboardInterrupt):
        wasyncore.loop(map=sockets_of(server), use_poll=True)
    drain(server)


def drain(server: Any) -> None:
    """Finish open requests within limits, and take no more; nobody else may run the server's loop.

    What a proxy sent before it knew of the end is still answered, with ``Connection: close``, until nothing has come
    for ``QUIET_S``, and no longer than ``ACCEPT_S``. Then the port is closed at once, and so are idle connections: who
    connects later is refused, and a proxy asks another process, where a connection that nobody looks after would be
    reset with its request.
    """
    listening, sockets = _listening(server), sockets_of(server)
    for listener in listening:
        listener.is_ending = True
    with contextlib.suppress(KeyboardInterrupt):
        _serve_until_quiet(listening, sockets, ACCEPT_S)
        for listener in listening:
            _close_port(listener)
        _serve_until_quiet(listening, sockets, DRAIN_S)
    for listener in listening:
        for channel in list(listener.active_channels.values()):
            if not _is_at_work(channel):
                channel.handle_close()
    server.task_dispatcher.shutdown(timeout=WORKERS_S)


def _serve_until_quiet(listening: list[Any], sockets: dict[int, Any], limit_s: float) -> None:
    """Run the server's loop until nobody was busy for ``QUIET_S``, and no longer than a limit."""
    now = time.monotonic()
    until, quiet_at = now + limit_s, now + QUIET_S
    while now < min(until, quiet_at):
        wasyncore.loop(timeout=QUIET_S / 4, map=sockets, use_poll=True, count=1)
        now = time.monotonic()
        if any(_is_busy(listener) for listener in listening):
            quiet_at = now + QUIET_S


def _close_port(listener: Any) -> None:
    """Take who is connected already, then close the listening socket alone."""
    for _ in range(ACCEPTED_AT_END):
        before = len(listener.active_channels)
        listener.handle_accept()
        if len(listener.active_channels) == before:
            break
    wasyncore.dispatcher.close(listener)


def sockets_of(server: Any) -> dict[int, Any]:
    """What ``wasyncore.loop`` looks after."""
    sockets: dict[int, Any] = server.map if isinstance(server, MultiSocketServer) else server._map
    return sockets


def _is_busy(server: BaseWSGIServer) -> bool:
    return any(map(_is_at_work, list(server.active_channels.values())))


def _is_at_work(channel: Any) -> bool:
    return bool(channel.requests or channel.request is not None or channel.total_outbufs_len)


def close_silent(server: BaseWSGIServer, now: float) -> None:
    """Close channels that were idle for ``SILENCE_S``, and those whose client reads or sends too slowly.

    Waitress never closes a channel with requests, so that a client that does not read its response would block a worker
    thread indefinitely. Requests in progress are not affected.
    """
    cutoff = now - server.adj.channel_timeout
    for channel in list(server.active_channels.values()):
        reason = channel.reason_to_close(server.adj.channel_timeout, now)
        if reason is not None:
            CLOSED_SLOW.labels(reason).inc()
            channel.handle_close()
        elif channel.last_activity < cutoff and not channel.requests:
            channel.will_close = True


def _larger_bodies(adjustments: Any, limits: Mapping[str, int]) -> list[tuple[str, Any]]:
    """Waitress' adjustments for paths with a larger limit."""
    result = []
    for prefix, limit in limits.items():
        larger = copy.copy(adjustments)
        larger.max_request_body_size = SPARE * limit
        result.append((prefix, larger))
    return result


def _listening(server: Any) -> list[Any]:
    """The servers of the listening sockets; a host name with several addresses has several."""
    if isinstance(server, MultiSocketServer):
        return [listener for listener in server.map.values() if isinstance(listener, BaseWSGIServer)]
    return [server]
