"""Hours of ordinary life: aircraft, subscribers, callers, alert rules, ACARS and audio; what it costs in memory, and
whether a tick is missed.

``python -m tests.drills.soak [--minutes 120]`` starts a service of its own and prints a row every five minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import websockets

from tests.drills.soak_traffic import make_rules, paths, put_recordings, send_messages
from tests.ports import free_port
from tests.processes import Service
from tests.waiting import PATIENCE_S, eventually, until

AIRCRAFT = 2000
SUBSCRIBERS = 200
REQUESTS_PER_S = 20.0
ROW_EVERY_S = 300.0
# A token lives fifteen minutes.
LOGIN_EVERY_S = 600.0
# An aircraft may have left, or have no track yet.
GOOD = ("200", "404")
PASSWORD = "correct horse battery 4711"
_EVENT = re.compile(r'"event":"aircraft:[a-z]+".{0,80}?"seq":(\d+),')
_ROW = "{:>4} {:>7} {:>7} {:>8} {:>7} {:>7} {:>6} {:>8} {:>6} {:>5} {:>5} {:>6}"
_HEAD = ("min", "RSS MB", "anon MB", "threads", "files", "ticks", "missed", "requests", "p95 ms", "bad", "lost", "log")


@dataclass(eq=False)
class Listener:
    """One subscriber: the seq of its last event, and how many ticks it did not get."""

    last: int = 0
    received: int = 0
    missed: int = 0
    heard_at: float = field(default_factory=time.monotonic)

    def take(self, seq: int) -> None:
        """Count one event."""
        self.heard_at = time.monotonic()
        if self.last:
            self.missed += max(0, seq - self.last - 1)
        self.last = seq
        self.received += 1


@dataclass
class Soak:
    """What came of it so far."""

    listeners: list[Listener] = field(default_factory=list)
    # Connections that ended, by their reason.
    lost: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    took_s: list[float] = field(default_factory=list)
    # Requests that were not answered as they should.
    bad: Counter[str] = field(default_factory=Counter)
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def missed(self) -> int:
        """Ticks that subscribers did not get, of all together."""
        return sum(listener.missed for listener in self.listeners)


def _subscription(number: int, places: list[tuple[float, float]]) -> dict[str, Any]:
    """What the subscriber of a number wants: one in ten everything, the others an area; every second in columns."""
    message: dict[str, Any] = {"type": "subscribe", "topics": ["aircraft"]}
    if number % 10:
        draw = random.Random(number)
        lat, lon = places[number % len(places)]
        half = draw.choice((0.25, 0.5, 1.0, 2.0))
        message["bbox"] = [lon - half, lat - half, lon + half, lat + half]
    if number % 2:
        message["format"] = "columns"
    return message


async def _listen(url: str, message: dict[str, Any], soak: Soak, listener: Listener) -> None:
    while True:
        try:
            async with websockets.connect(url, max_size=None, max_queue=64, proxy=None, compression=None) as connection:
                await connection.send('{"type":"connect"}')
                await connection.send(json.dumps(message))
                async for text in connection:
                    event = _EVENT.search(str(text[:200]))
                    if event is not None:
                        listener.take(int(event[1]))
            reason = "closed"
        except (OSError, websockets.WebSocketException) as error:
            reason = f"{type(error).__name__}: {error}"
        soak.lost[reason] += 1
        silent_s = time.monotonic() - listener.heard_at
        print(
            f"{time.strftime('%H:%M:%S')} lost {soak.listeners.index(listener)} {json.dumps(message)}"
            f" after seq {listener.last}, {silent_s:.1f} s without an event: {reason}",
            flush=True,
        )
        await asyncio.sleep(1)


async def _log_in(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/v1/auth/login", json={"username": "soak", "password": PASSWORD})
    client.headers["Authorization"] = f"Bearer {answer.json()['access']}"


async def _call(client: httpx.AsyncClient, soak: Soak, a_second: float) -> None:
    """Ask for everything in turn, so often a second."""
    logged_in_at = float("-inf")
    hexes: list[str] = []
    for number in itertools.count():
        began = time.monotonic()
        if began - logged_in_at > LOGIN_EVERY_S:
            await _log_in(client)
            hexes = [a["hex"] for a in (await client.get("/api/v1/aircraft?limit=1000")).json()["aircraft"]]
            logged_in_at = began
        choices = paths(hexes[number % len(hexes)])
        path = choices[number % len(choices)]
        try:
            status = str((await client.get(f"/api/v1{path}")).status_code)
        except httpx.HTTPError as error:
            status = type(error).__name__
        soak.took_s.append(time.monotonic() - began)
        soak.answers[status] += 1
        if status not in GOOD:
            soak.bad[f"{path} {status}"] += 1
        await asyncio.sleep(max(0.0, began + 1 / a_second - time.monotonic()))


def _memory_mb(pid: int) -> tuple[float, float]:
    """Resident, and how much of it is no file's."""
    sizes = dict(re.findall(r"(VmRSS|RssAnon):\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()))
    return int(sizes["VmRSS"]) / 1024, int(sizes["RssAnon"]) / 1024


def _problems(service: Service) -> list[str]:
    """The lines of the log that speak of trouble."""
    words = ("WARNING", "ERROR", "CRITICAL", "Traceback")
    return [line for line in service.log.read_text(errors="replace").splitlines() if any(w in line for w in words)]


def _row(service: Service, soak: Soak, began: float) -> tuple[Any, ...]:
    assert service.process is not None
    pid = service.process.pid
    resident, anonymous = _memory_mb(pid)
    threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    took, soak.took_s = sorted(soak.took_s) or [0.0], []
    p95_ms = took[int(len(took) * 0.95)] * 1000
    ticks = max((listener.last for listener in soak.listeners), default=0)
    requests = sum(soak.answers.values())
    minute = round((time.monotonic() - began) / 60)
    figures = (
        minute,
        round(resident, 1),
        round(anonymous, 1),
        threads,
        files,
        ticks,
        soak.missed,
        requests,
        round(p95_ms, 1),
    )
    return (*figures, soak.bad.total(), soak.lost.total(), len(_problems(service)))


async def soak(
    service: SoakedService,
    seconds: float,
    subscribers: int = SUBSCRIBERS,
    a_second: float = REQUESTS_PER_S,
    every_s: float = ROW_EVERY_S,
) -> Soak:
    """Subscribe, call, and look every so often, for so long; prints a row for each look."""
    done = Soak()
    url, base = f"ws://127.0.0.1:{service.realtime_port}/ws", f"http://127.0.0.1:{service.port}"
    until(lambda: any("lat" in a for a in service.aircraft().values()), "positions")
    places = [(a["lat"], a["lon"]) for a in service.aircraft().values() if "lat" in a]
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=base, timeout=PATIENCE_S, trust_env=False))
        await _log_in(client)
        await make_rules(client)
        tasks = []
        for number in range(subscribers):
            listener = Listener()
            done.listeners.append(listener)
            tasks.append(asyncio.create_task(_listen(url, _subscription(number, places), done, listener)))
        await eventually(lambda: all(listener.received for listener in done.listeners), "the first snapshots")
        flights = [str(a["flight"]).strip() for a in service.aircraft().values() if a.get("flight")]
        tasks += [
            asyncio.create_task(_call(client, done, a_second)),
            asyncio.create_task(send_messages(service.acars_port, flights)),
            asyncio.create_task(put_recordings(service.recordings)),
        ]
        print(_ROW.format(*_HEAD), flush=True)
        began = time.monotonic()
        first = max((listener.last for listener in done.listeners), default=0)
        while (left_s := began + seconds - time.monotonic()) > 0:
            await asyncio.sleep(min(every_s, left_s))
            done.rows.append(_row(service, done, began))
            print(_ROW.format(*done.rows[-1]), flush=True)
        elapsed = time.monotonic() - began
        ticks = max((listener.last for listener in done.listeners), default=0) - first
        print(
            f"{ticks} ticks in {elapsed:.0f} s; answers {dict(done.answers)} {dict(done.bad)}; lost {dict(done.lost)}"
        )
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException) and not isinstance(end, asyncio.CancelledError):
                raise end
    return done


