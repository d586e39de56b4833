"""The application, the console and the channel below a path prefix: a browser and a Socket.IO client, through nginx."""

from __future__ import annotations

import asyncio
import shutil
import subprocess

import httpx
import pytest
import socketio

from tests.integration.web.conftest import SKY
from tests.integration.web.pages import DRAWN, LISTED, PASSWORD, House
from tests.ports import free_port
from tests.servers import skip_or_fail
from tests.waiting import PATIENCE_S, until

PREFIX = "/some/prefix"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
PLACES = ("alerts", "history", "safety", "acars", "audio", "settings")
SITE = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
  server {{
    listen 127.0.0.1:{port};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header {header} {prefix};
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Upgrade $http_upgrade;
    location = / {{ default_type text/html; return 200 '<iframe src="{prefix}/"></iframe>'; }}
    location {prefix}/ {{ proxy_pass http://127.0.0.1:{api}/; }}
    location {prefix}/ws {{ proxy_pass http://127.0.0.1:{channel}/ws; }}
    location {prefix}/socket.io/ {{ proxy_pass http://127.0.0.1:{channel}/socket.io/; }}
  }}
}}
"""


@pytest.fixture(params=["X-Forwarded-Prefix", "X-Ingress-Path"])
def below(request, built, tmp_path):
    """The address of nginx, before an installation with one superadmin."""
    if NGINX is None:
        skip_or_fail("nginx is not here")
    house = House(tmp_path, auth_mode="public", trusted_proxy="127.0.0.1", **SKY)
    house.init()
    house.add_superadmin()
    house.start()
    port, config = free_port(), tmp_path / "nginx.conf"
    ports = {"port": port, "api": house.port, "channel": house.realtime_port}
    config.write_text(SITE.format(folder=tmp_path, header=request.param, prefix=PREFIX, **ports))
    nginx = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        until(lambda: answers(port), "nginx")
        yield f"http://127.0.0.1:{port}", request.param == "X-Ingress-Path"
    finally:
        nginx.terminate()
        nginx.wait(PATIENCE_S)
        house.stop()


def answers(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}{PREFIX}/api/v1/auth/config", timeout=PATIENCE_S).is_success
    except httpx.TransportError:
        return False


async def snapshot(site, transport):
    """The aircraft of the first snapshot that Socket.IO's client gets."""
    client, heard = socketio.AsyncClient(), asyncio.Queue()
    client.on("aircraft:snapshot", heard.put_nowait)
    await client.connect(site, socketio_path=f"{PREFIX}/socket.io", transports=[transport], wait_timeout=PATIENCE_S)
    try:
        await client.call("subscribe", {"topics": ["aircraft"]}, timeout=PATIENCE_S)
        return await asyncio.wait_for(heard.get(), PATIENCE_S)
    finally:
        await client.disconnect()


def test_map_console_and_channel_below_a_prefix(below, page):
    site, is_ingress = below
    # The map, with aircraft from the channel.
    page.open(f"{site}{PREFIX}/")
    assert until(lambda: page.run(LISTED), "the list")
    assert until(lambda: page.run("return document.querySelector('sw-map .stage') !== null"), "the map")
    assert until(lambda: page.run(DRAWN) > 50, "aircraft on the map")
    for place in PLACES:
        page.run(f"location.hash = '#/{place}'")
        until(lambda: page.run("return document.querySelector('.page h1') !== null"), place)
    # Nothing was asked of any address beside the prefix.
    loaded = page.run("return performance.getEntriesByType('resource').map(entry => new URL(entry.name).pathname)")
    assert len(loaded) > 10
    assert [path for path in loaded if not path.startswith(f"{PREFIX}/")] == []
    scope = "return navigator.serviceWorker.getRegistration().then(found => found && new URL(found.scope).pathname)"
    assert until(lambda: page.run(scope), "the service worker") == f"{PREFIX}/"
    # The console: signed in, one page changed, signed out.
    page.open(f"{site}{PREFIX}/console/users/new")
    page.type("input[name=username]", "root")
    page.type("input[name=password]", PASSWORD)
    page.click("main button")
    assert page.shows("h1", "New user")
    page.type("input[name=username]", "eve")
    page.type("input[name=email]", "eve@example.org")
    page.type("input[name=password]", PASSWORD)
    page.click("main form button")
    assert page.shows("[role=status]", "eve is created.")
    assert page.run("return location.pathname").startswith(f"{PREFIX}/console/users/")
    assert page.run("return getComputedStyle(document.querySelector('main')).maxWidth") != "none"
    page.click("header button")
    assert page.shows("[role=status]", "You are signed out.")
    # The documentation of the API, whose script asks for the document.
    page.open(f"{site}{PREFIX}/api/v1/docs")
    assert until(lambda: page.run("return document.querySelectorAll('#operations > *').length") > 10)
    # Only Home Assistant's page may show the application in a frame.
    page.open(f"{site}/")
    framed = "return document.querySelector('iframe').contentDocument?.querySelector('sw-app') != null"
    if is_ingress:
        assert until(lambda: page.run(framed), "the application in a frame")
    else:
        assert page.run(framed) is False
    for transport in ("polling", "websocket"):
        assert len(asyncio.run(snapshot(site, transport))["aircraft"]) > 5
