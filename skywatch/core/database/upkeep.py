"""Upkeep of the database: its size, room that is given back (``VACUUM``), and texts that are encrypted afterwards."""

from __future__ import annotations

import contextlib
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.database.columns import Sealed, is_sealed
from skywatch.core.database.engine import Base, without_limit

# Free pages that one step gives back; fewer are left for what comes next.
VACUUM_PAGES = 500
INCREMENTAL = 2  # PRAGMA auto_vacuum of a database made by us


def database_bytes(engine: sa.Engine) -> tuple[int, int]:
    """(bytes in use, bytes free within the file) of the whole database."""
    with engine.connect() as connection:
        if engine.dialect.name != "sqlite":
            return int(connection.scalar(sa.text("SELECT pg_database_size(current_database())")) or 0), 0
        pages, free, size = (
            int(connection.exec_driver_sql(f"PRAGMA {name}").scalar() or 0)
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size, free * size


def vacuum_table(engine: sa.Engine, name: str) -> None:
    """Make the room of removed rows reusable in PostgreSQL, and cut off what is free at the end of the table."""
    # Outside a transaction, and while others read and write: it yields to exclusive locks.
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection, without_limit(connection):
        connection.exec_driver_sql(f'VACUUM "{name}"')


def shrink_file(engine: sa.Engine) -> bool:
    """Give a few free pages of SQLite's file back to the file system; False where there is nothing to give back."""
    # The driver's own connection: this must run outside a transaction, and to its end, which is many steps.
    pooled = engine.raw_connection()
    try:
        raw: Any = pooled.driver_connection
        free = raw.execute("PRAGMA freelist_count").fetchone()[0]
        if raw.execute("PRAGMA auto_vacuum").fetchone()[0] != INCREMENTAL or free < VACUUM_PAGES:
            return False
        raw.executescript(f"PRAGMA incremental_vacuum({VACUUM_PAGES})")
        return True
    finally:
        pooled.close()


def let_file_shrink(engine: sa.Engine) -> None:
    """Rewrite an SQLite file from before ``auto_vacuum``, so that ``shrink_file`` works on it from now on.

    Needs as much free disk space as the file takes, and no other process that uses it.
    """
    pooled = engine.raw_connection()
    try:
        raw: Any = pooled.driver_connection
        raw.execute("PRAGMA auto_vacuum=INCREMENTAL")
        raw.execute("VACUUM")
    finally:
        pooled.close()


def seal_stored(session: Session) -> list[str]:
    """Encrypt the plain texts in all columns of the type ``Sealed``; returns the tables in which there were any.

    The engine must have a secret (``seal_columns``).
    """
    return [table.name for table in Base.metadata.sorted_tables if _seal_table(session, table)]


def erase_plain_texts(engine: sa.Engine, tables: list[str]) -> None:
    """Rewrite the tables' files, so that no page contains a text from before it was encrypted.

    On SQLite that is the whole file with its journal, on PostgreSQL the tables alone, which are locked meanwhile.
    Raises the driver's error or DBAPIError, for example where the disk has no room for a second copy.
    """
    if engine.dialect.name != "sqlite":
        with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            connection.exec_driver_sql(f"VACUUM (FULL) {', '.join(tables)}")
        return
    with contextlib.closing(engine.raw_connection()) as raw:
        # Not by SQLAlchemy, which begins a transaction first.
        raw.cursor().execute("VACUUM")
        raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _seal_table(session: Session, table: sa.Table) -> bool:
    sealed = [column for column in table.columns if isinstance(column.type, Sealed)]
    if not sealed:
        return False
    (key,) = table.primary_key
    rows = session.execute(sa.select(key, *(sa.type_coerce(column, sa.Text) for column in sealed))).all()
    has_plain_texts = False
    for number, *stored in rows:
        plain = {column: text for column, text in zip(sealed, stored, strict=True) if text and not is_sealed(text)}
        if plain:
            session.execute(sa.update(table).where(key == number).values(plain))
            has_plain_texts = True
    return has_plain_texts
