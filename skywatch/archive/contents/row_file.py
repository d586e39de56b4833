"""Rows of a table as an archived file: every column, in order of time and identifier."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.kinds import Archived, ArchivedFile, span_of_day

ROWS_A_PAGE = 5_000


def row_file(
    name: str,
    column: str,
    table: sa.Table,
    *,
    without: Sequence[str] = (),
    where: Any = None,
) -> Callable[[Session, date, Archived], Iterator[ArchivedFile]]:
    """``ArchivedKind.files`` of a table with the key ``id``: one file of the rows of a day by ``column``.

    ``without`` are columns that are left out, ``where`` is a condition on the rows.
    """
    columns = [item for item in table.c if item.name not in without]
    condition = sa.true() if where is None else where

    def files(session: Session, day: date, archived: Archived) -> Iterator[ArchivedFile]:
        from skywatch.archive.contents.layout import ROWS_OPTIONS, table_schema

        schema = table_schema(columns)
        begin, end = span_of_day(day)
        query = sa.select(*columns).where(condition, table.c[column] >= begin, table.c[column] < end)
        pages = _pages(session, query, table, column, schema)
        earlier = archived(name)
        if earlier is not None:
            pages = _merged(earlier, pages, column, schema)
        yield ArchivedFile(name, schema, pages, ROWS_OPTIONS)

    return files


def _pages(session: Session, query: Any, table: sa.Table, column: str, schema: Any) -> Iterator[Any]:
    """The rows a page at a time; between pages the transaction ends."""
    at, key = table.c[column], table.c.id
    ordered = query.order_by(at, key).limit(ROWS_A_PAGE)
    rows = session.execute(ordered).all()
    while rows:
        yield _table(rows, schema)
        if len(rows) < ROWS_A_PAGE:
            return
        last_at, last_id = getattr(rows[-1], column), rows[-1].id
        session.rollback()
        rows = session.execute(ordered.where(at >= last_at, (at > last_at) | (key > last_id))).all()


def _table(rows: Sequence[Any], schema: Any) -> Any:
    import pyarrow as pa

    columns = list(zip(*rows, strict=True))
    arrays = [
        pa.array([_text(value) for value in values] if pa.types.is_string(field.type) else values, field.type)
        for field, values in zip(schema, columns, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _text(value: Any) -> str | None:
    """A text as it is; a document with sorted names, so that the same document is the same text."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _merged(earlier: Any, pages: Iterator[Any], column: str, schema: Any) -> Iterator[Any]:
    """The rows of the database and those that only the archive has."""
    import pyarrow as pa
    from pyarrow import compute

    fresh = pa.concat_tables([schema.empty_table(), *pages])
    kept = earlier.filter(compute.invert(compute.is_in(earlier["id"], fresh["id"].combine_chunks())))
    merged = pa.concat_tables([_fitted(kept, schema), fresh]).sort_by([(column, "ascending"), ("id", "ascending")])
    yield merged.combine_chunks()


def _fitted(table: Any, schema: Any) -> Any:
    """Rows of an earlier release under the columns of today: a column that it did not have is null, or false."""
    import pyarrow as pa

    def missing(field: Any) -> Any:
        if pa.types.is_boolean(field.type) and not field.nullable:
            return pa.repeat(False, len(table))
        return pa.nulls(len(table), field.type)

    arrays = [
        table[field.name].cast(field.type) if field.name in table.column_names else missing(field) for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema([field.with_nullable(True) for field in schema])).cast(schema)
