"""25 clients a second that stall, close their sending side and read the rest: every other subscriber has every tick.

``python -m tests.drills.clients [--seconds 60]`` starts a service of its own and prints what its subscribers received.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import websockets

from tests.faulty_clients import die, stall
from tests.processes import Service
from tests.waiting import PATIENCE_S, eventually

A_SECOND = 25
# So many aircraft that a client who does not read is congested by its first snapshot.
AIRCRAFT = 2000
STALL_S = 2.0
SUBSCRIBERS = 10
_HEAD = re.compile(r'"event":"(aircraft:[a-z]+)".*?"seq":(\d+),')


@dataclass
class Result:
    """What the subscribers received: the seq of every event, and how many faulty clients there were."""

    received: list[list[int]] = field(default_factory=list)
    faulty: int = 0

    @property
    def missed(self) -> int:
        """Ticks that some subscriber did not get."""
        return sum((seqs[-1] - seqs[0] + 1) - len(seqs) for seqs in self.received)


async def _subscribe(url: str, stack: AsyncExitStack, bbox: list[float] | None) -> websockets.ClientConnection:
    connection = await stack.enter_async_context(
        websockets.connect(url, max_size=None, max_queue=64, proxy=None, compression=None, ping_interval=None)
    )
    await connection.send('{"type":"connect"}')
    await connection.send(json.dumps({"type": "subscribe", "topics": ["aircraft"], "bbox": bbox}))
    return connection


async def _follow(connection: websockets.ClientConnection, seqs: list[int]) -> None:
    while True:
        message = await connection.recv()
        head = _HEAD.search(str(message[:200]))
        if head is not None:
            seqs.append(int(head[2]))


async def _one_faulty(port: int) -> None:
    client = await stall(port, "aircraft")
    await asyncio.sleep(STALL_S)
    await die(client)


async def drill(port: int, seconds: int, a_second: int = A_SECOND, bbox: list[float] | None = None) -> Result:
    """Let faulty clients come for so long; returns once every subscriber has a tick from after the last of them.

    ``bbox`` is the area that the subscribers watch; the faulty clients watch everything.
    """
    result, url = Result(), f"ws://127.0.0.1:{port}/ws"
    async with AsyncExitStack() as stack:
        followers = []

        async def follow() -> list[int]:
            seqs: list[int] = []
            followers.append(asyncio.create_task(_follow(await _subscribe(url, stack, bbox), seqs)))
            result.received.append(seqs)
            return seqs

        first = [await follow() for _ in range(SUBSCRIBERS // 2)]
        await eventually(lambda: all(first), "the first snapshots")
        faulty: list[Awaitable[None]] = []
        for second in range(seconds):
            for _ in range(a_second):
                faulty.append(asyncio.create_task(_one_faulty(port)))
                await asyncio.sleep(1 / a_second)
            if second == 0:
                # These stand behind faulty clients in every turn.
                for _ in range(SUBSCRIBERS - len(first)):
                    await follow()
        await asyncio.wait_for(asyncio.gather(*faulty), PATIENCE_S)
        result.faulty = len(faulty)
        latest = max(seqs[-1] for seqs in result.received if seqs)
        await eventually(
            lambda: all(seqs and seqs[-1] > latest for seqs in result.received), "a tick for every subscriber"
        )
        for task in followers:
            task.cancel()
        await asyncio.gather(*followers, return_exceptions=True)
    return result


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        service = Service(
            Path(folder),
            receiver__demo=f"simulate aircraft={AIRCRAFT} seed=1",
            realtime_connections_per_address=1000,
            bus="memory",
        ).init()
        service.start()
        try:
            result = asyncio.run(drill(service.realtime_port, seconds))
        finally:
            service.stop()
        lines = len(service.log.read_text().splitlines())
    ticks = sum(len(seqs) for seqs in result.received)
    print(
        f"{result.faulty} faulty clients in {seconds} s; {len(result.received)} subscribers received {ticks} ticks, "
        f"{result.missed} missed; {lines} log lines"
    )
    raise SystemExit(1 if result.missed else 0)


if __name__ == "__main__":
    main()
