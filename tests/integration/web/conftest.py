"""A real browser with the built application, and a real service below it.

A browser and a service each take seconds to start, so that the tests of a process share one browser and two services:
``page`` with ``sky`` (nobody has to sign in) or ``house`` (nothing is public). ``browser`` and ``service`` are for what
needs switches or settings of its own, or breaks what it works with. The map is drawn on a canvas: a graphics card that
the processor plays takes half of the processor time of a page, so that ``page_with_webgl`` is for what is about it.
"""

from __future__ import annotations

import secrets
import shutil
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest

from tests.chromium import chromium
from tests.integration.web.month import import_month
from tests.integration.web.pages import House, Page
from tests.processes import Service
from tests.providers import CLIENT_ID, CLIENT_SECRET, fake_provider
from tests.servers import browser_programs, skip_or_fail
from tests.waiting import PATIENCE_S, until

# Software rendering: WebGL without a graphics card.
WITH_WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
WITHOUT_WEBGL = ("--disable-gpu", "--disable-3d-apis")
SKY = {"receiver__demo": "simulate aircraft=40", "station_lat": 47.45, "station_lon": 8.56}
# Who tests logs in more often than people do.
MANY = {f"default_throttle_rates__{bucket}": "1000000/minute" for bucket in ("user", "live", "login", "refresh")}


@pytest.fixture(scope="session")
def chromium_programs(built):
    """Where the browser and its driver are."""
    return browser_programs()


@pytest.fixture(scope="session")
def shared_browser(chromium_programs):
    with chromium(*chromium_programs, WITHOUT_WEBGL) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser_with_webgl(chromium_programs):
    with chromium(*chromium_programs, WITH_WEBGL) as opened:
        yield opened


@pytest.fixture
def page_with_webgl(browser_with_webgl):
    """A page whose map is drawn by the graphics card, as fresh as a new one."""
    fresh = Page(browser_with_webgl)
    yield fresh
    fresh.reset()


@pytest.fixture
def page(shared_browser):
    """The shared browser, as fresh as a new one."""
    fresh = Page(shared_browser)
    yield fresh
    fresh.reset()


@pytest.fixture
def browser(chromium_programs):
    """Opens browsers; switches may be added."""
    opened = []

    def make(*switches, webgl=False):
        context = chromium(*chromium_programs, (*(WITH_WEBGL if webgl else WITHOUT_WEBGL), *switches))
        opened.append(context)
        return Page(context.__enter__())

    yield make
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture(scope="session")
def sky(built, tmp_path_factory):
    """A service that shows everything to everybody."""
    running = Service(tmp_path_factory.mktemp("sky"), **SKY).init().start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def provider():
    """An identity provider that lets everybody in, with no more than an address to go back to."""

    def authorize(handler):
        asked = dict(parse_qsl(urlsplit(handler.path).query))
        back = running.log_in(handler.path)
        handler.send_response(302)
        handler.send_header("Location", f"{asked['redirect_uri']}?{urlencode(back)}")
        handler.end_headers()

    with fake_provider() as running:
        running.instead["/authorize"] = authorize
        yield running


@pytest.fixture(scope="session")
def house(built, provider, tmp_path_factory):
    """A service that shows nothing to strangers, with a viewer, an analyst, an admin, and 30 days of history."""
    folder = tmp_path_factory.mktemp("house")
    running = House(
        folder,
        auth_mode="hybrid",
        oidc_enabled="true",
        oidc_provider_url=provider.url,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret=CLIENT_SECRET,
        oidc_provider_name="the house key",
        oidc_timeout_s=PATIENCE_S,
        **SKY,
        **MANY,
    )
    running.init()
    assert import_month(tmp_path_factory.mktemp("traces"), f"sqlite:///{folder}/skywatch.sqlite") > 300
    running.add_superadmin()
    running.start()
    try:
        for role in ("viewer", "analyst", "admin"):
            running.add_person(role, role)
        # Before its first tick it refuses what a page asks for, of which the browser complains.
        headers = running.headers()
        until(lambda: httpx.get(f"{running.api}/aircraft?limit=1", headers=headers, timeout=PATIENCE_S).is_success)
        yield running
    finally:
        running.stop()


@pytest.fixture
def guest(house):
    """The name of a viewer of this test's own, whose account may be changed."""
    name = f"guest-{secrets.token_hex(4)}"
    number = house.add_person(name, "viewer")
    yield name
    assert house.call("DELETE", f"users/{number}").is_success


@pytest.fixture
def service(tmp_path, built):
    """A service with simulated aircraft; settings may be changed."""
    made = []

    def make(**settings):
        made.append(House(tmp_path, **SKY, **{**MANY, **settings}))
        made[-1].init()
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture(scope="module")
def shared_page(built):
    """One browser for all tests of a module."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        skip_or_fail("there is no chromium with its driver here")
    with chromium(binary, driver, (*WITHOUT_WEBGL, "--host-resolver-rules=MAP skywatch.test 127.0.0.1")) as page:
        page.cdp("Emulation.setDeviceMetricsOverride", width=1280, height=860, deviceScaleFactor=1, mobile=False)
        yield page
