"""Who uses the service: 500 subscribers of 50 areas, 20 requests a second, recordings; in a process of their own.

They speak to the process that measures through a pipe: ``begin`` forgets what was seen, ``report`` answers with it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

import httpx
import msgspec

from benchmarks._swarm import Subscriber, connect_many, masked
from benchmarks._whole.population import NAME, PASSWORD
from tests.drills.soak_traffic import paths, put_recordings

SUBSCRIBERS, AREAS, REQUESTS_S = 500, 50, 20.0
# Of the areas one is the whole sky; of the subscribers one in ten takes ACARS messages, too.
WHOLE_SKY, ACARS_OF = 0, 10
# Of the requests one in so many is a user's location; an access token lives fifteen minutes.
LOCATION_OF, LOGIN_EVERY_S = 5, 600.0
GOOD = (200, 404)
CLOSE = 8
TIMEOUT_S = 30.0
_EVENT = re.compile(rb'"event":"([a-z_]+:[a-z_]+)".{0,80}?"seq":(\d+)')
_NOW = re.compile(rb'"now":([0-9.]+)')


class Plan(msgspec.Struct):
    """What the clients need to know."""

    port: int
    realtime_port: int
    keys: list[str]
    centres: list[tuple[float, float]]
    recordings: str
    subscribers: int = SUBSCRIBERS
    requests_s: float = REQUESTS_S


@dataclass
class Seen:
    """What was seen since ``begin``."""

    began: float = field(default_factory=time.monotonic)
    own_s: float = field(default_factory=time.process_time)
    delays: list[float] = field(default_factory=list)
    missed: int = 0
    ticks: set[int] = field(default_factory=set)
    events: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    # The close codes and reasons of those that the service closed.
    closed: Counter[str] = field(default_factory=Counter)
    took: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    bad: Counter[str] = field(default_factory=Counter)

    def report(self) -> dict[str, Any]:
        """As JSON has it."""
        elapsed = time.monotonic() - self.began
        delays, took = sorted(self.delays) or [0.0], sorted(self.took) or [0.0]
        return {
            "seconds": elapsed,
            "clients_s": time.process_time() - self.own_s,
            "p50_ms": delays[len(delays) // 2] * 1000,
            "p95_ms": delays[int(len(delays) * 0.95)] * 1000,
            "updates": len(self.delays),
            "missed": self.missed,
            "ticks": len(self.ticks),
            "events": dict(self.events),
            "lost": self.lost,
            "closed": dict(self.closed),
            "requests": len(self.took),
            "requests_p95_ms": took[int(len(took) * 0.95)] * 1000,
            "answers": dict(self.answers),
            "bad": dict(self.bad),
        }


class Clients:
    """All of them."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.seen = Seen()
        self._last: dict[Subscriber, int] = {}
        self._numbers: dict[Subscriber, int] = {}
        # When each tick was, by its seq: events in columns say it at their end.
        self._tick_at: dict[int, float] = {}
        self._calls: set[asyncio.Task[None]] = set()

    def _greeting(self, number: int) -> list[bytes]:
        area = number % AREAS
        message: dict[str, Any] = {"type": "subscribe", "topics": ["aircraft"]}
        others: dict[str, Any] = {"type": "subscribe", "topics": ["safety", "audio"]}
        if area != WHOLE_SKY:
            draw = random.Random(area)
            lat, lon = self._plan.centres[area % len(self._plan.centres)]
            half = draw.choice((0.25, 0.5, 1.0, 2.0))
            lat, lon = lat + draw.uniform(-1, 1), lon + draw.uniform(-1, 1)
            message["bbox"] = [round(lon - half, 3), round(lat - half, 3), round(lon + half, 3), round(lat + half, 3)]
        # Half of the areas as a map asks for them.
        if area % 2:
            message["format"] = "columns"
        if number % ACARS_OF == 0:
            others["topics"].append("acars")
        if number < len(self._plan.keys):
            others["topics"] += ["alerts", "cannonball"]
        token = self._plan.keys[number % len(self._plan.keys)]
        connect = {"type": "connect", "auth": {"token": token}}
        return [masked(json.dumps(words).encode()) for words in (connect, message, others)]

    def _take(self, subscriber: Subscriber, head: bytes) -> None:
        if subscriber.opcode == CLOSE and len(head) >= 2:
            self.seen.closed[f"{int.from_bytes(head[:2], 'big')} {head[2:].decode(errors='replace')}"] += 1
            return
        found = _EVENT.search(head)
        if found is None:
            return
        name, seq = found[1].decode(), int(found[2])
        self.seen.events[name] += 1
        if not name.startswith("aircraft:"):
            return
        last = self._last.get(subscriber)
        if last is not None:
            self.seen.missed += max(0, seq - last - 1)
        self._last[subscriber] = seq
        self.seen.ticks.add(seq)
        if name == "aircraft:snapshot":
            return
        now = _NOW.search(head) if name == "aircraft:update" else None
        if now is not None:
            self._tick_at[seq] = float(now[1])
        at = self._tick_at.get(seq)
        if at is not None and last is not None:
            self.seen.delays.append(time.time() - at)

    async def subscribe(self) -> None:
        """Connect all, some at once."""
        await self._connect(list(range(self._plan.subscribers)))

    async def _connect(self, numbers: list[int]) -> None:
        made = lambda place: Subscriber("/ws", self._greeting(numbers[place]), self._take)  # noqa: E731
        found = await connect_many(self._plan.realtime_port, len(numbers), made, at_once=25)
        self._numbers.update(zip(found, numbers, strict=True))

    async def keep(self) -> None:
        """Connect those again whose connection is lost, and count them."""
        while True:
            await asyncio.sleep(1.0)
            gone = [subscriber for subscriber in self._numbers if subscriber.lost.done()]
            self.seen.lost += len(gone)
            for subscriber in gone:
                self._last.pop(subscriber, None)
            numbers = [self._numbers.pop(subscriber) for subscriber in gone]
            try:
                await self._connect(numbers)
            except OSError as error:
                print(f"{len(numbers)} subscribers were not let in: {error}", flush=True)
                return

    async def call(self) -> None:
        """Requests at their pace, however long each takes."""
        base = f"http://127.0.0.1:{self._plan.port}/api/v1"
        async with httpx.AsyncClient(base_url=base, timeout=TIMEOUT_S, trust_env=False) as client:
            hexes: list[str] = []
            logged_in_at, due = float("-inf"), time.monotonic()
            for number in itertools.count():
                if time.monotonic() - logged_in_at > LOGIN_EVERY_S:
                    try:
                        hexes = await self._log_in(client)
                        logged_in_at = time.monotonic()
                    except (httpx.HTTPError, KeyError) as error:
                        self.seen.bad[f"/auth/login {type(error).__name__}"] += 1
                        await asyncio.sleep(1.0)
                if not hexes:
                    continue
                task = asyncio.create_task(self._request(client, number, hexes))
                self._calls.add(task)
                task.add_done_callback(self._calls.discard)
                due += 1 / self._plan.requests_s
                await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _log_in(self, client: httpx.AsyncClient) -> list[str]:
        """Take a new token; the addresses of some aircraft."""
        client.headers.pop("Authorization", None)
        answer = await client.post("/auth/login", json={"username": NAME, "password": PASSWORD})
        answer.raise_for_status()
        client.headers["Authorization"] = f"Bearer {answer.json()['access']}"
        listed = (await client.get("/aircraft?limit=1000")).json()["aircraft"]
        return [aircraft["hex"] for aircraft in listed]

    async def _request(self, client: httpx.AsyncClient, number: int, hexes: list[str]) -> None:
        began = time.monotonic()
        choices = paths(hexes[number % len(hexes)])
        path = choices[number % len(choices)]
        try:
            if number % LOCATION_OF:
                status = (await client.get(path)).status_code
            else:
                path = "/cannonball/location"
                status = (await self._move(client, number // LOCATION_OF)).status_code
            name = str(status)
        except httpx.HTTPError as error:
            status, name = 0, type(error).__name__
        self.seen.took.append(time.monotonic() - began)
        self.seen.answers[name] += 1
        if status not in GOOD:
            self.seen.bad[f"{path.replace(hexes[number % len(hexes)], '-')} {name}"] += 1

    async def _move(self, client: httpx.AsyncClient, number: int) -> httpx.Response:
        user = number % len(self._plan.keys)
        draw = random.Random(user)
        lat, lon = self._plan.centres[user % len(self._plan.centres)]
        body = {"lat": lat + draw.uniform(-1, 1), "lon": lon + draw.uniform(-1, 1), "heading": 90.0, "speed_kt": 50.0}
        headers = {"Authorization": f"ApiKey {self._plan.keys[user]}"}
        return await client.put("/cannonball/location", json=body, headers=headers)


async def _serve(pipe: Pipe, plan: Plan) -> None:
    clients = Clients(plan)
    await clients.subscribe()
    work = [clients.keep(), clients.call(), put_recordings(Path(plan.recordings))]
    tasks = [asyncio.create_task(each) for each in work]
    pipe.send("ready")
    for word in _words(pipe):
        if word is None:
            await asyncio.sleep(0.05)
            for task in tasks:
                if task.done():
                    task.result()
        elif word == "begin":
            clients.seen = Seen()
        elif word == "report":
            pipe.send(clients.seen.report())
        else:
            break
    for task in tasks:
        task.cancel()


def _words(pipe: Pipe) -> Iterator[str | None]:
    while True:
        yield pipe.recv() if pipe.poll() else None


def run(pipe: Pipe, plan: Plan) -> None:
    """The process; ends when it is told ``end``, or the pipe is closed."""
    try:
        asyncio.run(_serve(pipe, plan))
    except EOFError:
        return
