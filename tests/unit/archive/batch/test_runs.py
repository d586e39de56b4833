"""Runs of a job: what is done again and what is not, damaged days, and workers that die."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import pytest

from skywatch.airframes.military import decide
from skywatch.archive.batch.pool import ProcessPool
from skywatch.archive.batch.run import only_runner
from skywatch.archive.errors import ArchiveError
from skywatch.archive.state import mark_changed
from skywatch.core.database.engine import writing
from skywatch.core.storage.audit import Actor
from tests.archives import archive
from tests.batches import moment, results, rows_of, run_job, store, straight
from tests.unit.archive.batch.conftest import AFTER, BEFORE, DAYS, add_rules, install

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

# A worker that dies with its first task, or with each; a file says which it is.
DYING = """
import os, sys, msgspec
from skywatch.archive.batch.task import Outcome, Task
from skywatch.core.process.children import read_frame, write_frame
while (data := read_frame(sys.stdin.buffer)) is not None:
    task = msgspec.msgpack.decode(data, type=Task)
    if task.day.isoformat() == "2026-03-02" and not os.path.exists(sys.argv[1]):
        if sys.argv[2] == "once":
            open(sys.argv[1], "w").close()
        os.abort()
    write_frame(sys.stdout.buffer, msgspec.msgpack.encode(Outcome()))
