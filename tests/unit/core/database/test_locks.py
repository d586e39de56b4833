"""Locks of the installation: one holder, released by whatever ends it."""

import os
import subprocess
import sys

import pytest
import sqlalchemy as sa

from skywatch.core.database import locks
from skywatch.core.database.locks import AdvisoryLock, LockHeldError, NoLock, exclusive_lock
from tests.waiting import PATIENCE_S, until

HOLD = """
import sys
from skywatch.core.database.locks import exclusive_lock
lock = exclusive_lock(sys.argv[1], "tracker")
lock.take()
print("held", flush=True)
sys.stdin.read()
"""


def test_one_process_holds_the_lock_and_a_crash_releases_it(tmp_path):
    url = f"sqlite:///{tmp_path}/skywatch.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        lock = exclusive_lock(url, "tracker")
        with pytest.raises(LockHeldError, match=f"process {holder.pid}"):
            lock.take()
        exclusive_lock(url, "archive").take()  # another lock of the same installation
        holder.kill()
        holder.wait()
        lock.take()
        lock.take()  # still its own


def test_of_several_servers_the_lock_is_that_of_the_primary(postgresql_url):
    """A replica would give it as well, next to the one that the primary gives."""
    url = sa.make_url(postgresql_url)
    with sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool).connect() as connection:
        connection.exec_driver_sql(f'ALTER DATABASE "{url.database}" SET default_transaction_read_only = on')
    server = f"{url.host}:{url.port}"
    several = url.set(host=None, port=None, query={"host": (server, server)}).render_as_string(hide_password=False)
    with pytest.raises(sa.exc.OperationalError, match="session is read-only"):
        exclusive_lock(several, "tracker").take()


def test_the_lock_of_a_process_that_has_ended_is_taken_without_a_new_connection(postgresql_url, monkeypatch):
    lock, other = exclusive_lock(postgresql_url, "tracker"), exclusive_lock(postgresql_url, "tracker")
    # Nobody has it so far: who had it before, and whether he goes on, is not known.
    assert not lock.take_from_ended()
    assert not lock.take_from_ended()
    other.take()
    with pytest.raises(LockHeldError, match=str(os.getpid())):
        lock.take_from_ended()
    other.close()
    monkeypatch.setattr(AdvisoryLock, "_connect", lambda self: pytest.fail("connects again"))
    # However long it took to get here.
    monkeypatch.setattr(locks, "SPARE_S", 2 * PATIENCE_S)
    # The server ends the other's session a moment after it has hung up.
    until(lambda: _takes_from_ended(lock))
    monkeypatch.undo()
    with pytest.raises(LockHeldError):
        other.take()
    lock.close()
    other.close()


def _takes_from_ended(lock):
    try:
        return lock.take_from_ended()
    except LockHeldError:
        return False


def test_whoever_has_taken_the_lock_since_it_was_seen_is_left_alone(postgresql_url):
    lock, seen, faster = (exclusive_lock(postgresql_url, "tracker") for _ in range(3))
    seen.take()
    with pytest.raises(LockHeldError):
        lock.take()
    seen.close()
    faster.wait(PATIENCE_S)
    assert not lock.end_holder()
    with pytest.raises(LockHeldError):
        lock.take()
    assert lock.end_holder()
    lock.wait(PATIENCE_S)
    with pytest.raises(LockHeldError):
        faster.take()
    lock.close()
    faster.close()


def test_a_lock_that_all_sessions_have_lost_is_left_to_who_held_it(postgresql_url):
    lock, other = exclusive_lock(postgresql_url, "tracker"), exclusive_lock(postgresql_url, "tracker")
    other.take()
    with pytest.raises(LockHeldError):
        lock.take_from_ended()
    end_sessions(postgresql_url)
    with pytest.raises(sa.exc.OperationalError):
        lock.take_from_ended()
    assert not lock.take_from_ended()
    other.take()
    lock.close()
    other.close()


def test_a_lock_is_held_once_on_both_databases(database_url):
    first, second = exclusive_lock(database_url, "tracker"), exclusive_lock(database_url, "tracker")
    first.wait(0)
    with pytest.raises(LockHeldError, match=str(os.getpid())):
        second.wait(0)
    first.close()
    second.wait(30)
    first.close()
    second.close()


def test_a_database_in_memory_has_no_other_processes():
    for url in ("sqlite://", "sqlite:///:memory:", "sqlite:///file:here?mode=memory&uri=true"):
        assert isinstance(exclusive_lock(url, "tracker"), NoLock)


def test_whoever_lost_the_connection_finds_out_whether_the_lock_is_gone(postgresql_url):
    first, second = exclusive_lock(postgresql_url, "tracker"), exclusive_lock(postgresql_url, "tracker")
    first.take()
    end_sessions(postgresql_url)
    first.take()  # nobody else wanted it
    end_sessions(postgresql_url)
    second.wait(30)
    with pytest.raises(LockHeldError):
        first.take()
    first.close()
    second.close()


def test_a_session_of_its_own_that_the_server_holds_open_is_ended_and_no_other_one(postgresql_url):
    first, second = exclusive_lock(postgresql_url, "tracker"), exclusive_lock(postgresql_url, "tracker")
    first.take()
    dead, first._connection = first._connection, None  # given up on this side; the server knows nothing of it
    first.take()
    with pytest.raises(sa.exc.DBAPIError):
        dead.execute(sa.text("SELECT 1"))
    first.close()
    second.wait(30)
    with pytest.raises(LockHeldError):
        first.take()
    second.take()
    second.close()


def test_the_server_notices_a_host_that_is_gone(postgresql_url):
    lock = exclusive_lock(postgresql_url, "tracker")
    assert isinstance(lock, AdvisoryLock)
    lock.take()
    settings = {
        name: lock._connection.exec_driver_sql(f"SHOW {name}").scalar()
        for name in ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count")
    }
    lock.close()
    assert settings == {"tcp_keepalives_idle": "4", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3"}


def end_sessions(url):
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name LIKE 'skywatch tracker %%'"
        )
