"""Distances and bearings on the sphere, for single points and for whole NumPy columns.

All functions take and return degrees and nautical miles and broadcast like NumPy functions; NaN in gives NaN
out. The sphere has the mean radius of the Earth (IUGG, R1 = 6,371.0088 km), which keeps distances within
0.6 % of the ellipsoid's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

EARTH_RADIUS_NM = 6371.0088 / 1.852
METRES_PER_NM = 1852.0
FEET_PER_METRE = 1 / 0.3048
# The range of reception is given by sectors of ten degrees; each is named by its beginning: 0, 10, ... 350.
SECTORS, SECTOR_DEG = 36, 10


def distance_nm(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> Any:
    """Great-circle distance (nm); haversine formula (R. W. Sinnott, Sky and Telescope 68, 1984)."""
    phi1, phi2 = np.radians(lat1), np.radians(lat2)
    half_dphi = (phi2 - phi1) / 2
    half_dlambda = np.radians(np.subtract(lon2, lon1)) / 2
    a = np.sin(half_dphi) ** 2 + np.cos(phi1) * np.cos(phi2) * np.sin(half_dlambda) ** 2
    return 2 * EARTH_RADIUS_NM * np.arcsin(np.sqrt(np.clip(a, 0.0, 1.0)))


def point_distance_nm(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """The same of two points: NumPy takes thirty times as long for a single pair."""
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    half_dlambda = math.radians(lon2 - lon1) / 2
    a = math.sin((phi2 - phi1) / 2) ** 2 + math.cos(phi1) * math.cos(phi2) * math.sin(half_dlambda) ** 2
    return 2 * EARTH_RADIUS_NM * math.asin(math.sqrt(min(a, 1.0)))


def bearing_deg(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> Any:
    """Initial true bearing from the first point to the second, 0 <= bearing < 360 (Williams, Aviation Formulary)."""
    phi1, phi2 = np.radians(lat1), np.radians(lat2)
    dlambda = np.radians(np.subtract(lon2, lon1))
    y = np.sin(dlambda) * np.cos(phi2)
    x = np.cos(phi1) * np.sin(phi2) - np.sin(phi1) * np.cos(phi2) * np.cos(dlambda)
    bearing = np.degrees(np.arctan2(y, x)) % 360.0
    return np.where(bearing >= 360.0, 0.0, bearing)[()]


def sector_of(bearing: Any, sectors: int = SECTORS) -> Any:
    """The numbers i8 of the sectors, of so many equal ones from north on, that bearings lie in."""
    return (np.asarray(bearing) // (360 / sectors)).astype(np.int64) % sectors


def destination(lat: Any, lon: Any, bearing: Any, distance: Any) -> tuple[Any, Any]:
    """The point ``distance`` nm from (lat, lon) on the initial true ``bearing``: (lat, lon) in degrees."""
    phi, theta = np.radians(lat), np.radians(bearing)
    delta = np.divide(distance, EARTH_RADIUS_NM)
    sin_phi2 = np.sin(phi) * np.cos(delta) + np.cos(phi) * np.sin(delta) * np.cos(theta)
    y = np.sin(theta) * np.sin(delta) * np.cos(phi)
    x = np.cos(delta) - np.sin(phi) * sin_phi2
    lon2 = np.degrees(np.radians(lon) + np.arctan2(y, x))
    return np.degrees(np.arcsin(np.clip(sin_phi2, -1.0, 1.0)))[()], ((lon2 + 180.0) % 360.0 - 180.0)[()]


def inside_box(lat: Any, lon: Any, west: float, south: float, east: float, north: float) -> Any:
    """Whether points lie in a box; a box whose west is greater than its east crosses the date line."""
    within_lat = (lat >= south) & (lat <= north)
    if west <= east:
        return within_lat & (lon >= west) & (lon <= east)
    return within_lat & ((lon >= west) | (lon <= east))
