"""What the list in the terminal shows in the room there is."""

import io

import pytest
from rich.console import Console

from skywatch.cli.radar_table import COLUMNS, table

AIRCRAFT = [
    {
        "hex": "4b1620",
        "flight": "SWR123AB",
        "r": "HB-IJS",
        "t": "A320",
        "alt_baro": 34975,
        "gs": 451.2,
        "track": 271.0,
        "baro_rate": -1856,
        "distance_nm": 1234.5,
        "squawk": "7000",
        "seen": 0.4,
    },
    {"hex": "~c88001", "alt_baro": "ground"},
]


def drawn(width):
    console = Console(file=io.StringIO(), width=width)
    console.print(table(AIRCRAFT, "live", None, width))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_nothing_that_is_shown_is_cut_short(width):
    text = drawn(width)
    assert "…" not in text
    for value in ("SWR123AB", "4b1620", "~c88001", "34,975 ft", "ground", "1234.5 nm"):
        assert value in text


def test_columns_are_left_out_only_where_there_is_no_room():
    assert all(name in drawn(140) for name in COLUMNS)
    assert "Track" not in drawn(80)
    assert all(name in drawn(80) for name in ("Callsign", "Reg.", "Type", "Altitude", "Speed", "Distance", "Squawk"))
