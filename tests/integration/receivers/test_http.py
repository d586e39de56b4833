"""readsb over HTTP and v2 interfaces, against a real server on a real socket that behaves and misbehaves."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from skywatch.receivers import http_source, polling
from skywatch.receivers.factory import open_receiver
from tests.integration.receivers.servers import Request, response, web_server
from tests.unit.receivers.collector import running, until

PATH = "/data/aircraft.json"


def document(now: float | None = None, addresses: tuple[str, ...] = ("4b1a23",)) -> bytes:
    aircraft = [{"hex": address, "lat": 47.1, "lon": 8.2, "seen": 0.1, "seen_pos": 0.2} for address in addresses]
    return json.dumps({"now": time.time() if now is None else now, "messages": 5, "aircraft": aircraft}).encode()


def answers(answer: Callable[[Request], Any], refresh_ms: float | None = 200) -> Callable[[Request], Any]:
    """Answers for aircraft.json, and a receiver.json that asks for a quick pace."""

    def choose(request: Request) -> Any:
        if request.path.endswith("receiver.json"):
            return (
                response("404 Not Found")
                if refresh_ms is None
                else response("200 OK", json.dumps({"refresh": refresh_ms}).encode())
            )
        return answer(request)

    return choose


def test_polls_on_one_connection_at_the_pace_of_receiver_json(shared_data: Path) -> None:
    real = json.loads((shared_data / "raw/ulss7_readsb/aircraft.json").read_bytes())

    def answer(request: Request) -> bytes:
        return response("200 OK", json.dumps(real | {"now": time.time()}).encode())

    async def play() -> None:
        async with web_server(answers(answer)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            async with running(receiver) as heard:
                await until(lambda: len(heard.batches) >= 4)
            assert len(heard.hexes) == 11
            assert receiver.status.state == "connected"
            assert receiver.status.position_rate > 0
            assert receiver.status.address == f"http://127.0.0.1:{web.port}{PATH}"
            assert len(web.asked(PATH)) >= 4
            # One for receiver.json, one for all the rest.
            assert web.connections == 2
            assert web.asked(PATH)[0].headers["accept-encoding"] == "gzip"
            for report in heard.reports:
                assert time.time() - 60 < report.at <= time.time()

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
                await until(lambda: len(web.asked(PATH)) >= 4)
                assert len(heard.batches) == 1
                assert "if-modified-since" in web.asked(PATH)[1].headers
                state.update(body=document(addresses=("4b1a24",)), etag='"b"')
                await until(lambda: len(heard.batches) == 2)
            assert heard.hexes == {"4b1a23", "4b1a24"}

    asyncio.run(play())


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (response("404 Not Found", b"<html>no</html>"), "the server answered 404 Not Found"),
        (response("500 Internal Server Error", b"secret internals"), "the server answered 500"),
        (response("200 OK", b"<html><body>It works!</body></html>"), "is not JSON"),
        (response("200 OK", b'{"aircraft":null}'), "has no list of aircraft"),
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
                await until(lambda: heard.batches)
            status = receiver.status
            assert status.last_error is not None
            assert re.search(reason, status.last_error), status.last_error
            assert "secret" not in status.last_error
            assert status.state == "connected"
            assert status.reconnects >= 1

    asyncio.run(play())


def test_a_huge_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_source, "LARGEST_BODY", 100_000)
    bomb = gzip.compress(b" " * 50_000_000)

    async def play() -> None:
        answer = lambda request: response("200 OK", bomb, Content_Encoding="gzip")  # noqa: E731
        async with web_server(answers(answer, None)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            async with running(receiver):
                await until(lambda: receiver.status.last_error)
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
                await until(lambda: receiver.status.last_error)
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
                await until(lambda receiver=receiver: receiver.status.last_error)
            assert reason in str(receiver.status.last_error)
            assert receiver.status.state == "waiting"
            assert "pw" not in repr(receiver.status)

    asyncio.run(play())
    assert "pw" not in caplog.text


def test_a_server_whose_clock_is_wrong_or_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "STALE_S", 1.0)
    state = {"now": time.time() - 86_400 * 400}

    async def play() -> None:
        answer = lambda request: response("200 OK", document(now=state["now"]))  # noqa: E731
        async with web_server(answers(answer)) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}{PATH}", None)
            receiver.stale_s = 1.0  # type: ignore[attr-defined]
            async with running(receiver) as heard:
                await until(lambda: receiver.status.last_error)
                # The same moment again and again: nobody is alive because of it.
                assert not heard.batches
                assert receiver.status.state == "waiting"
                assert "has not changed" in str(receiver.status.last_error)
                state["now"] += 1
                await until(lambda: heard.batches)
                assert receiver.status.state == "connected"
            assert abs(heard.reports[0].at - time.time()) < 2

    asyncio.run(play())


def test_the_folder_of_tar1090_will_do() -> None:
    async def play() -> None:
        async with web_server(answers(lambda request: response("200 OK", document()))) as web:
            receiver = open_receiver("roof", f"readsb http://127.0.0.1:{web.port}/tar1090/", None)
            async with running(receiver) as heard:
                await until(lambda: heard.batches)
            assert web.asked("/tar1090/data/aircraft.json")

    asyncio.run(play())


def test_v2_with_a_key_from_the_environment(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKYWATCH_TEST_KEY", "TOPSECRET")
    real = json.loads((shared_data / "adsbx_v2/ulss7_readsb_all.json").read_bytes())

    def answer(request: Request) -> bytes:
        assert request.headers["api-auth"] == "TOPSECRET"
        return response("200 OK", json.dumps(real | {"now": int(time.time() * 1000)}).encode())

    async def play() -> None:
        async with web_server(answer) as web:
            text = (
                f"adsbx-v2 http://127.0.0.1:{web.port}/v2/point/47/8/250 every=1 header=api-auth:env:SKYWATCH_TEST_KEY"
            )
            receiver = open_receiver("net", text, None)
            async with running(receiver) as heard:
                await until(lambda: len(heard.batches) >= 2)
            assert len(heard.hexes) == 11
            assert "TOPSECRET" not in repr(receiver.status)
            assert len(web.requests) == 2

    asyncio.run(play())


@pytest.mark.parametrize(
    "header",
    [
        {"Retry_After": "3"},
        {"Retry_After": formatdate(1_800_000_003, usegmt=True), "Date": formatdate(1_800_000_000, usegmt=True)},
    ],
)
def test_v2_keeps_the_pause_that_it_is_asked_for(header: dict[str, str]) -> None:
    state = {"asked": 0}

    def answer(request: Request) -> bytes:
        state["asked"] += 1
        return (
            response("429 Too Many Requests", b"slow down", **header)
            if state["asked"] == 1
            else response("200 OK", document())
        )

    async def play() -> None:
        async with web_server(answer) as web:
            receiver = open_receiver("net", f"adsbx-v2 http://127.0.0.1:{web.port}/v2/all every=1", None)
            began = time.monotonic()
            async with running(receiver) as heard:
                await until(lambda: heard.batches)
            assert time.monotonic() - began >= 3
            assert "429" in str(receiver.status.last_error)

    asyncio.run(play())


def test_v2_is_not_asked_more_often_in_trouble() -> None:
    async def play() -> None:
        async with web_server(lambda request: response("503 Service Unavailable")) as web:
            receiver = open_receiver("net", f"adsbx-v2 http://127.0.0.1:{web.port}/v2/all every=2", None)
            async with running(receiver):
                await asyncio.sleep(3)
            assert len(web.requests) == 2

    asyncio.run(play())


def test_a_file_that_is_rewritten_by_rename(tmp_path: Path) -> None:
    path, fresh = tmp_path / "aircraft.json", tmp_path / "aircraft.new"

    async def play() -> None:
        receiver = open_receiver("roof", f"readsb {path} every=0.2", None)
        async with running(receiver) as heard:
            # Not there yet: tried again.
            await until(lambda: receiver.status.last_error)
            assert "no such file" in str(receiver.status.last_error)
            for count in range(1, 4):
                addresses = tuple(f"4b1a{n:02x}" for n in range(count))
                fresh.write_bytes(document(addresses=addresses))
                fresh.rename(path)
                await until(lambda count=count: heard.batches and len(heard.batches[-1]) == count)
            batches = len(heard.batches)
            await asyncio.sleep(0.6)
            assert len(heard.batches) == batches
            # A writer caught in the act: never half a picture.
            whole = document(addresses=tuple(f"4b1a{n:02x}" for n in range(9)))
            path.write_bytes(whole[: len(whole) // 2])
            await asyncio.sleep(0.3)
            path.write_bytes(whole)
            await until(lambda: len(heard.batches[-1]) == 9)
            assert {len(batch) for batch in heard.batches} == {1, 2, 3, 9}

    asyncio.run(play())


def test_an_old_file_brings_nobody_back(tmp_path: Path) -> None:
    path = tmp_path / "aircraft.json"
    path.write_bytes(document(now=time.time() - 7200))
    os.utime(path, (time.time() - 7200,) * 2)

    async def play() -> None:
        receiver = open_receiver("roof", f"readsb {path} every=0.2", None)
        async with running(receiver) as heard:
            await until(lambda: receiver.status.state == "connected")
            await asyncio.sleep(0.5)
        assert all(report.at < time.time() - 7100 for report in heard.reports)

    asyncio.run(play())
