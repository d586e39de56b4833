"""Distances and bearings against published examples and against each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.core import geo

latitudes = st.floats(-89.9, 89.9)
longitudes = st.floats(-180, 180)


def test_lax_to_jfk_as_in_the_aviation_formulary():
    lax, jfk = (33 + 57 / 60, -(118 + 24 / 60)), (40 + 38 / 60, -(73 + 47 / 60))
    # Ed Williams' worked example: 0.623585 rad (2144 nm of 60 a degree), initial course 66 degrees.
    assert geo.distance_nm(*lax, *jfk) / geo.EARTH_RADIUS_NM == pytest.approx(0.623585, abs=2e-6)
    assert geo.bearing_deg(*lax, *jfk) == pytest.approx(65.8922, abs=1e-3)


@given(latitudes, longitudes, st.floats(0, 359.99), st.floats(0.01, 5000))
def test_the_destination_is_as_far_and_in_the_direction_asked_for(lat, lon, bearing, distance):
    lat2, lon2 = geo.destination(lat, lon, bearing, distance)
    assert geo.distance_nm(lat, lon, lat2, lon2) == pytest.approx(distance, rel=1e-6, abs=1e-6)
    difference = (geo.bearing_deg(lat, lon, lat2, lon2) - bearing + 180) % 360 - 180
    assert abs(difference) < 1e-2


@given(st.tuples(latitudes, longitudes, latitudes, longitudes))
def test_two_points_are_as_far_apart_as_columns_of_them(places):
    assert geo.point_distance_nm(*places) == pytest.approx(geo.distance_nm(*places), rel=1e-9, abs=1e-9)


def test_columns_give_columns_and_nan_stays_nan():
    lat = np.array([47.0, np.nan])
    distances = geo.distance_nm(47.0, 8.0, lat, np.array([9.0, 9.0]))
    assert distances[0] == pytest.approx(40.95, abs=0.02)
    assert np.isnan(distances[1])


def test_a_box_may_cross_the_date_line():
    lon = np.array([179.5, -179.5, 0.0])
    assert geo.inside_box(np.zeros(3), lon, 179, -1, -179, 1).tolist() == [True, True, False]
