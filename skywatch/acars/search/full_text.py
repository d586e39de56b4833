"""Runs searches: the newest messages first, without reading all that match a frequent word or beginning of a word.

The full-text index of PostgreSQL, and one of SQLite's two, hold each word with the block of identifiers that its
message is in (``7.gate``, ``b7xgate``; see the migrations): a search reads the newest block, then the one before it,
until it has enough. So the beginning of a word is looked for among the words of some blocks and not of all messages.
PostgreSQL's has pairs of words too (``7:gate fuel``): an index of words alone does not know which is behind which.
SQLite's other index contains single words only; it is read in the order of identifiers, which is quick for whole words,
and for beginnings that are rare.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session
from sqlalchemy.sql.util import ClauseAdapter

from skywatch.acars.models import AcarsMessage
from skywatch.acars.search.search import BLOCK, Search, Term, postgresql_query, sqlite_query

# Identifiers of one block, as a power of two; the migration has it too.
BLOCK_BITS = 13
# Blocks that SQLite searches at once, before it turns to the index of the words alone.
STEPS = (1, 4, 16, 64)
_messages: Any = AcarsMessage.__table__
_plain = sa.table("acars_search", sa.column("rowid", sa.BigInteger), sa.column("acars_search"))
_blocks = sa.table("acars_search_blocks", sa.column("rowid", sa.BigInteger), sa.column("acars_search_blocks"))


def identifiers(
    session: Session, query: sa.Select[Any], search: Search, before: int | None, limit: int, *, is_narrow: bool = False
) -> list[int]:
    """The identifiers of the newest messages below ``before`` that ``query`` selects and the search matches.

    ``is_narrow``: the query selects so few, by an index of its own, that each of them may be looked at.
    """
    if not search.groups:
        return []
    if before is None:
        before = (session.scalar(sa.select(sa.func.max(AcarsMessage.id))) or 0) + 1
    if session.get_bind().dialect.name == "sqlite":
        return _of_sqlite(session, query.with_only_columns(AcarsMessage.id), search, before, limit)
    # The estimated cost is that of all blocks; to compile the plan takes longer than the few that are read.
    session.execute(sa.text("SET LOCAL jit = off"))
    matching = _among(query, search, before) if is_narrow else _by_blocks(query, search, before)
    return list(session.scalars(matching.limit(limit)))


def _of_sqlite(session: Session, selected: sa.Select[Any], search: Search, before: int, limit: int) -> list[int]:
    ids = list[int]()
    if search.has_prefix:
        following = ((before - 1) >> BLOCK_BITS) + 1
        for count in STEPS:
            blocks = range(max(0, following - count), following)
            some = _matching(selected, _blocks, sqlite_query(search, blocks), before)
            ids += session.scalars(some.limit(limit - len(ids)))
            if len(ids) >= limit or not blocks.start:
                return ids
            following, before = blocks.start, blocks.start << BLOCK_BITS
        # Messages without a match by then are rare.
    some = _matching(selected, _plain, sqlite_query(search), before)
    return ids + list(session.scalars(some.limit(limit - len(ids))))


def _matching(selected: sa.Select[Any], index: sa.TableClause, words: str, before: int) -> sa.Select[Any]:
    if selected.whereclause is None:
        selected = sa.select(index.c.rowid)
    else:
        selected = selected.join(index, index.c.rowid == AcarsMessage.id)
    selected = selected.where(index.c[index.name].op("MATCH")(words), index.c.rowid < before)
    return selected.order_by(None).order_by(index.c.rowid.desc())


def _by_blocks(query: sa.Select[Any], search: Search, before: int) -> sa.Select[Any]:
    """Block by block, the newest first: PostgreSQL joins in this order, and ends with the limit."""
    numbers = sa.func.generate_series((before - 1) >> BLOCK_BITS, 0, -1)
    blocks = numbers.table_valued(sa.column("block", sa.BigInteger), name="blocks").render_derived()
    conditions = [AcarsMessage.id < before, _index_matches(search, blocks.c.block)]
    if search.has_long_phrase:
        conditions.append(_text_matches(search))
    some = _table(*conditions).correlate(blocks).lateral()
    return _filtered(sa.select(some.c.id).select_from(blocks.join(some, sa.true())), some, query.whereclause)


def _among(query: sa.Select[Any], search: Search, before: int) -> sa.Select[Any]:
    """Each message that the query selects."""
    where = [] if query.whereclause is None else [query.whereclause]
    some = _table(AcarsMessage.id < before, *where).subquery()
    return _filtered(sa.select(some.c.id), some, _text_matches(search))


def _table(*conditions: Any) -> sa.Select[Any]:
    """Messages by some conditions, the newest first. OFFSET 0 keeps others out of the plan: their indexes are worse."""
    return sa.select(_messages).where(*conditions).order_by(_messages.c.id.desc()).offset(0)


def _filtered(selected: sa.Select[Any], table: sa.FromClause, where: Any) -> sa.Select[Any]:
    """By a condition on messages that is to hold for what ``table`` has of them."""
    return selected if where is None else selected.where(ClauseAdapter(table).traverse(where))


def _index_matches(search: Search, block: Any) -> Any:
    """PostgreSQL's index has it; the function is the index's own, and is normally not called."""
    from sqlalchemy.dialects.postgresql import TSQUERY  # Imported on PostgreSQL alone: it takes 4 MB.

    words = sa.func.acars_search_words(_messages.c.id, _messages.c.search_text)
    query = sa.func.replace(postgresql_query(search), BLOCK, sa.cast(block, sa.Text))
    return words.op("@@")(sa.cast(query, TSQUERY))


def _text_matches(search: Search) -> Any:
    """The words of a message themselves match."""
    words = sa.literal(" ").concat(_messages.c.search_text).concat(" ")
    return sa.or_(*(sa.and_(*(_text_has(words, term) for term in group)) for group in search.groups))


def _text_has(words: Any, term: Term) -> Any:
    phrase = f" {' '.join(term.words)}" + ("" if term.is_prefix else " ")
    position = sa.func.strpos(words, phrase)
    return position == 0 if term.is_excluded else position > 0
