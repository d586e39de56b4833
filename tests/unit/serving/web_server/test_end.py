"""How the web server ends: what was sent is answered, and nobody is left with a port that nobody looks after."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from waitress import wasyncore

from skywatch.features import load
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.api_server import create_server, drain, sockets_of
from tests.waiting import PATIENCE_S

REQUEST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"


def application(environ, start_response):
    environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Length", "4")])
    return [b"done"]


@pytest.fixture
def server():
    settings = load({"secret": "x" * 40, "listen": "127.0.0.1:0"}, {})
    opened = create_server(application, settings.of(HttpSettings))
    yield opened
    wasyncore.close_all(sockets_of(opened), ignore_all=True)


@pytest.fixture
def connect(server):
    opened = []

    def start():
        opened.append(socket.create_connection(("127.0.0.1", server.effective_port), timeout=PATIENCE_S))
        return opened[-1]

    yield start
    for connection in opened:
        connection.close()


def turn(server, connection, sent):
    """Send, and let the server read it."""
    connection.sendall(sent)
    for _ in range(20):
        wasyncore.loop(timeout=0.01, map=sockets_of(server), use_poll=True, count=1)


def answer_of(connection):
    received = b""
    while piece := connection.recv(65536):
        received += piece
    return received


def test_a_request_that_is_half_received_is_answered_and_the_connection_closed(server, connect):
    client = connect()
    turn(server, client, REQUEST[:-4])
    ending = threading.Thread(target=drain, args=(server,))
    ending.start()
    client.sendall(REQUEST[-4:])
    answer = answer_of(client)
    ending.join()
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" in answer.lower()


def test_who_connected_before_the_end_is_answered(server, connect):
    client = connect()
    client.sendall(REQUEST)
    drain(server)
    assert answer_of(client).endswith(b"done")


def test_idle_connections_are_closed_without_a_reset(server, connect):
    client = connect()
    turn(server, client, REQUEST)
    assert client.recv(65536).endswith(b"done")
    drain(server)
    assert client.recv(65536) == b""


def test_the_port_refuses_from_the_end_on(server, connect):
    with ThreadPoolExecutor() as pool:
        pool.submit(drain, server).result()
    with pytest.raises(ConnectionRefusedError):
        connect()
