"""Connections to SQLite, and what a database says of a fault."""

import contextlib
import socket
import threading

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.cli import group
from skywatch.core.database.engine import create_engine, create_session_factory, reason, writing
from tests.ports import free_port
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


DAMAGES = {
    "another file": lambda data: b"hello world" * 1000,
    "its head": lambda data: b"x" * 100 + data[100:],
    "its schema": lambda data: data[:100] + b"\xee" * 3996 + data[4096:],
    "cut off": lambda data: data[:20_000],
    "zeros": lambda data: data[:4096] + bytes(len(data) - 4096),
    "other pages": lambda data: data[:4096] + b"\xee" * (len(data) - 4096),
}


@pytest.mark.parametrize("command", ["serve", "init"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_ends_the_start_at_once_with_one_line(migrated_sqlite, tmp_path, monkeypatch, damage, command):
    """No later attempt reads it, so that none is waited for (``start_wait_s``)."""
    monkeypatch.setattr("skywatch.serving.start.time.sleep", lambda seconds: pytest.fail("the start waits"))
    path, ini = tmp_path / "sky.sqlite", tmp_path / "sky.ini"
    path.write_bytes(damage(migrated_sqlite.read_bytes()))
    ini.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"database_url = sqlite:///{path}\nlisten = 127.0.0.1:{free_port()}\n"
        f"realtime_listen = 127.0.0.1:{free_port()}\nreceiver.demo = simulate aircraft=1\n"
    )
    done = CliRunner().invoke(group, [command, str(ini)])
    assert isinstance(done.exception, SystemExit), done.exception
    (line,) = done.output.splitlines()
    assert done.exit_code == 1
    assert line.startswith("skywatch: setting database_url: ")
    assert line.endswith("; restore it from a backup")


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


def test_few_connections_to_sqlite_do_most_of_the_work(tmp_path):
    """Each fills caches of its own in time: those that only a rush needed stay small."""
    engine = create_engine(f"sqlite:///{tmp_path / 'new.sqlite'}")
    rush = [engine.connect() for _ in range(4)]
    for connection in rush:
        connection.close()
    used = set()
    for _ in range(8):
        with engine.connect() as connection:
            used.add(connection.connection.driver_connection)
    assert len(used) == 1
    engine.dispose()


def test_what_a_connection_to_sqlite_caches_is_bounded(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path / 'new.sqlite'}")
    with engine.connect() as connection:
        # KiB are negative, pages positive.
        assert -1_000 <= connection.exec_driver_sql("PRAGMA cache_size").scalar() < 0
    engine.dispose()


def test_of_several_servers_one_that_is_gone_is_waited_for_once(postgresql_url):
    """Each new connection would take seconds as long as the first host of the address does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        gone.setblocking(False)
        url = sa.make_url(postgresql_url)
        servers = (f"127.0.0.1:{gone.getsockname()[1]}", f"{url.host}:{url.port or 5432}")
        several = url.set(host=None, port=None, query={"host": servers, "connect_timeout": "2"})
        engine = create_engine(several.render_as_string(hide_password=False))
        for _ in range(3):
            with engine.connect() as connection:
                assert connection.scalar(sa.text("SELECT 1")) == 1
            engine.dispose()
        tries = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                gone.accept()[0].close()
                tries += 1
    assert tries == 1
