"""What the station's own antenna heard: the only positions that figures about it are made of.

A position counts where the aircraft sent it itself, a receiver at the station heard it, and it comes from within the
radio horizon of the aircraft's altitude. Networks, messages, feeders, receivers elsewhere, MLAT, TIS-B and ADS-C know
of aircraft that no antenna here can hear; so does who lies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.picture.state.sky import Sky
from skywatch.receivers.reports.report import SOURCE_INDEX

Column = npt.NDArray[Any]

# Where a position was heard: at the station, by another antenna of ours, by a stranger, or by none of these.
STATION, OURS, STRANGERS, ELSEWHERE = range(4)
# A code of one byte: 1 and the index of the message source in its low bits (0: unknown), then where it was heard.
SOURCE_BITS, ORIGIN_SHIFT, ORIGIN_BITS = 0x0F, 4, 0x3
# Beside it in the column ``position_source``: the aircraft is not a real one.
SIMULATED = 1 << 7
# Feet of a usual antenna above the ground around it.
ANTENNA_FT = 100.0
_OWN = np.zeros(SOURCE_BITS + 1, np.bool_)
_OWN[[number + 1 for name, number in SOURCE_INDEX.items() if name.startswith("adsb")]] = True


def radio_horizon_nm(altitude_ft: Any) -> Any:
    """How far (nm) an antenna near the ground hears an aircraft: 1.23 nm for the square root of each height in feet
    (ITU-R P.528: an earth of 4/3 of its radius); NaN where the altitude is not known."""
    return 1.23 * (np.sqrt(np.maximum(altitude_ft, 0.0)) + ANTENNA_FT**0.5)


def is_heard(source: Column, distance_nm: Column, altitude_ft: Column) -> npt.NDArray[np.bool_]:
    """Which positions the station's antenna heard ?[n]; ``source`` are codes, an altitude is NaN where unknown."""
    own = _OWN[source & SOURCE_BITS] & (source >> ORIGIN_SHIFT & ORIGIN_BITS == STATION)
    with np.errstate(invalid="ignore"):
        within = distance_nm <= radio_horizon_nm(altitude_ft)
    result: npt.NDArray[np.bool_] = own & within
    return result


def heard(sky: Sky) -> npt.NDArray[np.bool_]:
    """Which aircraft of a sky have a position that the station's antenna heard ?[n]."""
    return is_heard(sky.column("position_source"), sky.column("distance_nm"), altitudes_ft(sky))


def altitudes_ft(sky: Sky) -> Column:
    """The altitude of each aircraft f4[n]: barometric, else geometric; 0 on the ground, NaN where neither is known."""
    baro, geom = sky.column("alt_baro_ft"), sky.column("alt_geom_ft")
    altitudes: Column = np.where(sky.column("on_ground"), np.float32(0), np.where(np.isnan(baro), geom, baro))
    return altitudes
