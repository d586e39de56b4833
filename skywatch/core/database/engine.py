"""The database: engine, session factory, declarative base and the column types that SQLite and PostgreSQL share.

SQLite runs in WAL mode with foreign keys on; a writing session takes the write lock when it begins, so that two
writers wait for each other instead of failing half-way.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, Engine, ExceptionContext, make_url
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.types import TypeDecorator

from skywatch.core.private_files import create_private
from skywatch.core.telemetry.fault_log import LOGGED, FaultLog, LoggedError

# How long a writer waits for another one before it gives up (s); bulk imports hold the lock for less than this.
SQLITE_BUSY_TIMEOUT_S = 15
# Connections to a server: kept open, opened in addition in a rush, and how long to wait for one of them (s).
POOL_SIZE, POOL_OVERFLOW, POOL_WAIT_S = 10, 20, 5.0
# Pages that a connection to SQLite caches (KiB; SQLite's default is 2,000). The system caches the file as well: queries
# take as long, and five connections hold 3 MB instead of 9.
SQLITE_CACHE_KIB = 500
# The write-ahead journal is cut to this size when it restarts (bytes).
SQLITE_JOURNAL_BYTES = 8_000_000

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class DatabaseError(Exception):
    """The database cannot be opened or does not fit the code; ``str()`` is one line for the administrator."""


class DatabaseAwayError(DatabaseError):
    """The database cannot be opened at present, and may be later."""


class UTCDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite, which has no time zones, stores it as UTC."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a datetime without a zone cannot be stored")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Jsonb(TypeDecorator[Any]):
    """PostgreSQL's JSONB, whose dialect is imported where there is a PostgreSQL: it takes 4 MB."""

    impl = sa.JSON
    cache_ok = True

    def __init__(self, none_as_null: bool = False) -> None:
        super().__init__(none_as_null=none_as_null)
        self.none_as_null = none_as_null

    def load_dialect_impl(self, dialect: Any) -> Any:
        from sqlalchemy.dialects.postgresql import JSONB

        return dialect.type_descriptor(JSONB(none_as_null=self.none_as_null))


# JSON documents: JSONB where there is one.
JSONDocument = sa.JSON().with_variant(Jsonb(), "postgresql")
# Identifiers grow by one on both databases; SQLite only does so for plain INTEGER.
BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# SQLite gives the id of a deleted row again unless told otherwise: what tokens, deliveries, events, caches or clients
# may still name must never come to mean another row.
NEVER_REUSED = {"sqlite_autoincrement": True}


class Base(DeclarativeBase):
    """The declarative base of every table."""

    metadata = sa.MetaData(naming_convention=NAMING_CONVENTION)
    type_annotation_map = {datetime: UTCDateTime, dict[str, Any]: JSONDocument, list[str]: JSONDocument}  # noqa: RUF012


SessionFactory = sessionmaker[Session]
# The key of a session's ``info`` for its fence (``core.database.fencing``).
FENCE = "skywatch.fence"


def create_engine(database_url: str, *, timeout_s: float | None = None) -> Engine:
    """Open an engine for a SQLAlchemy URL; raises DatabaseError where the URL or its driver is not usable.

    ``sqlite://`` is a database that is gone with the engine: a temporary file.

    ``timeout_s`` is the longest that a server may work on one statement; commands that take their time set none.
    """
    try:
        url = make_url(database_url)
        engine = _sqlite_engine(url) if url.get_backend_name() == "sqlite" else _server_engine(url, timeout_s)
    except (sa.exc.ArgumentError, ValueError):
        raise DatabaseError("setting database_url: is not a database URL") from None
    except (sa.exc.NoSuchModuleError, ModuleNotFoundError) as error:
        raise DatabaseError(
            f"setting database_url: no driver for it is installed ({error}); try pip install 'psycopg[binary]'"
        ) from None
    return engine


def sqlite_file(url: URL | str) -> Path | None:
    """The file of an SQLite database; None where the database is a server's or in memory."""
    url = make_url(url)
    if url.get_backend_name() != "sqlite" or url.query.get("mode") == "memory":
        return None
    path = (url.database or "").removeprefix("file:").partition("?")[0]
    return None if path in ("", ":memory:") else Path(path)


def check_connection(engine: Engine) -> None:
    """Raise DatabaseError with a short reason where the database does not answer; where a later attempt may succeed,
    DatabaseAwayError."""
    try:
        with engine.connect() as connection:
            connection.execute(sa.text("SELECT 1"))
    except sa.exc.DBAPIError as error:
        shown = engine.url.render_as_string(hide_password=True)
        if is_damaged(error):
            raise DatabaseError(f"setting database_url: {shown} {damage(error)}") from None
        kind = DatabaseAwayError if is_outage(error) and not _is_no_file(error) else DatabaseError
        raise kind(f"setting database_url: {shown} cannot be opened: {reason(error)}") from None


