"""The head of a poll: what is read, and that nothing else than BadRequest comes of what cannot be."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.realtime.transports.polling_requests import BadRequest, read_head

PARTS = [
    b"GET",
    b"POST",
    b" ",
    b"/socket.io/",
    b"?a=b&a=c",
    b" HTTP/1.1",
    b"\r\n",
    b"Host: x",
    b"Content-Length: 3",
    b":",
]


def test_a_head_is_read():
    head = b"POST /socket.io/?EIO=4&sid=a%20b&sid=c HTTP/1.1\r\nHost: x\r\nX-A:  b \r\nx-a: c\r\nContent-Length: 5"
    request = read_head(head)
    assert (request.method, request.path, request.length, request.is_last) == ("POST", "/socket.io/", 5, False)
    assert (request.param("sid"), request.param("EIO"), request.param("t")) == ("c", "4", None)
    assert request.headers["x-a"] == "b, c"
    assert request.origin == ""


@pytest.mark.parametrize(
    ("line", "fields", "is_last"),
    [
        (b"HTTP/1.1", b"", False),
        (b"HTTP/1.1", b"\r\nConnection: Close", True),
        (b"HTTP/1.0", b"", True),
        (b"HTTP/1.0", b"\r\nConnection: keep-alive", False),
    ],
)
def test_a_connection_ends_as_its_version_and_its_header_say(line, fields, is_last):
    assert read_head(b"GET / " + line + b"\r\nHost: x" + fields).is_last is is_last


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET /",
        b"GET / HTTP/1.1",
        b"GET http://x/ HTTP/1.1\r\nHost: x",
        b"GET / HTTP/1.1\r\nHost : x",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: \x00",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1_0",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \xb2",
    ],
)
def test_what_is_no_head_is_refused(head):
    with pytest.raises(BadRequest):
        read_head(head)


@given(st.lists(st.sampled_from(PARTS) | st.binary(max_size=4)))
def test_nothing_else_comes_of_it(parts):
    with contextlib.suppress(BadRequest):
        read_head(b"".join(parts))
