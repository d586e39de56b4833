"""The statistics of the tracker: a small value published once a second on the bus topic ``tracker``."""

from __future__ import annotations

from collections import deque

import msgspec

WINDOW_TICKS = 60


class TrackerStatistics(msgspec.Struct):
    """Figures of the last tick and of the last minute; times are unix seconds, durations seconds.

    ``instance`` identifies a tracker, ``epoch`` a start of the picture.
    ``military`` and ``military_with_position`` are the military ones among the aircraft counted before them. Simulated
    aircraft, and messages of simulators, count until another aircraft has been heard.
    ``skies_skipped`` counts the skies that a slow bus did not take; ``implausible`` the positions that were not
    believed since the start, by receiver and reason; ``waiting`` and ``dropped`` are ``Admission``'s.
    """

    at: float = 0.0
    instance: str = ""
    epoch: str = ""
    seq: int = 0
    started_at: float = 0.0
    aircraft: int = 0
    with_position: int = 0
    military: int = 0
    military_with_position: int = 0
    messages: int = 0
    message_rate: float = 0.0
    tick_s: float = 0.0
    tick_mean_s: float = 0.0
    tick_max_s: float = 0.0
    ticks_failed: int = 0
    skies_skipped: int = 0
    monitor_errors: dict[str, int] = {}
    implausible: dict[str, dict[str, int]] = {}
    waiting: int = 0
    dropped: dict[str, int] = {}
    saved_at: float | None = None
    save_error: str | None = None


class TickMeter:
    """Durations and message counts of the last minute."""

    def __init__(self) -> None:
        self._durations: deque[float] = deque(maxlen=WINDOW_TICKS)
        self._messages: deque[tuple[float, int]] = deque(maxlen=WINDOW_TICKS)

    def add(self, at: float, duration_s: float, messages: int) -> None:
        """Note a tick; ``at`` is monotonic seconds, ``messages`` the count since the start."""
        self._durations.append(duration_s)
        self._messages.append((at, messages))

    def forget_messages(self) -> None:
        """Begin to count anew: what counts is something else from now on."""
        self._messages.clear()

    def fill(self, statistics: TrackerStatistics) -> None:
        """Write the figures of the last minute."""
        statistics.tick_s = self._durations[-1]
        statistics.tick_mean_s = sum(self._durations) / len(self._durations)
        statistics.tick_max_s = max(self._durations)
        (first_at, first), (last_at, last) = self._messages[0], self._messages[-1]
        statistics.message_rate = round((last - first) / (last_at - first_at), 1) if last_at > first_at else 0.0
