"""A user's walk: see how a receiver and a feeder receive, against their own 30 days, and who hears an aircraft."""

from __future__ import annotations

from datetime import timedelta

import httpx
import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.reception.measurement.codec import pack_detail, pack_summary
from skywatch.reception.measurement.hour import Hour
from skywatch.reception.measurement.writer import DETAIL_FOR
from skywatch.reception.models import ReceiverQuality
from tests.axe import faults_of
from tests.integration.web.stage import Stage
from tests.waiting import until

PLACE = (47.45, 8.56)
HOURS = 30 * 24


def measured(distance_nm):
    """An hour of 600 messages a minute, with all aircraft so far away."""
    hour = Hour(PLACE)
    for second in range(0, 3600, 60):
        minute = hour.minutes[second // 60]
        minute["seconds"], minute["samples"], minute["aircraft"] = 60, 6, 24
        minute["messages"], minute["positions"] = 600, 120
        hour.count_signals(second, np.array([-20.0, -2.0]))
        hour.note_ranges(second, np.arange(36) * 10.0, np.full(36, distance_nm))
    return hour


def past(feeder):
    """30 days of the service's own receiver and of a feeder as they are stored, every hour like the other."""
    hour = measured(120.0)
    summary, detail = pack_summary(hour), pack_detail(hour)
    present = utcnow().replace(minute=0, second=0, microsecond=0)
    for ago in range(1, HOURS):
        at, minutes = present - timedelta(hours=ago), detail if timedelta(hours=ago) <= DETAIL_FOR else None
        for receiver, number in (("demo", None), (f"feeder-{feeder}", feeder)):
            yield {"receiver": receiver, "at": at, "feeder_id": number, "summary": summary, "detail": minutes}


@pytest.fixture(scope="module")
def stage(shared_page, tmp_path_factory):
    # What is received meanwhile is nearer than the past: the greatest distances stay those that were stored.
    near = "simulate aircraft=40 radius_nm=100"
    made = Stage.begin(tmp_path_factory.mktemp("reception"), shared_page, ("admin", "viewer"), receiver__demo=near)
    feeder = made.api("admin").post("/feeders/", json={"name": "Attic", "lat": 47.4, "lon": 8.5}).json()
    engine = create_engine(made.service.database_url)
    with writing(create_session_factory(engine)) as db:
        db.execute(sa.insert(ReceiverQuality), list(past(feeder["id"])))
        made.filled_up_to = db.scalar(sa.select(sa.func.max(ReceiverQuality.at)))
    engine.dispose()
    yield made
    made.end()


def cells(stage, of):
    """The rows of the table below a drawing."""
    return stage.page.run(
        f"return [...document.querySelectorAll('table[data-of=\"{of}\"] tbody tr')]"
        ".map(row => [...row.cells].map(cell => cell.textContent.replaceAll('\\u00a0', ' ')))"
    )


def test_the_page_shows_what_the_service_has_measured(stage):
    # Where an hour began since the past was stored, there is something of now once the service has measured a minute.
    quality = "/system/receivers/demo/quality"
    until(lambda: any(sector["now_nm"] for sector in stage.api("admin").get(quality).json()["range"]), wait_s=120)
    stage.sign_in("admin")
    before = stage.api("admin").get(quality).json()
    stage.go("reception/demo")
    stage.shows("document.querySelector('sw-reception .polar') !== null")
    assert stage.faults() == []
    answer = stage.api("admin").get(quality).json()
    shown = cells(stage, "range")
    assert [row[0] for row in shown] == [f"{sector['bearing']}°" for sector in answer["range"]]
    assert {row[2] for row in shown} == {"120 nm"}
    # Sectors may be added after the page has read them, and those of an hour that has ended may be gone.
    now = [
        any(sector["now_nm"] is not None for sector in read)
        for read in zip(before["range"], answer["range"], strict=True)
    ]
    assert any(row[3] != "–" for row in shown)
    assert all(is_heard for row, is_heard in zip(shown, now, strict=True) if row[3] != "–")
    hours = cells(stage, "quality.day")
    assert 22 <= len(hours) <= 26
    assert hours[3][1:4] == ["10", "2.0", "4.0"]
    assert len(cells(stage, "quality.month")) in (30, 31)
    assert "connected" in stage.text(".reception-facts")
    points = "document.querySelector('[data-span=\"quality.day\"] [data-figure=messages_s]').dataset.points"
    assert int(stage.page.run(f"return {points}")) > 1000


def test_the_page_of_a_feeder_has_the_same_charts(stage):
    stage.sign_in("admin")
    stage.go("feeders")
    stage.press("Attic")
    stage.shows("document.querySelector('sw-feeder sw-reception-charts .polar') !== null")
    assert cells(stage, "range")[0][:3] == ["0°", "120 nm", "120 nm"]
    assert stage.faults() == []


def test_a_viewer_sees_cells_alone_of_a_feeder_whose_place_is_coarse(stage):
    stage.sign_in("viewer")
    stage.go("reception/feeder-1")
    stage.shows("Number(document.querySelector('sw-reception-charts [data-cells]')?.dataset.cells) > 50")
    assert "not public" in stage.text("sw-reception-charts")
    assert stage.page.run("return document.querySelector('sw-reception-charts svg')") is None
    stage.go("reception/demo")
    stage.shows("document.querySelector('sw-reception .polar') !== null")


def test_it_fits_a_phone_in_the_dark_theme(stage):
    def look():
        stage.go("reception/demo")
        stage.shows("document.querySelector('sw-reception .polar') !== null")
        stage.page.run("for (const one of document.querySelectorAll('details')) one.open = true")
        assert faults_of(stage.page) == []

    stage.sign_in("admin")
    stage.on_a_phone(look)


def test_the_panel_of_an_aircraft_says_who_hears_it(stage):
    client: httpx.Client = stage.api("admin")
    address = until(lambda: client.get("/aircraft", params={"limit": 1}).json()["aircraft"])[0]["hex"]
    stage.sign_in("admin")
    stage.go(f"map?hex={address}")
    stage.shows("document.querySelector('.panel-heard-by b')?.textContent === 'demo'")
    assert "dBFS" in stage.text(".panel-heard-by")


def test_the_service_stores_what_it_measures(stage):
    """What its own receiver delivers, every minute."""
    stage.page.open("about:blank")
    engine = create_engine(stage.service.database_url)
    measured_now = sa.select(ReceiverQuality.at).where(
        ReceiverQuality.receiver == "demo", ReceiverQuality.at > stage.filled_up_to
    )

    def is_stored():
        with engine.connect() as connection:
            return connection.execute(measured_now).first()

    until(is_stored, "an hour that was measured", wait_s=120, every_s=1.0)
    engine.dispose()
