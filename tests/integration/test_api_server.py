"""The web server against clients that mean harm: many connections, no reading, no HTTP, endless bodies."""

import contextlib
import json
import socket
import time
from contextlib import ExitStack, suppress

import pytest

from skywatch.core.runtime import runtime_of
from skywatch.serving.web_server import api_server
from skywatch.serving.web_server.gate import LARGE_BYTES
from tests.accounts import Population
from tests.integration.conftest import connect
from tests.waiting import PATIENCE_S, until


def ask(server, request):
    """Status and JSON body of a raw request."""
    with connect(server) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode().lower(), json.loads(body)


HEALTH = b"GET /api/v1/auth/config HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def test_hundreds_of_idle_connections_keep_nobody_out(serve):
    server = serve()
    with ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(connect(server)).sendall(b"GET /api/v1/aircraft HTTP/1.1\r\nX: ")
        assert ask(server, HEALTH)[0] == 200


def wait_until_something_waits(server):
    """Fails where the client's answers were all sent: then the test would prove nothing."""
    until(lambda: any(client.has_unread for client in server.connections.all()), "an answer that waits for its client")


def test_clients_that_do_not_read_free_their_thread(serve, monkeypatch):
    monkeypatch.setattr(api_server, "SILENCE_S", 1)
    monkeypatch.setattr(api_server, "CLEANUP_S", 1)
    server = serve(api_threads=1, api_streams=1)
    with connect(server) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        deaf.sendall(line * 150)
        wait_until_something_waits(server)
        assert ask(server, HEALTH)[0] == 200


def ask_ahead(server, deaf, count):
    """Have a client ask for many answers and read none."""
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.sendall(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * count)
    wait_until_something_waits(server)


def test_a_client_that_asks_ahead_holds_no_thread_while_it_does_not_read(serve, monkeypatch):
    # Nobody is cut off meanwhile, which would free a thread as well.
    monkeypatch.setattr(api_server, "SILENCE_S", 3600)
    server = serve(api_threads=1, api_streams=1)
    with connect(server) as deaf:
        ask_ahead(server, deaf, 150)
        assert ask(server, HEALTH)[0] == 200


def test_a_client_that_asked_ahead_and_went_away_leaves_nothing_behind(serve):
    server = serve(api_threads=1, api_streams=1)
    with connect(server) as deaf:
        ask_ahead(server, deaf, 150)
    until(lambda: not server.connections.all(), "the end of all that was asked for")


def test_a_client_that_reads_a_byte_now_and_then_is_cut_off(serve, monkeypatch):
    monkeypatch.setattr(api_server, "SILENCE_S", 2)
    monkeypatch.setattr(api_server, "CLEANUP_S", 1)
    server = serve()
    with connect(server) as slow:
        ask_ahead(server, slow, 150)

        def is_cut_off():
            # Something moves all the time.
            with suppress(ConnectionError):
                slow.recv(100)
            return not server.connections.all()

        until(is_cut_off, "the end of a client that hardly reads", every_s=0.1)


