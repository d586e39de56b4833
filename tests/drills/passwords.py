"""50 callers who try wrong passwords, from thousands of addresses: all other requests are answered meanwhile.

``python -m tests.drills.passwords [--seconds 20]`` starts a service of its own and prints how long ordinary requests
took without and with them. Half of the callers log in; half have a token and change a password. Loopback only.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import statistics
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.accounts import PASSWORD
from tests.processes import Service
from tests.waiting import until

GUESSERS = 50
ACCOUNTS = 10
AIRCRAFT = 200
# Ordinary requests: the live list, the caller's own account, and a write.
READ, PROFILE, ROLES = "/api/v1/aircraft?limit=10", "/api/v1/auth/profile", "/api/v1/roles"
LOGIN, PASSWORD_CHANGE = "/api/v1/auth/login", "/api/v1/auth/password"
NOT_IT = "not the right one 4711"
# What guessers see: their password is wrong, or too many try at once.
GUESSED = {"login 401", "login 503", "change 400", "change 503"}
MIN_ORDINARY = 30
TIMEOUT_S = 30.0


@dataclass
class Result:
    """``latencies_s`` of ordinary requests; how many answers of each kind there were (``login 503``)."""

    latencies_s: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    without_retry_after: int = 0


class Callers:
    """Callers of one service; ``result`` is what they saw since it was set."""

    def __init__(self, port: int, tokens: dict[str, str]) -> None:
        self._port = port
        self._tokens = tokens
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._numbers = itertools.count()
        self._threads: list[threading.Thread] = []
        self.result = Result()

    def start(self, work: Any, count: int, pause_s: float) -> None:
        """``count`` threads that call ``work`` with a number of their own, again and again."""

        def loop(number: int) -> None:
            while not self._stop.wait(pause_s):
                work(number)

        for number in range(count):
            thread = threading.Thread(target=loop, args=(number,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """End all."""
        self._stop.set()
        for thread in self._threads:
            thread.join(TIMEOUT_S)

    def ordinary(self, number: int) -> None:
        """One ordinary request; its time counts."""
        which, token = next(self._numbers), self._tokens["admin"]
        kind = ("read", "profile", "write")[number % 3]
        if kind == "write":
            status, seconds, _ = self._call("POST", ROLES, {"name": f"drill_{which}", "permissions": []}, token)
        else:
            status, seconds, _ = self._call("GET", READ if kind == "read" else PROFILE, None, token)
        with self._lock:
            self.result.answers[f"{kind} {status}"] += 1
            self.result.latencies_s.append(seconds)

    def guess(self, number: int) -> None:
        """One wrong password, each from another neighbourhood of the net."""
        which = next(self._numbers)
        name, source = f"user{which % ACCOUNTS}", f"127.{1 + which // 250 % 250}.{1 + which % 250}.1"
        if number % 2:
            kind, path, token = "login", LOGIN, None
            body = {"username": name, "password": NOT_IT}
        else:
            kind, path, token = "change", PASSWORD_CHANGE, self._tokens[name]
            body = {"current_password": NOT_IT, "new_password": "another one 0815 of mine"}
        status, _, headers = self._call("POST", path, body, token, source)
        with self._lock:
            self.result.answers[f"{kind} {status}"] += 1
            self.result.without_retry_after += status in (429, 503) and not headers.get("Retry-After")

    def _call(
        self, method: str, path: str, body: Any, token: str | None, source: str = "127.0.0.1"
    ) -> tuple[int | str, float, Any]:
        """Status (or the kind of failure), duration (s) and header fields of one request on its own connection."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_S, source_address=(source, 0))
        began = time.monotonic()
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            response.read()
            return response.status, time.monotonic() - began, response.headers
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__, time.monotonic() - began, {}
        finally:
            connection.close()


def _listens(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/system/health", timeout=TIMEOUT_S) as response:
            return bool(json.load(response)["status"] == "ok")
    except OSError:
        return False


def log_in(port: int, name: str, source: str) -> str:
    """The access token of a new login."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S, source_address=(source, 0))
    body = json.dumps({"username": name, "password": PASSWORD})
    connection.request("POST", LOGIN, body, {"Content-Type": "application/json"})
    token: str = json.load(connection.getresponse())["access"]
    connection.close()
    return token


def prepare(folder: Path, **settings: object) -> Service:
    """A service with people, not started."""
    service = Service(
        folder,
        auth_mode="hybrid",
        bus="memory",
        receiver__demo=f"simulate aircraft={AIRCRAFT} seed=1",
        default_throttle_rates__user="1000000/minute",
        **settings,
    ).init()
    service.add_user("admin", "superadmin")
    for number in range(ACCOUNTS):
        service.add_user(f"user{number}", "viewer")
    return service


def drill(port: int, seconds: float, guessers: int = GUESSERS) -> tuple[Result, Result]:
    """What ordinary callers saw without, and then with guessers at work, for at least so long each."""
    until(lambda: _listens(port), "the start of the service")
    names = ["admin", *(f"user{number}" for number in range(ACCOUNTS))]
    tokens = {name: log_in(port, name, f"127.0.{number}.1") for number, name in enumerate(names, start=1)}
    callers = Callers(port, tokens)
    try:
        callers.start(callers.ordinary, count=3, pause_s=0.05)
        time.sleep(seconds)
        until(lambda: len(callers.result.latencies_s) >= MIN_ORDINARY, "ordinary answers")
        without, callers.result = callers.result, Result()
        callers.start(callers.guess, count=guessers, pause_s=0.01)
        time.sleep(seconds)
        until(lambda: len(callers.result.latencies_s) >= MIN_ORDINARY, "ordinary answers during guesses")
        until(lambda: callers.result.answers.keys() >= GUESSED, "wrong passwords that were hashed, and others refused")
        return without, callers.result
    finally:
        callers.close()


def _percentiles(result: Result) -> str:
    cuts = statistics.quantiles(result.latencies_s, n=100)
    return " / ".join(f"{1000 * seconds:.0f}" for seconds in (cuts[49], cuts[94], max(result.latencies_s))) + " ms"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        service = prepare(Path(folder)).start(wait=False)
        try:
            results = drill(service.port, seconds)
        finally:
            service.stop()
        lines = len(service.log.read_text().splitlines())
    for name, result in zip(("without guessers", f"with {GUESSERS}"), results, strict=True):
        print(f"{name}: median / 95 % / most {_percentiles(result)}; {dict(sorted(result.answers.items()))}")
    without, guessed = (statistics.median(result.latencies_s) for result in results)
    print(f"ratio of the medians {guessed / without:.1f}; {results[1].without_retry_after} without Retry-After")
    print(f"{lines} log lines")
    bad = [kind for result in results for kind in result.answers if kind.split()[0] in ("read", "profile", "write")]
    raise SystemExit(any(not kind.endswith((" 200", " 201")) for kind in bad))


if __name__ == "__main__":
    main()
