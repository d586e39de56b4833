"""Finds the last event before a frame, among the frames of its aircraft in the same batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.receivers.framing.frames import Column


class Frames(NamedTuple):
    """Some frames of a batch: their rows in it, and their aircraft's rows in the table."""

    rows: Column
    aircraft: Column

    @classmethod
    def nothing(cls) -> Frames:
        """No frames."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int32))

    def where(self, mask: Column) -> Frames:
        """The frames selected by a mask or indices."""
        return Frames(self.rows[mask], self.aircraft[mask])


class Altitudes(NamedTuple):
    """Barometric altitudes i4[n] (ft) and the frames that carried them; ``time`` f8[n] unix seconds."""

    frames: Frames
    time: Column
    altitude_ft: Column

    @classmethod
    def nothing(cls) -> Altitudes:
        """No altitudes."""
        return cls(Frames.nothing(), np.empty(0), np.empty(0, np.int32))


def latest(events: Frames, queries: Frames, batch_size: int) -> Column:
    """For each query the index of the last event of its aircraft in front of it, -1 where there is none."""
    if not len(events.rows):
        return np.full(len(queries.rows), -1)
    keys = events.aircraft.astype(np.int64) * batch_size + events.rows
    order = np.argsort(keys)
    position = keys[order].searchsorted(queries.aircraft.astype(np.int64) * batch_size + queries.rows) - 1
    event = order[position]
    return np.where((position >= 0) & (events.aircraft[event] == queries.aircraft), event, -1)


def carried(latest_event: Column, values: Column, before: Column) -> Column:
    """The value of each query: of its latest event, else from before the batch."""
    return np.where(latest_event >= 0, values[latest_event], before) if len(values) else before


def by_aircraft(aircraft: Column) -> Column:
    """Indices that sort frames by aircraft and keep the order of arrival within each."""
    # Radix sort, which NumPy has for 16-bit integers only, is several times as fast.
    narrow = aircraft.astype(np.uint16) if aircraft.max(initial=0) < 1 << 16 else aircraft
    return np.argsort(narrow, kind="stable")
