"""Dry runs as dear as they may be, during ordinary requests, and clients that leave."""

from __future__ import annotations

import threading
import time

import pytest

from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.api_server import create_server
from tests.drills.dry_runs import KINDS, begin, prepare
from tests.integration.conftest import connect
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.nightly("short form of a drill")

# What the callers of dry runs see, by kind, in addition to those who are refused a place.
ANSWERS = {
    "compiled again": {"dry run 200"},
    "refused": {"dry run 400"},
    "given": set(),
    "past": {"dry run 200"},
    "beyond": {"dry run 400"},
}


def test_ordinary_requests_and_ticks_go_on_during_dry_runs(tmp_path):
    service = prepare(tmp_path).start(wait=False)
    drill = begin(service)
    try:
        for kind, body in KINDS.items():
            result = drill.measure(1, body())
            ordinary = {answer for answer in result.answers if answer.startswith("ordinary")}
            assert ordinary == {"ordinary 200"}, (kind, result.answers)
            assert set(result.answers) - ordinary <= {"dry run 503", *ANSWERS[kind]}, (kind, result.answers)
            assert result.without_retry_after == 0
    finally:
        drill.close()
        assert service.stop() == 0, service.log.read_text()
    assert "Traceback" not in service.log.read_text()


@pytest.fixture
def server(make_settings):
    """A server whose application works until its client has left; ``left`` is set then."""
    left, working = threading.Event(), threading.Event()

    def application(environ, start_response):
        until_s = time.monotonic() + PATIENCE_S
        working.set()
        while time.monotonic() < until_s and environ["PATH_INFO"] == "/work":
            if environ["waitress.client_disconnected"]():
                left.set()
                break
            time.sleep(0.01)
        body = b"left" if environ["waitress.client_disconnected"]() else b"stays"
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    server = create_server(application, make_settings(listen="127.0.0.1:0").of(HttpSettings))
    server.left, server.working = left, working
    server.start()
    yield server
    server.close()


REQUEST = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_the_application_sees_that_its_client_has_left(server):
    with connect(server) as connection:
        connection.sendall(REQUEST % b"/work")
        assert server.working.wait(PATIENCE_S)
        assert not server.left.is_set()
    assert server.left.wait(PATIENCE_S)
    until(lambda: not server.connections.all(), "the end of the connection")


def test_a_client_that_stays_has_not_left_even_if_it_asks_for_more(server):
    with connect(server) as connection:
        connection.sendall(REQUEST % b"/" * 2)
        answer = b""
        while answer.count(b"stays") < 2:
            part = connection.recv(65536)
            assert part, answer
            answer += part
    assert b"left" not in answer
