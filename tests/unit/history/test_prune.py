"""``skywatch history prune``: a person applies retention, and vouches for the clock."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.cli import group
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.database.models import AuditEntry
from skywatch.history.models import Chunk
from tests import clocks


@pytest.fixture
def place(tmp_path, migrated_sqlite):
    shutil.copy(migrated_sqlite, tmp_path / "a.sqlite")
    ini = tmp_path / "skywatch.ini"
    ini.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"database_url = sqlite:///{tmp_path}/a.sqlite\nretention_positions_days = 90\n"
    )
    engine = create_engine(f"sqlite:///{tmp_path}/a.sqlite")
    yield ini, create_session_factory(engine)
    engine.dispose()


def fill(sessions, days):
    """A track each day up to a minute ago."""
    chunk = {"shard": 1, "aircraft": 1, "points": 1, "data": b"x"}
    with writing(sessions) as session:
        moments = [utcnow() - timedelta(days=number, minutes=1) for number in range(days)]
        session.execute(sa.insert(Chunk), [{**chunk, "slice_at": int(at.timestamp())} for at in moments])


def oldest_days(sessions):
    with sessions() as session:
        oldest = session.scalar(sa.select(sa.func.min(Chunk.slice_at)))
    return (utcnow() - datetime.fromtimestamp(oldest, UTC)).days


def prune(ini, *options, code=0):
    result = CliRunner().invoke(group, ["history", "prune", str(ini), *options])
    assert result.exit_code == code, result.output
    return result.output


def test_it_goes_in_portions_and_with_yes_at_once(place):
    ini, sessions = place
    fill(sessions, 120)
    shown = prune(ini)
    assert "positions: 3 rows removed" in shown
    assert "26 days of positions" in shown
    assert "--yes deletes them now" in shown
    assert oldest_days(sessions) == 116
    assert "positions: 0 rows removed" in prune(ini)
    assert "--yes" not in prune(ini, "--yes")
    assert oldest_days(sessions) == 89


def test_where_the_clock_is_doubted_it_says_why_and_deletes_with_yes(place):
    ini, sessions = place
    fill(sessions, 100)
    clocks.run(sessions, -30)
    refused = prune(ini, code=1)
    assert "retention by age waits: the clock was set forward by 30 days" in refused
    assert oldest_days(sessions) == 99
    prune(ini, "--yes")
    assert oldest_days(sessions) == 89
    with sessions() as session:
        (entry,) = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "retention.clock_confirmed"))
    assert (entry.actor_name, entry.method) == ("command line", "cli")
    prune(ini)
