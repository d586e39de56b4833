"""The application, the console and the channel below a path prefix: a browser and a Socket.IO client, through nginx."""

from __future__ import annotations

import asyncio

import pytest
import socketio

from tests.integration.web.conftest import SKY
from tests.integration.web.pages import DRAWN, LISTED, PASSWORD, House
from tests.integration.web.prefix import PREFIX, below_prefix
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

# Every page of the application's menu, and those that are reached otherwise.
PLACES = """
return [...document.querySelectorAll('sw-navigation a[href^="#/"]')].map(link => link.getAttribute('href'))
"""
OTHER_PLACES = ("#/settings", "#/map")
# Every page of the console's menu.
TABS = "return [...document.querySelectorAll('nav.tabs a')].map(link => link.getAttribute('href'))"
MENU = "return [...document.querySelectorAll('nav.menu.wide a')].map(link => link.getAttribute('href'))"
# What a page has fetched, by its path.
FETCHED = "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).pathname)"


@pytest.fixture
def below(request, built, tmp_path):
    """The address of nginx, before an installation with one superadmin; the parameter names the prefix's header."""
    house = House(tmp_path, auth_mode="public", trusted_proxy="127.0.0.1", **SKY)
    house.init()
    house.add_superadmin()
    try:
        house.start()
        with below_prefix(house, tmp_path, free_port(), request.param) as site:
            yield site
    finally:
        house.stop()


async def snapshot(site, transport):
    """The aircraft of the first snapshot that Socket.IO's client gets."""
    client, heard = socketio.AsyncClient(request_timeout=PATIENCE_S), asyncio.Queue()
    client.on("aircraft:snapshot", heard.put_nowait)
    await client.connect(site, socketio_path=f"{PREFIX}/socket.io", transports=[transport], wait_timeout=PATIENCE_S)
    try:
        await client.call("subscribe", {"topics": ["aircraft"]}, timeout=PATIENCE_S)
        return await asyncio.wait_for(heard.get(), PATIENCE_S)
    finally:
        await client.disconnect()


# What an iframe of the site shows is the application.
FRAMED = "return document.querySelector('iframe').contentDocument?.querySelector('sw-app') != null"


@pytest.mark.parametrize("below", ["X-Ingress-Path"], indirect=True)
def test_home_assistant_shows_the_application_in_a_frame(below, page):
    page.open(f"{below}{PREFIX}/")
    assert until(lambda: page.run(LISTED), "the list")
    loaded = page.run(FETCHED)
    assert len(loaded) > 10
    assert [path for path in loaded if not path.startswith(f"{PREFIX}/")] == []
    page.open(f"{below}{PREFIX}/console/users/new")
    assert page.shows("h1", "Sign in")
    assert page.run("return location.pathname").startswith(f"{PREFIX}/console/")
    page.open(f"{below}/")
    assert until(lambda: page.run(FRAMED), "the application in a frame")
    for transport in ("polling", "websocket"):
        assert len(asyncio.run(snapshot(below, transport))["aircraft"]) > 5


@pytest.mark.parametrize("below", ["X-Forwarded-Prefix"], indirect=True)
def test_map_console_and_channel_below_a_prefix(below, page):
    site = below
    # The map, with aircraft from the channel.
    page.open(f"{site}{PREFIX}/")
    assert until(lambda: page.run(LISTED), "the list")
    assert until(lambda: page.run("return document.querySelector('sw-map .stage') !== null"), "the map")
    assert until(lambda: page.run(DRAWN) > 50, "aircraft on the map")
    # Whoever may do everything is shown every page.
    page.run("location.hash = '#/login'")
    page.type("input[name=username]", "root")
    page.type("input[name=password]", PASSWORD)
    page.click(".login-card button.primary")
    until(lambda: "root" in page.text_of(".head > a.person"), "the session")
    places = page.run(PLACES)
    assert len(places) > 8
    for place in (*places, *OTHER_PLACES):
        page.run(f"location.hash = '{place}'")
        name = place.removeprefix("#/")
        until(lambda name=name: page.run(f"return document.querySelector('.app.page-{name}') !== null"), place)
        if name != "map":
            until(lambda: page.run("return document.querySelector('.app h1') !== null"), place)
    # Nothing was asked of any address outside the prefix.
    loaded = page.run(FETCHED)
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
    menu = page.run(MENU)
    assert len(menu) == 6
    addresses = []
    for task in menu:
        page.open(f"{site}{task}")
        current = "return document.querySelector('nav.menu.wide [aria-current=page]')?.getAttribute('href')"
        assert page.run(current) == task
        addresses += page.run(TABS) or [task]
    assert len(addresses) > 12
    for address in addresses:
        assert address.startswith(f"{PREFIX}/console")
        page.open(f"{site}{address}")
        assert page.run("return document.querySelector('main [aria-current=page]')?.getAttribute('href')") == (
            address if page.run(TABS) else None
        )
        loaded = page.run(FETCHED)
        assert loaded, address
        assert [path for path in loaded if not path.startswith(f"{PREFIX}/")] == [], address
    page.click(".who button:not(.map)")
    assert page.shows("[role=status]", "You are signed out.")
    # The documentation of the API, whose script asks for the document.
    page.open(f"{site}{PREFIX}/api/v1/docs")
    assert until(lambda: page.run("return document.querySelectorAll('#operations > *').length") > 10)
    first = page.run("return document.querySelector('header pre').innerText").splitlines()
    assert first[0] == f"curl '{site}{PREFIX}/api/v1/aircraft?limit=1'"
    # Only Home Assistant's page may show the application in a frame.
    page.open(f"{site}/")
    assert page.run(FRAMED) is False
    for transport in ("polling", "websocket"):
        assert len(asyncio.run(snapshot(site, transport))["aircraft"]) > 5
