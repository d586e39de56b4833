"""What is logged of failures that several parts have for one cause."""

import gc
import logging

import pytest
import sqlalchemy as sa

from skywatch.core.database import engine as db
from skywatch.core.telemetry.fault_log import PAUSE_S, SPEAKS_S, FaultLog


@pytest.fixture
def clock(monkeypatch):
    moment = [1000.0]
    monkeypatch.setattr("skywatch.core.telemetry.fault_log.time.monotonic", lambda: moment[0])
    return moment


def part(name):
    return FaultLog(logging.getLogger("test"), f"{name} fails", f"{name} works")


def fail(*parts):
    for one in parts:
        one.failed("away", cause="database")


def taken(caplog):
    messages = [record.message for record in caplog.records]
    caplog.clear()
    return messages


def test_one_part_speaks_for_all_that_fail_for_the_same_cause(clock, caplog):
    parts = history, rules, places = part("history"), part("rules"), part("places")
    for _ in range(61):
        fail(*parts)
        clock[0] += 1.0
    assert taken(caplog) == [
        "history fails: away",
        "history fails: away (61 times in 60 s); for the same cause: places fails, rules fails",
    ]
    assert [one.count for one in parts] == [61, 61, 61]
    rules.succeeded()
    history.succeeded()
    fail(places)  # An attempt that began before the end.
    places.succeeded()
    assert taken(caplog) == [
        "history works after 61 failed attempts in 61 s; for the same cause: places fails, rules fails"
    ]
    # The next time is one of its own.
    clock[0] += PAUSE_S
    fail(rules, history)
    rules.succeeded()
    assert taken(caplog) == [
        "rules fails: away",
        "rules works after 1 failed attempts in 0 s; for the same cause: history fails",
    ]


def test_a_part_that_fails_longer_than_the_one_that_spoke_says_so(clock, caplog):
    history, rules = part("history"), part("rules")
    fail(history, rules)
    history.succeeded()
    taken(caplog)
    for _ in range(int(PAUSE_S) + 1):
        fail(rules)
        clock[0] += 1.0
    (line,) = taken(caplog)
    assert line.startswith("rules fails: away (")


@pytest.mark.deep("costs over a processor second")
def test_a_part_that_is_gone_or_was_stopped_silences_nobody(clock, caplog):
    gone, stopped, rules = part("gone"), part("stopped"), part("rules")
    fail(gone)
    del gone
    gc.collect()
    fail(stopped)
    clock[0] += SPEAKS_S
    fail(rules)
    assert taken(caplog) == ["gone fails: away", "stopped fails: away", "rules fails: away"]


def test_another_cause_and_a_fault_of_our_own_are_said_at_once(clock, caplog):
    history, rules, places = part("history"), part("rules"), part("places")
    fail(history)
    rules.failed("a bug", ValueError("a bug"))
    places.failed("read-only", cause="read-only database")
    assert taken(caplog) == ["history fails: away", "rules fails: a bug", "places fails: read-only"]


def test_what_several_parts_fail_for_is_told_from_what_is_one_parts_own(database_url, tmp_path):
    engine = db.create_engine(database_url)

    def error_of(work):
        with pytest.raises(sa.exc.SQLAlchemyError) as raised:
            work()
        return raised.value

    def run(statement):
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    assert db.outage_of(error_of(lambda: run("SELECT 1 FROM no_such_table"))) == ""
    assert db.outage_of(ValueError("no error of a database")) == ""
    assert db.outage_of(OSError("disk full")) == ""
    for url in (f"sqlite:///{tmp_path}/none/here.sqlite", "postgresql+psycopg://nobody@127.0.0.1:1/none"):
        assert db.outage_of(error_of(lambda url=url: sa.create_engine(url).connect())) == "database"
    assert db.outage_of(sa.exc.TimeoutError("no connection is free")) == "database"
    if engine.dialect.name == "postgresql":
        read_only = error_of(lambda: run("SET TRANSACTION READ ONLY; DELETE FROM users"))
        assert db.outage_of(read_only) == "read-only database"
    engine.dispose()


def test_a_fault_without_a_success_of_its_own_ends_after_a_quiet_time(clock, caplog):
    readers = part("readers")
    readers.end_after(60.0)
    readers.failed("one was closed")
    clock[0] += 59.0
    readers.end_after(60.0)
    clock[0] += 1.0
    readers.end_after(60.0)
    readers.end_after(60.0)
    assert taken(caplog) == ["readers fails: one was closed", "readers works after 1 failed attempts in 60 s"]
