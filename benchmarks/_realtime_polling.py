"""What subscribers cost who poll, compared with those with a WebSocket: the same sky, the same number of clients."""

from __future__ import annotations

import asyncio
import json
import re
from multiprocessing.connection import Connection as Pipe

from benchmarks._swarm import Drain, Subscriber, connect_many, masked
from benchmarks.peers import realtime_servers as servers

CLIENTS = 500
AIRCRAFT = 1000
SECONDS = 15.0
AT_ONCE = 50
_LENGTH = re.compile(rb"content-length: *([0-9]+)", re.IGNORECASE)
_SUBSCRIBE = "42" + json.dumps(["subscribe", {"topics": ["aircraft"]}])


class Poller(asyncio.Protocol):
    """Comes in by the address of Socket.IO, subscribes, and asks again as soon as an answer is complete."""

    def __init__(self, answered: list[int]) -> None:
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._answered = answered
        self._head = b""
        self._missing = 0
        self._steps = 0
        self._target = "/socket.io/?EIO=4&transport=polling"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self._ask("GET")

    def connection_lost(self, error: Exception | None) -> None:
        if not self.open.done():
            self.open.set_exception(ConnectionError("refused"))

    def _ask(self, method: str, body: str = "") -> None:
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        # What a browser sends along.
        request = (
            f"{method} {self._target}&t=abcdefgh HTTP/1.1\r\nHost: localhost:6544\r\nUser-Agent: Mozilla/5.0 (X11)\r\n"
            "Accept: */*\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n"
            f"Origin: http://localhost:6543\r\nConnection: keep-alive\r\n{length}\r\n{body}"
        )
        self.transport.write(request.encode())  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        if not self._missing:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            match = _LENGTH.search(self._head)
            assert match is not None
            self._missing = int(match[1])
            data = self._head[end + 4 :]
            if self._steps == 0:
                sid = json.loads(data[1:])["sid"]
                self._target += f"&sid={sid}"
            self._head = b""
        self._missing -= len(data)
        if self._missing:
            return
        self._steps += 1
        if self._steps == 1:
            self._ask("POST", "40\x1e" + _SUBSCRIBE)
            return
        if self._steps == 3:
            self.open.set_result(None)
        self._answered[0] += 1
        self._ask("GET")


async def _busy(port: int, pipe: Pipe, *, polls: bool) -> tuple[float, float]:
    """The share of a core that the server used, and messages or answers that each client had in a second."""
    answered = [0]

    def count(frames: int) -> None:
        answered[0] += frames

    if polls:
        loop = asyncio.get_running_loop()
        for begin in range(0, CLIENTS, AT_ONCE):
            count_now = min(AT_ONCE, CLIENTS - begin)
            made = [loop.create_connection(lambda: Poller(answered), "127.0.0.1", port) for _ in range(count_now)]
            pollers = [protocol for _, protocol in await asyncio.gather(*made)]
            await asyncio.gather(*(poller.open for poller in pollers))
    else:
        path, hello = "/socket.io/?EIO=4&transport=websocket", [masked(b"40"), masked(_SUBSCRIBE.encode())]
        swarm = await connect_many(port, CLIENTS, lambda number: Subscriber(path, hello, lambda *_: None))
        await asyncio.sleep(3)
        for subscriber in swarm:
            subscriber.transport.set_protocol(Drain(count))
    await asyncio.sleep(2)
    pipe.send("statistics")
    before, answered[0] = pipe.recv()["cpu_s"], 0
    await asyncio.sleep(SECONDS)
    pipe.send("statistics")
    return (pipe.recv()["cpu_s"] - before) / SECONDS, answered[0] / SECONDS / CLIENTS


def polling() -> None:
    """What clients who poll cost compared with those with a WebSocket."""
    used = []
    for name, polls in (("WebSocket", False), ("polling", True)):
        with servers.running(servers.sky_server, AIRCRAFT, {}) as (port, _, pipe):
            busy, rate = asyncio.run(_busy(port, pipe, polls=polls))
        used.append(busy)
        print(f"  {CLIENTS} by {name}: the server used {busy:.1%} of a core, {rate:.1f} answers a client and second")
    print(f"  polling costs {used[1] / used[0]:.1f} times as much", flush=True)
