"""Delimited text in which quotation marks are not what they should be."""

import pytest

from skywatch.core.text.delimited import rows


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a,b\n", "c,d\r\n", "", "e"], [["a", "b"], ["c", "d"], [], ["e"]]),
        (['"a,b",c', '"say ""it""",d'], [["a,b", "c"], ['say "it"', "d"]]),
        (['"a\n', 'b",c\n', "d,e\n"], [["a\nb", "c"], ["d", "e"]]),
        (['"a,b\n', *["c,d\n"] * 9], [None, *[["c", "d"]] * 9]),
        (['x"a,b\n', "c,d\n", 'e,"f"\n'], [['x"a', "b"], ["c", "d"], ["e", "f"]]),
        (['"a"x,b\n', "c,d\n"], [None, ["c", "d"]]),
        (['"a,b\n', "c,d\n", '"e"x\n', "f\n"], [None, ["c", "d"], None, ["f"]]),
    ],
)
def test_a_quotation_mark_takes_no_other_lines_along(lines, expected):
    assert [fields for _, fields in rows(lines)] == expected


def test_lines_are_numbered_over_fields_of_several():
    assert [number for number, _ in rows(['"a\n', 'b"\n', "c\n", '"d\n', "e\n"])] == [1, 3, 4, 5]
