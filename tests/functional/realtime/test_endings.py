"""Why each connection ended is counted, once: by the service, by its client, or by the network between them."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import socket
import struct
from collections import Counter
from typing import Any

import pytest
import websockets

from skywatch.realtime import server as server_module
from skywatch.realtime.metrics import REALTIME_CLOSED
from skywatch.realtime.server import RealtimeServer
from skywatch.realtime.transports import websocket as connection_module
from skywatch.realtime.wire.limits import Limits
from tests.faulty_clients import HANDSHAKE
from tests.polling import polling, upgrade_url
from tests.polling import run as run_polling
from tests.raw_websocket import frame, open_raw
from tests.realtime import serving
from tests.socket_io import accounts
from tests.waiting import PATIENCE_S, eventually

LIMITS = Limits(100, 65536, 20, 256, 1 << 20)


def ends() -> Counter[str]:
    """How many connections have ended so far, as ``cause code``."""
    return Counter(
        {
            f"{sample.labels['cause']} {sample.labels['code']}": int(sample.value)
            for metric in REALTIME_CLOSED.collect()
            for sample in metric.samples
            if sample.name.endswith("_total") and sample.value
        }
    )


async def new_ends(before: Counter[str], server: RealtimeServer) -> dict[str, int]:
    """What has ended since, once nothing is open any more."""
    await eventually(lambda: not server.connections, "the end of all connections")
    return dict(ends() - before)


def close_frame(code: int) -> bytes:
    return frame(code.to_bytes(2, "big"), 0x88)


def reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset instead of an end."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


def run(make_runtime: Any, scenario: Any, limits: Limits = LIMITS, **settings: Any) -> None:
    async def go() -> None:
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid", **settings)
        async with serving(runtime, accounts(), limits) as server:
            before = ends()
            await scenario(server, before)

    asyncio.run(go())


@pytest.mark.parametrize(
    ("goodbye", "expected"),
    [
        (close_frame(1000), "client_closed 1000"),
        (close_frame(1001), "client_closed 1001"),
        (frame(b"", 0x88), "client_closed 1005"),
        (close_frame(4242), "client_closed other"),
        (close_frame(999), "protocol_error 1002"),
        (frame(b"\xff"), "protocol_error 1007"),
        (frame(b"x" * 60_000, 0x01) + frame(b"x" * 60_000, 0x00), "message_size 1009"),
        (frame(b"{}") * 200, "message_rate 4029"),
        (frame(b'{"type":"connect","auth":{"token":"nobody"}}'), "authentication 4001"),
    ],
)
def test_what_a_client_sends_last_is_the_cause(make_runtime, goodbye, expected):
    async def scenario(server, before):
        _reader, writer = await open_raw(server.port)
        writer.write(goodbye)
        assert await new_ends(before, server) == {expected: 1}
        writer.close()

    run(make_runtime, scenario)


def test_a_client_that_ends_without_a_close_frame_and_one_that_resets(make_runtime):
    async def scenario(server, before):
        for _ in range(2):
            _reader, writer = await open_raw(server.port)
            writer.close()
        _reader, writer = await open_raw(server.port)
        reset(writer)
        assert await new_ends(before, server) == {"client_gone 1006": 2, "connection_lost 1006": 1}

    run(make_runtime, scenario)


@pytest.mark.parametrize(
    ("limits", "settings", "expected"),
    [
        (dataclasses.replace(LIMITS, connections=1), {}, "connection_limit 1006"),
        (LIMITS, {"realtime_connections_per_address": 1}, "address_limit 1006"),
        (LIMITS, {"realtime_connections_per_address": 1, "trusted_proxy": "127.0.0.1"}, "address_limit 1006"),
    ],
)
def test_a_connection_beyond_a_limit(make_runtime, limits, settings, expected):
    # Behind a proxy it is the handshake that names whose connection it is.
    handshake = HANDSHAKE.replace(b"\r\n\r\n", b"\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n")

    async def scenario(server, before):
        first, second = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(2)]
        first[1].write(handshake)
        await first[0].readuntil(b"\r\n\r\n")
        second[1].write(handshake)
        await eventually(lambda: ends() - before)
        first[1].write(close_frame(1000))
        assert await new_ends(before, server) == {expected: 1, "client_closed 1000": 1}
        for _, writer in (first, second):
            writer.close()

    run(make_runtime, scenario, limits, **settings)


def test_a_user_beyond_the_limit_and_one_without_a_topic(make_runtime):
    async def scenario(server, before):
        connect = frame(b'{"type":"connect","auth":{"token":"viewer"}}')
        (_, first), (_, second) = await open_raw(server.port), await open_raw(server.port)
        first.write(connect)
        await eventually(lambda: len(server.hub.sessions) == 1)
        second.write(connect)
        await eventually(lambda: ends() - before)
        first.write(close_frame(1000))
        assert await new_ends(before, server) == {"user_limit 4029": 1, "client_closed 1000": 1}
        first.close()
        second.close()

    run(make_runtime, scenario, realtime_connections_per_user=1)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"GET /ws HTTP/1.1\r\nX: " + b"x" * 20_000, "handshake_size 1006"),
        (HANDSHAKE.replace(b"/ws", b"/elsewhere"), "handshake_refused 1006"),
        (HANDSHAKE.replace(b"Upgrade: websocket\r\n", b""), "handshake_refused 1006"),
        (b"GET /ws HT", "handshake_timeout 1006"),
    ],
)
def test_a_handshake_that_fails(make_runtime, monkeypatch, data, expected):
    # The other faults must not come too late for it.
    monkeypatch.setattr(server_module, "HANDSHAKE_S", 0.5 if "timeout" in expected else PATIENCE_S)

    async def scenario(server, before):
        _reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(data)
        await eventually(lambda: ends() - before)
        writer.close()
        assert await new_ends(before, server) == {expected: 1}

    run(make_runtime, scenario)


def test_a_fault_of_the_program_and_a_write_that_fails(make_runtime, monkeypatch):
    def fail(*args: Any) -> None:
        raise RuntimeError("a fault of the program")

    async def scenario(server, before):
        _reader, writer = await open_raw(server.port)
        monkeypatch.setattr(connection_module.Session, "received", fail)
        writer.write(frame(b"{}"))
        assert await new_ends(before, server) == {"internal_error 1006": 1}
        monkeypatch.undo()
        writer.close()
        before = ends()
        _reader, writer = await open_raw(server.port)
        (connection,) = server.connections
        monkeypatch.setattr(connection.transport, "write", fail, raising=False)
        writer.write(frame(b'{"type":"connect","auth":{"token":"viewer"}}'))
        assert await new_ends(before, server) == {"write_failed 1006": 1}
        writer.close()

    run(make_runtime, scenario)


def test_the_service_restarts(make_runtime):
    async def go():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts(), LIMITS) as server:
            before = ends()
            _, silent = await asyncio.open_connection("127.0.0.1", server.port)
            _, guest = await open_raw(server.port)
            guest.write(frame(b'{"type":"connect","auth":{"token":"viewer"}}'))
            await eventually(lambda: len(server.hub.sessions) == 1 and len(server.connections) == 2)
        assert dict(ends() - before) == {"restarting 1012": 2}
        for writer in (silent, guest):
            writer.close()

    asyncio.run(go())


def test_clients_that_poll_are_counted_by_their_session_and_not_by_their_requests(make_runtime):
    async def scenario(server, runtime):
        before = ends()
        async with polling(server) as leaver, polling(server) as talker, polling(server) as vanishing:
            await leaver.enter("safety")
            await leaver.until("subscribed")
            await leaver.post("41")
            await talker.handshake()
            await talker.post("nonsense")
            await vanishing.enter("safety")
            await vanishing.until("subscribed")
            waiting = asyncio.create_task(vanishing.get())
            await eventually(lambda: any(s.outbox.poll is not None for s in server.hub.sessions))
            for session in list(server.hub.sessions):
                session.outbox.poll.transport.abort()
            await asyncio.gather(waiting, return_exceptions=True)
            await eventually(lambda: not server.hub.sessions)
        expected = {"client_closed 1000": 1, "protocol_error 1002": 1, "client_gone 1006": 1}
        await eventually(lambda: dict(ends() - before) == expected, f"{expected}, not {ends() - before}")

    run_polling(make_runtime, scenario)


def test_an_upgrade_that_fails_and_one_that_succeeds(make_runtime):
    async def scenario(server, runtime):
        before = ends()
        async with polling(server) as client:
            await client.handshake()
            async with websockets.connect(upgrade_url(server, client.params["sid"]), proxy=None) as attempt:
                await attempt.send("nonsense")
                await attempt.wait_closed()
            await eventually(lambda: dict(ends() - before) == {"upgrade_failed 1006": 1})
            async with websockets.connect(upgrade_url(server, client.params["sid"]), proxy=None) as attempt:
                await attempt.send("2probe")
                assert await attempt.recv() == "3probe"
                await attempt.send("5")
                await attempt.send("40" + json.dumps({"token": "viewer"}))
                await eventually(lambda: len(server.hub.sessions) == 1)
            await eventually(
                lambda: dict(ends() - before) == {"upgrade_failed 1006": 1, "client_closed 1000": 1},
                f"the end of the client that upgraded: {ends() - before}",
            )

    run_polling(make_runtime, scenario)
