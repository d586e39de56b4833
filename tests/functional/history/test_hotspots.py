"""Near misses by cell: counts by the caller's rights, spans, and what is refused."""

from __future__ import annotations

from datetime import date

import pytest

from skywatch.archive.batch.task import encode_rows
from skywatch.archive.contents.results import results_of, write_result
from skywatch.archive.reader.query_limits import Turns
from skywatch.archive.settings import ArchiveSettings
from skywatch.core.batch import batch_jobs
from skywatch.features import FEATURES
from tests.batches import moment
from tests.functional.history.recorded import ANALYST, VIEWER
from tests.identities import install

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

DAY, SPAN = date(2026, 3, 2), "from=2026-03-01T00:00:00Z&to=2026-03-04T00:00:00Z"
PATH = "/api/v1/history/hotspots"
NOON, EVENING = moment("2026-03-02T12:00:00"), moment("2026-03-02T18:00:00")
# hour, cell, then info, warning, critical of all and of civil aircraft.
ROWS = [
    (NOON, 500, 80, 1, 2, 3, 1, 1, 0),
    (NOON, 510, -75, 0, 0, 2, 0, 0, 0),
    (EVENING, 500, 80, 0, 1, 0, 0, 1, 0),
]


@pytest.fixture
def client(make_client, tmp_path):
    made = install(make_client(auth_mode="hybrid", archive_url=f"file://{tmp_path}/archive"))
    place = results_of(made.runtime.settings.of(ArchiveSettings), "hotspots")
    data, rows = encode_rows(batch_jobs(FEATURES)["hotspots"], ROWS)
    write_result(place, "hotspots", DAY, data, rows, "0" * 64, is_complete=True)
    write_result(place, "hotspots", date(2026, 3, 3), b"", 0, "0" * 64, is_complete=True)
    return made


def cells(client, query=SPAN, headers=ANALYST):
    found = client.get(f"{PATH}?{query}", headers=headers).json["cells"]
    return [tuple(cell[name] for name in ("lat", "lon", "info", "warning", "critical")) for cell in found]


def test_counts_are_those_that_the_caller_may_see(client):
    assert cells(client) == [(50.05, 8.05, 1, 3, 3), (51.05, -7.45, 0, 0, 2)]
    assert cells(client, headers=VIEWER) == [(50.05, 8.05, 1, 2, 0)]


def test_span_and_box_choose_hours_and_cells(client):
    afternoon = "from=2026-03-02T12:30:00Z&to=2026-03-03T00:00:00Z"
    assert cells(client, afternoon) == [(50.05, 8.05, 0, 1, 0)]
    assert cells(client, f"{SPAN}&bbox=-10,50,0,52") == [(51.05, -7.45, 0, 0, 2)]
    assert cells(client, f"{SPAN}&bbox=0,0,1,1") == []


def test_days_without_a_result_are_named(client):
    answer = client.get(f"{PATH}?{SPAN}", headers=ANALYST).json
    assert answer["missing_days"] == ["2026-03-01"]
    assert (answer["count"], answer["cell_deg"], answer["truncated"]) == (2, 0.1, False)


def test_too_wide_a_span_names_the_widest(client):
    answer = client.get(f"{PATH}?from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", headers=ANALYST, status=400).json
    assert answer["code"] == "validation_failed"
    assert "366 days" in answer["errors"][0]["detail"]


def refused(client):
    answer = client.get(f"{PATH}?{SPAN}", headers=ANALYST, status=503)
    assert answer.json["code"] == "unavailable"
    return answer.json["detail"]


def test_without_an_archive_it_is_unavailable(make_client):
    assert "archive_url" in refused(install(make_client(auth_mode="hybrid")))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "hotspots.parquet").write_bytes(b"PAR1"),
        lambda folder: (folder / "hotspots.parquet").unlink(),
        lambda folder: (folder / "manifest.json").write_text("{"),
    ],
    ids=["other bytes", "no file", "no JSON"],
)
def test_damaged_result_names_its_day(client, tmp_path, damage):
    damage(tmp_path / "archive/batch/hotspots/day=2026-03-02")
    assert "2026-03-02 has a damaged result of hotspots" in refused(client)


def test_third_query_at_once_is_refused(client):
    turns = Turns(client.runtime.settings.database_url, 2)
    with turns.turn("user 7", 0), turns.turn("user 8", 0):
        assert "queries over the archive are running" in refused(client)
