"""Small servers to receive from: a TCP feeder and a web server that misbehave as they are told."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from tests.ports import free_port

Feed = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Feeder:
    """A TCP server that plays ``feed`` to whoever connects; it can be killed and started again on its port."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        # It must have the same one again after it was killed.
        self.port = free_port()
        self.connections = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def kill(self) -> None:
        """Everything is gone at once, as when the process is killed."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            await self.feed(writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()


@contextlib.asynccontextmanager
async def feeder(feed: Feed) -> AsyncIterator[Feeder]:
    """A feeder that listens within the block."""
    server = Feeder(feed)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


@dataclass
class Request:
    """What the receiver asked for; header names are in lower case."""

    path: str
    headers: dict[str, str]


@dataclass
class WebServer:
    """Answers each request with the raw bytes that ``answer`` gives (None: closes without a word)."""

    answer: Callable[[Request], bytes | Awaitable[bytes | None] | None]
    port: int = 0
    requests: list[Request] = field(default_factory=list)
    connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = dict(line.split(": ", 1) for line in head[1:] if line)
                request = Request(head[0].split(" ")[1], {name.lower(): value for name, value in headers.items()})
                self.requests.append(request)
                answer = self.answer(request)
                raw = answer if isinstance(answer, bytes) or answer is None else await answer
                if raw is None:
                    break
                writer.write(raw)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def asked(self, path: str) -> list[Request]:
        """The requests for one path."""
        return [request for request in self.requests if request.path.partition("?")[0] == path]


def response(status: str, body: bytes = b"", **headers: str) -> bytes:
    """A raw HTTP response; underscores in header names stand for hyphens."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextlib.asynccontextmanager
async def web_server(answer: Callable[[Request], bytes | Awaitable[bytes | None] | None]) -> AsyncIterator[WebServer]:
    """A web server that listens within the block."""
    web = WebServer(answer)
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        server.close()
