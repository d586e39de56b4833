"""Signals: SIGTERM and SIGINT end the process within a time, whatever state it is in; SIGHUP changes nothing.

A second SIGTERM changes nothing either: what was accepted is still written. A second SIGINT (Ctrl-C) hurries the end.

Python runs signal handlers in the main thread only, and not while that is blocked in a library. So each signal is also
written to a socket (``signal.set_wakeup_fd``), which a separate thread reads. The system may give a signal to another
thread, as it does where a frozen process goes on and its main thread has not woken yet: then the main thread goes on
waiting, and is sent the signal once more.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from types import FrameType

from skywatch.core.terminal.command import interrupt

log = logging.getLogger(__name__)
# Supervisors kill a process that has not ended after 10 s (Docker), 30 s (Kubernetes) or 90 s (systemd). Accepted data
# is written long before, if the database is available.
STOP_WITHIN_S = 18.0
# The main thread begins to stop within this time.
TAKEN_WITHIN_S = 0.5
# After this time running parts are abandoned and resources are closed.
CLOSE_S = 3.0
FORCED_EXIT_CODE = 1


class Shutdown:
    """Handles the signals of this process from ``install`` on; use it in the main thread."""

    def __init__(self) -> None:
        self._deadline: float | None = None
        self._is_taken = False
        self._main = threading.get_ident()
        self._reading, self._writing = socket.socketpair()
        self._writing.setblocking(False)

    def install(self) -> None:
        """SIGTERM and SIGINT raise Interrupted; SIGHUP is logged."""
        signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._interrupt_once)
        signal.signal(signal.SIGINT, self._interrupt)
        if hasattr(signal, "SIGHUP"):  # not on Windows
            signal.signal(signal.SIGHUP, _ignore)
        threading.Thread(target=self._watch, name="signals", daemon=True).start()

    def remaining_s(self) -> float:
        """The time left for parts to finish accepted work."""
        deadline = self._deadline or time.monotonic() + STOP_WITHIN_S
        return max(deadline - CLOSE_S - time.monotonic(), 0.1)

    def _watch(self) -> None:
        while signals := self._reading.recv(64):
            ends = [number for number in signals if number in (signal.SIGTERM, signal.SIGINT)]
            if ends:
                self._deadline = time.monotonic() + STOP_WITHIN_S
                time.sleep(TAKEN_WITHIN_S)
                if not self._is_taken and hasattr(signal, "pthread_kill"):  # not on Windows
                    signal.pthread_kill(self._main, ends[0])
                time.sleep(STOP_WITHIN_S - TAKEN_WITHIN_S)
                names = sorted(
                    thread.name for thread in threading.enumerate() if thread is not threading.current_thread()
                )
                log.critical(
                    "still running %g s after the signal, process killed; threads: %s", STOP_WITHIN_S, ", ".join(names)
                )
                logging.shutdown()
                os._exit(FORCED_EXIT_CODE)
            else:
                log.warning("SIGHUP has no effect: settings are read at the start only, and logs go to stderr")

    def _interrupt_once(self, number: int, frame: FrameType | None) -> None:
        # Ignored by the system: the interpreter gives up handlers of its own before the process has ended.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self._interrupt(number, frame)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._is_taken = True
        interrupt(number, frame)


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
