"""Altitudes of OpenAir files."""

import pytest

from skywatch.core.polygons.openair import parse_openair

SQUARE = "DP 47:00:00 N 008:00:00 E\nDP 47:10:00 N 008:00:00 E\nDP 47:10:00 N 008:20:00 E\n"


@pytest.mark.parametrize(
    ("text", "feet"),
    [
        ("3500", 3500.0),
        ("3500 ft", 3500.0),
        ("3500 MSL", 3500.0),
        ("3500MSL", 3500.0),
        ("3500 AMSL", 3500.0),
        ("3500F MSL", 3500.0),
        ("1000 M", 3280.8),
        ("1000m MSL", 3280.8),
        ("FL 95", 9500.0),
    ],
)
def test_an_altitude_is_in_feet_unless_its_unit_is_metres(text, feet):
    airspaces, faults, _ = parse_openair(f"AC R\nAN LS-R7\nAL {text}\nAH UNL\n{SQUARE}")
    assert faults == []
    assert (airspaces[0].floor_ft, airspaces[0].ceiling_ft) == (feet, None)


@pytest.mark.parametrize("direction", ["+", "-"])
def test_an_arc_that_ends_where_it_begins_is_a_point(direction):
    arc = f"V D={direction}\nV X=47:00:00 N 008:00:00 E\nDA 5,90,90\n"
    airspaces, faults, _ = parse_openair(f"AC R\nAN LS-R7\nAL GND\nAH UNL\n{SQUARE}{arc}")
    assert faults == []
    assert len(airspaces[0].points) - SQUARE.count("DP") <= 2
