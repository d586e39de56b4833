"""Three archived days with an encounter and circles across midnight, and rules of two owners."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from skywatch.alerts.models import AlertRule
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.features import load
from skywatch.history.storage.points import MILITARY
from tests.accounts import TEST_SECRET, Population
from tests.archives import FIRST, archive
from tests.batches import circling, moment, run_job, store, straight

JOBS = ("patterns", "safety", "rules", "coverage", "hotspots")
DAYS = [FIRST + timedelta(days=number) for number in range(3)]
BEFORE, AFTER = FIRST - timedelta(days=1), FIRST + timedelta(days=4)
# The nearest approach of two head-on is half a minute after midnight; it is foreseen before.
MEETING = moment("2026-03-02T00:00:30")


def flights():
    """Tracks: head-on over midnight, a military one that is met at noon, circles over midnight, and a last day."""
    noon, late = moment("2026-03-02T12:00:00"), moment("2026-03-01T23:40:00")
    return [
        straight(1, 0x3C0001, MEETING, 50.0, 8.0, 90, 450, 300),
        straight(2, 0x3C0002, MEETING, 50.0, 8.0, 270, 450, 300),
        straight(3, 0x3C0003, noon, 51.0, 9.05, 0, 420, 300, altitude_ft=29_000),
        straight(4, 0x3C0004 | MILITARY, noon, 51.0, 9.05, 180, 420, 300, altitude_ft=29_000),
        circling(5, 0x3C0005, late, 49.5, 8.5, 2_400),
        straight(6, 0x3C0006, moment("2026-03-03T10:00:00"), 48.0, 8.0, 90, 300, 600),
    ]


def add_rules(runtime):
    """A rule of everything high, of one who may see military aircraft and of one who may not."""
    accounts, now = Population(runtime), utcnow()
    owners = accounts.user("ada", "superadmin"), accounts.user("vera", "viewer")
    with writing(runtime.sessions) as session:
        for number, owner in enumerate(owners, 1):
            session.add(
                AlertRule(
                    id=number,
                    user_id=owner,
                    name=f"High {number}",
                    priority="info",
                    conditions={"field": "alt_baro", "op": "gt", "value": 28_000},
                    for_s=2.0,
                    cooldown_s=300,
                    visibility="private",
                    created_at=now,
                    updated_at=now,
                )
            )
    return owners


@dataclass
class Installation:
    """What the helpers of tests want of a runtime."""

    sessions: Any
    settings: Any
    archive: Any
    owners: tuple[int, ...] = ()

    @property
    def storage(self):
        return open_storage(self.settings.of(ArchiveSettings))


def install(database, folder, **settings):
    """An installation with the flights, archived, in a copy of an empty database."""
    url = f"sqlite:///{shutil.copy(database, folder / 'history.sqlite')}"
    settings = {"archive_url": f"file://{folder}/archive"} | {name: str(value) for name, value in settings.items()}
    loaded = load({"secret": TEST_SECRET, "database_url": url, **settings})
    sessions = create_session_factory(create_engine(url))
    store(sessions, flights())
    return Installation(sessions, loaded, folder / "archive")


@pytest.fixture
def days(migrated_sqlite, tmp_path, place_settings):
    """An installation with three archived days."""
    made = install(migrated_sqlite, tmp_path, station_lat=50.0, station_lon=8.5, **place_settings)
    archive(made.sessions, made.settings)
    yield made
    made.sessions.kw["bind"].dispose()


@pytest.fixture(scope="module")
def evaluated(migrated_sqlite, tmp_path_factory):
    """The same with rules, and the results of all jobs."""
    made = install(migrated_sqlite, tmp_path_factory.mktemp("evaluated"), station_lat=50.0, station_lon=8.5)
    made.owners = add_rules(made)
    archive(made.sessions, made.settings)
    for job in JOBS:
        outcome = run_job(made.sessions, made.settings, job, DAYS[0], AFTER)
        # Of the fourth day nothing was heard.
        assert (len(outcome.days), outcome.faults) == (4, {})
    yield made
    made.sessions.kw["bind"].dispose()


@pytest.fixture
def folder(tmp_path):
    """The archive of ``days`` where it is a folder."""
    return tmp_path / "archive"
