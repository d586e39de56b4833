"""Transcription end to end: the queue, the worker and a server that speaks ``/v1/audio/transcriptions``."""

import asyncio
import json
import threading
import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import sqlalchemy as sa
import time_machine

from skywatch.audio.transcription import leases
from skywatch.audio.transcription import worker as worker_module
from skywatch.audio.transcription.worker import create
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import writing
from skywatch.core.telemetry import health
from skywatch.history.models import Flight
from skywatch.settings import SettingsError
from tests.accounts import Population
from tests.audio import UPLOAD, sound, upload
from tests.skies import show, sky_of
from tests.unit.audio.test_transcripts import vowel, written
from tests.waiting import PATIENCE_S

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


class Server:
    """A transcription server; ``answers`` are (status, body) for the requests to come, the last one for all others."""

    def __init__(self):
        self.requests, self.answers = [], [(200, {"text": "Speedbird two six niner, mayday", "duration": 3.0})]
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, dict(self.headers), body))
                status, answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def client(make_client, directory, server):
    return make_client(
        audio_directory=directory, transcription="openai", transcription_url=server.url, transcription_api_key="hush",
        transcription_model="tiny",
    )  # fmt: skip


@pytest.fixture
def voice(tmp_path):
    return written(tmp_path, vowel(3.0)).read_bytes()


def work(client, until):
    """Run the worker until a condition holds."""
    worker = create(client.runtime)

    async def run():
        await worker.start()
        deadline = time.monotonic() + PATIENCE_S
        while not until():
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
        await worker.stop()

    asyncio.run(run())


def state(client, number):
    return client.get(f"{UPLOAD}/{number}").json


def transcribed(client, made):
    work(client, lambda: state(client, made["id"])["status"] not in ("queued", "processing"))
    return state(client, made["id"])


def flight(client, **changes):
    values = {
        "icao_hex": "400A1B", "callsign": "BAW269", "military": False, "emergency": False, "active": False,
        "first_seen_at": NOON - timedelta(minutes=10), "last_seen_at": NOON + timedelta(minutes=10),
        "messages": 1, "positions": 1, "points": 1, "distance_nm": 0.0,
    }  # fmt: skip
    with writing(client.runtime.sessions) as session:
        session.execute(sa.insert(Flight).values(**{**values, **changes}))


def test_a_transmission_is_transcribed_and_linked(client, server, voice):
    flight(client)
    messages = []
    client.runtime.bus.subscribe(["audio"], messages.append)
    made = upload(client, voice, at=NOON.isoformat()).json
    assert made["status"] == "queued"
    assert client.post(f"{UPLOAD}/{made['id']}/transcribe", status=409).json["code"] == "conflict"
    after = transcribed(client, made)
    assert after["status"] == "done"
    assert after["transcript"] == "Speedbird two six niner, mayday"
    assert after["segments"][0]["text"] == after["transcript"]
    assert (after["icao_hex"], after["callsign"]) == ("400A1B", "BAW269")
    assert after["flags"] == ["possible_distress"]
    assert [m.event for m in messages] == ["audio:transmission", "audio:transcript"]
    path, headers, body = server.requests[0]
    assert path == "/v1/audio/transcriptions"
    assert headers["Authorization"] == "Bearer hush"
    assert b'name="model"\r\n\r\ntiny\r\n' in body
    assert voice in body
    for query in ({"q": "SPEEDBIRD"}, {"callsign": "baw269"}, {"icao_hex": "400a1b"}, {"status": "done"}):
        assert client.get(UPLOAD, query).json["count"] == 1
    assert client.get("/api/v1/audio/stats").json["possible_distress"] == 1


def test_a_callsign_that_nobody_received_is_not_believed(client, voice):
    flight(client, last_seen_at=NOON - timedelta(minutes=8))
    after = transcribed(client, upload(client, voice, at=NOON.isoformat()).json)
    assert after["status"] == "done"
    assert after["icao_hex"] is None


@pytest.mark.parametrize(("ago_s", "icao_hex"), [(60, "400A1B"), (600, None)])
def test_a_callsign_is_believed_of_an_aircraft_in_the_picture_also_without_history(client, voice, ago_s, icao_hex):
    aircraft = {"hex": "400a1b", "flight": "BAW269", "first_seen": unix_now() - 60}
    show(client.runtime, sky_of(aircraft, now=unix_now()))
    at = (utcnow() - timedelta(seconds=ago_s)).isoformat()
    after = transcribed(client, upload(client, voice, at=at).json)
    assert after["status"] == "done"
    assert after["icao_hex"] == icao_hex


