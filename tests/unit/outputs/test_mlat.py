"""Frames of single feeders for mlat-client: who is passed on, and what."""

import asyncio
import contextlib
import dataclasses
from types import SimpleNamespace

import pytest

from skywatch.outputs import mlat
from skywatch.outputs.factory import open_output
from skywatch.outputs.ingest import IngestOutputs
from skywatch.outputs.mlat import open_mlat_output
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.framing.beast import MLAT_TICKS, BeastFramer
from skywatch.settings import SettingsError
from tests.ports import free_port
from tests.unit.receivers.feeder_streams.connections import HELLO, connect, known, listening, until
from tests.waiting import PATIENCE_S

FRAME = bytes.fromhex("8d4840d6202cc371c32ce0576098")
CONSENTING = dataclasses.replace(known(number=3), mlat=True)


def beast(ticks):
    return b"\x1a3" + (ticks.to_bytes(6, "big") + b"\x80" + FRAME).replace(b"\x1a", b"\x1a\x1a")


@contextlib.asynccontextmanager
async def offering(hub, monkeypatch):
    """The output on ports of its own; feeder 3 has the third behind the first."""
    monkeypatch.setattr(mlat, "LOOK_EVERY_S", 0.05)
    first = free_port() - 3
    output = open_mlat_output("mlat", [f"127.0.0.1:{first}"], hub)
    task = asyncio.create_task(output.run())
    try:
        yield output, first + 3
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def opened(output):
    await until(lambda: output.ports and all(port.output.port for port in output.ports.values()))


def run(test):
    asyncio.run(test())


def test_frames_of_a_consenting_feeder_are_passed_on_with_their_counters(monkeypatch):
    async def test():
        async with listening(CONSENTING) as (receiver, _), offering(receiver.feeders, monkeypatch) as (output, port):
            _, feeder = await connect(receiver, HELLO + beast(7))
            await opened(output)
            assert list(output.ports) == [3]
            reader, client = await asyncio.open_connection("127.0.0.1", port)
            await until(lambda: output.status.connections)
            # A ping and an unknown message are not for mlat-client; nor are results of multilateration and no counters.
            feeder.write(b"\x1aP\0\0\x01" + beast(0x1A1A) + beast(MLAT_TICKS) + beast(0) + beast(0x1A1A + 12_000))
            framer, ticks = BeastFramer(), []
            async with asyncio.timeout(PATIENCE_S):
                while len(ticks) < 2:
                    frames = framer.feed(await reader.read(1000))
                    ticks += frames.ticks.tolist()
                    assert {bytes(row[:14]) for row in frames.data} <= {FRAME}
            assert (ticks, framer.skipped) == ([0x1A1A, 0x1A1A + 12_000], 0)
            await until(lambda: output.status.messages == 2)
            # A new connection of the feeder goes on at the same port.
            _, feeder = await connect(receiver, HELLO + beast(99))
            await asyncio.sleep(0.2)
            feeder.write(beast(100))
            async with asyncio.timeout(PATIENCE_S):
                while 100 not in framer.feed(await reader.read(1000)).ticks:
                    pass
            client.close()

    run(test)


def test_a_port_closes_when_the_consent_ends_and_the_connection_stays(monkeypatch):
    async def test():
        async with listening(CONSENTING) as (receiver, _), offering(receiver.feeders, monkeypatch) as (output, port):
            _feeder = await connect(receiver, HELLO + beast(7))
            await opened(output)
            reader, _client = await asyncio.open_connection("127.0.0.1", port)
            receiver.feeders.replace([dataclasses.replace(CONSENTING, mlat=False)])
            async with asyncio.timeout(PATIENCE_S):
                with contextlib.suppress(ConnectionError):
                    while await reader.read(1000):
                        pass
            (connection,) = receiver.feeders.connections()
            assert (connection.mirror, output.ports, connection.feeder.id) == (None, {}, 3)
            with pytest.raises(OSError):
                await asyncio.open_connection("127.0.0.1", port)

    run(test)


