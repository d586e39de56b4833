"""v2 interfaces, which belong to other people, against a real server on a real socket."""

from __future__ import annotations

import asyncio
import json
import time
from email.utils import formatdate
from pathlib import Path

import pytest

from skywatch.receivers.factory import open_receiver
from tests.functional.receivers.documents import document
from tests.functional.receivers.servers import Request, response, web_server
from tests.unit.receivers.collector import running
from tests.waiting import eventually


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
                await eventually(lambda: len(heard.batches) >= 2)
            assert len(heard.hexes) == 11
            assert "TOPSECRET" not in repr(receiver.status)
            assert len(web.requests) <= len(heard.batches) + 1

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
                await eventually(lambda: heard.batches)
            assert time.monotonic() - began >= 3
            assert "429" in str(receiver.status.last_error)

    asyncio.run(play())


def test_v2_is_not_asked_more_often_in_trouble() -> None:
    asked_at: list[float] = []

    def answer(request: Request) -> bytes:
        asked_at.append(time.monotonic())
        return response("503 Service Unavailable")

    async def play() -> None:
        async with web_server(answer) as web:
            receiver = open_receiver("net", f"adsbx-v2 http://127.0.0.1:{web.port}/v2/all every=2", None)
            async with running(receiver):
                await eventually(lambda: len(asked_at) == 2)
        assert asked_at[1] - asked_at[0] >= 2

    asyncio.run(play())
