"""What the flights in the air take from one sky: names, flags, counts and extremes, whole columns at a time.

``rows`` holds the slot of each row of the sky.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.recorder.live_flights import Slots
from skywatch.history.storage.points import MILITARY
from skywatch.picture.state.own_antenna import heard
from skywatch.picture.state.sky import Sky

Column = npt.NDArray[Any]

OPERATOR_LENGTH = 128


def describe(slots: Slots, sky: Sky, rows: Column) -> None:
    """Names and flags: the last value received wins, and a value is never replaced by none."""
    for name, column in (
        ("callsign", "flight"),
        ("registration", "registration"),
        ("aircraft_type", "type"),
        ("squawk", "squawk"),
        ("category", "category"),
    ):
        values = sky.column(column)
        changed = (values != b"") & (values != slots[name][rows])
        if changed.any():
            slots[name][rows[changed]] = values[changed]
    slots["military"][rows] |= sky.column("military")
    slots["emergency"][rows] |= sky.column("emergency")
    slots["simulated"][rows] |= sky.column("simulated")
    slots["aircraft"][rows] |= np.where(slots["military"][rows], MILITARY, 0).astype("u4")


def name_operators(slots: Slots, sky: Sky, rows: Column, changed: Column) -> None:
    """Operators of aircraft whose airframe was found; an operator is never replaced by none."""
    for row in np.flatnonzero(changed & (sky.column("operator") > 0)).tolist():
        slots.operators[int(rows[row])] = operator_of(sky, row)


def measure(slots: Slots, sky: Sky, rows: Column) -> None:
    """Message counts, extremes, and whether each flight has flown."""
    seen, before = sky.column("seen_at"), slots["last_seen_at"][rows]
    slots["last_seen_at"][rows] = np.maximum(before, seen)
    count = sky.column("messages")
    previous_count = slots["picture_messages"][rows]
    new_messages = np.where(previous_count < 0, 0, count - previous_count)
    # Not every source counts messages: a later last message makes the row dirty as well.
    slots["dirty"][rows] |= (seen > before) | (new_messages != 0) | (previous_count < 0)
    slots["messages"][rows] += np.where(new_messages >= 0, new_messages, count)
    slots["picture_messages"][rows] = count
    for name, column, keep in (
        ("min_altitude_ft", "alt_baro_ft", np.fmin),
        ("max_altitude_ft", "alt_baro_ft", np.fmax),
        ("max_speed_kt", "gs_kt", np.fmax),
        ("min_distance_nm", "distance_nm", np.fmin),
    ):
        slots[name][rows] = keep(slots[name][rows], sky.column(column))
    # How far the antenna heard it, not how far it was.
    reached = np.where(heard(sky), sky.column("distance_nm"), np.nan)
    slots["max_distance_nm"][rows] = np.fmax(slots["max_distance_nm"][rows], reached)
    ground = sky.column("on_ground")
    slots["has_flown"][rows] |= ~ground & ~np.isnan(sky.column("alt_baro_ft"))
    since = slots["ground_since"][rows]
    slots["ground_since"][rows] = np.where(ground, np.where(np.isnan(since), sky.now, since), np.nan)


def operator_of(sky: Sky, row: int) -> str:
    """The operator of an aircraft as it is stored; empty where it is unknown."""
    return sky.name("operator", row)[:OPERATOR_LENGTH]
