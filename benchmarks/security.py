"""What security costs: requests a second with a JWT, with an API key, as nobody and with no security at all.

And the database queries of an authenticated read, and whether the time of a refused login tells an unknown name from
a wrong password.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session
from webtest import TestApp

from benchmarks._cores import on_core
from benchmarks._load import free_port, requests_a_second
from benchmarks._people import NAME, populate
from benchmarks.rest import CONNECTIONS, sample_sky, server
from skywatch import make_app
from skywatch.accounts.logins.attempts import GuessLimits
from skywatch.accounts.logins.local import log_in
from skywatch.accounts.logins.service import start_login
from skywatch.accounts.logins.tokens import TokenCodec
from skywatch.accounts.models import User
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.storing.audit import Actor
from skywatch.features import load
from skywatch.http.limits.limiter import Limiter
from skywatch.picture.state.sky import to_bytes

SECONDS = 2.0
ROUNDS = 4
LIST = "/api/v1/aircraft"
READS = 500
TRIES = 200


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as folder, on_core(-1):
        rates = _rates(Path(folder))
    print(f"requests/s, one worker, {CONNECTIONS} connections, best of {ROUNDS} rounds taken in turn")
    print(f"{'':24} {'auth/profile':>14} {'':>7} {'aircraft list':>14}")
    for name in ("no security at all", "nobody (public)", "JWT", "API key"):
        cells = []
        for path in ("profile", "list"):
            rate, base = rates.get((name, path)), rates["no security at all", path]
            cells.append(f"{rate:14,.0f} {rate / base:6.0%}" if rate else f"{'-':>14} {'':>6}")
        print(f"{name:24} {' '.join(cells)}")
    with tempfile.TemporaryDirectory() as folder:
        runtime = _runtime(folder)
        try:
            _count_queries(runtime)
            _time_refusals(runtime)
        finally:
            runtime.close()


def _rates(folder: Path) -> dict[tuple[str, str], float]:
    sky, credentials = folder / "sky.bin", folder / "credentials.json"
    sky.write_bytes(to_bytes(sample_sky()))
    environment = {"BENCH_SKY": str(sky), "BENCH_CREDENTIALS": str(credentials)}
    command = [sys.executable, "-m", "benchmarks.peers.secured_app"]
    port, naked = free_port(), free_port()
    naked_environment = {**environment, "BENCH_CREDENTIALS": str(folder / "unused.json"), "BENCH_NAKED": "1"}
    with (
        server(command, port, {**environment, "BENCH_PORT": str(port)}),
        server(command, naked, {**naked_environment, "BENCH_PORT": str(naked)}),
    ):
        cases = list(_cases(port, naked, json.loads(credentials.read_text())))
        best = dict.fromkeys((case[0] for case in cases), 0.0)
        for _ in range(ROUNDS):
            for name, to, path, header in cases:
                rate = asyncio.run(requests_a_second(to, path, SECONDS, CONNECTIONS, header))
                best[name] = max(best[name], rate)
    return best


def _cases(port: int, naked: int, headers: dict[str, str]) -> Iterator[tuple[tuple[str, str], int, str, str]]:
    yield ("no security at all", "profile"), naked, "/api/v1/bench/profile", ""
    yield ("no security at all", "list"), naked, LIST, ""
    yield ("nobody (public)", "list"), port, LIST, ""
    for name, header in headers.items():
        yield (name, "profile"), port, "/api/v1/auth/profile", f"{header}\r\n"
        yield (name, "list"), port, LIST, f"{header}\r\n"


def _runtime(folder: str) -> Runtime:
    ini = {"environment": "development", "database_url": f"sqlite:///{folder}/bench.sqlite"}
    plenty = {f"default_throttle_rates.{bucket}": "100000000/minute" for bucket in ("user", "live")}
    return Runtime.open(load({**ini, **plenty}, {}))


def _count_queries(runtime: Runtime) -> None:
    headers = [dict([line.split(": ", 1)]) for line in populate(runtime).values()]
    client, mine, queries = TestApp(make_app(runtime)), threading.get_ident(), 0
    for _ in range(2):
        for header in headers:
            client.get("/api/v1/auth/profile", headers=header)
            client.get(LIST, headers=header, expect_errors=True)
        time.sleep(0.2)

    @sa.event.listens_for(runtime.engine, "before_cursor_execute")
    def count(*_: Any) -> None:
        nonlocal queries
        queries += threading.get_ident() == mine

    for _ in range(READS):
        for header in headers:
            client.get("/api/v1/auth/profile", headers=header)
    sa.event.remove(runtime.engine, "before_cursor_execute", count)
    print(f"\ndatabase queries in {READS * len(headers):,} authenticated reads: {queries}")


def _new_limits(runtime: Runtime) -> GuessLimits:
    settings = runtime.settings
    return GuessLimits(Limiter(settings), settings.guesses_place, settings.guesses_anywhere)


def _time_refusals(runtime: Runtime) -> None:
    limits, codec = _new_limits(runtime), TokenCodec(runtime.settings)

    def begin(session: Session, user: User) -> object:
        return start_login(session, codec, user, "password", actor)

    times: dict[str, list[float]] = {"wrong password": [], "unknown name": []}
    for number in range(TRIES):
        for kind, name in (("wrong password", NAME), ("unknown name", f"nobody{number}")):
            # From ever new places and with a new count: this is about the time, not about the limit.
            if number % 50 == 0 and kind == "wrong password":
                limits = _new_limits(runtime)
            actor = Actor("", "anonymous", None, f"10.{number}.{number % 7}.1")
            began = time.perf_counter()
            try:
                log_in(runtime.sessions, limits, name, "wrong password", actor, begin)
            except Problem as problem:
                times[kind].append(time.perf_counter() - began)
                if problem.kind.code != "invalid_credentials":
                    raise
    print(f"\ntime of a refused login (ms, {TRIES} tries of each, in turn)")
    for kind, found in times.items():
        low, median, high = (value * 1000 for value in statistics.quantiles(found, n=4))
        print(f"{kind:16} median {median:7.2f}   middle half {low:7.2f} to {high:7.2f}")
    wrong, unknown = times.values()
    slower = sum(a > b for a in wrong for b in unknown) / (len(wrong) * len(unknown))
    print(f"a wrong password takes longer than an unknown name in {slower:.0%} of pairs (50% tells nothing)")


if __name__ == "__main__":
    main()
