"""Cannonball as a user meets it: a real service, an orbiting aircraft, REST calls and real-time clients."""

from __future__ import annotations

import json
import math
import secrets
import threading
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress

import pytest
import redis
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from skywatch.core.geo import destination
from tests.cannonball import orbit
from tests.processes import Service
from tests.servers import REDIS_URL, require
from tests.waiting import PATIENCE_S, until

PASSWORD = "a-long-enough-passphrase"
BASE = "/api/v1/cannonball/"
CENTRE = (47.0, 8.0)
ADDRESS = "a68a37"
# Circling is reported after 50 s at the earliest, and 1.6 turns of 34 s; a busy machine hears it later.
PATTERN_WAIT_S = 180.0


def tape(path):
    """Five minutes of an aircraft that circles at 200 kt, once a second, as readsb tells it."""
    flown = orbit(*CENTRE, 0.3, 200.0)
    with path.open("w") as lines:
        for second in range(300):
            lat, lon, track, speed = flown(second)
            heard = {"hex": ADDRESS, "flight": "N520PD", "type": "adsb_icao", "alt_baro": 1500, "messages": second + 1}
            heard |= {"lat": lat, "lon": lon, "track": round(track, 1), "gs": speed, "seen": 0.0, "seen_pos": 0.0}
            lines.write(json.dumps({"now": 1.7e9 + second, "messages": second + 1, "aircraft": [heard]}) + "\n")
    return path


class Person:
    """Somebody signed in, with a real-time connection while wanted."""

    def __init__(self, service, name):
        self.service, self.heard, self._open = service, [], ExitStack()
        self.token = None
        self.token = self.call("POST", "/api/v1/auth/login", {"username": name, "password": PASSWORD})["access"]

    def call(self, method, path, body=None, status=200):
        """The JSON that a call answers with; its status must be the one expected."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.service.port}{path}", method=method)
        request.data = None if body is None else json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
                found, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            found, text = error.code, error.read()
        assert found == status, text
        return json.loads(text) if text else None

    def listen(self):
        """Hear the topic alerts from now on."""
        url = f"ws://127.0.0.1:{self.service.realtime_port}/ws"
        channel = self._open.enter_context(connect(url, subprotocols=["skywatch.v1"], open_timeout=PATIENCE_S))
        channel.send(json.dumps({"type": "connect", "auth": {"token": self.token}}))
        channel.send(json.dumps({"type": "subscribe", "topics": ["alerts"]}))
        threading.Thread(target=self._read, args=(channel,), daemon=True).start()
        until(lambda: any(message["type"] == "subscribed" for message in list(self.heard)))

    def _read(self, channel):
        with suppress(ConnectionClosed):
            for text in channel:
                self.heard.append(json.loads(text))

    def events(self, name):
        """What was told on the channel under that name."""
        return [message["data"] for message in list(self.heard) if message.get("event") == name]

    def alerts(self, kind):
        """Alerts of a type that were told on the channel."""
        return [alert for alert in self.events("cannonball:alert") if alert["alert_type"] == kind]

    def active(self):
        """The caller's active sessions."""
        return self.call("GET", BASE + "sessions/active/")["sessions"]

    def hang_up(self):
        """Listen no longer."""
        self._open.close()


def begin(service):
    """Start, and wait until its health is told: there is nothing else that anybody may read."""
    service.start(wait=False)

    def answers():
        try:
            return service.get("/api/v1/system/health")
        except OSError:
            return None

    until(answers)
    return service


@pytest.fixture
def installation(tmp_path):
    made = []

    def make(**settings):
        settings |= {"secret": secrets.token_hex(32), "receiver__tape": f"replay {tape(tmp_path / 'tape.jsonl')}"}
        one = Service(tmp_path, auth_mode="hybrid", **settings)
        made.append(one)
        one.init()
        for name, role in (("ada", "admin"), ("ben", "viewer"), ("cleo", "viewer")):
            one.add_user(name, role, PASSWORD)
        return begin(one)

    yield make
    for one in made:
        one.stop()


