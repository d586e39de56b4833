"""Logs a failure that repeats: its first occurrence, then one line a minute with the count, and its end.

A fault that comes and goes with every attempt gets a few lines a minute as well, however often it turns. Where several
parts fail for one cause, such as a database that is away, one of them speaks for all.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref

REPEAT_S = 60.0
# A fault that returns this soon after its end is logged no earlier than that.
PAUSE_S = 15.0
# A part that does not fail any more for so long without an end speaks for nobody: it may have been stopped.
SPEAKS_S = 30.0
# So many of the parts that fail for the same cause are named.
MAX_NAMES = 12


class _Cause:
    """What several parts of this process fail for."""

    def __init__(self) -> None:
        self.speaker: weakref.ref[FaultLog] | None = None
        self.ended_at = float("-inf")


_lock = threading.Lock()
_causes: dict[str, _Cause] = {}


def forget_causes() -> None:
    """Every part speaks for itself again."""
    with _lock:
        _causes.clear()


class LoggedError(Exception):
    """An error that has a line in the log already, where it arose: neither it nor its traceback is logged again."""


# The cause of faults that such errors are.
LOGGED = "logged"


class FaultLog:
    """One kind of failure of one part. ``failing`` and ``recovered`` are the texts, without a full stop."""

    def __init__(self, logger: logging.Logger, failing: str, recovered: str) -> None:
        self._logger = logger
        self._failing = failing
        self._recovered = recovered
        self._lock = threading.Lock()
        self._began_at = 0.0
        self._logged_at: float | None = None
        self._ended_at = float("-inf")
        self._failed_at = float("-inf")
        self._cause = ""
        self._others: set[str] = set()
        self.count = 0

    @property
    def description(self) -> str:
        """What fails now, for health; empty where nothing does."""
        return self._failing if self.count else ""

    def failed(self, why: str, error: BaseException | None = None, cause: str = "") -> None:
        """Count one failure; ``why`` is one line, ``error`` adds its traceback to the first line.

        ``cause`` names what other parts fail for as well: while one of them has said so, this one is only named there.
        """
        now = time.monotonic()
        with self._lock:
            self.count += 1
            self._failed_at = now
            if self.count == 1:
                self._began_at = now
            first = self._logged_at is None
            if self._logged_at is None and now - self._ended_at < PAUSE_S:
                return
            if self._logged_at is not None and now - self._logged_at < REPEAT_S:
                return
            if cause == LOGGED or isinstance(error, LoggedError):
                return
            if first and cause and not self._may_speak(cause, now):
                return
            self._logged_at = now
            times = f" ({self.count} times in {now - self._began_at:.0f} s)" if self.count > 1 else ""
            others = self._named()
        self._logger.error("%s: %s%s%s", self._failing, why, times, others, exc_info=error if first else None)

    def succeeded(self) -> None:
        """End the fault, if there is one."""
        if not self.count:
            return
        with self._lock:
            count, logged, lasted_s = self.count, self._logged_at is not None, time.monotonic() - self._began_at
            self.count, self._logged_at = 0, None
            others = self._named()
            if logged:
                self._ended_at = time.monotonic()
                self._end_cause()
        if logged:
            self._logger.warning("%s after %d failed attempts in %.0f s%s", self._recovered, count, lasted_s, others)

    def end_after(self, quiet_s: float) -> None:
        """End the fault, if there is one and nothing failed for so long (s): where no success is seen by itself."""
        if self.count and time.monotonic() - self._failed_at >= quiet_s:
            self.succeeded()

    def _may_speak(self, cause: str, now: float) -> bool:
        """Whether this part is the one that logs a cause; otherwise whoever does names it."""
        with _lock:
            entry = _causes.setdefault(cause, _Cause())
            speaker = entry.speaker() if entry.speaker is not None else None
            if speaker is not None and speaker is not self and now - speaker._failed_at < SPEAKS_S:
                speaker._others.add(self._failing)
                return False
            if speaker is None and now - entry.ended_at < PAUSE_S:
                return False  # An attempt that began before the end.
            entry.speaker = weakref.ref(self)
            self._cause = cause
            return True

    def _end_cause(self) -> None:
        with _lock:
            self._others = set()
            entry = _causes.get(self._cause)
            if entry is not None and entry.speaker is not None and entry.speaker() is self:
                entry.speaker, entry.ended_at = None, self._ended_at
            self._cause = ""

    def _named(self) -> str:
        """The other parts that have failed for the same cause, as the end of a line."""
        with _lock:
            others = sorted(self._others)
        if not others:
            return ""
        more = f" and {len(others) - MAX_NAMES} more" if len(others) > MAX_NAMES else ""
        return f"; for the same cause: {', '.join(others[:MAX_NAMES])}{more}"
