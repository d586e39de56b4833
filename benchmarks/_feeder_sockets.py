"""Feeders with real connections: a listener in this process, and all feeders in a process of their own.

As root and with iproute2 the feeders live in a network namespace of their own, joined by a pair of virtual Ethernet
devices; else they use the loopback device, which is said. On a busy machine the world goes slower: feeders wait until
the listener has decoded what they sent before the last fifty milliseconds, and seconds are those of the world.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import multiprocessing
import os
import random
import resource
import shutil
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._feeders import HALF_S, World
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.feeder_streams.feeder import KnownFeeder, hash_of
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.feeder_streams.message_codec import FeederMessage, encode
from skywatch.receivers.feeder_streams.reduction import Reduction
from skywatch.receivers.kinds.listen import create
from skywatch.receivers.mode_s.encoder import airborne_position, beast, squitter

SENDS_S = 20
PER_HALF = round(SENDS_S * HALF_S)
MISS = 0.1
# A namespace of a network: ``setns(2)``.
CLONE_NEWNET = 0x40000000
LISTENER, CLIENTS = "10.231.77.1", "10.231.77.2"
# The feeder whose frames have the time of their sending in their addresses.
PROBE = 0xA00000


class Parts:
    """Processor seconds by part of the work: wraps the functions that do it. A part within another one is its own."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._inner_s = 0.0

    def wrap(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, measured."""

        def measured(*arguments: Any, **options: Any) -> Any:
            outer_s, self._inner_s = self._inner_s, 0.0
            began = time.process_time()
            try:
                return function(*arguments, **options)
            finally:
                used = time.process_time() - began
                self.seconds[part] += used - self._inner_s
                self._inner_s = outer_s + used

        return measured


def measure_parts(hub: FeederHub, parts: Parts) -> None:
    """Measure what a hub does by its parts."""
    gatherer = hub.gatherer
    gatherer._frames = parts.wrap("framing", gatherer._frames)  # type: ignore[method-assign]
    gatherer.strangers._deduplicator.deduplicate = parts.wrap("gathering", gatherer.strangers._deduplicator.deduplicate)  # type: ignore[method-assign]
    gatherer.strangers._decoder.decode = parts.wrap("decoding", gatherer.strangers._decoder.decode)  # type: ignore[method-assign]
    gatherer._decode = parts.wrap("counting", gatherer._decode)  # type: ignore[method-assign]
    hub.reduce = parts.wrap("reduction", hub.reduce)  # type: ignore[method-assign]


@dataclass
class _Received:
    """What left the listener, while it was measured."""

    counts: Counter[str] = field(default_factory=Counter)
    late_s: list[float] = field(default_factory=list)
    # Frames that were decoded, and sendings that have begun; the clients read and write these.
    decoded: Any = None
    turns: Any = None
    reports: int = 0
    sizes: list[int] = field(default_factory=list)


class _Sink:
    """Where nothing arrives."""

    def put(self, receiver: str, reports: Any, messages: int, positions: int = 0) -> None:
        """Take nothing."""


@contextlib.contextmanager
def namespace() -> Iterator[str | None]:
    """The name of a network namespace with ``CLIENTS``, joined to this one's ``LISTENER``; None where there is none."""
    ip = shutil.which("ip")
    name = f"skywatch-{os.getpid()}"
    device = f"sw{os.getpid() % 100_000}"
    inner = (
        f"link add {device}a type veth peer name {device}b netns {name}", f"addr add {LISTENER}/30 dev {device}a",
        f"link set {device}a up", f"-n {name} addr add {CLIENTS}/30 dev {device}b", f"-n {name} link set {device}b up",
    )  # fmt: skip
    if ip is None or os.geteuid() != 0:
        yield None
        return
    try:
        try:
            for words in (f"netns add {name}", *inner):
                subprocess.run([ip, *words.split()], check=True, capture_output=True, timeout=10)
        except (OSError, subprocess.SubprocessError):
            yield None
            return
        yield name
    finally:
        subprocess.run([ip, "netns", "del", name], check=False, capture_output=True, timeout=10)


def over_sockets(world: World, seconds: float) -> None:
    """Print processor time by part, memory, lateness and losses of a listener with real connections."""
    feeders = len(world.hears)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * feeders + 200)), hard))
    with namespace() as name:
        asyncio.run(_listen(world, seconds, name))


