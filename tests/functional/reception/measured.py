"""Hours of receivers that a test stores as the tracker would."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.reception.measurement.collector import Entry
from skywatch.reception.measurement.hour import Hour
from skywatch.reception.measurement.writer import QualityWriter

PLACE = (47.0, 8.0)


def hour_of(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def measured(*distances: float, rssi: float = -20.0, origin: tuple[float, float] = PLACE) -> Hour:
    """An hour, every minute of it with 600 messages, 120 positions and 4 aircraft; distances begin in the north.

    Every fourth message is a duplicate, every twentieth position is refused.
    """
    hour = Hour(origin)
    bearings = np.arange(len(distances)) * 10.0
    for second in range(0, 3600, 60):
        minute = hour.minutes[second // 60]
        minute["seconds"], minute["samples"], minute["aircraft"] = 60, 6, 24
        minute["messages"], minute["positions"] = 600, 120
        minute["duplicates"], minute["refused"] = 150, 6
        hour.count_signals(second, np.array([rssi]))
        hour.note_ranges(second, bearings, np.array(distances))
    return hour


def store(runtime: Any, receiver: str, hours: dict[int, Hour]) -> datetime:
    """Store hours by how many hours ago they began; returns the beginning of the present one."""
    present = hour_of(utcnow())
    entries = [Entry(receiver, present - timedelta(hours=ago), hour) for ago, hour in hours.items()]
    with writing(runtime.sessions) as db:
        QualityWriter().write(db, entries)
    return present
