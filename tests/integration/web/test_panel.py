"""The panel of the selected aircraft: who it is, its figures, its photo, and what the map shows next to it."""

from __future__ import annotations

import pytest

from tests.axe import faults_of
from tests.integration.web.pages import IN_ORDER, ROWS
from tests.integration.web.photos import photo_source
from tests.waiting import until

TEXT = "return document.querySelector('%s')?.innerText.trim() ?? ''"
HEX = "return new URLSearchParams(location.hash.split('?')[1]).get('hex')"
COUNT = "return document.querySelector('sw-map').stage.picture.count"
AT_REST = "return !document.querySelector('sw-map').map.getView().getAnimating()"
# Where the selected aircraft is drawn, and the box of the panel, in pixels of the page.
PLACES = """
const { picture, view } = document.querySelector('sw-map').stage;
const row = picture.selectedRow, map = document.querySelector('.map-target').getBoundingClientRect();
if (row < 0 || !view) return null;
const panel = document.querySelector('.panel').getBoundingClientRect();
return [
  map.left + (picture.data[row * 12] - view.x) / view.resolution + view.width / 2,
  map.top + view.height / 2 - (picture.data[row * 12 + 2] - view.y) / view.resolution,
  panel.left, panel.top, panel.right, panel.bottom, map.left, map.top, map.right, map.bottom,
];
"""
# Move the map at once so that an aircraft is drawn so far from its upper left corner.
PUT = """
const map = document.querySelector('sw-map'), view = map.map.getView(), { picture } = map.stage;
const { data, selectedRow: row } = picture, [width, height] = map.map.getSize(), resolution = view.getResolution();
view.setCenter([data[row * 12] - (%s - width / 2) * resolution, data[row * 12 + 2] + (%s - height / 2) * resolution]);
"""
CRUISE_FT = 20_000
# Who is heard gives a position each second; it takes a busy service so long to have missed ten.
HEARD_S = 10.0
# The operators of simulated airliners by their callsigns, and the States of their aircraft as browsers name them.
OPERATORS = {
    "SWR": "SWISS", "DLH": "Lufthansa", "EZY": "easyJet", "RYR": "Ryanair", "BAW": "British Airways", "KLM": "KLM",
    "AFR": "Air France", "AUA": "Austrian Airlines", "IBE": "Iberia", "SAS": "Scandinavian Airlines",
    "THY": "Turkish Airlines", "WZZ": "Wizz Air", "UAE": "Emirates", "UAL": "United Airlines", "DAL": "Delta Air Lines",
    "AAL": "American Airlines",
}  # fmt: skip
STATES = {
    "Switzerland", "Germany", "United Kingdom", "Ireland", "Netherlands", "France", "Austria", "Spain", "Sweden",
    "Türkiye", "Turkey", "Hungary", "United Arab Emirates", "United States",
}  # fmt: skip


def select(page, hexa):
    page.run(f"location.hash = '#/map?hex={hexa}'")
    page.wait_for(
        f"return document.querySelector('.panel h2') && ({HEX.removeprefix('return ')}) === '{hexa}'", "its panel"
    )


def airliner(sky):
    """An airliner in cruise whose operator we know by its callsign: its address, callsign and operator.

    It is heard by ADS-B: MLAT tells less of an aircraft, and fewer parts of the panel are there. And it is heard now:
    who was there before a restart of the service, or has left, goes while the test looks at it.
    """

    def find():
        known = []
        for hexa, one in sky.aircraft().items():
            flight = (one.get("flight") or "").strip()
            altitude = one.get("alt_baro")
            in_cruise = isinstance(altitude, int) and altitude >= CRUISE_FT
            is_heard = one["type"] == "adsb_icao" and one.get("seen_pos", HEARD_S) < HEARD_S
            if flight[:3] in OPERATORS and is_heard and in_cruise and one.get("t"):
                known.append((one["distance_nm"], hexa, flight, OPERATORS[flight[:3]]))
        # The nearest one stays for a while: it neither lands nor leaves.
        return min(known)[1:] if known else None

    return until(find, "an airliner")


