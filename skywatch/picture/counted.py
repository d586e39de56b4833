"""Which sky counts: what sums, records, outlines, heat maps and statistics are made of.

Rows carry ``simulated`` from recording on. Until an aircraft of a receiver that is not simulated is in the picture for
the first time, everything counts, so that a demonstration shows something; from then on, for good, only what is not
simulated. Lists show both, with a mark.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import insert_into
from skywatch.core.runtime import Runtime
from skywatch.picture.models import RealSky
from skywatch.picture.state.sky import Sky

_ID = 1
# How often the database is asked until a real receiver was heard (s).
LOOK_EVERY_S = 1.0


class CountedSky:
    """Which sky counts, for answers that read no database: asked at most once a second, and never after the change."""

    def __init__(self, runtime: Runtime) -> None:
        self._sessions = runtime.sessions
        self._shows_simulated = True
        self._looked_at = float("-inf")

    @property
    def shows_simulated(self) -> bool:
        """Whether simulated aircraft count; as it was last while the database is away."""
        if self._shows_simulated and time.monotonic() - self._looked_at >= LOOK_EVERY_S:
            self._looked_at = time.monotonic()
            try:
                with self._sessions() as session:
                    self._shows_simulated = counts_simulated(session)
            except SQLAlchemyError:
                pass
        return self._shows_simulated


def counts_simulated(session: Session) -> bool:
    """Return whether simulated aircraft count: until the first receiver that is not simulated was heard."""
    return session.scalar(sa.select(RealSky.since)) is None


def counted(session: Session, simulated: Any) -> Any:
    """Return the condition on the rows that count; ``simulated`` is their column of that name."""
    return sa.true() if counts_simulated(session) else simulated.is_(False)


def counted_rows(sky: Sky, *, simulated: bool) -> npt.NDArray[np.bool_]:
    """Return which aircraft of a picture count ?[n], without the database: simulated ones while no other is in it.

    With ``simulated`` (``counts_simulated``) false they do not even then.
    """
    real: npt.NDArray[np.bool_] = ~sky.column("simulated")
    return real if not simulated or real.any() else ~real


def record_real_sky(session: Session) -> None:
    """Store that a receiver that is not simulated is heard; the first time counts."""
    statement = insert_into(session, RealSky).values(id=_ID, since=utcnow())
    session.execute(statement.on_conflict_do_nothing(index_elements=["id"]))
