"""``FeederClocks``: when the frames of many feeders were received, by their counters.

The rules are those of ``kinds.mode_s_stream.ArrivalTimes`` and ``source_clock.SourceClock``, for all feeders at once.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.beast import MLAT_TICKS
from skywatch.receivers.framing.clock import TICKS_PER_S
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.reports.source_clock import CLOCK_SET_S, DRIFT

# A first reading has come within this time (s).
FIRST_S = 0.1
SPAN_FACTOR, SPAN_SLACK_S = 1.5, 0.5
# A process that has read nothing for so long (s) stood still: what it reads now came in the meantime, not now.
STOOD_STILL_S = 1.5
# No frame is older than this when it comes (s): who dates frames back gains nothing.
OLDEST_S = 30.0


class FeederClocks:
    """The offsets of feeders' counters, by the feeder's number."""

    def __init__(self) -> None:
        self._offset = self._arrived_at = self._last_at = np.empty(0)
        self._read_at = np.inf

    def reset(self, slot: int) -> None:
        """A new connection: nothing is known of its counter."""
        missing = slot + 1 - len(self._offset)
        if missing > 0:
            more = np.full(missing, np.nan)
            self._offset, self._arrived_at, self._last_at = (
                np.append(column, more) for column in (self._offset, self._arrived_at, self._last_at)
            )
        for column in (self._offset, self._arrived_at, self._last_at):
            column[slot] = np.nan

    def times(self, ticks: Column, starts: Column, slots: Column, received_at: float) -> Column:
        """Unix seconds f8[n] of frames; those of the feeder ``slots[k]`` begin at ``starts[k]``."""
        lengths = np.diff(np.append(starts, len(ticks)))
        of = np.repeat(np.arange(len(starts)), lengths)
        previous = np.fmin(np.where(np.isnan(self._last_at[slots]), np.inf, self._last_at[slots]), received_at)
        previous = np.where(np.isnan(self._last_at[slots]), received_at - FIRST_S, previous)
        self._last_at[slots] = received_at
        has_counter = np.logical_and.reduceat((ticks > 0) & (ticks != MLAT_TICKS), starts)
        seconds = ticks / TICKS_PER_S
        newest, oldest = np.maximum.reduceat(seconds, starts), np.minimum.reduceat(seconds, starts)
        sample, offset = received_at - newest, self._offset[slots]
        with np.errstate(invalid="ignore"):
            agrees = np.abs(sample - offset) <= CLOCK_SET_S
            runs = has_counter & ((newest - oldest <= SPAN_FACTOR * (received_at - previous) + SPAN_SLACK_S) | agrees)
            elapsed = np.maximum(received_at - self._arrived_at[slots], 0.0)
            is_new = ~agrees | (sample < offset)
            offset = np.where(is_new, sample, offset + np.minimum(sample - offset, DRIFT * elapsed))
        self._offset[slots[runs]] = offset[runs]
        self._arrived_at[slots[runs]] = received_at
        stood_still = received_at - self._read_at > STOOD_STILL_S
        self._read_at = received_at
        first = previous if stood_still else np.maximum(previous, received_at - FIRST_S)
        share = (np.arange(len(ticks)) - starts[of] + 1) / lengths[of]
        spread = first[of] + share * (received_at - first[of])
        result: Column = np.where(runs[of], seconds + offset[of], spread)
        return np.clip(result, received_at - OLDEST_S, received_at)
