"""Rows that are packed all at once are those that are packed one by one."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from skywatch.picture.state.sky import COLUMNS, Sky
from skywatch.realtime.topics.columns import DEFAULT_FIELDS, QUICK, EncodedRows, packed_rows_of, rows_of

NUMBERS = (
    0, 1, -1, 0.4999, 0.5, 1.5, 2.5, -0.5, 31, -31, -32, -33, 126.6, 127, 128, -127, -128, -129, 254, 255, 256, 359.6,
    32_767, 32_768, -32_768, -32_769, 65_534, 65_535, 65_536, 1e6, -1e6, 2_000_000_000, -2_000_000_000,
)  # fmt: skip
TEXTS = (b"", b"A", b"AB", b" A", b"A B", b"SWR1", b"N1234567", b"1\x002")


def sky_of(seed: int, count: int = 300) -> Sky:
    chance = np.random.default_rng(seed)
    columns = {}
    for name, dtype in COLUMNS.items():
        kind = np.dtype(dtype).kind
        if kind == "f":
            values = np.where(
                chance.random(count) < 0.5, chance.choice(NUMBERS, count), chance.uniform(-200, 400, count)
            )
            columns[name] = np.where(chance.random(count) < 0.2, np.nan, values).astype(dtype)
        elif kind == "S":
            columns[name] = chance.choice(np.array(TEXTS), count).astype(dtype)
        else:
            columns[name] = chance.integers(0, 2, count).astype(dtype)
    hexes = [f"{'~' if number % 7 == 0 else ''}{0x400000 + number:06x}" for number in range(count)]
    return Sky("e", 1, 100.0, 0, hexes, columns, [b"{}"] * count, [b""] * count)


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize(
    "fields", [DEFAULT_FIELDS, ("hex",), ("flags", "hex", "squawk", "t", "baro_rate", "geom_rate")]
)
def test_rows_packed_at_once_are_those_packed_one_by_one(seed, fields):
    sky = sky_of(seed)
    rows = np.random.default_rng(seed).permutation(len(sky))[: 50 * seed]
    packed = packed_rows_of(sky, rows, fields)
    assert packed is not None
    one_by_one = list(map(msgspec.msgpack.encode, rows_of(sky, rows, fields, False)))
    assert packed.each() == one_by_one
    assert packed.between(0, len(rows)) == b"".join(one_by_one)
    assert packed.between(3, 7) == b"".join(one_by_one[3:7])


@pytest.mark.parametrize(
    ("column", "value"),
    [("gs_kt", 3e9), ("track_deg", np.inf), ("alt_baro_ft", -3e9), ("flight", b"\xff"), ("category", "é".encode())],
)
def test_values_that_cannot_be_packed_at_once_are_packed_one_by_one(column, value):
    sky = sky_of(1, 10)
    sky.columns[column][3] = value
    rows = np.arange(10)
    assert packed_rows_of(sky, rows, DEFAULT_FIELDS) is None
    if value != np.inf:
        one_by_one = list(map(msgspec.msgpack.encode, rows_of(sky, rows, DEFAULT_FIELDS, False)))
        assert EncodedRows(sky, DEFAULT_FIELDS, False).packed_run(rows).each() == one_by_one
        assert EncodedRows(sky, DEFAULT_FIELDS, False).packed_bodies(rows, rows[:0]) == one_by_one


def test_what_only_objects_have_is_packed_one_by_one():
    fields = (*DEFAULT_FIELDS, "nav_qnh", "rssi")
    sky = sky_of(2, 10)
    assert packed_rows_of(sky, np.arange(10), fields) is None
    assert set(fields) - set(QUICK) - {"hex", "flags"} == {"nav_qnh"}
    assert len(EncodedRows(sky, fields, False).packed_bodies(np.arange(10), np.arange(0))) == 10


def test_no_rows_are_packed_to_nothing():
    packed = packed_rows_of(sky_of(1, 10), np.arange(0), DEFAULT_FIELDS)
    assert packed is not None
    assert (packed.each(), packed.between(0, 0)) == ([], b"")
