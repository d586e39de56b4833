"""What Cannonball believes of aircraft: what strangers add to those that ours hear is not taken for granted."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.picture.state.doubt import (
    ALTITUDE,
    CALLSIGN,
    CATEGORY,
    GEOMETRIC_ALTITUDE,
    POSITION,
    SINGLE_SOURCE_WORDS,
    UNCONFIRMED_WORDS,
    VELOCITY,
    unsure_aircraft,
)
from skywatch.picture.state.sky import Sky

Array = npt.NDArray[Any]
_NAN = float("nan")
# Columns by the bit of their doubt, and what stands for a value that only a stranger says.
_UNKNOWN: dict[int, dict[str, Any]] = {
    ALTITUDE: {"alt_baro_ft": _NAN, "on_ground": False},
    GEOMETRIC_ALTITUDE: {"alt_geom_ft": _NAN},
    VELOCITY: {"gs_kt": _NAN, "track_deg": _NAN},
    CALLSIGN: {"flight": b""},
    CATEGORY: {"category": b""},
}
_NO_PLACE = {POSITION: {"lat": _NAN, "lon": _NAN, "position_at": _NAN}}


def sure_sky(sky: Sky) -> Sky:
    """The sky without what only a stranger says of an aircraft that ours hear, but for its place.

    Aircraft that one stranger alone hears are as they are: whatever is told of them is information.
    """
    return _without(sky, _UNKNOWN)


def with_sure_places(sky: Sky) -> Sky:
    """The sky without the places that only a stranger says of aircraft that ours hear: no pattern is made of them."""
    return _without(sky, _NO_PLACE)


def place_doubts(sky: Sky, rows: Array) -> list[str]:
    """Why nobody vouches for the place of the aircraft in these rows; empty where somebody does."""
    if sky.doubt is None and not sky.column("single_source").any():
        return [""] * len(rows)
    is_doubtful = sky.doubt_by_row()[rows] & POSITION != 0
    is_unsure = unsure_aircraft(sky)[rows]
    return [
        SINGLE_SOURCE_WORDS if unsure else UNCONFIRMED_WORDS if doubtful else ""
        for unsure, doubtful in zip(is_unsure.tolist(), is_doubtful.tolist(), strict=True)
    ]


def _without(sky: Sky, unknown: dict[int, dict[str, Any]]) -> Sky:
    if sky.doubt is None:
        return sky
    doubt = np.where(unsure_aircraft(sky), 0, sky.doubt)
    columns = dict(sky.columns)
    for bit, values in unknown.items():
        rows = np.flatnonzero(doubt & bit)
        for name, value in values.items() if len(rows) else ():
            columns[name] = columns[name].copy()
            columns[name][rows] = value
    return dataclasses.replace(sky, columns=columns)
