"""Retention deletes only what the archive has, hashed again by the run that deletes."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
import sqlalchemy as sa

from skywatch.archive.state import mark_changed
from skywatch.archive.writer.removal import RemovalGuard
from skywatch.core.database.engine import writing
from skywatch.core.storage.retention import Pruner
from skywatch.core.storage.retention_clock import Reading, RetentionClock
from skywatch.history.models import Chunk, Flight
from tests.archives import FIRST, LATER, archive, counts, prune, states

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

DAY = FIRST + timedelta(days=1)
RETENTION = {"retention_positions_days": 1.0, "retention_flights_days": 1.0}


@pytest.fixture
def years(make_runtime, place_settings, years, make_settings):
    years.settings = make_settings(**place_settings, **RETENTION)
    return years


def test_nothing_goes_that_is_not_archived(years):
    before = counts(years.sessions)
    prune(years.runtime, years.settings)
    assert counts(years.sessions) == before


def test_archived_days_go_and_are_noted(years):
    archive(years.sessions, years.settings)
    prune(years.runtime, years.settings)
    assert counts(years.sessions) == (0, 0)
    assert all(state.removed_at is not None for state in states(years.sessions).values() if state.rows)


def test_without_an_archive_all_that_is_old_goes(years, make_settings):
    prune(years.runtime, make_settings(**RETENTION))
    assert counts(years.sessions) == (0, 0)


def test_kinds_that_are_not_archived_go_as_before(years, make_settings, place_settings):
    settings = make_settings(**place_settings, **RETENTION, archive_kinds="positions")
    flights, points = counts(years.sessions)
    prune(years.runtime, settings)
    assert flights > 0
    assert counts(years.sessions)[1] == points


@pytest.mark.parametrize("damage", ["changed", "missing", "no manifest", "newer"])
def test_damaged_day_stays_in_the_database(years, damage):
    archive(years.sessions, years.settings)
    folder = years.storage.folder / f"day={DAY}"
    path = folder / ("flights.parquet" if damage in ("changed", "missing") else "manifest.json")
    if damage == "changed":
        path.write_bytes(path.read_bytes()[:-1] + b"\0")
    elif damage == "newer":
        path.write_text(path.read_text().replace('"schema": 2', '"schema": 3'))
    else:
        path.unlink()
    pruner = prune(years.runtime, years.settings)
    assert "2026-03-02" in str(pruner.faults["flights"])
    with years.sessions() as session:
        days = set(
            session.scalars(
                sa.select(sa.func.date(sa.type_coerce(Flight.first_seen_at, sa.Integer) / 1000, "unixepoch"))
            )
        )
    assert days == {"2026-03-02"}


def test_day_that_was_changed_since_stays_until_it_is_archived_again(years):
    archive(years.sessions, years.settings)
    with writing(years.sessions) as session:
        mark_changed(session, "positions", [DAY])
    prune(years.runtime, years.settings)
    with years.sessions() as session:
        begins = set(session.scalars(sa.select(Chunk.slice_at // 86_400)))
    assert len(begins) == 1
    archive(years.sessions, years.settings)
    prune(years.runtime, years.settings)
    assert counts(years.sessions) == (0, 0)


def test_row_that_nobody_noted_keeps_its_day(years):
    archive(years.sessions, years.settings)
    with writing(years.sessions) as session:
        flight = session.get(Flight, 20)
        columns = {c.name: getattr(flight, c.name) for c in Flight.__table__.c} | {"id": 9_000}
        session.execute(sa.insert(Flight), [columns])
    prune(years.runtime, years.settings)
    assert counts(years.sessions)[0] > 1
    archive(years.sessions, years.settings)
    prune(years.runtime, years.settings)
    assert counts(years.sessions)[0] == 0


def test_limit_of_size_also_spares_what_is_not_archived(years, make_settings, place_settings):
    settings = make_settings(**place_settings, retention_positions_mb=0.001)
    before = counts(years.sessions)
    prune(years.runtime, settings)
    assert counts(years.sessions) == before
    archive(years.sessions, settings)
    prune(years.runtime, settings)
    assert counts(years.sessions)[1] < before[1]


def test_days_older_than_the_archive_keeps_go_without_it(years, make_settings, place_settings):
    settings = make_settings(**place_settings, **RETENTION, archive_keep_days=2)
    assert LATER.date() > FIRST
    prune(years.runtime, settings)
    assert counts(years.sessions) == (0, 0)


@pytest.mark.parametrize("hour", [0, 12])
def test_a_day_goes_once_all_of_it_is_old(years, hour):
    """Before noon of the second day only the first is over; at its midnight, too."""
    archive(years.sessions, years.settings)
    before = datetime.combine(DAY, time(hour), UTC)
    guard = RemovalGuard(years.sessions, years.settings, lambda: LATER)
    (flights,) = (kind for kind in years.settings.features.retention_kinds() if kind.name == "flights")
    (part,) = guard.parts(flights, before)
    with years.sessions() as session:
        of_part = session.scalars(sa.select(Flight.first_seen_at).where(part)).all()
    assert {at.date() for at in of_part} == {FIRST}
    noted = {day for (kind, day), state in states(years.sessions).items() if kind == "flights" and state.removed_at}
    assert noted == {FIRST}


def test_a_clock_in_doubt_says_of_no_day_that_the_archive_would_not_keep_it(years, make_settings, place_settings):
    """Limits of room go on meanwhile, and delete only what is archived."""
    settings = make_settings(**place_settings, retention_positions_mb=0.001, archive_keep_days=2)
    before = counts(years.sessions)
    runs = [datetime(2026, 3, 2, 12, tzinfo=UTC), datetime(2029, 3, 2, 12, tzinfo=UTC)]
    for now in runs:
        offset_s = (now - runs[0]).total_seconds()
        clock = RetentionClock(years.sessions, read=lambda now=now, offset_s=offset_s: Reading(now, offset_s, "boot"))
        guard = RemovalGuard(years.sessions, settings, clock.believed)
        kinds = settings.features.retention_kinds()
        Pruner(years.runtime.engine, years.sessions, settings, kinds, lambda seconds: False, guard, clock).run()
    assert clock.record.hold is not None
    assert counts(years.sessions) == before
