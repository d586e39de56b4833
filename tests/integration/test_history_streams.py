"""Replays over a real connection: they begin at once, and end with the client."""

import os
import socket
import threading

import msgspec
import numpy as np
import pytest

from skywatch.core.runtime import runtime_of
from skywatch.history.moments import service
from skywatch.history.storage.points import POINT
from skywatch.serving.web_server.http_channel import HttpChannel
from tests.integration.conftest import connect
from tests.unit.history.stored import row, store
from tests.waiting import PATIENCE_S

T = 1_750_000_200
HOURS = 24
AIRCRAFT = 10


@pytest.fixture
def watched(monkeypatch):
    """How many moments each replay made, and what is set when one is over."""
    made, over, replay = [], threading.Semaphore(0), service.replay

    def counting(*arguments):
        made.append(0)
        try:
            for line in replay(*arguments):
                made[-1] += 1
                yield line
        finally:
            over.release()

    monkeypatch.setattr(service, "replay", counting)
    return made, over


@pytest.fixture
def server(serve, request):
    """A server with ten aircraft that were heard for a day."""
    server = serve(**getattr(request, "param", {}))
    minutes = HOURS * 60
    points = np.zeros(AIRCRAFT * minutes, POINT)
    points["aircraft"] = points["flight"] = np.repeat(np.arange(1, AIRCRAFT + 1), minutes)
    points["at"] = np.tile((T + 60 * np.arange(minutes)) * 100, AIRCRAFT)
    rows = [row(number, f"{number:06X}") for number in range(1, AIRCRAFT + 1)]
    store(runtime_of(server.application.registry).sessions, points, rows)
    return server


def ask_for_replay(server, step_s, extra=b""):
    """The open connection of a client that asked for the whole day."""
    connection = connect(server)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    span = b"from=2025-06-15T15:10:00Z&to=2025-06-16T15:09:00Z&step_s=%g" % step_s
    head = b"GET /api/v1/history/replay?%b HTTP/1.1\r\nHost: localhost\r\n%b\r\n" % (span, extra)
    connection.sendall(head)
    return connection


def test_a_client_that_goes_away_ends_the_work(server, watched):
    made, over = watched
    for attempt in range(9):
        with ask_for_replay(server, 0.5, b"Accept-Encoding: gzip\r\n" if attempt % 2 else b"") as connection:
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert over.acquire(timeout=PATIENCE_S), "the work went on"
    assert all(count < 0.8 * HOURS * 7200 for count in made)


def test_the_first_moments_are_sent_while_the_last_are_made(server, watched):
    made, _ = watched
    with ask_for_replay(server, 0.5) as connection:
        answer = b""
        while b'"count":10}\n' not in answer:
            answer += connection.recv(4096)
        first = msgspec.json.decode(answer.split(b"\r\n\r\n", 1)[1].split(b"\r\n", 1)[1].split(b"\n", 1)[0])
        assert (first["now"], first["count"]) == (T, AIRCRAFT)
        # The client has read a few lines of 300 MB; what was made lies in the server's bounded buffer.
        assert made[0] < 0.8 * HOURS * 7200


def test_what_was_sent_is_not_kept(server):
    with ask_for_replay(server, 5) as connection:
        size = 0
        while size < 10_000_000:
            size += len(connection.recv(1 << 20))
        # A third is left, more than what server and sockets buffer: the connection is closed with the answer's end.
        (channel,) = [one for one in server._sockets.values() if isinstance(one, HttpChannel)]
        with channel.outbuf_lock:
            assert sum(size_of(outbuf.buf.getfile()) for outbuf in channel.outbufs if outbuf.buf) < 2_000_000


def size_of(file):
    """How many bytes an open file has; its position stays."""
    position = file.tell()
    size = file.seek(0, os.SEEK_END)
    file.seek(position)
    return size


@pytest.mark.parametrize(
    "server", [{"api_threads": 1, "api_streams_per_address": 2, "api_streams": 4}], indirect=True, ids=["one_thread"]
)
def test_streams_leave_threads_to_others_however_few_there_are(server):
    with ask_for_replay(server, 0.5) as first, ask_for_replay(server, 0.5) as second:
        assert [one.recv(12) for one in (first, second)] == [b"HTTP/1.1 200"] * 2
        with ask_for_replay(server, 0.5) as third:
            assert third.recv(12) == b"HTTP/1.1 429"
        with connect(server) as other:
            other.sendall(b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert other.recv(12) == b"HTTP/1.1 200"
