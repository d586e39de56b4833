"""Bounds what repeats in the log: no fault may bury the others, nor fill the disk.

A line is counted by its call site, and there by its first argument (which part, which request).
The first few of a minute are shown; what comes beyond is counted, and the count is logged when the minute is over. The
traceback of a repeated line is shown once.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field

from skywatch.core.telemetry.fault_log import LoggedError

WINDOW_S = 60.0
# Lines of one call site in a minute, and of those with the same first argument. Information is no fault: more of it.
OF_CALL_SITE = {"fault": 6, "information": 60}
OF_SUBJECT = {"fault": 2, "information": 20}
# Lines that report faults, of all call sites in a minute.
OF_ALL = 18
# Call sites that are counted at a time: there are fewer in the program.
MAX_CALL_SITES = 2000

CallSite = tuple[str, str, int]


@dataclass
class _Window:
    began: float
    shown: int = 0
    hidden: int = 0
    traced: bool = False
    subjects: dict[str, int] = field(default_factory=dict)


class RepeatLimiter(logging.Filter):
    """Decides for each record whether it is shown. Safe to use from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._windows: dict[CallSite, _Window] = {}
        self._all = _Window(0.0)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to show a record; removes its traceback where that has been shown."""
        if record.exc_info and isinstance(record.exc_info[1], LoggedError):
            return False
        if record.levelno >= logging.CRITICAL or record.levelno < logging.INFO:
            return True
        now = time.monotonic()
        call_site = (record.name, record.pathname, record.lineno)
        kind = "fault" if record.levelno >= logging.WARNING else "information"
        with self._lock:
            window = self._windows.get(call_site)
            if window is None or now - window.began >= WINDOW_S:
                window = self._renew(call_site, window, record, now)
            if kind == "fault" and now - self._all.began >= WINDOW_S:
                self._all = _Window(now)
            subject = _subject(record)
            count = window.subjects.get(subject, 0)
            is_shown = (
                window.shown < OF_CALL_SITE[kind]
                and count < OF_SUBJECT[kind]
                and (kind != "fault" or self._all.shown < OF_ALL or window.shown == 0)
            )
            if not is_shown:
                window.hidden += 1
                return False
            window.subjects[subject] = count + 1
            window.shown += 1
            self._all.shown += kind == "fault"
            if window.traced:
                record.exc_info = None
            window.traced = window.traced or bool(record.exc_info)
            return True

    def _renew(self, call_site: CallSite, before: _Window | None, record: logging.LogRecord, now: float) -> _Window:
        if len(self._windows) >= MAX_CALL_SITES:
            self._windows.clear()
        window = self._windows[call_site] = _Window(now)
        if before is not None and before.hidden:
            age_s = now - before.began
            record.msg = f"{record.getMessage()} ({before.hidden} more like it were not logged in {age_s:.0f} s)"
            record.args = None
            window.traced = before.traced
        return window


def _subject(record: logging.LogRecord) -> str:
    """What a line is about, as far as it is told apart: its first argument, or its text where that is made before."""
    args = record.args
    first = args[0] if isinstance(args, tuple) and args else "" if args else record.msg
    return str(first)[:100]
