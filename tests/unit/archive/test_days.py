"""Days are archived whole, as the layout has them, and what is there already is not written again."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from skywatch.archive.contents.manifest import read_manifest
from skywatch.archive.errors import Cancelled, DayError
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.state import mark_changed
from skywatch.archive.writer.run import open_archiver, run
from skywatch.core.database.engine import writing
from skywatch.core.storage.retention_clock import Reading, RetentionClock
from skywatch.history.models import Chunk, Flight
from skywatch.history.storage.archive_columns import points_of, table_of
from skywatch.history.storage.points import in_order, join
from tests.archives import FIRST, LATER, archive, states

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

DAY = FIRST + timedelta(days=1)


def stored_points(folder):
    return in_order(join([points_of(pq.read_table(file)) for file in sorted(folder.rglob("positions-*.parquet"))]))


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_all_points_come_back_as_they_were(years):
    outcome = archive(years.sessions, years.settings)
    assert not outcome.faults
    np.testing.assert_array_equal(stored_points(years.storage.folder), years.points)


def test_flights_have_every_column_of_the_table(years):
    archive(years.sessions, years.settings)
    with years.sessions() as session:
        expected = session.execute(sa.select(*Flight.__table__.c).order_by(Flight.first_seen_at, Flight.id)).all()
    rows = [
        tuple(row.values())
        for file in sorted(years.storage.folder.rglob("flights.parquet"))
        for row in pq.ParquetFile(file).read().to_pylist()
    ]
    assert rows == [tuple(row) for row in expected]


def test_positions_are_delta_encoded_in_order_of_cell_address_and_time(years):
    archive(years.sessions, years.settings)
    file = pq.ParquetFile(years.storage.folder / f"day={DAY}" / "positions-05.parquet")
    group = file.metadata.row_group(0)
    columns = [group.column(index) for index in range(group.num_columns)]
    assert all("DELTA_BINARY_PACKED" in column.encodings and column.compression == "ZSTD" for column in columns)
    assert all(column.is_stats_set for column in columns)
    table = file.read()
    names = {"icao": "uint32", "flight": "int64", "at_cs": "int64", "lat_e5": "int32", "lon_e5": "int32"}
    names |= {"alt_ft": "int32", "gs_kt": "int16", "track_deg": "int16", "flags": "uint8", "source": "uint8"}
    assert {field.name: str(field.type) for field in table.schema} == names
    keys = list(
        zip(
            [value // 500_000 for value in table["lat_e5"].to_pylist()],
            [value // 500_000 for value in table["lon_e5"].to_pylist()],
            [value & 0x1FFFFFF for value in table["icao"].to_pylist()],
            table["at_cs"].to_pylist(),
            strict=True,
        )
    )
    assert keys == sorted(keys)
    assert len(set(keys)) > 20


def test_unknown_values_are_null_and_flags_are_gap_and_ground(years):
    archive(years.sessions, years.settings)
    tables = [pq.ParquetFile(file).read() for file in years.storage.folder.rglob("positions-*.parquet")]
    assert {flag for table in tables for flag in table["flags"].to_pylist()} <= set(range(8))
    on_ground = [row for table in tables for row in table.to_pylist() if row["flags"] & 2]
    assert on_ground
    assert all(row["alt_ft"] is None for row in on_ground)
    assert not any(-1 in table[name].to_pylist() for table in tables for name in ("gs_kt", "track_deg"))


def test_row_groups_are_small_whatever_an_hour_has(years, tmp_path):
    from skywatch.archive.contents.layout import POSITIONS, POSITIONS_OPTIONS
    from skywatch.archive.kinds import ArchivedFile
    from skywatch.archive.writer.files import write_file

    many = np.repeat(years.points, 60)
    file = ArchivedFile("positions-00", POSITIONS, iter([table_of(many)]), POSITIONS_OPTIONS)
    written = write_file(tmp_path, file, lambda: None)
    metadata = pq.ParquetFile(tmp_path / "positions-00.parquet").metadata
    assert written.rows == len(many)
    assert max(metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)) <= 100_000


def test_manifest_names_every_file_with_rows_bytes_and_hash(years):
    archive(years.sessions, years.settings)
    manifest = read_manifest(years.storage, DAY)
    folder = years.storage.folder / f"day={DAY}"
    assert {file.name for file in manifest.files} == {path.name for path in folder.iterdir()} - {"manifest.json"}
    for file in manifest.files:
        data = (folder / file.name).read_bytes()
        assert (file.bytes, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())
        assert file.rows == pq.ParquetFile(folder / file.name).metadata.num_rows
    assert (manifest.schema, manifest.station.lat, manifest.station.lon) == (2, 50.0, 8.5)
    assert manifest.end - manifest.begin == timedelta(days=1)


def test_same_day_again_has_the_same_bytes(years):
    archive(years.sessions, years.settings)
    before = contents(years.storage.folder)
    stamps = {path: path.stat().st_mtime_ns for path in years.storage.folder.rglob("positions-*")}
    outcome = archive(years.sessions, years.settings, days=[DAY])
    assert [day.day for day in outcome.days] == [DAY]
    assert contents(years.storage.folder) == before
    assert {path: path.stat().st_mtime_ns for path in years.storage.folder.rglob("positions-*")} == stamps


def test_empty_folder_gets_the_same_bytes_again(years):
    archive(years.sessions, years.settings)
    before = contents(years.storage.folder)
    for path in list(years.storage.folder.rglob("*.*")):
        path.unlink()
    archive(years.sessions, years.settings, days=[FIRST + timedelta(days=n) for n in range(4)])
    assert contents(years.storage.folder) == before


def test_days_without_rows_have_no_folder(years):
    archive(years.sessions, years.settings)
    # The last flights of the third day may end on the fourth.
    assert len(list(years.storage.folder.iterdir())) <= 4
    assert archive(years.sessions, years.settings).days == []


def test_day_is_archived_once_it_is_over_for_long_enough(years):
    end = datetime.combine(DAY, datetime.min.time(), UTC)
    assert archive(years.sessions, years.settings, now=end + timedelta(hours=29)).days == []
    assert [day.day for day in archive(years.sessions, years.settings, now=end + timedelta(hours=31)).days] == [FIRST]


def test_day_with_a_flight_under_way_waits_with_its_flights(years):
    with writing(years.sessions) as session:
        session.execute(sa.update(Flight).where(Flight.id == 1).values(active=True))
    outcome = archive(years.sessions, years.settings)
    assert [(day.day, day.waiting) for day in outcome.waiting] == [(FIRST, ("flights",))]
    assert "flights.parquet" not in {file.name for file in read_manifest(years.storage, FIRST).files}
    with writing(years.sessions) as session:
        session.execute(sa.update(Flight).where(Flight.id == 1).values(active=False))
    archive(years.sessions, years.settings)
    assert "flights.parquet" in {file.name for file in read_manifest(years.storage, FIRST).files}


def test_rows_added_later_give_new_files_and_a_new_manifest(years):
    archive(years.sessions, years.settings)
    before = read_manifest(years.storage, DAY)
    with writing(years.sessions) as session:
        late = datetime(2026, 3, 2, 1, tzinfo=UTC)
        flight = session.scalars(sa.select(Flight).where(Flight.first_seen_at >= late)).first()
        columns = {c.name: getattr(flight, c.name) for c in Flight.__table__.c} | {"id": 9_000}
        session.execute(sa.insert(Flight), [columns])
        mark_changed(session, "flights", [DAY])
    outcome = archive(years.sessions, years.settings)
    after = read_manifest(years.storage, DAY)
    assert [day.day for day in outcome.days] == [DAY]
    names = {file.name for file in after.files}
    assert "flights.r2.parquet" in names
    assert "flights.parquet" not in names
    assert {file.name for file in before.files} - names == {"flights.parquet"}
    assert {path.name for path in (years.storage.folder / f"day={DAY}").iterdir()} == names | {"manifest.json"}


def test_rows_that_only_the_archive_has_stay_in_it(years):
    archive(years.sessions, years.settings)
    before = stored_points(years.storage.folder)
    with writing(years.sessions) as session:
        session.execute(sa.delete(Chunk))
        session.execute(sa.delete(Flight).where(Flight.id % 2 == 0))
        mark_changed(session, "positions", [DAY])
        mark_changed(session, "flights", [DAY])
    archive(years.sessions, years.settings)
    np.testing.assert_array_equal(stored_points(years.storage.folder), before)


def test_stopped_run_leaves_whole_days_and_goes_on_later(years):
    calls = iter(range(10_000))
    archiver = open_archiver(years.sessions, years.settings, lambda: next(calls) > 8)
    with pytest.raises(Cancelled):
        run(archiver, years.settings.of(ArchiveSettings), LATER)
    done = {day for kind, day in states(years.sessions)}
    assert done
    archive(years.sessions, years.settings)
    np.testing.assert_array_equal(stored_points(years.storage.folder), years.points)
    assert not list(years.storage.folder.glob(".staging"))


def test_damaged_day_whose_rows_are_gone_is_not_replaced(years):
    archive(years.sessions, years.settings)
    with writing(years.sessions) as session:
        session.execute(sa.delete(Chunk))
        state = states(years.sessions)[("positions", DAY)]
        state.removed_at = LATER
        session.merge(state)
        mark_changed(session, "positions", [DAY])
    path = years.storage.folder / f"day={DAY}" / "positions-05.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    outcome = archive(years.sessions, years.settings)
    assert "positions-05.parquet does not have the hash" in outcome.faults[DAY]
    assert path.read_bytes() == bytes(data)


def test_day_of_a_newer_release_is_left_as_it_is(years):
    archive(years.sessions, years.settings)
    path = years.storage.folder / f"day={DAY}" / "manifest.json"
    path.write_text(path.read_text().replace('"schema": 2', '"schema": 3'))
    outcome = archive(years.sessions, years.settings, days=[DAY])
    assert "newer release" in outcome.faults[DAY]
    with pytest.raises(DayError):
        read_manifest(years.storage, DAY)


def test_keep_days_delete_nothing_by_a_clock_that_leapt(years, make_settings):
    archive(years.sessions, years.settings)
    kept = years.runtime.settings.of(ArchiveSettings)
    settings = make_settings(archive_url=kept.archive_url, archive_keep_days=3)
    archiver, names = open_archiver(years.sessions, settings), sorted(years.storage.names())

    def run_on(day):
        now = datetime(2026, 3, 4, 12, tzinfo=UTC) + timedelta(days=day)
        clock = RetentionClock(years.sessions, "archive", read=lambda: Reading(now, day * 86_400.0, "boot"))
        outcome = run(archiver, settings.of(ArchiveSettings), now, [], clock=clock)
        return outcome.expired, clock.record.hold

    assert run_on(0) == (0, None)
    expired, hold = run_on(3 * 365)
    assert expired == 0
    assert "set forward by 1,095 days" in hold.why
    assert sorted(years.storage.names()) == names


def test_keep_days_deletes_old_days_from_the_archive(years, make_settings):
    archive(years.sessions, years.settings)
    kept = years.runtime.settings.of(ArchiveSettings)
    settings = make_settings(archive_url=kept.archive_url, archive_keep_days=1, archive_keep_flights_days=2)
    now = datetime(2026, 3, 4, 12, tzinfo=UTC)
    archive(years.sessions, settings, now=now)
    assert not (years.storage.folder / f"day={FIRST}").exists()
    names = {path.name for path in (years.storage.folder / "day=2026-03-02").iterdir()}
    assert names == {"flights.parquet", "manifest.json"}
    assert (("positions", date(2026, 3, 2)) in states(years.sessions), ("flights", DAY) in states(years.sessions)) == (
        False,
        True,
    )
