"""Draws many encounters of a geometry, runs the detectors over them, and says which were raised and how early."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

import numpy as np

from skywatch.safety.detection.conflicts.proximity import box
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.unit.safety.drawn import START, found, skies
from tests.unit.safety.geometries.flying import FEET_PER_G, Encounter, Path

# Each encounter has a place of its own; no region is crowded.
T = Thresholds(aggregate_total=10_000)
# Of three seeds one stays unseen until a rule is finished.
EVERY_UNSEEN = 3
# The detection needs so long (s) beyond a lead: its hold and the tick.
HOLD_S = 4
# Altitudes are captured with less than this (g).
LEVEL_OFF_G = 0.075


@dataclass(frozen=True)
class Outcome:
    """What came of an encounter: raised how long before its closest point (s); None where it was not, or too late."""

    number: int
    harmful: bool
    raised: bool
    lead_s: float | None
    asked_s: float | None
    reasons: tuple[str, ...]
    is_decided: bool
    # Whether the lead that is asked was to be had: nobody who has not told where he levels off still could.
    was_to_be_had: bool = True


def numbers(count: int, unseen: bool) -> list[int]:
    """So many seeds: those that are looked at while rules are made, or the others."""
    return [n for n in range(EVERY_UNSEEN * count) if (n % EVERY_UNSEEN == EVERY_UNSEEN - 1) == unseen][:count]


def run(geometry: Callable[[Random], Encounter], seeds: list[int]) -> list[Outcome]:
    """The outcome of each seed."""
    return run_together([geometry], seeds)[geometry.__name__]


def run_together(geometries: Iterable[Callable[[Random], Encounter]], seeds: list[int]) -> dict[str, list[Outcome]]:
    """The outcome of each seed of each geometry, all in one sky: an encounter alone costs as much as all."""
    encounters = {
        (geometry.__name__, seed): geometry(Random(f"{geometry.__name__}:{seed}"))
        for geometry in geometries
        for seed in seeds
    }
    drawn, of = [], {}
    for index, (case, encounter) in enumerate(encounters.items()):
        centre = (-40.0 + 4.0 * (index % 20), -150.0 + 5.0 * (index // 20))
        for aircraft in encounter.aircraft:
            address = f"{aircraft.hex}{0xA00000 + len(of):06x}"
            of[address] = case
            drawn.append(dataclasses.replace(aircraft, hex=address, centre=centre))
    seconds = max(encounter.seconds for encounter in encounters.values())
    events: dict[tuple[str, int], list[tuple[float | None, tuple[str, ...]]]] = {case: [] for case in encounters}
    raised_at: dict[int, float] = {}
    for event in found(skies(drawn, seconds), T, on_raise=lambda live, now: raised_at.setdefault(id(live), now)):
        if event.finding.type == "proximity":
            at = raised_at.get(id(event))
            events[of[event.finding.hexes[0]]].append((at, event.finding.suppressed_by))
    outcomes: dict[str, list[Outcome]] = {name: [] for name, _ in encounters}
    for (name, seed), encounter in encounters.items():
        outcomes[name].append(_outcome(seed, encounter, events[name, seed]))
    return outcomes


def _outcome(seed: int, encounter: Encounter, events: list[tuple[float | None, tuple[str, ...]]]) -> Outcome:
    times = [at - START for at, _ in events if at is not None]
    reasons = tuple(sorted({reason for _, words in events for reason in words}))
    if not encounter.harmful:
        return Outcome(seed, False, bool(times), None, None, reasons, encounter.is_decided)
    closest = closest_s(*(aircraft.path for aircraft in encounter.aircraft), encounter.seconds)
    lead = closest - min(times) if times else None
    raised = lead is not None and lead >= 0
    was_to_be_had = encounter.is_decided or closest - _last_level_off_s(encounter, closest) >= encounter.lead_s + HOLD_S
    lead = lead if raised else None
    return Outcome(seed, True, raised, lead, encounter.lead_s, reasons, encounter.is_decided, was_to_be_had)


def _last_level_off_s(encounter: Encounter, closest: int) -> int:
    """The last second at which two could still level off at the usual separation, braking with the most measured."""
    first, second = (aircraft.path for aircraft in encounter.aircraft)
    return max((t for t in range(closest + 1) if _can_level_off(first, second, t)), default=0)


def _can_level_off(first: Path, second: Path, t: float) -> bool:
    lower, upper = sorted((path(t)[2], path(t + 1)[2] - path(t)[2]) for path in (first, second))
    # 500 ft low and 1,000 ft high, and 1,000 ft where one climbs and the other descends.
    separation_ft = 1000.0 if lower[1] * upper[1] < 0 else 1.25 * float(box(np.array([lower[0]]), T)[1][0])
    up, down = max(lower[1], 0.0), max(-upper[1], 0.0)
    squares = up * up + down * down if up and down else max(lower[1] - upper[1], 0.0) ** 2
    return upper[0] - lower[0] - squares / (2 * LEVEL_OFF_G * FEET_PER_G) >= separation_ft


def closest_s(first: Path, second: Path, seconds: int) -> float:
    """When two are closest, measured by the box."""

    def measure(t: float) -> float:
        a, b = first(t), second(t)
        (wide,), (high,) = box(np.array([min(a[2], b[2])]), T)
        return math.hypot(math.dist(a[:2], b[:2]) / float(wide), 0.2 * (a[2] - b[2]) / float(high))

    return min(range(seconds), key=measure)
