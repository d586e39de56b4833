"""Single keys, and the list that can be hidden, in a real browser."""

from __future__ import annotations

import math

import pytest

from tests.axe import serious_faults
from tests.integration.web.pages import ROWS
from tests.waiting import until

KEYS = "/+-hfnpxitlrb?"
ENTER, TAB = "\ue007", "\ue004"
ZOOM = "return document.querySelector('sw-map').map.getView().getZoom()"
AT_REST = "return !document.querySelector('sw-map').map.getView().getAnimating()"
LABELS = "return document.querySelector('sw-map').stage.picture.labels.length"
RINGS = "return document.querySelector('sw-map').rings.layer.getSource().getFeatures().length"
LIST_SHOWN = "return document.querySelector('.list #search').checkVisibility({ visibilityProperty: true })"
FOCUS = "return document.activeElement.id"
# What a key could change, whatever it is for.
STATE = """
const { map, camera: { isFollowing } } = document.querySelector('sw-map');
const view = map.getView();
return JSON.stringify([view.getCenter(), view.getZoom(), view.getAnimating(), isFollowing,
  localStorage.getItem('skywatch.preferences')]);
"""
STATION = (47.45, 8.56)
EARTH_M = 6378137.0


def mercator(lat, lon):
    return EARTH_M * math.radians(lon), EARTH_M * math.log(math.tan(math.pi / 4 + math.radians(lat) / 2))


def pixels_from_the_middle(page, lat, lon):
    """How far a place is from the middle of what the panel leaves of the map, in pixels."""
    x, y, resolution, covered = page.run(
        "const map = document.querySelector('sw-map'), view = map.map.getView();"
        "const panel = document.querySelector('.panel');"
        "const covered = panel ? panel.getBoundingClientRect().right - map.getBoundingClientRect().left : 0;"
        "return [...view.getCenter(), view.getResolution(), covered]"
    )
    east, north = mercator(lat, lon)
    return math.hypot((east - x) / resolution - covered / 2, (north - y) / resolution)


@pytest.fixture
def map_page(page, sky):
    """The map at its station, at rest: with reduced motion it draws only when something changes."""
    page.size(1000, 600)
    page.media(prefers_reduced_motion="reduce")
    page.open_map(sky)
    page.wait_for("return document.querySelector('sw-map').camera.isPlaced", "the station in the middle")
    page.wait_for(AT_REST, "the map at rest")
    page.run("document.activeElement.blur()")
    return page


def becomes(page, script, expected, what):
    page.wait_for(f"return (() => {{{script}}})() === {expected}", what)


def test_each_key_does_what_the_help_says(map_page, sky):
    page = map_page
    before = page.run(ZOOM)
    page.keys("+")
    page.wait_for(f"return (() => {{{ZOOM}}})() > {before + 0.9}", "nearer")
    page.wait_for(AT_REST, "the map at rest")
    page.keys("-")
    page.wait_for(f"return (() => {{{ZOOM}}})() < {before + 0.1}", "farther")
    page.wait_for(AT_REST, "the map at rest")
    page.run("document.querySelector('sw-map').map.getView().setCenter([0, 0])")
    assert pixels_from_the_middle(page, *STATION) > 300
    page.keys("h")
    page.wait_for(AT_REST, "the map at rest")
    assert pixels_from_the_middle(page, *STATION) < 5

    assert page.run(RINGS) > 5
    page.keys("r")
    becomes(page, RINGS, 1, "the station without rings")
    page.keys("r")
    page.wait_for(f"return (() => {{{RINGS}}})() > 5", "rings")
    page.wait_for(f"return (() => {{{LABELS}}})() > 0", "labels")
    page.keys("l")
    becomes(page, LABELS, 0, "no labels")
    page.keys("l")
    page.wait_for(f"return (() => {{{LABELS}}})() > 0", "labels")
    page.keys("b")
    becomes(page, LIST_SHOWN, "false", "no list")
    page.keys("/")
    becomes(page, FOCUS, "'search'", "the search, and its list with it")
    assert page.run(LIST_SHOWN)
    page.run("document.activeElement.blur()")
    page.keys("?")
    page.wait_for("return location.hash === '#/settings'", "the list of the keys")
    page.wait_for_element("sw-settings kbd")
    assert page.run("return [...document.querySelectorAll('sw-settings kbd')].map(one => one.textContent)") == list(
        KEYS
    )


