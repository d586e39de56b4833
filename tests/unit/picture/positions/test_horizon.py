"""How far an antenna can hear at most."""

import pytest

from skywatch.picture.positions.plausibility import horizon_nm


@pytest.mark.parametrize(
    ("altitude_ft", "radio_horizon"),
    [
        # Of an antenna at 1,000 ft and an aircraft, over an earth of 4/3 of its radius (ITU-R P.528).
        (0, 39), (-1_000, 39), (10_000, 162), (40_000, 285),
    ],
)  # fmt: skip
def test_it_is_the_radio_horizon_with_a_sixth_and_a_few_miles_of_room(altitude_ft, radio_horizon):
    assert horizon_nm(altitude_ft) == pytest.approx(1.15 * radio_horizon + 15, abs=2)
