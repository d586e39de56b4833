"""Safety: CPU time of all detectors and the book of events for one tick.

15,000 aircraft as a continent has them, 5,000 within 200 nm, which no airspace has, and 15,000 simulated ones without
separation within 150 nm, thousands of which are in danger at once. CPU time of this thread, the median of the ticks
after a warm-up.
"""

from __future__ import annotations

import dataclasses
import gc
import statistics
import time
from collections.abc import Iterator

import numpy as np

from benchmarks._traffic import Traffic
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import SOURCE_INDEX, Sky
from skywatch.picture.tracker import GARBAGE_THRESHOLDS
from skywatch.receivers.simulator.traffic import Traffic as SimulatedTraffic
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.thresholds.table import Thresholds

WARM_UP_TICKS, TICKS = 40, 30
START = 1_800_000_000.0
# Aircraft, and by how much the area of 300 by 360 nm is stretched.
CASES = ((15_000, 5.0, "15,000 aircraft over a continent", 20.0), (5_000, 1.0, "5,000 aircraft within 200 nm", 15.0))
FLOOD, FLOOD_MS, CENTRE = 15_000, 150.0, (47.45, 8.56)


def main() -> None:
    """Print the time of a tick, and what it is spent on."""
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    # The allocator keeps memory as in a tracker, which packs a sky of many megabytes every second.
    np.ones(4_000_000)
    for count, stretch, name, target_ms in CASES:
        show(name, target_ms, *measure(skies(count, stretch)))
    show(f"{FLOOD:,} aircraft without separation", FLOOD_MS, *measure(flood(FLOOD)))


def show(name: str, target_ms: float, took: list[float], parts: dict[str, list[float]]) -> None:
    """Print the median of the ticks and of each part."""
    print(f"{name}: {statistics.median(took) * 1000:.1f} ms a tick (at most {target_ms:.0f})")
    for part, times in sorted(parts.items(), key=lambda item: -statistics.median(item[1])):
        print(f"    {part:<12} {statistics.median(times) * 1000:5.1f} ms")


def skies(count: int, stretch: float) -> Iterator[Sky]:
    """Traffic that sends ADS-B of good integrity; one aircraft in seven is an airliner."""
    traffic = Traffic(count, START)
    chance = np.random.default_rng(3)
    category = chance.choice([b"A1", b"A2", b"A3", b"A7", b"B1", b"A1", b"A1"], count)
    while True:
        sky = traffic()
        columns = dict(sky.columns)
        columns["lat"] = 47.5 + (columns["lat"] - 47.5) * stretch
        columns["lon"] = 8.5 + (columns["lon"] - 8.5) * stretch
        columns["category"] = category
        columns["source"] = np.full(count, SOURCE_INDEX["adsb_icao"], "u1")
        columns["nic"], columns["nac_p"] = np.full(count, 8, "i2"), np.full(count, 9, "i2")
        for at in ("position_at", "altitude_at", "velocity_at", "seen_at"):
            columns[at] = np.full(count, sky.now)
        yield dataclasses.replace(sky, columns=columns, scratch={})


def flood(count: int) -> Iterator[Sky]:
    """Simulated aircraft that keep no separation, in the picture of a tracker."""
    clock = [START]
    simulated = SimulatedTraffic(count, CENTRE, START, seed=1, separation=False)
    picture = Picture(CENTRE, clock=lambda: clock[0], monotonic=lambda: clock[0])
    while True:
        clock[0] += 1.0
        simulated.step(clock[0])
        reports = simulated.reports()
        picture.put("simulated", reports, len(reports))
        yield picture.tick()


def measure(passing: Iterator[Sky]) -> tuple[list[float], dict[str, list[float]]]:
    """Times of ticks (s), and of each detector alone."""
    detectors, book, thresholds = Detectors(), EventTracker(), Thresholds()
    took: list[float] = []
    parts: dict[str, list[float]] = {}
    timed(detectors, parts)
    for number, sky in zip(range(WARM_UP_TICKS + TICKS), passing, strict=False):
        began = time.thread_time()
        book.update(detectors.update(sky, thresholds), sky.now, thresholds)
        if number >= WARM_UP_TICKS:
            took.append(time.thread_time() - began)
    return took, {name: times[WARM_UP_TICKS:] for name, times in parts.items()}


def timed(detectors: Detectors, parts: dict[str, list[float]]) -> None:
    """Have every detector note how long it takes."""

    def wrap(name: str, part: object) -> None:
        update = part.update  # type: ignore[attr-defined]

        def measured(*args: object) -> object:
            began = time.thread_time()
            result = update(*args)
            parts.setdefault(name, []).append(time.thread_time() - began)
            return result

        part.update = measured  # type: ignore[attr-defined]

    for name, part in vars(detectors).items():
        if hasattr(part, "update"):
            wrap(name.strip("_"), part)
