"""When each API key was last used, written now and then instead of with every request."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.models import ApiKey
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import SessionFactory
from skywatch.core.storing.queue import WriteQueue
from skywatch.core.storing.writer import BackgroundWriter

# A key in steady use is written once in so many seconds, and a first use this soon after it.
WRITE_EVERY_S = 60.0
WRITE_AFTER_S = 1.0
# Far more keys than an installation has: each waits at most once.
QUEUE_LIMIT = 20_000
# A stop waits no longer for times of use, which may be lost.
CLOSE_S = 2.0


class Usage(NamedTuple):
    """A key was used at a time."""

    key_id: int
    at: datetime


class UsageRecorder:
    """Collects uses and writes them in the background. Safe to use from any thread."""

    def __init__(self, sessions: SessionFactory) -> None:
        self._noted: dict[int, float] = {}
        self._queue: WriteQueue[Usage] = WriteQueue(QUEUE_LIMIT, replace_delay_s=WRITE_AFTER_S)
        self._writer = BackgroundWriter("usage", sessions, self._queue, write)
        self._writer.start()

    def used(self, key_id: int) -> None:
        """Note that a key was used now."""
        now = unix_now()
        if now - self._noted.get(key_id, 0.0) >= WRITE_EVERY_S:
            self._noted[key_id] = now
            self._queue.replace(key_id, Usage(key_id, utcnow()))

    def close(self) -> None:
        """Write what is left and stop."""
        self._writer.close(CLOSE_S)


def write(session: Session, usages: list[Usage]) -> None:
    """Write uses; always in one order, so that two processes that write the same keys do not lock each other out."""
    for usage in sorted(usages):
        session.execute(sa.update(ApiKey).where(ApiKey.id == usage.key_id).values(last_used_at=usage.at))
