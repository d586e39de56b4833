"""Audio in a process as users run it: a worker that is killed at its work, and what is too large."""

from __future__ import annotations

import http.client
import json
import secrets
import threading

import pytest

from tests.functional.audio.test_transcription import Server
from tests.processes import Service
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
    one = Service(
        tmp_path, auth_mode="public", secret=secrets.token_hex(32), audio_directory=tmp_path / "audio",
        transcription="openai", transcription_url=server.url, transcription_lease_s=5,
    )  # fmt: skip
    one.init().start()
    yield one
    one.stop()


def form(data):
    boundary = secrets.token_hex(8)
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="channel"\r\n\r\nTower\r\n--{boundary}\r\n'
    head += 'Content-Disposition: form-data; name="audio"; filename="../../etc/passwd"\r\n\r\n'
    return boundary, head.encode() + data + f"\r\n--{boundary}--\r\n".encode()


def post(service, data):
    """The answer to an upload: status and JSON."""
    boundary, body = form(data)
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
    try:
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        connection.request("POST", PATH, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_what_is_too_large_is_refused_and_a_killed_worker_s_recording_is_transcribed_after_all(
    service, server, tmp_path
):
    status, problem = post(service, b"\0" * (51 << 20))
    assert (status, problem["code"]) == (413, "payload_too_large")
    stored = tmp_path / "audio"
    assert [path for path in stored.rglob("*") if path.is_file()] == []

    voice = written(tmp_path, vowel(3.0)).read_bytes()
    status, made = post(service, voice)
    assert (status, made["status"]) == (201, "queued")
    until(lambda: server.requests)
    service.kill()
    assert len(server.requests) == 1
    service.start()
    assert service.get(f"{PATH}/{made['id']}")["status"] == "processing"
    # Once the lease of the dead worker has run out.
    until(lambda: server.requests.count("asked") == 2)
    server.may_answer.set()
    done = until(lambda: (now := service.get(f"{PATH}/{made['id']}"))["status"] == "done" and now)
    assert done["transcript"] == "Speedbird two six niner, mayday"
    (kept,) = [path for path in stored.rglob("*") if path.is_file()]
    assert kept.read_bytes() == voice
    assert made["sha256"] in kept.name
