"""What of stored points is a figure of the antenna: coverage and the range outline."""

from __future__ import annotations

import numpy as np
import pytest

from skywatch.core import geo
from skywatch.history.analysis.service import RangeBySector, heard_points
from skywatch.history.storage.points import GROUND, NO_ALTITUDE, POINT, SIMULATED
from skywatch.picture.state.own_antenna import ELSEWHERE, ORIGIN_SHIFT, OURS, STRANGERS

STATION = (47.45, 8.56)
ADSB, ADSR, TISB, ADSC, MLAT = 1, 3, 4, 5, 6


def point(distance_nm=100.0, altitude_ft=35_000, source=ADSB, flags=0):
    points = np.zeros(1, POINT)
    lat, lon = geo.destination(*STATION, 45.0, distance_nm)
    points["lat"], points["lon"] = round(float(lat) * 1e5), round(float(lon) * 1e5)
    points["alt"], points["source"], points["flags"] = altitude_ft // 5, source, flags
    return points


@pytest.mark.parametrize(
    ("made", "is_heard"),
    [
        (point(), True),
        (point(source=0), False),  # stored by a release of before
        *((point(source=source), False) for source in (ADSR, TISB, ADSC, MLAT)),
        *((point(source=ADSB | origin << ORIGIN_SHIFT), False) for origin in (OURS, STRANGERS, ELSEWHERE)),
        (point(4_000.0), False),
        (point(150.0, 2_000), False),
        (point(40.0, 2_000), True),
        (point(8.0, 0, flags=GROUND | NO_ALTITUDE), True),
        (point(50.0, 0, flags=GROUND | NO_ALTITUDE), False),
        (point(50.0, 0, flags=NO_ALTITUDE), False),
        (point(flags=SIMULATED), False),
    ],
)
def test_a_point_counts_if_the_antenna_heard_it(made, is_heard):
    assert len(heard_points(made, STATION).points) == is_heard


def test_simulated_points_count_where_all_aircraft_are():
    both = np.concatenate([point(flags=SIMULATED), point()])
    assert len(heard_points(both, STATION, simulated=True).points) == 2
    assert len(heard_points(both, STATION).points) == 1


def test_the_range_of_a_sector_is_of_what_was_heard():
    reception = RangeBySector(STATION)
    reception.add(heard_points(np.concatenate([point(120.0), point(9_000.0), point(300.0, source=MLAT)]), STATION))
    assert reception.range_nm(4) == pytest.approx(120.0, abs=0.1)
