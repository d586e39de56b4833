"""What jobs find in archived days: the same as in history's rows, each result on its day."""

from __future__ import annotations

import pytest

from skywatch.core.batch import batch_jobs
from skywatch.features import FEATURES
from skywatch.history.storage.reader import Span, read
from skywatch.history.tracks import plain
from skywatch.patterns.corpora.tracks import Track, find_patterns
from skywatch.safety.detection.conflicts import cells
from tests.batches import StoredRows, result_of_rows, results, rows_of, run_job
from tests.unit.archive.batch.conftest import AFTER, BEFORE, DAYS, JOBS

pytestmark = pytest.mark.deep("archives, backups and their worker processes")


@pytest.mark.parametrize("job", JOBS)
def test_results_are_those_of_the_rows_of_history(evaluated, job):
    declared, options = batch_jobs(FEATURES)[job], b""
    if declared.prepare:
        with evaluated.sessions() as session:
            options = declared.prepare(session, evaluated.settings).data
    rows = StoredRows(evaluated.sessions, [BEFORE, *DAYS, AFTER])
    found = results(evaluated.archive, job)[DAYS[0].isoformat()]
    assert found
    assert found == result_of_rows(rows, job, DAYS[0], (50.0, 8.5), options)


@pytest.mark.parametrize(
    "job", ["safety", pytest.param("hotspots", marks=pytest.mark.nightly("counts the events of the other job"))]
)
def test_events_are_the_same_without_the_look_at_few_aircraft(evaluated, job, monkeypatch):
    with evaluated.sessions() as session:
        options = batch_jobs(FEATURES)[job].prepare(session, evaluated.settings).data
    rows = StoredRows(evaluated.sessions, [BEFORE, *DAYS, AFTER])
    monkeypatch.setattr(cells, "FEW", 0)
    found = results(evaluated.archive, job)
    assert [result_of_rows(rows, job, day, options=options) for day in DAYS] == [found[str(day)] for day in DAYS]


def test_patterns_are_those_of_the_flight_alone_on_the_day_it_began(evaluated):
    assert results(evaluated.archive, "patterns")["2026-03-02"] == b""
    with evaluated.sessions() as session:
        points = read(session, Span(0, 2e9))
    circles = points[points["flight"] == 5]
    expected = find_patterns(Track([list(point[:6]) for point in plain(circles)], id="5", icao24="3c0005"))
    found = [row for row in rows_of(evaluated.archive, "patterns") if row["flight"] == 5]
    assert [row["pattern_type"] for row in found] == [pattern.pattern_type for pattern in expected]
    assert "circling" in {row["pattern_type"] for row in found}
    assert [row["confidence_score"] for row in found] == [pattern.confidence_score for pattern in expected]
    # It goes on after midnight.
    assert max(row["ended_at"] for row in found).day == 2


def test_encounter_over_midnight_stands_once_on_the_day_it_began(evaluated):
    events = [row for row in rows_of(evaluated.archive, "safety") if row["type"] == "proximity"]
    pairs = [(row["began_at"].day, row["icao_hex"], row["icao_hex_2"], row["severity"]) for row in events]
    assert pairs == [(1, "3C0001", "3C0002", "critical"), (2, "3C0003", "3C0004", "critical")]
    assert events[0]["ended_at"].day == 2
    assert events[0]["closest_nm"] < 0.1
    assert [row["military"] for row in events] == [False, True]


def test_rules_have_the_rights_of_their_owners(evaluated):
    sees_all, sees_less = evaluated.owners
    alerts = rows_of(evaluated.archive, "rules")
    seen = {owner: [row["icao_hex"] for row in alerts if row["user_id"] == owner] for owner in evaluated.owners}
    # What matched before midnight is not announced again after it.
    assert sorted(seen[sees_all]) == ["3C0001", "3C0002", "3C0003", "3C0004", "3C0006"]
    assert sorted(seen[sees_less]) == ["3C0001", "3C0002", "3C0003", "3C0006"]
    assert all(row["cleared_at"] > row["triggered_at"] for row in alerts)


def test_hotspots_count_with_and_without_military_aircraft(evaluated):
    cells = rows_of(evaluated.archive, "hotspots")
    assert [(row["info"], row["critical"], row["critical_civil"]) for row in cells] == [(0, 1, 1), (0, 1, 0)]


@pytest.mark.parametrize("place_settings", ["s3"], indirect=True)
def test_results_of_a_bucket_lie_in_it(days):
    outcome = run_job(days.sessions, days.settings, "coverage", DAYS[0], AFTER)
    assert outcome.faults == {}
    assert days.storage.names("batch/coverage/day=2026-03-02") == ["coverage.parquet", "manifest.json"]
    assert run_job(days.sessions, days.settings, "coverage", DAYS[0], AFTER).before == 4
