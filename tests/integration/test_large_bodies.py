"""Bodies over 64 KiB: read for known senders only, and nothing of a stranger reaches the disk."""

import contextlib
import gc
import http.client
import json
import os
import socket
import tempfile
import time
from contextlib import ExitStack, contextmanager
from itertools import product

import pytest
import webtest

from skywatch.core.runtime import runtime_of
from skywatch.http.limits.admission import FREE_BODY_BYTES
from skywatch.serving.web_server import incoming_body
from tests.accounts import Population
from tests.audio import files_in, sound
from tests.functional.console.visitor import Visitor
from tests.integration.conftest import connect
from tests.integration.test_api_protocol import CONFIG, read_answer
from tests.waiting import PATIENCE_S, until

UPLOAD, CALL, IMPORT = (
    "/api/v1/audio/transmissions", "/api/call-upload", "/api/v1/cannonball/known-aircraft/import"
)  # fmt: skip
BOUNDARY = "7d8f3b"
# A recording of two minutes.
AUDIO = sound(120.0)
assert len(AUDIO) > 25 * FREE_BODY_BYTES


def part(name, value, file=""):
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
    return head.encode() + (value if isinstance(value, bytes) else value.encode()) + b"\r\n"


def form(*parts):
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def recording(data=AUDIO):
    return part("audio", data, '; filename="call.wav"')


def transmission(data=AUDIO):
    return form(part("channel", "Tower"), recording(data))


def call(key, data=AUDIO, *, is_key_first=True):
    fields = part("talkgroup", "54241") + part("system", "11")
    key = part("key", key)
    return form(key, fields, recording(data)) if is_key_first else form(recording(data), fields, key)


def head_of(path, length=None, *more, method="POST", version="1.1"):
    """The head of an upload; ``length`` None is a body in chunks."""
    framing = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    lines = (
        f"{method} {path} HTTP/{version}",
        "Host: localhost",
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
    )
    return "\r\n".join([*lines, framing, *more, "", ""]).encode()


def chunked(body, size=100_000):
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@contextmanager
def opened(server, source="127.0.0.1"):
    address = ("127.0.0.1", server.port)
    with (
        socket.create_connection(address, timeout=PATIENCE_S, source_address=(source, 0)) as connection,
        connection.makefile("rb") as stream,
    ):
        yield connection, stream


def answer_to(server, head, body=b"", source="127.0.0.1"):
    """Status, head and body of the answer to a request that is sent whole."""
    with opened(server, source) as (connection, stream):
        connection.sendall(head + body)
        return read_answer(stream)


@pytest.fixture
def start(serve, tmp_path):
    def start(**settings):
        server = serve(**{"auth_mode": "private", "audio_directory": tmp_path / "audio", **settings})
        server.people = Population(runtime_of(server.application.registry))
        return server

    return start


@pytest.fixture
def server(start):
    return start()


def bearer(server, name="ada", role="admin"):
    header = server.people.bearer(server.people.user(name, role))
    return f"Authorization: {header['Authorization']}"


def ledgers(server):
    limits = server.connections.limits
    return limits.unidentified.limit.in_use, limits.users.limit.in_use


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The folder of this test's unnamed files: what it makes is told from what others of this process hold."""
    folder = tmp_path / "unnamed"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def unlinked_bytes(own_folder):
    """The bytes of all open files without a name that this test has made."""

    def count():
        sizes = 0
        for number in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):
                name = os.readlink(f"/proc/self/fd/{number}")
                if name.startswith(f"{own_folder}/") and name.endswith("(deleted)"):
                    sizes += os.stat(f"/proc/self/fd/{number}").st_size
        return sizes

    return count


CREDENTIALS = ("Authorization: Bearer x.y.z", "X-API-Key: sk_wrong", "Authorization: Basic eDp5")
LARGE = (UPLOAD, UPLOAD + "/", IMPORT, "/api/v1/auth/login", "/api/v1/alerts/rules/test")


@pytest.mark.parametrize("mode", ["private", "hybrid", "public"])
def test_a_large_body_of_nobody_is_refused_by_its_head(start, mode):
    server = start(auth_mode=mode)
    for path in LARGE:
        status, head, body = answer_to(server, head_of(path, 500_000, "Expect: 100-continue"))
        assert (path, status, json.loads(body)["code"]) == (path, 401, "authentication_required")
        assert head["connection"] == "close"
        assert head["www-authenticate"]


