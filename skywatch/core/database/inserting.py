"""Inserts many rows at once and returns their identifiers.

SQLAlchemy turns ``INSERT ... RETURNING`` of many rows into one statement for each row on SQLite, where nothing says in
which order they come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa


def insert_many(connection: sa.Connection, table: Any, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows of a table whose key is an ``id`` that the database gives; the ids in the order of the rows."""
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