class SoakedService(Service):
    """A service whose ACARS messages and recordings come from the soak."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.acars_port, self.recordings = free_port(), folder / "recordings"
        self.recordings.mkdir()
        inputs = {
            "acars__vhf": f"udp 127.0.0.1:{self.acars_port}",
            "audio__tower": f"folder {self.recordings}",
            "audio_directory": str(folder / "audio"),
        }
        super().__init__(folder, **inputs, **settings)


def start(folder: Path, aircraft: int = AIRCRAFT) -> SoakedService:
    """A service with so many simulated aircraft, an ACARS input, a folder of recordings, and a user ``soak``."""
    service = SoakedService(
        folder,
        receiver__demo=f"simulate aircraft={aircraft} seed=1",
        realtime_connections_per_address=1000,
        default_throttle_rates__user="1000000/minute",
        bus="memory",
    )
    service.init().add_user("soak", "superadmin", PASSWORD).start()
    return service


def main() -> int:
    """The command; 1 where a tick was missed, a connection lost, a request refused or trouble logged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory() as folder:
        service = start(Path(folder))
        try:
            done = asyncio.run(soak(service, 60 * minutes))
            problems = _problems(service)
        finally:
            service.stop()
    print(*problems[:50], sep="\n")
    return 1 if done.missed or done.lost.total() or done.bad.total() or problems else 0


if __name__ == "__main__":
    sys.exit(main())