def test_a_wrong_credential_is_none(server):
    for credential in CREDENTIALS:
        status, _, body = answer_to(server, head_of(UPLOAD, 500_000, credential))
        assert (credential, status, json.loads(body)["code"]) == (credential, 401, "token_invalid")


def test_who_may_not_upload_is_told_so_before_the_body(server):
    status, _, body = answer_to(server, head_of(UPLOAD, 500_000, bearer(server, "vera", "viewer")))
    assert (status, json.loads(body)["code"]) == (403, "permission_denied")
    assert answer_to(server, head_of("/api/v1/nothing", 500_000, bearer(server)))[0] == 404


def test_a_known_sender_is_asked_for_the_body_and_it_arrives(start, tmp_path):
    server, body = start(default_throttle_rates__user="1000/minute"), transmission()
    with opened(server) as (connection, stream):
        connection.sendall(head_of(UPLOAD, len(body), bearer(server), "Expect: 100-continue"))
        assert read_answer(stream)[0] == 100
        connection.sendall(body)
        status, head, text = read_answer(stream)
        assert (status, json.loads(text)["duration_s"]) == (201, 120.0)
        # Counted once, though the application was asked twice.
        assert (int(head["x-ratelimit-limit"]), int(head["x-ratelimit-remaining"])) == (1000, 999)
        # The connection goes on.
        connection.sendall(CONFIG + b"\r\n")
        assert read_answer(stream)[0] == 200
    assert len(files_in(tmp_path / "audio")) == 1
    until(lambda: ledgers(server) == (0, 0))


def test_a_body_arrives_whole_however_it_is_sent(server):
    body, credential = transmission(), bearer(server)
    for is_chunked, piece_bytes in product((True, False), (None, 37_123)):
        length = None if is_chunked else len(body)
        request = head_of(UPLOAD, length, credential) + (chunked(body) if is_chunked else body)
        # What follows on the same connection is answered after it.
        request = CONFIG + b"\r\n" + request + CONFIG + b"\r\n"
        with opened(server) as (connection, stream):
            for start in range(0, len(request), piece_bytes or len(request)):
                connection.sendall(request[start : start + (piece_bytes or len(request))])
            assert [read_answer(stream)[0] for _ in range(3)] == [200, 201, 200]


def test_a_body_in_chunks_of_nobody_is_not_read_beyond_what_fits_into_memory(server, unlinked_bytes):
    with opened(server) as (connection, stream):
        connection.sendall(head_of(UPLOAD, None) + chunked(AUDIO)[: FREE_BODY_BYTES - 5000])
        until(lambda: any(c.incoming is not None and c.incoming.body.size > 50_000 for c in server.connections.all()))
        assert unlinked_bytes() == 0
        connection.sendall(b"x" * 20_000)
        assert read_answer(stream)[0] == 401


def test_a_client_that_sends_everything_before_it_reads_gets_its_answer(server):
    for body_bytes in (1_000_000, 8_000_000):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        connection.request("POST", UPLOAD, b"\0" * body_bytes)
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["code"]) == (401, "authentication_required")
        connection.close()
        until(lambda: not server.connections.all(), "the end of the connection")


def test_what_a_refused_body_holds_is_no_request(server):
    hidden = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with opened(server) as (connection, stream):
        connection.sendall(head_of(UPLOAD, 100_000) + hidden * 20)
        assert read_answer(stream)[0] == 401
        connection.sendall(hidden)
        assert stream.read() == b""


def test_who_goes_on_sending_after_a_refusal_is_disconnected(server, monkeypatch):
    with opened(server) as (connection, stream):
        connection.sendall(head_of(UPLOAD, 900_000))
        assert read_answer(stream)[0] == 401
        connection.sendall(b"x" * 1000)
        until(lambda: server.connections.all()[0].lingers_since is not None)
        server.connections.close_slow(time.time() + 31)
        until(lambda: not server.connections.all(), "the end of the connection")


def test_a_cookie_counts_as_for_other_requests(start):
    server = start(jwt_auth_cookie=True, cors_allowed_origins="https://radar.example.org")
    cookie = f"Cookie: skywatch_access={server.people.token(server.people.user('ada', 'admin'))}"
    status, _, body = answer_to(server, head_of(UPLOAD, 500_000, cookie, "Origin: https://evil.example.org"))
    assert (status, json.loads(body)["code"]) == (403, "csrf_failed")
    body = transmission()
    head = head_of(UPLOAD, len(body), cookie, "Origin: https://radar.example.org")
    assert answer_to(server, head, body)[0] == 201


