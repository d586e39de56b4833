"""Analyses a recording as the tracker does: the same picture, the same detectors, the recording's clock.

Passes are independent: floors and runways are learnt from the recording itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from skywatch.core.clock import unix_to_iso
from skywatch.picture.state.sky import Sky
from skywatch.receivers.recordings import Moment
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.events.tracker import EventTracker, LiveEvent
from skywatch.safety.playback.playback import skies
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import worded


def judge(
    moments: Iterable[Moment],
    station: tuple[float, float] | None = None,
    thresholds: Thresholds | None = None,
    on_tick: Callable[[Sky], None] | None = None,
    every_second: bool = False,
) -> Iterator[LiveEvent]:
    """The events of a recording as they end, and at its end those that are still active.

    ``every_second``: with the ticks that make no difference too.
    """
    used = thresholds or Thresholds()
    detectors, book = Detectors(), EventTracker()

    def is_waiting() -> bool:
        return every_second or bool(book.active) or detectors.is_waiting(used)

    for sky in skies(moments, station, is_waiting):
        for change in book.update(detectors.update(sky, used), sky.now, used):
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
        **worded("message", finding.message),
        "began_at": unix_to_iso(event.began_at),
        "ended_at": unix_to_iso(event.ended_at) if event.ended_at is not None else None,
        "last_at": unix_to_iso(event.last_at),
        "numbers": numbers,
        "position": msgspec.to_builtins(finding.position) if finding.position is not None else None,
        "closest": closest,
        "suppressed_by": list(finding.suppressed_by),
    }
