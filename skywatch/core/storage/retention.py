"""How long and how much of each kind of data is stored, and how the rest is deleted: in small steps that block nothing.

A feature declares what it stores as ``Kind``s (``Feature.retention``). A step removes a few of the oldest
rows in a transaction of its own and is sized to take some tens of milliseconds; between steps others get their turn.
SQLite gives freed pages back to the file system in steps as well; PostgreSQL, whose files keep their size, is told
which room may be used again, and is judged by what lives in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from skywatch.core.clock import earlier, utcnow
from skywatch.core.database.engine import SessionFactory, outage_of, writing
from skywatch.core.database.fencing import FencedError
from skywatch.core.database.upkeep import database_bytes, shrink_file, vacuum_table
from skywatch.core.storage.retention_clock import RetentionClock, Stored
from skywatch.core.telemetry import metrics
from skywatch.settings import Settings

MEGABYTE = 1_000_000
# A step that takes longer than this is followed by smaller ones (s); SQLite's other writers wait for no longer.
MAX_STEP_S = 0.05
FEWEST_ROWS, FIRST_ROWS, MAX_ROWS = 10, 200, 5000
# Rows looked at to know how large a row is, and what the database adds to each with its index entries (bytes).
SAMPLE_ROWS, ROW_OVERHEAD = 200, 60
# How full PostgreSQL's pages are when they are full: rows do not fit into them without a rest.
FULL = 0.8
# PostgreSQL's own vacuum waits for a fifth of a table; ours comes when more than this share of its rows has gone.
VACUUM_SHARE = 0.02
# A new table or index of PostgreSQL takes a page or two.
FRESH_BYTES = 16_384


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of data: its table, the column of its age, and the settings that limit it.

    ``unix``: the column contains unix seconds. ``days`` and ``megabytes`` read the settings; 0 is no limit.
    ``only`` restricts what may be removed. ``yields`` marks the kind that goes first where the whole database is
    too large. ``begin_column`` is the time at which a row began, if ``column`` is the one at which it ended or expires.
    Where rows stand for files, ``bytes_column`` is their size, and ``after`` is called with settings and
    sessions at the end of each run, to remove the files that have lost their rows. Of those with the same value of
    ``owner_column``, the newest ``most_of_owner`` stay.
    """

    name: str
    table: sa.Table
    column: str
    days: Callable[[Settings], float]
    megabytes: Callable[[Settings], float] = field(default=lambda settings: 0.0)
    unix: bool = False
    only: Any = None
    yields: bool = False
    bytes_column: str = ""
    begin_column: str = ""
    after: Callable[[Settings, SessionFactory], None] | None = None
    owner_column: str = ""
    most_of_owner: int = 0

    @property
    def age(self) -> Any:
        """The column of the age."""
        return self.table.c[self.column]

    @property
    def begin(self) -> Any:
        """The column of the time at which a row began."""
        return self.table.c[self.begin_column or self.column]

    def at(self, value: Any) -> datetime | None:
        """A value of that column as a datetime."""
        return datetime.fromtimestamp(value, UTC) if self.unix and value is not None else value


@dataclass(frozen=True)
class Extent:
    """How much there is of a kind; ``bytes`` is estimated from a sample of rows."""

    rows: int
    bytes: int
    oldest_at: datetime | None


def extent(session: Any, kind: Kind, where: Any = None) -> Extent:
    """Rows, estimated bytes and age of a kind; ``where`` is an SQL condition on what is counted."""
    counted = sa.true() if where is None else where
    query = sa.select(sa.func.count(), sa.func.min(kind.begin)).select_from(kind.table).where(counted)
    rows, oldest = session.execute(query).one()
    if not rows:
        return Extent(0, 0, None)
    if kind.bytes_column:
        total = session.scalar(sa.select(sa.func.sum(kind.table.c[kind.bytes_column])).where(counted))
        return Extent(rows, int(total or 0), kind.at(oldest))
    newest = sa.select(kind.table).where(counted).order_by(kind.age.desc()).limit(SAMPLE_ROWS)
    sample = session.execute(newest).all()
    mean = sum(sum(map(_size, row)) + ROW_OVERHEAD for row in sample) / len(sample)
    return Extent(rows, int(rows * mean), kind.at(oldest))


def is_one_of(keys: tuple[Any, ...], ids: list[tuple[Any, ...]]) -> Any:
    """The condition on a primary key of one or more columns."""
    return keys[0].in_([key for (key,) in ids]) if len(keys) == 1 else sa.tuple_(*keys).in_(ids)


def _size(value: Any) -> int:
    if value is None:
        return 1
    if isinstance(value, bytes | str):
        return len(value) + 2
    return len(str(value)) if isinstance(value, dict | list) else 8


