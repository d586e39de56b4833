"""What an import believes is what the live picture would: one impossible position changes no flight."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.history.models import Flight
from skywatch.picture.positions.past_plausibility import implausible
from tests.unit.history.imports.imports import BEGIN, entry, run, state, states, trace
from tests.unit.picture.reports import Clock, picture_at, snapshot

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=["test_another_short_track_among_many_is_left_out", "test_traces_and_state_vectors_are_judged_alike"],
)

KNOTS_5_S = 300 * 5 / 3600 / 60  # degrees of latitude in 5 s at 300 kt


def sbs(places, step_s=5):
    """BaseStation lines of one aircraft, a place every ``step_s``."""
    lines = []
    for number, (lat, lon) in enumerate(places):
        at = datetime.fromtimestamp(BEGIN + step_s * number, UTC).strftime("%Y/%m/%d,%H:%M:%S.000")
        lines.append(f"MSG,3,1,1,4B1620,1,{at},{at},,30000,,,{lat},{lon},,,,,,")
    return "\n".join([*lines, ""])


def line_of(count, lat=47.0, lon=8.0):
    return [(round(lat + KNOTS_5_S * number, 5), lon) for number in range(count)]


@pytest.fixture
def imported(database_url, make_settings, tmp_path):
    engine = create_engine(database_url)
    sessions = create_session_factory(engine)

    def import_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        outcome = run(sessions, make_settings(), path)
        with sessions() as session:
            return outcome, list(session.scalars(sa.select(Flight).order_by(Flight.first_seen_at)))

    yield import_file
    engine.dispose()


@pytest.mark.parametrize("place", range(0, 20, 3))
def test_one_impossible_position_is_left_out_and_counted(imported, place):
    places = line_of(20)
    places[place] = (12.0, -60.0)
    outcome, (flight,) = imported("one.sbs", sbs(places))
    assert outcome.skipped == {"position_jump": 1}
    assert (outcome.positions, flight.positions) == (19, 19)
    assert flight.distance_nm == pytest.approx(60 * KNOTS_5_S * 19, abs=60 * KNOTS_5_S + 0.1)
    assert min(flight.first_lat, flight.last_lat) > 46.9


def test_traces_and_state_vectors_are_judged_alike(imported):
    entries = [entry(20 * n, lat=47 + n / 100) for n in range(20)]
    entries[7] = entry(140, lat=-12.0, lon=-60.0)
    outcome, _ = imported("trace_full_4b1620.json", __import__("json").dumps(trace(*entries)))
    assert outcome.skipped["position_jump"] == 1
    lines = states(20).decode().splitlines()
    lines[8] = state(BEGIN + 70, icao="4b1621", lat="-12.0", lon="-60.0")
    lines = [line.replace("4b1620", "4b1621") for line in lines]
    outcome, _ = imported("states.csv", "\n".join([*lines, ""]))
    assert outcome.skipped["position_jump"] == 1


def test_a_place_that_goes_on_is_believed_as_live(imported):
    """Whoever really is elsewhere says so more often than CONFIRMATIONS."""
    outcome, (flight,) = imported("two.sbs", sbs([*line_of(10), *line_of(10, 52.0)]))
    assert outcome.skipped == {}
    assert flight.positions == 20
    # It was not flown to: one of the two places is wrong.
    assert flight.distance_nm < 20.0


def test_another_short_track_among_many_is_left_out(imported):
    outcome, (flight,) = imported("three.sbs", sbs([*line_of(10), *line_of(3, 52.0), *line_of(30)[13:]]))
    assert outcome.skipped == {"position_jump": 3}
    assert flight.last_lat < 47.3


def columns(*rows):
    """Columns of (at, lat, lon, gs, on the ground, MLAT)."""
    at, lat, lon, gs, ground, mlat = np.array(rows, "f8").T
    return at, lat, lon, gs, ground > 0, mlat > 0


def test_what_the_picture_believes_is_believed():
    nan = float("nan")
    cases = {
        "MLAT scatters": columns(*((10 * n, 47 + 0.02 * (n % 2), 8, nan, 0, 1) for n in range(10))),
        "a landing with a gap": columns(
            *((20 * n, 47 + n * 0.012, 8, 140, 0, 0) for n in range(5)),
            (180, 47.14, 8, 20, 1, 0),
            (200, 47.14, 8, 5, 1, 0),
        ),
        "hours without a position": columns(
            (0, 47, 8, 450, 0, 0), (5400, 56, 20, 450, 0, 0), (5500, 56.2, 20, 450, 0, 0)
        ),
        "braking": columns((0, 47, 8, 450, 0, 0), (100, 47.15, 8, 200, 0, 0), (110, 47.16, 8, 190, 0, 0)),
        "a program that repeats the last place": columns(
            (0, 42.448, -84.134, 366, 0, 0), (14, 42.448, -84.134, 366, 0, 0), (16, 42.437, -84.167, 367, 0, 0)
        ),
        "one alone": columns((0, 47, 8, 450, 0, 0)),
    }
    for name, case in cases.items():
        assert not implausible(*case).any(), name


def test_the_picture_refuses_what_an_import_leaves_out():
    """The rule is the live one: of the same flight both leave out the same."""
    places = line_of(12)
    places[6] = (12.0, -60.0)
    clock = Clock()
    picture = picture_at(clock, station=None)
    believed = []
    for lat, lon in places:
        picture.put("roof", [snapshot("4b1620", clock.time(), lat=lat, lon=lon)], 1, 1)
        aircraft = picture.tick().aircraft("4b1620")
        believed.append((aircraft["lat"], aircraft["lon"]) == (round(lat, 6), round(lon, 6)))
        clock.advance(5)
    rows = columns(*((5 * number, lat, lon, np.nan, 0, 0) for number, (lat, lon) in enumerate(places)))
    assert believed == (~implausible(*rows)).tolist()


def test_long_tracks_without_a_contradiction_cost_no_loop():
    count = 200_000
    at = np.arange(count) * 1.0
    lat = 47 + at * 1e-5
    whole = np.zeros(count, bool)
    dropped = implausible(at, lat, np.full(count, 8.0), np.full(count, 100.0), whole, whole)
    assert not dropped.any()
