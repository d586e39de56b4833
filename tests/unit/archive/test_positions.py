"""What the child process reads of files of positions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from skywatch.archive.contents.layout import MILITARY, POSITIONS, POSITIONS_OPTIONS
from skywatch.archive.reader import child
from skywatch.archive.reader.questions import Opening, PositionsQuestion

# Row groups of a hundred rows.
ROWS, GROUP = 1_000, 100
# In order, as files have them: the second one's rows lie in two groups, those of the last at the end.
ADDRESSES = np.repeat([0x3C0001, 0x3C0002, 0x3C0003, 0x3C0004], [150, 100, 740, 10])


@pytest.fixture
def reader(tmp_path):
    number = np.arange(ROWS)
    values = {
        "icao": ADDRESSES | (number % 2 == 1) * MILITARY, "flight": number, "at_cs": number * 100, "lat_e5": number,
        "lon_e5": number, "alt_ft": number, "gs_kt": number, "track_deg": number % 360, "flags": number % 2,
        "source": number % 7,
    }  # fmt: skip
    columns = [pa.array(values[field.name]).cast(field.type) for field in POSITIONS]
    for hour in (5, 6):
        parquet.write_table(
            pa.table(columns, schema=POSITIONS), tmp_path / f"{hour:02d}.parquet", row_group_size=GROUP,
            **POSITIONS_OPTIONS,
        )  # fmt: skip
    return child.Reader(Opening(tmp_path.as_uri(), "", "", "", "", 512))


def ask(reader, **question):
    answer = child.respond(reader, PositionsQuestion(**{"files": ["05.parquet"], "begin_cs": 0, **question}))
    assert not answer.fault, answer.detail
    return {
        name: np.frombuffer(data, POSITIONS.field(name).type.to_pandas_dtype()) for name, data in answer.value.items()
    }


@pytest.mark.parametrize("address", sorted(set(ADDRESSES.tolist())), ids="{:06x}".format)
def test_an_aircraft_is_found_in_whichever_row_groups_it_is(reader, address):
    found = ask(reader, end_cs=ROWS * 100, icao=address)
    rows = np.flatnonzero(address == ADDRESSES)
    assert all((found[name] == rows).all() for name in ("flight", "lat_e5", "alt_ft"))
    assert len(found["icao"]) == len(rows)


def test_an_aircraft_is_asked_for_within_a_time(reader):
    found = ask(reader, files=["05.parquet", "06.parquet"], begin_cs=16_000, end_cs=16_900, icao=0x3C0002)
    assert found["flight"].tolist() == 2 * list(range(160, 170))


def test_an_aircraft_that_did_not_fly_has_no_points(reader):
    assert all(not len(values) for values in ask(reader, end_cs=ROWS * 100, icao=0x3C0009).values())


def test_a_damaged_page_of_addresses_is_no_aircraft_that_did_not_fly(reader, tmp_path):
    path = tmp_path / "05.parquet"
    column = parquet.ParquetFile(path).metadata.row_group(3).column(0)
    data = bytearray(path.read_bytes())
    data[column.data_page_offset + column.total_compressed_size - 2] ^= 0xFF
    path.write_bytes(data)
    answer = child.respond(reader, PositionsQuestion(["05.parquet"], 0, ROWS * 100, icao=0x3C0009))
    assert (answer.fault, answer.file) == ("damaged", "05.parquet")
