"""HTTP/1.1 as its RFCs have it, where the library beneath the web server is more lenient or waits indefinitely."""

import json

import pytest

from tests.integration.conftest import connect

LOGIN = (
    b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
)
CONFIG = b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\n"


def read_answer(stream):
    """Status, head and body of the next answer."""
    status = int(stream.readline().split()[1])
    head = dict(line.decode().lower().strip().split(": ", 1) for line in iter(stream.readline, b"\r\n"))
    return status, head, stream.read(int(head.get("content-length", 0)))


def first_answer(server, request):
    with connect(server) as connection:
        connection.sendall(request)
        return read_answer(connection.makefile("rb"))


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1\r\n",
        b"HTTP/1.1\r\nHost: one\r\nHost: two\r\n",
        b"HTTP/1.1\r\nHost: one\r\nX: y\r\nHost: one\r\n",
        b"HTTP/1.1\r\nHost:\r\nHost:\r\n",
        b"HTTP/1.0\r\nHost: one\r\nHost: two\r\n",
        b"HTTP/1.1\r\nHost: a b\r\n",
        b"HTTP/1.1\r\nHost: evil/@x\r\n",
        b'HTTP/1.1\r\nHost: x"><script>\r\n',
        b"HTTP/1.1\r\nHost: x:port\r\n",
        b"HTTP/1.1\r\nHost: \xc3\xa9\r\n",
    ],
)
def test_a_request_names_its_host_once_and_well(serve, head):
    status, headers, body = first_answer(serve(), b"GET /api/v1/auth/config " + head + b"\r\n")
    assert (status, headers["content-type"]) == (400, "application/problem+json")
    assert json.loads(body)["code"] == "malformed_body"
    assert "Host is" in json.loads(body)["detail"]


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.0\r\n",
        b"HTTP/1.1\r\nHost:\r\n",
        b"HTTP/1.1\r\nHost: radar.example.org:6543\r\n",
        b"HTTP/1.1\r\nhost: [2001:db8::1]:6543\r\n",
        b"HTTP/1.1\r\nHost: my_radar\r\n",
    ],
)
def test_a_good_host_and_an_old_client_without_one_are_served(serve, head):
    assert (
        first_answer(serve(base_url="https://sky.example.org"), b"GET /api/v1/auth/config " + head + b"\r\n")[0] == 200
    )


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        # No body follows, so nothing is to be waited for.
        (CONFIG + b"Expect: 100-continue\r\n\r\n", 200),
        (LOGIN + b"Content-Length: 0\r\n\r\n", 400),
        # Refused by the head alone.
        (LOGIN + b"Content-Length: many\r\n\r\n", 400),
        (LOGIN + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (LOGIN + b"Host: y\r\nContent-Length: 5\r\n\r\n", 400),
        (LOGIN + b"Content-Length: 3000000\r\n\r\n", 413),
    ],
)
def test_who_asks_whether_to_send_a_body_gets_the_answer_at_once_where_that_is_known(serve, request_head, status):
    assert first_answer(serve(), request_head)[0] == status


def test_a_question_without_a_body_leaves_the_next_request_as_it_is(serve):
    with connect(serve()) as connection:
        stream = connection.makefile("rb")
        for _ in range(2):
            connection.sendall(CONFIG + b"Expect: 100-continue\r\n\r\n")
            assert read_answer(stream)[0] == 200


def test_who_asks_behind_another_request_is_told_to_send_after_that_answer(serve):
    with connect(serve()) as connection:
        stream = connection.makefile("rb")
        connection.sendall(CONFIG + b"\r\n" + LOGIN + b"Content-Length: 2\r\n\r\n")
        assert read_answer(stream)[0] == 200
        assert read_answer(stream)[0] == 100
        connection.sendall(b"{}")
        assert read_answer(stream)[0] == 400
