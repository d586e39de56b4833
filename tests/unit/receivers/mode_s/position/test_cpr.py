"""Compact Position Reporting: published examples, and round trips over the whole globe."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from skywatch.core.geo import distance_nm
from skywatch.receivers.mode_s.position.cpr import (
    encode,
    global_latitudes,
    global_longitude,
    local_position,
    longitude_zones,
    wrap_longitude,
)

AIRBORNE, SURFACE = 360.0, 90.0


# Every latitude at which the number of longitude zones changes, and the special places.
def edge_of_zones(zones: int) -> float:
    """The latitude above which there are fewer than so many longitude zones."""
    return math.degrees(math.acos(math.sqrt((1 - math.cos(math.pi / 30)) / (1 - math.cos(2 * math.pi / zones)))))


BOUNDARIES = [edge_of_zones(zones) for zones in range(2, 60)]
SPECIAL = [0.0, 6.0, -6.0, 87.0, -87.0, 89.99, -89.99, 45.0, 90.0, -90.0]
near_boundaries = st.builds(
    lambda edge, sign, off: sign * edge + off,
    st.sampled_from(BOUNDARIES[1:]),
    st.sampled_from([1, -1]),
    st.floats(-1e-4, 1e-4),
)
latitudes = st.one_of(st.floats(-89.99, 89.99), st.sampled_from(SPECIAL), near_boundaries)
longitudes = st.one_of(st.floats(-180, 179.999), st.sampled_from([-180.0, 0.0, 179.9999, 90.0, -90.0, 1e-9]))


def zones_by_formula(lat: float) -> int:
    """NL as DO-260B and "The 1090 Megahertz Riddle" define it."""
    if abs(lat) >= 87:
        return 2 if abs(lat) == 87 else 1
    cosine = 1 - (1 - math.cos(math.pi / 30)) / math.cos(math.radians(lat)) ** 2
    return math.floor(2 * math.pi / math.acos(cosine))


@given(st.floats(-90, 90))
@example(0.0)
@example(87.0)
@example(10.470471)
@example(86.535369)
def test_longitude_zones_are_those_of_the_formula(lat):
    assume(all(abs(abs(lat) - edge) > 1e-9 for edge in BOUNDARIES) or abs(lat) == 87)
    assert longitude_zones(lat) == zones_by_formula(lat)
    assert longitude_zones(np.array([lat])).tolist() == [zones_by_formula(lat)]


def decode_pair(even: tuple[int, int], odd: tuple[int, int], newest: int, circle: float) -> tuple[float, float] | None:
    lats = global_latitudes(even[0], odd[0], circle)
    zones = longitude_zones(lats[0])
    if longitude_zones(lats[1]) != zones:
        return None
    return lats[newest], wrap_longitude(global_longitude(even[1], odd[1], newest, zones, circle))


def test_the_airborne_example_of_the_riddle():
    position = decode_pair((93000, 51372), (74158, 50194), 0, AIRBORNE)
    assert position == pytest.approx((52.25720214843750, 3.91937255859375), abs=1e-12)


def test_the_surface_example_of_the_riddle():
    position = decode_pair((115609, 116941), (39199, 110269), 1, SURFACE)
    assert position == pytest.approx((52.320607072215964, 4.734734671456474), abs=1e-9)
    local = local_position(39195, 110320, 1, 52.320607, 4.734735, SURFACE)
    assert local == pytest.approx((52.32056051997815, 4.735735212053571), abs=1e-9)


def close(position: tuple[float, float], lat: float, lon: float, circle: float) -> bool:
    """Within half a step of both fields (and the rounding of the check itself)."""
    lat_step = circle / 59 / 131072
    zones = min(longitude_zones(lat), longitude_zones(position[0]))
    lon_step = circle / max(zones - 1, 1) / 131072 * math.cos(math.radians(lat))
    return bool(distance_nm(*position, lat, lon) <= 60 * 0.51 * math.hypot(lat_step, lon_step))


@given(latitudes, longitudes, st.sampled_from([0, 1]))
def test_airborne_pairs_round_trip_everywhere(lat, lon, newest):
    lat = max(-90.0, min(90.0, lat))
    position = decode_pair(encode(lat, lon, 0), encode(lat, lon, 1), newest, AIRBORNE)
    # None is right on the edge between two numbers of zones only.
    if position is None:
        assert min(abs(abs(lat) - edge) for edge in [87.0, *BOUNDARIES]) < 1e-4
    else:
        assert close(position, lat, lon, AIRBORNE)


@given(latitudes, longitudes, st.sampled_from([0, 1]))
def test_surface_pairs_round_trip_in_their_quarter(lat, lon, newest):
    lat = max(-89.999, min(89.999, lat))
    even, odd = encode(lat, lon, 0, SURFACE), encode(lat, lon, 1, SURFACE)
    lats = global_latitudes(even[0], odd[0], SURFACE)
    # Whoever knows roughly where the aircraft is knows the hemisphere and the quarter of longitude.
    lats = tuple(solution + 90.0 * round((lat - solution) / 90.0) for solution in lats)
    zones = longitude_zones(lats[0])
    if longitude_zones(lats[1]) != zones:
        assert min(abs(abs(lat) - edge) for edge in [87.0, *BOUNDARIES]) < 1e-4
        return
    solution = global_longitude(even[1], odd[1], newest, zones, SURFACE)
    assert close((lats[newest], solution + 90.0 * round((lon - solution) / 90.0)), lat, lon, SURFACE)


@given(
    latitudes,
    longitudes,
    st.sampled_from([0, 1]),
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.sampled_from([AIRBORNE, SURFACE]),
)
def test_single_frames_are_right_within_half_a_zone(lat, lon, odd, north, east, circle):
    lat = max(-90.0, min(90.0, lat))
    reach = 2.9 if circle == AIRBORNE else 0.7  # degrees of latitude: a little less than half a zone
    reference_lat = max(-90.0, min(90.0, lat + north * reach))
    zone_deg = circle / max(longitude_zones(lat), 1)
    reference_lon = wrap_longitude(lon + east * zone_deg * 0.45)
    position = local_position(*encode(lat, lon, odd, circle), odd, reference_lat, reference_lon, circle)
    assert close(position, lat, lon, circle)


@given(st.lists(st.tuples(latitudes, longitudes, st.sampled_from([0, 1])), min_size=1, max_size=20))
def test_columns_give_the_same_bits_as_floats(places):
    even = [encode(lat, lon, 0) for lat, lon, _ in places]
    odd = [encode(lat, lon, 1) for lat, lon, _ in places]
    newest = np.array([parity for _, _, parity in places])
    columns = np.array(even).T, np.array(odd).T
    lat_even, lat_odd = global_latitudes(columns[0][0], columns[1][0], AIRBORNE)
    zones = longitude_zones(lat_even)
    lon = wrap_longitude(global_longitude(columns[0][1], columns[1][1], newest, zones, AIRBORNE))
    for k, (_, _, parity) in enumerate(places):
        single = global_latitudes(even[k][0], odd[k][0], AIRBORNE)
        assert (lat_even[k], lat_odd[k]) == single
        nl = longitude_zones(single[0])
        assert lon[k] == wrap_longitude(global_longitude(even[k][1], odd[k][1], parity, nl, AIRBORNE))
