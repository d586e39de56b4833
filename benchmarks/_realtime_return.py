"""A restart with many subscribers: how they are sent away, come back spread over a while, and get their sky again."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe

from benchmarks._load import free_port
from benchmarks._swarm import Drain, Subscriber, connect_many, masked
from benchmarks.peers import realtime_servers as servers

HELLO = [masked(b'{"type":"connect"}'), masked(b'{"type":"subscribe","topics":["aircraft"]}')]
_AFTER = re.compile(rb'"after_s":([0-9.]+)')
SAMPLE_S = 0.25


@dataclass
class Returns:
    """When subscribers were sent away, came back and had a snapshot; seconds of ``time.monotonic``."""

    port: int
    sent_away: list[float] = field(default_factory=list)
    back: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    # Attempts that found nobody listening yet.
    in_vain: int = 0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def on_frame(self, subscriber: Subscriber, head: bytes) -> None:
        """A first visit: wait to be sent away."""
        match = _AFTER.search(head) if b'"reconnect"' in head else None
        if match:
            self.sent_away.append(time.monotonic())
            task = asyncio.get_running_loop().create_task(self._come_back(float(match.group(1))))
            self._tasks.add(task)
            subscriber.transport.close()

    async def _come_back(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        while True:
            try:
                [subscriber] = await connect_many(self.port, 1, lambda _: Subscriber("/ws", HELLO, self._second_visit))
                break
            except OSError:
                self.in_vain += 1
                await asyncio.sleep(0.5)
        self.back.append(time.monotonic())
        await subscriber.lost

    def _second_visit(self, subscriber: Subscriber, head: bytes) -> None:
        if b'"aircraft:snapshot"' in head:
            self.whole.append(time.monotonic())
            subscriber.transport.set_protocol(Drain(_nothing))

    def end(self) -> None:
        """Leave for good."""
        for task in self._tasks:
            task.cancel()


def _nothing(frames: int) -> None:
    """The updates that follow."""


async def _restart(port: int, pid: int, pipe: Pipe, clients: int, wait_s: float) -> str:
    returns = Returns(port)
    await connect_many(port, clients, lambda _: Subscriber("/ws", HELLO, returns.on_frame))
    await asyncio.sleep(3)
    before = servers.memory_mib(pid)
    began, used = time.monotonic(), servers.processor_s(pid)
    pipe.send("restart")
    busy: list[float] = []
    memory = before
    while len(returns.whole) < clients and time.monotonic() - began < wait_s:
        at, was = time.monotonic(), servers.processor_s(pid)
        await asyncio.sleep(SAMPLE_S)
        busy.append((servers.processor_s(pid) - was) / (time.monotonic() - at))
        memory = max(memory, servers.memory_mib(pid))
    used = servers.processor_s(pid) - used
    returns.end()
    back = sorted(moment - began for moment in returns.back)
    tenth, half, nine_tenths = (back[int((len(back) - 1) * q)] for q in (0.1, 0.5, 0.9))
    return (
        f"  {clients} clients told to come back within {max(returns.sent_away) - began:.2f} s; back after "
        f"{tenth:.1f} / {half:.1f} / {nine_tenths:.1f} s (10, 50, 90 %), at most {_most_in_a_second(returns.back)} in "
        f"one second, {returns.in_vain} attempts in vain\n  {len(returns.whole)} have a snapshot, the last after "
        f"{max(returns.whole) - began:.1f} s; processor time {used:.1f} s, at most {max(busy):.0%} of a core; memory "
        f"{before:.0f} MiB before, {memory:.0f} MiB at most"
    )


def _most_in_a_second(moments: list[float]) -> int:
    return max(sum(at <= other < at + 1 for other in moments) for at in moments)


def return_after_restart(clients: int = 500, aircraft: int = 1000) -> None:
    """The clients of a server that is restarted, ``realtime_return_s`` being what it is by default."""
    options = {"realtime_listen": f"127.0.0.1:{free_port()}"}
    with servers.running(servers.sky_server, aircraft, options) as (port, pid, pipe):
        print(asyncio.run(_restart(port, pid, pipe, clients, 60.0)), flush=True)
