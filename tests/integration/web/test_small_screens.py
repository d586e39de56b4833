"""On a phone and on a tablet the map stays above the pages: its aircraft are seen on each of them."""

from __future__ import annotations

import os

import pytest

from tests.waiting import until

PAGES = ("alerts", "history", "safety", "acars", "audio", "settings")
# 40 aircraft colour several times as many; without them there are hardly any such pixels.
SEEN, UNSEEN = 100, 10
# The graphics card's part is played by the processor, there is no such card, and there is no WebGL.
KINDS = {"with a graphics card": (True, "/"), "without": (False, "/"), "without WebGL": (False, "/?renderer=canvas")}
# Where the map is does not depend on what draws it: ``make drill NAME=widths`` takes all pages with each.
IS_DRILL = bool(os.environ.get("SKYWATCH_WIDTHS"))
EVERYWHERE = {390: PAGES, 820: PAGES}
LOOKED_AT = {"without": {390: PAGES[:1]}, "with a graphics card": {820: PAGES[1:2]}}
# `test_map` draws with a graphics card by day.
OTHERS = pytest.mark.nightly("the same pages drawn by something else")


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[OTHERS] if kind in LOOKED_AT else []) for kind in KINDS])
def test_aircraft_are_drawn_on_every_page(browser, sky, kind):
    webgl, path = KINDS[kind]
    page = browser(webgl=webgl)
    for width, names in (EVERYWHERE if IS_DRILL else LOOKED_AT.get(kind, EVERYWHERE)).items():
        page.size(width, 860)
        page.open_map(sky, path)
        for name in names:
            page.run(f"location.hash = '#/{name}'")
            page.wait_for_element(f".page-{name} main .page h1, .page-{name} main .page h2")
            until(lambda: page.coloured() > SEEN, f"aircraft at {width} px on {name}")
    page.run("document.querySelector('sw-map').hideAircraft(true)")
    until(lambda: page.coloured() < UNSEEN, "no aircraft where they are hidden")
