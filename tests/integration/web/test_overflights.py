"""A user's walk: who flew low over a geofence, the flights, and a report that is created, changed and deleted."""

from __future__ import annotations

import pytest
from numpy import cos, pi

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.picture.counted import record_real_sky
from tests.integration.web.stage import Stage
from tests.unit.overflights.drawn import Drawn, store
from tests.waiting import until

RING = [[7.9, 46.9], [8.1, 46.9], [8.14, 47.0], [8.1, 47.1], [8.0, 47.05], [7.9, 47.1], [7.9, 46.9]]
NAMES = {"name": "Village <b>& school</b>"}
FLIGHTS = 120


def flights():
    """Flights of the last days, most of them at noon."""
    now = utcnow().timestamp()
    for number in range(1, FLIGHTS + 1):
        begin = now - 86_400 * (number % 6) - 7_200 - 36_000 * (1 - cos(number * pi / FLIGHTS))
        points = [
            (round(begin + 20 * n, 2), 47.0, round(7.8 + 0.02 * n, 5), 1_500.0 + number, n == 0) for n in range(21)
        ]
        yield Drawn(number + 1_000_000, 0x4B0000 + number, points)


@pytest.fixture(scope="module")
def stage(shared_page, tmp_path_factory):
    made = Stage.begin(tmp_path_factory.mktemp("overflights"), shared_page, ("operator",))
    engine = create_engine(made.service.database_url)
    with writing(create_session_factory(engine)) as db:
        record_real_sky(db)
        store(db, list(flights()))
    engine.dispose()
    body = NAMES | {"geometry": {"type": "Polygon", "coordinates": [RING]}, "elevation_ft": 1_400}
    assert made.api("operator").post("/alerts/geofences/", json=body).is_success
    yield made
    made.end()


def fits(stage):
    """Whether nothing of the page is wider than it."""
    return stage.page.run(
        "const page = document.querySelector('.overflights');"
        "return document.documentElement.scrollWidth <= innerWidth && page.scrollWidth <= page.clientWidth + 1"
    )


def test_flights_over_a_geofence_are_shown_in_charts_and_in_a_list(stage):
    stage.sign_in("operator")
    stage.go("overflights")
    stage.shows("document.querySelectorAll('.overflight-list tbody tr').length === 50")
    stage.pictures("overflights-page", height=3_600)
    assert stage.faults() == []
    assert str(FLIGHTS) in stage.text(".overflight-head dl")
    assert stage.text(".overflights select[name=geofence]").strip() == NAMES["name"]
    assert stage.text(".overflight-types").split() == ["A320", "40", "C172", "40", "unknown", "40"]
    assert stage.page.run("return document.querySelector('.overflight-types rect').getBoundingClientRect().width") > 50
    stage.press("Older")
    stage.shows("location.hash.includes('offset=50')")
    stage.page.run("document.querySelector('.overflights input[name=over]').click()")
    stage.shows("document.querySelector('.overflight-head dl')?.innerText.includes('1,400\u00a0ft')")

    def look():
        stage.shows("document.querySelectorAll('.overflight-list tbody tr').length === 50")
        assert stage.faults() == []
        until(lambda: fits(stage), "a page as wide as a phone")

    stage.on_a_phone(look)


def test_a_report_is_created_changed_and_deleted(stage):
    stage.sign_in("operator")
    stage.go("overflights")
    stage.press("New report")
    stage.page.type(".overflight-reports input[name=name]", "Each <i>day</i>")
    stage.pictures("overflights-report", height=3_600)
    assert stage.faults() == []
    stage.press("Create the report")
    stage.shows("document.querySelector('.overflight-reports li b')?.textContent === 'Each <i>day</i>'")
    stage.pictures("overflights-reports", height=3_600)
    stage.press("Edit")
    stage.shows("document.querySelector('.overflight-reports input[name=name]')?.value === 'Each <i>day</i>'")
    stage.page.run("document.querySelector('.overflight-reports select[name=every]').value = 'week'")
    stage.press("Save")
    stage.shows("document.querySelector('.overflight-reports li small')?.textContent.includes('each week')")
    (report,) = stage.api("operator").get("/reports").json()["reports"]
    assert (report["every"], report["below_ft"], report["over"]) == ("week", 3_000, "sea")
    stage.on_a_phone(lambda: until(lambda: fits(stage), "a page as wide as a phone"))
    stage.page.run("window.confirm = () => true")
    stage.press("Delete")
    stage.shows("document.querySelector('.overflight-reports li') === null")


def test_the_elevation_of_a_geofence_is_changed_in_its_form(stage):
    stage.sign_in("operator")
    stage.go("alerts?tab=geofences&id=1")
    stage.shows("document.querySelector('sw-geofences input[name=elevation_ft]')?.value === '1400'")
    stage.pictures("overflights-geofence", height=3_600)
    stage.page.run(
        "const field = document.querySelector('sw-geofences input[name=elevation_ft]');"
        "field.value = ''; field.dispatchEvent(new Event('change'))"
    )
    stage.press("Save")
    stage.shows("document.querySelector('sw-geofences .cards') !== null")
    assert stage.api("operator").get("/alerts/geofences/1/").json()["elevation_ft"] is None
