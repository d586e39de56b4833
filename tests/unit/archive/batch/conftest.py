"""Three archived days with an encounter and circles across midnight, and rules of two owners."""

from __future__ import annotations

from datetime import timedelta

import pytest

from skywatch.alerts.models import AlertRule
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.history.storage.points import MILITARY
from tests.accounts import Population
from tests.archives import FIRST, archive
from tests.batches import circling, moment, store, straight
from tests.unit.archive.conftest import Years

DAYS = [FIRST + timedelta(days=number) for number in range(3)]
BEFORE, AFTER = FIRST - timedelta(days=1), FIRST + timedelta(days=4)
# The nearest approach of two head-on is half a minute after midnight; it is foreseen before.
MEETING = moment("2026-03-02T00:00:30")


def flights():
    """Tracks: head-on over midnight, a military one that is met at noon, circles over midnight, and a last day."""
    noon, late = moment("2026-03-02T12:00:00"), moment("2026-03-01T23:20:00")
    return [
        straight(1, 0x3C0001, MEETING, 50.0, 8.0, 90, 450, 900),
        straight(2, 0x3C0002, MEETING, 50.0, 8.0, 270, 450, 900),
        straight(3, 0x3C0003, noon, 51.0, 9.05, 0, 420, 900, altitude_ft=29_000),
        straight(4, 0x3C0004 | MILITARY, noon, 51.0, 9.05, 180, 420, 900, altitude_ft=29_000),
        circling(5, 0x3C0005, late, 49.5, 8.5, 5_400),
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


@pytest.fixture
def days(make_runtime, place_settings):
    """An installation with three archived days."""
    runtime = make_runtime(station_lat=50.0, station_lon=8.5, **place_settings)
    store(runtime.sessions, flights())
    archive(runtime.sessions, runtime.settings)
    return Years(runtime, runtime.settings, None)


@pytest.fixture
def folder(tmp_path):
    """The archive of ``days`` where it is a folder."""
    return tmp_path / "archive"
