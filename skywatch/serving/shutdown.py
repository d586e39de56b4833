"""Signals: SIGTERM and SIGINT end the process within a time, whatever state it is in; SIGHUP changes nothing.

Python runs signal handlers in the main thread alone, and not while that waits in a library. So the system also writes
each signal into a socket, which a thread of its own reads.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from types import FrameType

log = logging.getLogger(__name__)
# Whoever stops services (systemd, Docker, Kubernetes) kills what has not ended after 10 to 90 s; systemd by default
# after 90 s. Everything that was accepted is written long before, where the database takes it.
STOP_WITHIN_S = 18.0
# At the end of it the parts that are still at work are given up, and the means are closed.
CLOSE_S = 3.0
FORCED_EXIT_CODE = 1


class Shutdown:
    """Handles the signals of this process from ``install`` on; to be used in the main thread."""

    def __init__(self) -> None:
        self._deadline: float | None = None
        self._reading, self._writing = socket.socketpair()
        self._writing.setblocking(False)

    def install(self) -> None:
        """SIGTERM raises KeyboardInterrupt like SIGINT; SIGHUP is logged."""
        signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, _interrupt)
        if hasattr(signal, "SIGHUP"):  # not on Windows
            signal.signal(signal.SIGHUP, _ignore)
        threading.Thread(target=self._watch, name="signals", daemon=True).start()

    def remaining_s(self) -> float:
        """How long the parts have left to finish what they accepted."""
        deadline = self._deadline or time.monotonic() + STOP_WITHIN_S
        return max(deadline - CLOSE_S - time.monotonic(), 0.1)

    def _watch(self) -> None:
        while received := self._reading.recv(64):
            if any(number in (signal.SIGTERM, signal.SIGINT) for number in received):
                self._deadline = time.monotonic() + STOP_WITHIN_S
                time.sleep(STOP_WITHIN_S)
                names = sorted(
                    thread.name for thread in threading.enumerate() if thread is not threading.current_thread()
                )
                log.critical("still at work %g s after the signal, ended by force: %s", STOP_WITHIN_S, ", ".join(names))
                logging.shutdown()
                os._exit(FORCED_EXIT_CODE)
            else:
                log.warning("SIGHUP has no effect: settings are read at the start, and logs go to the error stream")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
