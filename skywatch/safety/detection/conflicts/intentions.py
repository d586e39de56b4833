"""Altitudes selected by crews, at which aircraft are going to level off; decoded only for the few that matter."""

from __future__ import annotations

import msgspec
import numpy as np

from skywatch.safety.detection.frame import Array, Frame

# Pressure altitude of a selected altitude: feet for each hPa near sea level (ICAO Doc 7488, standard atmosphere).
FEET_PER_HPA, STANDARD_HPA = 27.3, 1013.25
# Above this all altitudes are flight levels, whatever the pressure setting (the highest transition altitude).
TRANSITION_FT = 18_000.0


class _Selected(msgspec.Struct):
    nav_altitude_mcp: float | None = None
    nav_altitude_fms: float | None = None
    nav_qnh: float | None = None


_decode = msgspec.json.Decoder(_Selected).decode


class Intentions:
    """The selected altitudes of one tick, decoded from the encoded aircraft on demand."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._altitudes: dict[int, float] = {}

    def selected_ft(self, row: int) -> float:
        """The pressure altitude (ft) that the crew of a row has selected; NaN if unknown."""
        if row not in self._altitudes:
            self._altitudes[row] = _pressure_altitude(_decode(self._frame.sky.encoded[row]))
        return self._altitudes[row]

    def to_go_ft(self, rows: Array, alt_ft: Array, climb_fps: Array) -> Array:
        """How far (ft) aircraft are going to climb or descend: to what they have selected. 0 for level ones, NaN where
        nothing is selected or it was passed."""
        selected = np.array([self.selected_ft(row) for row in rows.tolist()], "f8")
        to_go = (selected - alt_ft) * np.sign(climb_fps)
        with np.errstate(invalid="ignore"):
            ahead: Array = np.where(climb_fps == 0, 0.0, np.where(to_go >= 0, to_go, np.nan))
        return ahead


def _pressure_altitude(selected: _Selected) -> float:
    altitude = selected.nav_altitude_mcp if selected.nav_altitude_mcp is not None else selected.nav_altitude_fms
    if altitude is None:
        return float("nan")
    if altitude > TRANSITION_FT:
        return altitude
    # Lower altitudes are above mean sea level, unless the crew has set the standard pressure.
    if selected.nav_qnh is None:
        return float("nan")
    return altitude - (selected.nav_qnh - STANDARD_HPA) * FEET_PER_HPA
