"""Real Socket.IO clients with their defaults: polling, upgrade, restart, refusal, and through nginx."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
import socketio

from tests.conftest import ROOT
from tests.polling import PAGE, Poller, run
from tests.ports import free_port
from tests.realtime import Skies, publish_sky, serving
from tests.servers import program
from tests.socket_io import SWISS, JavaScript, accounts, hear
from tests.waiting import PATIENCE_S, eventually


@pytest.mark.parametrize("options", [{}, {"transports": ["websocket"]}], ids=["default", "websocket"])
def test_the_javascript_client_of_a_refused_origin_gets_the_reason(make_runtime, socket_io_modules, options):
    async def scenario(server, runtime):
        page = {"extraHeaders": {"Origin": PAGE}, "reconnection": False}
        client = await JavaScript.start(socket_io_modules, server.port, {"token": "viewer"}, "", options | page)
        try:
            assert await client.until("connect_error") == "Permission denied"
            assert (await client.until("connect_error_data"))["code"] == "origin_not_allowed"
        finally:
            await client.stop()

    run(make_runtime, scenario)


def test_the_javascript_client_upgrades_survives_a_restart_and_resumes(make_runtime, socket_io_modules):
    async def scenario():
        port = free_port()
        runtime = make_runtime(realtime_listen=f"127.0.0.1:{port}", auth_mode="hybrid", realtime_return_s=0)
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        client = None
        try:
            async with serving(runtime, accounts()):
                options: dict[str, Any] = {}
                client = await JavaScript.start(socket_io_modules, port, {"token": "viewer"}, "", options)
                assert await client.until("open") == "polling"
                assert await client.until("upgrade") == "websocket"
                client.send("subscribe", {"topics": ["aircraft"]})
                snapshot = await client.until("aircraft:snapshot")
            assert "transport" in await client.until("disconnect")
            async with serving(runtime, accounts()):
                publish_sky(runtime, skies.next({"4b1620": SWISS, "4b1621": SWISS}))
                assert await client.until("open") == "polling"
                since = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
                client.send("subscribe", {"topics": ["aircraft"], "since": since})
                assert (await client.until("subscribed"))["joined"] == ["aircraft"]
                update = await client.until("aircraft:update")
                assert (update["since"], [one["hex"] for one in update["aircraft"]]) == (1, ["4b1621"])
                client.send("bye")
                assert await client.until("disconnect") == "io client disconnect"
        finally:
            if client is not None:
                await client.stop()

    asyncio.run(scenario())


def test_the_python_client_upgrades_and_resumes(make_runtime):
    async def scenario(server, runtime):
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        heard: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

        async def until(name: str) -> Any:
            while True:
                event, data = await asyncio.wait_for(heard.get(), PATIENCE_S)
                if event == name:
                    return data

        since = None
        for number in range(2):
            client = socketio.AsyncClient(request_timeout=PATIENCE_S)
            hear(client, heard)
            await client.connect(f"http://127.0.0.1:{server.port}", auth={"token": "viewer"}, wait_timeout=PATIENCE_S)
            assert client.transport() == "websocket"
            await client.call("subscribe", {"topics": ["aircraft"], "since": since}, timeout=PATIENCE_S)
            if number == 0:
                snapshot = await until("aircraft:snapshot")
                since = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
            else:
                assert (await until("aircraft:update"))["removed"] == ["4b1620"]
            await client.disconnect()
            publish_sky(runtime, skies.next({}))
            await eventually(lambda: server.hub.live.state.sky.seq == skies.last.seq)

    run(make_runtime, scenario)


PATH = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"


async def snapshot_encoding(port: int) -> str:
    """The Content-Encoding of the answer with the snapshot for a client that polls."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, trust_env=False) as http:
        client = await Poller(http).enter("aircraft")
        text = ""
        while "aircraft:snapshot" not in text:
            answer = await client.get()
            assert answer.status_code == 200, answer.text
            text = answer.text
        await client.post("1")
        return str(answer.headers.get("Content-Encoding"))


@pytest.mark.parametrize("options", [{}, {"transports": ["polling"]}], ids=["default", "polling"])
def test_the_javascript_client_gets_everything_through_nginx(make_runtime, socket_io_modules, tmp_path, options):
    program("nginx")

    async def scenario(server, runtime):
        skies = Skies()
        publish_sky(runtime, skies.next({f"{i:06x}": SWISS | {"desc": "x" * 200} for i in range(2000)}))
        port = free_port()
        nginx = start_nginx(tmp_path, port, server.port)
        try:
            client = await JavaScript.start(
                socket_io_modules, port, {"token": "viewer"}, "aircraft", options | {"reconnection": True}
            )
            try:
                assert await client.until("open") == "polling"
                assert (await client.until("aircraft:snapshot"))["count"] == 2000
                assert await snapshot_encoding(port) == "gzip"
                for number in range(3):
                    publish_sky(runtime, skies.next({"4b1620": SWISS | {"alt_baro": number}}))
                    update = await client.until("aircraft:update")
                    assert [one["hex"] for one in update["aircraft"]] == ["4b1620"]
                client.send("ping", {})
                assert "timestamp" in await client.until("pong")
                [session] = server.hub.sessions
                # The upgrade may come after everything else.
                await eventually(lambda: session.protocol.name == ("polling" if options else "socketio"))
                client.send("bye")
                assert await client.until("disconnect") == "io client disconnect"
                await eventually(lambda: not server.hub.sessions)
            finally:
                await client.stop()
        finally:
            nginx.terminate()
            nginx.wait(PATIENCE_S)

    run(make_runtime, scenario, trusted_proxy="127.0.0.1")


FOLDERS = "".join(f"{kind}_temp_path {{0}}/{kind}; " for kind in ("proxy", "fastcgi", "uwsgi", "scgi", "client_body"))


def start_nginx(folder: Path, port: int, channel: int) -> subprocess.Popen[bytes]:
    """nginx with the site of the manual, without TLS and its redirect."""
    site = (ROOT / "deploy/nginx/skywatch.conf").read_text()
    site = re.sub(r"server \{\n    listen 80;.*?\n\}\n", "", site, flags=re.S)
    site = re.sub(r"    (ssl_|listen \[|include ).*\n", "", site)
    site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{port}").replace("127.0.0.1:6544", f"127.0.0.1:{channel}")
    head = f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
    configuration = folder / "nginx.conf"
    configuration.write_text(f"{head}http {{ access_log off; {FOLDERS.format(folder)}\n{site}\n}}\n")
    program = shutil.which("nginx", path=PATH)
    assert program is not None
    return subprocess.Popen([program, "-p", str(folder), "-c", str(configuration)], stderr=subprocess.DEVNULL)