def test_who_does_not_consent_sends_lines_or_is_not_registered_is_not_passed_on(monkeypatch):
    async def test():
        feeders = known(number=4), dataclasses.replace(known(number=5, digits="1" * 32, name="lines"), mlat=True)
        sbs = "format=sbs feeder=lines allow=127.0.0.0/8"
        async with (
            listening(*feeders, admission="anybody") as (receiver, _),
            listening(options=sbs) as (lines, _),
            offering(receiver.feeders, monkeypatch) as (output, _),
        ):
            lines.feeders = receiver.feeders
            _clients = [
                await connect(receiver, HELLO + beast(7)),
                await connect(receiver, HELLO.replace(b"0", b"9") + beast(7)),
                await connect(lines, b"MSG,8,1,1,4840D6,1,,,,,,,,,,,,,,,,\n"),
            ]
            await until(lambda: len(receiver.feeders.connections()) == 3)
            await asyncio.sleep(0.2)
            assert output.ports == {}

    run(test)


def test_a_port_that_is_taken_or_too_high_is_named(monkeypatch):
    async def test():
        async with listening(CONSENTING) as (receiver, _), offering(receiver.feeders, monkeypatch) as (output, port):
            taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", port)
            _feeder = await connect(receiver, HELLO + beast(7))
            await until(lambda: output.status.last_error)
            assert "feeder-3: cannot listen" in output.status.last_error
            taken.close()
        output = open_mlat_output("mlat", ["127.0.0.1:65534"], receiver.feeders)
        assert output._open(CONSENTING) is None
        assert "65537" in output.status.last_error

    run(test)


def at_ingest(settings, hub):
    """The service of the role ingest, on a bus between processes."""
    bus = SimpleNamespace(carries_objects=False)
    return IngestOutputs(SimpleNamespace(bus=bus, current=settings, shared=lambda kind: hub))


def test_an_ingest_process_hands_out_the_frames_of_its_consenting_feeders(monkeypatch, make_settings, caplog):
    monkeypatch.setattr(mlat, "LOOK_EVERY_S", 0.05)
    first = free_port() - 3
    settings = make_settings(output__m=f"mlat 127.0.0.1:{first}", output__b="beast 127.0.0.1:30005")

    async def test():
        async with listening(CONSENTING) as (receiver, _):
            service = at_ingest(settings, receiver.feeders)
            await service.start()
            _feeder = await connect(receiver, HELLO + beast(7))
            await until(lambda: list(service.outputs) and next(iter(service.outputs)).ports)
            (output,) = service.outputs
            await opened(output)
            assert list(output.ports) == [3]
            reader, _ = await asyncio.open_connection("127.0.0.1", first + 3)
            await until(lambda: output.status.connections)
            _feeder[1].write(beast(8))
            # A heartbeat may come ahead of it.
            framer = BeastFramer()
            async with asyncio.timeout(PATIENCE_S):
                while 8 not in framer.feed(await reader.read(1000)).ticks:
                    pass
            await service.stop()
            assert not output.ports

    run(test)
    assert "output.b has the frames of receivers only" in caplog.text


def test_an_ingest_process_names_a_setting_that_it_cannot_open(make_settings, caplog):
    settings = make_settings(output__m="mlat here")

    async def test():
        service = at_ingest(settings, FeederHub())
        await service.start()
        await until(lambda: "frames of feeders are not handed out: output.m: " in caplog.text)
        await service.stop()

    run(test)


def test_the_tracker_leaves_the_ports_to_the_role_ingest_where_there_is_a_bus(monkeypatch):
    monkeypatch.setattr(mlat, "LOOK_EVERY_S", 0.05)

    async def test():
        async with listening(CONSENTING) as (receiver, _):
            output = open_mlat_output("mlat", [f"127.0.0.1:{free_port() - 3}"], receiver.feeders, has_bus=True)
            task = asyncio.create_task(output.run())
            _feeder = await connect(receiver, HELLO + beast(7))
            await until(lambda: receiver.feeders.connections())
            await asyncio.sleep(0.1)
            assert (output.status.state, output.ports) == ("listening", {})
            task.cancel()

    run(test)


@pytest.mark.parametrize("text", ["mlat", "mlat here", "mlat 127.0.0.1:31000 speed=2", "mlat to 127.0.0.1:31000"])
def test_a_wrong_setting_is_named(text, make_runtime):
    with pytest.raises(SettingsError, match=r"output\.m"):
        open_output(make_runtime(), "m", text)
