"""What was recorded of simulated aircraft: how much there is, and its removal, in small steps that block nothing.

Only rows that carry ``simulated`` go, and points that carry their flag. Whoever switches a simulator off asks for it;
the tracker does it in the background, more than once, because positions of the last minutes are stored late. The
command ``skywatch simulated remove`` does it at once. The archive keeps what it has, marked.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pkgutil import resolve_name

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import SimulatedRows
from skywatch.core.runtime import Runtime
from skywatch.core.storage import audit
from skywatch.core.storage.audit import Actor, Target
from skywatch.core.storage.retention import is_one_of
from skywatch.picture.models import PictureState
from skywatch.receivers.settings import ReceiverSettings, is_simulated

REMOVED = "simulated.removed"
# The row of the picture's state that says since when a removal is asked for.
_ASKED = "simulated_removal"
# The tracker closes a simulator, and history ends its flights, within so long; the last positions are in their place
# after so long.
BEGIN_AFTER, END_AFTER = timedelta(seconds=15), timedelta(minutes=20)
# The first positions that may come late, before the removal was asked for.
LATE = timedelta(hours=1)
EVERY_S = 10.0
ROWS_A_STEP, PAUSE_S = 200, 0.02

Pause = Callable[[float], object]


def count(session: Session, features: FeatureSet) -> dict[str, int]:
    """How many rows of simulated aircraft there are, by what people call them; those without any left out."""
    counts = {}
    # Flights first: they are what most of it is about.
    for rows in sorted(features.provided(SimulatedRows), key=lambda rows: not rows.clean):
        if not rows.title:
            continue
        table = _table(rows)
        number = session.scalar(sa.select(sa.func.count()).select_from(table).where(table.c.simulated)) or 0
        if number:
            counts[rows.title] = number
    return counts


def ask(session: Session, features: FeatureSet, actor: Actor) -> None:
    """Ask for the removal, in the transaction that switches the simulator off."""
    session.merge(PictureState(name=_ASKED, saved_at=utcnow(), data=b""))
    audit.record(session, actor, REMOVED, Target("simulated"), after=count(session, features))


def remove(sessions: SessionFactory, features: FeatureSet, since: float | None, pause: Pause) -> dict[str, int]:
    """Remove what is of simulated aircraft: how many rows went, by what people call them.

    ``since`` as for ``SimulatedRows.clean``.
    """
    removed = {}
    for rows in features.provided(SimulatedRows):
        if rows.clean:
            resolve_name(rows.clean)(sessions, since, pause)
        gone = _delete(sessions, _table(rows), pause)
        if gone and rows.title:
            removed[rows.title] = gone
    return removed


def _table(rows: SimulatedRows) -> sa.Table:
    table: sa.Table = resolve_name(rows.rows).__table__
    return table


def _delete(sessions: SessionFactory, table: sa.Table, pause: Pause) -> int:
    keys = tuple(table.primary_key.columns)
    some = sa.select(*keys).where(table.c.simulated).order_by(*keys).limit(ROWS_A_STEP)
    gone, query = 0, some
    while True:
        # Without the lock for writing, and no row is looked at twice.
        with sessions() as session:
            ids = [tuple(row) for row in session.execute(query)]
        if ids:
            with writing(sessions) as session:
                session.execute(sa.delete(table).where(is_one_of(keys, ids), table.c.simulated))
        gone += len(ids)
        if len(ids) < ROWS_A_STEP:
            return gone
        query = some.where(sa.tuple_(*keys) > ids[-1])
        pause(PAUSE_S)


class Removal:
    """Does what was asked for; for one thread of the tracker."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._has_begun = False

    def work(self, pause: Pause) -> float:
        """The next pass, if it is time for one; the seconds until the next one."""
        with self._runtime.sessions() as session:
            asked = session.get(PictureState, _ASKED)
        if asked is None:
            self._has_begun = False
            return EVERY_S
        age = utcnow() - asked.saved_at
        if age < BEGIN_AFTER:
            return EVERY_S
        if simulators(self._runtime.current.of(ReceiverSettings)):
            # It is on again: what is recorded now was not meant.
            self._end(asked)
            return EVERY_S
        remove(
            self._runtime.sessions,
            self._runtime.settings.features,
            (asked.saved_at - LATE).timestamp() if self._has_begun else None,
            pause,
        )
        self._has_begun = True
        if age > END_AFTER:
            self._end(asked)
        return 6 * EVERY_S

    def _end(self, asked: PictureState) -> None:
        """Forget the request, unless it was asked for again meanwhile."""
        with writing(self._runtime.sessions) as session:
            session.execute(
                sa.delete(PictureState).where(PictureState.name == _ASKED, PictureState.saved_at == asked.saved_at)
            )


def simulators(settings: ReceiverSettings) -> list[str]:
    """The receivers that simulate aircraft."""
    return [f"receiver.{name}" for name, text in settings.receivers.items() if is_simulated({name: text})]
