"""Notices of alerts: collapsed into one, in nobody's way, and silent about aircraft that do not exist."""

from __future__ import annotations

import json

import pytest

from tests.integration.web.pages import ALERTS_ARE_TOLD, LIVE, ROWS
from tests.waiting import until

EVERYTHING = {"field": "hex", "op": "ne", "value": "000000"}
# A notice stays for as long as it is looked at here.
LASTING = """
const original = window.setTimeout;
window.setTimeout = (work, wait, ...more) => original(work, wait === 6000 ? 600000 : wait, ...more);
"""
# What the notice of alerts lies on; null while another one is shown.
COVERED = f"if (!(() => {{{ALERTS_ARE_TOLD}}})()) return null;"
COVERED += """
const notice = document.querySelector('.notice').getBoundingClientRect();
const apart = (one) => one.right <= notice.left || one.left >= notice.right
  || one.bottom <= notice.top || one.top >= notice.bottom;
return [...document.querySelectorAll('.head, .map-buttons, .legend, .panel, .table, .page.drawer, sw-navigation')]
  .filter((one) => one.checkVisibility() && !apart(one.getBoundingClientRect())).map((one) => one.className)
  .concat(notice.left < 0 || notice.right > innerWidth || notice.top < 0 ? ['outside'] : []);
"""


@pytest.fixture
def alarmed(house):
    """Calls a rule into being that every aircraft meets."""
    made = []

    def begin():
        rule = {"name": "All of them", "conditions": EVERYTHING, "for_s": 0, "cooldown_s": 0}
        answer = house.call("POST", "alerts/rules", json=rule, who="admin")
        assert answer.status_code == 201, answer.text
        made.append(answer.json()["id"])

    yield begin
    for number in made:
        house.call("DELETE", f"alerts/rules/{number}", who="admin")


def prefer(page, **chosen):
    page.before_scripts(f"localStorage.setItem('skywatch.preferences', {json.dumps(json.dumps(chosen))})")


def test_many_alerts_are_one_notice_that_covers_neither_legend_nor_rows_nor_panel(page, house, alarmed):
    prefer(page, simulatedNotices=True)
    page.before_scripts(LASTING)
    page.size(1440, 900)
    page.sign_in(house, "admin")
    page.wait_for(LIVE, "aircraft")
    alarmed()
    many = f"return (() => {{{ALERTS_ARE_TOLD}}})() && Number.parseInt(document.querySelector('.notice').innerText) > 5"
    # Looked at at once: another notice may take its place. It is said by the region for announcements alone.
    shown = (
        "[...document.querySelectorAll('.notice')].map((one) => [one.innerText, one.closest('[role], [aria-live]')])"
    )
    [(text, region)] = page.wait_for(f"{many} && {shown}", "one notice of many alerts")
    assert text.strip().endswith("new alerts")
    assert region is None
    hexa = page.run(ROWS)[2].removeprefix("row-")
    for place in ("map", f"map?hex={hexa}", "stats", "safety"):
        page.run(f"location.hash = '#/{place}'")
        for width in (320, 390, 600, 601, 820, 1024, 1280, 1281, 1440, 2560):
            page.size(width, 800)
            # What scripts place follows the width a frame later.
            until(lambda: page.run(COVERED) == [], f"a notice that covers nothing on {place} at {width}")
    page.size(1440, 900)
    # Looked at at once: an aircraft that comes later is another notice, and one about something else may be left.
    press = (
        "const done = arguments[arguments.length - 1], shown = () => document.querySelector('.notice a');"
        f"if (!(() => {{{ALERTS_ARE_TOLD}}})()) return done('');"
        "shown().click();"
        "requestAnimationFrame(() => done(shown()?.getAttribute('href') === '#/alerts' ? 'left' : 'gone'))"
    )
    assert until(lambda: page.run_async(press), "the notice of alerts") == "gone"
    page.wait_for("return document.querySelectorAll('sw-alert-history .cards li').length > 5", "the list")


def test_simulated_aircraft_cry_for_nobody_and_are_listed_and_marked(page, house, alarmed):
    page.before_scripts(LASTING)
    page.size(1280, 860)
    page.sign_in(house, "admin")
    page.wait_for(LIVE, "aircraft")
    alarmed()
    page.wait_for(
        "return Number.parseInt(document.querySelector('.head .badge')?.innerText) > 5", "the number of alerts"
    )
    assert page.run("return document.querySelector('.notice')") is None
    page.run("location.hash = '#/alerts'")
    page.wait_for("return document.querySelectorAll('sw-alert-history .cards li').length > 5", "the list")
    cards = "[...document.querySelectorAll('sw-alert-history .cards li')]"
    assert page.run(f"return {cards}.every((one) => one.innerText.includes('simulated'))")
    page.run("location.hash = '#/settings'")
    page.wait_for(
        "return document.querySelector('sw-settings')?.innerText.includes('Notices about simulated aircraft')",
        "the choice",
    )
