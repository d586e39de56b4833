"""Counts the fields of the picture that lie, by kind of liar and by the processes that feeders are connected to."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks._drawn_flights import INVENTED, KINDS, Traffic
from benchmarks._liars import FeederSpec, LiarWorld, Lies
from skywatch.core.bus.memory import MemoryBus
from skywatch.feeders.ingest.connected_feeders import ConnectedFeeders

FLIGHTS, HALF_SECONDS = 40, 120
# Two honest feeders and a liar at these processes.
PLACES = ((0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 2))
MANY, MANY_PROCESSES, MANY_SHARE, MANY_HEAR = 40, 3, 0.05, 0.3
COPIES = 20


def print_lies() -> None:
    """Two honest feeders against one liar, 5 % liars among many, and copied UUIDs."""
    began = time.process_time()
    total: Counter[str] = Counter()
    for kind in KINDS:
        for seed, (one, other, lying) in enumerate(PLACES, 1):
            total += play([FeederSpec(one), FeederSpec(other), FeederSpec(lying, lies=kind)], seed, HALF_SECONDS)
    print(f"2 honest feeders and a liar ({', '.join(KINDS)}) at 1 to 3 processes: {described(total)}")
    total = Counter()
    liars = round(MANY * MANY_SHARE)
    for seed in range(len(KINDS) // liars):
        kinds = KINDS[seed * liars : (seed + 1) * liars]
        honest = [FeederSpec(number % MANY_PROCESSES, MANY_HEAR) for number in range(MANY - liars)]
        lying = [FeederSpec(number % MANY_PROCESSES, lies=kind) for number, kind in enumerate(kinds)]
        total += play([*honest, *lying], seed, HALF_SECONDS // 4)
    print(f"{MANY} feeders at {MANY_PROCESSES} processes, {liars} of them liars: {described(total)}")
    print(f"  {time.process_time() - began:.0f} s of processor time")
    refused, told = copies()
    print(f"{COPIES} copied UUIDs, half of them at another process: {refused} refused, {told} told to the owner")


def play(feeders: Sequence[FeederSpec], seed: int, half_seconds: int) -> Counter[str]:
    """Looks, lies, and invented aircraft with and without their mark."""
    traffic = Traffic.drawn(FLIGHTS, half_seconds, seed)
    world, lies = LiarWorld(traffic, feeders, seed), Lies(traffic)
    counts: Counter[str] = Counter()
    for t, sky in world.skies(half_seconds):
        lies.look(t, sky, world.is_heard(t))
        is_invented = np.array([int(name, 16) >= INVENTED for name in sky.hexes], np.bool_)
        counts["invented"] += int(np.count_nonzero(is_invented))
        counts["unmarked"] += int(np.count_nonzero(is_invented & ~sky.column("single_source")))
    counts["looks"], counts["wrong"] = lies.looks, len(lies.wrong)
    return counts


def described(counts: Counter[str]) -> str:
    """Counts as text."""
    return (
        f"{counts['wrong']} fields that lie in {counts['looks']:,} looks; invented aircraft looked at "
        f"{counts['invented']:,} times, {counts['unmarked']} times without single_source"
    )


def copies() -> tuple[int, int]:
    """How many copied UUIDs were refused, and of how many the owner is told."""
    feeders = [FeederSpec(0) for _ in range(COPIES)]
    world = LiarWorld(Traffic.drawn(2, 2, 1), [*feeders, FeederSpec(1)], 1)
    bus = MemoryBus()
    claims = []
    for index, process in enumerate(world.processes):
        claims.append(ConnectedFeeders(bus, process.hub, f"process {index}"))
        claims[-1].start()
        claims[-1].renew()
    refused = 0
    for number in range(1, COPIES + 1):
        at = number % 2
        process = world.processes[at]
        thief = process.connection(number, FeederSpec(at), f"203.0.113.{number}/32")
        refused += not (claims[at].may_enter(thief) and process.hub.claim(thief))
    told = set[int]().union(*(process.hub.take_copied() for process in world.processes))
    bus.close()
    return refused, len(told)
