"""Everything that the drill breaks in an installation: processes, Redis, PostgreSQL, SQLite, clocks and disks."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import psycopg
import sqlalchemy as sa

from tests.drills.conditions import Conditions, fill
from tests.drills.installation import Installation
from tests.waiting import PATIENCE_S


@dataclass(frozen=True)
class Fault:
    """``cause`` and ``cure`` act on the installation; ``hold`` False where the cause is over at once.

    ``part`` is the check that health has to show as failing where the fault is there at the start.
    """

    name: str
    cause: Callable[[Installation], None]
    cure: Callable[[Installation], None] = lambda installation: None
    hold: bool = True
    part: str = ""


# Processes


def _kill(name: str) -> Callable[[Installation], None]:
    def cause(installation: Installation) -> None:
        process = installation.processes[name]
        process.signal(signal.SIGKILL)
        if process.running is not None:
            process.running.wait(PATIENCE_S)

    return cause


def _signal(name: str, number: int) -> Callable[[Installation], None]:
    return lambda installation: installation.processes[name].signal(number)


def _start(name: str) -> Callable[[Installation], None]:
    return lambda installation: installation.processes[name].start()


def _restart(name: str) -> Callable[[Installation], None]:
    def cause(installation: Installation) -> None:
        installation.processes[name].stop()
        installation.processes[name].start()

    return cause


def of_process(name: str) -> Iterator[Fault]:
    """Every fault of one process."""
    yield Fault(f"{name}: kill -9, then started", _kill(name), _start(name))
    yield Fault(f"{name}: frozen", _signal(name, signal.SIGSTOP), _signal(name, signal.SIGCONT))
    yield Fault(f"{name}: restarted", _restart(name), hold=False)


# Redis


def _redis(*commands: tuple[str, ...]) -> Callable[[Installation], None]:
    def act(installation: Installation) -> None:
        admin = installation.redis_admin()
        for command in commands:
            admin.execute_command(*command)

    return act


def _redis_signal(number: int) -> Callable[[Installation], None]:
    def act(installation: Installation) -> None:
        assert installation.redis is not None
        assert installation.redis.process is not None
        installation.redis.process.send_signal(number)

    return act


_DROP_CLIENTS = (("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"), ("CLIENT", "KILL", "TYPE", "pubsub"))
REDIS = (
    Fault("Redis: kill -9, then started", lambda i: i.redis.stop(), lambda i: i.redis.start(), part="bus"),  # type: ignore[union-attr]
    Fault("Redis: frozen", _redis_signal(signal.SIGSTOP), _redis_signal(signal.SIGCONT), part="bus"),
    Fault(
        "Redis: dies without a word", lambda i: i.redis_relay.fall_silent(), lambda i: i.redis_relay.speak(), part="bus"
    ),  # type: ignore[union-attr]
    Fault(
        "Redis: a read-only replica",
        _redis(("REPLICAOF", "127.0.0.1", "1")),
        _redis(("REPLICAOF", "NO", "ONE")),
        part="bus",
    ),
    Fault(
        "Redis: out of memory",
        _redis(("CONFIG", "SET", "maxmemory", "1")),
        _redis(("CONFIG", "SET", "maxmemory", "0")),
        part="bus",
    ),
    Fault(
        "Redis: takes no more clients",
        _redis(("CONFIG", "SET", "maxclients", "2"), *_DROP_CLIENTS),
        _redis(("CONFIG", "SET", "maxclients", "10000")),
        part="bus",
    ),
    Fault(
        "Redis: wrong password",
        _redis(("CONFIG", "SET", "requirepass", "secret"), *_DROP_CLIENTS),
        _redis(("CONFIG", "SET", "requirepass", "")),
        part="bus",
    ),
    Fault("Redis: flushed", _redis(("FLUSHALL",)), hold=False),
)

# PostgreSQL


def _sql(*statements: str, end_connections: bool = True) -> Callable[[Installation], None]:
    def act(installation: Installation) -> None:
        assert installation.postgresql is not None
        installation.postgresql.execute(*statements)
        if end_connections:
            installation.postgresql.end_connections()

    return act


def _postgresql_signal(number: int) -> Callable[[Installation], None]:
    return lambda installation: installation.postgresql.signal_all(number)  # type: ignore[union-attr]


class _Hoard:
    """Takes every connection that PostgreSQL has to give."""

    def __init__(self) -> None:
        self._held: list[psycopg.Connection] = []

    def cause(self, installation: Installation) -> None:
        assert installation.postgresql is not None
        address = f"host=127.0.0.1 port={installation.postgresql.port} user=postgres dbname=postgres"
        # Taken first: later there may be none to end those of the service with.
        administrator = psycopg.connect(address, connect_timeout=5, autocommit=True)
        self._held.append(administrator)
        for _ in range(3):
            administrator.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'skywatch'")
            with suppress(psycopg.OperationalError):
                while True:
                    self._held.append(psycopg.connect(address, connect_timeout=5))

    def cure(self, installation: Installation) -> None:
        for connection in self._held:
            connection.close()
        self._held.clear()


_hoard = _Hoard()
POSTGRESQL = (
    Fault(
        "PostgreSQL: killed, then started",
        lambda i: i.postgresql.kill(),  # type: ignore[union-attr]
        lambda i: i.postgresql.start(),  # type: ignore[union-attr]
        part="database",
    ),
    Fault(
        "PostgreSQL: frozen",
        _postgresql_signal(signal.SIGSTOP),
        _postgresql_signal(signal.SIGCONT),
        part="database",
    ),
    Fault(
        "PostgreSQL: dies without a word",
        lambda i: i.postgresql_relay.fall_silent(),  # type: ignore[union-attr]
        lambda i: i.postgresql_relay.speak(),  # type: ignore[union-attr]
        part="database",
    ),
    Fault(
        "PostgreSQL: read-only",
        _sql("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"),
        _sql(
            "SET default_transaction_read_only = off", "ALTER SYSTEM RESET default_transaction_read_only",
            "SELECT pg_reload_conf()",
        ),
        part="history_writer",
    ),
    Fault("PostgreSQL: out of connections", _hoard.cause, _hoard.cure, part="database"),
    Fault(
        "PostgreSQL: refuses the login",
        _sql("ALTER ROLE skywatch NOLOGIN"),
        _sql("ALTER ROLE skywatch LOGIN"),
        part="database",
    ),
)  # fmt: skip

# Clocks


def clock_faults(installation: Installation, names: tuple[str, ...]) -> list[Fault]:
    """Those of the clocks of some processes, which are given clocks that can be set: an hour forward, and one back."""
    faults: list[Fault] = []
    for name in names:
        folder = installation.ini.parent / f"{name}-clock"
        folder.mkdir()
        conditions, process = Conditions(folder), installation.processes[name]
        process.environment = {**process.environment, **conditions.environment}
        for direction, seconds in (("forward", 3600), ("back", -3600)):
            faults.append(
                Fault(
                    f"{name}: its clock an hour {direction}",
                    lambda installation, seconds=seconds, conditions=conditions: conditions.set_clock(seconds),  # type: ignore[misc]
                    lambda installation, conditions=conditions: conditions.set_clock(0),  # type: ignore[misc]
                )
            )
    return faults


# SQLite


class _Lock:
    """Another program that holds the database's write lock."""

    def __init__(self) -> None:
        self._connection: sqlite3.Connection | None = None

    def cause(self, installation: Installation) -> None:
        self._connection = sqlite3.connect(str(installation.sqlite), timeout=60, check_same_thread=False)
        self._connection.execute("BEGIN IMMEDIATE")

    def cure(self, installation: Installation) -> None:
        assert self._connection is not None
        self._connection.rollback()
        self._connection.close()