def _resident_kib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1024


async def _listen(world: World, seconds: float, name: str | None) -> None:
    feeders = len(world.hears)
    digits = [f"{number:032x}" for number in range(1, feeders + 2)]
    hub = FeederHub()
    hub.replace([KnownFeeder(n, hash_of(text), True, str(n), n) for n, text in enumerate(digits, 1)])
    host, clients_host = (LISTENER, CLIENTS) if name else ("127.0.0.1", "127.0.0.1")
    parts, received = Parts(), _Received()
    measure_parts(hub, parts)
    encoded = parts.wrap("encoding", lambda reduction: encode(FeederMessage("bench", reduction, [], [])))

    def consume(reduction: Reduction) -> None:
        for link in reduction.links:
            received.counts.update(link.counts)
        received.reports += len(reduction.reports)
        received.sizes.append(len(encoded(reduction)))

    words = [f"{host}:0", f"proxy={clients_host}", f"limit={min(10_000, feeders + 10)}"]
    receiver = create("bench", words, None, ReceiverContext(feeders=hub, consume=consume))
    context = multiprocessing.get_context("fork")
    sent_at, sent, orders = context.Array("d", 1 << 16), context.Value("q", 0), context.Value("q", 0)
    received.decoded, received.turns = context.Value("q", 0), context.Value("q", 0)
    _note_probes(hub, sent_at, received)
    task = asyncio.create_task(receiver.run(_Sink()))
    while receiver.port.number is None:
        await asyncio.sleep(0.01)
    before_kib = _resident_kib()
    arguments = (host, receiver.port.number, name, digits, world, sent_at, sent, orders, received)
    clients = context.Process(target=_clients, args=arguments, daemon=True)
    clients.start()
    while len(hub.connections()) < len(digits):
        await asyncio.sleep(0.1)
    orders.value = 1
    # The clients begin, and a first reduction has been.
    while not received.counts["frames"]:
        await asyncio.sleep(0.1)
    await asyncio.sleep(1.0)
    frames_before = received.counts["frames"]
    received.late_s.clear()
    parts.seconds.clear()
    reports_before, turns_before = received.reports, received.turns.value
    began, began_cpu = time.perf_counter(), time.process_time()
    while received.turns.value - turns_before < seconds * SENDS_S:
        await asyncio.sleep(0.05)
    elapsed, used = (received.turns.value - turns_before) / SENDS_S, time.process_time() - began_cpu
    wall_s = time.perf_counter() - began
    measured, frames, reports = Counter(parts.seconds), received.counts["frames"] - frames_before, received.reports
    late_s = list(received.late_s)
    grown_kib = _resident_kib() - before_kib
    orders.value = 2
    await asyncio.to_thread(clients.join, 60)
    # What is under way arrives, and is reduced.
    while (before := received.decoded.value) < sent.value:
        await asyncio.sleep(5.0)
        if received.decoded.value == before:
            break
    refused = received.counts["too_many"] + received.counts["broken"]
    lost = sent.value - received.decoded.value - refused
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    where = f"in the network namespace {name}" if name else "on the loopback device (a namespace needs root and ip)"
    print(f"{feeders} feeders over sockets {where}, {frames / elapsed / feeders:.0f} frames/s each:")
    print(f"  {elapsed:.0f} s of the world in {wall_s:.0f} s of this machine")
    rows = {"sockets": used - sum(measured.values()), **measured}
    for part in ("sockets", "framing", "gathering", "decoding", "counting", "reduction", "encoding"):
        print(f"  {part:10} {rows[part] / elapsed:6.3f} cores")
    million = used / max(frames, 1) * 1e6
    print(f"  {'together':10} {used / elapsed:6.3f} cores ({million:.2f} s for a million frames)")
    print(f"  reports out / frames in: 1 / {frames / max(1, reports - reports_before):.1f}", end="; ")
    print(f"a message has {np.mean(received.sizes) / 1024:.0f} KiB")
    late = f"{np.percentile(late_s, 95):.3f} s" if late_s else "not measured"
    print(f"  memory {grown_kib / feeders:.0f} KiB a feeder; frame sent to decoded p95 {late}")
    print(f"  {sent.value} frames sent, {lost} lost unseen, {refused} refused and counted")


