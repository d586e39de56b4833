"""readsb over HTTP, against a real server on a real socket that behaves and misbehaves."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import pytest

from skywatch.inputs.transports import http_source
from skywatch.readsb.bincraft import encode_rows, packed
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.kinds.polling_receiver import PollingReceiver
from skywatch.receivers.reports.bincraft import AGES_OF_32_BITS
from skywatch.security.visibility import EVERYTHING
from skywatch.settings import SettingsError
from tests.functional.receivers.documents import answers, document
from tests.functional.receivers.servers import Request, response, web_server
from tests.skies import sky_of
from tests.unit.receivers.collector import running
from tests.waiting import eventually

PATH = "/data/aircraft.json"


def test_polls_on_one_connection_at_the_pace_of_receiver_json(shared_data: Path) -> None:
    real = json.loads((shared_data / "raw/ulss7_readsb/aircraft.json").read_bytes())

    def answer(request: Request) -> bytes:
        return response("200 OK", json.dumps(real | {"now": time.time()}).encode())

    async def play() -> None:
        async with web_server(answers(answer)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            async with running(receiver) as heard:
                await eventually(lambda: len(heard.batches) >= 4)
            assert len(heard.hexes) == 11
            assert receiver.status.state == "connected"
            assert receiver.status.position_rate > 0
            assert receiver.status.address == f"http://127.0.0.1:{web.port}{PATH}"
            assert len(web.asked(PATH)) >= 4
            # One for receiver.json, one for all the rest.
            assert web.connections == 2
            assert web.asked(PATH)[0].headers["accept-encoding"] == "gzip"
            for report in heard.reports:
                assert time.time() - 600 < report.at <= time.time()

    asyncio.run(play())


def test_conditional_requests_and_gzip() -> None:
    state = {"body": document(), "etag": '"a"'}

    def answer(request: Request) -> bytes:
        if request.headers.get("if-none-match") == state["etag"]:
            return response("304 Not Modified", ETag=str(state["etag"]))
        body = gzip.compress(bytes(state["body"]))  # type: ignore[arg-type]
        return response(
            "200 OK", body, Content_Encoding="gzip", ETag=str(state["etag"]), Last_Modified=formatdate(usegmt=True)
        )

    async def play() -> None:
        async with web_server(answers(answer)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            async with running(receiver) as heard:
                await eventually(lambda: len(web.asked(PATH)) >= 4)
                assert len(heard.batches) == 1
                assert "if-modified-since" in web.asked(PATH)[1].headers
                state.update(body=document(addresses=("4b1a24",)), etag='"b"')
                await eventually(lambda: len(heard.batches) == 2)
            assert heard.hexes == {"4b1a23", "4b1a24"}

    asyncio.run(play())


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (response("404 Not Found", b"<html>no</html>"), "the server answered 404 Not Found"),
        (response("500 Internal Server Error", b"secret internals"), "the server answered 500"),
        (response("200 OK", b"<html><body>It works!</body></html>"), "is not JSON"),
        (response("200 OK", b'{"aircraft":{}}'), "has no list of aircraft"),
        (response("200 OK", b'{"now":1,"aircraft":[{"hex":"4b1a'), "is not JSON, or not all of it"),
        (response("200 OK", b"not gzip", Content_Encoding="gzip"), "damaged"),
        (response("302 Found", Location=PATH), "redirects more than 5 times"),
        (response("302 Found", Location="gopher://x/"), "the connection broke"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "the connection broke"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{", "the connection broke|is silent"),
        (None, "the connection broke"),
    ],
)  # fmt: skip
def test_whatever_a_server_does_is_named_and_outlived(
    bad: bytes | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "silent" in reason:
        monkeypatch.setattr(http_source, "SILENCE_TIMEOUT_S", 0.5)
    count = {"bad": 0}

    def answer(request: Request) -> bytes | None:
        if count["bad"] < (7 if bad and b"Location: /" in bad else 1):
            count["bad"] += 1
            return bad
        return response("200 OK", document())

    async def play() -> None:
        async with web_server(answers(answer, None)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            async with running(receiver) as heard:
                await eventually(lambda: heard.batches)
            status = receiver.status
            assert status.last_error is not None
            assert re.search(reason, status.last_error), status.last_error
            assert "secret" not in status.last_error
            assert status.state == "connected"
            assert status.reconnects >= 1

    asyncio.run(play())


def test_a_huge_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_source, "MAX_BODY", 100_000)
    bomb = gzip.compress(b" " * 50_000_000)

    async def play() -> None:
        answer = lambda request: response("200 OK", bomb, Content_Encoding="gzip")  # noqa: E731
        async with web_server(answers(answer, None)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            async with running(receiver):
                await eventually(lambda: receiver.status.last_error)
            assert "larger than" in str(receiver.status.last_error)

    asyncio.run(play())


def test_a_trickle_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_source, "REQUEST_TIMEOUT_S", 0.8)

    async def play() -> None:
        async def drip(request: Request) -> bytes | None:
            await asyncio.sleep(3600)
            return None

        async with web_server(answers(drip, None)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            async with running(receiver):
                await eventually(lambda: receiver.status.last_error)
            assert "did not answer within" in str(receiver.status.last_error)
            assert receiver.status.state == "waiting"

    asyncio.run(play())


def test_refused_and_unknown_hosts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")

    async def play() -> None:
        for address, reason in (
            ("127.0.0.1:1", "cannot connect: connection refused"),
            ("no-such-host.invalid", "cannot connect: the host is not known"),
        ):
            receiver = open_receiver("roof", f"readsb http://user:pw@{address}/data/aircraft.json?key=pw", None)
            async with running(receiver):
                await eventually(lambda receiver=receiver: receiver.status.last_error)
            assert reason in str(receiver.status.last_error)
            assert receiver.status.state == "waiting"
            assert "pw" not in repr(receiver.status)

    asyncio.run(play())
    assert "pw" not in caplog.text


def test_a_server_whose_clock_is_wrong_or_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PollingReceiver, "stale_s", 1.0)
    state = {"now": time.time() - 86_400 * 400}

    async def play() -> None:
        answer = lambda request: response("200 OK", document(now=state["now"]))  # noqa: E731
        async with web_server(answers(answer)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            receiver.stale_s = 1.0  # type: ignore[attr-defined]
            async with running(receiver) as heard:
                await eventually(lambda: receiver.status.last_error)
                # The same moment again and again: nobody is alive because of it.
                assert not heard.batches
                assert receiver.status.state == "waiting"
                assert "has not changed" in str(receiver.status.last_error)
                state["now"] += 1
                await eventually(lambda: heard.batches)
                assert receiver.status.state == "connected"
            # By our clock, a year from the server's.
            assert abs(heard.reports[0].at - time.time()) < 600

    asyncio.run(play())


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("/tar1090/", "/tar1090/data/aircraft.json"),
        ("/tar1090", "/tar1090/data/aircraft.json"),
        ("", "/tar1090/data/aircraft.json"),
        ("/", "/skyaware/data/aircraft.json"),
        ("", "/data/aircraft.json"),
        ("/map", "/map/aircraft.json"),
        ("/list", "/list"),
    ],
)
def test_a_page_or_a_host_will_do(given: str, found: str) -> None:
    def answer(request: Request) -> bytes:
        return response("200 OK", document()) if request.path == found else response("404 Not Found", b"<html>")

    async def play() -> None:
        async with web_server(answers(answer)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{given}", None)
            async with running(receiver) as heard:
                await eventually(lambda: heard.batches)
            assert receiver.status.address.endswith(found)

    asyncio.run(play())


def test_a_host_without_a_list_is_told_where_it_was_looked_for() -> None:
    async def play() -> None:
        async with web_server(answers(lambda request: response("200 OK", b"<html>Welcome"))) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}", None)
            async with running(receiver):
                await eventually(lambda: receiver.status.last_error)
            assert "there is no aircraft.json" in str(receiver.status.last_error)
            assert "/tar1090/data/aircraft.json, /skyaware" in str(receiver.status.last_error)

    asyncio.run(play())


RECEIVER_JSON = json.dumps({"refresh": 200, "binCraft": True}).encode()


def served(binary: dict[str, Callable[[], bytes]]) -> Callable[[Request], bytes]:
    """A readsb that says that it has binCraft, and has what ``binary`` makes by name."""

    def answer(request: Request) -> bytes:
        name = request.path.rpartition("/")[2]
        if name == "receiver.json":
            return response("200 OK", RECEIVER_JSON)
        if name == "aircraft.json":
            return response("200 OK", document(addresses=("4b1a23",)))
        return response("200 OK", binary[name]()) if name in binary else response("404 Not Found")

    return answer


def rows(version: int = AGES_OF_32_BITS) -> bytes:
    """binCraft of one aircraft, other than the one of the JSON."""
    body = bytearray(encode_rows(sky_of({"hex": "4b1a99", "lat": 47.0, "lon": 8.0}, now=time.time()), [0], EVERYTHING))
    body[40:44] = version.to_bytes(4, "little")
    return bytes(body)


@pytest.mark.parametrize(
    ("option", "binary", "address", "told"),
    [
        ("", {"aircraft.binCraft.zst": lambda: packed(rows())}, "4b1a23", ""),
        ("format=json", {"aircraft.binCraft.zst": lambda: packed(rows())}, "4b1a23", ""),
        ("format=auto", {"aircraft.binCraft.zst": lambda: packed(rows())}, "4b1a99", ""),
        ("format=auto", {"aircraft.binCraft": lambda: gzip.compress(rows())}, "4b1a99", ""),
        ("format=bincraft every=0.2", {"aircraft.binCraft": rows}, "4b1a99", ""),
        ("format=auto", {}, "4b1a23", "there is no aircraft.binCraft"),
        ("format=auto", {"aircraft.binCraft.zst": lambda: packed(rows(20_991_231))}, "4b1a23", "version 20991231"),
        ("format=bincraft", {"aircraft.binCraft": lambda: b"<html>"}, "4b1a23", "is no binCraft"),
    ],
)
def test_bincraft_where_it_is_wanted_and_can_be_read(
    option: str, binary: dict[str, Callable[[], bytes]], address: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        async with web_server(served(binary)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH} {option}", None)
            async with running(receiver) as heard:
                await eventually(lambda: heard.batches)
            assert heard.hexes == {address}

    asyncio.run(play())
    said = [record.message for record in caplog.records if "reads aircraft.json" in record.message]
    assert len(said) == bool(told)
    assert told in "".join(said)


def test_a_server_that_is_updated_to_a_new_version_is_read_as_json() -> None:
    binary = {"aircraft.binCraft": rows}

    async def play() -> None:
        async with web_server(served(binary)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH} format=auto", None)
            async with running(receiver) as heard:
                await eventually(lambda: "4b1a99" in heard.hexes)
                binary["aircraft.binCraft"] = lambda: rows(20_991_231)
                await eventually(lambda: "4b1a23" in heard.hexes)

    asyncio.run(play())


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(SettingsError, match="format xml is not known; there are json, auto, bincraft"):
        open_receiver("roof", "readsb http://pi format=xml", None)
