"""Runs searches: the newest messages first, without reading all that match a frequent word.

SQLite's full-text index is read in the order of identifiers. PostgreSQL's is not: its entries hold, beside the words,
the block of identifiers that a message is in (see the migration), and a search asks for the newest blocks first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR
from sqlalchemy.orm import Session

from skywatch.acars.models import AcarsMessage
from skywatch.acars.search import Search, postgresql_query, sqlite_query

# Identifiers of one block, as a power of two; the migration has it too.
BLOCK_BITS = 14
# Blocks that are searched one after the other, before all the others at once.
STEPS = (1, 8, 64)
BROAD_CHARACTERS = 2
_index = sa.table("acars_search", sa.column("rowid", sa.BigInteger), sa.column("acars_search"))


def matching(search: Search, dialect: str) -> Any:
    """The condition that a message matches, wherever the message's row is."""
    if not search.groups:
        return sa.false()
    if dialect == "sqlite":
        found = sa.select(_index.c.rowid).where(_index.c.acars_search.op("MATCH")(sqlite_query(search)))
        return AcarsMessage.id.in_(found)
    return sa.column("words").op("@@")(_tsquery(search))


def identifiers(session: Session, query: sa.Select[Any], search: Search, before: int | None, limit: int) -> list[int]:
    """The identifiers of the newest messages below ``before`` that ``query`` selects and the search matches."""
    if not search.groups:
        return []
    selected = query.with_only_columns(AcarsMessage.id).order_by(None)
    if session.get_bind().dialect.name == "sqlite":
        return _of_sqlite(session, selected, search, before, limit)
    return _of_postgresql(session, selected, search, before, limit)


def _of_sqlite(session: Session, selected: sa.Select[Any], search: Search, before: int | None, limit: int) -> list[int]:
    if selected.whereclause is None:
        selected = sa.select(_index.c.rowid)
    else:
        selected = selected.join(_index, _index.c.rowid == AcarsMessage.id)
    selected = selected.where(_index.c.acars_search.op("MATCH")(sqlite_query(search)))
    if before is not None:
        selected = selected.where(_index.c.rowid < before)
    return list(session.scalars(selected.order_by(_index.c.rowid.desc()).limit(limit)))


def _of_postgresql(
    session: Session, selected: sa.Select[Any], search: Search, before: int | None, limit: int
) -> list[int]:
    if before is None:
        before = (session.scalar(sa.select(sa.func.max(AcarsMessage.id))) or 0) + 1
    found = list[int]()
    broad = is_broad(search)
    for blocks, low in _steps(before):
        indexed: Any = sa.column("words")
        words: Any = _tsquery(search)
        if broad:
            # All that begins with a letter is more than the index gives quickly: the newest rows are read themselves.
            broad, indexed = False, indexed.op("||")(sa.cast("", TSVECTOR))
        elif blocks is not None:
            words = words.op("&&")(sa.cast(blocks, TSQUERY))
        some = selected.where(indexed.op("@@")(words), AcarsMessage.id.between(low, before - 1))
        found += session.scalars(some.order_by(AcarsMessage.id.desc()).limit(limit - len(found)))
        before = low
        if len(found) >= limit:
            break
    return found


def is_broad(search: Search) -> bool:
    """Whether it asks for words that begin with one or two characters."""
    terms = (term for group in search.groups for term in group)
    return any(term.is_prefix and len(term.words[-1]) <= BROAD_CHARACTERS for term in terms)


def _steps(before: int) -> Iterator[tuple[str | None, int]]:
    """The newest blocks below an identifier, then those below them (None: all the others), with the lowest of each."""
    block = (before - 1) >> BLOCK_BITS
    for count in STEPS:
        if block < 0:
            return
        last = max(0, block - count + 1)
        yield " | ".join(f"'#{number}'" for number in range(last, block + 1)), last << BLOCK_BITS
        block = last - 1
    if block >= 0:
        yield None, 0


def _tsquery(search: Search) -> Any:
    return sa.func.to_tsquery(sa.literal_column("'simple'"), postgresql_query(search))
