"""Statistics, heat maps and coverage of a recorded hour."""

import pytest

from skywatch.history.analysis import service, views
from skywatch.history.storage.points import SLICE_S
from skywatch.http.limits.slow_work import statistics_limiter
from tests.functional.history.recorded import ANALYST, SECONDS, VIEWER, get, span
from tests.identities import install


@pytest.mark.deep("costs over a processor second")
def test_statistics_count_what_was_recorded(client):
    found = get(client, "stats", **span()).json
    assert (found["flights"], found["aircraft"], found["military_flights"]) == (3, 3, 1)
    assert found["positions"] == 3 * SECONDS - 100
    assert found["days"] == [{"date": "2025-06-15", "flights": 3, "aircraft": 3, "positions": 3 * SECONDS - 100}]
    assert {"type": "A320", "flights": 1} in found["top_types"]
    assert sum(found["hours"]) == 3
    assert len(found["hours"]) == 24
    assert sum(one["flights"] for one in found["altitudes"]) == 2, "one never left the ground"
    assert [one["min_altitude_ft"] for one in found["altitudes"]] == [0, 5_000, 10_000, 20_000, 30_000, 40_000]
    assert found["top_countries"][0]["country"] == "CH"
    lines = get(client, "stats/export", **span()).text.splitlines()
    assert lines[0] == "counted,name,flights"
    assert {"day,2025-06-15,3", "type,A320,1", "operator,'=EV,1", "country,CH,1"} <= set(lines)
    assert f"hour,{found['hours'].index(max(found['hours'])):02},{max(found['hours'])}" in lines
    assert get(client, "stats/export", VIEWER, status=403, **span()).json["code"] == "permission_denied"
    assert found["change"] == {"flights": None, "aircraft": None, "positions": None}


def test_the_heat_map_adds_up_the_time_in_each_cell(sqlite_client):
    found = get(sqlite_client, "heatmap", cell_deg=0.5, **span()).json
    total = sum(cell["aircraft_s"] for cell in found["cells"])
    assert total == pytest.approx(3 * SECONDS - 100, abs=60)
    high = get(sqlite_client, "heatmap", cell_deg=0.5, min_altitude_ft=20000, **span()).json
    assert sum(cell["aircraft_s"] for cell in high["cells"]) == pytest.approx(2 * SECONDS, abs=40)
    boxed = get(sqlite_client, "heatmap", cell_deg=0.5, bbox="7,47.99,9,49.01", **span()).json
    assert {cell["lat"] for cell in boxed["cells"]} <= {47.75, 48.25, 48.75, 49.25}


def test_coverage_is_by_bearing_and_altitude(sqlite_client, make_client):
    sectors = get(sqlite_client, "coverage", **span()).json["sectors"]
    assert len(sectors) == 36
    north = sectors[0]
    assert north["max_distance_nm"] == pytest.approx(SECONDS * 0.12, rel=0.02)
    assert [band["points"] > 0 for band in north["bands"]] == [False, False, False, False, True, False]
    assert sectors[18]["max_distance_nm"] is None
    nowhere = install(make_client(auth_mode="hybrid"))
    assert get(nowhere, "coverage", status=409).json["code"] == "conflict"


@pytest.mark.parametrize("path", ["heatmap", "coverage"])
def test_of_a_full_span_one_slice_in_so_many_is_evaluated(sqlite_client, monkeypatch, path):
    whole = get(sqlite_client, path, **span()).json
    read = []
    read_slices = service.read_slices

    def reading(*arguments, **options):
        for at, points in read_slices(*arguments, **options):
            read.append(at)
            yield at, points

    monkeypatch.setattr(service, "read_slices", reading)
    assert get(sqlite_client, path, **span()).json == whole
    assert whole["one_slice_in"] == 1
    every = sorted(set(read))
    assert len(every) >= 2
    read.clear()
    monkeypatch.setattr(service, "MAX_CHUNKS", 1)
    part = get(sqlite_client, path, **span()).json
    assert part["one_slice_in"] > 1
    assert read == [at for at in every if at % (part["one_slice_in"] * SLICE_S) == 0]


def test_times_of_a_heat_map_count_for_the_slices_that_were_not_read(sqlite_client, monkeypatch):
    def seconds():
        return sum(cell["aircraft_s"] for cell in get(sqlite_client, "heatmap", cell_deg=0.5, **span()).json["cells"])

    whole = seconds()
    monkeypatch.setattr(service, "one_slice_in", lambda session, wanted, most: 2)
    # Of three slices of ten minutes, of which the last is not full, one or two are read and count twice.
    assert 0.5 * whole < seconds() < 2 * whole


def test_one_person_has_one_evaluation_at_a_time_and_others_have_theirs(sqlite_client, monkeypatch):
    evaluations = sqlite_client.runtime.shared(views.evaluation_limiter)
    monkeypatch.setattr(evaluations, "wait_s", 0.01)
    analyst = "user 1"
    for path in ("heatmap", "coverage"):
        with evaluations.turn("user 77"):
            get(sqlite_client, path, **span())
        with evaluations.turn(analyst):
            busy = get(sqlite_client, path, status=503, **span())
            assert busy.json["code"] == "unavailable"
            assert "of yours is running" in busy.json["detail"]
            assert busy.headers["Retry-After"]
        with evaluations.turn("user 77"), evaluations.turn("user 78"):
            assert "at most 2 at once" in get(sqlite_client, path, status=503, **span()).json["detail"]
    assert get(sqlite_client, "heatmap", **span()).json["cells"]


def test_one_person_has_half_of_the_turns_for_statistics(sqlite_client, monkeypatch):
    turns = sqlite_client.runtime.shared(statistics_limiter)
    monkeypatch.setattr(turns, "wait_s", 0.01)
    rooms = ("history", "safety", "acars", "audio", "alerts")
    paths = [f"/api/v1/{room}/stats" for room in rooms]
    own, other = "user 1", "user 77"
    with turns.turn(other), turns.turn(other):
        for path in paths:
            sqlite_client.get(path, headers=ANALYST)
    with turns.turn(own), turns.turn(own):
        for path in paths:
            assert "of yours" in sqlite_client.get(path, headers=ANALYST, status=503).json["detail"]


def test_coverage_is_restricted_to_altitudes(sqlite_client):
    def points(**query):
        sectors = get(sqlite_client, "coverage", **query, **span()).json["sectors"]
        return sum(band["points"] for sector in sectors for band in sector["bands"])

    assert points(min_altitude_ft=30000) == points(max_altitude_ft=36000) == points() > 0
    assert points(min_altitude_ft=37000) == points(max_altitude_ft=35000) == 0
    assert (
        get(sqlite_client, "coverage", status=400, min_altitude_ft="high").json["errors"][0]["name"]
        == "min_altitude_ft"
    )
