"""Requests that two programs on one connection could read differently (RFC 9112): refused, or answered exactly once.

Each case is sent to the web server itself and through nginx, which keeps connections to the web server open. Where a
second request hides in a first one, it asks for an address that nothing else asks for.
"""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import connect
from tests.ports import free_port
from tests.servers import program
from tests.waiting import PATIENCE_S, until

HIDDEN = "/hidden"
SECOND = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
END = b"0\r\n\r\n"
LENGTH = b"Content-Length: 5\r\n"
HOST = b"Host: localhost\r\n"


def post(version: bytes, *fields: bytes, body: bytes = b"", host: bytes = HOST) -> bytes:
    return b"POST /api/v1/auth/login HTTP/" + version + b"\r\n" + host + b"".join(fields) + b"\r\n" + body


def chunks(body: bytes) -> bytes:
    return post(b"1.1", CHUNKED, body=body)


def framed(*fields: bytes) -> bytes:
    return post(b"1.1", *fields, body=END + SECOND)


MALFORMED: dict[str, bytes] = {
    # Transfer-Encoding where it does not belong, in every version and order (RFC 9112, 6.1)
    "both, 1.1": framed(CHUNKED, LENGTH),
    "both, 1.1, other order": framed(LENGTH, CHUNKED),
    "both, 1.0": post(b"1.0", CHUNKED, LENGTH, body=END + SECOND),
    "both, 1.0, other order": post(b"1.0", LENGTH, CHUNKED, body=END + SECOND),
    "both, 1.0, kept open": post(b"1.0", b"Connection: keep-alive\r\n", LENGTH, CHUNKED, body=END + SECOND),
    "both, 2.0": post(b"2.0", CHUNKED, LENGTH, body=END + SECOND),
    "both, 2.0, other order": post(b"2.0", LENGTH, CHUNKED, body=END + SECOND),
    "both, 1.2": post(b"1.2", CHUNKED, LENGTH, body=END + SECOND),
    "both, 0.9": post(b"0.9", CHUNKED, LENGTH, body=END + SECOND),
    "alone, 1.0": post(b"1.0", CHUNKED, body=END + SECOND),
    "alone, 1.0, kept open": post(b"1.0", b"Connection: keep-alive\r\n", CHUNKED, body=END + SECOND),
    "alone, 1.2": post(b"1.2", CHUNKED, body=END + SECOND),
    "alone, 2.0": post(b"2.0", CHUNKED, body=END + SECOND),
    "zero length with it": framed(b"Content-Length: 0\r\n", CHUNKED),
    "length of the chunks with it": framed(b"Content-Length: 5\r\n", CHUNKED),
    # Transfer-Encoding that is not exactly chunked
    "given twice": framed(CHUNKED, CHUNKED),
    "chunked twice in one": framed(b"Transfer-Encoding: chunked, chunked\r\n"),
    "identity": framed(b"Transfer-Encoding: identity\r\n"),
    "identity behind chunked": framed(b"Transfer-Encoding: chunked, identity\r\n"),
    "identity before chunked": framed(b"Transfer-Encoding: identity, chunked\r\n"),
    "gzip": framed(b"Transfer-Encoding: gzip, chunked\r\n"),
    "two fields": framed(CHUNKED, b"Transfer-Encoding: identity\r\n"),
    "empty": framed(b"Transfer-Encoding:\r\n"),
    "empty with length": framed(b"Transfer-Encoding:\r\n", LENGTH),
    "comma behind": framed(b"Transfer-Encoding: chunked,\r\n"),
    "comma before": framed(b"Transfer-Encoding: ,chunked\r\n"),
    "parameter": framed(b"Transfer-Encoding: chunked;q=1\r\n"),
    "quotation marks": framed(b'Transfer-Encoding: "chunked"\r\n'),
    "vertical tab": framed(b"Transfer-Encoding: \x0bchunked\r\n"),
    "form feed": framed(b"Transfer-Encoding: chunked\x0c\r\n"),
    "no-break space": framed(b"Transfer-Encoding: \xa0chunked\r\n"),
    "next line": framed(b"Transfer-Encoding: \x85chunked\r\n"),
    "NUL": framed(b"Transfer-Encoding: chunked\0\r\n"),
    "xchunked": framed(b"Transfer-Encoding: xchunked\r\n"),
    # Names that are nearly the real ones
    "space before the colon": framed(b"Transfer-Encoding : chunked\r\n"),
    "tab before the colon": framed(b"Transfer-Encoding\t: chunked\r\n"),
    "space before the name": framed(b" Transfer-Encoding: chunked\r\n"),
    "underscore": framed(b"Transfer_Encoding: chunked\r\n"),
    "underscore in the length": post(b"1.1", b"Content_Length: 5\r\n", body=SECOND),
    "no colon": framed(b"Transfer-Encoding chunked\r\n"),
    "colon alone": framed(b": chunked\r\n"),
    "NUL in the name": framed(b"Transfer-Encoding\0: chunked\r\n"),
    "letters beyond ASCII": framed("Transfer-Encod\u0131ng: chunked\r\n".encode()),
    # Folded and bare line ends
    "folded": framed(b"X: y\r\n Transfer-Encoding: chunked\r\n"),
    "folded value": framed(b"Transfer-Encoding:\r\n chunked\r\n"),
    "folded with a tab": framed(b"Transfer-Encoding:\r\n\tchunked\r\n"),
    "folded length": post(b"1.1", b"Content-Length: 3\r\n 4\r\n", body=SECOND),
    "bare line feed": framed(b"X: y\nTransfer-Encoding: chunked\r\n"),
    "bare carriage return": framed(b"X: y\rTransfer-Encoding: chunked\r\n"),
    # Lengths
    "length twice": post(b"1.1", LENGTH, LENGTH, body=b"{}   " + SECOND),
    "two lengths": post(b"1.1", b"Content-Length: 5\r\n", b"Content-Length: 0\r\n", body=SECOND),
    "two lengths in one": post(b"1.1", b"Content-Length: 5, 5\r\n", body=b"{}   " + SECOND),
    "length with a sign": post(b"1.1", b"Content-Length: +5\r\n", body=b"{}   " + SECOND),
    "negative length": post(b"1.1", b"Content-Length: -1\r\n", body=SECOND),
    "length in hexadecimal": post(b"1.1", b"Content-Length: 0x5\r\n", body=SECOND),
    "length with a point": post(b"1.1", b"Content-Length: 5.0\r\n", body=SECOND),
    "length with a space": post(b"1.1", b"Content-Length: 1 0\r\n", body=SECOND),
    "length with an underscore": post(b"1.1", b"Content-Length: 1_0\r\n", body=SECOND),
    "empty length": post(b"1.1", b"Content-Length:\r\n", body=SECOND),
    "endless length": post(b"1.1", b"Content-Length: " + b"9" * 5000 + b"\r\n"),
    "length of many zeros": post(b"1.1", b"Content-Length: " + b"0" * 30 + b"\r\n", body=SECOND),
    "length in other digits": post(b"1.1", "Content-Length: \u0665\r\n".encode(), body=SECOND),
    # Chunks
    "size with a sign": chunks(b"+5\r\nhello\r\n" + END + SECOND),
    "negative size": chunks(b"-1\r\n" + END + SECOND),
    "size with 0x": chunks(b"0x5\r\nhello\r\n" + END + SECOND),
    "size with an underscore": chunks(b"1_0\r\n0123456789abcdef\r\n" + END + SECOND),
    "no size": chunks(b"\r\nhello\r\n" + END + SECOND),
    "size with a line feed": chunks(b"5\n\r\nhello\r\n" + END + SECOND),
    "size that ends with a line feed": chunks(b"5\nhello\r\n" + END + SECOND),
    "size that is too large": chunks(b"f" * 17 + b"\r\n" + END + SECOND),
    "chunk that is too long": chunks(b"3\r\nhello\r\n" + END + SECOND),
    "chunk with a bare line feed behind": chunks(b"5\r\nhello\n" + END + SECOND),
    "extension with a bare line feed": chunks(b"5;x=\ny\r\nhello\r\n" + END + SECOND),
    "extension with a NUL": chunks(b"5;x=\0\r\nhello\r\n" + END + SECOND),
    "endless extension": chunks(b"5;" + b"x" * 5000 + b"\r\nhello\r\n" + END + SECOND),
    "trailer that is no field": chunks(b"0\r\nno field\r\n\r\n" + SECOND),
    "trailer with a bare line feed": chunks(b"0\r\nX: y\n\r\n" + SECOND),
    "endless trailer": chunks(b"0\r\n" + b"X: y\r\n" * 3000 + b"\r\n" + SECOND),
    # The request line
    "no version": b"GET /hidden\r\n\r\n",
    "version of one digit": b"GET /api/v1/auth/config HTTP/1\r\nHost: localhost\r\n\r\n" + SECOND,
    "version 3.0": b"GET /api/v1/auth/config HTTP/3.0\r\nHost: localhost\r\n\r\n" + SECOND,
    "version in lower case": b"GET /api/v1/auth/config http/1.1\r\nHost: localhost\r\n\r\n" + SECOND,
    "two spaces": b"GET  /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\n\r\n" + SECOND,
    "line feed in the request line": b"GET /api/v1/auth/config HTTP/1.1\nHost: localhost\r\n\r\n" + SECOND,
    "method in lower case": b"get /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\n\r\n" + SECOND,
    "no host": b"GET /api/v1/auth/config HTTP/1.1\r\n\r\n" + SECOND,
    # What takes the library's own expressions 13 s and 4 minutes, in the one loop
    "many blanks": b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\nX:"
    + b" " * 31_000
    + b"\0\r\n\r\n"
    + SECOND,
    "many digits": b"GET a://" + b"1" * 31_000 + b"  HTTP/1.1\r\nHost: localhost\r\n\r\n" + SECOND,
    "two hosts": b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\nHost: y\r\n\r\n" + SECOND,
}
# What the library beneath refuses by another code: unknown codings (501, RFC 9112, 6.1), far too long bodies (413).
OTHER_CODES = {
    "identity": 501,
    "identity behind chunked": 501,
    "identity before chunked": 501,
    "gzip": 501,
    "parameter": 501,
    "quotation marks": 501,
    "xchunked": 501,
    "no-break space": 501,
    "next line": 501,
}
CONFIG = b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3}) ")