def test_an_answer_that_takes_long_to_make_is_not_cut_off_for_its_kept_beginning(serve, monkeypatch):
    monkeypatch.setattr(api_server, "SILENCE_S", 1)
    monkeypatch.setattr(api_server, "CLEANUP_S", 1)
    server = serve()

    def slow(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        yield b"begun"
        time.sleep(4)
        yield b"done"

    server.application = slow
    with connect(server) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.endswith(b"begun\r\n4\r\ndone\r\n0\r\n\r\n")


def test_a_stream_that_fails_at_once_is_a_problem_and_one_that_fails_later_ends(serve):
    server = serve()

    def failing(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        if environ["PATH_INFO"] == "/later":
            yield b"begun"
        raise RuntimeError("broken")

    server.application = failing
    status, head, problem = ask(server, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (status, problem["code"]) == (500, "internal_error")
    assert "connection: close" in head
    with connect(server) as connection:
        connection.sendall(b"GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.endswith(b"5\r\nbegun\r\n")


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("request_line", "status", "code"),
    [
        (b"get / HTTP/1.1\r\n\r\n", 400, "malformed_body"),
        (b"GET /api/v1/aircraft?limit=\xd9\xa3 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed_body"),
        (b"POST /api/v1/auth/login HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "malformed_body"),
        (
            b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1900000000\r\n\r\n{}",
            413,
            "payload_too_large",
        ),
    ],
)
def test_what_is_no_http_or_endless_is_answered_by_a_problem(serve, request_line, status, code):
    answered, head, problem = ask(serve(), request_line)
    assert "content-type: application/problem+json" in head
    assert (answered, problem["status"], problem["code"]) == (status, status, code)
    assert f"x-request-id: {problem['request_id']}" in head


@pytest.mark.parametrize(
    ("path", "length", "status"),
    [
        # Refused by its head alone: nothing of the body was sent.
        (b"/api/v1/auth/login", 3_000_000, 413),
        (b"/api/v1/cannonball/known-aircraft/import/", 300_000_000, 413),
        # Its own limit answers for what the server would read.
        (b"/api/v1/auth/login", 1_500_000, 413),
        (b"/api/v1/cannonball/known-aircraft/import/", 3_000_000, 401),
        (b"/api/v1/auth/login", 60_000, None),
    ],
)
def test_a_body_far_over_the_limit_of_its_address_is_not_read(serve, path, length, status):
    with connect(serve()) as connection:
        connection.settimeout(PATIENCE_S if status else 0.5)
        connection.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (path, length))
        if status is None:
            with pytest.raises(TimeoutError):
                connection.recv(100)
        else:
            assert connection.recv(100).startswith(b"HTTP/1.1 %d " % status)


def test_a_form_far_over_the_limit_gets_the_page_of_the_console(serve):
    body = b"a=" + b"x" * 3_000_000
    head = b"POST /console/sign-in HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
    head += b"Content-Type: application/x-www-form-urlencoded\r\n"
    head += b"Content-Length: %d\r\n\r\n" % len(body)
    with connect(serve()) as connection:
        # As browsers do: all is sent before the answer is read.
        connection.sendall(head + body)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    lines, _, page = answer.partition(b"\r\n\r\n")
    assert lines.startswith(b"HTTP/1.1 413 ")
    assert b"content-type: text/html" in lines.lower()
    assert b"connection: close" in lines.lower()
    assert b"at most 65536 bytes" in page
    assert page.rstrip().endswith(b"</html>")


def test_a_large_form_in_chunks_of_a_stranger_is_sent_to_the_sign_in_unread(serve):
    body = b"a=" + b"x" * 3_000_000
    head = b"POST /console/sign-in HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nTransfer-Encoding: chunked\r\n"
    head += b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    with connect(serve()) as connection:
        connection.sendall(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 303 ")
    assert b"connection: close" in answer.lower()


def test_who_goes_on_sending_after_a_refusal_is_closed(serve, monkeypatch):
    monkeypatch.setattr("skywatch.serving.web_server.client_socket.LINGER_BYTES", 4_000_000)
    with connect(serve()) as connection:
        connection.sendall(b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n")
        taken, data = 0, b"x" * 1_000_000
        with contextlib.suppress(OSError):
            while taken < 900_000_000:
                taken += connection.send(data)
    assert taken < 100_000_000


def test_a_client_that_asks_first_is_not_told_to_send_what_is_refused(serve):
    head = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
    for length, status in ((3_000_000, b"413"), (30, b"100")):
        with connect(serve()) as connection:
            connection.sendall(head % length)
            assert connection.recv(100).split()[1] == status


def test_chunks_far_over_the_limit_of_their_address_are_not_read_to_the_end(serve):
    chunk = b"%x\r\n%s\r\n" % (100_000, b" " * 100_000)
    server = serve()
    people = Population(runtime_of(server.application.registry))
    token = people.bearer(people.user("ada", "admin"))["Authorization"].encode()
    head = b"POST /api/v1/auth/profile HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    head += b"Authorization: %s\r\n\r\n"
    with connect(server) as connection:
        connection.sendall(head.replace(b"POST", b"PATCH") % token)
        connection.sendall(chunk * 22)
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_slow_reader_gets_every_byte_of_every_answer_in_order(serve):
    server = serve(api_threads=2)
    paths = ("openapi.json", "auth/config") * 60
    with connect(server) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.sendall(b"".join(b"GET /api/v1/%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode() for path in paths))
        wait_until_something_waits(server)
        answers = slow.makefile("rb")
        found = {}
        for path in paths:
            status = int(answers.readline().split()[1])
            head = dict(line.lower().strip().split(b": ", 1) for line in iter(answers.readline, b"\r\n"))
            found.setdefault(path, set()).add((status, answers.read(int(head[b"content-length"]))))
    assert {path: [status for status, _ in answers] for path, answers in found.items()} == {
        path: [200] for path in paths
    }
    assert all(json.loads(body) for answers in found.values() for _, body in answers)
    assert len(next(iter(found["openapi.json"]))[1]) > LARGE_BYTES


def exchange(server, *requests):
    """Send requests one after the other on one connection, the last of which ends it; all that was answered."""
    answer = b""
    with connect(server) as connection:
        for number, request in enumerate(requests, start=1):
            connection.sendall(request)
            while answer.count(b"\r\n\r\n") < number or number == len(requests):
                part = received(connection)
                answer += part
                if not part:
                    break
    return answer


def received(connection):
    """What has come; nothing where the connection is over. A server that hangs up unread resets it."""
    try:
        return connection.recv(65536)
    except ConnectionResetError:
        return b""


def statuses(answer):
    return [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]


def test_the_connection_outlasts_an_answer_without_a_body(serve):
    request = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n\r\n"
    assert statuses(exchange(serve(), request, request, HEALTH)) == [304, 304, 200]


def test_the_answer_to_head_ends_with_its_head_also_where_a_stream_would_follow(serve):
    head = b"HEAD /api/v1/history/export?format=csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = exchange(serve(auth_mode="public"), head)
    assert statuses(answer) == [200]
    assert answer.partition(b"\r\n\r\n")[2] == b""


def test_a_body_of_two_lengths_is_refused_and_nothing_after_it_is_answered(serve):
    head = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
    head += b"Transfer-Encoding: chunked\r\n\r\n"
    assert statuses(exchange(serve(), head + b"0\r\n\r\n" + HEALTH)) == [400]
