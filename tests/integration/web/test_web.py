"""The web application in a real browser, over a real service."""

from __future__ import annotations

import httpx
import pytest

from tests.conftest import ROOT
from tests.processes import run_command
from tests.waiting import until

PASSWORD = "a quiet night over the Jura"
LIVE = "return document.querySelector('.state-open') !== null && document.querySelectorAll('.window .row').length > 5"
ROWS = "return [...document.querySelectorAll('.window .row')].map(row => row.id)"
# How many pixels of the aircraft's own canvas are not empty.
PAINTED = """
const canvas = document.querySelector('.stage canvas[data-renderer]');
const copy = document.createElement('canvas');
copy.width = canvas.width; copy.height = canvas.height;
const context = copy.getContext('2d');
context.drawImage(canvas, 0, 0);
const data = context.getImageData(0, 0, copy.width, copy.height).data;
let count = 0;
for (let at = 3; at < data.length; at += 4) if (data[at] > 100) count += 1;
return count;
"""
DRAWN = f"""
const map = document.querySelector('sw-map');
map.stage.paint();
{PAINTED}
"""


def open_map(browser, service, path="/"):
    browser.open(f"http://127.0.0.1:{service.port}{path}")
    until(lambda: browser.run(LIVE), "aircraft in the list")


def requests(browser):
    """Addresses and sizes of all that the page has fetched."""
    return browser.run("return performance.getEntriesByType('resource').map(e => [e.name, e.transferSize])")


def test_the_sky_is_shown_with_everything_from_this_service(browser, service):
    running, page = service().start(), browser()
    open_map(page, running)
    assert page.run("return document.querySelector('sw-map').dataset.renderer") == "webgl"
    assert until(lambda: page.run(DRAWN) > 50, "aircraft on the map")
    fetched = requests(page)
    own = f"http://127.0.0.1:{running.port}/"
    assert [name for name, _ in fetched if not name.startswith(own)] == []
    scripts = sum(size for name, size in fetched if name.endswith(".js"))
    assert 0 < scripts <= 260_000, "scripts of the first view, compressed"
    first = [size for name, size in fetched if "countries-10m" not in name and ".airports" not in name]
    assert sum(first) <= 700_000, "the first view"
    # Nothing inline works, also if somebody finds a way to put it there.
    page.run("const s = document.createElement('script'); s.text = 'window.hacked = 1'; document.body.append(s)")
    assert page.run("return window.hacked || 'kept out'") == "kept out"
    page.run("document.body.setAttribute('style', 'opacity: 0.5')")
    assert page.run("return getComputedStyle(document.body).opacity") == "1"


def test_without_webgl_aircraft_are_drawn_on_a_canvas(browser, service):
    running, page = service().start(), browser("--disable-3d-apis", webgl=False)
    open_map(page, running)
    assert page.run("return document.querySelector('sw-map').dataset.renderer") == "canvas"
    assert until(lambda: page.run(DRAWN) > 50, "aircraft on the map")


def test_a_graphics_card_that_is_lost_is_replaced_by_a_canvas(browser, service):
    running, page = service().start(), browser()
    open_map(page, running)
    page.run(
        "document.querySelector('.stage canvas[data-renderer]').getContext('webgl2')"
        ".getExtension('WEBGL_lose_context').loseContext()"
    )
    until(lambda: page.run("return document.querySelector('sw-map').dataset.renderer") == "canvas")
    assert until(lambda: page.run(DRAWN) > 50, "aircraft on the map")


def test_the_keyboard_alone_searches_selects_and_shares(browser, service):
    running, page = service().start(), browser()
    open_map(page, running)
    page.keys("/")
    assert page.run("return document.activeElement.id") == "search"
    hexes = [row.removeprefix("row-") for row in page.run(ROWS)]
    page.keys(hexes[3])
    until(lambda: page.run(ROWS) == [f"row-{hexes[3]}"], "the one that was searched")
    page.run("document.querySelector('.rows').focus()")
    page.keys("\ue015\ue007")  # Arrow down, Enter
    until(lambda: page.run("return document.querySelector('.panel h2')?.textContent") is not None)
    until(lambda: f"hex={hexes[3]}" in page.run("return location.hash"))
    until(lambda: f"q={hexes[3]}" in page.run("return location.hash"))
    assert page.run("return document.querySelector('.window .row').getAttribute('aria-selected')") == "true"
    shared = page.run("return location.href")
    page.run("document.querySelector('.panel button[aria-label=Close]').focus()")
    page.keys("\ue007")
    until(lambda: page.run("return document.querySelector('.panel')") is None)
    # Somebody else opens the address and sees the same.
    page.open("about:blank")
    page.open(shared)
    until(lambda: page.run("return document.querySelector('.panel h2')?.textContent") is not None)
    assert page.run("return document.querySelector('#search').value") == hexes[3]


