"""Responses of every size and kind, as they come to the client."""

from __future__ import annotations

import re
import socket

import pytest

from skywatch.features import load
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.api_server import create_server
from skywatch.serving.web_server.gate import LARGE_BYTES
from tests.waiting import PATIENCE_S, until

SMALL, LARGE, HUGE = 5, LARGE_BYTES + 7, 6_000_000


def body_of(size):
    return bytes(range(251)) * (size // 251) + b"x" * (size % 251)


def application(environ, start_response):
    kind, _, size = environ["PATH_INFO"][1:].partition("/")
    if kind == "late":
        start_response("200 OK", [])
        return Late()
    body = body_of(int(size))
    length = [("Content-Length", str(len(body)))]
    start_response("200 OK", {"pieces": length, "one": length, "short": [("Content-Length", "3")]}.get(kind, []))
    if environ["REQUEST_METHOD"] == "HEAD":
        return []
    return {"pieces": [body[:2], body[2:]], "stream": iter([body[:2], body[2:]])}.get(kind, [body])


class Late:
    """A response that fails when it is read and when it is closed."""

    def __iter__(self):
        raise OSError("the database is away")

    def close(self):
        raise OSError("the database is away")


@pytest.fixture
def server():
    settings = load({"secret": "x" * 40, "listen": "127.0.0.1:0"}, {})
    server = create_server(application, settings.of(HttpSettings))
    server.start()
    yield server
    server.close()


@pytest.fixture
def port(server):
    return server.port


def responses(port, *asked):
    """What comes for requests that are sent at once, the last of which closes the connection."""
    lines = [f"{line} HTTP/1.1\r\nHost: localhost\r\n" for line in asked]
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as client:
        client.sendall(("\r\n".join(lines) + "Connection: close\r\n\r\n").encode())
        received = b""
        while piece := client.recv(1 << 20):
            received += piece
    return re.sub(rb"Date: [^\r]*", b"Date: now", received)


def whole(size, *, is_last=False):
    connection = b"Connection: close\r\n" if is_last else b""
    return b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\nDate: now\r\n\r\n" % (connection, size) + body_of(size)


@pytest.mark.parametrize("size", [SMALL, LARGE, HUGE])
def test_a_body_comes_whole_after_its_head(port, size):
    assert responses(port, f"GET /one/{size}") == whole(size, is_last=True)


def test_responses_keep_their_order_whatever_their_size(port):
    sizes = (LARGE, SMALL, HUGE, SMALL, LARGE, 1)
    expected = b"".join(whole(size) for size in sizes[:-1]) + whole(sizes[-1], is_last=True)
    assert responses(port, *(f"GET /one/{size}" for size in sizes)) == expected


def test_other_responses_are_sent_as_before(port):
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
    assert responses(port, f"HEAD /one/{SMALL}") == head + b"Content-Length: 5\r\nDate: now\r\n\r\n"
    assert responses(port, f"GET /pieces/{SMALL}") == whole(SMALL, is_last=True)
    assert (
        responses(port, f"GET /short/{SMALL}") == head + b"Content-Length: 3\r\nDate: now\r\n\r\n" + body_of(SMALL)[:3]
    )
    assert responses(port, f"HEAD /stream/{SMALL}") == head + b"Date: now\r\n\r\n"
    streamed = b"Date: now\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n%s\r\n3\r\n%s\r\n0\r\n\r\n"
    assert responses(port, f"GET /stream/{SMALL}") == head + streamed % (body_of(SMALL)[:2], body_of(SMALL)[2:])


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_response_that_fails_late_ends_its_connection_and_is_forgotten(server, method):
    assert responses(server.port, f"{method} /late/1").startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    until(lambda: not server.connections.all())
    assert responses(server.port, f"GET /one/{SMALL}") == whole(SMALL, is_last=True)


def test_refused_connections_that_stay_count(server, monkeypatch):
    monkeypatch.setattr(server.connections, "_in_all", 2)
    refused = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) for _ in range(2)]
    for client in refused:
        client.sendall(b"X\r\n\r\n")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 400 ")
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as another:
        assert another.recv(1 << 16) == b""
    for client in refused:
        client.close()
    until(lambda: not server.connections.all())
    assert responses(server.port, f"GET /one/{SMALL}") == whole(SMALL, is_last=True)
