"""What the database knows of archived days; functions over a session."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.models import ArchivedDay
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import insert_into


def mark_changed(session: Session, kind: str, days: Iterable[date]) -> None:
    """Note that rows of these days were added from elsewhere: the days are archived again.

    Belongs into the transaction that adds the rows.
    """
    for day in sorted(set(days)):
        statement = insert_into(session, ArchivedDay).values(
            kind=kind, day=day, rows=0, stored=0, changes=1, archived_changes=0
        )
        session.execute(
            statement.on_conflict_do_update(index_elements=["kind", "day"], set_={"changes": ArchivedDay.changes + 1})
        )


def mark_rewritten(session: Session, kind: str, at: datetime) -> None:
    """Note that a row of an archived day got other values: the day is archived again. Nothing where it is not archived.

    Belongs into the transaction that changes the row.
    """
    where = (ArchivedDay.kind == kind, ArchivedDay.day == at.astimezone(UTC).date())
    session.execute(
        sa.update(ArchivedDay)
        .where(*where, ArchivedDay.verified_at.is_not(None))
        .values(changes=ArchivedDay.changes + 1)
        .execution_options(synchronize_session=False)
    )


def mark_archived(
    session: Session,
    kind: str,
    day: date,
    *,
    rows: int,
    stored: int,
    changes: int,
    entries: int = 0,
    ids: tuple[int, int] | None = None,
) -> None:
    """Note that the archive has a day as it was when its changes were counted.

    ``entries`` are the rows of the table there were, ``ids`` the least and the greatest identifier in the archive.
    """
    values = {"rows": rows, "stored": stored, "archived_changes": changes, "verified_at": utcnow()}
    if entries:
        # What is archived again from the archive keeps the count of the rows that there were.
        values["entries"] = entries
    if ids is not None:
        values["first_id"], values["last_id"] = ids
    statement = insert_into(session, ArchivedDay).values(kind=kind, day=day, changes=changes, **values)
    session.execute(statement.on_conflict_do_update(index_elements=["kind", "day"], set_=values))


def states_of(session: Session, day: date) -> dict[str, ArchivedDay]:
    """The kinds of a day of which something is known, by name."""
    return {row.kind: row for row in session.scalars(sa.select(ArchivedDay).where(ArchivedDay.day == day))}


def current_days(session: Session, kind: str) -> set[date]:
    """The days of a kind that the archive has as they are."""
    query = sa.select(ArchivedDay.day).where(
        ArchivedDay.kind == kind,
        ArchivedDay.verified_at.is_not(None),
        ArchivedDay.changes == ArchivedDay.archived_changes,
    )
    return set(session.scalars(query))


def changed_days(session: Session, kinds: Iterable[str]) -> set[date]:
    """The days to which rows were added since they were archived, or before."""
    query = sa.select(ArchivedDay.day).where(
        ArchivedDay.kind.in_(list(kinds)), ArchivedDay.changes != ArchivedDay.archived_changes
    )
    return set(session.scalars(query))


def removed_days(session: Session, kind: str, first: date, last: date) -> list[ArchivedDay]:
    """The days from ``first`` to ``last`` that the database no longer has whole, in order."""
    query = (
        sa.select(ArchivedDay)
        .where(
            ArchivedDay.kind == kind,
            ArchivedDay.day.between(first, last),
            ArchivedDay.removed_at.is_not(None),
            ArchivedDay.rows > 0,
        )
        .order_by(ArchivedDay.day)
        .execution_options(populate_existing=True)
    )
    return list(session.scalars(query))


def days_with_ids(session: Session, kind: str, least: int, greatest: int) -> list[ArchivedDay]:
    """The days that the database no longer has whole and whose archived rows have identifiers in a range."""
    query = sa.select(ArchivedDay).where(
        ArchivedDay.kind == kind,
        ArchivedDay.removed_at.is_not(None),
        ArchivedDay.rows > 0,
        ArchivedDay.first_id <= greatest,
        ArchivedDay.last_id >= least,
    )
    return list(session.scalars(query))


def forget(session: Session, kind: str, day: date) -> None:
    """Forget a day that the archive no longer has."""
    session.execute(sa.delete(ArchivedDay).where(ArchivedDay.kind == kind, ArchivedDay.day == day))