def is_damaged(error: BaseException) -> bool:
    """Whether SQLite cannot read its file, now or later (primary result codes): CORRUPT, FORMAT, NOTADB."""
    return getattr(getattr(error, "orig", None), "sqlite_errorcode", 0) & 0xFF in (11, 24, 26)


def damage(error: BaseException) -> str:
    """What is wrong with a damaged file and what to do, after its name."""
    return f"cannot be read: {reason(error)}; restore it from a backup"


def _is_no_file(error: sa.exc.DBAPIError) -> bool:
    """Whether SQLite finds no file there that it may open (primary result code CANTOPEN)."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == 14


def reason(error: BaseException) -> str:
    """The error message of a database or the system, in one line: without SQLAlchemy's wrapping, never empty."""
    message = str(getattr(error, "orig", None) or error).strip()
    return message.splitlines()[0] if message else type(error).__name__


READ_ONLY = "25006"  # PostgreSQL's read_only_sql_transaction
# PostgreSQL's errors about a row itself: data exceptions, broken constraints, limits of a statement, triggers.
_REFUSED_CLASSES = frozenset({"22", "23", "44", "54", "P0"})
# The same of SQLite (primary result codes): TOOBIG, CONSTRAINT, MISMATCH, RANGE.
_REFUSED_CODES = frozenset({18, 19, 20, 25})


def is_outage(error: BaseException) -> bool:
    """Whether the database does not take anything at present: away, locked, read-only, full, of another schema.

    False for what is wrong with the rows themselves, which no later attempt mends.
    """
    if isinstance(error, sa.exc.TimeoutError | OSError):
        return True
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state)[:2] not in _REFUSED_CLASSES
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF not in _REFUSED_CODES
    return not isinstance(error, sa.exc.IntegrityError | sa.exc.DataError)


def outage_of(error: BaseException) -> str:
    """What several parts fail for at once where an error is an outage of the database, for the log; else nothing."""
    if isinstance(error, LoggedError):
        return LOGGED
    if not isinstance(error, sa.exc.TimeoutError | sa.exc.DBAPIError) or not is_outage(error):
        return ""
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, sa.exc.DBAPIError) else None
    code = getattr(error.orig, "sqlite_errorcode", None) if isinstance(error, sa.exc.DBAPIError) else None
    if str(state)[:2] == "42" or (code is not None and code & 0xFF == 1):
        return ""  # A statement that does not fit the schema is that part's own.
    return "read-only database" if state == READ_ONLY else "database"


def report_fault(faults: FaultLog, error: BaseException) -> str:
    """Log an error, whose reason is returned; what the database refuses needs no traceback."""
    why = reason(error)
    faults.failed(why, None if isinstance(error, sa.exc.SQLAlchemyError) else error, outage_of(error))
    return why


def is_unavailable(error: BaseException) -> bool:
    """Whether a request failed because of the state the database is in, and may succeed later as it stands."""
    if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.TimeoutError):
        return True
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) == READ_ONLY


def create_session_factory(engine: Engine) -> SessionFactory:
    """Sessions whose objects stay usable after commit."""
    return sessionmaker(engine, expire_on_commit=False)


def has_one_writer(sessions: SessionFactory) -> bool:
    """Whether only one transaction can write at a time, as on SQLite."""
    bind = sessions.kw.get("bind")
    return bind is not None and bind.dialect.name == "sqlite"


@contextmanager
def writing(sessions: SessionFactory) -> Iterator[Session]:
    """One transaction outside a request: committed at the end, rolled back on any error.

    Raises FencedError where the sessions are those of a process whose place another one has taken (``fencing``).
    """
    with sessions() as session, session.begin():
        begin_writing(session)
        fence = session.info.get(FENCE)
        if fence is not None:
            fence.check(session)
        yield session


def begin_writing(session: Session) -> None:
    """Take SQLite's write lock now, so that this transaction cannot lose it to another writer half-way."""
    session.connection(execution_options={"sqlite_begin": "IMMEDIATE"})


def commit_without_standby(session: Session) -> None:
    """Let this transaction's commit not wait for a synchronous standby of PostgreSQL, which may be away."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(sa.text("SET LOCAL synchronous_commit TO local"))


def insert_into(session: Session, table: Any) -> Any:
    """An INSERT into a table or model with ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""
    return insert_of(session.get_bind().dialect.name, table)


def insert_of(dialect: str, table: Any) -> Any:
    """The same for a dialect of this name, for statements that are built once."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    return sqlite.insert(table)


def insert_many(connection: sa.Connection, table: Any, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows of a table whose key is an ``id`` that the database gives; the ids in the order of the rows.

    SQLAlchemy turns ``INSERT ... RETURNING`` of many rows into one statement for each row on SQLite, where nothing says
    in which order they come back.
    """
    if not rows:
        return []
    insert = sa.insert(table).returning(table.c.id, sort_by_parameter_order=True)
    if connection.dialect.name != "sqlite":
        return list(connection.execute(insert, list(rows)).scalars())
    # With the first row this transaction has the write lock, so that nobody else takes the ids behind its own.
    first = connection.execute(insert, [rows[0]]).scalar_one()
    ids = list(range(first, first + len(rows)))
    if len(rows) > 1:
        numbered = [{**row, "id": row_id} for row, row_id in zip(rows[1:], ids[1:], strict=True)]
        connection.execute(sa.insert(table), numbered)
    return ids


