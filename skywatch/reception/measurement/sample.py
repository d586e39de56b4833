"""What a receiver receives at one moment, from its views in the picture: aircraft, signals, distances.

Signals are those of the aircraft's latest messages, one for each aircraft and sample, whatever the kind of the
receiver. Distances count only where the aircraft itself sent its position (not TIS-B, ADS-R, MLAT or ADS-C), within the
radio horizon of its altitude, and the picture believes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from msgspec import UNSET

from skywatch.core import geo
from skywatch.picture.state.own_antenna import altitudes_ft, radio_horizon_nm
from skywatch.picture.state.sky import Sky
from skywatch.receivers.reports.report import Report
from skywatch.receivers.site import is_own_position
from skywatch.reception.measurement.hour import Array

# Aircraft that are received now were received within this time (s).
AIRCRAFT_S = 60.0
# A position that is so close to the picture's is the same (degrees): 6 nm of latitude, a minute of flight.
SAME_DEG = 0.1
_at = attrgetter("at")


class Moment(NamedTuple):
    """Aircraft received now, signals (dBFS) and places (bearing in degrees, distance in nm) since the sample before."""

    aircraft: int
    rssi: Array
    bearing_deg: Array
    distance_nm: Array


def sample(views: Iterable[Report], sky: Sky, since: float, origin: tuple[float, float] | None) -> Moment:
    """One sample; ``since`` is when the sample before was taken (unix s)."""
    of_receiver = list(views)
    at = np.fromiter(map(_at, of_receiver), "f8", len(of_receiver))
    aircraft = int(np.count_nonzero(at > sky.now - AIRCRAFT_S))
    recent = [of_receiver[place] for place in np.flatnonzero(at > since).tolist()]
    rssi = np.array([view.rssi for view in recent if view.rssi is not UNSET], "f8")
    return Moment(aircraft, rssi[np.isfinite(rssi)], *_places(recent, sky, since, origin))


def _places(views: list[Report], sky: Sky, since: float, origin: tuple[float, float] | None) -> tuple[Array, Array]:
    if origin is None:
        return np.empty(0), np.empty(0)
    index = sky.index
    own = [
        (row, view.lat, view.lon)
        for view in views
        if view.position_at > since
        and view.lat is not UNSET
        and is_own_position(view)
        and (row := index.get(view.hex)) is not None
    ]
    if not own:
        return np.empty(0), np.empty(0)
    places = np.array(own, "f8")
    rows, lat, lon = places[:, 0].astype("i8"), places[:, 1], places[:, 2]
    believed_lat, believed_lon = sky.column("lat")[rows], sky.column("lon")[rows]
    with np.errstate(invalid="ignore"):
        apart = np.abs(lon - believed_lon) % 360.0
        east_west = np.minimum(apart, 360.0 - apart) * np.cos(np.radians(lat))
        is_believed = (np.abs(lat - believed_lat) <= SAME_DEG) & (east_west <= SAME_DEG)
        altitude = altitudes_ft(sky)[rows]
        distance = geo.distance_nm(*origin, lat, lon)
        is_heard = is_believed & (distance <= radio_horizon_nm(altitude))
    return geo.bearing_deg(*origin, lat[is_heard], lon[is_heard]), distance[is_heard]
