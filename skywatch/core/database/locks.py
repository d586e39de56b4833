"""Locks that one process of an installation holds, and that its end releases, however it ends.

SQLite serves one host: the lock is the system's lock on a file next to the database. PostgreSQL serves many: the lock
is an advisory lock on a connection of its own, which the server releases when the connection ends or, where the host
is gone without a word, after ``RELEASED_AFTER_S`` by TCP keepalives.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

from skywatch.core.database.engine import sqlite_file
from skywatch.core.private_files import private_opener

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# TCP keepalives of the connection, on both sides: probes after 4 s of silence, every 2 s, three of them.
KEEPALIVE_IDLE_S, KEEPALIVE_INTERVAL_S, KEEPALIVE_COUNT = 4, 2, 3
RELEASED_AFTER_S = KEEPALIVE_IDLE_S + KEEPALIVE_INTERVAL_S * KEEPALIVE_COUNT
CONNECT_TIMEOUT_S = 5
STATEMENT_TIMEOUT_MS = 5000
RETRY_S = 0.5
# A connection that waits for the lock is replaced after so long (s).
SPARE_S = 5.0
# How long the server may take to end a session (s).
ENDED_WITHIN_S = 3.0
# A spare connection is replaced so long before it is too old (s).
RENEWED_BEFORE_S = 2.0


# The sessions that hold the advisory lock ``:name`` of this schema.
_HOLDERS = (
    "FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND l.classid::bigint = (hashtext(:name)::bigint & 4294967295)"
    " AND l.objid::bigint = (hashtext(coalesce(current_schema(), ''))::bigint & 4294967295)"
)


class LockHeldError(Exception):
    """Another process has the lock; ``str()`` names it, as far as it is known."""


class ExclusiveLock(ABC):
    """A lock that at most one process of the installation holds. Its methods are called by one thread at a time.

    ``patience_s`` is how long the lock of a process that has crashed may remain.
    """

    patience_s: float = 0.0

    @abstractmethod
    def take(self) -> None:
        """Take the lock, or find that this process holds it still.

        Raises LockHeldError where another process holds it, and what the database raises where it does not answer.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the lock. Safe to call twice."""

    def take_from_ended(self) -> bool:
        """Take the lock where its holder has lost it, and other processes have not lost theirs; False where it is free
        and that is not known.

        What ends the sessions of all, such as a restart of the server, says nothing of the holder. Raises like
        ``take``; where the database answers, the next one needs no new connection.
        """
        return False

    def end_holder(self) -> bool:
        """End the session that held the lock at the last attempt; False where there is no such thing."""
        return False

    def wait(self, within_s: float) -> None:
        """Take the lock as soon as it is released, within a time; raises like ``take``."""
        deadline = time.monotonic() + within_s
        while True:
            try:
                return self.take()
            except LockHeldError:
                if time.monotonic() + RETRY_S > deadline:
                    raise
                time.sleep(RETRY_S)


class NoLock(ExclusiveLock):
    """For a database in memory, which no other process can open."""

    def take(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""


class FileLock(ExclusiveLock):
    """A lock on a file, which holds the process number of its owner; the file stays where it is."""

    # A process that stops needs a moment to end.
    patience_s = 2.0

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def take(self) -> None:
        if self._file is not None:
            return
        file = open(self._path, "a+", encoding="ascii", errors="replace", opener=private_opener)  # noqa: SIM115 - close() closes it
        try:
            _lock(file)
        except OSError:
            file.seek(0)
            holder = file.read(100).strip()
            file.close()
            raise LockHeldError(f"process {holder}" if holder.isdigit() else "another process") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._file = file

    def take_from_ended(self) -> bool:
        self.take()
        return True

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _lock(file: IO[str]) -> None:
    """Lock a file or raise OSError."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    file.seek(0)
    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)


