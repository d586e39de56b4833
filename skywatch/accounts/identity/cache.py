"""What a process remembers of accounts, so that an authenticated request costs no database query.

Every change of accounts raises a version in its own transaction (``changes.begin_change``) and is announced on the
bus after the commit; the announcement empties the memory at once. Where it does not arrive (another process
without a common bus, a bus that was down, a process killed between commit and announcement) a watcher that reads
the version twice a second does. While the database is away, what is remembered stays valid for a bounded time
(``accounts_offline_s``), so that the live picture goes on; an announcement still empties the memory.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.models import AccessVersion
from skywatch.accounts.settings import AccountSettings
from skywatch.core.bus import Message, topics
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import outage_of, reason
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
T = TypeVar("T")

# The kind of what changes with every login (the moment of the last one), which is no change of rights.
PROFILE = "profile"
CHECK_EVERY_S = 0.5
# Cached identities are valid for so long after the last successful check; while the database is away, longer.
BELIEVED_S = 2.5
MAX_ENTRIES = 20_000


class AccessCache:
    """Values by kind and key, forgotten all at once whenever accounts change. Safe to use from any thread."""

    def __init__(self, runtime: Runtime) -> None:
        self._sessions = runtime.sessions
        self._entries: dict[tuple[str, Any], tuple[Any, float | None]] = {}
        self._lock = threading.Lock()
        self._generation = 0
        self._version: int | None = None
        self._offline_s = runtime.settings.of(AccountSettings).accounts_offline_s
        self._checked_at = float("-inf")
        self._check_began: float | None = None
        self._faults = FaultLog(log, "the version of accounts cannot be read", "the version of accounts is read again")
        self._in_use = threading.Event()
        self._stop = threading.Event()
        self._subscription = runtime.bus.subscribe([topics.IDENTITIES], self._changed, self.clear)
        self._watcher = threading.Thread(target=self._watch, name="accounts-watch", daemon=True)
        self._watcher.start()

    def get(
        self,
        kind: str,
        key: Any,
        load: Callable[[Session], T | None],
        valid_until: Callable[[T], float | None] = lambda value: None,
    ) -> T | None:
        """What is remembered, or else loaded; what is not there is not remembered.

        ``valid_until`` gives the unix time after which a value must be loaded again.
        """
        entry = self._entries.get((kind, key))
        if entry is not None and (entry[1] is None or entry[1] > unix_now()) and self._is_believed():
            value: T = entry[0]
            return value
        generation = self._generation
        with self._sessions() as session:
            loaded = load(session)
        if loaded is not None:
            with self._lock:
                # Something may have changed while the database was read: then this value is not cached.
                if generation == self._generation:
                    if len(self._entries) >= MAX_ENTRIES:
                        self._entries.clear()
                    self._entries[(kind, key)] = (loaded, valid_until(loaded))
                    self._in_use.set()
        return loaded

    def _is_believed(self) -> bool:
        """Whether what is remembered is good now: lately checked, or the database is away and not for too long."""
        now = time.monotonic()
        age_s = now - self._checked_at
        if age_s < BELIEVED_S:
            return True
        began = self._check_began
        is_away = self._faults.count > 0 or (began is not None and now - began > BELIEVED_S)
        return is_away and age_s < self._offline_s

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._generation += 1
            self._entries.clear()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._in_use.set()
        self._subscription.close()
        if threading.current_thread() is not self._watcher:
            self._watcher.join(2.0)

    def forget(self, kind: str, key: Any) -> None:
        """Forget one value."""
        with self._lock:
            self._generation += 1
            self._entries.pop((kind, key), None)

    def _changed(self, message: Message) -> None:
        if message.event == "login":
            self.forget(PROFILE, int(message.data))
        else:
            self.clear()

    def _watch(self) -> None:
        while True:
            self._in_use.wait()
            if self._stop.is_set():
                return
            self._check_began = time.monotonic()
            try:
                self._check()
                self._faults.succeeded()
            except Exception as error:
                # Whatever it is, the watcher must not die.
                if not self._stop.is_set():
                    self._faults.failed(reason(error), cause=outage_of(error))
            self._check_began = None
            self._stop.wait(CHECK_EVERY_S)

    def _check(self) -> None:
        began = time.monotonic()
        with self._sessions() as session:
            version = session.scalar(sa.select(AccessVersion.version).where(AccessVersion.id == 1))
        if version != self._version:
            self._version = version
            self.clear()
        self._checked_at = began
        with self._lock:
            if not self._entries:
                self._in_use.clear()
                if self._stop.is_set():
                    self._in_use.set()
