"""Outputs with real readers: who gets what, and what becomes of one that stops reading."""

import asyncio
import contextlib
import functools
import time
from types import SimpleNamespace

import pytest

from skywatch.outputs import feeder as feeding
from skywatch.outputs.factory import open_output
from skywatch.outputs.forms import HEARTBEATS
from skywatch.outputs.hub import FRAME_FORMS, Hub
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.decoder import Decoder
from tests.skies import NOW, sky_of
from tests.waiting import PATIENCE_S, eventually

SWISS = {"hex": "4840d6", "flight": "KLM1023", "alt_baro": 38000, "lat": 52.2, "lon": 3.9}
FIGHTER = {"hex": "43c001", "flight": "RRR1", "military": True, "lat": 52.5, "lon": 4.0}
SQUITTER = bytes.fromhex("8D4840D6202CC371C32CE0576098")


class Station:
    """The outputs of a process, without the rest of it."""

    def __init__(self):
        self._shared = {}
        self.hub, self.tap = self.shared(Hub), self.shared(FrameTap)
        self._decoder = Decoder()
        self.ticks = 0

    def shared(self, create):
        if create not in self._shared:
            self._shared[create] = create(self)
        return self._shared[create]

    def tick(self, *aircraft):
        self.ticks += 1
        self.hub.on_tick(sky_of(*aircraft, now=NOW + self.ticks))

    def receive(self, *frames):
        self.tap.put(self._decoder.decode(FrameBatch.of_bytes(frames, time=NOW)))


def asynchronous(test):
    """Run a test on a loop of its own."""

    @functools.wraps(test)
    def run(*args, **kw):
        asyncio.run(test(*args, **kw))

    return run


@contextlib.asynccontextmanager
async def running(station, *texts):
    outputs = [open_output(station, f"o{number}", text) for number, text in enumerate(texts)]
    tasks = [asyncio.create_task(output.run()) for output in outputs]
    try:
        await eventually(lambda: all(output.status.state != "starting" for output in outputs))
        yield outputs
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def reading(output, count=1):
    reader, writer = await asyncio.open_connection("127.0.0.1", output.port)
    await eventually(lambda: len(output.readers) >= count)
    async with asyncio.timeout(PATIENCE_S):
        await reader.readexactly(len(HEARTBEATS[output.status.kind]))
    try:
        yield reader
    finally:
        writer.close()


async def line(reader):
    async with asyncio.timeout(PATIENCE_S):
        return (await reader.readline()).decode()


@asynchronous
async def test_a_reader_gets_the_whole_picture_first_and_then_what_was_heard():
    station = Station()
    async with (
        running(station, "json-lines 127.0.0.1:0", "sbs 127.0.0.1:0") as (lines, sbs),
        reading(lines) as one,
        reading(sbs) as other,
    ):
        station.tick(SWISS | {"seen": 40}, FIGHTER)
        assert {(await line(one))[:40].split('"hex":"')[1][:6] for _ in range(2)} == {"4840d6", "43c001"}
        assert {(await line(other)).split(",")[4] for _ in range(2)} == {"4840D6", "43C001"}
        station.tick(SWISS | {"seen": 41}, FIGHTER)
        assert '"hex":"43c001"' in await line(one)
        station.tick(SWISS, FIGHTER | {"seen": 3})
        assert '"hex":"4840d6"' in await line(one)
        assert lines.status.messages == 4


@asynchronous
async def test_frames_reach_readers_of_beast_and_raw():
    station = Station()
    async with (
        running(station, "raw 127.0.0.1:0", "beast 127.0.0.1:0") as (raw, beast),
        reading(raw) as one,
        reading(beast) as other,
    ):
        station.receive(SQUITTER, bytes(14), SQUITTER)
        assert [await line(one) for _ in range(2)] == [f"*{SQUITTER.hex().upper()};\n"] * 2
        async with asyncio.timeout(PATIENCE_S):
            assert (await other.readexactly(23))[:2] == b"\x1a3"
        assert raw.status.messages == beast.status.messages == 2


@asynchronous
async def test_who_listens_no_more_costs_nothing():
    station = Station()
    async with running(station, "raw 127.0.0.1:0"):
        assert station.tap._listeners
    assert not station.tap._listeners
    station.receive(SQUITTER)
    station.tick(SWISS)


@asynchronous
async def test_military_aircraft_and_sources_are_left_out_where_the_setting_says_so():
    station = Station()
    settings = ("json-lines 127.0.0.1:0 military=no", "raw 127.0.0.1:0 military=no", "raw 127.0.0.1:0 sources=mlat")
    async with (
        running(station, *settings) as (lines, raw, mlat),
        reading(lines) as one,
        reading(raw) as other,
        reading(mlat) as third,
    ):
        station.receive(SQUITTER)  # No tick has shown yet that it is a civil aircraft.
        station.tick(FIGHTER, SWISS)
        assert '"hex":"4840d6"' in await line(one)
        station.receive(SQUITTER)
        assert SQUITTER.hex().upper() in await line(other)
        assert (lines.status.messages, raw.status.messages, mlat.status.messages) == (1, 1, 0)
        station.tick(FIGHTER, SWISS | {"hex": "4840d7"})
        station.receive(SQUITTER)
        assert raw.status.messages == 1
        assert not third.at_eof()