def is_uncovered(places):
    x, y, left, top, right, bottom, map_left, map_top, map_right, map_bottom = places
    in_map = map_left <= x <= map_right and map_top <= y <= map_bottom
    return in_map and not (left <= x <= right and top <= y <= bottom)


def test_the_panel_says_who_it_is_in_words(page, sky):
    page.size(1440, 900)
    page.open_map(sky)
    hexa, flight, operator = airliner(sky)
    select(page, hexa)
    page.wait_for("return document.querySelector('.panel h2 .flag')?.naturalWidth > 0", "the flag")
    flag = page.run("const one = document.querySelector('.panel h2 .flag'); return [one.alt, one.src]")
    assert flag[0] in STATES
    until(lambda: page.run(TEXT % ".panel h2") == flight, "its callsign")
    page.wait_for(f"return (() => {{{TEXT % '.panel .operator'}}})() === '{operator}'", "the operator")
    until(lambda: page.run(TEXT % ".panel .type").startswith(("Airbus", "Boeing", "Embraer")), "its type")
    names = [name for name, _ in page.fetched() if "/flags-" in name]
    assert len(set(names)) == 1, "only the flag that is shown is fetched"
    titles = "return [...document.querySelectorAll('.panel .figures span')].map((one) => one.textContent)"
    expected = ["Altitude", "Speed", "Track", "Distance", "Squawk", "Last message"]
    until(lambda: page.run(titles) == expected, "its figures")
    assert faults_of(page) == []


def test_an_address_of_no_state_has_no_flag(page, sky):
    page.open_map(sky)
    page.run("location.hash = '#/map?hex=~abcdef'")
    page.wait_for_element(".panel h2")
    assert page.run("return document.querySelector('.panel .flag')") is None


def test_a_flag_is_a_column_of_the_list(page, sky):
    page.size(1440, 900)
    page.visit(sky, "/api/v1/auth/config")
    page.run("localStorage.setItem('skywatch.preferences', JSON.stringify({columns: ['flag', 'flight']}))")
    page.open_map(sky)
    page.wait_for("return document.querySelectorAll('.window .row .flag').length > 5", "flags in the list")
    page.run("document.querySelector('.row.header button').click()")
    page.wait_for("return document.querySelector('.row.header [aria-sort=ascending]') !== null", "the order by State")

    def are_sorted():
        rows = [row.removeprefix("row-") for row in page.run(ROWS)]
        return rows == sorted(rows)

    until(are_sorted, "aircraft of a State next to each other")


def test_what_engineers_read_is_folded_and_stays_as_it_was_left(page, sky):
    page.size(1440, 900)
    page.open_map(sky)
    hexa, _, _ = airliner(sky)
    select(page, hexa)
    page.wait_for("return document.querySelectorAll('.panel details').length > 1", "groups of facts")
    assert page.run("return document.querySelector('.panel details[open]')") is None
    page.run("[...document.querySelectorAll('.panel details')].at(-1).querySelector('summary').click()")
    page.wait_for("return document.querySelector('.panel details[open] dd') !== null", "the facts")
    page.open_map(sky, f"/#/map?hex={hexa}")

    def is_as_it_was_left():
        opened = page.run("return [...document.querySelectorAll('.panel details')].map((one) => one.open)")
        return len(opened) > 1 and opened == [False] * (len(opened) - 1) + [True]

    until(is_as_it_was_left, "the last group of facts alone open")


