"""What a feature says of its data so that it is archived (``hooks.ArchivedKinds``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

DAY = timedelta(days=1)


@dataclass(frozen=True)
class ArchivedFile:
    """A Parquet file of a day: its name without an ending, and its rows as Arrow tables in the order of the layout.

    ``options`` are those of ``pyarrow.parquet.ParquetWriter``.
    """

    name: str
    schema: Any
    tables: Iterator[Any]
    options: Mapping[str, Any] = field(default_factory=dict)


# ``archived(name)`` has the rows of the archived file of a name as an Arrow table, None where there is none: rows that
# are no longer in the database stay in the archive.
Archived = Callable[[str], Any]
Files = Callable[[Session, date, Archived], Iterator[ArchivedFile]]


@dataclass(frozen=True, kw_only=True)
class ArchivedKind:
    """One kind of data: a table, the column that says on which day a row is, and which rows make a day incomplete.

    ``files(session, day, archived)`` yields the files of a day, named ``name`` or ``name-NN``. ``retention`` is
    the name of the ``Kind`` of retention that deletes the same rows. ``unix``: the column contains unix seconds.
    ``unfinished`` is the condition on rows that will still change: a day with one of them waits. ``amount`` is the
    column whose sum says how much there is of a day; without it rows are counted.
    """

    name: str
    table: sa.Table
    column: str
    files: Files
    retention: str
    unix: bool = False
    unfinished: Any = None
    amount: str = ""

    def on(self, day: date) -> Any:
        """The condition on the rows of a day."""
        begin, end = span_of_day(day)
        column = self.table.c[self.column]
        if self.unix:
            return (column >= int(begin.timestamp())) & (column < int(end.timestamp()))
        return (column >= begin) & (column < end)

    def has(self, stem: str) -> bool:
        """Whether a file of this name (without ending) is of this kind."""
        return stem.split("-")[0] == self.name

    def days(self, session: Session, first: date, last: date) -> Iterator[date]:
        """The days from ``first`` to ``last`` on which there are rows; one query a day, which the index answers."""
        column = self.table.c[self.column]
        after: Any = None if first == date.min else self._value(span_of_day(first)[0])
        while True:
            query = sa.select(sa.func.min(column))
            value = session.scalar(query if after is None else query.where(column >= after))
            if value is None:
                return
            day = (datetime.fromtimestamp(value, UTC) if self.unix else value.astimezone(UTC)).date()
            if day > last:
                return
            yield day
            after = self._value(span_of_day(day)[1])

    def _value(self, at: datetime) -> Any:
        return int(at.timestamp()) if self.unix else at

    def is_complete(self, session: Session, day: date) -> bool:
        """Whether no row of the day will still change."""
        if self.unfinished is None:
            return True
        return not session.scalar(sa.select(sa.exists().where(self.on(day), self.unfinished)))

    def stored(self, session: Session, day: date) -> int:
        """How much of a day the database has."""
        what = sa.func.sum(self.table.c[self.amount]) if self.amount else sa.func.count()
        return int(session.scalar(sa.select(what).select_from(self.table).where(self.on(day))) or 0)

    def entries(self, session: Session, day: date) -> int:
        """How many rows of a day the database has."""
        return int(session.scalar(sa.select(sa.func.count()).select_from(self.table).where(self.on(day))) or 0)


def span_of_day(day: date) -> tuple[datetime, datetime]:
    """Begin and end of a day in UTC."""
    begin = datetime.combine(day, time(), UTC)
    return begin, begin + DAY
