"""Converts a receiver's counter to unix seconds, for recordings without other times.

Beast and dump1090 count 12 MHz ticks since the receiver started; a Radarcape with GPS writes the second of the day
into the upper 18 bits and nanoseconds into the lower 30.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from skywatch.receivers.framing.beast import MLAT_TICKS
from skywatch.receivers.framing.frames import Column

TICKS_PER_S = 12e6
DAY_S = 86_400.0
# Small steps back are frames out of order; a larger one, or a leap ahead, is a counter that was reset.
STEP_BACK_S = 60.0
LEAP_S = 12 * 3600.0

Counter = Literal["12mhz", "gps"]


class CounterClock:
    """Times of one recording: its first frame is at ``start`` (unix seconds), the rest as the counter says.

    Frames without a counter (0, negative, or the mark of multilateration) get the time of the frame before them.
    """

    def __init__(self, start: float = 0.0, counter: Counter = "12mhz") -> None:
        self._counter = counter
        self._last = start
        self._last_seconds: float | None = None
        self._offset = start

    def times(self, ticks: Column) -> Column:
        """Unix seconds f8[n] of counters i8[n]."""
        times = np.full(len(ticks), self._last)
        counted = (ticks > 0) & (ticks != MLAT_TICKS)
        if counted.any():
            seconds = self._seconds(ticks[counted])
            if self._last_seconds is None:
                self._offset = self._last - float(seconds[0])
                self._last_seconds = float(seconds[0])
            steps = np.diff(seconds, prepend=self._last_seconds)
            # Subtracts the jump of the counter, so that time continues.
            jumps = np.where((steps < -STEP_BACK_S) | (steps > LEAP_S), steps, 0.0)
            times[counted] = seconds + self._offset - np.cumsum(jumps)
            self._last_seconds = float(seconds[-1])
            self._offset -= float(jumps.sum())
            index = np.maximum.accumulate(np.where(counted, np.arange(len(ticks)), -1))
            times = np.where(index >= 0, times[index], self._last)
            self._last = float(times[-1])
        return times

    def _seconds(self, ticks: Column) -> Column:
        if self._counter == "12mhz":
            return ticks / TICKS_PER_S
        seconds = (ticks >> 30) + (ticks & 0x3FFFFFFF) * 1e-9
        # Past midnight the second of the day starts again.
        steps = np.diff(seconds, prepend=seconds[0] if self._last_seconds is None else self._last_seconds % DAY_S)
        midnights = np.cumsum(np.where(steps < -DAY_S / 2, 1, np.where(steps > DAY_S / 2, -1, 0)))
        base = 0.0 if self._last_seconds is None else self._last_seconds - self._last_seconds % DAY_S
        return np.asarray(seconds + midnights * DAY_S + base)