def idle_bytes(session: Any, kind: Kind, rows: int) -> int:
    """Room in PostgreSQL's files of a kind that its rows do not fill, near enough; 0 on SQLite.

    Indexes are taken to be as full as the table.
    """
    if session.get_bind().dialect.name == "sqlite":
        return 0
    sample = sa.select(kind.table).order_by(kind.age.desc()).limit(SAMPLE_ROWS).subquery("sample")
    width = session.scalar(sa.select(sa.func.avg(sa.func.pg_column_size(sample.table_valued()))))
    table, whole = session.execute(
        sa.select(sa.func.pg_table_size(kind.table.name), sa.func.pg_total_relation_size(kind.table.name))
    ).one()
    filled = rows * float(width or 0) / (FULL * table) if table else 1.0
    # What an empty table has already is not idle: with many kinds it adds up.
    fresh = FRESH_BYTES * (len(kind.table.indexes) + 2)
    return max(0, int(whole * max(0.0, 1 - filled)) - fresh)


class Guard(Protocol):
    """Says which rows may be removed."""

    def parts(self, kind: Kind, before: datetime | None) -> Iterator[Any]:
        """Conditions on rows that may go, the oldest first; with ``before`` of rows older than that.

        Rows that none of them covers stay. May raise at its end, once the rest has gone.
        """
        ...


class NoGuard:
    """Everything may go."""

    def parts(self, kind: Kind, before: datetime | None) -> Iterator[Any]:
        """One condition that is always true."""
        yield sa.true()