"""


def coverage(days, begin=DAYS[0], end=AFTER, workers=None):
    return run_job(days.sessions, days.settings, "coverage", begin, end, workers)


def test_second_run_does_nothing_and_a_lost_result_is_made_again(days, folder):
    coverage(days)
    first = results(folder, "coverage")
    again = coverage(days)
    assert (again.days, again.before) == ([], 4)
    (folder / "batch/coverage/day=2026-03-02/manifest.json").unlink()
    assert coverage(days).days == [DAYS[1]]
    assert results(folder, "coverage") == first


def test_day_that_was_archived_again_is_done_again(days, folder):
    coverage(days)
    first = results(folder, "coverage")
    more = straight(9, 0x3C0009, moment("2026-03-02T15:00:00"), 50.5, 8.0, 0, 300, 600)
    store(days.sessions, [more])
    with writing(days.sessions) as session:
        mark_changed(session, "positions", [DAYS[1]])
        mark_changed(session, "flights", [DAYS[1]])
    archive(days.sessions, days.settings)
    assert coverage(days).days == [DAYS[1]]
    second = results(folder, "coverage")
    assert [day for day in first if first[day] != second[day]] == ["2026-03-02"]


def decided(days, address, military):
    with writing(days.sessions) as session:
        decide(session, Actor("ada", "session", 1), address, military)


def test_day_whose_aircraft_turn_out_to_be_military_is_done_again(days, folder):
    coverage(days)
    first = results(folder, "coverage")
    decided(days, "3C0006", True)
    # Its flight may go on for another day.
    assert coverage(days).days == [DAYS[2], DAYS[2] + timedelta(days=1)]
    second = results(folder, "coverage")
    assert [day for day in first if first[day] != second[day]] == ["2026-03-03"]
    rows = rows_of(folder, "coverage")
    assert 0 < sum(row["points_civil"] for row in rows) < sum(row["points"] for row in rows)
    # Who flew on none of these days changes none of them.
    decided(days, "3C0099", True)
    assert coverage(days).days == []
    decided(days, "3C0006", False)
    assert coverage(days).days == [DAYS[2], DAYS[2] + timedelta(days=1)]
    assert results(folder, "coverage") == first
    # What was marked when it was received is shown by a word, too.
    decided(days, "3C0004", False)
    assert coverage(days).days == [DAYS[1], DAYS[2]]


def test_rules_of_who_may_not_see_it_do_not_match_who_turns_out_to_be_military(days, folder):
    _, sees_less = add_rules(days)

    def alerts():
        outcome = run_job(days.sessions, days.settings, "rules", DAYS[1], DAYS[2])
        assert outcome.days == [DAYS[1]]
        rows = [row for row in rows_of(folder, "rules") if row["user_id"] == sees_less]
        return {row["icao_hex"] for row in rows} & {"3C0003", "3C0004"}

    assert alerts() == {"3C0003"}
    decided(days, "3C0003", True)
    decided(days, "3C0004", False)
    assert alerts() == {"3C0004"}


def test_damaged_day_is_named_and_the_others_are_done(days, folder):
    file = next((folder / "day=2026-03-02").glob("positions-12.parquet"))
    file.write_bytes(file.read_bytes()[:-9])
    outcome = coverage(days)
    assert list(outcome.faults) == [DAYS[1]]
    assert "positions-12.parquet" in outcome.faults[DAYS[1]]
    assert sorted(outcome.days) == [DAYS[0], DAYS[2], AFTER - timedelta(days=1)]


def test_missing_day_is_named_and_its_neighbours_are_done_without_it(days, folder):
    manifest = folder / "day=2026-03-02" / "manifest.json"
    there = manifest.read_bytes()
    manifest.unlink()
    outcome = run_job(days.sessions, days.settings, "patterns", DAYS[0], AFTER)
    assert "is missing" in outcome.faults[DAYS[1]]
    assert list(outcome.faults) == [DAYS[1]]
    assert {DAYS[0], DAYS[2]} <= set(outcome.days)
    assert "2026-03-02 is missing" in outcome.left_out[DAYS[0]]
    # Once it is there again, what was done without it is done again.
    manifest.write_bytes(there)
    again = run_job(days.sessions, days.settings, "patterns", DAYS[0], AFTER)
    assert {DAYS[0], DAYS[1]} <= set(again.days)
    assert not again.left_out


def test_neighbour_with_a_damaged_file_is_left_out(days, folder):
    file = folder / "day=2026-03-02" / "positions-00.parquet"
    if not file.exists():
        file = min((folder / "day=2026-03-02").glob("positions-*.parquet"))
    there = file.read_bytes()
    file.write_bytes(there[:-9])
    outcome = run_job(days.sessions, days.settings, "safety", DAYS[0], AFTER)
    assert list(outcome.faults) == [DAYS[1]]
    assert all("2026-03-02 is damaged" in why for why in outcome.left_out.values())
    file.write_bytes(there)
    again = run_job(days.sessions, days.settings, "safety", DAYS[0], AFTER)
    assert set(outcome.left_out) | {DAYS[1]} <= set(again.days)
    assert not again.faults


def test_day_before_the_archive_is_not_archived(days):
    outcome = coverage(days, BEFORE, DAYS[1])
    assert outcome.days == [DAYS[0]]
    assert outcome.faults[BEFORE].endswith("is not archived yet")


def test_day_on_which_nothing_was_heard_has_an_empty_result(days):
    silent = DAYS[2] + timedelta(days=1)
    outcome = coverage(days, silent, AFTER)
    assert (outcome.days, outcome.faults, outcome.rows) == ([silent], {}, 0)
    # What is in the database and waits for the archive is no silence.
    store(days.sessions, [straight(9, 0x3C0009, moment("2026-03-04T15:00:00"), 50.5, 8.0, 0, 300, 600)])
    assert coverage(days, silent, AFTER).faults[silent].endswith("is not archived yet")
    archive(days.sessions, days.settings)
    assert coverage(days, silent, AFTER).days == [silent]


def test_day_that_is_not_over_is_not_archived(days):
    today = datetime.now(UTC).date()
    assert coverage(days, today, today + timedelta(days=1)).faults[today].endswith("is not archived yet")


def test_last_archived_day_is_done_again_once_the_next_one_is_there(migrated_sqlite, tmp_path, folder):
    runtime = install(migrated_sqlite, tmp_path)
    archive(runtime.sessions, runtime.settings, now=datetime(2026, 3, 3, 7, tzinfo=UTC))
    first = run_job(runtime.sessions, runtime.settings, "patterns", DAYS[0], DAYS[1])
    assert first.incomplete == [DAYS[0]]
    cut = results(folder, "patterns")
    archive(runtime.sessions, runtime.settings)
    second = run_job(runtime.sessions, runtime.settings, "patterns", DAYS[0], DAYS[1])
    assert (second.days, second.incomplete) == ([DAYS[0]], [])
    assert results(folder, "patterns") != cut


def test_coverage_without_a_station_names_the_setting(migrated_sqlite, tmp_path):
    runtime = install(migrated_sqlite, tmp_path)
    archive(runtime.sessions, runtime.settings)
    outcome = run_job(runtime.sessions, runtime.settings, "coverage", DAYS[0], DAYS[1])
    assert "station_lat" in outcome.faults[DAYS[0]]


@pytest.mark.parametrize(("how", "tries"), [("once", 1), ("always", 3)])
def test_worker_that_dies_is_replaced_and_its_day_tried_again(days, tmp_path, how, tries):
    told = []
    pool = ProcessPool([sys.executable, "-c", DYING, str(tmp_path / "died"), how], 2, told.append)
    try:
        outcome = coverage(days, workers=pool)
    finally:
        pool.close()
    assert len(told) == tries
    assert all(line.startswith("2026-03-02") for line in told)
    assert set(outcome.faults) == (set() if how == "once" else {DAYS[1]})
    assert len(outcome.days) + len(outcome.faults) == 4


def test_same_job_does_not_run_twice_at_once(days):
    with (
        only_runner(days.settings, "coverage"),
        pytest.raises(ArchiveError, match="running batch coverage already"),
        only_runner(days.settings, "coverage"),
    ):
        pass
