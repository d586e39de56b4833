"""Altitudes that no aircraft can have reached count once another one confirms them."""

import dataclasses

import numpy as np
import pytest

from skywatch.picture.state.sky import empty_sky
from skywatch.safety.detection.conflicts.encounters import AltitudeJumps
from skywatch.safety.detection.frame import Frame


def doubts(altitudes, every_s=1.0):
    """Whether each of some altitudes of one aircraft, received one after the other, is doubtful."""
    jumps, result = AltitudeJumps(), []
    for number, altitude in enumerate(altitudes):
        columns = {
            "alt_baro_ft": np.array([altitude], "f4"),
            "altitude_at": np.array([number * every_s]),
            "previous_row": np.array([0 if number else -1], "i4"),
            "single_source": np.zeros(1, "?"),
        }
        sky = dataclasses.replace(empty_sky(), hexes=["4b0001"], columns=columns, scratch={})
        result.append(bool(jumps.update(Frame(sky))[0]))
    return result


def test_an_altitude_far_from_those_before_is_doubtful():
    assert doubts([8000, 8025, 4000, 8025, 8050]) == [False, False, True, False, False]


def test_an_altitude_that_another_one_confirms_counts():
    assert doubts([8000, 8000, 4000, 4025, 4000]) == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("altitudes", "every_s"),
    [
        ([8000, 8100, 8200, 8300], 1.0),
        ([8000, 9500, 11_000, 12_500], 10.0),
        ([8000, 20_000], 40.0),
        ([np.nan, 8000, np.nan, 12_000], 1.0),
    ],
)
def test_what_an_aircraft_can_reach_is_not_doubtful(altitudes, every_s):
    assert not any(doubts(altitudes, every_s))