def test_a_page_of_another_origin_may_read_why(start):
    server = start(cors_allowed_origins="https://radar.example.org")
    status, head, _ = answer_to(server, head_of(UPLOAD, 500_000, "Origin: https://radar.example.org"))
    assert (status, head["access-control-allow-origin"]) == (401, "https://radar.example.org")


def test_strangers_that_try_are_counted(start):
    server = start(default_throttle_rates__anon="3/hour")
    assert [answer_to(server, head_of(UPLOAD, 500_000))[0] for _ in range(4)] == [401, 401, 401, 429]


# Forms with the key inside.


def test_a_call_that_is_no_form_is_refused_by_its_head(server):
    head = head_of(CALL, 500_000).replace(b"multipart/form-data", b"audio/mpeg")
    assert answer_to(server, head)[0] == 415


def test_calls_with_the_key_first_are_read_when_the_key_is_known(server, tmp_path):
    key = server.people.key(server.people.user("ada", "admin"), "audio")
    body = call(key)
    with opened(server) as (connection, stream):
        connection.sendall(head_of(CALL, len(body)) + body[:1000])
        until(lambda: ledgers(server)[1] == len(body), "the body is counted for the owner of the key")
        connection.sendall(body[1000:])
        assert read_answer(stream)[::2] == (200, b"Call imported successfully.\n")
    assert answer_to(server, head_of(CALL), chunked(body))[0] == 200
    assert len(files_in(tmp_path / "audio")) == 1


def test_calls_with_a_wrong_key_first_are_refused_there(server):
    viewers = server.people.key(server.people.user("vera", "viewer"), "audio")
    for key, status in (("sk_wrong", 401), ("", 401), ("sk_" + "x" * 2000, 401), (viewers, 403)):
        body = call(key)
        answered, head, text = answer_to(server, head_of(CALL, len(body)), body[:3000])
        assert (key, answered, head["content-type"]) == (key, status, "text/plain; charset=utf-8")
        assert b"API key" in text


def test_trunk_recorder_sends_the_key_last(server, tmp_path, unlinked_bytes):
    key = server.people.key(server.people.user("ada", "admin"), "audio")
    body = call(key, is_key_first=False)
    with opened(server) as (connection, stream):
        connection.sendall(head_of(CALL, len(body)) + body[:-1000])
        until(lambda: ledgers(server)[0] > len(body) - 30_000)
        assert unlinked_bytes() == 0
        connection.sendall(body[-1000:])
        assert read_answer(stream)[0] == 200
    until(lambda: ledgers(server) == (0, 0))
    wrong = call("sk_wrong", AUDIO[: 10 * FREE_BODY_BYTES], is_key_first=False)
    assert answer_to(server, head_of(CALL, len(wrong)), wrong)[0] == 401
    assert len(files_in(tmp_path / "audio")) == 1


@pytest.mark.parametrize("how", ["length", "chunks"])
def test_what_comes_before_the_key_is_limited_for_a_network_and_in_all(start, how):
    server = start(api_unidentified_bytes=1_000_000, api_unidentified_bytes_per_address=400_000)
    beginning = form(recording(b"\0" * 300_000))[:300_000]
    request = head_of(CALL, 900_000) + beginning if how == "length" else head_of(CALL) + chunked(beginning)[:-5]
    with ExitStack() as stack:

        def send(source):
            connection, stream = stack.enter_context(opened(server, source))
            before = ledgers(server)[0]
            connection.sendall(request)
            return connection, stream, before

        def takes_part(source):
            _, _, before = send(source)
            until(lambda: ledgers(server)[0] > before + 250_000)

        takes_part("127.0.0.1")
        _, stream, _ = send("127.0.0.1")
        status, head, body = read_answer(stream)
        assert (status, json.loads(body)["code"], int(head["retry-after"])) == (429, "rate_limited", 10)
        takes_part("127.0.0.2")
        takes_part("127.0.0.3")
        _, stream, _ = send("127.0.0.4")
        assert read_answer(stream)[0] == 429
        # Whoever begins with the key is not concerned, nor are small calls.
        key = server.people.key(server.people.user("ada", "admin"), "audio")
        for body in (call(key), call(key, sound(1.0), is_key_first=False)):
            assert answer_to(server, head_of(CALL, len(body)), body)[0] == 200
    # What broke off is given back.
    until(lambda: ledgers(server) == (0, 0))
    with opened(server) as (connection, _):
        connection.sendall(request)
        until(lambda: ledgers(server)[0] > 250_000)


