"""12 dry runs of alert rules at once, as dear as they may be: ordinary requests and ticks go on meanwhile.

``python -m tests.drills.dry_runs [--seconds 20]`` starts a service of its own and prints, for each kind of dry run, how
long ordinary requests took without and with them, and the longest time between two ticks. The callers of dry runs hold
the least role and repeat them without a pause; their rate limit is off. Loopback only.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import multiprocessing
import re
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from tests.drills.passwords import log_in
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

TRIERS = 12
ORDINARY = 10
AIRCRAFT = 200
PAUSE_S = 0.2
# A refused caller comes again twice as soon as it is told.
REFUSED_S = 1.0
ORDINARY_PATHS = ("/api/v1/aircraft?limit=10", "/api/v1/auth/profile", "/api/v1/alerts/rules", "/api/v1/system/status")
TRIAL = "/api/v1/alerts/rules/test"
MIN_ORDINARY = 30
ROUNDS = 5
# The limits that the drill holds the service to.
MAX_RATIO, MAX_TICK_S = 3.0, 1.5
TIMEOUT_S = 300.0
# A body of the largest size that the service accepts by default, with some room.
BODY_BYTES = 1_000_000
# Stands in a body for a number that no request had before, so that no expression is compiled already.
NUMBER = "000000"
_SEQ = re.compile(r'"seq":(\d+)')


def _rule(expressions: list[str], field_name: str = "flight") -> dict[str, Any]:
    tests = [{"field": field_name, "op": "matches", "value": text} for text in expressions]
    return {"conditions": {"any": tests}}


def compiled_again() -> dict[str, Any]:
    """The most expressions that a rule may have, dear to compile."""
    return {"rule": _rule([f"Q{NUMBER}Q{i}|" + r"\PL|" * 4 + "[^À-ỿ]" * 17 for i in range(20)])}


def refused() -> dict[str, Any]:
    """The same, but each is refused for its memory, after it was parsed."""
    return {"rule": _rule([f"Q{NUMBER}Q{i}|" + r"(?:\PL{31}){31}|" + "[^À-ỿ]" * 17 for i in range(20)])}


def given() -> dict[str, Any]:
    """The largest body, of aircraft with texts that every expression matches at their end only: until the deadline."""
    rule = _rule([f"Q{NUMBER}Q{i}|(A|[^a]|B.){{23}}C$" for i in range(20)], "desc")
    entry = {"desc": "AB" * 199 + "C"}
    size = len(json.dumps({"hex": "a00000", **entry})) + 2
    return {"rule": rule, "aircraft": [{"hex": f"a{i:05x}", **entry} for i in range(BODY_BYTES // size)]}


def past() -> dict[str, Any]:
    """The longest span of history."""
    begin = datetime.now(UTC) - timedelta(hours=23, minutes=59)
    return {**compiled_again(), "from": begin.isoformat()}


def beyond() -> dict[str, Any]:
    """Beyond what a rule may have: refused before anything is compiled."""
    return {"rule": _rule([rf"Q{NUMBER}|(\pL\pN){{29}}N{i}" for i in range(100)])}


KINDS: dict[str, Callable[[], dict[str, Any]]] = {
    "compiled again": compiled_again,
    "refused": refused,
    "given": given,
    "past": past,
    "beyond": beyond,
}


@dataclass
class Result:
    """Latencies of ordinary requests, all answers by kind, and the longest time between two ticks."""

    latencies_s: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    without_retry_after: int = 0
    ticks: int = 0
    missed: int = 0
    longest_tick_s: float = 0.0

    def add(self, other: Result) -> None:
        """Add what was seen in another span."""
        self.latencies_s += other.latencies_s
        self.answers.update(other.answers)
        self.without_retry_after += other.without_retry_after
        self.ticks += other.ticks
        self.missed += other.missed
        self.longest_tick_s = max(self.longest_tick_s, other.longest_tick_s)

    @property
    def p95_s(self) -> float:
        """95 % of the ordinary requests took less."""
        return statistics.quantiles(self.latencies_s, n=20)[18]


class Drill:
    """The callers of one service; ``result`` is what the ordinary ones saw since it was set."""

    def __init__(self, service: Service, tokens: dict[str, str]) -> None:
        self._service = service
        self._tokens = tokens
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self.result = Result()
        self._start(self._watch_ticks)
        for number in range(ORDINARY):
            self._start(lambda number=number: self._ordinary(number))

    def measure(self, seconds: float, body: dict[str, Any] | None = None) -> Result:
        """What ordinary callers see for so long, during dry runs if there is a body."""
        if body is None:
            return self._measure(seconds)
        # A process of its own: its work must not delay what is measured here.
        context = multiprocessing.get_context("spawn")
        calm, answers = context.Event(), context.SimpleQueue()
        tokens = [self._tokens[f"viewer{number}"] for number in range(TRIERS)]
        content = json.dumps(body)
        triers = context.Process(target=_try_all, args=(self._service.port, tokens, content, calm, answers))
        triers.start()
        try:
            until(lambda: not answers.empty(), "the first dry runs")
            result = self._measure(seconds)
        finally:
            calm.set()
            answers.get()
            seen, without_retry_after = answers.get()
            triers.join(TIMEOUT_S)
        result.answers.update(seen)
        result.without_retry_after = without_retry_after
        return result

    def _measure(self, seconds: float) -> Result:
        with self._lock:
            self.result = Result()
        time.sleep(seconds)
        until(lambda: len(self.result.latencies_s) >= MIN_ORDINARY, "ordinary answers")
        until(lambda: self.result.ticks > 1, "ticks")
        with self._lock:
            result, self.result = self.result, Result()
        return result

    def close(self) -> None:
        """End all."""
        self._stop.set()
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _ordinary(self, number: int) -> None:
        while not self._stop.wait(PAUSE_S):
            path = ORDINARY_PATHS[number % len(ORDINARY_PATHS)]
            status, seconds, _ = _call(self._service.port, "GET", path, self._tokens["admin"])
            with self._lock:
                self.result.answers[f"ordinary {status}"] += 1
                self.result.latencies_s.append(seconds)

    def _watch_ticks(self) -> None:
        url = f"ws://127.0.0.1:{self._service.realtime_port}/ws"
        while not self._stop.is_set():
            try:
                with connect(url, max_size=None, compression=None, proxy=None) as connection:
                    connection.send(json.dumps({"type": "connect", "auth": {"token": self._tokens["admin"]}}))
                    connection.send(json.dumps({"type": "subscribe", "topics": ["aircraft"]}))
                    self._read_ticks(connection)
            except (OSError, WebSocketException):
                time.sleep(0.1)

    def _read_ticks(self, connection: Any) -> None:
        last_seq, last_at = 0, time.monotonic()
        while not self._stop.is_set():
            try:
                text = str(connection.recv(timeout=0.5))[:300]
            except TimeoutError:
                continue
            found = _SEQ.search(text) if '"aircraft:' in text[:200] else None
            if found is None or int(found[1]) == last_seq:
                continue
            now, seq = time.monotonic(), int(found[1])
            with self._lock:
                result = self.result
                result.ticks += 1
                if last_seq:
                    result.missed += max(0, seq - last_seq - 1)
                    result.longest_tick_s = max(result.longest_tick_s, now - last_at)
            last_seq, last_at = seq, now


def _try_all(port: int, tokens: list[str], content: str, calm: Any, answers: Any) -> None:
    """In a process of its own: repeat a dry run for every token until ``calm``; puts the answers at the end."""
    seen: Counter[str] = Counter()
    numbers = itertools.count(1)
    without_retry_after = 0
    lock = threading.Lock()

    def repeat(token: str) -> None:
        nonlocal without_retry_after
        while not calm.is_set():
            body = content.replace(NUMBER, f"{next(numbers):06d}").encode()
            status, _, headers = _call(port, "POST", TRIAL, token, body)
            with lock:
                if not seen:
                    answers.put(None)
                seen[f"dry run {status}"] += 1
                without_retry_after += status in (429, 503) and not headers.get("Retry-After")
            if status != 200:
                calm.wait(REFUSED_S)

    threads = [threading.Thread(target=repeat, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put((seen, without_retry_after))


def _call(port: int, method: str, path: str, token: str, body: bytes | None = None) -> tuple[int | str, float, Any]:
    """Status (or the kind of failure), duration (s) and header fields of one request on its own connection."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    began = time.monotonic()
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        response.read()
        return response.status, time.monotonic() - began, response.headers
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__, time.monotonic() - began, {}
    finally:
        connection.close()


