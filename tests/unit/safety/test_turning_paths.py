"""Where two aircraft of which one turns may come: paths are as long as the speed says, in each direction."""

import numpy as np
import pytest

from skywatch.safety.detection.conflicts.cells import Motion
from skywatch.safety.detection.conflicts.turns import meeting_times
from skywatch.safety.thresholds.thresholds import Thresholds

SPEED_KT = 360.0


@pytest.mark.parametrize("track_deg", [0.0, 90.0, 180.0, 270.0])
def test_an_aircraft_reaches_another_that_stands_as_soon_as_its_speed_brings_it_there(track_deg):
    track, rows = np.radians(track_deg), np.array([0, 1])
    level = np.zeros(2)
    motion = Motion(
        rows, level, level, level, np.array([SPEED_KT * np.sin(track), 0.0]), np.array([SPEED_KT * np.cos(track), 0.0]),
        level, turn_deg_s=level,
    )  # fmt: skip
    # 2 nm ahead: 20 s at a tenth of a mile a second.
    offset = np.array([2.0 * np.sin(track)]), np.array([2.0 * np.cos(track)])
    enter, leave, closest, distance = meeting_times(
        motion, rows[:1], rows[1:], offset, np.array([0.5]), Thresholds(), True
    )
    assert (enter[0], leave[0], closest[0]) == pytest.approx((16.0, 24.0, 20.0), abs=2.0)
    assert distance[0] == pytest.approx(0.0, abs=0.01)
