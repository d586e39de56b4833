"""Access to rules, geofences, watch lists and alerts by their owner."""

from __future__ import annotations

from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.problems import Problem, not_found
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import Sentence, sentence

T = TypeVar("T")
MAX_RULES, MAX_GEOFENCES, MAX_WATCHLISTS = 500, 200, 200
# Of one user altogether: characters of JSON of geometries (some 150,000 vertices) and of conditions, and entries of
# watch lists. What a user has is read as a whole by lists and exports.
MAX_GEOMETRY, MAX_CONDITIONS, MAX_LISTED = 4_000_000, 4_000_000, 500_000


def sees_all(visibility: Visibility) -> bool:
    """Whether the caller may access what belongs to others."""
    return Permission.ALERTS_MANAGE_ALL in visibility.manages


def own(table: Any, visibility: Visibility) -> sa.ColumnElement[bool]:
    """The condition that a row belongs to the caller; true for callers who may access everybody's."""
    if sees_all(visibility):
        return sa.true()
    condition: sa.ColumnElement[bool] = (
        table.user_id == visibility.user_id if visibility.user_id is not None else sa.false()
    )
    return condition


def owner_id(visibility: Visibility) -> int:
    """The owner of a new row, which is the caller; raises Problem (401) for an anonymous one."""
    if visibility.user_id is None:
        raise Problem(
            "authentication_required", sentence("alerts.login_for_rules", "Log in to have rules of your own.")
        )
    return visibility.user_id


def fetch(session: Session, table: type[T], row_id: int, visibility: Visibility, noun: Sentence, *options: Any) -> T:
    """The row with this id that the caller may change; raises Problem (404) with ``noun`` if there is none.

    ``options`` say what of it is loaded.
    """
    any_table: Any = table
    row = session.scalar(
        sa.select(any_table).where(any_table.id == row_id, own(any_table, visibility)).options(*options)
    )
    if row is None:
        raise not_found(noun)
    typed_row: T = row
    return typed_row


def check_room(session: Session, table: Any, user_id: int, limit: int, noun: Sentence, more: int = 1) -> None:
    """Raise Problem (409) if ``more`` rows would exceed the user's limit."""
    count = session.scalar(sa.select(sa.func.count()).select_from(table).where(table.user_id == user_id)) or 0
    if count + more > limit:
        if more > 1:
            raise Problem("conflict", _too_many(limit, noun, count, more))
        raise Problem(
            "conflict",
            sentence(
                "alerts.quota",
                "A user can have at most {limit} {noun}; {count} exist.",
                limit=limit,
                noun=noun,
                count=count,
            ),
        )


def check_sum(session: Session, what: Any, where: Any, limit: int, noun: Sentence, more: int) -> None:
    """Raise Problem (409) if ``more`` would bring the sum of a column over some rows beyond a limit."""
    total = int(session.scalar(sa.select(sa.func.coalesce(sa.func.sum(what), 0)).where(where)) or 0)
    if total + more > limit:
        raise Problem("conflict", _too_many(limit, noun, total, more))


def _too_many(limit: int, noun: Sentence, count: int, more: int) -> Sentence:
    return sentence(
        "alerts.quota_import",
        "A user can have at most {limit} {noun}; {count} exist, and {more} more were sent.",
        limit=limit,
        noun=noun,
        count=count,
        more=more,
    )


def json_length(column: Any) -> Any:
    """The number of characters of a stored JSON document."""
    return sa.func.length(sa.cast(column, sa.Text))


def first_within(session: Session, ids: Any, size: Any, most: int) -> list[int]:
    """The first ids of a query, as many as have this size altogether, and at least one."""
    fitting: list[int] = []
    total = 0
    for row_id, length in session.execute(ids.add_columns(size)):
        total += length
        if fitting and total > most:
            break
        fitting.append(row_id)
    return fitting
