"""Answers over the border of the archive are those of a database that kept everything."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta

import pytest

from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.security.permissions import Permission
from tests.archives import FIRST, address_of, archive, counts, fill, prune
from tests.functional.history.recorded import ANALYST, get
from tests.identities import HEADER, as_role, install
from tests.waiting import PATIENCE_S

VIEWER = as_role("viewer", 1, None, Permission.HISTORY_EXPORT)
pytestmark = pytest.mark.deep("archives, backups and their worker processes")
# The last test asks for everything as who may not see military aircraft, the others as who may; the night as both.
OTHER = pytest.mark.nightly("the same queries as somebody else")
mostly_analyst = pytest.mark.parametrize(
    "caller", [pytest.param(VIEWER, marks=OTHER), ANALYST], ids=["viewer", "analyst"]
)
mostly_viewer = pytest.mark.parametrize(
    "caller", [VIEWER, pytest.param(ANALYST, marks=OTHER)], ids=["viewer", "analyst"]
)
# How long a query or a dry run takes is not what is tested: on a busy machine a child starts in more than 30 s.
STATION = {"station_lat": 47, "station_lon": 8, "archive_query_s": 10 * PATIENCE_S}
RETENTION = {"retention_positions_days": 1.0, "retention_flights_days": 1.0}


@pytest.fixture(scope="module")
def places(migrated_sqlite, tmp_path_factory):
    """Databases with four days of flights; the first two of one of them are in the archive only."""
    folder = tmp_path_factory.mktemp("border")
    whole, archived = folder / "whole.sqlite", folder / "archived.sqlite"
    shutil.copy(migrated_sqlite, whole)
    engine = create_engine(f"sqlite:///{whole}")
    fill(create_session_factory(engine), days=4)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    shutil.copy(whole, archived)
    places = ({"database_url": f"sqlite:///{whole}"}, {"database_url": f"sqlite:///{archived}"})
    places[1]["archive_url"] = f"file://{folder}/archive"
    settings = load({"secret": "x" * 40, "bus": "memory", "auth_mode": "public", **places[1], **RETENTION}, {})
    engine = create_engine(settings.database_url)
    runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
    before = counts(runtime.sessions)
    archive(runtime.sessions, settings, days=[FIRST, FIRST + timedelta(days=1)])
    prune(runtime, settings)
    flights, points = counts(runtime.sessions)
    runtime.close()
    assert 0 < flights < before[0]
    assert 0 < points < before[1]
    return places


@pytest.fixture
def caller():
    """Who asks, unless a test says otherwise."""
    return ANALYST


@pytest.fixture
def both(places, make_client):
    """A service that kept everything, and one with an archive."""
    return [install(make_client(auth_mode="hybrid", **STATION, **settings)) for settings in places]


def answers(both, path, caller, **query):
    whole, archived = (get(client, path, caller, **query).body for client in both)
    return whole, archived


def same(both, path, caller, **query):
    whole, archived = answers(both, path, caller, **query)
    assert archived == whole
    return whole


BORDER = {"from": "2026-03-02T20:00:00Z", "to": "2026-03-03T08:00:00Z"}
ALL = {"from": "2026-02-28T00:00:00Z", "to": "2026-03-06T00:00:00Z"}


QUERIES = (
    {},
    BORDER,
    {"icao_hex": address_of(1).upper()},
    {"icao_hex": address_of(3)},
    {"callsign": "TST1*"},
    {"callsign": "TST7"},
    {"type": "A3*"},
    {"military": "true"},
    {"emergency": "true"},
    {"active": "false"},
    {"min_altitude_ft": "2000"},
    {"max_altitude_ft": "15000", "offset": "9", "limit": "8"},
    {"offset": "60", "limit": "40"},
    {"callsign": "%", "type": "_*"},
)


@mostly_analyst
def test_flights_are_found_over_the_border(both, caller):
    for query in QUERIES:
        same(both, "flights", caller, **query)


def test_pages_by_cursor_lead_over_the_border(both, caller):
    seen = []
    paths = ["/api/v1/history/flights?limit=7"] * 2
    while all(paths):
        pages = [client.get(path, headers=caller).json for client, path in zip(both, paths, strict=True)]
        assert pages[0]["flights"] == pages[1]["flights"]
        assert pages[0]["count"] == pages[1]["count"]
        seen += [flight["id"] for flight in pages[0]["flights"]]
        paths = [page["next"] and page["next"].replace("http://localhost", "") for page in pages]
    assert paths == [None, None]
    assert len(seen) == len(set(seen)) == pages[0]["count"]


def test_each_flight_and_its_track_are_the_same(both, caller):
    listed = both[0].get("/api/v1/history/flights?limit=1000", headers=ANALYST).json["flights"]
    for flight in listed[::5]:
        for path in (f"flights/{flight['id']}", f"flights/{flight['id']}/track"):
            whole, archived = (
                client.get(f"/api/v1/history/{path}", headers=caller, expect_errors=True) for client in both
            )
            assert archived.status == whole.status
            if whole.status_int == 200:
                assert archived.body == whole.body


@mostly_analyst
def test_tracks_of_an_aircraft_are_the_same(both, caller):
    for index in (0, 3, 4):
        same(both, f"tracks/{address_of(index)}", caller, **ALL)
        same(both, f"tracks/{address_of(index)}", caller, **BORDER)


def test_pictures_at_a_moment_are_the_same(both, caller):
    for at in ("2026-03-02T06:30:00Z", "2026-03-02T23:59:30Z", "2026-03-03T00:00:10Z"):
        assert b'"hex"' in same(both, "picture", caller, at=at)


def test_replay_runs_over_the_border(both, caller):
    span = {"from": "2026-03-02T22:00:00Z", "to": "2026-03-03T06:30:00Z"}
    assert same(both, "replay", caller, step_s="60", **span).count(b"\n") > 400


@mostly_analyst
def test_evaluations_are_the_same(both, caller):
    for span in (BORDER, ALL):
        same(both, "stats", caller, **span)
        same(both, "heatmap", caller, **span)
        same(both, "coverage", caller, **span)
        same(both, "timeline", caller, bins="96", **span)


BOXES = ("5,45,10,50", "-20,-12,0,58", "-180,-90,180,90", "19,0,-19,40")


def test_heat_map_of_a_box_is_that_part_of_the_whole(both, caller):
    whole = json.loads(same(both, "heatmap", caller, cell_deg="1", **ALL))["cells"]
    for box in BOXES:
        west, south, east, north = map(float, box.split(","))
        inside = [
            cell
            for cell in whole
            if south <= cell["lat"] <= north
            and (west <= cell["lon"] <= east if west <= east else cell["lon"] >= west or cell["lon"] <= east)
        ]
        assert json.loads(same(both, "heatmap", caller, cell_deg="1", bbox=box, **ALL))["cells"] == inside
        assert inside


@mostly_analyst
def test_exports_are_the_same(both, caller):
    for file_format in ("csv", "geojson", "gpx"):
        assert len(same(both, "export", caller, format=file_format, **ALL)) > 10_000


def test_dry_runs_of_rules_are_the_same(both, caller, monkeypatch):
    monkeypatch.setattr("skywatch.alerts.rules.views.trial.PAST_S", 10 * PATIENCE_S)
    rule = {"name": "Any", "conditions": {"field": "on_ground", "op": "eq", "value": False}, "message": "{callsign}"}
    may = json.loads(caller[HEADER])["permissions"]
    headers = as_role("operator", 1, None, *(Permission(name) for name in may))
    night = {"from": "2026-03-02T22:00:00Z", "to": "2026-03-03T02:00:00Z"}
    whole, archived = (
        client.post_json("/api/v1/alerts/rules/test", {"rule": rule, **night}, headers=headers).json for client in both
    )
    assert not whole["truncated"]
    assert archived == whole
    assert len(whole["alerts"]) > 5


TURNED, MARKED = address_of(1), address_of(4)


def decide(both, address, military):
    for client in both:
        path = f"/api/v1/aircraft/airframes/{address}/military"
        client.put_json(path, {"military": military}, headers=as_role("admin", 2))


def told(both, caller):
    """Which of two aircraft are told of, wherever they may be: the same in all answers, with and without archive."""
    texts = [
        same(both, path, caller, **query)
        for path, query in (
            ("flights", {"limit": "1000"}),
            ("export", {"format": "csv", **ALL}),
            ("replay", {"step_s": "60", "from": "2026-03-02T04:00:00Z", "to": "2026-03-02T10:00:00Z"}),
        )
    ]
    same(both, "stats", caller, **ALL)
    same(both, "heatmap", caller, **ALL)
    same(both, "coverage", caller, **ALL)
    same(both, "timeline", caller, bins="96", **ALL)
    found = [{address for address in (TURNED, MARKED) if address in text.decode().lower()} for text in texts]
    for address in (TURNED, MARKED):
        track = same(both, f"tracks/{address}", caller, **ALL)
        assert (b'"points":[]' not in track) == (address in found[0])
    assert found[1:] == found[:1] * 2
    return found[0]


@pytest.fixture
def undecided(both):
    """The databases are those of all tests: what is decided here is taken back."""
    yield
    decide(both, TURNED, None)
    decide(both, MARKED, True)


@mostly_viewer
def test_whether_an_aircraft_is_military_is_asked_now_also_of_what_is_archived(both, undecided, caller):
    everything, may = {TURNED, MARKED}, caller is ANALYST
    assert told(both, caller) == (everything if may else {TURNED})
    decide(both, TURNED, True)
    assert told(both, caller) == (everything if may else set())
    decide(both, MARKED, False)
    assert told(both, caller) == (everything if may else {MARKED})


@OTHER
def test_a_decision_is_taken_back_also_for_what_is_archived(both, undecided):
    decide(both, TURNED, True)
    decide(both, MARKED, False)
    assert told(both, VIEWER) == {MARKED}
    decide(both, TURNED, None)
    assert told(both, VIEWER) == {TURNED, MARKED}
    decide(both, MARKED, True)
    assert told(both, VIEWER) == {TURNED}
