"""How many values a JSON text has is known before it is parsed."""

import json

import pytest

from skywatch.http.resources.validation import has_at_most


@pytest.mark.parametrize(
    ("document", "values"),
    [
        ({}, 2),
        ([], 2),
        ([1, 2, 3], 4),
        ({"a": 1, "b": [1, 2]}, 5),
        (["a,b,c,[{"], 2),
        (['\\",,,,"', "[,"], 3),
        ({"csv": "1,2,3\n" * 1000}, 2),
        ("a,b", 1),
    ],
)
def test_values_are_counted(document, values):
    body = json.dumps(document).encode()
    assert has_at_most(body, values)
    assert not has_at_most(body, values - 1)


@pytest.mark.parametrize("body", [b'["' + b",[" * 50, b'"a,"' * 50 + b"," * 50, b'["\\', b"," * 50 + b'"'])
def test_what_is_no_json_is_counted_too(body):
    assert has_at_most(body, 200)
    assert isinstance(has_at_most(body, 10), bool)


def test_strings_side_by_side_end_the_count():
    # What is no JSON must not cost more than what is.
    assert not has_at_most(b'"a,"' * 1000, 100)
