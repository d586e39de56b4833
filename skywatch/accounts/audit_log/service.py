"""Reading the audit log: a page for the API (``find_entries``), a search for people who look through it (``Search``).

The search gives the newest first by time, however many entries there are. Every filter has an index whose second
column is the time. A search goes along the index of the filter that the fewest entries satisfy; the other filters are
tried on what it finds. An index gives its entries in order, so that a page reads little more than it shows. A filter
that several values satisfy (``login`` for ``login.failed`` and ``login.succeeded``) is one search for each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import InstrumentedAttribute, Session

from skywatch.accounts.models import User
from skywatch.accounts.names import username_key
from skywatch.core.database.models import AuditEntry

NUMBER = re.compile("[0-9]{1,18}")
# Filters are compared by what they find up to here.
ENOUGH = 10_000
BATCH = 1000


def find_entries(
    session: Session, filters: Mapping[str, Any], *, limit: int, offset: int, before_id: int | None
) -> tuple[Sequence[AuditEntry], int]:
    """A page of entries, the newest first, and how many match; ``before_id`` goes on from a page seen before."""
    conditions: list[sa.ColumnElement[bool]] = []
    if "action" in filters:
        # `login` finds login.succeeded and login.failed.
        action = filters["action"]
        conditions.append(
            sa.or_(AuditEntry.action == action, AuditEntry.action.startswith(f"{action}.", autoescape=True))
        )
    if "actor" in filters:
        conditions.append(_by_name_or_number(filters["actor"]))
    for name, column in (
        ("target_type", AuditEntry.target_type),
        ("target_id", AuditEntry.target_id),
        ("address", AuditEntry.address),
    ):
        if name in filters:
            conditions.append(column == filters[name])
    if "from" in filters:
        conditions.append(AuditEntry.at >= filters["from"])
    if "to" in filters:
        conditions.append(AuditEntry.at < filters["to"])
    count = session.scalar(sa.select(sa.func.count(AuditEntry.id)).where(*conditions)) or 0
    query = sa.select(AuditEntry).where(*conditions)
    if before_id is not None:
        query = query.where(AuditEntry.id < before_id)
    return session.scalars(query.order_by(AuditEntry.id.desc()).limit(limit).offset(offset)).all(), count


@dataclass(frozen=True)
class _Filter:
    """A filter as alternatives: in each, a column has a value. An entry passes that satisfies one of them."""

    alternatives: Sequence[tuple[InstrumentedAttribute[Any], Any]]

    def searches(self) -> list[sa.ColumnElement[bool]]:
        """One condition for each alternative, in a form that its index serves."""
        return [column == value for column, value in self.alternatives]

    def test(self) -> sa.ColumnElement[bool]:
        """The condition in a form that no index serves: the search goes by another filter."""
        return sa.or_(*[_unindexed(column) == value for column, value in self.alternatives])


class Search:
    """The entries that match ``filters``, as ``AuditQuery`` reads them."""

    def __init__(self, session: Session, filters: Mapping[str, Any]) -> None:
        self._session = session
        self._times: list[sa.ColumnElement[bool]] = []
        if "from" in filters:
            self._times.append(AuditEntry.at >= filters["from"])
        if "to" in filters:
            self._times.append(AuditEntry.at < filters["to"])
        self._conditions = self._conditions_of(list(_filters(session, filters)))

    def page(self, limit: int, after_id: int | None = None) -> Sequence[AuditEntry]:
        """At most ``limit`` entries, those next to the entry ``after_id`` where it is given."""
        if not self._conditions:
            return []
        beyond = self._beyond(after_id)
        order = AuditEntry.at.desc(), AuditEntry.id.desc()
        searches = [
            sa.select(
                sa.select(AuditEntry.id).where(*conditions, *beyond).order_by(*order).limit(limit).subquery().c.id
            )
            for conditions in self._conditions
        ]
        query = sa.select(AuditEntry).where(AuditEntry.id.in_(sa.union(*searches).subquery().select()))
        return self._session.scalars(query.order_by(*order).limit(limit)).all()

    def count(self, most: int) -> int:
        """How many entries match, counted to ``most`` at most."""
        if not self._conditions:
            return 0
        searches = [_alone(sa.select(AuditEntry.id).where(*conditions).limit(most)) for conditions in self._conditions]
        count = self._session.scalar(sa.select(sa.func.count()).select_from(sa.union(*searches).subquery())) or 0
        return min(count, most)

    def batches(self) -> Iterator[Sequence[AuditEntry]]:
        """All entries, a batch at a time; none stays in the session."""
        last: int | None = None
        while True:
            entries = self.page(BATCH, last)
            if not entries:
                return
            last = entries[-1].id
            yield entries
            self._session.expunge_all()

    def _conditions_of(self, filters: Sequence[_Filter]) -> list[list[sa.ColumnElement[bool]]]:
        if any(not each.alternatives for each in filters):
            return []
        if not filters:
            return [self._times]
        leading = min(filters, key=self._size) if len(filters) > 1 else filters[0]
        tests = [each.test() for each in filters if each is not leading]
        return [[search, *self._times, *tests] for search in leading.searches()]

    def _size(self, each: _Filter) -> int:
        """How many entries a filter finds within the time, counted to ``ENOUGH`` for each alternative."""
        counts = [
            sa.select(AuditEntry.id).where(search, *self._times).limit(ENOUGH).subquery() for search in each.searches()
        ]
        return sum(self._session.scalar(sa.select(sa.func.count()).select_from(query)) or 0 for query in counts)

    def _beyond(self, after_id: int | None) -> list[sa.ColumnElement[bool]]:
        at = self._session.scalar(sa.select(AuditEntry.at).where(AuditEntry.id == after_id)) if after_id else None
        if at is None:
            # The entry may have grown old and gone meanwhile: what comes after it is older still.
            return [AuditEntry.id < after_id] if after_id is not None else []
        return [AuditEntry.at <= at, sa.or_(AuditEntry.at < at, AuditEntry.id < after_id)]


def actions(session: Session) -> list[str]:
    """Every action there is an entry of, by name; as many look-ups in the index as there are actions."""
    first = sa.select(sa.func.min(AuditEntry.action).label("action")).cte("actions", recursive=True)
    following = sa.select(sa.func.min(AuditEntry.action)).where(AuditEntry.action > first.c.action).scalar_subquery()
    distinct = first.union_all(sa.select(following).where(first.c.action.is_not(None)))
    return list(session.scalars(sa.select(distinct.c.action).where(distinct.c.action.is_not(None))))


def _by_name_or_number(who: str) -> sa.ColumnElement[bool]:
    """Entries of a user by number or by the name they had; a name may look like a number."""
    named = sa.func.lower(AuditEntry.actor_name) == username_key(who)
    return sa.or_(named, AuditEntry.actor_id == int(who)) if NUMBER.fullmatch(who) else named


def _filters(session: Session, filters: Mapping[str, Any]) -> Iterator[_Filter]:
    if "action" in filters:
        # `login` finds login.succeeded and login.failed.
        action = filters["action"]
        matching = [name for name in actions(session) if name == action or name.startswith(f"{action}.")]
        yield _Filter([(AuditEntry.action, name) for name in matching])
    if "actor" in filters:
        yield _Filter(_acted(session, filters["actor"]))
    for name, column in (
        ("target_type", AuditEntry.target_type),
        ("target_id", AuditEntry.target_id),
        ("address", AuditEntry.address),
    ):
        if name in filters:
            yield _Filter([(column, filters[name])])


def _acted(session: Session, who: str) -> list[tuple[InstrumentedAttribute[Any], Any]]:
    """Entries of a user by number or name, and those that name an actor so who is no user (any more)."""
    terms: list[tuple[InstrumentedAttribute[Any], Any]] = [(AuditEntry.actor_name, who)]
    numbers = {session.scalar(sa.select(User.id).where(User.username_key == username_key(who)))}
    if NUMBER.fullmatch(who):
        numbers.add(int(who))
    return terms + [(AuditEntry.actor_id, number) for number in sorted(n for n in numbers if n is not None)]


def _alone(search: sa.Select[Any]) -> sa.Select[Any]:
    """A search as a member of a union, which takes neither order nor limit."""
    return sa.select(search.subquery().c.id)


def _unindexed(column: InstrumentedAttribute[Any]) -> sa.ColumnElement[Any]:
    if isinstance(column.type, sa.String):
        return column.concat("")
    return column + 0
