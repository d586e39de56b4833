"""A small closed-loop HTTP load: some keep-alive connections, each asking again as soon as it has its answer."""

from __future__ import annotations

import asyncio
import socket
import time


class _Client(asyncio.Protocol):
    def __init__(self, request: bytes, deadline: float, done: asyncio.Future[None]) -> None:
        self.request, self.deadline, self.done = request, deadline, done
        self.answers = 0
        self.missing = -1
        self.head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self.request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        if self.missing < 0:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            head, data, self.head = self.head[:end].lower(), self.head[end + 4 :], b""
            if not head.startswith(b"http/1.1 200"):
                self.done.set_exception(RuntimeError(head.split(b"\r\n")[0].decode()))
                return
            self.missing = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        self.missing -= len(data)
        if self.missing <= 0:
            self.missing = -1
            self.answers += 1
            if time.perf_counter() < self.deadline:
                self.transport.write(self.request)  # type: ignore[attr-defined]
            elif not self.done.done():
                self.done.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError("the server closed the connection"))


async def requests_a_second(port: int, path: str, seconds: float, connections: int, headers: str = "") -> float:
    """How many requests a second the server on a local port answers."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n".encode()
    loop = asyncio.get_running_loop()
    begin = time.perf_counter()
    clients: list[_Client] = []
    waits = []
    for _ in range(connections):
        done: asyncio.Future[None] = loop.create_future()
        _, client = await loop.create_connection(lambda d=done: _Client(request, begin + seconds, d), "127.0.0.1", port)  # type: ignore[misc]
        clients.append(client)
        waits.append(done)
    await asyncio.gather(*waits)
    elapsed = time.perf_counter() - begin
    for client in clients:
        client.transport.close()
    return sum(client.answers for client in clients) / elapsed


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int, seconds: float = 30) -> None:
    """Return when something listens on a local port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")
