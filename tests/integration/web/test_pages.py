"""All pages in a real browser: fit for everybody, and safe whatever others wrote."""

from __future__ import annotations

import os

import pytest

from tests.axe import faults_of
from tests.integration.web.pages import BESIDE, LIVE, offered
from tests.waiting import until

# Tab, and Tab with Shift.
TAB = "\ue004"
WALK = """
window.walked = new Set();
document.addEventListener('focusin', ({ target }) => window.walked.add(target), true);
"""
# What can be used on the page that is open, and has not been reached.
MISSED = """
const usable = 'a[href], button, input, select, textarea, [tabindex="0"]';
return [...document.querySelectorAll(usable)]
  .filter((one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true })
    && !one.closest('[inert]') && !(one.type === 'radio' && !one.checked))
  .filter((one) => !window.walked.has(one)).map((one) => one.outerHTML.slice(0, 120));
"""
# What can be opened in the pages of the navigation, and beside them.
FURTHER = ("history?tab=replay", "history?tab=heatmap", "account")
# The lists of the page of alerts, and their forms.
PARTS = (
    *(f"alerts?tab={tab}" for tab in ("rules", "geofences", "watchlists", "channels", "deliveries")),
    *(f"alerts?tab={tab}&id=new" for tab in ("rules", "geofences", "watchlists", "channels")),
)
# Colours depend on the theme, and places on the width: `make drill NAME=widths` opens every page for each pair of them.
PHONE, DESK = (390, 844), (1440, 900)
IS_DRILL = bool(os.environ.get("SKYWATCH_WIDTHS"))
AT = dict.fromkeys(("dark", "light"), (PHONE, DESK)) if IS_DRILL else {"dark": (PHONE,), "light": (DESK,)}


def part_is_shown(name):
    """The question whether a part of the page of alerts is there with what it shows."""
    tab = name.partition("tab=")[2].partition("&")[0]
    return (
        f"return document.querySelector('#tab-{tab}[aria-selected=true]') !== null"
        " && document.querySelector('[role=tabpanel]').innerText.length > 20"
    )


def test_every_page_can_be_walked_with_the_keyboard_alone(page, house):
    page.size(1440, 900)
    page.sign_in(house, "viewer")
    page.wait_for(LIVE, "aircraft")
    names = [*offered(page), "account"]
    missed = {}
    for name in names:
        page.run(f"location.hash = '#/{name}'")
        page.wait_for(f"return document.querySelector('sw-{name} h1, sw-{name} .map-target') !== null", name)
        page.run(WALK)
        left = None
        # Lists may grow while they are walked; what is there at last has to be reached.
        for _ in range(8):
            page.keys(TAB * 30)
            left = page.run(MISSED)
            if not left:
                break
        if left:
            missed[name] = left[:5]
    assert missed == {}


def test_thirty_days_of_history_are_searched_drawn_and_played(page, house):
    # One aircraft of the 30 days: simulated ones may have such a callsign as well, and no track.
    page.sign_in(house, "viewer", "/#/history?callsign=SWR3&icao_hex=4b0003")
    page.wait_for("return document.querySelectorAll('sw-history .card-button').length >= 30", "the flights")
    page.click("sw-history .card-button")
    page.wait_for_element("sw-history li.chosen")
    page.wait_for("return document.querySelector('sw-map').stage.trails.length > 0", "the track on the map")
    for tab in ("heatmap", "coverage"):
        page.run(f"location.hash = '#/history?tab={tab}'")
        page.wait_for("return document.querySelector('sw-history .segments') !== null", tab)
    page.run("[...document.querySelectorAll('sw-history .segments button')].at(-1).click()")
    page.wait_for("return document.querySelector('sw-history .bands tbody tr') !== null", "the figures")
    page.run("location.hash = '#/history?tab=replay'")
    page.wait_for("return document.querySelector('sw-history-replay .toolbar select') !== null", "the replay")

    def is_played():
        # Whoever presses again while it is read makes it begin anew.
        if "Loading" not in page.run(
            "return document.querySelector('sw-history-replay [role=status]')?.innerText ?? ''"
        ):
            page.run("document.querySelector('sw-history .toolbar button.primary:not([disabled])')?.click()")
        return page.run("return document.querySelector('sw-history .player') !== null")

    # Of a service that has just started nothing is recorded yet.
    until(is_played, "the replay of the last hour", every_s=2.0)
    page.run("location.hash = '#/stats'")
    page.wait_for("return document.querySelectorAll('sw-stats .tile').length > 6", "the last seven days")


WORDS = ["Map", "History", "Alerts", "Radio", "Station", "More"]
# The words of the navigation that are seen as a whole.
SHOWN = """
return [...document.querySelectorAll('.sections > a > span, .more > button > span')]
  .filter((one) => one.checkVisibility() && one.scrollWidth <= one.clientWidth + 1).map((one) => one.textContent);
"""
OVERLAPS = """
const boxes = [...document.querySelectorAll('.head > *, .sections > *')]
  .filter((one) => one.checkVisibility() && one.localName !== 'sw-navigation')
  .map((one) => [one.className || one.textContent.trim(), one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0);
return boxes.flatMap(([name, one], at) => boxes.slice(at + 1)
  .filter(([, other]) => one.right > other.left + 1 && other.right > one.left + 1
    && one.bottom > other.top + 1 && other.bottom > one.top + 1)
  .map(([other]) => `${name} and ${other}`));
"""
PLACE = "return document.querySelector('sw-navigation').getBoundingClientRect().top > innerHeight / 2"
MENU_SHOWN = "return document.querySelector('.menu').checkVisibility()"
ESCAPE = "\ue00c"


