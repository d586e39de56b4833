"""Encrypts what an earlier version stored as plain text in columns that are encrypted now."""

from __future__ import annotations

import contextlib

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.database.columns import Sealed, is_sealed
from skywatch.core.database.engine import Base


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
