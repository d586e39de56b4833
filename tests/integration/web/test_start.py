"""What is there first when the page opens: the list, which needs no map, and the map on what was prepared meanwhile."""

from __future__ import annotations

import re
from contextlib import contextmanager

import httpx
import pytest

from tests.integration.web.pages import LISTED
from tests.waiting import PATIENCE_S

MAP_SCRIPT = "*/assets/map-*.js"
COUNT_CONTEXTS = """
window.contexts = 0;
const original = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  if (kind === 'webgl2') contexts += 1;
  return original.call(this, kind, ...rest);
};
"""

# Notes when aircraft are drawn where the map has them.
WATCH = """
window.drawnAt = 0;
const look = () => {
  const stage = document.querySelector('sw-map')?.stage;
  if (stage?.picture?.count > 0 && stage.view) window.drawnAt = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
# Neither the finer ground, which waits 4 s for aircraft, nor what is requested every few seconds comes before them.
PATIENT = """
const plain = window.setTimeout;
window.setTimeout = (work, wait, ...more) => plain(work, wait >= 3000 ? 600000 : wait, ...more);
"""


@contextmanager
def kept_from_the_map(page):
    """The page does not get the script of the map, until the function is called."""
    page.cdp("Network.enable")
    page.cdp("Network.setBlockedURLs", urls=[MAP_SCRIPT])

    def release():
        page.cdp("Network.setBlockedURLs", urls=[])

    try:
        yield release
    finally:
        release()


@pytest.fixture
def without_map(page):
    """Keeps the page from the script of the map, until it is called."""
    with kept_from_the_map(page) as release:
        yield release


@pytest.fixture
def without_map_of_webgl(page_with_webgl):
    """The same, for the page whose map the graphics card draws."""
    with kept_from_the_map(page_with_webgl) as release:
        yield release


def test_aircraft_are_listed_before_the_map_is_here(page_with_webgl, sky, without_map_of_webgl):
    page, without_map = page_with_webgl, without_map_of_webgl
    page.before_scripts(COUNT_CONTEXTS)
    page.visit(sky)
    page.wait_for(LISTED, "aircraft in the list")
    page.wait_for("return document.querySelector('.map-waiting')?.innerText.length > 10", "why there is no map")
    assert page.run("return customElements.get('sw-map') === undefined")
    assert page.run("return contexts") == 1, "the graphics card is at work before the map is here"
    without_map()
    page.wait_for("return document.querySelector('sw-map')?.dataset.renderer === 'webgl'", "the map, without a reload")
    assert page.run("return contexts") == 1, "the map draws with what was prepared"
    assert page.run("return document.querySelector('.map-waiting')") is None


def test_a_page_that_draws_on_the_map_waits_for_it(page, sky, without_map):
    page.visit(sky, "/#/history?tab=coverage")
    page.wait_for("return document.querySelector('.map-waiting')?.innerText.length > 10", "why there is no map")
    page.wait_for("return document.querySelector('.page [role=status]')?.innerText.length > 5", "why there is no page")
    assert page.run("return document.querySelector('sw-history')") is None
    without_map()
    page.wait_for_element("sw-history h1")
    assert page.run("return document.querySelector('sw-map') !== null")


def test_scripts_of_the_list_are_asked_for_before_those_of_the_map(built, sky, page):
    head = httpx.get(f"http://127.0.0.1:{sky.port}/", timeout=PATIENCE_S).text.partition("</head>")[0]
    # A link without `rel` asks for nothing: the application gives it one once its texts are here.
    scripts = re.findall(r'<link (data-)?rel="modulepreload" href="assets/([a-z_]+)-[^"]+"', head)
    waits = {name: bool(data) for data, name in scripts}
    assert [waits[name] for name in ("boot", "frame", "map")] == [False, False, True]
    page.visit(sky, "/")
    page.wait_for("return document.querySelectorAll('link[data-rel]').length", "links of the map")
    page.wait_for("return [...document.querySelectorAll('link[data-rel]')].every(l => l.rel)", "the map asked for")
    names = [name for _, name in scripts]
    assert names.index("boot") < names.index("frame") < names.index("map")


@pytest.mark.parametrize("mode", ["sky", "house"])
def test_the_browser_complains_of_nothing_at_an_anonymous_start(page, request, mode):
    service = request.getfixturevalue(mode)
    page.complaints()
    page.visit(service)
    page.wait_for(LISTED if mode == "sky" else "return document.querySelector('.login-card') !== null", "the page")
    # What is asked for later belongs to the start as well.
    page.run_async("setTimeout(arguments[arguments.length - 1], 3000)")
    assert page.complaints() == []


def test_the_browser_complains_of_nothing_after_a_sign_in(page, house):
    page.complaints()
    page.log_in(house, "viewer")
    page.wait_for(LISTED, "aircraft")
    page.run_async("setTimeout(arguments[arguments.length - 1], 1500)")
    assert page.complaints() == []


def test_aircraft_are_drawn_after_few_requests_and_before_the_finer_ground(page, sky):
    page.before_scripts(WATCH)
    page.before_scripts(PATIENT)
    page.visit(sky)
    page.wait_for("return window.drawnAt > 0", "aircraft on the map")
    page.wait_for("return performance.getEntriesByType('resource').some((one) => one.name.includes('.cell'))", "cells")
    asked = page.run("return performance.getEntriesByType('resource').map((one) => [one.name, one.startTime])")
    drawn_at = page.run("return window.drawnAt")
    before = [name for name, at in asked if at < drawn_at]
    # The page itself is one more.
    assert len(before) + 1 <= 25, before
    assert any(name.endswith(".js") for name in before)
    early = [name for name in before if ".cell" in name or "countries-50m" in name]
    assert not early, "the finer ground is fetched before aircraft are drawn"
