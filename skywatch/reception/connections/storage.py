"""Stores connections: the newest hundred of each receiver, those of the time of the retention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.database.engine import insert_into
from skywatch.feeders.models import Feeder
from skywatch.feeders.names import feeder_id_of
from skywatch.picture.counted import counted
from skywatch.reception.models import ReceiverConnection

# Connections of one receiver that are stored.
MOST = 100
# One that was not written as open for so long has ended: the tracker is gone.
GONE = timedelta(minutes=3)

_rows: Any = ReceiverConnection.__table__


@dataclass(frozen=True)
class Connection:
    """A connection of a receiver or feeder by its name in the picture; times are unix seconds."""

    receiver: str
    since: float
    until: float
    is_open: bool
    simulated: bool = False


def store(
    session: Session,
    changes: Sequence[Connection],
    present: Mapping[str, float],
    now: float,
    *,
    is_first: bool,
    is_renewal: bool,
) -> None:
    """Write changed connections; ``is_renewal`` writes open ones as seen now.

    ``is_first``: what another process left open and is not ``present`` any more ended when it was last seen.
    """
    if is_first:
        _end_left_open(session, present)
    feeders = _existing(session, changes)
    for change in changes:
        feeder_id = feeder_id_of(change.receiver)
        if feeder_id is None or feeder_id in feeders:
            _put(session, change, feeder_id)
    for receiver in {change.receiver for change in changes}:
        _trim(session, receiver)
    if is_renewal:
        session.execute(sa.update(_rows).where(_rows.c.is_open).values(until=_moment(now)))


def connections(session: Session, receiver: str, begin: datetime, now: datetime) -> list[dict[str, Any]]:
    """The newest connections of a receiver that ended after ``begin``, the latest first; ``until`` None while open."""
    query = (
        sa.select(_rows.c.since, _rows.c.until, _rows.c.is_open)
        .where(_rows.c.receiver == receiver, _rows.c.until >= begin, counted(session, _rows.c.simulated))
        .order_by(_rows.c.since.desc())
        .limit(MOST)
    )
    return [
        {"since": row.since, "until": None if row.is_open and now - row.until < GONE else row.until}
        for row in session.execute(query)
    ]


def _put(session: Session, change: Connection, feeder_id: int | None) -> None:
    content = {"until": _moment(change.until), "is_open": change.is_open}
    statement = insert_into(session, _rows).values(
        receiver=change.receiver,
        since=_moment(change.since),
        feeder_id=feeder_id,
        simulated=change.simulated,
        **content,
    )
    session.execute(statement.on_conflict_do_update(index_elements=["receiver", "since"], set_=content))


def _end_left_open(session: Session, present: Mapping[str, float]) -> None:
    for row in session.execute(sa.select(_rows.c.receiver, _rows.c.since).where(_rows.c.is_open)).all():
        if row.receiver not in present or _moment(present[row.receiver]) != row.since:
            ended = sa.update(_rows).where(_rows.c.receiver == row.receiver, _rows.c.since == row.since)
            session.execute(ended.values(is_open=False))


def _trim(session: Session, receiver: str) -> None:
    newest = (
        sa.select(_rows.c.since)
        .where(_rows.c.receiver == receiver)
        .order_by(_rows.c.since.desc())
        .offset(MOST - 1)
        .limit(1)
    )
    session.execute(sa.delete(_rows).where(_rows.c.receiver == receiver, _rows.c.since < newest.scalar_subquery()))


def _existing(session: Session, changes: Sequence[Connection]) -> set[int]:
    asked = {number for change in changes if (number := feeder_id_of(change.receiver)) is not None}
    return set(session.scalars(sa.select(Feeder.id).where(Feeder.id.in_(asked)))) if asked else set()


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