def locate(person, place=CENTRE):
    person.call("PUT", BASE + "location/", {"lat": place[0], "lon": place[1]})


def list_aircraft(service):
    entry = {"icao_hex": ADDRESS.upper(), "registration": "N520PD", "agency_name": "Pasadena Police Dept"}
    Person(service, "ada").call("POST", BASE + "known-aircraft/", entry, status=201)


@pytest.mark.nightly("an aircraft circles for minutes")
@pytest.mark.timeout(400)
def test_the_pattern_of_an_aircraft_near_a_user_is_told_to_them_and_nobody_else(installation):
    service = installation()
    list_aircraft(service)
    ben, cleo = Person(service, "ben"), Person(service, "cleo")
    try:
        ben.listen()
        cleo.listen()
        locate(cleo, tuple(map(float, destination(*CENTRE, 90.0, 200.0))))
        locate(ben)
        until(lambda: ben.alerts("le_detected"))
        (told,) = until(lambda: ben.alerts("pattern_detected"), wait_s=PATTERN_WAIT_S)
        (session,) = ben.active()
        assert ben.events("cannonball:session")[-1]["id"] == session["id"] == told["session"]
        (pattern,) = ben.call("GET", BASE + f"patterns/?icao_hex={ADDRESS}")["patterns"]
        assert (pattern["pattern_type"], pattern["id"], pattern["session"]) == (
            "circling",
            told["pattern"],
            session["id"],
        )
        assert math.dist((pattern["center_lat"], pattern["center_lon"]), CENTRE) < 0.01
        assert until(lambda: ben.active()[0]["pattern_count"]) == 1

        path = BASE + f"alerts/{told['id']}/"
        assert ben.call("GET", path)["pattern"] == pattern["id"]
        cleo.call("GET", path, status=404)
        cleo.call("POST", path + "acknowledge/", status=404)
        first = ben.call("POST", path + "acknowledge/")
        assert first["acknowledged"]
        assert ben.call("POST", path + "acknowledge/")["acknowledged_at"] == first["acknowledged_at"]
        until(lambda: any(alert["acknowledged"] for alert in ben.alerts("pattern_detected")))
        assert cleo.active() == []
        assert cleo.events("cannonball:session") == cleo.events("cannonball:alert") == []
    finally:
        ben.hang_up()
        cleo.hang_up()


@pytest.fixture(params=["memory", "redis"])
def bus(request):
    """The setting of either bus; what was put on Redis is removed."""
    if request.param == "memory":
        yield "memory"
        return
    prefix = f"skywatch-test-{secrets.token_hex(6)}"
    yield f"{require(REDIS_URL, 'Redis')}?prefix={prefix}"
    client = redis.Redis.from_url(REDIS_URL)
    for key in client.scan_iter(match=f"{prefix}:*"):
        client.delete(key)


@pytest.mark.timeout(300)
def test_a_session_goes_on_after_a_power_cut_and_none_is_there_twice(bus, installation):
    service = installation(bus=bus)
    list_aircraft(service)
    ben = Person(service, "ben")
    locate(ben)
    (before,) = until(ben.active)
    service.kill()
    begin(service)
    ben = Person(service, "ben")
    if bus == "memory":
        # The location went with the process; the session waits for it, as long as a location lives.
        ben.call("GET", BASE + "location/", status=404)
        assert ben.call("GET", BASE + f"sessions/{before['id']}/")["is_active"]
    locate(ben)
    heard_at = until(lambda: next((s["last_seen"] for s in ben.active() if s["last_seen"] > before["last_seen"]), None))
    locate(ben)
    until(lambda: ben.active()[0]["last_seen"] > heard_at)
    (after,) = ben.active()
    assert after["id"] == before["id"]
    sessions = ben.call("GET", BASE + "sessions/")["sessions"]
    assert sum(session["is_active"] for session in sessions) == 1
    detected = ben.call("GET", BASE + "alerts/?alert_type=le_detected")
    assert detected["count"] == 1