def test_the_navigation_is_five_words_and_more_at_every_width(page, house):
    page.sign_in(house, "admin", "/#/settings")
    page.wait_for_element("sw-settings h1")
    for width in (340, 390, 601, 820, 1000, 1001, 1100, 1240, 1241, 1440, 2560):
        page.size(width, 800)
        until(lambda: page.run(PLACE) == (width <= 1000), f"the place of the navigation at {width} px")  # noqa: B023
        until(lambda: page.run(SHOWN) == WORDS, f"all words at {width} px")
        until(lambda: page.run(OVERLAPS) == [], f"no overlap at {width} px")


@pytest.mark.parametrize("width", [390, 1440])
def test_more_has_the_other_pages_and_closes_as_menus_do(page, house, width):
    page.size(width, 780)
    page.sign_in(house, "admin")
    page.wait_for(LIVE, "aircraft")
    assert not page.run(MENU_SHOWN)
    page.click(".more > button")
    page.wait_for(MENU_SHOWN, "the menu")
    offers = "return [...document.querySelectorAll('.menu a')].filter((one) => one.checkVisibility())"
    names = page.run(f"{offers}.map((one) => one.innerText.trim())")
    assert {"Safety", "Cannonball", "Known aircraft", "Settings", "Administration"} <= set(names)
    assert ("admin" in names) == (width == 390), "the person, where the head has no room"
    page.keys(ESCAPE)
    page.wait_for(f"return !(() => {{{MENU_SHOWN}}})()", "the end of the menu")
    assert page.run("return document.activeElement === document.querySelector('.more > button')")
    page.click(".more > button")
    page.wait_for(MENU_SHOWN, "the menu")
    page.click(".brand")
    page.wait_for(f"return !(() => {{{MENU_SHOWN}}})()", "the end of the menu after a press elsewhere")
    page.click(".more > button")
    page.wait_for(MENU_SHOWN, "the menu")
    page.click(".menu a[href='#/settings']")
    page.wait_for_element("sw-settings h1")
    page.wait_for(f"return !(() => {{{MENU_SHOWN}}})()", "the end of the menu with the page")
    assert page.run("return document.querySelector('.more > button').classList.contains('active')")


def test_pages_of_a_word_stand_beside_each_other(page, house):
    page.size(390, 780)
    page.sign_in(house, "admin")
    page.wait_for(LIVE, "aircraft")
    present = "return document.querySelector('.sections [aria-current]')?.innerText.trim().split('\\n')[0]"
    for word, title, pages in (
        ("Radio", "Radio", ["acars", "audio"]),
        ("Station", "Station", ["stats", "reception", "feeders"]),
    ):
        page.run(
            f"[...document.querySelectorAll('.sections > a')].find((one) => one.innerText.trim() === '{word}').click()"
        )
        for name in pages:
            page.wait_for_element(f"sw-{name} nav.tabs a[href='#/{name}'][aria-current=page]")
            assert page.text_of(f"sw-{name} h1") == title
            assert page.run(BESIDE) == pages
            until(lambda: page.run(present) == word, f"{word} as the present word")  # noqa: B023
            following = pages[(pages.index(name) + 1) % len(pages)]
            page.click(f"nav.tabs a[href='#/{following}']")


def test_a_phone_begins_after_the_sign_in_as_it_begins_otherwise(page, house):
    """The station is in the middle of what the sheet leaves of the map."""
    page.size(390, 780)
    page.log_in(house, "viewer")
    middle = """
    const map = document.querySelector('sw-map');
    if (!map?.camera.isPlaced || !map.camera.drawn) return null;
    const [x, y] = map.map.getPixelFromCoordinate(map.map.getView().getCenter());
    const sheet = document.querySelector('sw-list').getBoundingClientRect();
    const box = map.getBoundingClientRect();
    return [Math.abs(x - box.width / 2), Math.abs(y - (sheet.top - box.top) / 2)];
    """
    page.wait_for(LIVE, "aircraft")

    def is_in_the_middle():
        across, down = page.wait_for(middle, "the first view")
        return across < 2 and down < 12

    # What was drawn before the sheet had its place is drawn again.
    until(is_in_the_middle, "the station in the middle of what is seen")


@pytest.mark.parametrize("theme", AT)
def test_pages_have_no_serious_faults_of_accessibility(page, house, theme):
    page.media(prefers_color_scheme=theme)
    page.sign_in(house, "admin")
    page.wait_for(LIVE, "aircraft")
    found = {}
    names = [*offered(page), *FURTHER, *PARTS]
    assert {"map", "safety", "acars", "audio", "feeders"} <= set(names)
    for width, height in AT[theme]:
        page.size(width, height)
        for name in names:
            page.run(f"location.hash = '#/{name}'")
            tag = f"sw-{name.partition('?')[0]}"
            page.wait_for(f"return document.querySelector('{tag} h1, {tag} .map-target') !== null", name)
            if name in PARTS:
                page.wait_for(part_is_shown(name), name)
                page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            faults = faults_of(page)
            if faults:
                found[f"{name} at {width}"] = faults
    assert found == {}
