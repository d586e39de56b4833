"""Whole responses leave in one call of the system, and in the same bytes however much of them it takes at once."""

from __future__ import annotations

import re
import socket
import threading

import pytest
from waitress import wasyncore

from skywatch.features import load
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.api_server import create_server, sockets_of
from skywatch.serving.web_server.sending_channel import SEND_BYTES
from tests.waiting import PATIENCE_S

SMALL, LARGE, HUGE = 5, SEND_BYTES + 7, 6_000_000


def body_of(size):
    return bytes(range(251)) * (size // 251) + b"x" * (size % 251)


def application(environ, start_response):
    kind, _, size = environ["PATH_INFO"][1:].partition("/")
    body = body_of(int(size))
    length = [("Content-Length", str(len(body)))]
    start_response("200 OK", {"pieces": length, "one": length, "short": [("Content-Length", "3")]}.get(kind, []))
    if environ["REQUEST_METHOD"] == "HEAD":
        return []
    return {"pieces": [body[:2], body[2:]], "stream": iter([body[:2], body[2:]])}.get(kind, [body])


@pytest.fixture
def port():
    settings = load({"secret": "x" * 40, "listen": "127.0.0.1:0"}, {})
    server = create_server(application, settings.of(HttpSettings))
    is_over = threading.Event()

    def run():
        while not is_over.is_set():
            wasyncore.loop(timeout=0.05, map=sockets_of(server), use_poll=True, count=1)

    thread = threading.Thread(target=run)
    thread.start()
    yield server.effective_port
    is_over.set()
    thread.join()
    server.task_dispatcher.shutdown()
    wasyncore.close_all(sockets_of(server), ignore_all=True)


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


@pytest.mark.parametrize("most", [1, 40, 200, SEND_BYTES + 200])
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_what_the_system_does_not_take_at_once_follows(port, monkeypatch, size, most):
    def sendmsg(self, parts):
        return self.send(b"".join(parts)[:most])

    monkeypatch.setattr(socket.socket, "sendmsg", sendmsg)
    assert responses(port, f"GET /one/{size}", f"GET /one/{SMALL}") == whole(size) + whole(SMALL, is_last=True)


@pytest.mark.parametrize("error", [BlockingIOError, InterruptedError])
def test_where_the_system_takes_nothing_all_of_it_follows(port, monkeypatch, error):
    def sendmsg(self, parts):
        raise error

    monkeypatch.setattr(socket.socket, "sendmsg", sendmsg)
    assert responses(port, f"GET /one/{LARGE}") == whole(LARGE, is_last=True)


def test_a_small_response_and_a_large_one_take_one_call_each(port, monkeypatch):
    calls = []
    for name in ("send", "sendmsg"):
        # The client sends by sendall.
        method = getattr(socket.socket, name)
        monkeypatch.setattr(socket.socket, name, lambda self, *a, n=name, m=method: (calls.append(n), m(self, *a))[1])
    responses(port, f"GET /one/{SMALL}", f"GET /one/{LARGE}")
    # One byte wakes the loop of the server.
    assert calls == ["sendmsg"] * 2


def test_other_responses_are_sent_as_before(port):
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
    assert responses(port, f"HEAD /one/{SMALL}") == head + b"Content-Length: 5\r\nDate: now\r\n\r\n"
    assert responses(port, f"GET /pieces/{SMALL}") == whole(SMALL, is_last=True)
    assert (
        responses(port, f"GET /short/{SMALL}") == head + b"Content-Length: 3\r\nDate: now\r\n\r\n" + body_of(SMALL)[:3]
    )
    streamed = b"Date: now\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n%s\r\n3\r\n%s\r\n0\r\n\r\n"
    assert responses(port, f"GET /stream/{SMALL}") == head + streamed % (body_of(SMALL)[:2], body_of(SMALL)[2:])
