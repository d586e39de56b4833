"""What a receiver receives at one moment, from its views in the picture: aircraft, signals, distances.

Signals are those of the aircraft's latest messages, one for each aircraft and sample, whatever the kind of the
receiver. Distances count only where the aircraft itself sent its position (not TIS-B, ADS-R, MLAT or ADS-C), within the
radio horizon of its altitude, and the picture believes it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.core import geo
from skywatch.picture.state.own_antenna import altitudes_ft, radio_horizon_nm
from skywatch.picture.state.sky import Sky
from skywatch.receivers.reports.report_columns import ReportColumns
from skywatch.receivers.site import own_positions
from skywatch.reception.measurement.hour import Array

# Aircraft that are received now were received within this time (s).
AIRCRAFT_S = 60.0
# A position that is so close to the picture's is the same (degrees): 6 nm of latitude, a minute of flight.
SAME_DEG = 0.1


class Moment(NamedTuple):
    """Aircraft received now, signals (dBFS) and places (bearing in degrees, distance in nm) since the sample before."""

    aircraft: int
    rssi: Array
    bearing_deg: Array
    distance_nm: Array


def sample(reports: ReportColumns, sky: Sky, since: float, origin: tuple[float, float] | None) -> Moment:
    """One sample of what a receiver says; ``since`` is when the sample before was taken (unix s)."""
    aircraft = int(np.count_nonzero(reports.at > sky.now - AIRCRAFT_S))
    rssi = reports.column("rssi")[reports.at > since]
    return Moment(aircraft, rssi[np.isfinite(rssi)], *_places(reports, sky, since, origin))


def _places(reports: ReportColumns, sky: Sky, since: float, origin: tuple[float, float] | None) -> tuple[Array, Array]:
    if origin is None:
        return np.empty(0), np.empty(0)
    is_new = (reports.at > since) & (reports.position_at > since) & ~np.isnan(reports.column("lat"))
    new = reports.take(np.flatnonzero(is_new & own_positions(reports)).tolist())
    row_of = np.array([sky.index.get(address, -1) for address in new.hexes], "i8")
    is_shown = row_of >= 0
    if not is_shown.any():
        return np.empty(0), np.empty(0)
    rows, lat, lon = row_of[is_shown], new.column("lat")[is_shown], new.column("lon")[is_shown]
    believed_lat, believed_lon = sky.column("lat")[rows], sky.column("lon")[rows]
    with np.errstate(invalid="ignore"):
        apart = np.abs(lon - believed_lon) % 360.0
        east_west = np.minimum(apart, 360.0 - apart) * np.cos(np.radians(lat))
        is_believed = (np.abs(lat - believed_lat) <= SAME_DEG) & (east_west <= SAME_DEG)
        altitude = altitudes_ft(sky)[rows]
        distance = geo.distance_nm(*origin, lat, lon)
        is_heard = is_believed & (distance <= radio_horizon_nm(altitude))
    return geo.bearing_deg(*origin, lat[is_heard], lon[is_heard]), distance[is_heard]
