"""Servers for the real-time benchmark, each in its own process: Skywatch, websockets, Autobahn, python-socketio.

Throughput servers get batches to send over a pipe-like control connection, so that all are driven in the same way:
at most ``WINDOW`` messages are on their way, so that the server is busy rather than waiting for its subscribers.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import socket
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

import numpy as np

WINDOW = 20


@contextmanager
def running(target: Callable[..., None], *arguments: Any, **options: Any) -> Iterator[tuple[int, int, Pipe]]:
    """Run ``target(pipe, *arguments, **options)`` in a process: its port, its process id and the pipe."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, *arguments), kwargs=options, daemon=True)
    process.start()
    # So that the pipe ends when the process does.
    there.close()
    try:
        if not here.poll(60):
            raise RuntimeError("the server did not start")
        yield here.recv(), int(process.pid or 0), here
    finally:
        here.close()
        process.terminate()
        process.join(10)
        if process.is_alive():
            process.kill()


async def _driven(pipe: Pipe, send: Callable[[bytes, int], Awaitable[None]]) -> None:
    """Send batches on command: (payload, messages a batch, batches); each is acknowledged by the subscribers.

    It ends when the commands do, also where a batch has not arrived.
    """
    loop = asyncio.get_running_loop()
    had = asyncio.Queue[Any]()

    def readable() -> None:
        try:
            while pipe.poll():
                had.put_nowait(pipe.recv())
        except EOFError:
            loop.remove_reader(pipe.fileno())
            had.put_nowait(None)

    loop.add_reader(pipe.fileno(), readable)
    while (order := await had.get()) is not None:
        payload, size, batches = order
        acknowledged = 0
        for number in range(batches):
            while (number - acknowledged) * size >= WINDOW:
                if (acknowledged := await had.get()) is None:
                    return
            await send(payload, size)
        while acknowledged < batches:
            if (acknowledged := await had.get()) is None:
                return


def bare_server(pipe: Pipe) -> None:
    """The floor: a loop of ``socket.send`` of a ready frame, without a look at what becomes of it."""
    from skywatch.realtime.wire.frames import text_frame

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0), backlog=1000) as listening:
            listening.setblocking(False)
            pipe.send(listening.getsockname()[1])
            connections: list[socket.socket] = []
            accepting = loop.create_task(_accept_bare(listening, connections))

            async def send(payload: bytes, size: int) -> None:
                frame = text_frame(payload) * size
                for connection in connections:
                    connection.send(frame)
                await asyncio.sleep(0)

            await _driven(pipe, send)
            accepting.cancel()

    asyncio.run(serve())


