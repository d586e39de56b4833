"""An import into days that are in the archive only: nothing is doubled, nothing is lost, and the days are rewritten."""

from datetime import UTC, datetime, timedelta

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from skywatch.archive.contents.manifest import read_manifest
from skywatch.archive.reader.archive_reader import reaching
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.core.problems import Problem
from skywatch.history.models import Flight
from tests.archives import FIRST, address_of, archive, counts, fill, prune
from tests.unit.history.imports.imports import HEADER, run, state

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

RETENTION = {"retention_positions_days": 1.0, "retention_flights_days": 1.0}
DAY = FIRST + timedelta(days=1)


@pytest.fixture
def runtime(make_runtime, tmp_path):
    runtime = make_runtime(archive_url=f"file://{tmp_path}/archive", **RETENTION)
    fill(runtime.sessions, days=2, aircraft=4)
    archive(runtime.sessions, runtime.settings)
    prune(runtime, runtime.settings)
    assert counts(runtime.sessions) == (0, 0)
    return runtime


def archived(runtime):
    storage = open_storage(runtime.settings.of(ArchiveSettings))
    rows = []
    for folder in sorted(storage.folder.iterdir()):
        day = datetime.fromisoformat(folder.name[4:]).date()
        for file in read_manifest(storage, day).files:
            if file.stem == "flights":
                rows += pq.ParquetFile(folder / file.name).read().to_pylist()
    return rows


def write(path, spans):
    lines = [
        state(begin + 10 * n, icao=icao, lat=f"{50 + n / 50:.4f}") for icao, begin, count in spans for n in range(count)
    ]
    path.write_text("\n".join([HEADER, *lines, ""]))
    return path


def bring_in(runtime, path):
    with reaching(runtime.settings, "import") as reach:
        return run(runtime.sessions, runtime.settings, path, reach=reach)


def test_flights_that_only_the_archive_has_are_not_doubled(runtime, tmp_path):
    before = archived(runtime)
    flight = next(
        row for row in before if row["icao_hex"] == address_of(1).upper() and row["first_seen_at"].date() == DAY
    )
    at = flight["first_seen_at"].timestamp() + 300
    path = write(tmp_path / "s.csv", [(address_of(1), at, 20), ("4b1620", at, 20)])
    outcome = bring_in(runtime, path)
    assert (outcome.flights, outcome.existing) == (1, 1)
    archive(runtime.sessions, runtime.settings)
    prune(runtime, runtime.settings)
    # The new flight is in the archive alone now: the same file again changes nothing.
    assert counts(runtime.sessions) == (0, 0)
    again = bring_in(runtime, path)
    assert (again.flights, again.existing) == (0, 2)
    after = archived(runtime)
    assert [row for row in after if row["icao_hex"] != "4B1620"] == before
    assert len(after) == len(before) + 1


def test_new_flights_never_get_the_id_of_an_archived_one(runtime, tmp_path):
    ids = {row["id"] for row in archived(runtime)}
    begin = datetime.combine(DAY, datetime.min.time(), UTC).timestamp() + 3600
    bring_in(runtime, write(tmp_path / "s.csv", [("4b1620", begin, 5), ("4b1621", begin, 5)]))
    with runtime.sessions() as session:
        assert not ids & set(session.scalars(sa.select(Flight.id)))
    archive(runtime.sessions, runtime.settings)
    assert ids < {row["id"] for row in archived(runtime)}


def test_import_stops_where_the_archive_cannot_be_asked(runtime, tmp_path):
    begin = datetime.combine(DAY, datetime.min.time(), UTC).timestamp() + 3600
    path = write(tmp_path / "s.csv", [("4b1620", begin, 5)])
    (tmp_path / "archive" / f"day={DAY}" / "flights.parquet").write_bytes(b"garbage")
    with pytest.raises(Problem, match="2026-03-02"):
        bring_in(runtime, path)
    assert counts(runtime.sessions) == (0, 0)
