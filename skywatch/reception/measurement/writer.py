"""``QualityWriter``: writes hours over those of this process before, added to what another process had measured."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.database.engine import insert_into
from skywatch.feeders.models import Feeder
from skywatch.feeders.names import feeder_id_of
from skywatch.reception.measurement.codec import pack_detail, pack_summary, unpack
from skywatch.reception.measurement.collector import Entry
from skywatch.reception.measurement.hour import Hour
from skywatch.reception.models import ReceiverQuality

log = logging.getLogger(__name__)

# Minutes are stored for the hours of the last day, of which the first may have begun an hour earlier.
DETAIL_FOR = timedelta(hours=25)

Key = tuple[str, datetime, bool]
_rows: Any = ReceiverQuality.__table__


class QualityWriter:
    """For the thread of a background writer."""

    def __init__(self) -> None:
        # What was stored of the newest hours before this process wrote them first; None: nothing.
        self._earlier: dict[Key, Hour | None] = {}
        self._emptied_before: datetime | None = None

    def write(self, session: Session, entries: list[Entry]) -> None:
        """Write hours in one transaction; those of feeders that were deleted meanwhile are left out."""
        newest = max(entry.at for entry in entries)
        self._earlier = {key: hour for key, hour in self._earlier.items() if newest - key[1] <= timedelta(hours=1)}
        self._read_earlier(session, entries)
        feeders = _existing(session, [feeder_id_of(entry.receiver) for entry in entries])
        for entry in entries:
            feeder_id = feeder_id_of(entry.receiver)
            if feeder_id is None or feeder_id in feeders:
                _store(session, entry, self._earlier.get((entry.receiver, entry.at, entry.simulated)), feeder_id)
        self._empty_old(session, newest)

    def _read_earlier(self, session: Session, entries: Sequence[Entry]) -> None:
        # An hour of a simulator is not that of the receiver which takes its name.
        unread = {(entry.receiver, entry.at, entry.simulated) for entry in entries} - self._earlier.keys()
        if not unread:
            return
        names, hours = {name for name, _, _ in unread}, {at for _, at, _ in unread}
        query = sa.select(_rows.c.receiver, _rows.c.at, _rows.c.simulated, _rows.c.summary, _rows.c.detail).where(
            _rows.c.at.in_(hours), _rows.c.receiver.in_(names)
        )
        self._earlier |= dict.fromkeys(unread)
        for name, at, simulated, summary, detail in session.execute(query):
            if (name, at, simulated) in unread and detail is not None:
                self._earlier[name, at, simulated] = _unpacked(name, at, summary, detail)

    def _empty_old(self, session: Session, newest: datetime) -> None:
        before = newest - DETAIL_FOR
        if self._emptied_before == before:
            return
        session.execute(sa.update(_rows).where(_rows.c.at < before, _rows.c.detail.is_not(None)).values(detail=None))
        self._emptied_before = before


def _unpacked(name: str, at: datetime, summary: bytes, detail: bytes) -> Hour | None:
    try:
        return unpack(summary, detail)
    except ValueError as error:
        log.warning("the stored reception of %s at %s is replaced: %s", name, at, error)
        return None


def _existing(session: Session, ids: Sequence[int | None]) -> set[int]:
    asked = {number for number in ids if number is not None}
    return set(session.scalars(sa.select(Feeder.id).where(Feeder.id.in_(asked)))) if asked else set()


def _store(session: Session, entry: Entry, earlier: Hour | None, feeder_id: int | None) -> None:
    hour = entry.hour
    if earlier is not None:
        # The entry stays what it is: a transaction that fails is tried again.
        hour = hour.copy()
        hour.add(earlier)
    content = {"summary": pack_summary(hour), "detail": pack_detail(hour), "simulated": entry.simulated}
    statement = insert_into(session, _rows).values(receiver=entry.receiver, at=entry.at, feeder_id=feeder_id, **content)
    session.execute(statement.on_conflict_do_update(index_elements=["receiver", "at"], set_=content))
