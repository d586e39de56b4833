"""Who counts as a receiver: only hosts that spoke the protocol, within the limits, without being led elsewhere."""

import asyncio
import time
from contextlib import asynccontextmanager
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from skywatch.receivers.discovery import probes
from skywatch.receivers.discovery.probes import Door, ask, is_aircraft_list, is_beast, is_sbs
from tests.waiting import PATIENCE_S

HERE = IPv4Address("127.0.0.1")
# A frame of DF 17 whose checksum holds, as Beast; and with one bit turned.
FRAME = bytes.fromhex("1a33" + "000000000001" + "80" + "8d4840d6202cc371c32ce0576098")
DAMAGED = FRAME[:-1] + bytes([FRAME[-1] ^ 1])
SBS = b"MSG,3,1,1,4B1620,1,2026/01/01,12:00:00.000,2026/01/01,12:00:00.000,,35000,,,47.1,8.1,,,0,0,0,0\r\n"
LIST = b'{"now":1700000000.1,"messages":12,"aircraft":[{"hex":"4b1620","alt_baro":35000}]}'


def answer(body, status=b"200 OK", more=b""):
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s" % (status, len(body), more, body)


@asynccontextmanager
async def serving(*, greets=b"", answers=None, repeats=False, ends=False):
    """A server on this machine: sends ``greets`` at once, or ``answers`` to a request; has what it was sent.

    Nothing follows if it ``ends``.
    """
    received, peers = [], []

    async def serve(reader, writer):
        peers.append(writer)
        try:
            if answers is not None:
                received.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(answers)
            writer.write(greets)
            while repeats:
                writer.write(greets * 100)
                await writer.drain()
            if ends:
                writer.write_eof()
            received.append(await reader.read())
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], received, peers
    finally:
        server.close()


def found(kind, **server):
    """What is found of a server that ends, so that nobody needs to hurry; what it was sent, and the round."""

    async def run():
        async with serving(**server, ends=True) as (port, received, _):
            outcome = await ask([HERE], [Door(kind, port)], PATIENCE_S)
            await asyncio.sleep(0.05)
            return [finding.kind for finding in outcome.findings], received, outcome

    with pytest.MonkeyPatch.context() as patient:
        patient.setattr(probes, "CONNECT_S", PATIENCE_S)
        patient.setattr(probes, "LISTEN_S", PATIENCE_S)
        return asyncio.run(run())


@pytest.mark.parametrize(("kind", "greets"), [("beast", FRAME), ("sbs", SBS)])
def test_a_port_that_speaks_the_protocol_is_found_and_gets_nothing(kind, greets):
    kinds, received, outcome = found(kind, greets=greets)
    assert kinds == [kind]
    assert b"".join(received) == b""
    assert (outcome.asked, outcome.total) == (1, 1)


def test_the_list_of_a_tar1090_is_found_with_one_get():
    kinds, received, _ = found("readsb", answers=answer(LIST))
    assert kinds == ["readsb"]
    assert received[0].startswith(b"GET /tar1090/data/aircraft.json HTTP/1.1\r\n")
    assert b"cookie" not in received[0].lower()
    assert b"authorization" not in received[0].lower()


@pytest.mark.parametrize(
    ("kind", "server"),
    [
        ("beast", {"greets": b""}),
        ("beast", {"greets": b"SSH-2.0-OpenSSH_9.6\r\n"}),
        ("beast", {"greets": DAMAGED}),
        ("beast", {"greets": SBS}),
        ("sbs", {"greets": FRAME}),
        ("sbs", {"greets": b"220 mail.example ESMTP\r\n"}),
        ("sbs", {"greets": SBS + b"220 mail.example ESMTP\r\n"}),
        ("readsb", {"answers": answer(b"<html>router</html>")}),
        ("readsb", {"answers": answer(b'{"now":1}')}),
        ("readsb", {"answers": answer(LIST, b"401 Unauthorized")}),
        ("readsb", {"answers": answer(LIST, more=b"Content-Encoding: gzip\r\n")}),
        ("readsb", {"answers": b"\xff\xfe not http"}),
    ],
)
def test_what_speaks_anything_else_is_not_answered(kind, server):
    assert found(kind, **server)[0] == []


def test_one_that_says_nothing_is_left():
    async def run():
        async with serving() as (port, _, _):
            return await ask([HERE], [Door("beast", port)], PATIENCE_S)

    outcome = asyncio.run(run())
    assert (outcome.findings, outcome.asked) == ([], 1)


def test_a_redirect_is_not_followed():
    async def run():
        async with serving(answers=answer(LIST)) as (port, received, _):
            elsewhere = b"Location: http://127.0.0.1:%d/tar1090/data/aircraft.json\r\n" % port
            async with serving(answers=answer(b"", b"302 Found", elsewhere)) as (asked, _, _):
                outcome = await ask([HERE], [Door("readsb", asked)])
            return outcome.findings, received

    assert asyncio.run(run()) == ([], [])


def test_no_more_than_64_kb_are_read_and_a_longer_list_is_still_one(monkeypatch):
    aircraft = b",".join([b'{"hex":"4b1620","flight":"SWR1    "}'] * 4000)
    long = b'{ "now" : 1700000000.1,\n "messages" : 12,\n "aircraft" : [\n' + aircraft + b"]}"
    assert len(long) > probes.MAX_BYTES
    assert found("readsb", answers=answer(long))[0] == ["readsb"]
    assert found("readsb", answers=answer(b"[" * 200_000))[0] == []
    # One that never ends is left after as much.
    sizes = []
    monkeypatch.setattr(probes, "is_beast", lambda received: bool(sizes.append(len(received))))
    found("beast", greets=FRAME, repeats=True)
    assert sizes == [probes.MAX_BYTES]


def test_a_round_ends_in_time_with_at_most_64_connections(monkeypatch):
    monkeypatch.setattr(probes, "LISTEN_S", 30.0)
    # A busy machine takes its time to connect; who gives up makes room for another.
    monkeypatch.setattr(probes, "CONNECT_S", 30.0)

    async def run():
        async with serving() as (port, _, peers):
            hosts = [IPv4Address(f"127.0.0.{number}") for number in range(1, 2)] * 200
            began = time.monotonic()
            outcome = await ask(hosts, [Door("beast", port)], 1.0)
            return time.monotonic() - began, len(peers), outcome

    took_s, connections, outcome = asyncio.run(run())
    # Not the half minute that it would listen to each.
    assert took_s < 20.0
    assert connections == probes.AT_ONCE
    assert outcome.findings == []
    assert outcome.asked == 0


def test_the_limits_are_those_of_the_manual():
    assert (probes.AT_ONCE, probes.WITHIN_S, probes.LISTEN_S, probes.MAX_BYTES) == (64, 5.0, 1.0, 65_536)
    assert {(door.kind, door.port) for door in probes.DOORS} == {("beast", 30005), ("sbs", 30003), ("readsb", 80)}
    assert Path(probes.TAR1090).name == "aircraft.json"


def test_nobody_to_ask_is_no_fault():
    assert asyncio.run(ask([])) == probes.Round([], 0, 0)


def test_the_protocols_by_their_bytes():
    assert is_beast(FRAME * 3)
    assert not is_beast(b"\x1a" * 1000)
    assert is_sbs(SBS + b"\r\n" + SBS)
    assert not is_sbs(b"\r\n\r\n")
    assert is_aircraft_list(LIST)
    assert not is_aircraft_list(b"")