def test_the_selected_aircraft_is_followed(map_page, sky):
    page = map_page
    rows = [row.removeprefix("row-") for row in page.run(ROWS)]
    away = {hexa: pixels_from_the_middle(page, one["lat"], one["lon"])
            for hexa, one in sky.aircraft().items() if hexa in rows and "lat" in one}  # fmt: skip
    farthest = max(away, key=lambda hexa: away[hexa])
    assert away[farthest] > 60
    state = page.run(STATE)
    page.keys("f")  # Nobody is selected.
    assert page.run(STATE) == state
    page.run(f"location.hash = '#/map?hex={farthest}'")
    page.wait_for_element(".panel h2")
    assert not page.run("return document.querySelector('sw-map').camera.isFollowing")
    page.keys("f")

    def is_in_the_middle():
        one = sky.aircraft().get(farthest)
        return one is not None and pixels_from_the_middle(page, one["lat"], one["lon"]) < 30

    until(is_in_the_middle, "the aircraft in the middle")


def test_keys_do_nothing_while_something_is_written(map_page):
    page = map_page
    state = page.run(STATE)
    page.keys("/")
    becomes(page, FOCUS, "'search'", "the search")
    page.keys(KEYS)
    becomes(page, "return document.querySelector('#search').value", repr(KEYS), "what was written")
    # The map comes first, and notes its view in the address only after a moment.
    assert page.run("return location.hash || '#/map'").startswith("#/map")
    assert page.run(STATE) == state


def test_keys_of_the_map_do_nothing_on_other_pages(map_page):
    page = map_page
    state = page.run(STATE)
    page.run("location.hash = '#/stats'")
    page.wait_for_element("sw-stats h1")
    page.run("document.activeElement.blur()")
    page.keys(KEYS)
    page.wait_for("return location.hash === '#/settings'", "the list of the keys, by the last of them")
    assert page.run(STATE) == state
    assert page.run(FOCUS) != "search"


def test_keys_that_are_switched_off_do_nothing(map_page):
    page = map_page
    page.run("location.hash = '#/settings'")
    page.wait_for_element("sw-settings kbd")
    page.run(
        "[...document.querySelectorAll('sw-settings .section')].at(-1).querySelector('input[type=checkbox]').click()"
    )
    page.run("location.hash = '#/map'")
    page.wait_for("return document.querySelector('sw-list') !== null", "the map")
    state = page.run(STATE)
    page.run("document.activeElement.blur()")
    page.keys(KEYS)
    page.keys(TAB)  # All keys before it have been taken.
    assert page.run("return location.hash").startswith("#/map")
    assert page.run(STATE) == state
    assert page.run(LIST_SHOWN)


def test_a_hidden_list_stays_hidden_and_comes_back_by_keyboard(map_page, sky):
    page = map_page
    width = page.run("return document.querySelector('sw-map').clientWidth")
    page.click(".list-button")
    becomes(page, LIST_SHOWN, "false", "no list")
    assert page.run("return document.querySelector('.list-button').getAttribute('aria-pressed')") == "false"
    assert page.run("return document.querySelector('sw-map').clientWidth") > width + 100, "the map has its place"
    assert serious_faults(page) == []
    page.visit(sky)
    page.wait_for_element("sw-map .list-button")
    assert not page.run(LIST_SHOWN), "the choice is remembered"
    for _ in range(60):
        page.keys(TAB)
        if page.run("return document.activeElement.classList.contains('list-button')"):
            break
        assert not page.run("return document.activeElement.closest('.list') !== null"), "nothing hidden has the focus"
    page.keys(ENTER)
    becomes(page, LIST_SHOWN, "true", "the list")
    assert page.run("return document.querySelector('.list-button').getAttribute('aria-pressed')") == "true"
    assert serious_faults(page) == []