_lock = _Lock()
SQLITE = (Fault("SQLite: locked by another program", _lock.cause, _lock.cure, part="history_writer"),)

# Disks: small file systems of their own


def _fill_disk_of_sqlite(installation: Installation) -> None:
    assert installation.sqlite is not None
    fill(installation.sqlite.parent)


def _free_disk_of_sqlite(installation: Installation) -> None:
    assert installation.sqlite is not None
    (installation.sqlite.parent / "filler").unlink()


def _fill_under_postgresql(installation: Installation) -> None:
    """Tables have no room of their own left either: each has to grow for the next rows."""
    assert installation.postgresql is not None
    installation.postgresql.execute("VACUUM FULL", database="skywatch")
    fill(installation.postgresql.disk)


def _fill_under_journal(installation: Installation) -> None:
    """PostgreSQL panics when it cannot begin the next file of its journal; often it does not come back by itself."""
    assert installation.postgresql is not None
    fill(installation.postgresql.disk)
    with suppress(sa.exc.DBAPIError):
        for _ in range(64):
            installation.postgresql.execute("SELECT pg_logical_emit_message(false, 'drill', ''), pg_switch_wal()")


def _make_room_under_postgresql(installation: Installation) -> None:
    """Whoever watches PostgreSQL starts it where it has ended."""
    assert installation.postgresql is not None
    (installation.postgresql.disk / "filler").unlink()
    if not installation.postgresql.runs:
        installation.postgresql.start()


FULL_DISK = Fault("SQLite: disk full", _fill_disk_of_sqlite, _free_disk_of_sqlite, part="disk")
POSTGRESQL_DISK = (
    Fault("PostgreSQL: disk full", _fill_under_postgresql, _make_room_under_postgresql, part="database"),
    Fault("PostgreSQL: no room for its journal", _fill_under_journal, _make_room_under_postgresql, part="database"),
)

# Receivers

RECEIVER = Fault(
    "Receiver: gone",
    lambda i: i.feed.close_clients(),  # type: ignore[union-attr]
    lambda i: i.feed.open(),  # type: ignore[union-attr]
    part="receivers",
)
