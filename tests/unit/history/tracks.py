"""Made-up tracks for tests: what a receiver would hear, with its noise, and how far a stored track is from it."""

from __future__ import annotations

import numpy as np

from skywatch.core import geo
from skywatch.history.moments.interpolation import Paths
from skywatch.history.recorder.thinner import THINNED_POINT
from skywatch.history.storage.points import ALTITUDE_FT, AT_S, DEGREES, POINT, in_order


def heard(aircraft=20, seconds=1200, seed=1, start=1_750_000_000.0):
    """Columns of shape (seconds, aircraft): at, lat, lon, alt, gs, track, ground of aircraft that fly and turn."""
    rng = np.random.default_rng(seed)
    shape = (seconds, aircraft)
    turning = np.repeat(rng.normal(0, 1.2, (seconds // 60 + 1, aircraft)), 60, axis=0)[:seconds]
    turning *= np.repeat(rng.random((seconds // 60 + 1, aircraft)) < 0.3, 60, axis=0)[:seconds]
    track = (rng.uniform(0, 360, aircraft) + np.cumsum(turning, axis=0)) % 360
    gs = np.repeat(rng.uniform(60, 520, (1, aircraft)), seconds, axis=0) + np.cumsum(rng.normal(0, 0.2, shape), axis=0)
    climb = np.repeat(rng.choice([-30, 0, 0, 0, 40], (seconds // 120 + 1, aircraft)), 120, axis=0)[:seconds]
    alt = np.clip(rng.uniform(3000, 38000, aircraft) + np.cumsum(climb, axis=0), 0, 45000)
    alt = np.round(alt / 25) * 25
    north = gs * np.cos(np.radians(track)) / 3600 / 60
    lat = rng.uniform(45, 49, aircraft) + np.cumsum(north, axis=0)
    east = gs * np.sin(np.radians(track)) / 3600 / 60 / np.cos(np.radians(lat))
    lon = rng.uniform(5, 11, aircraft) + np.cumsum(east, axis=0)
    noise_m = 4.0
    lat = lat + rng.normal(0, noise_m / 111_000, shape)
    lon = lon + rng.normal(0, noise_m / 75_000, shape)
    at = start + np.arange(seconds)[:, None] + np.repeat(rng.uniform(0, 0.4, (1, aircraft)), seconds, axis=0)
    return at, lat, lon, alt, gs, track, np.zeros(shape, bool)


def stored(kept):
    """What a thinner kept as stored points: the slot stands for the aircraft."""
    points = np.zeros(len(kept), POINT)
    for name in THINNED_POINT.names:
        points["aircraft" if name == "slot" else name] = kept[name]
    return in_order(points)


def errors(points, at, lat, lon, alt):
    """Horizontal (m) and vertical (ft) distance between one stored track, as it is read, and what was heard."""
    left = np.maximum(np.searchsorted(points["at"] * AT_S, at + 1e-6, side="right") - 1, 0)
    read = Paths(points).at(left, at * 1000)
    metres = geo.distance_nm(read.lat * DEGREES, read.lon * DEGREES, lat, lon) * geo.METRES_PER_NM
    return metres, np.abs(read.alt * ALTITUDE_FT - alt)
