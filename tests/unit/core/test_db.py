"""Connections to SQLite, and what a database says of a fault."""

import threading

import pytest
import sqlalchemy as sa

from skywatch.core.db import create_engine, create_session_factory, reason, writing
from tests.waiting import PATIENCE_S


def test_a_new_connection_does_not_wait_for_who_writes(sqlite_url):
    engine = create_engine(sqlite_url)
    sessions, answers = create_session_factory(engine), []

    def read():
        with engine.connect() as connection:
            answers.append(connection.scalar(sa.text("SELECT 1")))

    with writing(sessions) as session:
        session.execute(sa.text("UPDATE access_version SET version = version + 1"))
        reader = threading.Thread(target=read)
        reader.start()
        reader.join(PATIENCE_S)
        assert answers == [1], "the connection waits for the write lock"
    engine.dispose()


def test_an_empty_database_is_made_to_give_space_back_in_steps(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path / 'new.sqlite'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
    engine.dispose()
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA auto_vacuum").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    engine.dispose()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (sa.exc.OperationalError("SELECT 1", {}, Exception("disk I/O error")), "disk I/O error"),
        (sa.exc.OperationalError("SELECT 1", {}, Exception("one\ntwo")), "one"),
        (sa.exc.OperationalError("SELECT 1", {}, Exception("")), "OperationalError"),
        (OSError(), "OSError"),
    ],
    ids=["plain", "lines", "nothing", "system"],
)
def test_the_reason_of_a_fault_is_one_line(error, said):
    assert reason(error) == said
