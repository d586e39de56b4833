"""Several aircraft at once, each with its trail, and the order of the list's columns."""

from __future__ import annotations

import time

from tests.integration.web.pages import IN_ORDER, LIVE, ROWS, Page
from tests.waiting import until

TRAILS = "return document.querySelector('sw-map').stage.trails.map((trail) => trail.length)"
SELECTED = "return [...document.querySelectorAll('.window .row.selected')].map((row) => row.id.slice(4))"
# At once: rows change places while a hand finds them.
CLICK = "document.getElementById('row-%s').click()"
CTRL_CLICK = "document.getElementById('row-%s').dispatchEvent(new MouseEvent('click', {bubbles: true, ctrlKey: true}))"
# Where an aircraft that is not selected is drawn, with none near it that a click could mean, in pixels of the page.
ELSEWHERE = """
const { picture, view } = document.querySelector('sw-map').stage, box = document.querySelector('.map-target');
const { left, top } = box.getBoundingClientRect();
const chosen = [picture.selectedRow, ...picture.alsoRows];
const drawn = Array.from({ length: picture.count }, (_, row) => [
  left + (picture.data[row * 12] - view.x) / view.resolution + view.width / 2,
  top + view.height / 2 - (picture.data[row * 12 + 2] - view.y) / view.resolution,
]);
const isAlone = (row) =>
  drawn.every(([x, y], other) => other === row || Math.hypot(x - drawn[row][0], y - drawn[row][1]) > 40);
for (let row = 0; row < picture.count; row += 1) {
  const [x, y] = drawn[row];
  const isFree = document.elementFromPoint(x, y)?.closest('.map-target');
  if (!chosen.includes(row) && x > 380 && isFree && isAlone(row)) return [x, y];
}
return null;
"""
CHOSEN = """
const query = new URLSearchParams(location.hash.split('?')[1]);
return [query.get('hex'), query.get('also')];
"""
HEADS = "return [...document.querySelectorAll('.row.header > div')].map((one) => one.textContent.trim().split(' ')[0])"
# A click shows within a frame; no busy browser takes so long.
CLICK_S = 10.0
ENTER = "\ue007"


def _a_third_is_selected(page: Page) -> bool:
    """Whether a click on the map adds an aircraft; one that the map moved away under the hand has to be repeated."""
    x, y = page.wait_for(ELSEWHERE, "another aircraft on the map")
    for kind in ("mousePressed", "mouseReleased"):
        page.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1, modifiers=8)
    end = time.monotonic() + CLICK_S
    while time.monotonic() < end:
        if page.run("return document.querySelectorAll('.others button').length === 2"):
            return True
        time.sleep(0.1)
    return False


def test_several_aircraft_are_selected_and_each_has_its_trail(page, sky):
    page.size(1440, 900)
    page.open_map(sky)
    page.wait_for(IN_ORDER, "the nearest ones")
    until(lambda: len(page.run(ROWS)) > 8, "the list")
    first, second = page.run(ROWS)[6:8]
    first, second = first.removeprefix("row-"), second.removeprefix("row-")
    page.run(CLICK % first)
    page.wait_for_element(".panel .figures")
    page.run(CTRL_CLICK % second)
    page.wait_for(f"{TRAILS}.filter((length) => length > 1).length === 2", "two trails")
    until(lambda: sorted(page.run(SELECTED)) == sorted((first, second)), "both selected in the list")
    # The map's place may stand in the address between them.
    until(lambda: page.run(CHOSEN) == [second, first], "both in the address")
    # The newest one has the details, and the other is a click away.
    page.wait_for("return document.querySelectorAll('.others button').length === 1", "the other one")
    until(lambda: _a_third_is_selected(page), "a third one")
    page.wait_for(f"{TRAILS}.filter((length) => length > 1).length === 3", "three trails")
    place = page.wait_for(
        "return /also=[0-9a-f]+,[0-9a-f]+/.test(location.hash) && location.hash", "all three in the address"
    )
    page.open_map(sky, f"/{place}")
    page.wait_for("return document.querySelectorAll('.others button').length === 2", "three, from the address")
    page.run("[...document.querySelectorAll('.others button')].at(-1).click()")
    page.wait_for(f"return location.hash.includes('hex={first}&')", "the details of the first")
    page.click(f"#row-{second}")
    page.wait_for("return document.querySelector('.others') === null", "one alone")
    page.wait_for(f"{TRAILS}.length === 1", "its trail alone")


def test_columns_are_put_in_an_order_with_the_keyboard(page, sky):
    page.size(1440, 900)
    page.open_map(sky)
    assert page.run(HEADS) == ["Callsign", "Type", "Alt.", "Speed", "Dist."]
    page.run("document.querySelectorAll('.list-head .tool')[1].click()")
    page.wait_for_element(".chooser")
    page.run("document.querySelector('[data-column=gs] [data-step=\"-1\"]').focus()")
    page.keys(ENTER)
    page.wait_for(
        "return document.querySelector('.visually-hidden[role=status]').textContent.includes('3')", "its place"
    )
    # The focus stays on the button, so that it can be pressed again.
    page.keys(ENTER)
    page.wait_for(f"return (() => {{ {HEADS} }})().join() === 'Callsign,Speed,Type,Alt.,Dist.'", "the new order")
    page.open_map(sky)
    assert page.run(HEADS) == ["Callsign", "Speed", "Type", "Alt.", "Dist."]
    assert page.wait_for(LIVE, "aircraft")
