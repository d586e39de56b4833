"""Analyses a recording as the tracker does: the same picture, the same detectors, the recording's clock.

Passes are independent: floors and runways are learnt from the recording itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from skywatch.core.clock import unix_to_iso
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.receivers.recordings import Moment, moments, recognise
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.events.tracker import EventTracker, LiveEvent
from skywatch.safety.recordings import tracks
from skywatch.safety.thresholds.table import Thresholds

# A gap in a recording longer than this is skipped (s).
MAX_GAP_S = 120.0
# Without data for this time (s), ticks are further apart.
QUIET_AFTER_S, QUIET_STEP_S = 3.0, 5.0
RECEIVER = "recording"


class Clock:
    """The recording's time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def skies(path: str, station: tuple[float, float] | None, invalid: Counter[str]) -> Iterator[Sky]:
    """A sky for every second of a recording; raises RecordingError (a ValueError) where it is none."""
    clock = Clock()
    picture: Picture | None = None
    tick_at = 0.0
    heard_at = 0.0
    for at, reports in _moments(path, station, invalid):
        if picture is None:
            clock.now = at
            picture = Picture(station, clock=clock, monotonic=clock)
            tick_at = at + 1.0
        if at - tick_at > MAX_GAP_S:
            # Aircraft of before the gap have timed out: a few ticks remove them.
            for _ in range(3):
                clock.now = tick_at
                yield picture.tick()
                tick_at += MAX_GAP_S / 2
            tick_at = at
        while tick_at <= at:
            clock.now = tick_at
            yield picture.tick()
            tick_at += 1.0 if tick_at - heard_at < QUIET_AFTER_S else min(QUIET_STEP_S, max(at - tick_at, 1.0))
        heard_at = at
        clock.now = max(clock.now, min(at, tick_at))
        picture.put(RECEIVER, reports.reports, reports.messages)
    if picture is not None:
        clock.now = tick_at
        yield picture.tick()


def _moments(path: str, station: tuple[float, float] | None, invalid: Counter[str]) -> Iterator[Moment]:
    if tracks.is_tracks(path):
        return tracks.moments(path, invalid)
    return moments(path, recognise(path), station, invalid, slice_s=0.5)


def judge(
    path: str,
    station: tuple[float, float] | None = None,
    thresholds: Thresholds | None = None,
    on_tick: Callable[[Sky], None] | None = None,
) -> Iterator[LiveEvent]:
    """The events of a recording as they end, and at its end those that are still active."""
    thresholds = thresholds or Thresholds()
    detectors, book = Detectors(), EventTracker()
    for sky in skies(path, station, Counter()):
        for change in book.update(detectors.update(sky, thresholds), sky.now, thresholds):
            if change.step == "ended":
                yield change.event
        if on_tick is not None:
            on_tick(sky)
    yield from book.active


def event_answer(event: LiveEvent) -> dict[str, Any]:
    """An event as one JSON object, as in the REST API but without the fields of the database."""
    finding = event.finding
    numbers = {name: msgspec.to_builtins(quantity) for name, quantity in finding.numbers.items()}
    closest = None
    if event.closest is not None:
        closest = {**msgspec.to_builtins(event.closest), "at": unix_to_iso(event.closest.at)}
    return {
        "type": finding.type,
        "severity": finding.severity,
        "icao_hex": finding.hexes[0].upper() if finding.hexes else None,
        "icao_hex_2": finding.hexes[1].upper() if len(finding.hexes) > 1 else None,
        "callsigns": list(finding.callsigns),
        "message": finding.message,
        "began_at": unix_to_iso(event.began_at),
        "ended_at": unix_to_iso(event.ended_at) if event.ended_at is not None else None,
        "last_at": unix_to_iso(event.last_at),
        "numbers": numbers,
        "position": msgspec.to_builtins(finding.position) if finding.position is not None else None,
        "closest": closest,
        "suppressed_by": list(finding.suppressed_by),
    }