async def _accept_bare(listening: socket.socket, connections: list[socket.socket]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        connection, _ = await loop.sock_accept(listening)
        await loop.sock_recv(connection, 4096)
        # The subscribers look at no more of an answer.
        await loop.sock_sendall(connection, b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connections.append(connection)


def websockets_server(pipe: Pipe) -> None:
    """``websockets.broadcast``."""
    import websockets

    async def serve() -> None:
        connections: set[Any] = set()

        async def handler(connection: Any) -> None:
            connections.add(connection)
            await connection.wait_closed()

        async def send(payload: bytes, size: int) -> None:
            text = payload.decode()
            for _ in range(size):
                websockets.broadcast(connections, text)
            await asyncio.sleep(0)

        async with websockets.serve(handler, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
            pipe.send(server.sockets[0].getsockname()[1])
            await _driven(pipe, send)

    asyncio.run(serve())


def autobahn_server(pipe: Pipe, compression: bool = False) -> None:
    """Autobahn's ``sendPreparedMessage``; with compression its ``sendMessage``, which deflates for each connection."""
    from autobahn.asyncio.websocket import WebSocketServerFactory, WebSocketServerProtocol
    from autobahn.websocket.compress import PerMessageDeflateOfferAccept

    connections: set[Any] = set()

    class Peer(WebSocketServerProtocol):  # type: ignore[misc]
        def onOpen(self) -> None:  # noqa: N802
            connections.add(self)

    async def serve() -> None:
        factory = WebSocketServerFactory()
        factory.protocol = Peer
        if compression:
            factory.setProtocolOptions(perMessageCompressionAccept=lambda o: PerMessageDeflateOfferAccept(o[0]))
        server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])

        def broadcast(payload: bytes) -> None:
            prepared = factory.prepareMessage(payload) if not compression else None
            for peer in connections:
                if prepared is not None:
                    peer.sendPreparedMessage(prepared)
                else:
                    peer.sendMessage(payload)

        async def send(payload: bytes, size: int) -> None:
            for _ in range(size):
                broadcast(payload)
            await asyncio.sleep(0)

        await _driven(pipe, send)

    asyncio.run(serve())


def socketio_server(pipe: Pipe, realtime_heartbeat_s: str = "25") -> None:
    """python-socketio on uvicorn."""
    import socketio
    import uvicorn

    async def serve() -> None:
        server = socketio.AsyncServer(async_mode="asgi", ping_interval=float(realtime_heartbeat_s))
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(socketio.ASGIApp(server), log_level="critical", ws_per_message_deflate=False)
        web = uvicorn.Server(config)
        task = asyncio.create_task(web.serve(sockets=[listening]))
        while not web.started:
            await asyncio.sleep(0.01)
        pipe.send(listening.getsockname()[1])

        async def send(payload: bytes, size: int) -> None:
            data = json.loads(payload)
            for _ in range(size):
                await server.emit("safety:event", data)
            await asyncio.sleep(0)

        await _driven(pipe, send)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(serve())


def skywatch_server(pipe: Pipe, checkout: str = "", **options: str) -> None:
    """Skywatch's hub, also of another checkout: every message is published on the bus and goes the whole way."""
    if checkout:
        sys.path.insert(0, checkout)
    from skywatch.core.bus import Message

    async def serve() -> None:
        async with skywatch(**options) as (server, runtime):
            pipe.send(server.port)

            async def send(payload: bytes, size: int) -> None:
                for _ in range(size):
                    runtime.bus.publish(Message("safety", "safety:event", payload))
                await asyncio.sleep(0)

            await _driven(pipe, send)

    asyncio.run(serve())


class Anybody:
    """Accounts of an open installation."""

    def identify(self, credential: str) -> Any:
        raise NotImplementedError

    def still_valid(self, identity: Any) -> Any:
        raise NotImplementedError

    def feature_access(self, feature: str) -> Any:
        from skywatch.security.contexts import default_access

        return default_access(feature)


def skywatch(bus: str = "memory", **changes: Any) -> Any:
    """A real-time server of an open installation with its runtime, as an asynchronous context."""
    from contextlib import asynccontextmanager

    from skywatch.core.bus import open_bus
    from skywatch.core.database.engine import create_engine, create_session_factory
    from skywatch.core.database.migrations import upgrade
    from skywatch.core.runtime import Runtime
    from skywatch.features import load
    from skywatch.realtime.server import RealtimeServer

    @asynccontextmanager
    async def opened() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{Path(folder) / 'bench.sqlite'}"
            ini = {
                "secret": "only-for-benchmarks-0123456789abcdef",
                "auth_mode": "public",
                "database_url": url,
                "realtime_listen": "127.0.0.1:0",
                "realtime_connections_per_address": "100000",
                **changes,
            }
            settings = load(ini, environ={})
            engine = create_engine(url)
            upgrade(engine)
            runtime = Runtime(settings, engine, create_session_factory(engine), open_bus(bus))
            server = RealtimeServer(runtime, Anybody())
            await server.start()
            try:
                yield server, runtime
            finally:
                await server.stop()
                runtime.close()

    return opened()


def skies(count: int, ticks: int) -> list[Any]:
    """Successive skies of ``count`` aircraft all over Europe that move, most of them changing each second."""
    import msgspec

    from skywatch.picture.state.sky import COLUMNS, Sky

    random = np.random.default_rng(1)
    lat, lon = random.uniform(36, 60, count), random.uniform(-10, 30, count)
    track = random.uniform(0, 360, count)
    hexes = [f"{0x400000 + number * 7:06x}" for number in range(count)]
    found = []
    for seq in range(1, ticks + 1):
        changed = random.random(count) < 0.8
        lat = np.where(changed, lat + np.cos(np.radians(track)) * 0.002, lat)
        lon = np.where(changed, lon + np.sin(np.radians(track)) * 0.003, lon)
        columns = {name: np.zeros(count, dtype=dtype) for name, dtype in COLUMNS.items()}
        columns["lat"][:], columns["lon"][:] = lat, lon
        columns["military"][:] = np.arange(count) % 40 == 0
        columns["changed"][:] = changed
        columns["previous_row"][:] = np.arange(count)
        encoded = [
            msgspec.json.encode(
                {
                    "hex": hexes[i], "type": "adsb_icao", "flight": f"SWR{i:05d}", "alt_baro": 30000 + i % 9000,
                    "alt_geom": 30400 + i % 9000, "gs": 440.1, "track": round(float(track[i]), 2), "baro_rate": -64,
                    "squawk": "1000", "emergency": "none", "category": "A3", "nav_qnh": 1013.6,
                    "nav_altitude_mcp": 32000,
                    "lat": round(float(lat[i]), 6), "lon": round(float(lon[i]), 6), "nic": 8, "rc": 186,
                    "seen_pos": 0.4, "version": 2, "nic_baro": 1, "nac_p": 9, "nac_v": 1, "sil": 3,
                    "sil_type": "perhour",
                    "messages": 400 + seq,
                    "seen": 0.1, "rssi": -21.4, "military": i % 40 == 0, "on_ground": False, "receiver": "roof",
                }
            )
            for i in range(count)
        ]  # fmt: skip
        details = [b'"r":"HB-%04x","t":"A320"' % i for i in range(count)]
        found.append(Sky("bench", seq, float(seq), seq * 1000, hexes, columns, encoded, details))
    return found


def sky_server(pipe: Pipe, aircraft: int, options: dict[str, str]) -> None:
    """Skywatch with a picture that ticks every second, from a thread as the tracker's.

    It answers ``statistics`` and, where it has a fixed port, obeys ``restart``.
    """
    import threading

    from skywatch.core.bus import Message

    prepared = skies(aircraft, 12) if aircraft else []

    async def serve() -> None:
        async with skywatch(**options) as (server, runtime):
            stop = threading.Event()

            def tick() -> None:
                seq = 0
                while not stop.wait(1.0) and prepared:
                    sky = prepared[seq % len(prepared)]
                    seq += 1
                    sky = replace(sky, seq=seq, now=time.time())
                    runtime.bus.publish(Message("picture", "tick", b"", snapshot=True, local=sky))

            threading.Thread(target=tick, daemon=True).start()
            pipe.send(server.port)
            loop = asyncio.get_running_loop()
            ended = asyncio.Event()
            restarts: set[asyncio.Task[None]] = set()

            def readable() -> None:
                try:
                    if pipe.recv() == "restart":
                        restarts.add(loop.create_task(_restart(server)))
                        return
                    pipe.send(
                        {**server.statistics(), "views": server.hub.live.view_count, "cpu_s": time.process_time()}
                    )
                except (EOFError, OSError):
                    loop.remove_reader(pipe.fileno())
                    ended.set()

            loop.add_reader(pipe.fileno(), readable)
            await ended.wait()
            stop.set()

    asyncio.run(serve())


async def _restart(server: Any) -> None:
    """Send everybody away, and serve again at once."""
    await server.stop()
    await server.start()


def memory_mib(pid: int) -> float:
    """Resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS")


def open_files(pid: int) -> int:
    """File descriptors a process holds."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def processor_s(pid: int) -> float:
    """Processor time a process has used, in the kernel too."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def exact_processor_s(pid: int) -> float:
    """The same to the nanosecond where the system has a clock for each process (clock_getcpuclockid of Linux)."""
    if not sys.platform.startswith("linux"):
        return processor_s(pid)
    return time.clock_gettime(~pid << 3 | 2)
