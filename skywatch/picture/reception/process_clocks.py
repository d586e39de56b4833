"""``ProcessClocks``: how far the clock of an ingest process's computer is from the tracker's.

A message cannot come before it was sent, and messages that come one a second, each late by the same time, are not late:
the clock that dated them is behind. What was queued and comes at once is late.
"""

from __future__ import annotations

from collections import deque

# Clocks that are set by NTP differ by less, and a bus is faster (s).
TOLERATED_S = 1.0
# So many messages that are all late by the same time, within this (s), were sent by a clock that is behind.
MESSAGES, STEADY_S = 5, 0.5


class ProcessClocks:
    """Corrections by process."""

    def __init__(self) -> None:
        self._late: dict[str, deque[float]] = {}

    def correction_s(self, process: str, sent_at: float, now: float) -> float:
        """What to add to the times of a message that its process sent at ``sent_at`` (unix s) and that came ``now``."""
        late = self._late.setdefault(process, deque(maxlen=MESSAGES))
        late.append(now - sent_at)
        if late[-1] < -TOLERATED_S:
            return late[-1]
        least, most = min(late), max(late)
        is_behind = len(late) == MESSAGES and least > TOLERATED_S and most - least <= STEADY_S
        return least if is_behind else 0.0