@contextmanager
def locked(connection: sa.Connection) -> Iterator[sa.RootTransaction]:
    """One transaction on a connection of one's own; it takes SQLite's write lock when it begins."""
    connection.execution_options(sqlite_begin="IMMEDIATE")
    try:
        with connection.begin() as transaction:
            yield transaction
    finally:
        connection.execution_options(sqlite_begin="DEFERRED")


@contextmanager
def without_foreign_keys(connection: sa.Connection) -> Iterator[None]:
    """SQLite follows no foreign keys on this connection, which is in no transaction yet.

    So migrations can drop a table to rebuild it; else the rows that refer to it would be deleted. What is not
    committed at the end is rolled back: within a transaction SQLite ignores the change.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    raw: Any = connection.connection.driver_connection
    raw.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        connection.rollback()
        raw.execute("PRAGMA foreign_keys=ON")


@contextmanager
def without_limit(connection: sa.Connection) -> Iterator[None]:
    """Statements of this connection may take as long as they need; for work that grows with the tables."""
    if connection.dialect.name != "postgresql":
        yield
        return
    raw: Any = connection.connection.driver_connection
    limit_s, raw.limit_s = raw.limit_s, None
    before = connection.exec_driver_sql("SHOW statement_timeout").scalar()
    connection.exec_driver_sql("SET statement_timeout = 0")
    try:
        yield
    finally:
        raw.limit_s = limit_s
        if not raw.closed:
            connection.exec_driver_sql(f"SET statement_timeout = '{before}'")


def _sqlite_engine(url: URL) -> Engine:
    folder = ""
    if sqlite_file(url) is None and url.query.get("mode") != "memory":
        # In memory each thread would have a database of its own, and readers would lock writers out.
        folder = tempfile.mkdtemp(prefix="skywatch-database-")
        url = url.set(database=f"{folder}/skywatch.sqlite")
    options: dict[str, Any] = {}
    if url.query.get("mode") != "memory":
        # The connection used last is used next: each fills caches of its own in time.
        options["pool_use_lifo"] = True
    engine = sa.create_engine(
        url, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_S, "check_same_thread": False}, pool_pre_ping=False, **options
    )
    if folder:
        weakref.finalize(engine, shutil.rmtree, folder, ignore_errors=True)
    path = sqlite_file(url)

    @event.listens_for(engine, "do_connect")
    def _create(dialect: Any, record: Any, arguments: Any, named: Any) -> None:
        # SQLite would create it with the umask; the journals next to it get the mode of the file.
        if path is not None and url.query.get("mode", "rwc") == "rwc":
            with suppress(OSError):  # SQLite says what is wrong with the place.
                create_private(path)

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, record: Any) -> None:
        # SQLAlchemy, not the driver, begins transactions (docs: "pysqlite transactional DDL and SERIALIZABLE").
        connection.isolation_level = None
        cursor = connection.cursor()
        # Lets retention give space back in small steps. Only an empty database takes it up, and to say it to another
        # one takes the write lock: a new connection would wait for whoever writes, perhaps for this very thread.
        if cursor.execute("PRAGMA page_count").fetchone()[0] == 0:
            cursor.execute("PRAGMA auto_vacuum=INCREMENTAL")
        cursor.execute("PRAGMA journal_mode=WAL")
        # What a bulk import or retention made of the journal is given back when it has been written to the file.
        cursor.execute(f"PRAGMA journal_size_limit={SQLITE_JOURNAL_BYTES}")
        cursor.execute(f"PRAGMA cache_size=-{SQLITE_CACHE_KIB}")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        how = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
        if how == "DEFERRED":
            # It waits for nobody and cannot fail; as a statement of SQLAlchemy it costs a twentieth of a small request.
            raw: Any = connection.connection.driver_connection
            raw.execute("BEGIN DEFERRED")
        else:
            connection.exec_driver_sql(f"BEGIN {how}")

    return engine


def _server_engine(url: URL, timeout_s: float | None) -> Engine:
    if url.get_backend_name() != "postgresql":
        return sa.create_engine(url, pool_pre_ping=True)
    url = url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url
    if url.get_driver_name() != "psycopg":
        raise ValueError(f"{url.get_driver_name()} is not a driver that is supported")
    from skywatch.core.database import postgresql

    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_timeout=POOL_WAIT_S,
        connect_args=postgresql.arguments(url.query),
    )
    postgresql.watch(engine, timeout_s)

    @event.listens_for(engine, "handle_error")
    def _leave(context: ExceptionContext) -> None:
        # Read-only: a standby, or a primary that became one. Connections keep that state, so that the next attempt
        # needs new ones, which may lead to another server.
        if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
            context.is_disconnect = True

    return engine
