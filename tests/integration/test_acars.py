"""ACARS in a process as users run it: from a datagram to an alert, and what else arrives on the port."""

from __future__ import annotations

import json
import secrets
import socket
import threading
import time
import urllib.request
from contextlib import ExitStack, suppress

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.accounts import PASSWORD
from tests.ports import free_port
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

SECRET = "MAINT ENGINE VIBRATION 4711"
RULE = {"name": "Engine", "conditions": {"field": "acars_text", "op": "contains", "value": "engine vib"}, "for_s": 0}


def message(**kw):
    """As acarsdec sends one: no line end."""
    fields = {"timestamp": time.time(), "station_id": "ROOF", "freq": 131.55, "label": "80", "block_id": "1"}
    return json.dumps(fields | {"tail": "N520PD", "hex": "A6B1C2", "text": "HELLO"} | kw).encode()


class Caller:
    """A user of a running service, over REST and on the channel."""

    def __init__(self, service, name):
        self.service = service
        self.heard = []
        self._open = ExitStack()
        self._token = ""
        self._token = self.call("auth/login", {"username": name, "password": PASSWORD})["access"]

    def call(self, path, body=None):
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self._token}"} if self._token else {}
        )
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.service.port}/api/v1/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return json.load(response)

    def listen(self, *topics):
        channel = self._open.enter_context(
            connect(
                f"ws://127.0.0.1:{self.service.realtime_port}/ws",
                subprotocols=["skywatch.v1"],
                open_timeout=PATIENCE_S,
            )
        )
        channel.send(json.dumps({"type": "connect", "auth": {"token": self._token}}))
        channel.send(json.dumps({"type": "subscribe", "topics": topics}))
        threading.Thread(target=self._read, args=(channel,), daemon=True).start()
        until(lambda: any(one["type"] == "subscribed" for one in list(self.heard)))

    def close(self):
        self._open.close()

    def _read(self, channel):
        with suppress(ConnectionClosed):
            for text in channel:
                self.heard.append(json.loads(text) | {"heard_at": time.time()})

    def events(self, name):
        return [one for one in list(self.heard) if one.get("event") == name]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("acars")
    settings = {"secret": secrets.token_hex(32), "acars__vhf": f"udp 127.0.0.1:{free_port()}"}
    one = Service(folder, auth_mode="hybrid", default_throttle_rates__user="1000000/minute", **settings)
    one.init()
    for name, role in (("ada", "admin"), ("ben", "viewer")):
        one.add_user(name, role)
    one.start(wait=False)
    until(lambda: one.answers("/api/v1/system/health"))
    yield one
    one.stop()


@pytest.fixture(scope="module")
def ada(service):
    caller = Caller(service, "ada")
    yield caller
    caller.close()


@pytest.fixture
def send(ada):
    def status():
        return ada.call("system/inputs")["inputs"][0]

    until(lambda: status()["state"] == "listening")
    host, _, port = status()["address"].rpartition(":")
    sending = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    yield lambda data: sending.sendto(data, (host, int(port)))
    sending.close()


@pytest.mark.smoke
def test_a_rule_on_texts_fires_for_its_owner_and_a_viewer_sees_no_text(service, ada, send):
    ben = Caller(service, "ben")
    ada.call("alerts/rules", RULE)
    ada.listen("acars", "alerts")
    ben.listen("acars", "alerts")

    # The rule is read by the tracker within its revision's interval: what comes before it does not fire.
    def triggered():
        send(message(text=f"{SECRET} {secrets.token_hex(4).upper()}"))
        time.sleep(0.2)
        return ada.events("alert:triggered")

    (alert, *_) = until(triggered)
    assert alert["data"]["icao_hex"].upper() == "A6B1C2"
    (heard, *_) = until(lambda: ada.events("acars:message"))
    assert SECRET in heard["data"]["text"]
    (stripped, *_) = until(lambda: ben.events("acars:message"))
    assert stripped["data"]["text"] is None
    assert "VIBRATION" not in json.dumps(ben.heard)
    ben.close()


def test_whatever_comes_on_the_port_is_counted_and_the_messages_between_are_stored(ada, send):
    odd = [
        b"\x00\xff\x1b garbage", b'{"now": 1, "aircraft": []}', b'{"vdl2": {"avlc": {"xid": {}}}}',
        b"[" * 60_000, b"x" * 65_507, message(text="A\0B\x1bC"),
        message(text="SURROGATE").replace(b"SURR", b"\\ud800SURR"),
        message(text="TWO ONE") + message(text="TWO TWO"), message(text="LONG " + "X" * 60_000), message(text="LAST"),
    ]  # fmt: skip
    for data in odd:
        send(data)

    expected = ["LAST", "LONG XXXXXXX", "TWO TWO", "TWO ONE", "SURROGATE", "ABC"]
    until(lambda: [one["text"][:12] for one in ada.call("acars/messages?limit=6")["messages"]] == expected)

    def settled():
        # The tracker publishes it once a second.
        now = ada.call("system/inputs")["inputs"][0]
        return now["stored"] == now["received"] == ada.call("acars/messages?limit=1")["count"] and now

    status = until(settled, every_s=0.2)
    assert (status["dropped"], status["reasons"]) == (0, {"json": 3, "other": 1, "frame": 1})
