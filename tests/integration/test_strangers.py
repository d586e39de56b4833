"""Strangers that upload to a service as users run it: they fill neither its disk nor its time."""

from __future__ import annotations

import json
import os
import selectors
import socket
import time
import urllib.request
from pathlib import Path

import pytest

from tests.audio import sound
from tests.integration.test_large_bodies import CALL, IMPORT, UPLOAD, call, chunked, form, head_of, recording
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

# All that one address may connect, and what each of them sends at most.
STRANGERS, EACH_BYTES = 500, 2_000_000
MAX_DISK_BYTES = 64_000_000


def regular_files_of(process_id: int, *, unlinked_only: bool = False) -> int:
    """The bytes of all files that a process holds open, with or without a name."""
    total, seen = 0, set()
    for entry in Path(f"/proc/{process_id}/fd").iterdir():
        try:
            status, target = entry.stat(), os.readlink(entry)
        except FileNotFoundError:
            continue
        if unlinked_only and not target.endswith("(deleted)"):
            continue
        if target.startswith("/") and not target.startswith(("/dev/", "/proc/")) and status.st_ino not in seen:
            seen.add(status.st_ino)
            total += status.st_size
    return total


def below(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Strangers:
    """Connections that send bodies without a credential as long as the service takes them."""

    def __init__(self, port: int) -> None:
        zeros = b"\0" * EACH_BYTES
        self.requests = [
            head_of(UPLOAD, 40_000_000) + zeros,
            head_of(UPLOAD) + chunked(zeros),
            head_of(IMPORT, 15_000_000) + zeros,
            head_of(CALL, 40_000_000) + form(recording(zeros)),
            head_of(CALL) + chunked(form(recording(zeros))),
            head_of(CALL, 40_000_000) + call("sk_wrong", zeros),
            head_of(UPLOAD, 60_000) + zeros[:59_000],
        ]
        self.selector = selectors.DefaultSelector()
        self.answers: dict[int, bytes] = {}
        for number in range(STRANGERS):
            connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
            connection.setblocking(False)
            request = memoryview(self.requests[number % len(self.requests)])
            self.selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE, [number, request])

    def send(self) -> int:
        """Send what is taken now; returns the number of bytes."""
        total = 0
        for key, events in self.selector.select(0.5):
            number, request = key.data
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            try:
                if events & selectors.EVENT_READ:
                    piece = connection.recv(65_536)
                    self.answers[number] = self.answers.get(number, b"") + piece
                    if not piece:
                        self._close(connection)
                        continue
                if events & selectors.EVENT_WRITE:
                    size = connection.send(request[:262_144])
                    total += size
                    key.data[1] = request[size:]
                    if not key.data[1]:
                        self.selector.modify(connection, selectors.EVENT_READ, key.data)
            except ConnectionError:
                self._close(connection)
        return total

    def codes(self) -> set[bytes]:
        """The statuses of all answers."""
        return {answer.split()[1] for answer in self.answers.values() if len(answer) > 12}

    def _close(self, connection: socket.socket) -> None:
        self.selector.unregister(connection)
        connection.close()

    def close(self) -> None:
        for key in list(self.selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            self._close(key.fileobj)
        self.selector.close()


@pytest.fixture
def service(tmp_path):
    one = Service(tmp_path, auth_mode="hybrid", secret="x" * 40, audio_directory=tmp_path / "audio")
    one.init().add_user("ada", "admin").start(wait=False, new_interpreter=True)
    try:
        until(lambda: is_up(one))
        yield one
    finally:
        one.stop()


def is_up(service):
    assert service.process.poll() is None, service.log.read_text()
    try:
        return ask(service, "/api/v1/auth/config")
    except OSError:
        return False


def ask(service, path, body=None, **headers):
    """The answer to a request from an address of its own."""
    request = urllib.request.Request(f"http://127.0.0.1:{service.port}{path}", body, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return answer.read()


def test_five_hundred_strangers_store_nothing_and_users_upload_meanwhile(service, tmp_path):
    login = json.dumps({"username": "ada", "password": "a quiet night over the Jura"}).encode()
    token = json.loads(ask(service, "/api/v1/auth/login", login, **{"Content-Type": "application/json"}))["access"]
    bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    fields = json.dumps({"name": "calls", "scopes": ["audio"]}).encode()
    key = json.loads(ask(service, "/api/v1/auth/api-keys", fields, **bearer))["key"]
    before = regular_files_of(service.process.pid), below(tmp_path)
    strangers = Strangers(service.port)
    try:
        highest, taken, quiet_since = 0, 0, time.monotonic()
        # A busy service may be quiet for a while before it has refused anybody.
        while time.monotonic() < quiet_since + (3 if strangers.codes() >= {b"401", b"429"} else PATIENCE_S):
            if size := strangers.send():
                taken, quiet_since = taken + size, time.monotonic()
            highest = max(highest, regular_files_of(service.process.pid) - before[0])
        # Users at other addresses upload while the strangers hold what they could get.
        for body in (call(key, sound(20.0)), call(key, sound(3.0), is_key_first=False), call(key, sound(30.0))):
            assert uploaded(service, body) == 200
        assert highest + below(tmp_path) - before[1] < MAX_DISK_BYTES
        assert strangers.codes() == {b"401", b"429"}
        memory = Path(f"/proc/{service.process.pid}/status").read_text().partition("VmHWM:")[2].split()[0]
        print(f"strangers sent {taken / 1e6:.0f} MB; files grew by {highest / 1e6:.1f} MB, memory to {memory} kB")
    finally:
        strangers.close()
    until(lambda: regular_files_of(service.process.pid, unlinked_only=True) == 0, "the end of all unnamed files")


def uploaded(service, body):
    """The status of the answer to a call that is uploaded from another address."""
    address = ("127.0.0.1", service.port)
    with socket.create_connection(address, timeout=PATIENCE_S, source_address=("127.0.0.2", 0)) as connection:
        connection.sendall(head_of(CALL, len(body)) + body)
        return int(connection.recv(12).split()[1])
