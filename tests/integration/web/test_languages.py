"""German on the narrowest screen: long words neither widen a page nor are cut off in what people press.

A tablet, and the other languages, whose words are shorter, are looked at in the night.
"""

from __future__ import annotations

import json

import pytest

from tests.integration.web.pages import LIVE, offered
from tests.integration.web.test_pages import FURTHER, PARTS, part_is_shown

WIDTH, TABLET = 320, 820
# Cut: the text of what is pressed or read as a title is wider than its box. The head of a column may end in dots.
CUT = """
const cut = (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline';
return [...document.querySelectorAll('main :is(button, .check, h1, h2, h3, .tag, .setting > span)')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.row.header') && cut(one))
  .map((one) => one.textContent.trim().slice(0, 60));
"""
EXCESS = "return Math.max(...[document.documentElement, ...document.querySelectorAll('.page')]"
EXCESS += ".map((one) => one.scrollWidth - one.clientWidth))"
WIDER = pytest.mark.nightly("a screen wider than the narrowest one")
SHORTER = pytest.mark.nightly("languages whose words are shorter than German ones")


@pytest.mark.parametrize(
    ("language", "width"),
    [
        ("de", WIDTH),
        pytest.param("de", TABLET, marks=WIDER),
        *(pytest.param(one, WIDTH, marks=SHORTER) for one in ("en", "fr", "es")),
    ],
)
def test_no_page_is_cut_or_wider_than_its_screen(page, house, language, width):
    page.size(width, 640)
    page.before_scripts(
        f"localStorage.setItem('skywatch.preferences', {json.dumps(json.dumps({'language': language}))})"
    )
    page.sign_in(house, "admin")
    page.wait_for(LIVE, "aircraft")
    assert page.run("return document.documentElement.lang") == language
    faults = {}
    for name in [*offered(page), *FURTHER, *PARTS]:
        page.run(f"location.hash = '#/{name}'")
        tag = f"sw-{name.partition('?')[0]}"
        page.wait_for(f"return document.querySelector('{tag} h1, {tag} .map-target') !== null", name)
        if name in PARTS:
            page.wait_for(part_is_shown(name), name)
        excess = page.run(EXCESS)
        cut = page.run(CUT)
        if excess > 0 or cut:
            faults[name] = [f"{excess} px too wide", *cut]
    assert faults == {}


def test_filters_and_columns_leave_the_list_within_reach_on_a_small_phone(page, house):
    page.size(WIDTH, 640)
    page.sign_in(house, "viewer")
    page.wait_for(LIVE, "aircraft")
    within = (
        "(one) => { const { top, bottom } = one.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }"
    )
    opened = {".filters": "sw-filters .check", ".chooser": ".chooser .check"}
    for at, (part, checks) in enumerate(opened.items()):
        tool = f"document.querySelectorAll('.list-head .tool')[{at}].click()"
        page.run(tool)
        page.wait_for_element(part)
        page.run(f"[...document.querySelectorAll('{checks}')].at(-1).scrollIntoView()")
        assert page.run(f"return ({within})([...document.querySelectorAll('{checks}')].at(-1))"), part
        assert page.run(f"return ({within})(document.querySelector('.window .row'))"), part
        page.run(tool)
        page.wait_for(f"return document.querySelector('{part}') === null", f"the end of {part}")


LAST_COLUMN = """
const cell = document.querySelector('.row.header > :last-child').getBoundingClientRect();
return cell.right <= innerWidth && cell.width > 20;
"""


def test_every_column_of_the_list_can_be_seen_on_a_small_phone(page, house):
    page.size(WIDTH, 640)
    page.sign_in(house, "viewer")
    page.wait_for(LIVE, "aircraft")
    check_columns(page)
    page.run("document.querySelectorAll('.list-head .tool')[1].click()")
    page.wait_for_element(".chooser")
    page.run("document.querySelectorAll('.chooser input:not(:checked)').forEach((one) => one.click())")
    page.wait_for("return document.querySelectorAll('.row.header > div').length > 8", "the columns")
    assert not page.run(LAST_COLUMN)
    page.run("document.querySelector('.table').scrollLeft = 10000")
    check_columns(page)


def check_columns(page):
    """The last column is seen, titles are whole, and rows stand below them."""
    assert page.run(LAST_COLUMN)
    assert page.run("return document.querySelector('.row.header > div').clientHeight") > 20, "titles are not cut off"
    left = "(one) => Math.round(document.querySelector(one).lastElementChild.getBoundingClientRect().left)"
    head, row = page.run(f"return ['.row.header', '.window .row'].map({left})")
    assert abs(head - row) <= 1, "rows move with their head"