@pytest.mark.parametrize(
    ("width", "height"),
    [(1440, 900), (390, 780), pytest.param(820, 1100, marks=pytest.mark.nightly("a width between the two"))],
)
def test_an_aircraft_is_never_under_its_own_panel(page_with_webgl, sky, width, height):
    page = page_with_webgl
    page.media(prefers_reduced_motion="reduce")
    page.size(width, height)
    page.open_map(sky)
    hexa, _, _ = airliner(sky)
    select(page, hexa)
    page.wait_for(f"return (() => {{{PLACES}}})() !== null", "the aircraft on the map")
    # Where the panel will be: next to the left edge on a desk, above the lower edge on a phone.
    put = PUT % ((150, 200) if width > 820 else (width // 2, height - 200))

    def is_put() -> bool:
        """Moves the view again: on a busy machine the map's own first view may come after ours."""
        page.run(put)
        return (places := page.run(PLACES)) and not is_uncovered(places)

    until(is_put, "the aircraft under its panel", every_s=0.2)
    page.run("document.querySelector('.panel button[aria-label=Close]').click()")
    page.wait_for("return document.querySelector('.panel') === null", "no panel")
    select_again = (
        f"location.hash = location.hash.replace(/[?&]hex=[^&]*/, '').replace(/^(#[^?]*)[?]?/, '$1?hex={hexa}&')"
    )
    page.run(select_again)
    page.wait_for_element(".panel .figures")
    until(lambda: (places := page.run(PLACES)) and is_uncovered(places), "the aircraft next to its panel")


# How many of the first points of the selected aircraft's track are outside of the map or under the panel.
OUTSIDE = """
const { trails, view } = document.querySelector('sw-map').stage;
const map = document.querySelector('.map-target').getBoundingClientRect();
const { left, right, top, bottom } = document.querySelector('.panel').getBoundingClientRect();
return trails[0].slice(0, %d).filter((point) => {
  const x = map.left + (point.x - view.x) / view.resolution + view.width / 2;
  const y = map.top + view.height / 2 - (point.y - view.y) / view.resolution;
  return x < map.left || x > map.right || y < map.top || y > map.bottom
    || (x > left && x < right && y > top && y < bottom);
}).length;
"""


def test_a_track_is_fitted_into_what_is_visible(page, sky):
    page.media(prefers_reduced_motion="reduce")
    for width, height in ((1440, 900), (390, 780)):
        page.size(width, height)
        page.open_map(sky)
        hexa, _, _ = airliner(sky)
        select(page, hexa)
        page.wait_for("return document.querySelector('sw-map').stage.trails[0]?.length > 2", "its trail")

        def is_fitted() -> bool:
            """Fits again: the panel grows when its photo and operator come, later on a busy machine."""
            # The aircraft flies on while the map moves.
            points = page.run("return document.querySelector('sw-map').stage.trails[0].length")
            page.click(".panel-tools [aria-label='Show the whole track']")
            page.wait_for(AT_REST, "the map at rest")
            # A panel that has grown since covers it until the next fit.
            places = page.run(PLACES)
            return bool(places) and is_uncovered(places) and page.run(OUTSIDE % points) == 0

        until(is_fitted, "every point of the track seen", every_s=0.5)


def test_the_selection_alone_on_the_map_and_from_one_aircraft_to_the_next(page, sky):
    page.media(prefers_reduced_motion="reduce")
    page.size(1440, 900)
    page.open_map(sky)
    page.wait_for(IN_ORDER, "the nearest ones")
    rows = [row.removeprefix("row-") for row in page.run(ROWS)]
    page.wait_for(f"return (() => {{{COUNT}}})() > 10", "aircraft on the map")
    page.click(f"#row-{rows[2]}")
    page.wait_for_element(".panel .figures")
    page.run("document.activeElement.blur()")
    page.keys("i")
    page.wait_for(f"return (() => {{{COUNT}}})() <= 1", "the selected one alone")
    page.wait_for("return location.hash.includes('only=1')", "the selection alone in the address")
    page.wait_for("return document.querySelector('.panel .alone').ariaPressed === 'true'", "the button pressed")
    page.keys("n")
    page.wait_for(f"return (() => {{{HEX}}})() !== '{rows[2]}'", "the next one")
    page.wait_for(f"return (() => {{{COUNT}}})() <= 1", "the next one alone")
    page.keys("i")
    page.wait_for(f"return (() => {{{COUNT}}})() > 10", "all of them again")
    second = page.run(HEX)
    page.keys("x")
    page.wait_for(f"return (() => {{{HEX}}})() !== '{second}'", "any other one")
    third = page.run(HEX)
    page.click(".panel-tools [aria-label='Previous aircraft in the list']")
    page.wait_for(f"return (() => {{{HEX}}})() !== '{third}'", "the one before")
    page.keys("i")
    page.wait_for("return location.hash.includes('only=1')", "the selection alone")
    page.click(".panel button[aria-label=Close]")
    page.wait_for("return !location.hash.includes('only')", "nothing selected, and all aircraft again")
    page.wait_for(f"return (() => {{{COUNT}}})() > 10", "all of them again")


def test_a_photo_is_asked_for_only_by_who_agreed(browser, service, tmp_path):
    running = service(auth_mode="public", photo_source="planespotters")
    running.start()
    with photo_source(tmp_path) as source:
        page = browser(*source.switches)
        page.size(390, 780)
        page.open_map(running)
        hexa, _, _ = airliner(running)
        select(page, hexa)
        page.wait_for_element(".photo-question")
        assert faults_of(page) == []
        page.run_async("const done = arguments[arguments.length - 1]; setTimeout(done, 1500)")
        assert source.asked == [], "nobody agreed yet"
        page.run("document.querySelector('.photo-question button').click()")
        page.wait_for("return document.querySelector('.photo img')?.naturalWidth > 0", "the photo")
        hosts = [host for host, _, _ in source.asked]
        assert hosts == ["api.planespotters.net", "t.plnspttrs.net"]
        assert source.asked[0][1] == f"/pub/photos/hex/{hexa.upper()}"
        # The source refuses whoever does not say where the page is from; no more than that is said.
        assert source.asked[0][2]["origin"] == f"http://127.0.0.1:{running.port}"
        assert all("referer" not in headers and "cookie" not in headers for _, _, headers in source.asked)
        assert page.run(TEXT % ".photo figcaption") == "© A. <b>Spotter</b> · Planespotters.net"
        assert page.run("return document.querySelector('.photo a').href") == source.photos[0]["link"]
        assert faults_of(page) == []
        # Once is enough; another aircraft without a photo, and a source that fails, are said in a line.
        source.photos = []
        other = next(one for one in running.aircraft() if one != hexa and not one.startswith("~"))
        select(page, other)
        page.shows(".photo-note", "Planespotters.net has no photo of this aircraft.")
        source.status = 500
        third = next(one for one in running.aircraft() if one not in (hexa, other) and not one.startswith("~"))
        select(page, third)
        page.shows(".photo-note", "The photo cannot be loaded: Planespotters.net does not answer.")
        count = len(source.asked)
        page.run("location.hash = '#/settings'")
        page.wait_for("return document.querySelector('#photos')?.checked === true", "the choice in the settings")
        page.click("#photos")
        page.run(f"location.hash = '#/map?hex={hexa}'")
        page.wait_for_element(".panel .figures")
        assert page.run("return document.querySelector('.photo, .photo-note, .photo-question')") is None
        assert len(source.asked) == count


def test_without_a_source_nothing_is_said_of_photos(page, sky):
    page.open_map(sky)
    hexa, _, _ = airliner(sky)
    select(page, hexa)
    page.wait_for_element(".panel .figures")
    assert page.run("return document.querySelector('sw-photo')") is None
    page.run("location.hash = '#/settings'")
    page.wait_for_element("sw-settings kbd")
    assert page.run("return document.querySelector('#photos')") is None


def test_the_installation_names_operators_of_its_own(page, service, tmp_path):
    names = tmp_path / "operators.csv"
    names.write_text("# the club\n" + "".join(f"{code},Club of {code}\n" for code in OPERATORS), encoding="utf-8")
    running = service(auth_mode="public", operator_names=str(names))
    running.start()
    page.size(1440, 900)
    page.open_map(running)
    hexa, flight, _ = airliner(running)
    select(page, hexa)
    page.wait_for(f"return (() => {{{TEXT % '.panel .operator'}}})() === 'Club of {flight[:3]}'", "the club's name")