def prepare(folder: Path, **settings: object) -> Service:
    """A service with people, not started."""
    unlimited = {f"default_throttle_rates__{bucket}": "1000000/minute" for bucket in ("user", "dry_run")}
    service = Service(
        folder,
        **{
            "auth_mode": "hybrid",
            "bus": "memory",
            "receiver__demo": f"simulate aircraft={AIRCRAFT} seed=1",
            **unlimited,
            **settings,
        },
    ).init()
    service.add_user("admin", "superadmin")
    for number in range(TRIERS):
        service.add_user(f"viewer{number}", "viewer")
    return service


def begin(service: Service) -> Drill:
    """The callers of a service that has been started."""
    until(lambda: _is_well(service), "the first tick")
    names = ["admin", *(f"viewer{number}" for number in range(TRIERS))]
    tokens = {name: log_in(service.port, name, f"127.0.{number}.1") for number, name in enumerate(names, start=1)}
    return Drill(service, tokens)


def _is_well(service: Service) -> bool:
    try:
        return bool(service.get("/api/v1/system/health")["status"] == "ok")
    except OSError:
        return False


def main() -> None:
    """The command; 1 where an ordinary request failed, or a limit was passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        service = prepare(Path(folder)).start(wait=False)
        drill = begin(service)
        try:
            drill.measure(3.0)
            for name in options.kinds:
                quiet, loaded = Result(), Result()
                # By turns: other work on the machine comes and goes.
                for _ in range(ROUNDS):
                    quiet.add(drill.measure(options.seconds / ROUNDS))
                    loaded.add(drill.measure(options.seconds / ROUNDS, KINDS[name]()))
                _print("quiet", quiet, quiet)
                _print(name, loaded, quiet)
                failed |= loaded.p95_s > MAX_RATIO * quiet.p95_s or loaded.longest_tick_s > MAX_TICK_S
                failed |= any(kind.startswith("ordinary") and kind != "ordinary 200" for kind in loaded.answers)
        finally:
            drill.close()
            service.stop()
    raise SystemExit(failed)


def _print(name: str, result: Result, quiet: Result) -> None:
    print(
        f"{name}: median {1000 * statistics.median(result.latencies_s):.0f} ms, 95 % {1000 * result.p95_s:.0f} ms"
        f" ({result.p95_s / quiet.p95_s:.1f} times), most {1000 * max(result.latencies_s):.0f} ms;"
        f" longest tick {result.longest_tick_s:.2f} s, {result.missed} missed; {dict(sorted(result.answers.items()))};"
        f" {result.without_retry_after} without Retry-After",
        flush=True,
    )


if __name__ == "__main__":
    main()
