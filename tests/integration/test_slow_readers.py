"""Clients that read slowly: exports and replays have few places, and recordings occupy no thread."""

import json
import socket
import time
from contextlib import ExitStack

import numpy as np
import pytest

from skywatch.core.runtime import runtime_of
from skywatch.history.storage.points import POINT
from skywatch.http.limits import streams as stream_limits
from skywatch.web import static_files
from tests.accounts import Population
from tests.audio import sound
from tests.integration.conftest import connect
from tests.integration.test_api_protocol import CONFIG, read_answer
from tests.integration.test_large_bodies import UPLOAD, answer_to, bearer, head_of, transmission
from tests.unit.history.stored import row, store
from tests.waiting import PATIENCE_S, until

T = 1_750_000_200
AIRCRAFT, MINUTES = 10, 24 * 60
SPAN = "from=2025-06-15T15:10:00Z&to=2025-06-16T15:09:00Z"
# A replay of hundreds of megabytes does not fit into the buffers between server and client.
REPLAY, EXPORT = f"/api/v1/history/replay?{SPAN}&step_s=0.5", f"/api/v1/history/export?{SPAN}&format=kml"


@pytest.fixture
def start(serve):
    """Starts servers with ten aircraft that were heard for a day."""

    def start(**settings):
        server = serve(**settings)
        runtime = runtime_of(server.application.registry)
        points = np.zeros(AIRCRAFT * MINUTES, POINT)
        points["aircraft"] = points["flight"] = np.repeat(np.arange(1, AIRCRAFT + 1), MINUTES)
        points["at"] = np.tile((T + 60 * np.arange(MINUTES)) * 100, AIRCRAFT)
        store(runtime.sessions, points, [row(number, f"{number:06X}") for number in range(1, AIRCRAFT + 1)])
        server.people = Population(runtime)
        return server

    return start


def ask(stack, server, path, credential="X-Y: z", source="127.0.0.1"):
    """A client that asked for a stream, and the status of its answer; it reads the head alone."""
    connection = socket.socket()
    stack.enter_context(connection)
    connection.settimeout(PATIENCE_S)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    connection.bind((source, 0))
    connection.connect(("127.0.0.1", int(server.port)))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{credential}\r\n\r\n".encode())
    return connection, int(connection.recv(12).split()[1])


def test_a_user_has_two_and_a_network_one_and_all_together_eight(start):
    server = start(auth_mode="public")
    with ExitStack() as stack:
        ada = bearer(server)
        assert [ask(stack, server, REPLAY, ada)[1] for _ in range(3)] == [200, 200, 429]
        # The user, wherever they ask from; and whatever they ask for.
        assert ask(stack, server, EXPORT, ada, "127.0.0.2")[1] == 429
        assert [ask(stack, server, REPLAY, source=f"127.0.0.{n}")[1] for n in (1, 2)] == [200, 429]
        assert [ask(stack, server, REPLAY, source=f"127.0.{n}.1")[1] for n in range(1, 6)] == [200] * 5
        assert ask(stack, server, REPLAY, source="127.0.6.1")[1] == 429
        with connect(server) as connection, connection.makefile("rb") as stream:
            connection.sendall(f"GET {REPLAY} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            status, head, body = read_answer(stream)
            assert (status, json.loads(body)["code"], int(head["retry-after"])) == (429, "rate_limited", 10)
            # Everything else is answered: streams have threads of their own.
            connection.sendall(CONFIG + b"\r\n")
            assert read_answer(stream)[0] == 200
    until(
        lambda: not runtime_of(server.application.registry).shared(stream_limits.stream_limiter)._slots,
        "the places are free",
    )
    with ExitStack() as stack:
        assert ask(stack, server, REPLAY)[1] == 200


@pytest.mark.usefixtures("only_clock")
def test_a_stream_that_is_read_too_slowly_ends(start):
    server = start(auth_mode="public")
    # The system gives a connection more and more room: what it takes at once would look like a client that reads.
    server._waitress.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
    with ExitStack() as stack:
        connection, status = ask(stack, server, REPLAY)
        assert status == 200
        (channel,) = server.connections.all()
        until(lambda: channel.has_unread, "a worker that waits for its client")
        now = time.time()
        server.connections.close_slow(now)
        # The minute begins anew where a look finds nothing unread: the server may just be about to send more.
        for second in range(10, 300, 10):
            # Less than 16 kB/s, though it goes on reading.
            read = 0
            while read < 120_000:
                read += len(connection.recv(16_384))
            server.connections.close_slow(now + second)
            if channel.is_over:
                break
        assert channel.is_over
        assert second >= 60
        until(lambda: not server.connections.all(), "the end of the connection")
        until(
            lambda: not runtime_of(server.application.registry).shared(stream_limits.stream_limiter)._slots,
            "the place is free",
        )


@pytest.mark.usefixtures("only_clock")
def test_a_stream_that_is_read_in_time_goes_on(start):
    server = start(auth_mode="public")
    with ExitStack() as stack:
        connection, _ = ask(stack, server, REPLAY)
        (channel,) = server.connections.all()
        now = time.time()
        for minute in range(5):
            server.connections.close_slow(now + 60 * minute)
            assert not channel.is_over
            sent = channel.sent.bytes
            while channel.sent.bytes < sent + 1_000_000:
                assert connection.recv(65_536)


def test_who_breaks_off_a_stream_gets_the_next_at_once(start):
    server = start(auth_mode="public")
    for _ in range(4):
        with ExitStack() as stack:
            assert ask(stack, server, REPLAY)[1] == 200


def test_recordings_occupy_no_thread_while_they_are_read(serve, tmp_path):
    server = serve(auth_mode="private", audio_directory=tmp_path / "audio", api_threads=1)
    server.people = Population(runtime_of(server.application.registry))
    # Ten minutes: more than the buffers between server and client hold.
    recording, credential = sound(599.0), bearer(server)
    body = transmission(recording)
    status, _, text = answer_to(server, head_of(UPLOAD, len(body), credential), body)
    assert status == 201
    path = f"{UPLOAD}/{json.loads(text)['id']}/file"
    with ExitStack() as stack:
        readers = [ask(stack, server, path, credential) for _ in range(3)]
        assert [status for _, status in readers] == [200] * 3
        with connect(server) as connection, connection.makefile("rb") as stream:
            connection.sendall(CONFIG + b"\r\n")
            assert read_answer(stream)[0] == 200
            # What is read is right, whole and in parts.
            for more, begin, end in (("", 0, None), ("Range: bytes=1000000-1999999\r\n", 1_000_000, 2_000_000)):
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{credential}\r\n{more}\r\n".encode())
                assert read_answer(stream)[2] == recording[begin:end]
    until(lambda: not server.connections.all())


def test_archives_of_tiles_occupy_no_thread_while_they_are_read(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(static_files, "GROUND", tmp_path)
    name, content = "ground-0123456789.pmtiles", bytes(range(256)) * 40_000
    (tmp_path / name).write_bytes(content)
    server = serve(auth_mode="public", api_threads=1)
    with ExitStack() as stack:
        assert [ask(stack, server, f"/ground/{name}")[1] for _ in range(3)] == [200] * 3
        with connect(server) as connection, connection.makefile("rb") as stream:
            connection.sendall(CONFIG + b"\r\n")
            assert read_answer(stream)[0] == 200
            for more, begin, end in (("", 0, None), ("Range: bytes=1000000-1999999\r\n", 1_000_000, 2_000_000)):
                connection.sendall(f"GET /ground/{name} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode())
                assert read_answer(stream)[2] == content[begin:end]
