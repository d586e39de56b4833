"""Audio in processes as users run them: workers that are killed at their work, and what is too large."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import threading

import pytest

from tests import prefork
from tests.accounts import PASSWORD
from tests.functional.audio.test_transcription import Server
from tests.processes import ENVIRONMENT, Service
from tests.servers import redis_prefix
from tests.unit.audio.test_transcripts import vowel, written
from tests.waiting import PATIENCE_S, until

PATH = "/api/v1/audio/transmissions"


class SlowServer(Server):
    """A transcription server that answers once it may."""

    def __init__(self):
        super().__init__()
        self.may_answer = threading.Event()
        handler = self._server.RequestHandlerClass
        answer = handler.do_POST

        def do_post(request):
            self.requests.append("asked")
            self.may_answer.wait(PATIENCE_S)
            answer(request)

        handler.do_POST = do_post


@pytest.fixture
def server():
    server = SlowServer()
    yield server
    server.may_answer.set()
    server.close()


@pytest.fixture
def service(tmp_path, server):
    with redis_prefix() as bus:
        one = Service(
            tmp_path, auth_mode="public", secret=secrets.token_hex(32), audio_directory=tmp_path / "audio",
            transcription="openai", transcription_url=server.url, transcription_lease_s=5, bus=bus,
        )  # fmt: skip
        one.init().add_user("keeper", "admin").start("--role", "api", wait=False)
        try:
            until(lambda: is_up(one))
            yield one
        finally:
            one.stop()


def is_up(service):
    """Whether it answers; the picture is away, as there is no tracker."""
    assert service.process.poll() is None, service.log.read_text()
    try:
        return service.get(PATH)["count"] == 0
    except OSError:
        return False


@pytest.fixture
def start_worker(service):
    """Starts the process that transcribes."""
    workers = []

    def start():
        with service.log.open("ab") as log:
            words = ["serve", str(service.ini), "--role", "worker"]
            with open(os.devnull, "rb") as nothing:
                workers.append(prefork.start(words, ENVIRONMENT, [nothing, log, log]))
        return workers[-1]

    yield start
    for worker in workers:
        worker.kill()
        worker.wait(PATIENCE_S)


def form(data):
    boundary = secrets.token_hex(8)
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="channel"\r\n\r\nTower\r\n--{boundary}\r\n'
    head += 'Content-Disposition: form-data; name="audio"; filename="../../etc/passwd"\r\n\r\n'
    return boundary, head.encode() + data + f"\r\n--{boundary}--\r\n".encode()


def post(service, data):
    """The answer to an upload: status and JSON."""
    boundary, body = form(data)
    return call(service, "POST", PATH, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})


def call(service, method, path, body=None, headers=None):
    """The answer to an administrator: status and JSON."""
    login = json.dumps({"username": "keeper", "password": PASSWORD})
    token = ask(service, "POST", "/api/v1/auth/login", login, {"Content-Type": "application/json"})[1]["access"]
    return ask(service, method, path, body, {**(headers or {}), "Authorization": f"Bearer {token}"})


def ask(service, method, path, body, headers):
    """The answer: status and JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_too_large_is_refused_and_recordings_of_killed_workers_are_tried_three_times(
    service, start_worker, server, tmp_path
):
    status, problem = post(service, b"\0" * (51 << 20))
    assert (status, problem["code"]) == (413, "payload_too_large")
    stored = tmp_path / "audio"
    assert [path for path in stored.rglob("*") if path.is_file()] == []

    voice = written(tmp_path, vowel(3.0)).read_bytes()
    status, made = post(service, voice)
    assert (status, made["status"]) == (201, "queued")
    where = f"{PATH}/{made['id']}"
    for tries in (1, 2, 3):
        worker = start_worker()
        # The second and third time: once the lease of the dead worker has run out.
        until(lambda tries=tries: server.requests.count("asked") == tries)
        worker.kill()
        worker.wait(PATIENCE_S)
        assert service.get(where)["status"] == "processing"
    start_worker()
    failed = until(lambda: (now := service.get(where))["status"] != "processing" and now)
    assert (failed["status"], failed["reason"]) == ("failed", "The worker was interrupted each time.")
    assert server.requests.count("asked") == 3
    server.may_answer.set()
    assert call(service, "POST", f"{where}/transcribe")[0] == 202
    done = until(lambda: (now := service.get(where))["status"] == "done" and now)
    assert done["transcript"] == "Speedbird two six niner, mayday"
    (kept,) = [path for path in stored.rglob("*") if path.is_file()]
    assert kept.read_bytes() == voice
    assert made["sha256"] in kept.name
