"""All that is used of waitress beyond its manual (docs/decisions/0013-a-socket-before-waitress.md)."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

from waitress.channel import HTTPChannel
from waitress.task import WSGITask

from skywatch.http.limits.streams import CONNECTION
from skywatch.serving.web_server.client_socket import Asked, ClientSocket
from skywatch.serving.web_server.request_head import Refusal

log = logging.getLogger(__name__)
# The key of the environment with what is asked.
ASKED = "skywatch.asked"


class ResponseTask(WSGITask):
    """Answers a request; a response that cannot have a body keeps its connection open."""

    def __init__(self, channel: HttpChannel, parsed: Any) -> None:
        super().__init__(channel, parsed)
        self._asked, self._client = channel.asked, channel.client

    def get_environment(self) -> dict[str, Any]:
        """The environment with what is asked."""
        asked = self._asked
        if asked.environ is None:
            asked.environ = super().get_environment()
            asked.environ.update({ASKED: asked, CONNECTION: self._client})
        return asked.environ

    @property
    def has_body(self) -> bool:
        """Whether the response has a body, or the length of one; an answer to HEAD has none without a length."""
        return super().has_body and not (self._asked.is_head and self.content_length is None)

    def set_close_on_finish(self) -> None:
        """Close the connection after the response, unless that has no body (100, 204, 304)."""
        if self.has_body or not self._asked.stays_open:
            super().set_close_on_finish()


class HttpChannel(HTTPChannel):
    """Waitress' connection."""

    task_class = ResponseTask

    def __init__(self, server: Any, sock: ClientSocket, *arguments: Any, **options: Any) -> None:
        self.client = sock
        super().__init__(server, sock, *arguments, **options)

    @property
    def asked(self) -> Asked:
        """What is to be answered now."""
        assert self.client.asked is not None
        return self.client.asked

    def service(self) -> None:
        """Called by workers: answer one request."""
        asked = self.asked
        try:
            super().service()
        except Exception:
            # Waitress would neither poll nor close this connection any more.
            log.exception("a request could not be answered")
            self.client.hang_up()
            self.cancel()
        finally:
            asked.end()

    def error_task_class(self, channel: HttpChannel, parsed: Any) -> ResponseTask:
        """What answers where waitress gives up: the application has failed, or the request is none for waitress."""
        # Waitress asks its own request for an error, too, for the method.
        parsed.command = "HEAD" if self.asked.is_head else "GET"
        if self.asked.environ is None:
            self.asked.refusal = Refusal(400, "The request is malformed")
            self.asked.environ = {ASKED: self.asked, CONNECTION: self.client}
        else:
            self.asked.refusal = Refusal(500, "the application failed")
        task = ResponseTask(channel, parsed)
        task.set_close_on_finish()
        return task


def install(sockets: Mapping[int, Any]) -> Callable[[], None]:
    """Make the servers among waitress' sockets use these classes, and answer liveness probes in a thread of their own.

    A service whose workers are all busy must not be killed. Returns what ends that thread.
    """
    probes: queue.SimpleQueue[HttpChannel | None] = queue.SimpleQueue()
    for server in sockets.values():
        if hasattr(server, "channel_class"):
            server.channel_class = HttpChannel
            server.add_task = _dispatcher(server.add_task, probes)
    threading.Thread(target=_serve, args=(probes,), name="probes", daemon=True).start()
    return lambda: probes.put(None)


def _dispatcher(add_task: Any, probes: queue.SimpleQueue[HttpChannel | None]) -> Any:
    def dispatch(channel: HttpChannel) -> None:
        if channel.asked.is_probe:
            probes.put(channel)
        else:
            add_task(channel)

    return dispatch


def _serve(probes: queue.SimpleQueue[HttpChannel | None]) -> None:
    while (channel := probes.get()) is not None:
        try:
            channel.service()
        except Exception:
            log.exception("a probe could not be answered")
