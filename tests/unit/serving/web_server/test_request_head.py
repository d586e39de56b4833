"""Heads: what is accepted here waitress accepts and reads alike, and without a body."""

from __future__ import annotations

import random

import pytest
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser

from skywatch.serving.web_server.request_head import Refusal, RequestHead

HEAD = (
    b"POST /api/v1/x%20y?a=b#c HTTP/1.1\r\nHost: radar.example.org:80\r\nContent-Length: 5\r\nX-A: b c\r\n"
    b"Expect: 100-continue\r\nConnection: keep-alive\r\n\r\n"
)
PIECES = (
    b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b"\0", b"\xa0", b"_", b"-", b"/", b"//", b"http://[", b"http://a",
    b"HTTP/1.0", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n", b"Host: a\r\n", b"*", b"%",
    b"%zz", b"?", b"#", b"a", b"1",
)  # fmt: skip


def read_by_waitress(head: bytes) -> HTTPRequestParser:
    parser = HTTPRequestParser(Adjustments())
    assert parser.received(head) == len(head)
    return parser


def test_anything_that_is_accepted_waitress_reads_alike_and_without_a_body():
    chance = random.Random(7)
    accepted = 0
    for _ in range(5_000):
        text = HEAD
        for _ in range(chance.randint(0, 3)):
            start = chance.randrange(len(text))
            text = text[:start] + chance.choice(PIECES) + text[start + chance.choice((0, 0, 1, 8)) :]
        if not text.endswith(b"\r\n\r\n") or text.find(b"\r\n\r\n") != len(text) - 4:
            continue
        try:
            head = RequestHead(text, 100)
        except Refusal:
            continue
        accepted += 1
        for closes in (False, True):
            parser = read_by_waitress(head.bytes(closes=closes))
            assert (parser.error, parser.completed, parser.expect_continue, parser.body_rcv) == (
                None,
                True,
                False,
                None,
            ), text
            assert (parser.command, parser.version, parser.path) == (head.method, head.version, head.path), text
            assert parser.connection_close or not closes
    assert accepted > 300


@pytest.mark.parametrize(
    ("connection", "version", "closes"),
    [
        ("close", "1.1", True),
        ("Close", "1.1", True),
        ("keep-alive", "1.1", False),
        ("keep-alive", "1.0", False),
        ("x", "1.0", True),
    ],
)
def test_the_client_says_whether_the_connection_goes_on(connection, version, closes):
    head = RequestHead(f"GET / HTTP/{version}\r\nHost: a\r\nConnection: {connection}\r\n\r\n".encode(), 100)
    assert head.closes == closes
