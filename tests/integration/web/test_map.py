"""The map with its list in a real browser."""

from __future__ import annotations

import json
import signal

import pytest

from tests.conftest import ROOT
from tests.integration.web.pages import DRAWN, ROWS
from tests.waiting import until

ENTER = "\ue007"

# How many pixels of the canvas above the aircraft are not empty.
LABELLED = DRAWN.replace("'.stage canvas[data-renderer]'", "'.stage canvas:last-child'")
RENDERER = "return document.querySelector('sw-map').dataset.renderer"
HAS_BERN = """
const done = arguments[arguments.length - 1];
document.querySelector('sw-map').find('Bern').then((places) => done(places.some(({ name }) => name === 'Bern')));
"""


@pytest.mark.smoke
def test_the_sky_is_shown_with_everything_from_this_service(page, sky):
    # Around the station; where the service is late to say it, the map begins with a wider view and its coarser ground.
    page.open_map(sky, "/#/map?at=47.4500,8.5600,7.6")
    page.wait_for(f"return (() => {{{DRAWN}}})() > 50", "aircraft on the map")
    fetched = page.fetched()
    own = f"http://127.0.0.1:{sky.port}/"
    assert [name for name, _ in fetched if not name.startswith(own)] == []
    scripts = sum(size for name, size in fetched if name.endswith(".js"))
    assert 0 < scripts <= 260_000, "scripts of the first view, compressed"
    first = [size for name, size in fetched if ".cell" not in name]
    assert sum(first) <= 700_000, "the first view"
    # Nothing inline works, also if somebody finds a way to put it there.
    page.run("const s = document.createElement('script'); s.text = 'window.hacked = 1'; document.body.append(s)")
    assert page.run("return window.hacked || 'kept out'") == "kept out"
    page.run("document.body.setAttribute('style', 'opacity: 0.5')")
    assert page.run("return getComputedStyle(document.body).opacity") == "1"


def test_labels_are_drawn_by_the_graphics_card(page_with_webgl, sky):
    page = page_with_webgl
    page.open_map(sky)
    assert page.run(RENDERER) == "webgl"
    page.wait_for(f"return (() => {{{DRAWN}}})() > 50", "aircraft on the map")
    page.wait_for("return document.querySelector('sw-map').stage.picture.labels.length > 3", "labels")
    # The picture of one moment, with and without its labels.
    with_labels, without = page.run(
        f"const stage = document.querySelector('sw-map').stage;"
        f"const count = () => {{{DRAWN}}};"
        "stage.still = true;"
        "const full = count();"
        "stage.picture.labels = [];"
        "return [full, count()];"
    )
    assert with_labels > without + 200
    assert page.run("return document.querySelector('sw-map').stage.layer.canvas.getContext('webgl2').getError()") == 0


def test_without_webgl_aircraft_are_drawn_on_a_canvas(page, sky):
    page.open_map(sky)
    assert page.run(RENDERER) == "canvas"
    page.wait_for(f"return (() => {{{DRAWN}}})() > 50", "aircraft on the map")
    page.wait_for(f"return (() => {{{LABELLED}}})() > 200", "labels above them")


def test_a_graphics_card_that_is_lost_is_replaced_by_a_canvas(page_with_webgl, sky):
    page = page_with_webgl
    page.open_map(sky)
    page.run(
        "document.querySelector('.stage canvas[data-renderer]').getContext('webgl2')"
        ".getExtension('WEBGL_lose_context').loseContext()"
    )
    page.wait_for(f"return (() => {{{RENDERER}}})() === 'canvas'", "the canvas")
    page.wait_for(f"return (() => {{{DRAWN}}})() > 50", "aircraft on the map")
    page.wait_for(f"return (() => {{{LABELLED}}})() > 200", "labels above them")


def test_the_keyboard_alone_searches_selects_and_shares(page, sky):
    page.open_map(sky)
    page.keys("/")
    page.wait_for("return document.activeElement.id === 'search'", "the search")
    hexes = [row.removeprefix("row-") for row in page.run(ROWS)]
    page.keys(hexes[3])
    page.wait_for(f"return (() => {{{ROWS}}})().join() === 'row-{hexes[3]}'", "the one that was searched")
    page.run("document.querySelector('.rows').focus()")
    page.keys("\ue015\ue007")  # Arrow down, Enter
    page.wait_for_element(".panel h2")
    page.wait_for(f"return location.hash.includes('hex={hexes[3]}')", "the selection in the address")
    page.wait_for(f"return location.hash.includes('q={hexes[3]}')", "the search in the address")
    page.wait_for("return document.querySelector('.window .row').ariaSelected === 'true'", "the selection in the list")
    shared = page.run("return location.href")
    page.run("document.querySelector('.panel button[aria-label=Close]').focus()")
    page.keys("\ue007")
    page.wait_for("return document.querySelector('.panel') === null", "the end of the selection")
    # Somebody else opens the address and sees the same.
    page.open("about:blank")
    page.open(shared)
    page.wait_for_element(".panel h2")
    page.wait_for(f"return document.querySelector('#search').value === '{hexes[3]}'", "the search of the address")


