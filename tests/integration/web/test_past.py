"""What was, in a real browser: a flight of yesterday, the replay and its address, heat map, coverage, an encounter."""

from __future__ import annotations

import os
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from skywatch.core import geo
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.models import Chunk
from skywatch.history.storage.codec import decode, encode
from skywatch.receivers.reports.report import SOURCE_INDEX
from tests.axe import faults_of, too_wide
from tests.integration.web.encounters import CALLSIGNS, CLOSEST_NM, PAIR, VERTICAL_FT, import_encounter
from tests.integration.web.pages import House
from tests.waiting import until

# The values of a drawn curve: its pixels read against the numbers at its own axis.
CURVE = """
const group = document.querySelector('sw-encounter .curve[data-quantity=' + JSON.stringify('%s') + ']');
const read = (one) => [Number(one.textContent.replace(/[^0-9.]/g, '')), one.y.baseVal[0].value - 3.5];
const ticks = [...group.querySelectorAll('.tick')].map(read);
const [[low, bottom], , [high, top]] = ticks;
const value = (y) => low + (bottom - y) / (bottom - top) * (high - low);
const course = group.querySelector('.course').getAttribute('d');
const points = course.match(/[-\\d.]+,[-\\d.]+/g).map((pair) => pair.split(',').map(Number));
const mark = group.querySelector('circle.closest');
return {
  points: points.map(([x, y]) => [x, value(y)]),
  closest: [mark.cx.baseVal.value, value(mark.cy.baseVal.value)],
  figure: group.querySelector('.figure').textContent,
};
"""
TABLE = """
return [...document.querySelectorAll('.encounter-table tbody tr')].map((row) => [Number(row.dataset.at),
  ...[...row.querySelectorAll('.number')].map((cell) => Number(cell.textContent.replace(/,/g, '')))]);
"""
# Play each replay at its slowest: at the speed of the page ten minutes are over in ten seconds.
SLOW = """
new MutationObserver((_, watching) => {
  if (!document.querySelector('.player')) return;
  watching.disconnect();
  for (let step = 0; step < 8; step += 1) document.dispatchEvent(new KeyboardEvent('keydown', { key: ',' }));
}).observe(document, { childList: true, subtree: true });
"""
PLAYED = "return new URLSearchParams(location.hash.split('?')[1] ?? '').get('t')"
OF_YESTERDAY = """
const flights = [...document.querySelectorAll('sw-history .card-button')];
return flights.length > 0 && flights.every((one) => one.innerText.includes('yesterday'));
"""
WIDTHS = (320, 390, 820, 1440, 2560)
# What scripts place follows the width of the screen a frame later.
TWO_FRAMES = "requestAnimationFrame(() => requestAnimationFrame(arguments[arguments.length - 1]))"
# Every page is looked at in both themes and at all widths; ``make drill NAME=widths`` opens it for each pair of them.
IS_DRILL = bool(os.environ.get("SKYWATCH_WIDTHS"))
OPENED_AT = dict.fromkeys(("dark", "light"), WIDTHS) if IS_DRILL else {"dark": WIDTHS[:1], "light": WIDTHS[3:4]}
# By day `test_pages` looks at all pages in both themes, though with little on them.
OTHER_THEME = pytest.mark.nightly("the same pages in the other theme")


@pytest.fixture(scope="module")
def past(built, tmp_path_factory):
    """A service with an encounter of an hour ago, the time of its closest point, and nothing live."""
    folder = tmp_path_factory.mktemp("past")
    running = House(folder, station_lat=47.45, station_lon=8.56)
    running.init()
    at = import_encounter(tmp_path_factory.mktemp("pair"), running.database_url)
    hear_at_the_station(running.database_url)
    try:
        yield running.start(), at
    finally:
        running.stop()


def hear_at_the_station(database_url):
    """What was imported counts as heard elsewhere, and coverage is of what the station's antenna heard."""
    engine = create_engine(database_url)
    with writing(create_session_factory(engine)) as session:
        for chunk in session.scalars(sa.select(Chunk)):
            points = decode(chunk.data).copy()
            points["source"] = 1 + SOURCE_INDEX["adsb_icao"]
            chunk.data = encode(points)
    engine.dispose()


def track(running, address, at):
    """The points of the API, as (unix seconds, latitude, longitude, altitude)."""
    times = [f"{datetime.fromtimestamp(at + shift).astimezone():%Y-%m-%dT%H:%M:%S%z}" for shift in (-300, 300)]
    query = f"from={times[0].replace('+', '%2B')}&to={times[1].replace('+', '%2B')}"
    points = running.get(f"/api/v1/history/tracks/{address}?{query}")["points"]
    return [(datetime.fromisoformat(p["at"]).timestamp(), p["lat"], p["lon"], p["altitude_ft"]) for p in points]


