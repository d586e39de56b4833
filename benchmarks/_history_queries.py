"""How long the history's queries take through the real views, bodies written and read.

``python -m benchmarks._history_queries URL`` asks a database that ``benchmarks.history`` filled and kept.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from webob import Request

from skywatch import make_app
from skywatch.core.runtime import Runtime
from skywatch.features import load
from tests.identities import as_role, install

ROUNDS, LONG_ROUNDS = 9, 3
Times = tuple[float, float, float]


class Client:
    """An analyst who asks the application, without a network in between."""

    def __init__(self, url: str, settings: dict[str, str] | None = None) -> None:
        plenty = {f"default_throttle_rates.{bucket}": "1000000/minute" for bucket in ("anon", "user", "live")}
        ini = {"environment": "development", "auth_mode": "hybrid", "database_url": url, **plenty, **(settings or {})}
        self.runtime = Runtime.open(load(ini, {}))
        self.app = make_app(self.runtime)
        install(self)

    def __call__(self, path: str, packed: bool = False, **query: Any) -> int:
        """Bytes of an answer of history."""
        return self.ask(f"history/{path}", query, packed=packed)

    def ask(self, path: str, query: dict[str, Any], *, role: str = "analyst", packed: bool = False) -> int:
        """Bytes of an answer below ``/api/v1/``."""
        headers = as_role(role) | ({"Accept-Encoding": "gzip"} if packed else {})
        url = f"/api/v1/{path}?{urlencode({name.rstrip('_'): value for name, value in query.items()})}"
        response = Request.blank(url, headers=headers, environ={"REMOTE_ADDR": "127.0.0.1"}).get_response(self.app)
        if response.status_code != 200:
            raise RuntimeError(response.text)
        try:
            return sum(map(len, response.app_iter))
        finally:
            getattr(response.app_iter, "close", lambda: None)()

    def first_byte(self, path: str, **query: Any) -> int:
        """Bytes of the first piece of a stream."""
        url = f"/api/v1/history/{path}?{urlencode({name.rstrip('_'): value for name, value in query.items()})}"
        response = Request.blank(url, headers=as_role("analyst"), environ={"REMOTE_ADDR": "127.0.0.1"}).get_response(
            self.app
        )
        try:
            return len(next(iter(response.app_iter)))
        finally:
            response.app_iter.close()


def measured(ask: Callable[[], Any], rounds: int = ROUNDS) -> Times:
    """Median and longest wall time and median processor time of this process (ms), after one round unmeasured."""
    ask()
    wall, cpu = [], []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        ask()
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - worked))
    return statistics.median(wall), max(wall), statistics.median(cpu)


def iso(seconds: float) -> str:
    """Unix seconds as the API takes them."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def questions(url: str, end: float, recorded_s: float) -> dict[str, Times]:
    """Times of the queries the manual promises something about; the newest position is from ``end``."""
    client = Client(url)
    # A moment within what was recorded, far enough from both ends, and not at the begin of a slice.
    middle = end - recorded_s / 2 + 123
    hour = {"from_": iso(max(middle - 1800, end - recorded_s)), "to": iso(max(middle - 1800, end - recorded_s) + 3600)}
    day = {"from_": iso(end - 86400), "to": iso(end)}

    def ask(path: str, rounds: int = ROUNDS, **query: Any) -> Times:
        return measured(lambda: client(path, **query), rounds)

    try:
        return {
            "track of one aircraft over 24 h": ask("tracks/400001", **day),
            "track of the last 2 h, in the tail too": ask("tracks/400002", from_=iso(end - 7200), to=iso(end)),
            "picture at a moment": ask("picture", at=iso(middle)),
            "picture at a moment of the tail": ask("picture", at=iso(end - 30)),
            "flights, newest page": ask("flights"),
            "flights by address": ask("flights", icao_hex="400001"),
            "flights by the beginning of a callsign": ask("flights", callsign="TST41*"),
            "flights by type and day": ask("flights", type="B738", **day),
            "flights by altitude": ask("flights", min_altitude_ft=40000),
            "one hour of replay, first piece": measured(lambda: client.first_byte("replay", step_s=1, **hour)),
            "one hour of replay, 10 s steps": ask("replay", LONG_ROUNDS, step_s=10, **hour),
            "one hour of replay, 10 s steps, gzip": ask("replay", LONG_ROUNDS, packed=True, step_s=10, **hour),
            "one hour of replay, 1 s steps": ask("replay", LONG_ROUNDS, step_s=1, **hour),
            "one hour of replay, 1 s steps, gzip": ask("replay", LONG_ROUNDS, packed=True, step_s=1, **hour),
        }
    finally:
        client.runtime.close()


if __name__ == "__main__":
    for question, times in questions(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])).items():
        print(f"{question:<48}" + "".join(f"{milliseconds:>10.1f}" for milliseconds in times), flush=True)
