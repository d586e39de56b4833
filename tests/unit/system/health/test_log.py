"""The history of health: what changed and why, and nothing of it is lost while the database is away."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import SQLAlchemyError

from skywatch.system.health.checks import Check
from skywatch.system.health.log import HealthLog, find_changes


def changes_of(runtime, part=None):
    with runtime.sessions() as session:
        return [(row.part, row.before, row.after, row.reason) for row in find_changes(session, part, 100)]


def test_each_change_of_a_state_is_stored_once(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    log = HealthLog(runtime.sessions)
    database, history = Check("database", True, True, "answers"), Check("history", True, False, "works")
    log.take([database, history])
    log.take([database, history])
    log.take([database, Check("history", False, False, "queue is full")])
    log.take([Check("database", False, True, "does not answer"), Check("history", False, False, "queue is fuller")])
    assert changes_of(runtime) == [
        ("database", "ok", "failing", "does not answer"),
        ("history", "ok", "degraded", "queue is full"),
        ("history", "", "ok", "works"),
        ("database", "", "ok", "answers"),
    ]
    assert len(changes_of(runtime, "history")) == 2


def test_of_several_processes_the_worst_counts(runtime):
    log = HealthLog(runtime.sessions)
    states = [(True, "works"), (False, "behind"), (True, "")]
    log.take([Check("writer", ok, False, detail) for ok, detail in states])
    assert changes_of(runtime) == [("writer", "", "degraded", "behind")]


def test_what_cannot_be_written_waits(runtime):
    log = HealthLog(runtime.sessions)
    with runtime.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE health_changes RENAME TO away")
    for check in (Check("database", False, True, "gone"), Check("database", True, True, "answers")):
        with pytest.raises(SQLAlchemyError):
            log.take([check])
    with runtime.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE away RENAME TO health_changes")
    log.take([Check("database", True, True, "answers")])
    assert [change[2] for change in changes_of(runtime)] == ["ok", "failing"]