class AdvisoryLock(ExclusiveLock):
    """PostgreSQL's advisory lock of a name in one schema."""

    patience_s = RELEASED_AFTER_S + CONNECT_TIMEOUT_S

    def __init__(self, url: URL, name: str) -> None:
        from skywatch.core.database.postgresql import arguments, watch

        self._name = name
        self._connection: sa.Connection | None = None
        # An open connection that does not have the lock: whoever waits for the lock tries again and again.
        self._spare: sa.Connection | None = None
        self._connected_at = 0.0
        # Whether another process held the lock in the time of that connection.
        self._has_seen_holder = False
        # The sessions of this process that took the lock last, and of the last other one that was seen to hold it:
        # the process number at the server and when it began.
        self._session: tuple[int, Any] | None = None
        self._held_by: tuple[int, Any] | None = None
        self._engine = sa.create_engine(
            url,
            poolclass=sa.NullPool,
            isolation_level="AUTOCOMMIT",
            connect_args={
                # Of several servers the primary: the lock of a replica says nothing.
                **arguments(url.query),
                "connect_timeout": CONNECT_TIMEOUT_S,
                "keepalives_idle": KEEPALIVE_IDLE_S,
                "keepalives_interval": KEEPALIVE_INTERVAL_S,
                "keepalives_count": KEEPALIVE_COUNT,
                "tcp_user_timeout": RELEASED_AFTER_S * 1000,
                "application_name": f"skywatch {name} {socket.gethostname()}:{os.getpid()}",
            },
        )

        watch(self._engine, STATEMENT_TIMEOUT_MS / 1000)

    def take(self) -> None:
        try:
            if self._is_alive():  # the lock lives as long as its session
                return
            is_taken = self._try_spare()
            if is_taken or (self._end_own_session() and self._try_within(ENDED_WITHIN_S)):
                self._session = self._own_session()
                return
            holder = self._holder()
        except sa.exc.SQLAlchemyError:
            self.close()
            raise
        self._keep_as_spare(has_seen_holder=True)
        raise LockHeldError(holder or "another process")

    def take_from_ended(self) -> bool:
        """Take it where a session that saw it held goes on and finds it free: of the two the holder's alone has ended.

        A new session only looks: whoever took it to see whether it is free would end a process that is about to take it
        again.
        """
        fresh = None
        try:
            if self._is_alive():
                return True
            self._connection, self._spare = self._spare, None
            is_old = time.monotonic() - self._connected_at > SPARE_S - RENEWED_BEFORE_S
            fresh = self._connect() if self._connection is None or is_old else None
            # The old one, too: between its end and the first look of the new one nobody would look.
            if self._connection is not None and self._has_seen_holder and self._try():
                if fresh is not None:
                    fresh.close()
                self._session = self._own_session()
                return True
            if fresh is not None:
                self._give_up()
                self._connection, self._connected_at, self._has_seen_holder = fresh, time.monotonic(), False
            holder = self._holder()
        except sa.exc.SQLAlchemyError:
            self.close()
            if fresh is not None:
                fresh.close()
            raise
        self._keep_as_spare(has_seen_holder=self._has_seen_holder or bool(holder))
        if holder:
            raise LockHeldError(holder)
        return False

    def _keep_as_spare(self, *, has_seen_holder: bool) -> None:
        self._has_seen_holder = has_seen_holder
        self._spare, self._connection = self._connection, None

    def _try_spare(self) -> bool:
        """Whether the lock can be had, with the connection of the last attempt where that lives.

        After a while it is replaced: the server may have become a replica, on which the lock says nothing.
        """
        self._connection, self._spare = self._spare, None
        if time.monotonic() - self._connected_at > SPARE_S:
            self._give_up()
        if self._connection is not None:
            try:
                return self._try()
            except sa.exc.DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                self._give_up()
        self._connection, self._connected_at = self._connect(), time.monotonic()
        return self._try()

    def close(self) -> None:
        self._give_up()
        self._connection, self._spare = self._spare, None
        self._give_up()
        self._engine.dispose()

    def _give_up(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sa.exc.DBAPIError):  # it is broken: the server has released the lock
                self._connection.invalidate()
                self._connection.close()
            self._connection = None

    def _is_alive(self) -> bool:
        """Whether the session that took the lock is there still; one that the server has ended is given up."""
        if self._connection is None:
            return False
        try:
            self._connection.execute(sa.text("SELECT 1"))
        except sa.exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
            self.close()
            return False
        return True

    def _connect(self) -> sa.Connection:
        connection = self._engine.connect()
        # The server's side of the keepalives: what releases the lock of a host that is gone.
        for name, value in (
            ("tcp_keepalives_idle", KEEPALIVE_IDLE_S),
            ("tcp_keepalives_interval", KEEPALIVE_INTERVAL_S),
            ("tcp_keepalives_count", KEEPALIVE_COUNT),
            ("statement_timeout", STATEMENT_TIMEOUT_MS),
        ):
            connection.execute(sa.text("SELECT set_config(:name, :value, false)"), {"name": name, "value": str(value)})
        # An administrator's limit for sessions that do nothing must not end this one (PostgreSQL 14 and later).
        connection.execute(
            sa.text("SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'")
        )
        return connection

    def _try(self) -> bool:
        assert self._connection is not None
        taken = self._connection.execute(
            sa.text("SELECT pg_try_advisory_lock(hashtext(:name), hashtext(coalesce(current_schema(), '')))"),
            {"name": f"skywatch {self._name}"},
        )
        return bool(taken.scalar())

    def _try_within(self, within_s: float) -> bool:
        deadline = time.monotonic() + within_s
        while not self._try():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True

    def _own_session(self) -> tuple[int, Any] | None:
        assert self._connection is not None
        row = self._connection.execute(
            sa.text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
        ).first()
        return None if row is None else (row[0], row[1])

    def _end_own_session(self) -> bool:
        """Whether the server still had this process's own session, whose connection is dead on this side only.

        A proxy or a firewall in between may keep the server's side open indefinitely.
        """
        assert self._connection is not None
        return self._end(self._connection, self._session)

    @staticmethod
    def _end(connection: sa.Connection, session: tuple[int, Any] | None) -> bool:
        """End a session of the server, if it is there."""
        if session is None:
            return False
        pid, begin = session
        ended = connection.execute(
            sa.text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid AND backend_start = :begin"
            ),
            {"pid": pid, "begin": begin},
        )
        return bool(ended.scalar())

    def end_holder(self) -> bool:
        try:
            # With the connection of the attempt: a new one may be tried at a host that is gone first. Whoever has taken
            # the lock since is left alone.
            return self._spare is not None and self._end(self._spare, self._held_by)
        except sa.exc.SQLAlchemyError:
            self.close()
            raise

    def _holder(self) -> str:
        """The process that holds the lock, as far as it is known; empty where nobody does."""
        assert self._connection is not None
        row = self._connection.execute(
            sa.text(f"SELECT a.application_name, a.backend_start, a.pid {_HOLDERS}"), {"name": f"skywatch {self._name}"}
        ).first()
        if row is None:
            return ""
        self._held_by = row[2], row[1]
        if not row[0]:
            return "another process"
        return f"{str(row[0]).removeprefix(f'skywatch {self._name} ')}, since {row[1]:%Y-%m-%d %H:%M:%S %Z}"


def exclusive_lock(database_url: str, name: str) -> ExclusiveLock:
    """The lock of a name for all processes that use this database."""
    url = make_url(database_url)
    if url.get_backend_name() == "postgresql":
        return AdvisoryLock(url, name)
    path = sqlite_file(url)
    return NoLock() if path is None else FileLock(Path(f"{path}-{name}.lock"))
