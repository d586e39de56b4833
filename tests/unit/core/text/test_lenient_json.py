"""Damaged JSON: what is read of it, and that no damage makes the reader slow."""

import time

import pytest

from skywatch.core.text.lenient_json import read_object, records


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ('{"a":,"b":1}', {"b": 1}),
        ('{"a":1,}', {"a": 1}),
        ('{"a":1 "b":2}', {"a": 1, "b": 2}),
        ('{"a":"x,"b":"y","c":3}', {"c": 3}),
        ('{"a":1,b":2,"c":3}', {"a": 1, "c": 3}),
        ('{"a":{"b":,"c":1},"d":2}', {"a": {"c": 1}, "d": 2}),
        ('{"a":{"b":1', {"a": {"b": 1}}),
        ('{"a":[1,,3],"b":1}', {"a": [1, None, 3], "b": 1}),
        ('{"a":"bc', {}),
        ('x{"a":1}x', {"a": 1}),
        ("", {}),
    ],
)
def test_an_object_is_read_around_its_damage(text, members):
    assert read_object(text) == members


def test_records_are_read_around_those_that_are_damaged():
    assert list(records('[{"a":1,"b":{"c":2}},{"a":,"b":2},{"a":3,{"a":4}{"a":5},"a":6},{"a":7')) == [
        {"a": 1, "b": {"c": 2}}, {"b": 2}, {"a": 3}, {"a": 4}, {"a": 5}, {"a": 7},
    ]  # fmt: skip
    assert list(records("[[1,2],[3,x,5],[6]", "[")) == [[1, 2], [3, None, 5], [6]]


@pytest.mark.parametrize(
    "part",
    [
        '[{"a":',
        '{"a":"',
        '{"a":',
        '{"a":1 x,',
        '"a":[1 x,',
        '"a":"b" "',
        "[1 x,[",
        '"a":1 x,"b":{',
        '"a":,"x',
        '"\\',
        " ",
    ],
)
@pytest.mark.parametrize("opening", ["{", "["])
def test_no_damage_is_slow(part, opening):
    began = time.process_time()
    read_object("{" + part * 5_000)
    sum(1 for _ in records(part * 5_000, opening))
    assert time.process_time() - began < 2
