"""Rows for any table, made from its columns: texts of their usual length, moments that go back from now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.columns import Moment, Scaled
from skywatch.core.database.engine import SessionFactory, UTCDateTime, writing

A_STATEMENT = 5_000
EVERY = timedelta(seconds=20)
# A value for all rows, or a function of the row's number.
Value = Any


def insert(sessions: SessionFactory, table: Any, count: int, /, **values: Value) -> None:
    """Add rows to a mapped table; columns without a value get one of their kind, nullable ones none."""
    with writing(sessions) as session:
        for some in _batches(_rows(table, count, values)):
            session.execute(sa.insert(table), some)


def _rows(table: Any, count: int, values: Mapping[str, Value]) -> Iterator[dict[str, Any]]:
    columns: Any = table.__table__.columns
    makers = {column.name: _maker(column, values) for column in columns}
    plain = {name: maker for name, maker in makers.items() if maker is not None}
    for number in range(count):
        yield {name: maker(number) for name, maker in plain.items()}


def _maker(column: Any, values: Mapping[str, Value]) -> Callable[[int], Any] | None:
    name = column.name
    if name in values:
        value = values[name]
        return value if callable(value) else lambda number: value
    if (
        column.primary_key
        and column.autoincrement
        and len(column.table.primary_key.columns) == 1
        and isinstance(column.type, sa.Integer)
    ):
        return None
    if column.nullable or column.default is not None:
        return None
    now = utcnow()
    kind = column.type
    if isinstance(kind, UTCDateTime | Moment):
        return lambda number: _moment(now, number)
    if isinstance(kind, sa.Boolean):
        return lambda number: False
    if isinstance(kind, sa.LargeBinary):
        return lambda number: b""
    if isinstance(kind, sa.String):
        length = kind.length or 40
        return lambda number: f"{name} {number}"[-length:]
    if isinstance(kind, sa.Integer | sa.Float | sa.Numeric | Scaled):
        return lambda number: number % 1000
    if isinstance(kind, sa.JSON):
        return lambda number: {}
    raise TypeError(f"a value for {column.table.name}.{name} must be given")


def _moment(now: datetime, number: int) -> datetime:
    return now - number * EVERY


def moments(every: timedelta = EVERY) -> Callable[[int], datetime]:
    """Moments that go back from now."""
    now = utcnow()
    return lambda number: now - number * every


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == A_STATEMENT:
            yield batch
            batch = []
    if batch:
        yield batch
