"""``OnlyTracker``: of the trackers of an installation one leads; the others stand by, or do not start.

A tracker holds a lock of the database while it runs (``database.locks``). If it loses the database it continues, and
acquires the lock again afterwards. A tracker that starts meanwhile would get the lock: so trackers also subscribe to
the shared bus, and one that receives another's messages does not start, or ends unless it holds the lock. One that was
frozen for seconds (process or host), or cut off from the bus, may have lost the lock unnoticed: it publishes nothing
before that is confirmed, and its transactions are refused once another tracker has started (``core.database.fencing``).

A tracker that stands by looks at the lock five times a second. It takes it where the leader's session has ended and its
own goes on: the leader has ended, or cannot reach the database. Where both have ended, the database was away, and it
waits until it hears no other one. A leader that holds the lock and has not published for two seconds is frozen or cut
off from the bus: its session at the database is ended.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

import sqlalchemy as sa

from skywatch.core.database.engine import DatabaseAwayError, DatabaseError, reason
from skywatch.core.database.fencing import Fence, term_of
from skywatch.core.database.locks import ExclusiveLock, LockHeldError, exclusive_lock
from skywatch.core.election.heartbeats import Heartbeat, OtherTrackers
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.core.telemetry.metrics import LEADING

log = logging.getLogger(__name__)

LOCK = "tracker"
# The part of health that a tracker has while it stands by.
STANDBY = "tracker_standby"
CHECK_S = 2.0
# Time for which a confirmation of the lock is valid (s).
CONFIRMED_S = 1.5 * CHECK_S
# A tracker publishes once a second: time to wait for another one's messages at the start, if one published lately (s).
LISTEN_S = 2.5
# How often a tracker that stands by tries to lead, and how long a leader may publish nothing (s).
TRY_EVERY_S, SILENT_LEADER_S = 0.2, 2.0
# The lock of a session that was ended is free within about this time (s).
FREED_WITHIN_S = 0.02
# A tracker that is at work is heard within this time (s).
HEARTBEAT_WITHIN_S = 1.25
# The lock of a lost host is released after 10 s: after a standstill of half of that it must be confirmed (s).
STANDSTILL_S = 5.0
# With others that stand by, one of them may have taken over after this time (s).
STANDSTILL_WITH_STANDBY_S = 1.5
# Continues while the host sleeps, if the system has such a clock.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Standing(NamedTuple):
    """Whether a tracker leads or stands by, since when (unix seconds), and the beginning of its fencing token."""

    state: Literal["leading", "standby"]
    since: float
    token: str


class OnlyTracker:
    """See the module. One per process (``runtime.shared``); ``end`` is called if this tracker has to stop."""

    def __init__(self, runtime: Runtime, end: Callable[[], None] | None = None) -> None:
        self.instance = secrets.token_hex(8)
        self.fence = Fence(LOCK, lambda: self._give_up("another one has taken over"))
        self._sessions = runtime.sessions
        self._database_url = runtime.settings.database_url
        self._end = end or _end_process
        self._lock: ExclusiveLock | None = None
        self._confirmed_at = float("-inf")
        self._checking = threading.Lock()
        self._ticked_at: float | None = None
        # How often the bus was found lost or was connected again, and how often before the last confirmation began.
        self._doubts = self._settled = 0
        self._ending = threading.Lock()
        self._has_ended = self._is_closed = False
        # Cleared by ``stand_by`` alone: whoever does not stand by leads, or does not start.
        self._is_leading = threading.Event()
        self._is_leading.set()
        self._bus = runtime.bus
        self._standstill_s = STANDSTILL_S
        self._since = time.time()
        self._standing_by: threading.Thread | None = None
        self._tried_at = float("-inf")
        # Who holds the lock, and whether its session has been ended because it was not heard.
        self._holder = ""
        self._has_ended_holder = False
        self._waiting_faults = FaultLog(
            log, "the standby cannot ask for the lock", "the standby asks for the lock again"
        )
        self._silent_leader = FaultLog(log, "the leading tracker does not publish", "this tracker leads instead")
        self._task = PeriodicTask("tracker-lock", CHECK_S, self._check)
        self._others = OtherTrackers(runtime.bus, self.instance, self._heard, self._doubt)
        self._doubled = FaultLog(
            log, "another tracker publishes on this bus", "no other tracker publishes on this bus any more"
        )

    @property
    def is_leading(self) -> bool:
        """Whether this tracker publishes and writes, or did until it ended."""
        return self._is_leading.is_set()

    @property
    def standing(self) -> Standing:
        """For health."""
        return Standing("leading" if self.is_leading else "standby", self._since, self.term if self.is_leading else "")

    @property
    def term(self) -> str:
        """The term of the fencing token: that of each later leader is greater."""
        return term_of(self.fence.token)

    def stand_by(self) -> None:
        """Lead if no other tracker does, else as soon as that is so; raises DatabaseAwayError like ``acquire``."""
        self._lock = exclusive_lock(self._database_url, LOCK)
        self._standstill_s = STANDSTILL_WITH_STANDBY_S
        self._is_leading.clear()
        self._others.start()
        try:
            self._try_to_lead()
        except (sa.exc.DBAPIError, OSError) as error:
            self.close()
            raise DatabaseAwayError(f"the lock of the tracker cannot be taken: {reason(error)}") from None
        if not self.is_leading:
            log.warning("another tracker leads; this one stands by")
            self._standing_by = threading.Thread(target=self._wait_to_lead, name="tracker-standby", daemon=True)
            self._standing_by.start()
            health.watch(STANDBY, self._standby_state)

    def _wait_to_lead(self) -> None:
        while not self._is_closed and not self.is_leading:
            time.sleep(self._pause_s())
            try:
                self._try_to_lead()
                self._waiting_faults.succeeded()
            except Exception as error:
                # Whatever it is: nobody else takes over for this one.
                self._waiting_faults.failed(reason(error), None if isinstance(error, sa.exc.DBAPIError) else error)
        health.withdraw(STANDBY, self._standby_state)

    def _pause_s(self) -> float:
        """Until the next look at the lock: at once where it is about to be free, or a time is over."""
        silent_s = self._others.silent_s() or 0.0
        if self._has_ended_holder:
            return FREED_WITHIN_S
        left = [limit - silent_s for limit in (HEARTBEAT_WITHIN_S, SILENT_LEADER_S) if limit > silent_s]
        return max(FREED_WITHIN_S, min([TRY_EVERY_S, *left]))

    def _try_to_lead(self) -> None:
        """Take the lock and the next token, unless another tracker holds it or, without it, still publishes."""
        assert self._lock is not None
        is_late, self._tried_at = _now() - self._tried_at > SILENT_LEADER_S, _now()
        with self._checking:
            if self._is_closed or not self._take_lock(self._lock, is_late):
                return
            self._confirmed_at = _now()
            self.fence.take(self._sessions)
        self._begin_to_lead()

    def _take_lock(self, lock: ExclusiveLock, is_late: bool) -> bool:
        is_heard, self._has_ended_holder = self._due_in_s() > 0, False
        try:
            if is_heard:
                # With the database all sessions are lost: whoever took the lock of a tracker that goes on would end it.
                is_taken = lock.take_from_ended()
                if is_taken:
                    # What was heard of the one before says nothing of now.
                    self._others.take()
                return is_taken
            lock.take()
        except LockHeldError as error:
            self._note_holder(str(error))
            silent_s = self._others.silent_s()
            # A standby that stood still itself, or hears nobody, does not judge.
            if silent_s is not None and silent_s > SILENT_LEADER_S and not is_late and self._bus.state().ok:
                self._silent_leader.failed(f"nothing for {silent_s:.1f} s: its session is ended")
                self._has_ended_holder = lock.end_holder()
            return False
        if self._is_another_at_work():
            lock.close()
            return False
        return True

    def _note_holder(self, holder: str) -> None:
        """Give one that stood by, and was faster, the time of a leader to be heard."""
        if self._holder not in ("", holder) and self._others.silent_s() is not None:
            self._others.begin_anew()
        self._holder = holder

    def _due_in_s(self) -> float:
        """How long the leader, by its last heartbeat, may count as being at work; 0 where none has been heard."""
        silent_s = self._others.silent_s()
        return 0.0 if silent_s is None else HEARTBEAT_WITHIN_S - silent_s

    def _is_another_at_work(self) -> bool:
        """Whether a tracker that has lost the database goes on: it publishes once a second."""
        silent_s = self._others.silent_s()
        # What was heard before the lock was free says nothing of now.
        self._others.take()
        if silent_s is None:
            return self._others.published_lately() and self._others.wait(LISTEN_S)
        return self._others.wait(max(0.0, HEARTBEAT_WITHIN_S - silent_s))

    def _begin_to_lead(self) -> None:
        self._since = time.time()
        self._is_leading.set()
        LEADING.set(1)
        self._silent_leader.succeeded()
        self._task.start()
        log.warning("this tracker leads, with the token %s...", self.standing.token)

    def _standby_state(self) -> State:
        fault = self._waiting_faults.description
        return State(not fault, fault, {"silent_leader_s": self._others.silent_s() or 0.0})

    def acquire(self) -> None:
        """Become the tracker of this installation; raises DatabaseError with one line if there is another one, and
        DatabaseAwayError if the lock cannot be taken at present.

        Waits while a lock may still be that of a tracker that has crashed or is about to end.
        """
        self._lock = lock = exclusive_lock(self._database_url, LOCK)
        self._others.start()
        try:
            lock.wait(lock.patience_s)
        except LockHeldError as error:
            self.close()
            raise DatabaseError(_refusal(f"{error} holds the lock of the database")) from None
        except (sa.exc.DBAPIError, OSError) as error:
            self.close()
            raise DatabaseAwayError(f"the lock of the tracker cannot be taken: {reason(error)}") from None
        self._confirmed_at = _now()
        if self._others.published_lately() and self._others.wait(LISTEN_S):
            self.close()
            raise DatabaseError(_refusal("one that has lost the database still publishes on the bus"))
        try:
            self.fence.take(self._sessions)
        except (sa.exc.SQLAlchemyError, OSError) as error:
            self.close()
            raise DatabaseAwayError(f"the tracker cannot take over: {reason(error)}") from None
        self._since = time.time()
        LEADING.set(1)
        self._task.start()

    def close(self) -> None:
        """Release the lock."""
        self._others.close()
        self._task.close()
        # A check in progress would acquire the lock again.
        self._is_closed = True
        LEADING.set(0)
        has_ended = self._checking.acquire(timeout=CHECK_S)
        if self._lock is not None:
            self._lock.close()
        if has_ended:
            self._checking.release()

    def may_publish(self) -> bool:
        """Call it before each tick: False if this tracker has ended, or was frozen for so long that it has to
        ``confirm`` that it is the only one."""
        now, before = _now(), self._ticked_at
        self._ticked_at = now
        return not self._has_ended and (before is None or now - before < self._standstill_s)

    def is_sure(self) -> bool:
        """Whether this tracker has not ended and no other can have taken over unnoticed: it has neither stood still
        since its last tick began, nor lost the bus since its lock was confirmed. Returns at once.
        """
        before = self._ticked_at
        return self.is_in_touch() and (before is None or _now() - before < self._standstill_s)

    def is_in_touch(self) -> bool:
        """The same within a tick, which may take as long as it takes."""
        if not self._bus.healthy():
            self._doubts += 1
        return not self._has_ended and self._doubts == self._settled

    def may_send(self) -> bool:
        """Whether what the last tick made may still be sent; takes as long as ``confirm`` where that is not sure."""
        return self.is_sure() or self.confirm()

    def confirm(self) -> bool:
        """Whether this is still the only tracker: it holds the lock, or the database is away and no other is heard on a
        bus that works.

        Takes seconds if the database does not answer.
        """
        doubts = self._doubts
        try:
            if self._lock is not None and not self._has_ended:
                self._check()
        except (sa.exc.SQLAlchemyError, OSError):
            works = self._bus.healthy()
            if self._others.wait(LISTEN_S):
                self._give_up("it stood still or was cut off, and another one publishes on the bus")
            elif works and self._bus.healthy():
                self._settled = doubts
        self._ticked_at = _now()
        return not self._has_ended and self._doubts == self._settled

    def _doubt(self) -> None:
        """Another one may have taken over while nothing was heard."""
        self._doubts += 1
        self._task.run_soon()

    def _heard(self, heartbeat: Heartbeat) -> None:
        """Another one publishes: end where it has the later term and the lock is not confirmed, else look at the lock.

        A check that waits for a dead connection would take seconds.
        """
        is_later = self.is_leading and term_of(heartbeat.epoch) > self.term
        if is_later and self._lock is not None and _now() - self._confirmed_at > CONFIRMED_S:
            self._give_up("another one leads with a later term")
        else:
            self._task.run_soon()

    def _check(self) -> None:
        """Confirm the lock, or acquire it again; raises if the database does not answer."""
        with self._checking:
            if not self._is_closed:
                self._check_alone()

    def _check_alone(self) -> None:
        assert self._lock is not None
        other_seen, doubts = self._others.take(), self._doubts
        try:
            self._lock.take()
            self._confirmed_at, self._settled = _now(), doubts
        except LockHeldError as error:
            self._give_up(f"{error} has taken the lock of the database")
            return
        finally:
            if other_seen and _now() - self._confirmed_at > CONFIRMED_S:
                self._give_up("another one publishes on the bus, and the database does not answer")
        if other_seen:
            self._doubled.failed("each installation needs a prefix of its own (setting bus)")
        else:
            self._doubled.succeeded()

    def _give_up(self, cause: str) -> None:
        with self._ending:
            if self._has_ended:
                return
            self._has_ended = True
        log.critical("this tracker ends: %s", cause)
        self._end()


def _now() -> float:
    return time.clock_gettime(_CLOCK)


def _refusal(cause: str) -> str:
    return (
        f"another tracker is at work for this installation: {cause}; stop it first, or start without the role tracker"
    )


def _end_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
