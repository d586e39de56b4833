"""A day that a release before sources archived (schema 1): it is read as it was, by questions, jobs and merges."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.archive.contents.manifest import read_manifest
from skywatch.archive.models import ArchivedDay
from skywatch.archive.reader.archive_reader import reaching
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.core.database.engine import writing
from skywatch.history.models import Chunk
from skywatch.history.storage.points import MILITARY, in_order
from skywatch.history.storage.reader import Span, read
from tests.archives import FIRST, archive
from tests.batches import circling, moment, rows_of, run_job, store, straight

pytestmark = pytest.mark.deep("archives, backups and their worker processes")
# Made by release 0.2.0 at revision 3a65616c of the tracks below.
MADE_BEFORE = Path(__file__).parent / "schema_1"


def tracks():
    noon = moment("2026-03-01T12:00:00")
    return [
        straight(1, 0x3C0001, noon, 50.0, 8.0, 90, 450, 300),
        straight(2, 0x3C0002 | MILITARY, noon, 50.0, 8.0, 270, 450, 300),
        circling(5, 0x3C0005, moment("2026-03-01T22:00:00"), 49.5, 8.5, 1200),
    ]


def without_source():
    points = in_order(np.concatenate(tracks()))
    points["source"] = 0
    return points


@pytest.fixture
def old(make_runtime, tmp_path):
    """An installation whose only day is in the archive alone, as that release left it."""
    shutil.copytree(MADE_BEFORE, tmp_path / "archive")
    runtime = make_runtime(archive_url=f"file://{tmp_path}/archive", station_lat=50.0, station_lon=8.5)
    now = datetime(2026, 3, 4, tzinfo=UTC)
    with writing(runtime.sessions) as session:
        for kind, rows in (("flights", 3), ("positions", 332)):
            session.add(ArchivedDay(kind=kind, day=FIRST, rows=rows, verified_at=now, removed_at=now))
    return runtime


def points_of(runtime, begin, end):
    with reaching(runtime.settings, "test") as reach, runtime.sessions() as session:
        return read(reach(session), Span(moment(begin), moment(end)))


def test_its_points_are_as_they_were_and_of_unknown_source(old):
    assert points_of(old, "2026-03-01T00:00:00", "2026-03-01T23:59:59").tolist() == without_source().tolist()


def test_days_of_both_schemas_are_read_in_one_answer(old):
    store(old.sessions, [straight(9, 0x3C0009, moment("2026-03-02T00:10:00"), 50.0, 8.0, 90, 450, 300)])
    outcome = archive(old.sessions, old.settings, days=[FIRST.replace(day=2)])
    assert outcome.faults == {}
    with writing(old.sessions) as session:
        session.execute(sa.delete(Chunk))
        session.execute(sa.update(ArchivedDay).values(removed_at=datetime(2026, 3, 5, tzinfo=UTC)))
    found = points_of(old, "2026-03-01T00:00:00", "2026-03-02T12:00:00")
    by_flight = {int(flight): set(found["source"][found["flight"] == flight].tolist()) for flight in (1, 2, 5, 9)}
    assert by_flight == {1: {0}, 2: {0}, 5: {0}, 9: {1}}


def test_jobs_run_over_it_and_nothing_of_it_is_a_figure_of_the_antenna(old, tmp_path):
    for job in ("patterns", "safety", "coverage"):
        outcome = run_job(old.sessions, old.settings, job, FIRST, FIRST.replace(day=2))
        assert outcome.faults == {}, job
    assert "circling" in {row["pattern_type"] for row in rows_of(tmp_path / "archive", "patterns")}
    assert rows_of(tmp_path / "archive", "coverage") == []


def test_points_that_come_later_make_it_a_day_of_the_new_schema(old):
    late = straight(9, 0x3C0009, moment("2026-03-01T12:00:00"), 49.0, 8.0, 90, 450, 300)
    store(old.sessions, [late])
    with writing(old.sessions) as session:
        session.execute(sa.update(ArchivedDay).values(changes=1))
    outcome = archive(old.sessions, old.settings)
    assert outcome.faults == {}
    manifest = read_manifest(open_storage(old.settings.of(ArchiveSettings)), FIRST)
    assert manifest.schema == 2
    with writing(old.sessions) as session:
        session.execute(sa.delete(Chunk))
    found = points_of(old, "2026-03-01T00:00:00", "2026-03-01T23:59:59")
    assert set(found["source"][found["flight"] == 9].tolist()) == {1}
    assert found[found["flight"] != 9].tolist() == without_source().tolist()
