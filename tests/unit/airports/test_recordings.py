"""Movements in recordings of real traffic, against what a reader sees in them."""

from __future__ import annotations

import gzip
import io
from collections import Counter

import pytest

from skywatch.airports.imports import movements_of
from skywatch.airports.pressure import LocalPressure
from skywatch.history.imports.imported_points import good
from skywatch.history.imports.legs import flights_of
from skywatch.history.imports.readsb import read
from skywatch.history.imports.writer import flown

# A light aircraft that flew six tours from an airfield in the desert, and airliners of which most ends were received.
SEEN = {
    "trace_full_34718d.json": [],
    "trace_full_aa178d.json": [("take_off", "88NV", "23R"), ("landing", "88NV", "23L")] * 6,
    "trace_full_ac671b.json": [
        ("landing", "KMSP", "12R"),
        ("take_off", "KMSP", "12L"),
        ("landing", "KMSP", "12R"),
        ("take_off", "KMSP", "17"),
        ("landing", "KDEN", "26"),
    ],
}


@pytest.mark.parametrize("name", SEEN)
def test_movements_of_real_flights_are_those_that_a_reader_sees(shared_data, name):
    content = (shared_data / "readsb" / "traces" / name).read_bytes()
    content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    skipped: Counter[str] = Counter()
    rows = good(read(io.BytesIO(content), name, skipped), 2e9, skipped)
    pressure, found = LocalPressure(), []
    for flight in flights_of(rows, 900.0, skipped):
        _, aircraft, category, track = flown(flight, 1)
        found += movements_of(aircraft, category, track, pressure)
    assert [(each.kind, each.airport, each.runway) for each in found] == SEEN[name]
