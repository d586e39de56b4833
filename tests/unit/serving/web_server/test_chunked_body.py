"""Chunked bodies: however they arrive in pieces they are one body, and what is not as the RFC says is refused."""

import pytest

from skywatch.serving.web_server.chunked_body import MAX_SIZE_LINE, MAX_TRAILER, Chunks
from skywatch.serving.web_server.request_head import Refusal

WHOLE = b'5\r\nhello\r\n1;name="v"\r\n,\r\nA\r\n0123456789\r\n0\r\nX-Sum: 7\r\n\r\n'
NEXT = b"GET / HTTP/1.1\r\n"


def read(data, size):
    """The body after pieces of so many bytes, what was left of the data, and whether the body is complete."""
    body, position = [], 0
    chunks = Chunks(body.append)
    while position < len(data) and not chunks.is_complete:
        position += chunks.receive(data[position : position + size])
    return b"".join(body), data[position:], chunks.is_complete


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_pieces_of_any_size_are_one_body_and_the_next_request_is_left_alone(size):
    assert read(WHOLE + NEXT, size) == (b"hello,0123456789", NEXT, True)


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"5\nhello\r\n0\r\n\r\n", "Line in chunked body does not end with CR LF"),
        (b"5\r\nhelloo\r\n0\r\n\r\n", "Chunk not properly terminated"),
        (b"\r\n", "Invalid chunk size"),
        (b"5x\r\nhello\r\n", "Invalid chunk size"),
        (b"11111111111111111\r\n", "Invalid chunk size"),
        (b"0\r\nno field\r\n\r\n", "Invalid trailer field"),
        (b"1;" + b"x" * MAX_SIZE_LINE, "Chunk size line is too long"),
        (b"0\r\n" + (b"A: " + b"x" * 1000 + b"\r\n") * 9, "Trailer is too long"),
    ],
)
def test_what_is_none_is_refused(data, reason, size):
    with pytest.raises(Refusal) as refused:
        read(data, size)
    assert (refused.value.status, refused.value.text) == (400, reason)


@pytest.mark.parametrize(
    ("data", "longest"), [(b"1;%b\r\nx\r\n0\r\n\r\n", MAX_SIZE_LINE - 4), (b"0\r\nA:%b\r\n\r\n", MAX_TRAILER - 4)]
)
def test_lines_may_be_as_long_as_the_limit(data, longest):
    assert read(data % (b"x" * longest), 1000)[2]
    with pytest.raises(Refusal):
        read(data % (b"x" * (longest + 1)), 1000)
