"""How the web server ends: what was sent is answered, and nobody is left with a port that nobody looks after."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from skywatch.features import load
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.api_server import create_server
from tests.waiting import PATIENCE_S, until

REQUEST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"


def application(environ, start_response):
    environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Length", "4")])
    return [b"done"]


@pytest.fixture
def server():
    settings = load({"secret": "x" * 40, "listen": "127.0.0.1:0"}, {})
    opened = create_server(application, settings.of(HttpSettings))
    opened.start()
    yield opened
    opened.close()


@pytest.fixture
def connect(server):
    opened = []

    def start():
        opened.append(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S))
        return opened[-1]

    yield start
    for connection in opened:
        connection.close()


def answer_of(connection):
    received = b""
    while piece := connection.recv(65536):
        received += piece
    return received


def test_a_request_that_is_half_received_is_answered_and_the_connection_closed(server, connect):
    client = connect()
    client.sendall(REQUEST[:-4])
    until(lambda: any(one.arrived.bytes for one in server.connections.all()))
    ending = threading.Thread(target=server.drain)
    ending.start()
    until(lambda: server.connections.is_ending)
    client.sendall(REQUEST[-4:])
    answer = answer_of(client)
    ending.join()
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" in answer.lower()


def test_who_connected_before_the_end_is_answered(server, connect):
    client = connect()
    client.sendall(REQUEST)
    server.drain()
    assert answer_of(client).endswith(b"done")


def test_idle_connections_are_closed_without_a_reset(server, connect):
    client = connect()
    client.sendall(REQUEST)
    answer = b""
    while not answer.endswith(b"done"):
        answer += client.recv(65536)
    server.drain()
    assert client.recv(65536) == b""


def test_the_port_refuses_from_the_end_on(server, connect):
    with ThreadPoolExecutor() as pool:
        pool.submit(server.drain).result()
    with pytest.raises(ConnectionRefusedError):
        connect()
