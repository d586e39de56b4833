"""The history of health: when which part changed its state, and why.

The tracker's process runs the checks every few seconds and stores changes. While the database is away, they are
buffered in a bounded queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.sentences import codes_of
from skywatch.system.health.checks import Check
from skywatch.system.models import HealthChange

# Limit of changes buffered for the database; beyond it the oldest is dropped.
MAX_WAITING = 1000
MAX_REASON = 500
_table: Any = HealthChange.__table__


class HealthLog:
    """Compares checks with the previous ones and stores changes."""

    def __init__(self, sessions: SessionFactory) -> None:
        self._sessions = sessions
        self._states: dict[str, str] = {}
        self._waiting: deque[dict[str, Any]] = deque(maxlen=MAX_WAITING)

    def take(self, checks: Iterable[Check]) -> None:
        """Record changes; raises SQLAlchemyError where they could not be written yet."""
        for part, (state, detail) in _worst(checks).items():
            before = self._states.get(part, "")
            if state != before:
                self._states[part] = state
                self._waiting.append(
                    {
                        "at": utcnow(),
                        "part": part[:64],
                        "before": before,
                        "after": state,
                        "reason": detail[:MAX_REASON],
                        "words": codes_of(reason=detail) or None,
                    }
                )
        if self._waiting:
            rows = list(self._waiting)
            with writing(self._sessions) as session:
                session.execute(sa.insert(_table), rows)
            self._waiting.clear()


def state_of(check: Check) -> str:
    """``ok``, ``degraded`` or, if the service cannot work without the part, ``failing``."""
    if check.ok:
        return "ok"
    return "failing" if check.required else "degraded"


def find_changes(
    session: Session, part: str | None, limit: int, before_id: int | None = None, *, with_starts: bool = True
) -> list[HealthChange]:
    """Changes, the newest first, of one part or of all; without ``with_starts`` not that a part worked from the start
    of the service, which is a row for each part and start."""
    query = sa.select(HealthChange).order_by(HealthChange.id.desc()).limit(limit)
    if not with_starts:
        query = query.where(sa.or_(HealthChange.before != "", HealthChange.after != "ok"))
    if part is not None:
        query = query.where(HealthChange.part == part)
    if before_id is not None:
        query = query.where(HealthChange.id < before_id)
    return list(session.scalars(query))


def _worst(checks: Iterable[Check]) -> dict[str, tuple[str, str]]:
    """State and reason of each part; if several processes have a part of the same name, the worst state counts."""
    ranks = ("ok", "degraded", "failing")
    worst: dict[str, tuple[str, str]] = {}
    for check in checks:
        state = state_of(check)
        if check.name not in worst or ranks.index(state) > ranks.index(worst[check.name][0]):
            worst[check.name] = (state, check.detail)
    return worst