@pytest.fixture
def watched(serve: Any) -> tuple[Any, list[str]]:
    """A web server and the addresses that its application was asked for."""
    server = serve(api_threads=2)
    asked: list[str] = []
    application = server.application

    def note(environ: dict[str, Any], start_response: Any) -> Any:
        asked.append(environ["PATH_INFO"])
        return application(environ, start_response)

    server.application = note
    return server, asked


def answers(
    connection: socket.socket, request: bytes, expected: int = 1, *, closes: bool = False
) -> tuple[list[int], bool]:
    """The statuses of all answers, and whether the connection was closed.

    What has to come may take its time: so many answers, and where the connection ``closes`` its end.
    """
    received, is_closed = b"", False
    # Refused early, the rest may find the connection closed.
    with contextlib.suppress(ConnectionError):
        connection.sendall(request)
    while not is_closed:
        # After what is due half a second of silence is the end.
        connection.settimeout(PATIENCE_S if closes or len(STATUS.findall(received)) < expected else 0.5)
        try:
            part = connection.recv(65536)
        except TimeoutError:
            break
        except ConnectionError:
            part = b""
        received += part
        is_closed = not part
    return [int(status) for status in STATUS.findall(received)], is_closed


def test_there_are_many_cases() -> None:
    assert len(MALFORMED) >= 60