def place_at(points, at):
    before = max((p for p in points if p[0] <= at), key=lambda p: p[0])
    after = min((p for p in points if p[0] >= at), key=lambda p: p[0])
    share = (at - before[0]) / ((after[0] - before[0]) or 1)
    return [a + (b - a) * share for a, b in zip(before[1:], after[1:], strict=True)]


def test_the_drawn_numbers_of_an_encounter_are_those_of_the_api(page, past):
    running, at = past
    page.size(1440, 900)
    page.visit(running, "/#/safety")
    page.wait_for_element("sw-safety .card")
    [event] = running.get("/api/v1/safety/events")["events"]
    sentence = page.text_of("sw-safety .sentence")
    assert sentence.startswith(f"{CALLSIGNS[0]} and {CALLSIGNS[1]} came within 0.40"), sentence
    assert event["message"].startswith(f"{CALLSIGNS[0]} and {CALLSIGNS[1]} came within 0.40 nm")
    page.click("sw-safety .card [aria-expanded]")
    page.wait_for_element("sw-encounter .encounter-chart")
    assert f"event={event['id']}" in page.run("return location.hash")
    page.wait_for("return document.querySelector('sw-map')?.stage.trails.length === 2", "both tracks")
    one, two = (track(running, address, at) for address in PAIR)
    page.run("document.querySelector('sw-encounter details').open = true")
    table = page.run(TABLE)
    assert len(table) > 10
    for moment, nm, feet in table:
        a, b = place_at(one, moment), place_at(two, moment)
        assert nm == pytest.approx(geo.distance_nm(a[0], a[1], b[0], b[1]), abs=0.012)
        assert feet == pytest.approx(abs(a[2] - b[2]), abs=1)
    distance, height = page.run(CURVE % "distance"), page.run(CURVE % "altitude")
    first, last = distance["points"][0], distance["points"][-1]
    for (x, nm), (_, feet) in zip(distance["points"], height["points"], strict=True):
        moment = at - 85 + (x - first[0]) / (last[0] - first[0]) * 165
        a, b = place_at(one, moment), place_at(two, moment)
        assert nm == pytest.approx(geo.distance_nm(a[0], a[1], b[0], b[1]), abs=0.15)
        assert feet == pytest.approx(VERTICAL_FT, abs=30)
    closest = event["closest"]
    assert distance["closest"][1] == pytest.approx(closest["distance_nm"], abs=0.03)
    assert height["closest"][1] == pytest.approx(closest["vertical_ft"], abs=30)
    assert distance["figure"].startswith(f"{CLOSEST_NM:.2f}"[:3])
    assert min(nm for _, nm in distance["points"]) == pytest.approx(closest["distance_nm"], abs=0.03)


def test_an_event_opens_by_its_address_and_leads_to_its_replay(page, past):
    running, at = past
    [event] = running.get("/api/v1/safety/events")["events"]
    page.before_scripts(SLOW)
    page.size(1440, 900)
    page.visit(running, f"/#/safety?event={event['id']}&severity=info")
    page.wait_for_element("sw-encounter .encounter-chart")
    page.run(
        "[...document.querySelectorAll('sw-safety .actions a')].find((one) => one.hash.includes('replay')).click()"
    )
    page.wait_for_element("sw-history-replay .player")
    page.wait_for("return document.querySelector('sw-map')?.stage.trails.length === 2", "both tracks")
    page.wait_for("return document.querySelector('sw-map')?.stage.picture.count === 2", "both aircraft")
    begun = page.wait_for(PLAYED, "the time in the address")
    assert abs(datetime.fromisoformat(begun).timestamp() - at) < 300


