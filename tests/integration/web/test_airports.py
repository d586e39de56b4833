"""A user's walk: look for an airport, see its board, and let the board fill the window."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.airports.models import AirportApproach, Movement
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from tests.integration.web.stage import Stage


def rows():
    """An evening at Zurich."""
    now = utcnow()
    for number in range(12):
        arrives = number % 2 == 0
        yield {
            "airport": "LSZH", "kind": "landing" if arrives else "take_off", "runway": "14" if arrives else "28",
            "at": now - timedelta(minutes=4 * number + 3), "sure": 0.99, "icao_hex": f"4B16{number:02X}",
            "callsign": f"SWR{number + 10}", "registration": None, "aircraft_type": "A320", "flight_id": None,
            "from_or_to": "EGLL" if number % 3 else None, "military": False, "simulated": False,
        }  # fmt: skip


@pytest.fixture(scope="module")
def stage(shared_page, tmp_path_factory):
    # Simulated aircraft are far from the airports of the test, or one might land there meanwhile.
    made = Stage.begin(
        tmp_path_factory.mktemp("airports"), shared_page, ("viewer",), station_lat=30.0, station_lon=-40.0
    )
    engine = create_engine(made.service.database_url)
    with writing(create_session_factory(engine)) as db:
        db.execute(sa.insert(Movement), list(rows()))
        db.execute(
            sa.insert(AirportApproach),
            [
                {
                    "airport": "LSZH",
                    "at": utcnow(),
                    "icao_hex": "4B1600",
                    "seen": False,
                    "military": False,
                    "simulated": False,
                }
            ],
        )
    engine.dispose()
    yield made
    made.end()


def texts(stage, selector):
    return stage.page.run(f"return [...document.querySelectorAll({selector!r})].map(one => one.textContent.trim())")


def test_an_airport_is_found_by_name_and_its_board_is_shown(stage):
    stage.sign_in("viewer")
    stage.go("airports")
    stage.shows("document.querySelector('sw-airports input[name=q]') !== null")
    stage.pictures("airport-begin")
    stage.go("airports?q=zurich")
    stage.shows("document.querySelector('.airport-list a') !== null")
    stage.pictures("airport-list")
    assert "Zürich Airport" in texts(stage, ".airport-list a")[0]
    stage.page.run("document.querySelector('.airport-list a').click()")
    stage.shows("document.querySelectorAll('.airport-board tbody tr').length === 6")
    stage.pictures("airport-arrivals")
    assert stage.faults() == []
    assert any("there were more movements" in text for text in texts(stage, "sw-airports .hint"))
    assert [text.split()[0] for text in texts(stage, ".airport-runways li")] == ["14", "28"]
    stage.page.run("document.querySelectorAll('.airport-bar .segments button')[1].click()")
    stage.shows("document.querySelector('.airport-board tbody')?.textContent.includes('took off')")
    assert texts(stage, ".airport-board tbody tr td:nth-child(5)") == ["28"] * 6


def test_the_board_fills_the_window(stage):
    stage.sign_in("viewer")
    stage.go("airports/LSZH?wall=1")
    stage.shows("document.querySelector('.airport-wall .airport-board') !== null")
    stage.pictures("airport-wall")
    box = stage.page.run(
        "const b = document.querySelector('.airport-wall').getBoundingClientRect();"
        "return [b.left, b.top, b.width === innerWidth, b.height === innerHeight]"
    )
    assert box == [0, 0, True, True]


def test_the_board_on_the_wall_fits_a_phone_in_the_dark_theme(stage):
    def look():
        stage.go("airports/LSZH?wall=1")
        stage.shows("document.querySelector('.airport-wall .airport-board') !== null")
        wall = "document.querySelector('.airport-wall')"
        assert stage.page.run(f"return [{wall}.scrollWidth, {wall}.clientWidth]") == [390, 390]
        # Nothing of the application shines through, and nothing lies on it.
        top = "document.elementFromPoint(20, 820).closest('.airport-wall') !== null"
        assert stage.page.run(f"return {top}")
        assert stage.faults() == []
        stage.press("Back")
        stage.shows(f"{wall} === null")

    stage.sign_in("viewer")
    stage.on_a_phone(look)
