"""One message to many subscribers: processor time for each, beside websockets, Autobahn, python-socketio and the floor.

The floor is what the system calls cost alone: a loop of ``socket.send`` of the same bytes to as many sockets.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe

from benchmarks._realtime_rates import PEERS, SKYWATCH, Peer
from benchmarks._swarm import Drain, Subscriber, connect_many
from benchmarks.peers import realtime_servers as servers

# Bytes of a message, subscribers, messages in one turn of the server's loop.
SHAPES = ((500, 100, 1), (500, 500, 1), (5000, 100, 1), (5000, 500, 1), (500, 500, 10), (5000, 500, 10))
ROUNDS = 12
# Deliveries of each server in a round.
DELIVERIES = 20_000
WAIT_S = 20.0
FLOOR, AFTER, BEFORE, SOCKETIO = "floor", "skywatch", "before", "socketio"
# Of a server at least, to who greets it: the beginning, and that the subscriber is admitted.
ANSWERS = 2
# A ping would count as a message.
QUIET = {"realtime_heartbeat_s": "300"}


@dataclass
class Contender:
    """A server with its subscribers; ``costs`` has microseconds of its processor for a delivery, a round each."""

    name: str
    pid: int
    pipe: Pipe
    swarm: list[Subscriber]
    costs: list[float] = field(default_factory=list)
    rate: float = 0.0
    # Whether all that was sent arrived; it takes no further part otherwise.
    is_complete: bool = True
    count: Callable[[int], None] = lambda frames: None

    def __post_init__(self) -> None:
        # For all rounds: the end of a frame that was counted by its header may arrive in the next one.
        for subscriber in self.swarm:
            subscriber.transport.set_protocol(Drain(lambda frames: self.count(frames)))

    async def deliver(self, payload: bytes, burst: int, batches: int) -> None:
        """Send so many batches and note what they cost."""
        done, acknowledge = asyncio.Event(), _Acknowledge(self.pipe, len(self.swarm) * burst, burst, batches)

        def count(frames: int) -> None:
            if acknowledge(frames):
                done.set()

        self.count = count
        began, used = time.perf_counter(), servers.exact_processor_s(self.pid)
        self.pipe.send((payload, burst, batches))
        try:
            await asyncio.wait_for(done.wait(), WAIT_S)
        except TimeoutError:
            self.is_complete = False
            return
        elapsed, used = time.perf_counter() - began, servers.exact_processor_s(self.pid) - used
        deliveries = len(self.swarm) * burst * batches
        self.costs.append(1e6 * used / deliveries)
        self.rate = max(self.rate, deliveries / elapsed)


class _Acknowledge:
    """Reports batches that all have, two times a window: each report costs the server, whichever it is, time too."""

    def __init__(self, pipe: Pipe, batch_frames: int, burst: int, batches: int) -> None:
        self._pipe, self._batch_frames, self._batches = pipe, batch_frames, batches
        self._step = max(1, servers.WINDOW // burst // 2)
        self._frames = self._reported = 0

    def __call__(self, frames: int) -> bool:
        self._frames += frames
        batch = self._frames // self._batch_frames
        if batch >= min(self._reported + self._step, self._batches) and self._reported < self._batches:
            self._reported = batch
            self._pipe.send(batch)
        return batch >= self._batches


def _peers(before: str | None) -> dict[str, tuple[Peer, dict[str, str]]]:
    others = {name: (peer, QUIET if name in (AFTER, SOCKETIO) else {}) for name, peer in PEERS.items()}
    past = {BEFORE: (SKYWATCH, {"checkout": before, **QUIET})} if before else {}
    return {FLOOR: (Peer(servers.bare_server), {}), **past, **others}


async def _contenders(stack: ExitStack, clients: int, before: str | None) -> list[Contender]:
    found = []
    for name, (peer, options) in _peers(before).items():
        port, pid, pipe = stack.enter_context(servers.running(peer.serve, **options))
        swarm = await connect_many(port, clients, lambda _, p=peer: Subscriber(p.path, list(p.hello), _ignore))  # type: ignore[misc]
        await _admitted(swarm, ANSWERS if peer.hello else 0)
        found.append(Contender(name, pid, pipe, swarm))
    return found


async def _admitted(swarm: list[Subscriber], answers: int, quiet_s: float = 0.5) -> None:
    """Return when each subscriber has so many answers, and nothing has come for a moment."""
    before, deadline = -1, time.monotonic() + WAIT_S
    while before != (received := sum(s.received for s in swarm)) or min(s.frames for s in swarm) < answers:
        if time.monotonic() > deadline:
            raise TimeoutError("not all subscribers were admitted")
        before = received
        await asyncio.sleep(quiet_s)


def _ignore(subscriber: Subscriber, head: bytes) -> None:
    """What comes before the measurement."""


async def measure(size: int, clients: int, burst: int, before: str | None) -> list[Contender]:
    """All servers by turns."""
    payload = json.dumps({"id": 1, "text": "x" * (size - 20)}).encode()
    batches = max(4, DELIVERIES // (clients * burst))
    with ExitStack() as stack:
        contenders = await _contenders(stack, clients, before)
        for number in range(ROUNDS + 1):
            for contender in [contender for contender in contenders if contender.is_complete]:
                await contender.deliver(payload, burst, batches)
                if not number:
                    # What the first messages load and make is not part of a delivery.
                    contender.costs.clear()
        for contender in contenders:
            for subscriber in contender.swarm:
                subscriber.transport.close()
    return contenders


def fan_out(before: str | None = None) -> None:
    """Processor time of a delivery; each server once in each round, the best of its rounds counts."""
    print(f"  us of the server's processor for a message at one subscriber, best of {ROUNDS} rounds by turns")
    for size, clients, burst in SHAPES:
        print(f"  {size} B x {clients}, {burst} at once:", flush=True)
        for line in _lines(asyncio.run(measure(size, clients, burst, before))):
            print(f"    {line}", flush=True)


def _lines(contenders: list[Contender]) -> Iterator[str]:
    by_name = {contender.name: contender for contender in contenders}
    ours = by_name[AFTER].costs
    for contender in contenders:
        if not contender.is_complete:
            yield f"{contender.name:12} did not deliver all messages"
            continue
        ratios = [theirs / own for theirs, own in zip(contender.costs, ours, strict=True)]
        yield (
            f"{contender.name:12} {min(contender.costs):6.2f} us, {min(contender.costs) / min(ours):5.2f} times "
            f"Skywatch's (median of the rounds' ratios {statistics.median(ratios):5.2f}), "
            f"{contender.rate:9,.0f} messages/s"
        )
