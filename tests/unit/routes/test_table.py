"""What is read of any file: rows that are routes, and others that are refused."""

from __future__ import annotations

import io
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skywatch.routes import table
from skywatch.routes.candidates import airport_of
from skywatch.routes.table import CALLSIGN, MAX_LINE, READ_BYTES, Refused, lines_of, rows_of

TEXTS = st.text(alphabet='ab,-"\r\n\0é\ufeffſß', max_size=40)


@given(TEXTS, st.integers(1, 9))
@example("\ufeffa\r\nb", 4)
def test_lines_are_those_of_python_however_much_is_read_at_once(text, size):
    data = text.encode()
    expected = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline="").readlines()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "READ_BYTES", size)
        assert [line for line in lines_of(io.BytesIO(data)) if line] == expected


class Endless(io.RawIOBase):
    """A line without an end, as a ZIP file of some kilobytes may hold it."""

    def __init__(self):
        self.size = 0

    def read(self, size=-1):
        self.size += size
        return b"A" * size if self.size < 200 * READ_BYTES else b""


def test_of_an_endless_line_only_a_part_is_kept():
    (line,) = lines_of(Endless())
    assert len(line) == MAX_LINE


@pytest.mark.deep("reads the directory of airports")
@given(
    st.lists(
        st.tuples(
            st.one_of(st.text(max_size=9), st.from_regex(r"\A[A-Z0-9]{2,8}\Z")),
            st.lists(st.sampled_from(["LSZH", "EGLL", "zrh", "QQQQ", "", "ſ", "LſZH", "ＬＳＺＨ"]), max_size=4),
        ),
        max_size=8,
    ),
    st.binary(max_size=60),
)
def test_every_row_is_a_route_or_refused(rows, garbage):
    text = "".join(f"{callsign},X,1,X,{'-'.join(codes)}\n" for callsign, codes in rows)
    for row in rows_of(lines_of(io.BytesIO(text.encode("utf-8", "surrogatepass") + garbage))):
        if isinstance(row, Refused):
            assert row.line > 0
            assert str(row.detail)
        else:
            assert CALLSIGN.fullmatch(row.callsign)
            stops = row.airports.split("-")
            assert len(stops) >= 2
            assert all(airport_of(code).icao == code for code in stops)


@pytest.mark.parametrize("callsign", ["ſwr1", "ßwr1", "ＳＷＲ１", "СУР1", "SWR١"])
def test_callsigns_of_other_scripts_are_no_callsigns(callsign):
    (row,) = islice(rows_of([f"{callsign},SWR,1,SWR,LSZH-EGLL"]), 2)
    assert isinstance(row, Refused)
    assert not CALLSIGN.fullmatch(table.upper(callsign))