@pytest.mark.deep("costs over a processor second")
@asynchronous
async def test_a_reader_that_stops_reading_is_closed_and_holds_up_nobody(monkeypatch):
    monkeypatch.setattr(feeding, "PENDING_BYTES", 100_000)
    station = Station()
    crowd = [SWISS | {"hex": f"4b{number:04x}"} for number in range(300)]
    async with running(station, "json-lines 127.0.0.1:0") as (output,), reading(output), reading(output, 2) as good:
        received = 0

        async def read():
            nonlocal received
            while data := await good.read(1 << 16):
                received += data.count(b"\n")

        task = asyncio.create_task(read())
        async with asyncio.timeout(PATIENCE_S):
            while output.status.dropped == 0:
                began = time.perf_counter()
                station.tick(*crowd)
                assert time.perf_counter() - began < PATIENCE_S
                await eventually(lambda: received == station.ticks * len(crowd))
        station.tick(*crowd)
        await eventually(lambda: received == station.ticks * len(crowd))
        assert len(output.readers) == 1
        assert "does not keep up" in output.status.last_error
        task.cancel()


@asynchronous
async def test_a_reader_that_leaves_something_unread_for_too_long_is_closed(monkeypatch, caplog):
    monkeypatch.setattr(feeding, "STALLED_S", -1.0)
    station = Station()
    async with running(station, "json-lines 127.0.0.1:0") as (output,), reading(output) as reader:
        station.tick(SWISS)
        assert output.status.dropped == 1
        async with asyncio.timeout(PATIENCE_S):
            assert await reader.read() == b""
        station.tick(SWISS)
        # The fault ends once no reader was closed for a while.
        assert "readers keep up" not in caplog.text
        monkeypatch.setattr(feeding, "KEEPING_UP_S", 0.0)
        station.tick(SWISS)
        station.tick(SWISS)
        assert [record.getMessage().split(":")[0] for record in caplog.records] == ["output o0"] * 2
        assert "readers keep up after 1 failed attempts" in caplog.text


@asynchronous
async def test_an_output_that_fails_costs_no_receiver_anything(monkeypatch, caplog):
    def fail(frames):
        raise ValueError("a fault of the program")

    monkeypatch.setitem(FRAME_FORMS, "raw", fail)
    station = Station()
    async with running(station, "raw 127.0.0.1:0") as (output,), reading(output):
        station.receive(SQUITTER)
    assert "frames are not passed to outputs: a fault of the program" in caplog.text


@asynchronous
async def test_connections_that_are_not_allowed_are_closed():
    station = Station()
    async with running(station, "sbs 127.0.0.1:0 allow=192.0.2.0/24", "sbs 127.0.0.1:0 connections=1") as (closed, one):
        reader, writer = await asyncio.open_connection("127.0.0.1", closed.port)
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        writer.close()
        assert (closed.status.refused, closed.status.connections) == (1, 0)
        async with reading(one):
            reader, writer = await asyncio.open_connection("127.0.0.1", one.port)
            await eventually(lambda: one.status.refused == 1)
            writer.close()
        await eventually(lambda: one.status.connections == 0)


@asynchronous
async def test_an_output_connects_again_and_again(monkeypatch):
    monkeypatch.setattr("skywatch.inputs.retrying_input.FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(feeding.Feeder, "first_pause_s", 0.01)
    got = []

    async def take(reader, writer):
        await reader.readline()  # The heartbeat.
        got.append(await reader.readline())
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    station = Station()
    async with running(station, f"raw to 127.0.0.1:{server.sockets[0].getsockname()[1]}") as (output,):
        for times in (1, 2):
            await eventually(lambda: output.readers)
            station.receive(SQUITTER)
            await eventually(lambda times=times: len(got) >= times)
            await eventually(lambda: not output.readers or output.status.reconnects > 0)
        assert output.status.reconnects >= 1
        server.close()
        await eventually(lambda: output.status.state == "waiting")
    assert all(SQUITTER.hex().upper().encode() in one for one in got)


@asynchronous
async def test_an_idle_port_sends_heartbeats(monkeypatch):
    monkeypatch.setattr(feeding, "HEARTBEAT_S", 0.0)
    station = Station()
    async with running(station, "beast 127.0.0.1:0") as (output,), reading(output) as reader:
        station.tick()
        async with asyncio.timeout(PATIENCE_S):
            assert await reader.readexactly(11) == b"\x1a1" + bytes(9)


@asynchronous
async def test_a_port_that_is_taken_is_named_and_tried_again():
    station = Station()
    async with (
        running(station, "sbs 127.0.0.1:0") as (first,),
        running(station, f"sbs 127.0.0.1:{first.port}") as (second,),
    ):
        assert (second.status.state, second.status.last_error) == (
            "waiting",
            "cannot listen: address already in use",
        )


@pytest.mark.parametrize(
    ("form", "kind"), [("beast", "beast"), ("raw", "avr"), ("sbs", "sbs"), ("json-lines", "readsb-lines")]
)
@asynchronous
async def test_another_skywatch_can_be_the_reader(form, kind):
    station, heard = Station(), set()
    sink = SimpleNamespace(put=lambda name, reports, *_: heard.update(report.hex for report in reports))
    async with running(station, f"{form} 127.0.0.1:0") as (output,):
        receiver = open_receiver("net", f"{kind} 127.0.0.1:{output.port}", None)
        task = asyncio.create_task(receiver.run(sink))
        try:
            await eventually(lambda: output.readers)
            station.tick(SWISS, FIGHTER)
            station.receive(SQUITTER)
            await eventually(lambda: heard >= ({"4840d6"} if kind in ("beast", "avr") else {"4840d6", "43c001"}))
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