def test_a_replay_begins_with_the_first_aircraft_and_goes_on_after_a_reload(page, past):
    running, at = past
    page.before_scripts(SLOW)
    page.size(1440, 900)
    begin = f"{datetime.fromtimestamp(at - 3600).astimezone().isoformat()}".replace("+", "%2B")
    page.visit(running, f"/#/history?tab=replay&begin={begin}&minutes=180")
    page.wait_for_element("sw-history-replay .player")
    counts = page.run("return [...document.querySelectorAll('.density rect')].map((one) => Number(one.dataset.count))")
    assert len(counts) == 96
    assert max(counts) == 2
    assert counts[0] == counts[-1] == 0
    page.wait_for("return document.querySelector('sw-map')?.stage.picture.count === 2", "never an empty sky")
    first = datetime.fromisoformat(page.wait_for(PLAYED, "the time")).timestamp()
    assert at - 301 <= first <= at
    page.keys("k")
    page.wait_for("return document.querySelector('.player .tool').getAttribute('aria-label') === 'Play'", "the pause")
    page.keys("l")
    page.keys("l")

    def is_later():
        # Pictures that have not come in yet are gone to when they have.
        now = datetime.fromisoformat(page.run(PLAYED)).timestamp()
        return now if now > first + 60 else None

    later = until(is_later, "a time a minute and more later")
    page.visit(running, f"/{page.run('return location.hash')}")
    page.wait_for_element("sw-history-replay .player")
    resumed = page.wait_for(PLAYED, "the time")
    assert later - 1 <= datetime.fromisoformat(resumed).timestamp() < later + 250


def test_a_span_without_data_says_so(page, past):
    page.size(820, 900)
    page.visit(past[0], "/#/history?tab=replay&begin=2020-01-01T00:00:00Z&minutes=60")
    until(lambda: "Nothing was recorded" in page.text_of("sw-history-replay [role=status]"), "the answer")
    assert page.run("return document.querySelector('.player')") is None


def test_a_flight_of_yesterday_is_found_and_replayed_in_three_clicks(page, house):
    page.size(390, 844)
    page.sign_in(house, "analyst", "/#/history")
    page.wait_for_element("sw-history .days button")
    page.run("document.querySelectorAll('sw-history .days button')[2].click()")
    day = (datetime.now().astimezone() - timedelta(days=1)).date().isoformat()
    page.wait_for(f"return location.hash.includes('day={day}')", "the day in the address")
    # Until its flights are here, those of all days are still listed: the aircraft in the sky, some without a track.
    page.wait_for(OF_YESTERDAY, "the flights of yesterday")
    page.run("document.querySelector('sw-history .card-button').click()")
    page.wait_for("return location.hash.includes('flight=')", "the flight in the address")
    page.wait_for_element("sw-history .exports a")
    assert page.run(OF_YESTERDAY)
    page.run("document.querySelector('sw-history .exports a').click()")
    page.wait_for_element("sw-history-replay .player")
    page.wait_for("return document.querySelector('sw-map').stage.trails.length === 1", "its track")
    page.wait_for("return document.querySelector('sw-map').stage.picture.count > 0", "an aircraft")


def test_heat_map_and_coverage_have_legends_and_keep_to_the_altitudes(page, past):
    running, _ = past
    page.size(1440, 900)
    page.visit(running, "/#/history?tab=heatmap")
    page.wait_for("return document.querySelectorAll('.heat-legend text').length > 0", "the legend of the heat map")
    page.run("location.hash = '#/history?tab=coverage'")
    page.wait_for("return document.querySelectorAll('.bands tbody tr').length === 1", "the one band of both")
    page.run("location.hash = '#/history?tab=coverage&low=20000'")
    page.wait_for("return document.querySelector('.bands') === null", "no band above")
    # While it is read, there is no band either.
    until(lambda: "Nothing" in page.text_of("sw-history-density [role=status]"), "the answer")


@pytest.mark.parametrize("theme", ["dark", pytest.param("light", marks=OTHER_THEME)])
def test_pages_of_the_past_are_fit_for_everybody_at_every_width(page, past, theme):
    running, at = past
    page.media(prefers_color_scheme=theme)
    [event] = running.get("/api/v1/safety/events")["events"]
    begin = f"{datetime.fromtimestamp(at - 600).astimezone().isoformat()}".replace("+", "%2B")
    places = {
        f"safety?event={event['id']}": ".encounter-chart",
        f"history?tab=replay&begin={begin}&minutes=60": ".player",
        "history?tab=heatmap": ".heat-legend",
        "history?tab=coverage": ".bands",
        "history": ".card-button",
    }
    faults = {}
    for place, mark in places.items():
        for width in OPENED_AT[theme]:
            page.size(width, 900)
            page.visit(running, f"/#/{place}")
            page.wait_for_element(mark)
            faults[f"{place} at {width}"] = faults_of(page)
        for width in set(WIDTHS) - set(OPENED_AT[theme]):
            page.size(width, 900)
            page.run_async(TWO_FRAMES)
            faults[f"{place} changed to {width}"] = too_wide(page)
    assert [(place, found) for place, found in faults.items() if found] == []
    assert len(faults) == len(places) * len(WIDTHS)
