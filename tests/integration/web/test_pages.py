"""All pages in a real browser: fit for everybody, and safe whatever others wrote."""

from __future__ import annotations

import os

import pytest

from tests.axe import faults_of
from tests.integration.web.pages import LIVE
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
# The pages of the navigation, and what can be opened in them.
OFFERED = "return [...document.querySelectorAll('.head nav a')].map(a => a.getAttribute('href').slice(2))"
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
    names = [*page.run(OFFERED), "account"]
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
    page.sign_in(house, "viewer", "/#/history?callsign=SWR3")
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
    page.wait_for("return document.querySelector('sw-history .toolbar select') !== null", "the replay")

    def is_played():
        page.run("document.querySelector('sw-history .toolbar button.primary:not([disabled])')?.click()")
        return page.run("return document.querySelector('sw-history .player') !== null")

    # Of a service that has just started nothing is recorded yet.
    until(is_played, "the replay of the last hour", every_s=2.0)
    page.run("location.hash = '#/stats'")
    page.wait_for("return document.querySelectorAll('sw-stats .tile').length > 6", "the last seven days")


NAMES = """
return [...document.querySelectorAll('.head nav a span')]
  .filter((one) => one.clientWidth > 1).map((one) => one.textContent).join()
"""
OVERLAPS = """
const boxes = [...document.querySelectorAll('.head > :not(nav), .head nav a')].filter((one) => one.checkVisibility())
  .map((one) => [one.className || one.title, one.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
return boxes.flatMap(([name, one], at) => boxes.slice(at + 1)
  .filter(([, other]) => one.right > other.left + 1 && other.right > one.left + 1)
  .map(([other]) => `${name} and ${other}`));
"""
# Links to pages that are neither within the head nor in a menu that can be opened.
OUT_OF_REACH = """
const nav = document.querySelector('.head nav'), menu = document.querySelector('.menu-button');
if (menu.checkVisibility()) return nav.checkVisibility() ? ['both'] : [];
const right = nav.getBoundingClientRect().right;
return [...nav.children].filter((one) => one.getBoundingClientRect().right > right + 1).map((one) => one.title);
"""


def shown_names(page):
    return [name for name in page.run(NAMES).split(",") if name]


def test_every_page_is_in_reach_and_names_give_way_one_by_one(page, house):
    page.sign_in(house, "admin", "/#/settings")
    page.wait_for_element("sw-settings h1")
    for width in (601, 640, 700, 760, 820, 1024, 1280, 1440, 2560):
        page.size(width, 800)
        until(lambda: page.run(OUT_OF_REACH) == [], f"all pages at {width} px")
        until(lambda: page.run(OVERLAPS) == [], f"no overlap in the head at {width} px")
    counts = []
    for width in range(1440, 760, -40):
        page.size(width, 800)
        until(lambda: page.run(OUT_OF_REACH) == [], f"all pages at {width} px")
        # Names fold a moment after the window has its size. That of the open page goes last, and where numbers of news
        # take its room it goes as well.
        until(
            lambda: set(shown_names(page)) & {"Settings"} or not shown_names(page),
            f"the open page's name at {width} px",
        )
        counts.append(len(shown_names(page)))
        assert counts[-1] or width < 1000, f"no name is shown at {width} px"
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts)) > 5, f"names go one by one: {counts}"


def test_a_phone_has_a_bar_with_map_list_alerts_and_more(page, house):
    page.size(390, 780)
    page.sign_in(house, "admin")
    page.wait_for(LIVE, "aircraft")
    assert page.run("return document.querySelector('.head nav').checkVisibility()") is False
    assert page.run(
        "return [...document.querySelectorAll('.tab-bar > *')].map((one) => one.innerText.trim().split('\\n')[0])"
    ) == [
        "Map",
        "List",
        "Alerts",
        "More",
    ]
    present = "return document.querySelector('.tab-bar [aria-current=page]')?.innerText.trim().split('\\n')[0]"
    until(lambda: page.run(present) == "List", "the list as the present page")
    page.click(".tab-bar a:nth-child(1)")
    page.wait_for("return document.querySelector('.list-closed') !== null", "the map alone")
    until(lambda: page.run(present) == "Map", "the map as the present page")
    page.click(".tab-bar a:nth-child(2)")
    page.wait_for("return document.querySelector('.window .row')?.checkVisibility()", "the list")
    page.click(".tab-bar a:nth-child(3)")
    page.wait_for_element("sw-alerts h1")
    until(lambda: page.run(present) == "Alerts", "alerts as the present page")
    page.click(".tab-bar button")
    page.wait_for_element(".menu nav a")
    offered = page.run(
        "return [...document.querySelectorAll('.menu nav a')]"
        ".filter((one) => one.checkVisibility()).map((one) => one.title)"
    )
    assert {"History", "Settings"} <= set(offered)
    assert not {"Map", "Alerts"} & set(offered)
    page.run("[...document.querySelectorAll('.menu nav a')].find((one) => one.title === 'Settings').click()")
    page.wait_for_element("sw-settings h1")
    page.wait_for("return document.querySelector('.menu') === null", "the end of the menu")


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
    names = [*page.run(OFFERED), *FURTHER, *PARTS]
    assert {"map", "safety", "acars"} <= set(names)
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
