"""Receivers of TCP streams, fed with recordings over a real socket that breaks, trickles and falls silent."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from skywatch.receivers.factory import open_receiver
from skywatch.receivers.kinds.stream import StreamReceiver
from skywatch.receivers.recordings import moments
from tests.functional.receivers.servers import Feed, feeder
from tests.unit.receivers.collector import running
from tests.waiting import PATIENCE_S, eventually

# kind -> recording, reports in it
STREAMS = {
    "beast": ("raw/ulss7_61s.beast", 4461),
    "avr": ("raw/ulss7_61s_mlat.avr", 4461),
    "sbs": ("sbs/ulss7_61s.sbs", 4306),
    "readsb-lines": ("raw/ulss7_readsb/json_port.jsonl", 719),
}
# So much of a recording is played in real time.
REAL_TIME_S = 12
CALLSIGNS = {
    "AAR542",
    "AFL030",
    "AFL032",
    "CAO1024",
    "CPA238",
    "MLD185",
    "SDM6244",
    "SDM6414",
    "SDM6620",
    "UTA470",
    "UTA582",
}


def send(data: bytes, size: int = 1 << 16, pause_s: float = 0.0) -> Feed:
    """Send the data in pieces and hold the connection."""

    async def feed(writer: asyncio.StreamWriter) -> None:
        for at in range(0, len(data), size):
            writer.write(data[at : at + size])
            await writer.drain()
            await asyncio.sleep(pause_s)
        await asyncio.sleep(3600)

    return feed


def in_life(messages: list[tuple[float, bytes]]) -> Feed:
    """Send each message when it is due (seconds from the first one on), and hold the connection."""

    async def feed(writer: asyncio.StreamWriter) -> None:
        began = time.monotonic()
        for at, message in messages:
            delay_s = began + at - messages[0][0] - time.monotonic()
            if delay_s > 0.02:
                await asyncio.sleep(delay_s)
            writer.write(message)
        await asyncio.sleep(3600)

    return feed


def timed_messages(data: bytes, kind: str) -> list[tuple[float, bytes]]:
    """The messages of a Beast or AVR recording with the seconds of their counters."""
    if kind == "avr":
        return [(int(line[1:13], 16) / 12e6, line + b"\n") for line in data.split()]
    found = []
    for piece in data.replace(b"\x1a\x1a", b"<ESC>").split(b"\x1a")[1:]:
        counter = piece.replace(b"<ESC>", b"\x1a")[1:7]
        found.append((int.from_bytes(counter, "big") / 12e6, b"\x1a" + piece.replace(b"<ESC>", b"\x1a\x1a")))
    return found


def texts(reports: Iterable[Any], name: str) -> set[str]:
    """What reports say under one name."""
    return {value for report in reports if isinstance(value := getattr(report, name), str)}


def expected(shared_data: Path) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads((shared_data / "raw/EXPECTED.json").read_text())["ulss7_61s"]
    return answers


@pytest.mark.parametrize("kind", ["sbs", "readsb-lines"])
@pytest.mark.parametrize("size", [1 << 16, 37])
def test_recordings_over_a_socket(kind: str, size: int, shared_data: Path) -> None:
    path, count = STREAMS[kind]
    data = (shared_data / path).read_bytes() + b"\n"

    async def play() -> None:
        async with feeder(send(data, size)) as server:
            receiver = open_receiver("roof", f"{kind} 127.0.0.1:{server.port}", (59.95, 30.30))
            async with running(receiver) as heard:
                await eventually(lambda: heard.messages >= count)
                await asyncio.sleep(0.3)
            status = receiver.status
            assert heard.messages == status.messages == count
            assert heard.hexes == set(expected(shared_data)["aircraft_with_crc"])
            assert {report.flight for report in heard.reports if isinstance(report.flight, str)} == CALLSIGNS
            assert status.state == "connected"
            assert status.address == f"127.0.0.1:{server.port}"
            assert status.last_message_at == pytest.approx(time.time(), abs=600)
            assert status.message_rate > 10
            assert status.position_rate > 1
            assert all(time.time() - 600 < report.at <= time.time() for report in heard.reports)

    asyncio.run(play())


@pytest.mark.deep("plays a recording in real time")
def test_mode_s_in_real_time(shared_data: Path, tmp_path: Path) -> None:
    messages = timed_messages((shared_data / STREAMS["beast"][0]).read_bytes(), "beast")
    messages = [message for message in messages if message[0] < messages[0][0] + REAL_TIME_S]
    span_s = messages[-1][0] - messages[0][0]
    cut = tmp_path / "cut.beast"
    cut.write_bytes(b"".join(frame for _, frame in messages))
    offline = [moment.batch for moment in moments(str(cut), "beast", (59.95, 30.30), Counter())]
    count = sum(one.messages for one in offline)
    # The last Beast message is complete only when the next begins.
    messages.append((messages[-1][0], b"\x1a1" + bytes(9) + b"\x1a"))

    async def play() -> None:
        async with feeder(in_life(messages)) as server:
            receiver = open_receiver("roof", f"beast 127.0.0.1:{server.port}", (59.95, 30.30))
            async with running(receiver) as heard:
                await eventually(lambda: heard.messages >= count, wait_s=span_s + PATIENCE_S)
            status = receiver.status
            reports = [report for one in offline for report in one.reports]
            assert heard.messages == count > 500
            for name in ("hex", "flight", "squawk"):
                assert texts(heard.reports, name) == texts(reports, name) != set()
            assert status.positions == sum(one.positions for one in offline) > 50
            assert 10 < status.message_rate < 300
            # Told by the counter: within the gathering of when each was sent.
            first = heard.reports[0].at
            assert heard.reports[-1].at - first == pytest.approx(span_s, abs=2)

    asyncio.run(play())


@pytest.mark.deep("plays a recording in real time")
def test_avr_in_real_time(shared_data: Path, tmp_path: Path) -> None:
    messages = timed_messages((shared_data / STREAMS["avr"][0]).read_bytes(), "avr")
    messages = [message for message in messages if message[0] < messages[0][0] + REAL_TIME_S]
    cut = tmp_path / "cut.avr"
    cut.write_bytes(b"".join(line for _, line in messages))
    offline = [moment.batch for moment in moments(str(cut), "avr", (59.95, 30.30), Counter())]

    async def play() -> None:
        async with feeder(in_life(messages)) as server:
            receiver = open_receiver("roof", f"avr 127.0.0.1:{server.port}", (59.95, 30.30))
            async with running(receiver) as heard:
                await eventually(lambda: heard.messages >= sum(one.messages for one in offline))
            assert receiver.status.positions == sum(one.positions for one in offline) > 50
            assert heard.hexes == {report.hex for one in offline for report in one.reports}

    asyncio.run(play())


@pytest.mark.parametrize("kind", list(STREAMS))
def test_a_server_that_is_killed_and_comes_back(kind: str, shared_data: Path) -> None:
    whole = (shared_data / STREAMS[kind][0]).read_bytes()
    half = len(whole) // 2 + 3

    async def play() -> None:
        async with feeder(send(whole[:half])) as server:
            receiver = open_receiver("roof", f"{kind} 127.0.0.1:{server.port}", None)
            async with running(receiver) as heard:
                await eventually(lambda: len(heard.hexes) >= 8)
                await asyncio.sleep(0.3)
                before = heard.messages
                await server.kill()
                await eventually(lambda: receiver.status.state == "waiting")
                assert receiver.status.last_error
                server.feed = send(whole[half:])
                await server.start()
                await eventually(lambda: heard.messages > before + 100)
            assert receiver.status.state == "connected"
            assert receiver.status.reconnects >= 1
            assert len(heard.hexes) <= 11
            # What was cut in the middle is lost or counted, never glued together into something else.
            assert heard.messages <= STREAMS[kind][1]

    asyncio.run(play())


@pytest.mark.parametrize("kind", list(STREAMS))
def test_one_byte_at_a_time(kind: str, shared_data: Path) -> None:
    data = (shared_data / STREAMS[kind][0]).read_bytes()[:3000]

    async def play() -> None:
        async with feeder(send(data, 1)) as server:
            receiver = open_receiver("roof", f"{kind} 127.0.0.1:{server.port}", None)
            async with running(receiver) as heard:
                await eventually(lambda: len(heard.reports) >= 2)

    asyncio.run(play())


def test_nobody_listens() -> None:
    async def play() -> None:
        receiver = open_receiver("roof", "sbs 127.0.0.1:1", None)
        async with running(receiver) as heard:
            await eventually(lambda: receiver.status.reconnects >= 1)
        assert not heard.batches
        assert receiver.status.last_error == "cannot connect: connection refused"
        assert receiver.status.state == "waiting"
        unknown = open_receiver("roof", "beast no-such-host.invalid:30005", None)
        async with running(unknown):
            await eventually(lambda: unknown.status.last_error)
        assert unknown.status.last_error == "cannot connect: the host is not known"

    asyncio.run(play())


def test_a_peer_that_is_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StreamReceiver, "idle_timeout_s", 0.4)

    async def play() -> None:
        async with feeder(send(b"MSG,8,1,1,4B1A23,1\r\n")) as server:
            receiver = open_receiver("roof", f"sbs 127.0.0.1:{server.port}", None)
            async with running(receiver) as heard:
                await eventually(lambda: server.connections >= 2 and heard.messages >= 1)
            assert "no data for" in str(receiver.status.last_error)

    asyncio.run(play())


def test_heartbeats_hold_a_quiet_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    # So long that a busy machine does not make a silence of its own.
    idle_s, beat_s = 4.0, 0.1
    monkeypatch.setattr(StreamReceiver, "idle_timeout_s", idle_s)

    async def hold(kind: str, beat: bytes) -> None:
        async with feeder(send(beat * 1000, len(beat), beat_s)) as server:
            receiver = open_receiver("roof", f"{kind} 127.0.0.1:{server.port}", None)
            async with running(receiver) as heard:
                await asyncio.sleep(idle_s + 5 * beat_s)
            assert server.connections == 1
            assert receiver.status.last_error is None
            assert receiver.status.state == "connected"
            assert not receiver.status.invalid
            assert not heard.batches

    async def play() -> None:
        beats = {"sbs": b"\r\n", "avr": b"*0000;\n", "beast": b"\x1a\x31" + bytes(9), "readsb-lines": b"\n"}
        await asyncio.gather(*(hold(kind, beat) for kind, beat in beats.items()))

    asyncio.run(play())


def test_a_flood_of_rubbish_is_counted_and_outlived() -> None:
    lines = bytes(range(1, 256)) * 4000
    frames = (b"\x1a3" + bytes(range(27, 48))) * 4000

    async def play() -> None:
        for kind in ("sbs", "readsb-lines", "avr", "beast"):
            async with feeder(send(frames if kind == "beast" else lines)) as server:
                receiver = open_receiver("roof", f"{kind} 127.0.0.1:{server.port}", None)
                async with running(receiver) as heard:
                    await eventually(lambda receiver=receiver: sum(receiver.status.invalid.values()) > 10)
                assert receiver.status.state == "connected"
                assert not heard.reports

    asyncio.run(play())
