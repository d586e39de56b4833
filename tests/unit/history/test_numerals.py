"""Numbers as text are what a JSON encoder writes."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.history import numerals
from skywatch.history.storage.points import UNKNOWN


@pytest.mark.parametrize("whole", [0, 1, 9, 47, 90, 179, 180])
def test_every_fraction_of_a_degree_is_written_as_json_has_it(whole):
    for sign in (1, -1):
        grid = sign * (whole * 100_000 + np.arange(0, 100_000, 1 if whole in (0, 47) else 997))
        before, after = numerals.degrees(grid)
        wanted = [msgspec.json.encode(number / 100_000) for number in grid.tolist()]
        assert [a + b for a, b in zip(before.tolist(), after.tolist(), strict=True)] == wanted


@given(st.lists(st.integers(-(10**10), 10**11), max_size=20))
def test_whole_numbers_of_any_size_are_written_in_full(numbers):
    assert numerals.whole(np.array(numbers, np.int64)).tolist() == [b"%d" % number for number in numbers]


def test_small_numbers_are_null_where_unknown():
    numbers = np.array([UNKNOWN, 0, 7, 359, 32767], np.int16)
    assert numerals.small(numbers).tolist() == [b"null", b"0", b"7", b"359", b"32767"]


def test_tenths_go_up_to_the_longest_silence():
    assert numerals.tenths(np.array([0, 1, 10, 599, 600])).tolist() == [b"0.0", b"0.1", b"1.0", b"59.9", b"60.0"]
