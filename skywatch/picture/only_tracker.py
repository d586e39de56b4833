"""``OnlyTracker``: keeps a second tracker from working for the same installation.

A tracker holds a lock of the database while it works (``core.exclusive``). Where it loses the database it goes on, and
takes the lock again afterwards. Whoever starts meanwhile would get the lock: so trackers also listen on a shared bus,
and one that hears another there does not start, or ends unless the lock is its own. One that stood still for seconds
(a frozen process or host) may have lost the lock without a word: it publishes nothing more before that is confirmed.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable

import msgspec
import sqlalchemy as sa

from skywatch.core.bus import Message, Subscription, topics
from skywatch.core.db import DatabaseError, reason
from skywatch.core.exclusive import ExclusiveLock, LockHeldError, exclusive_lock
from skywatch.core.fault_log import FaultLog
from skywatch.core.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.picture.statistics import TrackerStatistics

log = logging.getLogger(__name__)

LOCK = "tracker"
CHECK_S = 2.0
# The lock is this tracker's own where it was confirmed within this time (s).
CONFIRMED_S = 3 * CHECK_S
# A tracker publishes once a second: how long to listen for another one at the start, where one was heard lately.
LISTEN_S, LATELY_S = 2.5, 60.0
# The lock of a host that is gone is released after 10 s: after half of that standing still it has to be confirmed (s).
STANDSTILL_S = 5.0
# Goes on while the host sleeps, where the system has such a clock.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

_decoder = msgspec.json.Decoder(TrackerStatistics)


class OnlyTracker:
    """See the module. One for a process (``runtime.shared``); ``end`` is called where this tracker has to end."""

    def __init__(self, runtime: Runtime, end: Callable[[], None] | None = None) -> None:
        self.instance = secrets.token_hex(8)
        self._bus = runtime.bus
        self._database_url = runtime.settings.database_url
        self._end = end or _end_process
        self._lock: ExclusiveLock | None = None
        self._subscription: Subscription | None = None
        self._confirmed_at = float("-inf")
        self._checking = threading.Lock()
        self._ticked_at: float | None = None
        self._has_ended = self._is_closed = False
        self._heard = threading.Event()
        self._task = PeriodicTask("tracker-lock", CHECK_S, self._check)
        self._doubled = FaultLog(
            log, "another tracker publishes on this bus", "no other tracker publishes on this bus any more"
        )

    def acquire(self) -> None:
        """Become the tracker of this installation; raises DatabaseError with one line where there is another one.

        Waits while a lock may still be that of a tracker that has crashed or is about to end.
        """
        self._lock = lock = exclusive_lock(self._database_url, LOCK)
        if not self._bus.carries_objects:
            self._subscription = self._bus.subscribe([topics.TRACKER], self._on_statistics)
        try:
            lock.wait(lock.patience_s)
        except LockHeldError as error:
            self.close()
            raise DatabaseError(_refusal(f"{error} holds the lock of the database")) from None
        except (sa.exc.DBAPIError, OSError) as error:
            self.close()
            raise DatabaseError(f"the lock of the tracker cannot be taken: {reason(error)}") from None
        self._confirmed_at = _now()
        if self._heard_lately() and self._heard.wait(LISTEN_S):
            self.close()
            raise DatabaseError(_refusal("one that has lost the database still publishes on the bus"))
        self._task.start()

    def close(self) -> None:
        """Release the lock."""
        if self._subscription is not None:
            self._subscription.close()
        self._task.close()
        # A check that is under way would take the lock again.
        self._is_closed = True
        has_ended = self._checking.acquire(timeout=CHECK_S)
        if self._lock is not None:
            self._lock.close()
        if has_ended:
            self._checking.release()

    def may_publish(self) -> bool:
        """Asked before each tick: False where this tracker has ended, or stood still for so long that it has to
        ``confirm`` that it is the only one."""
        now, before = _now(), self._ticked_at
        self._ticked_at = now
        return not self._has_ended and (before is None or now - before < STANDSTILL_S)

    def confirm(self) -> bool:
        """Whether this is still the only tracker: it holds the lock, or the database is away and no other is heard.

        Takes seconds where the database does not answer.
        """
        try:
            if self._lock is not None and not self._has_ended:
                self._check()
        except (sa.exc.SQLAlchemyError, OSError):
            if self._subscription is not None and self._heard.wait(LISTEN_S):
                self._give_up("it stood still, and another one publishes on the bus")
        self._ticked_at = _now()
        return not self._has_ended

    def _heard_lately(self) -> bool:
        if self._subscription is None:
            return False
        last = self._bus.last(topics.TRACKER)
        return last is not None and abs(time.time() - _statistics(last).at) < LATELY_S

    def _on_statistics(self, message: Message) -> None:
        if _statistics(message).instance in ("", self.instance):
            return
        self._heard.set()
        self._task.run_soon()

    def _check(self) -> None:
        """Confirm the lock, or take it again; raises where the database does not answer."""
        with self._checking:
            if not self._is_closed:
                self._check_alone()

    def _check_alone(self) -> None:
        assert self._lock is not None
        heard = self._heard.is_set()
        self._heard.clear()
        try:
            self._lock.take()
            self._confirmed_at = _now()
        except LockHeldError as error:
            self._give_up(f"{error} has taken the lock of the database")
            return
        finally:
            if heard and _now() - self._confirmed_at > CONFIRMED_S:
                self._give_up("another one publishes on the bus, and the database does not answer")
        if heard:
            self._doubled.failed("each installation needs a prefix of its own (setting bus)")
        else:
            self._doubled.succeeded()

    def _give_up(self, why: str) -> None:
        self._has_ended = True
        log.critical("this tracker ends: %s", why)
        self._end()


def _now() -> float:
    return time.clock_gettime(_CLOCK)


def _statistics(message: Message) -> TrackerStatistics:
    try:
        return _decoder.decode(message.data)
    except msgspec.MsgspecError:
        return TrackerStatistics()  # of another version


def _refusal(why: str) -> str:
    return f"another tracker is at work for this installation: {why}; stop it first, or start without the role tracker"


def _end_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
