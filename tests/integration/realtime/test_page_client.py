"""The client for web pages, run by node: it holds the list, comes back, resumes, and stops where it is refused."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import skywatch.realtime
from skywatch.core.bus import Message
from tests.node_packages import NODE
from tests.realtime import FakeAccounts, Skies, publish_sky, serving
from tests.waiting import PATIENCE_S, eventually

RUNNER = Path(__file__).with_name("page_client.mjs")
SCRIPT = Path(skywatch.realtime.__file__).with_name("static") / "skywatch.js"
SWISS = {"lat": 46.9, "lon": 7.4}


async def start(modules: Path, port: int, token: str = "", *browser: str) -> asyncio.subprocess.Process:
    """``browser`` is what a browser adds: cookies and the origin of the page."""
    arguments = [NODE, "--no-warnings", str(RUNNER), str(modules), str(SCRIPT), f"ws://127.0.0.1:{port}/ws", token]
    arguments += browser
    return await asyncio.create_subprocess_exec(*arguments, stdout=asyncio.subprocess.PIPE)


async def said_by(process: asyncio.subprocess.Process) -> list[Any]:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)
    assert line, "the client has ended"
    said: list[Any] = json.loads(line)
    return said


async def until(process: asyncio.subprocess.Process, kind: str) -> Any:
    while True:
        said, value = await said_by(process)
        if said == kind:
            return value


def test_a_page_holds_the_list_and_resumes(make_runtime, socket_io_modules):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        async with serving(runtime) as server:
            page = await start(socket_io_modules, server.port)
            try:
                assert (await until(page, "aircraft:snapshot"))["held"] == ["4b1620"]
                runtime.bus.publish(Message("safety", "safety:event", b'{"id":1}'))
                assert (await until(page, "safety:event"))["id"] == 1
                lost = list(server.connections)
                for connection in lost:
                    connection.transport.abort()
                # The page may be back before anybody looks.
                await eventually(lambda: not any(connection in server.connections for connection in lost))
                runtime.bus.publish(Message("safety", "safety:event", b'{"id":2}'))
                publish_sky(runtime, skies.next({"3c6444": SWISS}))
                # The two topics are resumed each in its own order.
                told = {}
                while len(told) < 2:
                    kind, value = await said_by(page)
                    if kind in ("aircraft:update", "safety:event"):
                        told[kind] = value
                assert (told["aircraft:update"]["seq"], told["aircraft:update"]["held"]) == (2, ["3c6444"])
                assert (told["safety:event"]["seq"], told["safety:event"]["id"]) == (2, 2)
            finally:
                page.kill()
                await page.wait()

    asyncio.run(scenario())


def test_a_page_that_came_by_its_cookie_comes_again_when_that_has_expired(make_runtime, socket_io_modules):
    """The cookie of the next handshake may be a new one; when it is not, that is a refusal."""

    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid", jwt_auth_cookie=True)
        accounts = FakeAccounts()
        accounts.add("ann", "viewer", 1)
        async with serving(runtime, accounts) as server:
            page = await start(socket_io_modules, server.port, "", "skywatch_access=ann", "http://127.0.0.1:6543")
            try:
                while (await until(page, "state"))[0] != "open":
                    pass
                accounts.ended.add(1)
                states = [(await until(page, "state")) for _ in range(3)]
                assert states == [
                    ["waiting", "Authentication failed"],
                    ["connecting", None],
                    ["refused", "Authentication failed"],
                ]
            finally:
                if page.returncode is None:
                    page.kill()
                await page.wait()

    asyncio.run(scenario())


def test_a_page_stops_where_it_is_refused(make_runtime, socket_io_modules):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, FakeAccounts()) as server:
            page = await start(socket_io_modules, server.port, "wrong")
            try:
                while (state := await until(page, "state"))[0] != "refused":
                    assert state[0] in ("connecting", "waiting")
                assert state == ["refused", "Authentication failed"]
            finally:
                if page.returncode is None:
                    page.kill()
                await page.wait()

    asyncio.run(scenario())
