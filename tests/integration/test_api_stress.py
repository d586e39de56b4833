"""The web server under clients of every kind at once: nobody's answer is lost, no connection and no thread stays."""

import hashlib
import itertools
import random
import socket
import struct
import threading
import time

import pytest

from skywatch.http.limits.admission import ADMISSION
from skywatch.security.identity import Identity
from skywatch.serving.web_server import api_server
from tests.integration.conftest import connect
from tests.integration.test_api_protocol import read_answer
from tests.waiting import PATIENCE_S, until

CLIENTS, ROUNDS = 12, 8
# From less than is kept for the rest of an answer to more than a worker may be ahead of its client.
SIZES = (0, 1, 700, 16_383, 16_384, 60_000, 400_000, 2_500_000)
WATERMARK_BYTES = 200_000


def body_of(size):
    """Bytes that say by themselves whether one is missing or in the wrong place."""
    return b"".join(b"%07d\n" % number for number in range(size // 8 + 1))[:size]


BODIES = {size: body_of(size) for size in SIZES}


def application(environ, start_response):
    """Answers ``/SIZE`` whole, ``/stream/SIZE`` in pieces, and a POST with the digest of what was sent.

    Everybody may send large bodies.
    """
    admission = environ.get(ADMISSION)
    if admission is not None and not admission.is_granted:
        admission.grant(Identity(1, "ada", "jwt"))
        start_response("204 No Content", [])
        return []
    sent = environ["wsgi.input"].read()
    if environ["REQUEST_METHOD"] == "POST":
        body = hashlib.sha256(sent).hexdigest().encode()
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]
    kind, size = environ["PATH_INFO"].strip("/").split("/")
    body = BODIES[int(size)]
    if kind == "stream":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return (body[start : start + 50_000] for start in range(0, len(body), 50_000))
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def get(size, kind="whole", more=""):
    return f"GET /{kind}/{size} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode()


def expect(stream, size):
    status, _, body = read_answer(stream)
    assert (status, body == BODIES[size]) == (200, True), f"{status}, {len(body)} of {size} bytes"


# Well-behaved clients: every answer must come, whole and in order.


def asks_one_after_the_other(server, chance):
    with connect(server) as connection, connection.makefile("rb") as stream:
        for size in chance.choices(SIZES, k=5):
            connection.sendall(get(size))
            expect(stream, size)


def asks_ahead(server, chance):
    sizes = chance.choices(SIZES, k=chance.randint(2, 12))
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(b"".join(map(get, sizes)))
        for size in sizes:
            expect(stream, size)


def asks_ahead_and_says_that_was_all(server, chance):
    sizes = chance.choices(SIZES, k=chance.randint(1, 6))
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(b"".join(map(get, sizes)))
        connection.shutdown(socket.SHUT_WR)
        for size in sizes:
            expect(stream, size)
        assert stream.read() == b""


def reads_slowly(server, chance):
    sizes = chance.choices(SIZES[3:], k=3)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.settimeout(PATIENCE_S)
        connection.connect(("127.0.0.1", int(server.port)))
        connection.sendall(b"".join(map(get, sizes)))
        time.sleep(chance.uniform(0, 0.2))
        with connection.makefile("rb") as stream:
            for size in sizes:
                expect(stream, size)


def writes_in_pieces(server, chance):
    request = get(60_000) + get(1)
    with connect(server) as connection, connection.makefile("rb") as stream:
        while request:
            length = chance.randint(1, 40)
            connection.sendall(request[:length])
            request = request[length:]
        expect(stream, 60_000)
        expect(stream, 1)


def asks_before_it_sends(server, chance):
    with connect(server) as connection, connection.makefile("rb") as stream:
        for _ in range(3):
            body = chance.randbytes(chance.choice((1, 3000, 200_000)))
            before = chance.choices(SIZES, k=chance.randint(0, 3))
            head = f"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(b"".join(map(get, before)) + head.encode())
            for size in before:
                expect(stream, size)
            assert read_answer(stream)[0] == 100
            connection.sendall(body)
            assert read_answer(stream)[2] == hashlib.sha256(body).hexdigest().encode()


def takes_a_stream_to_its_end(server, chance):
    size = chance.choice(SIZES)
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(get(size, "stream"))
        assert read_answer(stream)[0] == 200
        found, chunks = b"", stream.read()
        while chunks:
            length, _, rest = chunks.partition(b"\r\n")
            found, chunks = found + rest[: int(length, 16)], rest[int(length, 16) + 2 :]
        assert found == BODIES[size]


# Others: whatever they do, nothing of them may stay.


def resets(server, chance):
    with connect(server) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(
            b"".join(get(size, chance.choice(("whole", "stream"))) for size in chance.choices(SIZES, k=4))
        )
        if chance.random() < 0.7:
            connection.recv(chance.choice((1, 10_000)))


def goes_away_in_the_middle(server, chance):
    with connect(server) as connection:
        connection.sendall(get(chance.choice(SIZES[-3:]), chance.choice(("whole", "stream"))) * chance.randint(1, 4))
        connection.recv(chance.choice((1, 100_000)))


def breaks_off_its_request(server, chance):
    request = chance.choice(
        (get(1), b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\nab")
    )
    with connect(server) as connection:
        connection.sendall(get(60_000) + request[: chance.randrange(len(request))])
        if chance.random() < 0.5:
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass


def speaks_no_http(server, chance):
    with connect(server) as connection:
        connection.sendall(get(chance.choice(SIZES)) + chance.randbytes(100) + b"\r\n\r\n")
        try:
            while connection.recv(65536):
                pass
        except ConnectionError:
            pass  # It was closed before all of that was read.


GOOD = (
    asks_one_after_the_other,
    asks_ahead,
    asks_ahead_and_says_that_was_all,
    reads_slowly,
    writes_in_pieces,
    asks_before_it_sends,
    takes_a_stream_to_its_end,
)
BAD = (resets, goes_away_in_the_middle, breaks_off_its_request, speaks_no_http)


@pytest.mark.parametrize(("threads", "seed"), [(1, 1), (4, 2)])
def test_nobody_is_forgotten_and_nothing_stays(serve, monkeypatch, caplog, threads, seed):
    monkeypatch.setattr(api_server, "AHEAD_BYTES", WATERMARK_BYTES)
    server = serve(api_threads=threads, api_streams=1)
    server.application = application
    faults = []

    def client(number):
        chance = random.Random(seed * 1000 + number)
        for behaviour in itertools.chain(*(chance.sample(GOOD + BAD, 3) for _ in range(ROUNDS // 3 + 1))):
            try:
                behaviour(server, chance)
            except Exception as error:
                if behaviour in GOOD or not isinstance(error, ConnectionError):
                    faults.append(f"{behaviour.__name__}: {error!r}")

    clients = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(CLIENTS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join(6 * PATIENCE_S)
    assert not any(thread.is_alive() for thread in clients)
    assert faults == []
    until(lambda: not server.connections.all(), "the end of every connection")
    dispatcher = server._waitress.task_dispatcher
    until(lambda: not dispatcher.queue and dispatcher.active_count == 0, "the rest of every worker")
    asks_one_after_the_other(server, random.Random(seed))
    faults_logged = [
        record.getMessage()
        for record in caplog.records
        if record.levelname in ("ERROR", "CRITICAL") and record.name.startswith(("skywatch.serving", "waitress"))
    ]
    assert faults_logged == []