def test_the_network_behind_a_trusted_proxy_counts(start):
    server = start(api_unidentified_bytes_per_address=400_000, trusted_proxy="127.0.0.1")
    beginning = form(recording(b"\0" * 300_000))[:300_000]
    with ExitStack() as stack:
        for address in ("2001:db8::1", "2001:db8:0:1::1", "192.0.2.1"):
            connection, _ = stack.enter_context(opened(server))
            before = ledgers(server)[0]
            connection.sendall(head_of(CALL, 900_000, f"X-Forwarded-For: 198.51.100.7, {address}") + beginning)
            until(lambda before=before: ledgers(server)[0] > before + 250_000)
        head = head_of(CALL, 900_000, "X-Forwarded-For: 2001:db8::2")
        assert answer_to(server, head, beginning)[0] == 429


def test_a_key_that_does_not_come_in_time_ends_the_connection(server):
    beginning = form(recording(b"\0" * 300_000))[:300_000]
    with opened(server) as (connection, stream):
        connection.sendall(head_of(CALL, 900_000) + beginning)
        until(lambda: ledgers(server)[0] > 250_000)
        server.connections.close_slow(time.time() + incoming_body.UNIDENTIFIED_S + 1)
        assert stream.read() == b""
    until(lambda: ledgers(server) == (0, 0), "what was held is given back")


# Known senders have limits, too.


def test_one_user_sends_so_much_at_once(start):
    server = start(api_upload_bytes_per_user=3_000_000)
    ada, ben = bearer(server, "ada"), bearer(server, "ben")
    body = transmission()
    with opened(server) as (connection, stream):
        connection.sendall(head_of(UPLOAD, len(body), ada) + body[:100_000])
        until(lambda: ledgers(server)[1] == len(body))
        status, head, text = answer_to(server, head_of(UPLOAD, len(body), ada))
        assert (status, json.loads(text)["code"], int(head["retry-after"])) == (429, "rate_limited", 10)
        assert answer_to(server, head_of(UPLOAD, len(body), ben), body)[0] == 201
        connection.sendall(body[100_000:])
        assert read_answer(stream)[0] == 201
    until(lambda: ledgers(server) == (0, 0))
    # A single one may be larger than that.
    large = transmission(sound(240.0))
    assert len(large) > 3_000_000
    assert answer_to(server, head_of(UPLOAD, len(large), ada), large)[0] == 201


@pytest.mark.usefixtures("only_clock")
def test_a_body_that_stops_is_given_up_and_what_it_held_is_freed(server, unlinked_bytes):
    body = transmission()
    head = head_of(UPLOAD, len(body), bearer(server))
    for end in ("closes", "stops", "drips"):
        with opened(server) as (connection, stream):
            connection.sendall(head + body[:900_000])
            until(lambda: unlinked_bytes() > 800_000, "an unnamed file with the body")
            (client,) = server.connections.all()
            pace = client.arrived
            # What was still on its way would be a body that goes on.
            until(lambda pace=pace: pace.bytes == len(head) + 900_000, "all that was sent")
            now = time.time()
            server.connections.close_slow(now)
            if end == "closes":
                connection.shutdown(socket.SHUT_RDWR)
            elif end == "stops":
                server.connections.close_slow(now + 61)
            else:
                for second in range(0, 61, 20):
                    before = pace.bytes
                    connection.sendall(b"\0")
                    until(lambda pace=pace, before=before: pace.bytes > before)
                    server.connections.close_slow(now + second)
            if end != "closes":
                # What the server had not read when it closed resets the connection.
                with contextlib.suppress(ConnectionResetError):
                    assert stream.read() == b""
            del client
            until(lambda: not server.connections.all(), "the end of the connection")
            until(lambda: ledgers(server) == (0, 0) and unlinked_bytes() == 0, "an end that leaves nothing")