def people(running, *roles):
    for role in roles:
        done = run_command(
            "user", "add", str(running.ini), role, "--role", role, "--email", f"{role}@example.org",
            "--password-stdin", stdin=PASSWORD,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def log_in(page, running, name):
    page.open("about:blank")  # A new page, not another place of the same one with what was typed before.
    page.open(f"http://127.0.0.1:{running.port}/#/login")
    page.type("input[name=username]", name)
    page.type("input[name=password]", PASSWORD)
    page.click(".login-card button.primary")
    until(lambda: page.run(LIVE), "aircraft after the login")


def test_a_person_signs_in_sees_what_is_allowed_and_is_out_when_the_login_ends(browser, service):
    running, page = service(auth_mode="hybrid").init(), browser()
    people(running, "viewer")
    running.start(wait=False)
    until(lambda: "REST API" in running.log.read_text())
    page.open(f"http://127.0.0.1:{running.port}/")
    # Nothing is public, so that there is nothing to see but the way in.
    until(lambda: page.run("return document.querySelector('.login-card') !== null"))
    assert page.run("return document.querySelector('sw-map')") is None
    page.type("input[name=username]", "viewer")
    page.type("input[name=password]", "not the password")
    page.click(".login-card button.primary")
    assert page.shows(".error", "The name or the password is not right.")
    log_in(page, running, "viewer")
    stored = page.run("return Object.keys(localStorage).sort()")
    assert [name for name in stored if name != "skywatch.preferences"] == [
        "skywatch.access",
        "skywatch.refresh",
        "skywatch.user",
    ]
    token = page.run("return localStorage['skywatch.access']")
    assert token not in page.run("return location.href")
    assert all(token not in name for name, _ in requests(page))
    links = page.run("return [...document.querySelectorAll('.head nav a')].map(a => a.getAttribute('href'))")
    assert {"#/map", "#/history", "#/cannonball"} <= set(links)
    military = "return document.querySelector('sw-filters')?.textContent.includes('Military only') ?? null"
    page.click("button[aria-label=Filters]")
    assert until(lambda: page.run(military) is False), "a viewer may not see military aircraft"
    # Everything ends at once where the account is switched off.
    assert run_command("user", "disable", str(running.ini), "viewer").returncode == 0
    until(lambda: page.run("return document.querySelector('.login-card') !== null"), "the end of the session")
    assert page.run("return Object.keys(localStorage).filter(n => n !== 'skywatch.preferences')") == []


def test_a_clock_that_is_an_hour_wrong_ends_no_session(browser, service):
    running, page = service(auth_mode="hybrid").init(), browser()
    people(running, "viewer")
    running.start(wait=False)
    until(lambda: "REST API" in running.log.read_text())
    page.cdp(
        "Page.addScriptToEvaluateOnNewDocument",
        source="const now = Date.now.bind(Date); Date.now = () => now() + 3600_000;",
    )
    log_in(page, running, "viewer")
    first = page.run("return localStorage['skywatch.access']")
    page.open("about:blank")
    open_map(page, running)
    assert page.run("return localStorage['skywatch.access']") == first, "no renewal before its time"


def test_a_service_that_was_restarted_is_found_again(browser, service):
    running, page = service().start(), browser()
    open_map(page, running)
    running.kill()
    until(lambda: page.run("return document.querySelector('.banner') !== null"), "the page says that it waits")
    running.start()
    until(
        lambda: page.run("return document.querySelector('.banner') === null && !!document.querySelector('.state-open')")
    )


def test_texts_of_others_are_shown_as_text(browser, service):
    running, page = service(auth_mode="hybrid").init(), browser()
    people(running, "admin")
    running.start(wait=False)
    until(lambda: "REST API" in running.log.read_text())
    api = f"http://127.0.0.1:{running.port}/api/v1"
    login = httpx.post(f"{api}/auth/login", json={"username": "admin", "password": PASSWORD}).json()
    text = "<b>X</b><img src=x onerror=hacked=1>"
    entry = {"icao_hex": "A12345", "agency_name": text, "agency_type": "local"}
    headers = {"Authorization": f"Bearer {login['access']}"}
    made = httpx.post(f"{api}/cannonball/known-aircraft/", json=entry, headers=headers)
    assert made.status_code == 201, made.text
    log_in(page, running, "admin")
    page.run("location.hash = '#/known'")
    assert until(lambda: text in page.run("return document.querySelector('sw-known table')?.textContent ?? ''"))
    assert page.run("return document.querySelectorAll('sw-known td b, sw-known td img').length") == 0
    assert page.run("return window.hacked ?? null") is None


AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = """
const done = arguments[arguments.length - 1];
const about = (node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`;
axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => done(violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(about).join(' | ')}`)));
"""
PAGES = (
    "map",
    "history",
    "history?tab=replay",
    "history?tab=heatmap",
    "stats",
    "cannonball",
    "known",
    "settings",
    "account",
)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_pages_have_no_serious_faults_of_accessibility(browser, service, theme):
    running, page = service(auth_mode="hybrid").init(), browser()
    people(running, "admin")
    running.start(wait=False)
    until(lambda: "REST API" in running.log.read_text())
    page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    log_in(page, running, "admin")
    page.run(AXE.read_text())
    found = {}
    for width, height in ((1440, 900), (390, 844)):
        page.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        for name in PAGES:
            page.run(f"location.hash = '#/{name}'")
            tag = f"sw-{name.partition('?')[0]}"
            there = f"return document.querySelector('{tag} h1, {tag} .map-target') !== null"
            until(lambda there=there: page.run(there), name)
            faults = page.run_async(SERIOUS)
            if faults:
                found[f"{name} at {width}"] = faults
            wide = page.run("return document.documentElement.scrollWidth > innerWidth + 1")
            assert not wide, f"{name} is wider than the screen at {width} px"
    assert found == {}


@pytest.mark.parametrize("width", [320, 3840])
def test_nothing_is_cut_off_on_the_narrowest_and_the_widest_screen(browser, service, width):
    running, page = service().start(), browser()
    page.cdp("Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1, mobile=False)
    open_map(page, running)
    for name in ("map", "settings", "stats", "history"):
        page.run(f"location.hash = '#/{name}'")
        until(lambda: page.run("return document.querySelector('main').innerText.length > 20"))
        assert page.run("return document.documentElement.scrollWidth") <= width
