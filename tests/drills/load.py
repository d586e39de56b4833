"""What callers do meanwhile: read, write and subscribe; and what they see."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import httpx
from websockets.sync.client import connect

from tests.drills.installation import PASSWORD, Installation

READ_EVERY_S, WRITE_EVERY_S, HEALTH_EVERY_S = 0.25, 0.25, 0.5
# Callers give up after so long; a service that hangs shows as that.
TIMEOUT_S = 8.0
# A tick this old is none.
TICK_S = 3.0


class Load:
    """Callers of an installation from ``start`` to ``close``."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._number = 0
        self.acknowledged: set[str] = set()
        self.seen: Counter[str] = Counter()
        # What was last known of each caller: when it was well (monotonic s).
        self.well_at: dict[str, float] = {}
        self.ill: dict[str, str] = {}
        self.client = httpx.Client(timeout=TIMEOUT_S)
        self.token = ""

    def start(self) -> None:
        """Log in, and begin."""
        base = f"http://127.0.0.1:{self._installation.ports[0]}/api/v1"
        answer = self.client.post(f"{base}/auth/login", json={"username": "drill", "password": PASSWORD})
        self.token = answer.json()["access"]
        self.client.headers["Authorization"] = f"Bearer {self.token}"
        for port in self._installation.ports:
            url = f"http://127.0.0.1:{port}/api/v1"
            self._run(f"read {port}", READ_EVERY_S, lambda url=url: self._read(url))
            self._run(f"write {port}", WRITE_EVERY_S, lambda url=url: self._write(url))
            self._run(f"health {port}", HEALTH_EVERY_S, lambda url=url: self._health(url))
        for port in self._installation.realtime_ports:
            self._run(f"channel {port}", 0.2, lambda port=port: self._listen(port))

    def close(self) -> None:
        """End."""
        self._stop.set()
        for thread in self._threads:
            thread.join(2 * TIMEOUT_S)
        self.client.close()

    def forget(self) -> None:
        """Restart the count."""
        with self._lock:
            self.seen.clear()

    def well_since(self, moment: float) -> bool:
        """Whether every caller has been served since a moment."""
        with self._lock:
            return all(at > moment for at in self.well_at.values())

    def lost(self) -> int:
        """How many writes were acknowledged and are not there."""
        base = f"http://127.0.0.1:{self._installation.ports[0]}/api/v1"
        with self._lock:
            acknowledged = set(self.acknowledged)
        stored: set[str] = set()
        offset = 0
        while True:
            answer = self.client.get(f"{base}/roles", params={"limit": 1000, "offset": offset}).json()
            stored |= {role["name"] for role in answer["roles"]}
            offset += 1000
            if offset >= answer["count"]:
                return len(acknowledged - stored)

    def _run(self, name: str, every_s: float, work: Any) -> None:
        self.well_at[name] = 0.0

        def loop() -> None:
            while not self._stop.wait(every_s):
                started = time.monotonic()
                try:
                    what = work()
                except httpx.TimeoutException:
                    what = "no answer"
                except (httpx.TransportError, OSError, EOFError) as error:
                    what = "no connection" if "refused" in str(error) else "cut off"
                except Exception as error:
                    what = type(error).__name__
                with self._lock:
                    kind = name.split()[0]
                    if what == "ok":
                        self.well_at[name] = started
                        self.ill.pop(name, None)
                    else:
                        self.ill[name] = what
                    self.seen[f"{kind} {what}"] += 1

        thread = threading.Thread(target=loop, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _read(self, url: str) -> str:
        answer = self.client.get(f"{url}/aircraft", params={"limit": 1})
        if answer.status_code != 200:
            return str(answer.status_code)
        body = answer.json()
        return "ok" if body["age_s"] == 0 and body["count"] else "old" if body["age_s"] else "empty"

    def _write(self, url: str) -> str:
        with self._lock:
            self._number += 1
            name = f"drill_{self._number}"
        answer = self.client.post(f"{url}/roles", json={"name": name, "permissions": []})
        if answer.status_code != 201:
            return str(answer.status_code)
        with self._lock:
            self.acknowledged.add(name)
        return "ok"

    def _health(self, url: str) -> str:
        answer = self.client.get(f"{url}/system/health")
        if answer.json()["status"] == "ok":
            return "ok"
        failing = [check["name"] for check in answer.json()["checks"] if not check["ok"]]
        return f"{answer.json()['status']}: {', '.join(sorted(set(failing)))}"

    def _listen(self, port: int) -> str:
        """One connection for as long as it lasts; each tick counts by itself."""
        name = f"channel {port}"
        with connect(f"ws://127.0.0.1:{port}/ws", max_size=None, open_timeout=TIMEOUT_S, proxy=None) as channel:
            channel.send(json.dumps({"type": "connect", "auth": {"token": self.token}}))
            channel.send('{"type":"subscribe","topics":["aircraft"]}')
            stale = False
            while not self._stop.is_set():
                try:
                    message = json.loads(channel.recv(timeout=TICK_S))
                except TimeoutError:
                    with self._lock:
                        self.seen["channel silent"] += 1
                    continue
                with self._lock:
                    if message["type"] == "picture":
                        stale = message["state"] == "stale"
                        self.seen[f"channel told {message['state']}"] += 1
                    elif message["type"] == "event" and not stale:
                        self.well_at[name] = time.monotonic()
                        self.seen["channel ok"] += 1
                    elif message["type"] in ("connect_error", "error"):
                        self.seen[f"channel {message.get('message') or message.get('code')}"] += 1
        with suppress(Exception):
            channel.close()
        return "closed"