def test_ambiguous_requests_are_refused_and_nothing_behind_them_is_answered(watched: Any) -> None:
    server, asked = watched
    faults = []
    for name, request in MALFORMED.items():
        with connect(server) as connection:
            statuses, is_closed = answers(connection, request, closes=True)
        if (statuses, is_closed) != ([OTHER_CODES.get(name, 400)], True):
            faults.append((name, statuses, is_closed))
    assert faults == []
    assert asked == []


def test_byte_by_byte_they_are_refused_alike(watched: Any) -> None:
    server, asked = watched
    for name in ("both, 1.0", "folded", "size with a line feed", "two lengths", "trailer that is no field"):
        with connect(server) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with contextlib.suppress(ConnectionError):
                for byte in MALFORMED[name]:
                    connection.sendall(bytes([byte]))
            assert answers(connection, b"", closes=True) == ([400], True), name
    assert asked == []


@pytest.mark.parametrize(
    "request_",
    [
        post(b"1.1", CHUNKED, body=b"2\r\n{}\r\n" + END),
        post(b"1.1", b"transfer-encoding:CHUNKED\r\n", body=b'2;name="a;b"\r\n{}\r\n0\r\nX: y\r\n\r\n'),
        post(b"1.1", CHUNKED, body=b"0000000000000002 \r\n{}\r\n000\r\n\r\n"),
        post(b"1.1", b"Content-Length: 2\r\n", body=b"{}"),
        post(b"1.0", b"Connection: keep-alive\r\n", b"Content-Length: 2\r\n", body=b"{}"),
        b"\r\n" + post(b"1.1", b"Content-Length: 2\r\n", body=b"{}"),
    ],
)
def test_what_is_well_framed_is_answered_once_and_what_follows_too(watched: Any, request_: bytes) -> None:
    server, asked = watched
    with connect(server) as connection:
        assert answers(connection, request_ + SECOND, expected=2) == ([400, 404], False)  # {} is no login
    assert asked == ["/api/v1/auth/login", HIDDEN]


