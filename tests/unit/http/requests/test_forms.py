"""The credential in a form is found while the form arrives."""

import random

import pytest

from skywatch.http.requests.forms import MAX_PARTS, MAX_VALUE, FormField

TYPE = "multipart/form-data; boundary=xyz"


def part(name, value, more=""):
    return f'--xyz\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + value + b"\r\n"


def form(*parts):
    return b"".join(parts) + b"--xyz--\r\n"


KEY, FILE = part("key", b" sk_1 "), part("audio", b"\r\n--xy\0" * 500, '; filename="a"')


def find(body, size=None, content_type=TYPE):
    field = FormField(content_type, "key")
    for start in range(0, len(body), size or len(body)):
        field.feed(body[start : start + (size or len(body))])
    return field


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 8192])
@pytest.mark.parametrize("parts", [(KEY, FILE), (FILE, KEY), (part("keys", b"no"), KEY, part("key", b"second"), FILE)])
def test_it_is_found_wherever_it_stands_and_however_it_arrives(parts, size):
    assert find(form(*parts), size).value == "sk_1"


def test_it_is_known_before_the_file_has_arrived():
    field = find(KEY + FILE[:60])
    assert (field.value, field.is_decided) == ("sk_1", True)
    # What comes then is not looked at.
    field.feed(b"anything")
    assert field.value == "sk_1"


def test_half_of_a_value_is_none():
    assert not find(KEY[:-1]).is_decided
    assert not find(form(FILE)[:-10]).is_decided


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (form(KEY), "audio/mpeg"),
        (form(KEY), ""),
        (form(KEY), "multipart/form-data"),
        (form(KEY), "multipart/form-data; boundary=" + "x" * 201),
        (b"--xyz\nkey", TYPE),
        (form(part("key", b"x" * (MAX_VALUE + 1))), TYPE),
        (form(part("key", b"\xff")), TYPE),
        (part("other", b"1") * (MAX_PARTS + 1) + KEY, TYPE),
    ],
)
def test_where_nothing_can_be_found_that_is_known(body, content_type):
    field = find(body, content_type=content_type)
    assert (field.has_failed, field.is_decided, field.value) == (True, True, None)


def test_anything_at_all_raises_nothing():
    chance = random.Random(5)
    alphabet = [
        b"\r",
        b"\n",
        b"-",
        b"xyz",
        b"--xyz",
        b"\r\n",
        b"\0",
        b'Content-Disposition: form-data; name="key"',
        b":",
    ]
    for _ in range(300):
        body = b"--xyz\r\n" * chance.randint(0, 1) + b"".join(chance.choices(alphabet, k=60))
        find(body, chance.randint(1, 30))
