"""Many feeders that hear the same world: what accepting, decoding and reducing them costs.

``python -m benchmarks.feeders [--feeders N] [--hearers N]``. Processor time, because it is the same on a busy machine.
In process: bytes go to connections without sockets. Over sockets: real connections to a real listener on this machine,
whose clients run in a process of their own.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks._feeder_sockets import MISS, Parts, measure_parts, over_sockets
from benchmarks._feeders import HALF_S, World, as_beast, make_world, place
from benchmarks._lies import print_lies
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.ingest.encoding import FeederMessage, encode
from skywatch.receivers.ingest.gathering import gatherer as gathering
from skywatch.receivers.kinds.mode_s_stream import FrameReports
from skywatch.receivers.listening.connection import FeederConnection
from skywatch.receivers.listening.hub import FeederHub, KnownFeeder, hash_of
from skywatch.receivers.mode_s.encoder import airborne_position, squitter

FEEDERS, HEARERS, FRAMES_S, SECONDS = 1_000, 10, 240, 5
# So many gatherings a second of 50 ms each.
FLUSHES_S = 20
RATIOS = (1, 10, 60)
RATIO_FEEDERS, RATIO_SECONDS = 240, 4
BATCH_FEEDERS, BATCH_FRAMES, BATCH_ROUNDS = 40, 24, 100
SOCKET_FEEDERS, SOCKET_SECONDS = 1_000, 8


class Ingest:
    """A hub with feeders that are connected without sockets."""

    def __init__(self, feeders: int, parts: Parts | None = None) -> None:
        self.hub = FeederHub()
        gatherer = self.gatherer = self.hub.gatherer
        gatherer.add = lambda stream: gatherer._waiting.__setitem__(stream.slot, stream)  # type: ignore[method-assign]
        if parts is not None:
            measure_parts(self.hub, parts)
        self.connections = []
        for number in range(1, feeders + 1):
            feeder = KnownFeeder(number, hash_of(str(number)), True, "", number)
            network = f"10.{number >> 8}.{number & 255}.1/32"
            connection = FeederConnection(feeder, ("10.0.0.1", 1), network, 10_000, Counter(), self.hub, lambda: None)
            if not self.hub.claim(connection):
                raise RuntimeError("a feeder is not let in")
            self.connections.append(connection)


def in_process(world: World, feeders: int) -> None:
    """Processor time by part, memory, and the age of reports."""
    parts, chance = Parts(), random.Random(2)
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ingest = Ingest(feeders, parts)
    frames = reports = 0
    sizes, late_s = [], []
    per_half = max(1, round(FLUSHES_S * HALF_S))
    base = time.time()
    for half_second in range(len(world.frames)):
        heard = [world.bytes_of(feeder, half_second, MISS, chance) for feeder in range(feeders)]
        frames += sum(map(len, heard))
        for turn in range(per_half):
            at = half_second * HALF_S + (turn + 1) / FLUSHES_S
            for connection, mine in zip(ingest.connections, heard, strict=True):
                piece = mine[turn * len(mine) // per_half : (turn + 1) * len(mine) // per_half]
                if piece:
                    connection.receive(b"".join(piece))
            began = time.perf_counter()
            ingest.gatherer.flush(base + at)
            # A frame waits for up to 50 ms, then for what is decoded with it.
            late_s.append(gathering.GATHER_S + time.perf_counter() - began)
        if half_second % 2:
            reduction = ingest.hub.reduce()
            reports += len(reduction.reports)
            began_cpu = time.process_time()
            sizes.append(len(encode(FeederMessage("bench", reduction, [], []))))
            parts.seconds["encoding"] += time.process_time() - began_cpu
    seconds = len(world.frames) * HALF_S
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib
    print(f"{feeders} feeders, {frames / seconds / feeders:.0f} frames/s each, {seconds:.0f} s, without sockets:")
    for part in ("framing", "gathering", "decoding", "counting", "reduction", "encoding"):
        print(f"  {part:10} {parts.seconds[part] / seconds:6.3f} cores")
    print(f"  {'together':10} {sum(parts.seconds.values()) / seconds:6.3f} cores")
    print(
        f"  reports out / frames in: 1 / {frames / max(reports, 1):.1f}; a message has {np.mean(sizes) / 1024:.0f} KiB"
    )
    print(f"  memory {grown_kib / feeders:.0f} KiB a feeder; frame to decoded p95 {np.percentile(late_s, 95):.3f} s")


def batches() -> None:
    """One decoder for each feeder with batches of its own, and one for what all sent, in turns."""
    aircraft = 200
    rounds = []
    for turn in range(BATCH_ROUNDS):
        rows = []
        for feeder in range(BATCH_FEEDERS):
            mine = []
            for frame in range(BATCH_FRAMES):
                number = (feeder * 5 + frame) % aircraft
                lat, lon = place(number, turn)
                mine.append(squitter(0x400000 + number, airborne_position(lat, lon, turn % 2, 30_000)))
            rows.append(b"".join(mine))
        rounds.append([[row[n : n + 14] for n in range(0, len(row), 14)] for row in rows])
    streams = [[b"".join(as_beast(mine, turn)) for mine in rows] for turn, rows in enumerate(rounds)]
    framers = [BeastFramer() for _ in range(BATCH_FEEDERS)]
    decoders = [FrameReports(None, Counter()) for _ in range(BATCH_FEEDERS)]
    ingest = Ingest(BATCH_FEEDERS)
    alone = gathered = 0.0
    base = time.time()
    for turn, rows in enumerate(streams):
        began = time.process_time()
        for framer, decoder, received in zip(framers, decoders, rows, strict=True):
            batch = framer.feed(received, base + turn * HALF_S)
            decoder.decode(batch if isinstance(batch, FrameBatch) else FrameBatch.empty())
        alone += time.process_time() - began
        began = time.process_time()
        for connection, received in zip(ingest.connections, rows, strict=True):
            connection.receive(received)
        ingest.gatherer.flush(base + turn * HALF_S)
        if turn % 2:
            ingest.hub.reduce()
        gathered += time.process_time() - began
    frames = BATCH_FEEDERS * BATCH_FRAMES * BATCH_ROUNDS
    print(f"{BATCH_FEEDERS} feeders with {BATCH_FRAMES} frames each, 5 of them a transmission:")
    print(f"  a decoder each {frames / alone:9,.0f} frames a processor second")
    print(f"  gathered       {frames / gathered:9,.0f} frames a processor second ({alone / gathered:.1f} times)")


def ratios() -> None:
    """Reports out for frames in, by how many hear an aircraft."""
    for hearers in RATIOS:
        world = make_world(RATIO_FEEDERS, hearers, FRAMES_S, RATIO_SECONDS)
        ingest, chance = Ingest(RATIO_FEEDERS), random.Random(3)
        frames = reports = 0
        base = time.time()
        for half_second in range(len(world.frames)):
            for feeder, connection in enumerate(ingest.connections):
                heard = world.bytes_of(feeder, half_second, MISS, chance)
                frames += len(heard)
                connection.receive(b"".join(heard))
            ingest.gatherer.flush(base + half_second * HALF_S)
            if half_second % 2:
                reports += len(ingest.hub.reduce().reports)
        print(f"{hearers:3} hearers a frame: 1 report for {frames / max(reports, 1):6.1f} frames")


def heard_of(frames_s: int) -> int:
    """Frames that an antenna hears a second, of which so many are sent."""
    return round(frames_s / (1 - MISS))


def main(arguments: Sequence[str] = ()) -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeders", type=int, default=FEEDERS)
    parser.add_argument("--hearers", type=int, default=HEARERS)
    options = parser.parse_args(arguments)
    in_process(make_world(options.feeders, options.hearers, heard_of(FRAMES_S), SECONDS), options.feeders)
    batches()
    ratios()
    print_lies()
    over_sockets(make_world(SOCKET_FEEDERS, HEARERS, heard_of(FRAMES_S), 2), SOCKET_SECONDS)


if __name__ == "__main__":
    main(sys.argv[1:])