def test_the_search_finds_operators_and_places_and_enter_goes_there(page, sky):
    page.size(1280, 860)
    page.open_map(sky)
    page.wait_for("return document.querySelector('sw-map').camera.isPlaced", "the station in the middle")
    operators = json.loads((ROOT / "web/src/panel/names/operators.json").read_text(encoding="utf-8"))
    airlines = {str(one.get("flight", ""))[:3] for one in sky.aircraft().values()} & operators.keys()
    airline = sorted(airlines)[0]
    page.type("#search", operators[airline])
    rows = "return [...document.querySelectorAll('.window .row .callsign')].map((one) => one.textContent)"
    # Nobody is left until the names of the operators are here.
    ours = f"(all => all.length && all.every((one) => one.startsWith('{airline}')))((() => {{{rows}}})())"
    page.wait_for(f"return {ours}", "one airline alone")
    page.keys(ENTER)
    page.wait_for_element(".panel h2")
    assert page.text_of(".panel h2").startswith(airline)
    # Towns come with the ground, which may still be on its way.
    until(lambda: page.run_async(HAS_BERN), "Bern on the map")
    page.run("document.querySelector('#search').value = ''")
    page.type("#search", "Bern")
    places = "[...document.querySelectorAll('.places span')].map((one) => one.textContent)"
    page.wait_for(f"return {places}.includes('Bern')", "Bern among the places")
    page.keys(ENTER)
    page.wait_for("return location.hash.includes('at=46.9')", "Bern in the address of the map")
    page.wait_for("return document.querySelector('#search').value === ''", "an empty search")


# Holds back the towns of the world and of the cells until it is told to go on.
WITHOUT_TOWNS = """
const plain = window.fetch.bind(window), begins = new Promise((go) => { window.bringTowns = go; });
window.waiting = 0;
window.fetch = async (...asked) => {
  if (/countries-50m|[.]cell/.test(String(asked[0]))) {
    window.waiting += 1;
    await begins;
  }
  return plain(...asked);
};
"""
ASKED = "return performance.getEntriesByType('resource').some((one) => one.name.endsWith('q=%s&limit=4'))"


def test_a_town_is_found_by_who_searches_while_the_towns_are_on_their_way(page, sky):
    page.size(1280, 860)
    page.before_scripts(WITHOUT_TOWNS)
    page.open_map(sky)
    page.type("#search", "Ber")
    page.wait_for(ASKED % "Ber", "the search for the first letters")
    page.wait_for("return window.waiting > 0", "a search that waits for towns")
    page.type("#search", "n")
    page.wait_for(ASKED % "Bern", "the search for the whole name")
    page.run("window.bringTowns()")
    places = "[...document.querySelectorAll('.places span')].map((one) => one.textContent)"
    page.wait_for(f"return {places}.includes('Bern')", "Bern among the places")


def test_what_is_not_in_the_sky_is_looked_for_in_history(page, sky):
    page.size(1280, 860)
    page.open_map(sky)
    page.type("#search", "ZZZ99")
    page.wait_for("return document.querySelector('.rows .empty a') !== null", "the way to history")
    page.click(".rows .empty a")
    page.wait_for_element("sw-history h1")
    assert page.run("return document.querySelector('sw-history [name=callsign]').value") == "ZZZ99"


# The narrowest one is that of `test_languages`, with the longest words.
def test_nothing_is_cut_off_on_the_widest_screen(page, sky):
    width = 3840
    page.size(width, 700)
    page.open_map(sky)
    names = page.run(
        "return [...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(2))"
        ".filter((name, at, all) => all.indexOf(name) === at)"
    )
    for name in names or ("map", "settings", "stats", "history"):
        page.run(f"location.hash = '#/{name}'")
        page.wait_for("return document.querySelector('main').innerText.length > 20", name)
        assert page.run("return document.documentElement.scrollWidth") <= width, name


def test_with_reduced_motion_aircraft_stand_still_between_two_pictures(page, sky):
    page.media(prefers_reduced_motion="reduce")
    page.open_map(sky)
    assert page.run("return document.querySelector('sw-map').stage.elapsed") == 0
    assert page.run("return getComputedStyle(document.querySelector('.lamp')).animationDuration") in ("0s", "1e-05s")


def test_a_network_that_is_cut_without_a_word_is_noticed_and_found_again(page, sky):
    page.open_map(sky)
    sky.process.send_signal(signal.SIGSTOP)  # Connections stay open, and nothing comes any more.
    try:
        page.wait_for_element(".banner")
        assert page.run("return document.querySelectorAll('.window .row').length") > 5, "what was there is still shown"
    finally:
        sky.process.send_signal(signal.SIGCONT)
    page.wait_for(
        "return document.querySelector('.banner') === null && document.querySelector('.state-open') !== null",
        "the service again",
    )


def test_a_service_that_was_restarted_is_found_again(page, service):
    # Not the shared one: for a minute it would go on with aircraft that are heard no more.
    running = service(auth_mode="public").start()
    page.open_map(running)
    running.kill()
    try:
        page.wait_for_element(".banner")  # The page says that it waits.
    finally:
        running.start()
    page.wait_for(
        "return document.querySelector('.banner') === null && document.querySelector('.state-open') !== null",
        "the service again",
    )
