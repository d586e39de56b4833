"""When each API key was last used, written down now and then instead of with every request."""

from __future__ import annotations

import logging
import threading
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from skywatch.accounts.models import ApiKey
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.db import SessionFactory, writing

log = logging.getLogger(__name__)
# A key in steady use is written down once in so many seconds, and a first use this soon after it.
WRITE_EVERY_S = 60.0
WRITE_AFTER_S = 1.0


class UsageRecorder:
    """Collects uses and writes them from a timer's thread. Safe to use from any thread."""

    def __init__(self, sessions: SessionFactory) -> None:
        self._sessions = sessions
        self._lock = threading.Lock()
        self._noted: dict[int, float] = {}
        self._pending: dict[int, datetime] = {}
        self._timer: threading.Timer | None = None

    def used(self, key_id: int) -> None:
        """Note that a key was used now."""
        now = unix_now()
        if now - self._noted.get(key_id, 0.0) < WRITE_EVERY_S:
            return
        with self._lock:
            self._noted[key_id] = now
            self._pending[key_id] = utcnow()
            if self._timer is None:
                self._timer = threading.Timer(WRITE_AFTER_S, self.flush)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> None:
        """Write down what was noted."""
        with self._lock:
            pending, self._pending, self._timer = self._pending, {}, None
        if not pending:
            return
        try:
            with writing(self._sessions) as session:
                # In one order: two processes that write the same keys must not wait for each other.
                for key_id, at in sorted(pending.items()):
                    session.execute(sa.update(ApiKey).where(ApiKey.id == key_id).values(last_used_at=at))
        except SQLAlchemyError as error:
            # It is a courtesy to the owner; the next use in a minute tries again.
            log.warning("the last use of %d API keys could not be written: %s", len(pending), type(error).__name__)

    def close(self) -> None:
        """Write down what is left and stop."""
        with self._lock:
            timer = self._timer
        if timer is not None:
            timer.cancel()
            self.flush()