def _note_probes(hub: FeederHub, sent_at: Any, received: _Received) -> None:
    """Note how late frames of the probe are decoded."""
    decode = hub.gatherer.strangers._decoder.decode

    def noting(*arguments: Any) -> Any:
        decoded, now = decode(*arguments), time.monotonic()
        for address in decoded.address[decoded.address >= PROBE].tolist():
            if address < PROBE + len(sent_at):
                received.late_s.append(now - sent_at[address - PROBE])
        return decoded

    decode_all = hub.gatherer._decode

    def counting(frames: Any, slot: Any) -> None:
        decode_all(frames, slot)
        received.decoded.value += len(frames)

    hub.gatherer.strangers._decoder.decode = noting  # type: ignore[method-assign]
    hub.gatherer._decode = counting  # type: ignore[method-assign]


def _pieces(world: World) -> list[list[tuple[bytes, int]]]:
    """For each sending what each feeder sends, and how many frames that are."""
    chance = random.Random(6)
    pieces = []
    for half_second in range(len(world.frames)):
        heard = [world.bytes_of(feeder, half_second, MISS, chance) for feeder in range(len(world.hears))]
        for turn in range(PER_HALF):
            some = [mine[turn * len(mine) // PER_HALF : (turn + 1) * len(mine) // PER_HALF] for mine in heard]
            pieces.append([(b"".join(frames), len(frames)) for frames in some])
    return pieces


def _clients(
    host: str, port: int, name: str | None, digits: list[str], world: World, sent_at: Any, sent: Any, orders: Any,
    received: _Received,
) -> None:  # fmt: skip
    """In a process of its own: every feeder sends what it hears, twenty times a second; the last one is the probe."""
    if name is not None:
        with Path(f"/run/netns/{name}").open() as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
    pieces = _pieces(world)
    connections = []
    for number, text in enumerate(digits, 1):
        connection = socket.create_connection((host, port))
        header = f"PROXY TCP4 10.{number >> 8}.{number & 255}.1 {host} 1 2\r\n".encode()
        connection.sendall(header + b"\x1a\xe4" + text.encode() + b"ffff")
        connections.append(connection)
    *feeders, probe = connections
    while not orders.value:
        time.sleep(0.05)
    turn, frames, before = 0, 0, 0
    while orders.value < 2:
        due_at = time.monotonic() + 1 / SENDS_S
        for connection, (piece, count) in zip(feeders, pieces[turn % len(pieces)], strict=True):
            connection.sendall(piece)
            frames += count
        number = turn % len(sent_at)
        sent_at[number] = time.monotonic()
        probe.sendall(beast(squitter(PROBE + number, airborne_position(10.0, 10.0, 0, 1000)), 0))
        frames += 1
        turn += 1
        received.turns.value = turn
        time.sleep(max(0.0, due_at - time.monotonic()))
        while received.decoded.value < before and orders.value < 2:
            time.sleep(0.002)
        before = frames
    sent.value = frames
    for connection in connections:
        connection.shutdown(socket.SHUT_WR)
    # Whoever closes at once may take back what was not read yet.
    for connection in connections:
        with contextlib.suppress(OSError):
            connection.settimeout(10)
            while connection.recv(4096):
                pass
