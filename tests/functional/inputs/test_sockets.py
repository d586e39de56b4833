"""``udp``, ``tcp`` and ``listen`` over real sockets: what arrives, what is refused, what breaks and comes back."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import cast

import pytest

from skywatch.inputs.factory import open_input
from skywatch.inputs.transports import tcp as tcp_module
from skywatch.inputs.transports import udp as udp_module
from skywatch.inputs.transports.listener import ListenInput
from skywatch.inputs.transports.udp import UdpInput
from tests.functional.inputs.collector import Collector, Lines, running
from tests.waiting import eventually


def udp(text: str, consumer: Collector[str]) -> UdpInput[str]:
    return cast(UdpInput[str], open_input("acars", "vhf", text, Lines, consumer))


def listen(text: str, consumer: Collector[str]) -> ListenInput[str]:
    return cast(ListenInput[str], open_input("acars", "vhf", text, Lines, consumer))


def sender(host: str = "127.0.0.1", family: int = socket.AF_INET) -> socket.socket:
    one = socket.socket(family, socket.SOCK_DGRAM)
    one.bind((host, 0))
    return one


def test_datagrams_of_several_senders_are_not_mixed() -> None:
    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = udp("udp 127.0.0.1:0", consumer)
        async with running(source):
            await eventually(lambda: source.status.state == "listening")
            first, second = sender(), sender()
            for one, datagram in ((first, b"one\ntwo\nth"), (second, b"fo"), (first, b"ree\nbad\n"), (second, b"ur\n")):
                one.sendto(datagram, ("127.0.0.1", source.port or 0))
            await eventually(lambda: len(consumer.messages) == 4)
            status = source.status
            assert sorted(consumer.messages) == ["four", "one", "three", "two"]
            assert {origin.sender for origin in consumer.origins} == {"127.0.0.1"}
            assert {origin.input for origin in consumer.origins} == {"vhf"}
            assert (status.family, status.kind, status.messages, status.invalid["bad"]) == ("acars", "udp", 4, 1)
            assert status.last_message_at is not None
            assert status.message_rate > 0

    asyncio.run(play())


def test_datagrams_of_other_networks_are_refused_and_counted() -> None:
    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = udp("udp 127.0.0.1:0 allow=127.0.0.2,10.0.0.0/8", consumer)
        async with running(source):
            await eventually(lambda: source.port)
            sender("127.0.0.1").sendto(b"stranger\n", ("127.0.0.1", source.port or 0))
            sender("127.0.0.2").sendto(b"friend\n", ("127.0.0.1", source.port or 0))
            await eventually(lambda: consumer.messages)
            assert consumer.messages == ["friend"]
            assert source.status.refused == 1

    asyncio.run(play())


def test_ipv4_senders_of_an_ipv6_socket_are_known_by_their_ipv4_address() -> None:
    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = udp("udp [::]:0 allow=127.0.0.1", consumer)
        async with running(source):
            await eventually(lambda: source.port)
            sender().sendto(b"mapped\n", ("127.0.0.1", source.port or 0))
            await eventually(lambda: consumer.messages)
            assert source.status.refused == 0

    asyncio.run(play())


def test_a_flood_of_datagrams_is_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udp_module, "DATAGRAMS_PER_S", 20)

    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = udp("udp 127.0.0.1:0", consumer)
        async with running(source):
            await eventually(lambda: source.port)
            one = sender()
            for _ in range(300):
                one.sendto(b"x\n", ("127.0.0.1", source.port or 0))
            await eventually(lambda: source.status.messages + source.status.dropped == 300)
            assert 40 <= source.status.messages < 100
            assert len(consumer.messages) == source.status.messages

    asyncio.run(play())


@pytest.mark.skipif(udp_module.OVERFLOWS is None, reason="only Linux says how many datagrams it had no room for")
def test_datagrams_that_the_system_had_no_room_for_are_counted() -> None:
    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = udp("udp 127.0.0.1:0", consumer)
        async with running(source):
            await eventually(lambda: source.port)
            one = sender()
            # Nobody reads meanwhile: the loop is busy with this.
            for _ in range(3000):
                one.sendto(b"x\n" * 400, ("127.0.0.1", source.port or 0))

            def all_counted() -> bool:
                # What was lost is said with the next datagram.
                one.sendto(b"last\n", ("127.0.0.1", source.port or 0))
                return consumer.messages.count("x") / 400 + source.status.dropped >= 3000

            await eventually(all_counted)
            assert 0 < consumer.messages.count("x") < 3000 * 400

    asyncio.run(play())


def test_a_fault_in_one_datagram_is_outlived() -> None:
    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = udp("udp 127.0.0.1:0", consumer)
        source.first_pause_s = 0.01
        async with running(source):
            await eventually(lambda: source.port)
            sender().sendto(b"fault\n", ("127.0.0.1", source.port or 0))
            await eventually(lambda: source.status.reconnects == 1)
            assert source.status.last_error == "a fault of the program"
            await eventually(lambda: source.status.state == "listening")
            sender().sendto(b"after\n", ("127.0.0.1", source.port or 0))
            await eventually(lambda: consumer.messages == ["after"])

    asyncio.run(play())


def test_a_port_that_is_taken_is_tried_again() -> None:
    async def play() -> None:
        taken = sender()
        port = taken.getsockname()[1]
        source = udp(f"udp 127.0.0.1:{port}", Collector())
        source.first_pause_s = 0.01
        async with running(source):
            await eventually(lambda: source.status.state == "waiting")
            assert source.status.last_error == "cannot bind: address already in use"
            taken.close()
            await eventually(lambda: source.status.state == "listening")

    asyncio.run(play())


def test_several_clients_connect_and_none_disturbs_another() -> None:
    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = listen("listen 127.0.0.1:0", consumer)
        async with running(source):
            await eventually(lambda: source.port)
            writers = [(await asyncio.open_connection("127.0.0.1", source.port))[1] for _ in range(3)]
            await eventually(lambda: source.status.connections == 3)
            writers[0].write(b"one\ntw")
            writers[1].write(b"fault\n")
            writers[2].write(b"three\n" + b"x" * 1000)
            await eventually(lambda: source.status.connections == 2)
            writers[0].write(b"o\n")
            writers[2].write(b"x" * 1000 + b"\nfour\n")
            await eventually(lambda: len(consumer.messages) == 4)
            assert sorted(consumer.messages) == ["four", "one", "three", "two"]
            assert source.status.invalid == {"too_long": 1, "bad": 0}
            assert source.status.state == "listening"
            for writer in writers:
                writer.close()
            await eventually(lambda: source.status.connections == 0)

    asyncio.run(play())


def test_clients_beyond_the_limit_and_of_other_networks_are_refused() -> None:
    async def play() -> None:
        source = listen("listen 127.0.0.1:0 connections=4", Collector())
        strict = listen("listen 127.0.0.1:0 allow=10.0.0.0/8", Collector())
        async with running(source), running(strict):
            await eventually(lambda: source.port and strict.port)
            # Half of the places are one address'.
            first = [await asyncio.open_connection("127.0.0.1", source.port) for _ in range(2)]
            await eventually(lambda: source.status.connections == 2)
            third = await asyncio.open_connection("127.0.0.1", source.port)
            with contextlib.suppress(ConnectionError):
                assert await third[0].read() == b""
            other = await asyncio.open_connection("127.0.0.1", source.port, local_addr=("127.0.0.2", 0))
            await eventually(lambda: source.status.connections == 3)
            assert source.status.refused == 1
            await asyncio.open_connection("127.0.0.1", strict.port)
            await eventually(lambda: strict.status.refused == 1)
            assert strict.status.connections == 0
            for _, writer in (*first, other):
                writer.close()

    asyncio.run(play())


def test_a_consumer_without_room_makes_the_sender_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp_module, "MESSAGES_PER_S", 1e9)

    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = listen("listen 127.0.0.1:0", consumer)
        async with running(source):
            await eventually(lambda: source.port)
            _, writer = await asyncio.open_connection("127.0.0.1", source.port)
            consumer.room.clear()
            writer.write(b"x\n" * 4_000_000)
            await eventually(lambda: consumer.messages)
            await asyncio.sleep(0.3)
            received = len(consumer.messages)
            assert received < 1_000_000
            consumer.room.set()
            await eventually(lambda: len(consumer.messages) == 4_000_000)
            assert source.status.dropped == 0
            writer.close()

    asyncio.run(play())


@pytest.mark.parametrize("kind", ["listen", "tcp"])
def test_a_connection_that_sends_too_much_is_read_later_and_loses_nothing(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def sleep(pause_s: float) -> None:
        pauses.append(pause_s)

    class Clock:
        """No time passes, however slow the machine is."""

        @staticmethod
        def monotonic() -> float:
            return 1000.0

        time = monotonic

    async def play() -> None:
        lines = b"".join(b"line %d\n" % number for number in range(60))
        consumer: Collector[str] = Collector()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(lines)
            await writer.drain()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        text = "listen 127.0.0.1:0" if kind == "listen" else f"tcp 127.0.0.1:{port}"
        source = open_input("acars", "vhf", text, Lines, consumer)
        async with running(source):
            if isinstance(source, ListenInput):
                await eventually(lambda: source.port)
                _, writer = await asyncio.open_connection("127.0.0.1", source.port or 0)
                await serve(_, writer)
            await eventually(lambda: len(consumer.messages) >= 60)
            assert source.status.dropped == 0
        server.close()

    monkeypatch.setattr(tcp_module, "MESSAGES_PER_S", 10)
    monkeypatch.setattr(tcp_module, "sleep", sleep)
    monkeypatch.setattr(tcp_module, "time", Clock)
    asyncio.run(play())
    # Twenty at once, and then ten a second.
    assert max(pauses) == pytest.approx(4.0)


def test_a_server_that_goes_and_comes_back() -> None:
    async def play() -> None:
        consumer: Collector[str] = Collector()

        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"hello\nhal")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        source = open_input("acars", "far", f"tcp 127.0.0.1:{port}", Lines, consumer)
        source.first_pause_s = 0.01  # type: ignore[attr-defined]
        async with running(source):
            await eventually(lambda: len(consumer.messages) >= 2)
            server.close()
            await eventually(lambda: source.status.last_error == "cannot connect: connection refused")
        assert set(consumer.messages) == {"hello"}
        assert source.status.address == f"127.0.0.1:{port}"

    asyncio.run(play())
