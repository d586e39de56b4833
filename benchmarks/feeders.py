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
from functools import partial

import numpy as np

from benchmarks._feeder_sockets import MISS, Parts, measure_parts, over_sockets
from benchmarks._feeders import HALF_S, World, as_beast, make_world, place
from benchmarks._lies import print_lies
from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.feeder_streams.feeder import KnownFeeder, hash_of
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.feeder_streams.message_codec import FeederMessage, encode
from skywatch.receivers.feeder_streams.shared_decoder import gatherer as gathering
from skywatch.receivers.formats.frames import FrameReports
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.framing.frames import LONG_BYTES, Column, FrameBatch
from skywatch.receivers.mode_s.encoder import airborne_position, squitter
from skywatch.receivers.mode_s.frames.parity import remainders
from skywatch.receivers.settings import ReceiverSettings

FEEDERS, HEARERS, FRAMES_S, SECONDS = 1_000, 10, 240, 5
# So many gatherings a second of 50 ms each.
FLUSHES_S = 20
RATIOS = (1, 10, 60)
RATIO_FEEDERS, RATIO_SECONDS = 240, 4
# What a gathering costs whatever is in it weighs less the more feeders there are.
BATCH_FEEDERS, BATCH_FRAMES, BATCH_ROUNDS = (40, 80, 160), 24, 100
SOCKET_FEEDERS, SOCKET_SECONDS = 1_000, 8
# Strangers of as many owners that send all that they may, of aircraft that ours hear and of invented ones.
STRANGERS, STRANGERS_S, KNOWN = 10, 20, 300


class Ingest:
    """A hub with feeders that are connected without sockets, the first ``trusted`` of every two."""

    def __init__(self, feeders: int, parts: Parts | None = None, *, trusted: int = 0) -> None:
        self.hub = FeederHub()
        gatherer = self.gatherer = self.hub.gatherer
        gatherer.add = lambda stream: gatherer._waiting.__setitem__(stream.slot, stream)  # type: ignore[method-assign]
        if parts is not None:
            measure_parts(self.hub, parts)
        self.connections = []
        for number in range(1, feeders + 1):
            feeder = KnownFeeder(number, hash_of(str(number)), True, "", number, number % 2 < trusted)
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


def batches(feeders: int) -> None:
    """One decoder for each feeder with batches of its own, and one for what all sent, in turns."""
    aircraft = 5 * feeders
    rounds = []
    for turn in range(BATCH_ROUNDS):
        rows = []
        for feeder in range(feeders):
            mine = []
            for frame in range(BATCH_FRAMES):
                number = (feeder * 5 + frame) % aircraft
                lat, lon = place(number, turn)
                mine.append(squitter(0x400000 + number, airborne_position(lat, lon, turn % 2, 30_000)))
            rows.append(b"".join(mine))
        rounds.append([[row[n : n + 14] for n in range(0, len(row), 14)] for row in rows])
    streams = [[b"".join(as_beast(mine, turn)) for mine in rows] for turn, rows in enumerate(rounds)]
    framers = [BeastFramer() for _ in range(feeders)]
    decoders = [FrameReports(None, Counter()) for _ in range(feeders)]
    ingest = Ingest(feeders)
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
    frames = feeders * BATCH_FRAMES * BATCH_ROUNDS
    print(f"{feeders} feeders with {BATCH_FRAMES} frames each, 5 of them a transmission:")
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


def kinds() -> None:
    """What gathering costs if no feeder is trusted, half of them, and all: ours and strangers are decoded apart."""
    world, chance = make_world(RATIO_FEEDERS, HEARERS, FRAMES_S, RATIO_SECONDS), random.Random(4)
    heard = [
        [world.bytes_of(feeder, half_second, MISS, chance) for feeder in range(RATIO_FEEDERS)]
        for half_second in range(len(world.frames))
    ]
    per_half = round(FLUSHES_S * HALF_S)
    cores = []
    for trusted in range(3):
        ingest, base, used = Ingest(RATIO_FEEDERS, trusted=trusted), time.time(), 0.0
        for half_second, of_feeders in enumerate(heard):
            for turn in range(per_half):
                at = half_second * HALF_S + (turn + 1) / FLUSHES_S
                ingest.gatherer.clock = partial(float, at)
                for connection, mine in zip(ingest.connections, of_feeders, strict=True):
                    connection.receive(
                        b"".join(mine[turn * len(mine) // per_half : (turn + 1) * len(mine) // per_half])
                    )
                began = time.process_time()
                ingest.gatherer.flush(base + at)
                used += time.process_time() - began
            if half_second % 2:
                began = time.process_time()
                encode(FeederMessage("bench", ingest.hub.reduce(base + at), [], []))
                used += time.process_time() - began
        cores.append(used / (len(heard) * HALF_S))
    print(f"{RATIO_FEEDERS} feeders, none of them, half and all trusted: ", end="")
    print(", ".join(f"{each:.3f}" for each in cores), "cores")


def strangers() -> None:
    """What strangers cost who send what ours hear as well, and who invent an address for each frame."""
    cost_s = {}
    draw = np.random.default_rng(1)
    known = np.arange(0x400000, 0x400000 + KNOWN)
    frames = ReceiverSettings.feeder_messages_s // FLUSHES_S
    for kind in ("known", "invented"):
        ingest = Ingest(STRANGERS)
        ingest.hub.limit.hear(known)
        cost_s[kind], base = 0.0, time.time()
        for turn in range(STRANGERS_S * FLUSHES_S):
            at = turn / FLUSHES_S
            ingest.gatherer.clock = partial(float, at)
            for connection in ingest.connections:
                addresses = np.resize(known, frames) if kind == "known" else draw.integers(0x500000, 0xF00000, frames)
                batch = identifications(addresses, draw.integers(0, 1 << 42, frames))
                connection.receive_frames(batch, 23 * frames)
            began = time.process_time()
            ingest.gatherer.flush(base + at)
            if turn % FLUSHES_S == FLUSHES_S - 1:
                encode(FeederMessage("bench", ingest.hub.reduce(base + at), [], []))
            cost_s[kind] += time.process_time() - began
    print(f"{STRANGERS} strangers of {frames * FLUSHES_S} frames/s each:")
    for kind, seconds in cost_s.items():
        print(f"  {kind:9} addresses {seconds / STRANGERS_S:6.3f} cores")
    print(f"  an invented address costs {cost_s['invented'] / cost_s['known']:.2f} of a known one")


def identifications(addresses: Column, callsigns: Column) -> FrameBatch:
    """Identification squitters of these addresses, with callsigns of 42 bits; without a counter."""
    data = np.zeros((len(addresses), 16), np.uint8)
    data[:, 0] = 17 << 3 | 5
    whole = (4 << 51) | (callsigns << 6)
    for column, shift in enumerate(range(16, -8, -8), 1):
        data[:, column] = addresses >> shift & 0xFF
    for column, shift in enumerate(range(48, -8, -8), 4):
        data[:, column] = whole >> shift & 0xFF
    check = remainders(data, np.ones(len(data), np.bool_))
    for column, shift in enumerate(range(16, -8, -8), 11):
        data[:, column] = check >> shift & 0xFF
    rows = [bytes(row[:LONG_BYTES]) for row in data]
    return FrameBatch.of_bytes(rows)


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
    for feeders in BATCH_FEEDERS:
        batches(feeders)
    ratios()
    kinds()
    strangers()
    print_lies()
    over_sockets(make_world(SOCKET_FEEDERS, HEARERS, heard_of(FRAMES_S), 2), SOCKET_SECONDS)


if __name__ == "__main__":
    main(sys.argv[1:])
