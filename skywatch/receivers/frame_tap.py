"""``FrameTap``: passes the good frames of all receivers to listeners, such as outputs for other programs.

One per process (``runtime.shared``). Without listeners, the usual case, a batch costs one comparison.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from skywatch.core.telemetry.fault_log import FaultLog

if TYPE_CHECKING:
    # An installation that only simulates loads no decoder.
    from skywatch.receivers.framing.frames import Column, FrameBatch
    from skywatch.receivers.mode_s.decoded import Decoded

    # Takes good frames with their addresses i4[n] (24 bits), ?[n] whether they are not ICAO's, and u1[n] sources.
    Listener = Callable[[FrameBatch, Column, Column, Column], None]

log = logging.getLogger(__name__)
# ``mode_s.decoded.Status.GOOD``.
GOOD = 0


class FrameTap:
    """Listeners are called on the tracker's loop and must return at once; one that fails does not affect receivers."""

    def __init__(self, runtime: Any = None) -> None:
        self._listeners: list[Listener] = []
        self._faults = FaultLog(log, "frames are not passed to outputs", "frames are passed to outputs again")

    def add(self, listener: Listener) -> None:
        """Pass all frames from now on to a listener."""
        self._listeners.append(listener)

    def remove(self, listener: Listener) -> None:
        """Remove a listener."""
        self._listeners.remove(listener)

    def put(self, decoded: Decoded, but: Column | None = None) -> None:
        """Pass decoded frames to the listeners, only good ones; ``but`` ?[n] marks those that were passed before."""
        if not self._listeners or not len(decoded):
            return
        good = ((decoded.status == GOOD) & (True if but is None else ~but)).nonzero()[0]
        if len(good):
            frames = decoded.frames[good]
            addresses, non_icao, sources = decoded.address[good], decoded.non_icao[good], decoded.source[good]
            try:
                for listener in self._listeners:
                    listener(frames, addresses, non_icao, sources)
                self._faults.succeeded()
            except Exception as error:
                self._faults.failed(str(error), error)