@pytest.mark.usefixtures("only_clock")
def test_a_body_that_goes_on_is_not_given_up(server):
    body = transmission()
    with opened(server) as (connection, stream):
        connection.sendall(head_of(UPLOAD, len(body), bearer(server)))
        until(lambda: ledgers(server)[1] > 0)
        now = time.time()
        for minute in range(8):
            (client,) = server.connections.all()
            server.connections.close_slow(now + 60 * minute)
            before = client.arrived.bytes
            connection.sendall(body[minute * 70_000 : (minute + 1) * 70_000])
            until(lambda before=before: server.connections.all()[0].arrived.bytes == before + 70_000)
        connection.sendall(body[8 * 70_000 :])
        assert read_answer(stream)[0] == 201


def test_a_fault_of_the_application_is_a_problem(server, caplog):
    def broken(environ, start_response):
        raise RuntimeError("broken")

    server.application = broken
    status, _, body = answer_to(server, head_of(UPLOAD, 500_000))
    assert (status, json.loads(body)["code"]) == (500, "internal_error")
    assert "broken" not in body.decode()
    assert any("the application failed" in record.message for record in caplog.records)


def test_a_client_that_goes_while_it_is_asked_about_leaves_nothing(server, monkeypatch):
    """The worker finds the connection closed when it comes back with the admission."""
    application, body = server.application, transmission()
    head = head_of(UPLOAD, len(body), bearer(server))
    connection = connect(server)

    def slow(environ, start_response):
        connection.close()
        (client,) = server.connections.all()
        client.hang_up()
        return application(environ, start_response)

    slow.registry = application.registry
    server.application = slow
    connection.sendall(head)
    until(lambda: not server.connections.all())
    until(lambda: ledgers(server) == (0, 0) and server._waitress.task_dispatcher.active_count == 0)


def test_forms_of_the_console_need_its_session(start):
    server = start(environment="development", cannonball_import_max_bytes=5_000_000)
    browser = webtest.TestApp(server.application)
    browser.runtime = runtime_of(server.application.registry)
    visitor = Visitor(browser)
    server.people.user("root", "superadmin")
    path, origin = "/console/known-aircraft/import", "Origin: http://localhost"
    body = form(part("csrf_token", "wrong"), part("file", AUDIO, '; filename="list.csv"'))
    # A page sends people to sign in, by the head alone; credentials of the API count for nothing.
    for credential in ("X-Y: z", bearer(server)):
        status, head, _ = answer_to(server, head_of(path, len(body), origin, credential))
        assert (status, head["connection"]) == (303, "close")
        assert "/console/sign-in" in head["location"]
    visitor.sign_in("root")
    session = f"Cookie: skywatch_console={visitor.cookie}"
    # The form's token is in the body: it is read, and refused then.
    status, _, page = answer_to(server, head_of(path, len(body), origin, session), body)
    assert (status, "earlier session" in page.decode()) == (403, True)
    body = form(part("csrf_token", visitor.token), part("file", AUDIO, '; filename="list.csv"'))
    # With the token it is read to the end, where fields of the form are missing.
    assert answer_to(server, head_of(path, len(body), origin, session), body)[0] == 400


def test_a_call_is_not_copied_before_it_is_stored(server, monkeypatch):
    def copy(request):
        raise AssertionError("the body is copied to another unnamed file")

    monkeypatch.setattr("webob.request.BaseRequest.copy_body", copy)
    body = call(server.people.key(server.people.user("ada", "admin"), "audio"))
    assert answer_to(server, head_of(CALL, len(body)), body)[0] == 200


@pytest.mark.parametrize("path", [CALL, "/api/v1/auth/login"])
def test_a_body_is_stored_once_and_not_beyond_its_answer(server, path, unlinked_bytes):
    """Webob would copy it to a file that is there until the garbage collector finds its request."""
    if path == CALL:
        body, head = call(server.people.key(server.people.user("ada", "admin"), "audio"), is_key_first=False), head_of
    else:
        body = json.dumps({"username": "x" * 60_000, "password": "y"}).encode()

        def head(path, length):
            return head_of(path, length).replace(b"multipart/form-data", b"application/json")

    gc.collect()
    gc.disable()
    try:
        assert answer_to(server, head(path, len(body)), body)[0] == (200 if path == CALL else 400)
        until(lambda: unlinked_bytes() == 0, "the end of what was stored")
    finally:
        gc.enable()
