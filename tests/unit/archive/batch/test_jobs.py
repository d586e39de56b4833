"""What jobs find in archived days: the same as in history's rows, each result on its day."""

from __future__ import annotations

import pytest

from skywatch.core.feature import load
from skywatch.features import FEATURES
from skywatch.history.reading.archive import Span, read
from skywatch.history.reading.tracks import plain
from skywatch.patterns.recorded.tracks import Track, find_patterns
from tests.batches import StoredRows, result_of_rows, results, rows_of, run_job
from tests.unit.archive.batch.conftest import AFTER, BEFORE, DAYS, add_rules

JOBS = ("patterns", "safety", "rules", "coverage", "hotspots")


@pytest.mark.parametrize("job", JOBS)
def test_results_are_those_of_the_rows_of_history(days, folder, job):
    add_rules(days.runtime)
    outcome = run_job(days.sessions, days.settings, job, DAYS[0], AFTER)
    # Of the fourth day nothing was heard.
    assert outcome.faults == {}
    assert len(outcome.days) == 4
    declared, options = FEATURES.batch_jobs()[job], b""
    if declared.prepare:
        with days.sessions() as session:
            options = load(declared.prepare)(session, days.settings).data
    rows = StoredRows(days.sessions, [BEFORE, *DAYS, AFTER])
    found = results(folder, job)
    assert any(found.values())
    for day in DAYS:
        assert found[day.isoformat()] == result_of_rows(rows, job, day, (50.0, 8.5), options)


def test_patterns_are_those_of_the_flight_alone_on_the_day_it_began(days, folder):
    run_job(days.sessions, days.settings, "patterns", DAYS[0], AFTER)
    assert results(folder, "patterns")["2026-03-02"] == b""
    with days.sessions() as session:
        points = read(session, Span(0, 2e9))
    circles = points[points["flight"] == 5]
    expected = find_patterns(Track([list(point[:6]) for point in plain(circles)], id="5", icao24="3c0005"))
    found = [row for row in rows_of(folder, "patterns") if row["flight"] == 5]
    assert [row["pattern_type"] for row in found] == [pattern.pattern_type for pattern in expected]
    assert "circling" in {row["pattern_type"] for row in found}
    assert [row["confidence_score"] for row in found] == [pattern.confidence_score for pattern in expected]
    # It goes on after midnight.
    assert max(row["ended_at"] for row in found).day == 2


def test_encounter_over_midnight_stands_once_on_the_day_it_began(days, folder):
    run_job(days.sessions, days.settings, "safety", DAYS[0], AFTER)
    events = [row for row in rows_of(folder, "safety") if row["type"] == "proximity"]
    pairs = [(row["began_at"].day, row["icao_hex"], row["icao_hex_2"], row["severity"]) for row in events]
    assert pairs == [(1, "3C0001", "3C0002", "critical"), (2, "3C0003", "3C0004", "critical")]
    assert events[0]["ended_at"].day == 2
    assert events[0]["closest_nm"] < 0.1
    assert [row["military"] for row in events] == [False, True]


def test_rules_have_the_rights_of_their_owners(days, folder):
    sees_all, sees_less = add_rules(days.runtime)
    run_job(days.sessions, days.settings, "rules", DAYS[0], AFTER)
    alerts = rows_of(folder, "rules")
    seen = {owner: [row["icao_hex"] for row in alerts if row["user_id"] == owner] for owner in (sees_all, sees_less)}
    # What matched before midnight is not announced again after it.
    assert sorted(seen[sees_all]) == ["3C0001", "3C0002", "3C0003", "3C0004"]
    assert sorted(seen[sees_less]) == ["3C0001", "3C0002", "3C0003"]
    assert all(row["cleared_at"] > row["triggered_at"] for row in alerts)
    assert {row["registration"] for row in alerts if row["user_id"] == sees_all} == {"D-TEST"}


def test_hotspots_count_with_and_without_military_aircraft(days, folder):
    run_job(days.sessions, days.settings, "hotspots", DAYS[0], AFTER)
    cells = [
        (row["lat_cell"], row["info"], row["critical"], row["critical_civil"]) for row in rows_of(folder, "hotspots")
    ]
    assert len(cells) == 2
    assert [cell[1:] for cell in cells] == [(0, 1, 1), (0, 1, 0)]


@pytest.mark.parametrize("place_settings", ["s3"], indirect=True)
def test_results_of_a_bucket_lie_in_it(days):
    outcome = run_job(days.sessions, days.settings, "coverage", DAYS[0], AFTER)
    assert outcome.faults == {}
    assert days.place.names("batch/coverage/day=2026-03-02") == ["coverage.parquet", "manifest.json"]
    assert run_job(days.sessions, days.settings, "coverage", DAYS[0], AFTER).before == 4