def test_heads_have_a_size_and_a_number_of_fields(watched: Any) -> None:
    server, asked = watched
    head = b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\n"
    long, many = b"X: " + b"y" * 33_000 + b"\r\n", b"X: y\r\n" * 100
    for fields in (long, many, b"X: y\r\n" * 25_000, b"X: y"):
        with connect(server) as connection:
            request = head + fields + b"\r\n"
            if fields == b"X: y":
                request = head + b"X: " + b"y" * 40_000  # never ends
            assert answers(connection, request, closes=True) == ([431], True)
    assert asked == []
    with connect(server) as connection:
        connection.sendall(head + b"X: y\r\n" * 100 + b"\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b"headers_too_large" in answer
    assert b"more than 100 header fields" in answer
    with connect(server) as connection:
        assert answers(connection, head + b"X: y\r\n" * 99 + b"\r\n") == ([200], False)


def test_the_limits_of_heads_are_settings(serve: Any) -> None:
    server = serve(api_max_header_fields=12, api_max_header_bytes=4096)
    head = b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\n"
    for fields, status in ((b"X: y\r\n" * 12, 431), (b"X: y\r\n" * 11, 200), (b"X: " + b"y" * 4096 + b"\r\n", 431)):
        with connect(server) as connection:
            assert answers(connection, head + fields + b"\r\n")[0] == [status]


CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  # Once it has answered all, it closes the connection.
  keepalive_timeout 300ms; client_header_timeout 3s; client_body_timeout 3s; lingering_close off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream skywatch {{ server 127.0.0.1:{upstream}; keepalive 4; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://skywatch; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
      proxy_request_buffering {buffering};
    }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(folder: Path, upstream: int, buffering: str) -> Iterator[int]:
    """nginx before the web server; its port."""
    port = free_port()
    path = folder / "nginx.conf"
    path.write_text(CONFIGURATION.format(folder=folder, upstream=upstream, port=port, buffering=buffering))
    process = subprocess.Popen([program("nginx"), "-c", str(path), "-p", str(folder), "-e", str(folder / "error.log")])
    try:
        until(lambda: process.poll() is not None or _listens(port))
        assert process.poll() is None, (folder / "error.log").read_text()
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("buffering", ["on", "off"])
def test_behind_nginx_nothing_hidden_reaches_the_service(watched: Any, tmp_path: Path, buffering: str) -> None:
    server, asked = watched
    with nginx(tmp_path, server.port, buffering) as port:
        faults = []
        for name, request in MALFORMED.items():
            asked.clear()
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
                statuses, is_closed = answers(connection, request, closes=True)
            assert is_closed, name
            # Where nginx takes the first request for well framed, the second is one of its own, and answered as such.
            if len(asked) > len(statuses) or asked.count(HIDDEN) > statuses.count(404):
                faults.append((name, statuses, list(asked)))
            # The next client gets the answer to its own request.
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
                if answers(connection, CONFIG, closes=True)[0] != [200]:
                    faults.append((name, "the next client", list(asked)))
        assert faults == []


def test_a_flood_of_large_heads_does_not_hold_up_the_others(watched: Any) -> None:
    """Heads of 25,000 fields were parsed in the one loop; now they end after 32 KiB."""
    server, asked = watched
    flood = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 25_000 + b"\r\n"

    def attack() -> None:
        with connect(server) as connection, contextlib.suppress(OSError):
            answers(connection, flood)

    threads = [threading.Thread(target=attack) for _ in range(10)]
    for thread in threads:
        thread.start()
    with connect(server) as connection:
        assert answers(connection, b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\n\r\n")[0] == [200]
    for thread in threads:
        thread.join(PATIENCE_S)
    assert asked == ["/api/v1/auth/config"]