@pytest.mark.parametrize("known_by", ["history", "picture"])
def test_the_link_to_a_military_aircraft_is_hidden(make_client, client, voice, known_by):
    # History has its row a little later than the picture knows it.
    flight(client, military=known_by == "history")
    show(client.runtime, sky_of({"hex": "400a1b", "military": known_by == "picture"}))
    made = upload(client, voice, at=NOON.isoformat()).json
    assert transcribed(client, made)["callsign"] == "BAW269"
    closed = make_client(
        audio_directory=client.runtime.settings.audio_directory, auth_mode="private",
        database_url=client.runtime.settings.database_url,
    )  # fmt: skip
    people = Population(closed.runtime)
    viewer = people.bearer(people.user("vera", "viewer"))
    seen = closed.get(f"{UPLOAD}/{made['id']}", headers=viewer).json
    assert (seen["icao_hex"], seen["callsign"]) == (None, None)
    assert closed.get(UPLOAD, {"callsign": "BAW269"}, headers=viewer).json["count"] == 0
    analyst = people.bearer(people.user("anna", "analyst"))
    assert closed.get(UPLOAD, {"callsign": "BAW269"}, headers=analyst).json["count"] == 1


def test_without_a_voice_no_engine_is_asked(client, server):
    after = transcribed(client, upload(client, sound(3.0, level=0.0)).json)
    assert (after["status"], after["reason"]) == ("no_speech", "No voice was found.")
    assert server.requests == []


@pytest.mark.parametrize(
    "answer",
    [
        {"text": ""},
        {"text": "Thanks for watching!"},
        {"text": "x", "segments": [{"start": 0, "end": 3, "text": "hello", "no_speech_prob": 0.9, "avg_logprob": -2}]},
    ],
)
def test_invented_text_is_no_speech(client, server, voice, answer):
    server.answers = [(200, answer)]
    after = transcribed(client, upload(client, voice).json)
    assert after["status"] == "no_speech"
    assert after["transcript"] is None


def test_health_is_good_again_after_an_outage_also_with_an_empty_queue(client, monkeypatch):
    outage = sa.exc.OperationalError("", None, Exception("the server is away"))
    answers, seen = [outage, outage], []

    def is_anything_due(session):
        if answers:
            raise answers.pop()
        return False

    def until():
        seen.append(next(one for one in health.components() if one.name == "transcription"))
        return not answers and seen[-1].ok

    monkeypatch.setattr(leases, "is_anything_due", is_anything_due)
    monkeypatch.setattr(worker_module, "PAUSE_S", 0.2)
    work(client, until)
    assert (False, "the server is away") in [(one.ok, one.detail) for one in seen]
    assert "transcription" not in [one.name for one in health.components()]


def test_it_ends_also_where_what_is_at_work_cannot_be_put_back(client, server, voice, monkeypatch):
    def give_back(session, held):
        raise sa.exc.OperationalError("", None, Exception("the server is away"))

    may_answer = threading.Event()
    listen = worker_module.TranscriptionWorker._listen

    def wait(worker, held):
        may_answer.wait(PATIENCE_S)
        return listen(worker, held)

    monkeypatch.setattr(leases, "give_back", give_back)
    monkeypatch.setattr(worker_module.TranscriptionWorker, "_listen", wait)
    made = upload(client, voice).json
    work(client, lambda: state(client, made["id"])["status"] == "processing")
    may_answer.set()
    assert state(client, made["id"])["status"] == "processing"


@pytest.mark.deep("starts the decoder again and again")
def test_three_tries_then_failed_and_asking_again_starts_over(client, server, voice, monkeypatch):
    monkeypatch.setattr(leases, "PAUSES_S", (0.0, 0.0))
    good = server.answers[0]
    server.answers = [(500, b"hush"), (200, b"not JSON"), (503, b"")]
    made = upload(client, voice).json
    after = transcribed(client, made)
    assert (after["status"], after["reason"]) == ("failed", "The transcription server answered 503.")
    assert len(server.requests) == 3
    server.answers = [good]
    again = client.post(f"{UPLOAD}/{made['id']}/transcribe", status=202).json
    assert again["status"] == "queued"
    assert transcribed(client, made)["status"] == "done"


def test_a_killed_worker_loses_nothing(client, voice):
    made = upload(client, voice).json

    begin = utcnow()

    def take(minute=0):
        """What a worker claims once the claims of the minute before have expired."""
        with time_machine.travel(begin + minute * timedelta(seconds=61)), writing(client.runtime.sessions) as session:
            return leases.claim(session, 60)

    first = take()
    assert first.id == made["id"]
    assert take() is None
    second = take(minute=1)
    with writing(client.runtime.sessions) as session:
        assert not leases.end_without_speech(session, first, "late")
    assert state(client, made["id"])["status"] == "processing"
    assert take(minute=2).lease != second.lease
    assert take(minute=3) is None
    after = state(client, made["id"])
    assert (after["status"], after["reason"]) == ("failed", "The worker was interrupted each time.")


def test_the_newest_goes_first(client, voice):
    numbers = [upload(client, voice, at=(NOON + timedelta(hours=h)).isoformat()).json["id"] for h in (2, 3, 1)]
    taken = []
    for _ in numbers:
        with writing(client.runtime.sessions) as session:
            taken.append(leases.claim(session, 60).id)
    assert taken == [numbers[1], numbers[0], numbers[2]]


def test_wrong_settings_name_what_is_wrong(make_runtime, make_settings, tmp_path):
    with pytest.raises(SettingsError, match="transcription_url"):
        make_settings(transcription="openai")
    with pytest.raises(SettingsError, match="transcription_model"):
        create(make_runtime(transcription="faster-whisper", transcription_model=tmp_path))