class Pruner:
    """Removes what is too old or too much. ``pause`` is called between steps and ends the work where it is true.

    ``clock`` says how far the time of day is believed; without it what is too old goes at once.
    """

    def __init__(
        self,
        engine: Engine,
        sessions: SessionFactory,
        settings: Settings,
        kinds: list[Kind],
        pause: Callable[[float], bool],
        guard: Guard | None = None,
        clock: RetentionClock | None = None,
    ) -> None:
        self.engine = engine
        self.sessions = sessions
        self.settings = settings
        self.kinds = kinds
        self.removed: dict[str, int] = {kind.name: 0 for kind in kinds}
        # What went wrong in the last round, by kind or other part of the work.
        self.faults: dict[str, Exception] = {}
        # How much there was of each kind when it was looked at last.
        self.extents: dict[str, Extent] = {}
        self._pause = pause
        self.clock = clock
        self._guard: Guard = guard if guard is not None else NoGuard()
        self._rows = {kind.name: FIRST_ROWS for kind in kinds}
        self._stored_rows = {kind.name: 0 for kind in kinds}  # rows there are
        self._gone = {kind.name: 0 for kind in kinds}  # rows removed since the last vacuum of the table

    def run(self) -> int:
        """Do all there is to do; returns how many rows went.

        A kind that fails does not stop the others: ``faults`` has its error. Raises what concerns all of them: a
        database that is away, and the lost lead of a tracker.
        """
        before = sum(self.removed.values())
        self.faults = {}
        cutoffs = self._cutoffs()
        for kind in self.kinds:
            if kind.name in cutoffs:
                with self._guarded(kind.name):
                    self._too_old(kind, cutoffs[kind.name])
            with self._guarded(kind.name):
                self._too_many_of_one(kind)
            with self._guarded(kind.name):
                self._too_much(kind)
            if kind.after is not None:
                with self._guarded(kind.name):
                    kind.after(self.settings, self.sessions)
        with self._guarded("database"):
            self._database_too_large()
        removed = sum(self.removed.values()) - before
        with self._guarded("giving back room"):
            self.give_back()
        return removed

    @contextmanager
    def _guarded(self, part: str) -> Iterator[None]:
        try:
            yield
        except FencedError:
            raise
        except Exception as error:
            if outage_of(error):
                raise
            self.faults.setdefault(part, error)

    def _cutoffs(self) -> dict[str, datetime]:
        """How far each kind may be emptied by age."""
        now = utcnow() if self.clock is None else self.clock.now()
        stored = []
        for kind in self.kinds:
            with self._guarded(kind.name):
                stored.append(self._stored(kind, now))
        if self.clock is None:
            return {kind.name: earlier(now, kind.keep) for kind in stored if kind.keep}
        return self.clock.begin(stored)

    def _stored(self, kind: Kind, now: datetime) -> Stored:
        keep = timedelta(days=kind.days(self.settings))
        if self.clock is None:
            return Stored(kind.name, keep, None, None)
        where = sa.true() if kind.only is None else kind.only
        present = kind.begin <= (int(now.timestamp()) if kind.unix else now)
        with self.sessions() as session:
            oldest = session.scalar(sa.select(sa.func.min(kind.age)).where(where))
            newest = session.scalar(sa.select(sa.func.max(kind.begin)).where(present))
        return Stored(kind.name, keep, kind.at(oldest), kind.at(newest))

    def _too_old(self, kind: Kind, limit: datetime) -> None:
        self._remove(kind, kind.age < (int(limit.timestamp()) if kind.unix else limit), before=limit)

    def _too_many_of_one(self, kind: Kind) -> None:
        if not kind.most_of_owner:
            return
        owner, number = kind.table.c[kind.owner_column], sa.func.count()
        counted = sa.select(owner, number).where(sa.true() if kind.only is None else kind.only).group_by(owner)
        with self.sessions() as session:
            too_many = session.execute(counted.having(number > kind.most_of_owner)).all()
        for one, count in too_many:
            self._remove(kind, owner == one, count - kind.most_of_owner)

    def _too_much(self, kind: Kind) -> None:
        limit = kind.megabytes(self.settings) * MEGABYTE
        with self.sessions() as session:
            current = extent(session, kind)
        self.extents[kind.name] = current
        metrics.RETENTION_BYTES.labels(kind.name).set(current.bytes)
        self._stored_rows[kind.name] = current.rows
        # Files differ in size: the oldest may be smaller than the others, and a share of them is not enough.
        while limit and current.bytes > limit:
            before = self.removed[kind.name]
            share = math.ceil(current.rows * (1 - limit / current.bytes))
            self._remove(kind, sa.true(), self._fewest(kind, current.bytes - limit, share))
            if not kind.bytes_column or self.removed[kind.name] == before or self._pause(0.02):
                return
            with self.sessions() as session:
                current = extent(session, kind)

    def _fewest(self, kind: Kind, excess: float, share: int) -> int:
        """How many of the oldest rows make up the excess, ``share`` at most: a large one may be enough by itself."""
        if not kind.bytes_column:
            return share
        where = sa.true() if kind.only is None else kind.only
        sizes = sa.select(kind.table.c[kind.bytes_column]).where(where).order_by(kind.age).limit(share)
        with self.sessions() as session:
            for count, size in enumerate(session.scalars(sizes), 1):
                excess -= size
                if excess <= 0:
                    return count
        return share

    def _database_too_large(self) -> None:
        limit = self.settings.retention_database_mb * MEGABYTE
        kind = next((kind for kind in self.kinds if kind.yields), None)
        if not limit or kind is None:
            return
        used, _ = database_bytes(self.engine)
        with self.sessions() as session:
            current = extent(session, kind)
            # PostgreSQL's files stay as large as they were: by their size the tracks would go bit by bit, all of them.
            used -= sum(idle_bytes(session, other, self._stored_rows[other.name]) for other in self.kinds)
        if used > limit and current.rows:
            self._remove(kind, sa.true(), min(current.rows, math.ceil((used - limit) * current.rows / current.bytes)))

    def _remove(self, kind: Kind, which: Any, at_most: int | None = None, before: datetime | None = None) -> None:
        """Remove the oldest rows of a condition that may go; ``before`` is the limit of age in the condition."""
        left = at_most
        for part in self._guard.parts(kind, before):
            begun = self.removed[kind.name]
            if not self._remove_part(kind, which & part, left):
                return
            left = None if left is None else left - (self.removed[kind.name] - begun)
            if left is not None and left <= 0:
                return

    def _remove_part(self, kind: Kind, which: Any, at_most: int | None) -> bool:
        """Remove the oldest rows of a condition step by step; False where the work is to end."""
        keys = tuple(kind.table.primary_key.columns)
        where = which if kind.only is None else which & kind.only
        left = at_most
        while left is None or left > 0:
            rows = self._rows[kind.name] if left is None else min(self._rows[kind.name], left)
            oldest = sa.select(*keys).where(where).order_by(kind.age).limit(rows)
            began = time.perf_counter()
            with writing(self.sessions) as session:
                ids = [tuple(row) for row in session.execute(oldest)]
                if ids:
                    session.execute(sa.delete(kind.table).where(is_one_of(keys, ids)))
            took_s = time.perf_counter() - began
            if not ids:
                return True
            left = None if left is None else left - len(ids)
            self.removed[kind.name] += len(ids)
            self._stored_rows[kind.name] -= len(ids)
            self._gone[kind.name] += len(ids)
            metrics.RETENTION_ROWS.labels(kind.name).inc(len(ids))
            self._size_steps(kind, took_s)
            if self._pause(max(0.02, took_s)):
                return False
        return True

    def _size_steps(self, kind: Kind, took_s: float) -> None:
        """Smaller steps after one that took long, larger ones after a quick one."""
        if took_s > MAX_STEP_S:
            self._rows[kind.name] = max(FEWEST_ROWS, self._rows[kind.name] // 2)
        elif took_s < MAX_STEP_S / 4:
            self._rows[kind.name] = min(MAX_ROWS, self._rows[kind.name] * 2)

    def give_back(self) -> None:
        """Give up the room of what was removed: SQLite to the file system, PostgreSQL to the rows that come next."""
        if self.engine.dialect.name == "sqlite":
            self._shrink()
        else:
            for kind in self.kinds:
                self._vacuum(kind)

    def _vacuum(self, kind: Kind) -> None:
        if self._gone[kind.name] > self._stored_rows[kind.name] * VACUUM_SHARE:
            vacuum_table(self.engine, kind.table.name)
            self._gone[kind.name] = 0

    def _shrink(self) -> None:
        began = time.perf_counter()
        while shrink_file(self.engine) and not self._pause(max(0.02, time.perf_counter() - began)):
            began = time.perf_counter()
