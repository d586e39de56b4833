"""Plays a recording through a picture of its own, with a tick where one may make a difference.

Ticks are whole seconds after the first report. One follows where something was received, where something expires, and
where the caller still waits for time to pass; all others would find what the tick before found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.receivers.recordings import Moment

RECEIVER = "recording"
TICK_S = 1.0


class Clock:
    """The recording's time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def skies(
    moments: Iterable[Moment],
    station: tuple[float, float] | None,
    is_waiting: Callable[[], bool] = lambda: True,
) -> Iterator[Sky]:
    """The skies of a recording.

    ``is_waiting`` is asked after each of them: whether the next second is needed although nothing is received in it.
    """
    clock = Clock()
    picture: Picture | None = None
    tick_at = 0.0
    for at, batch in _with_reports(moments):
        if picture is None:
            clock.now = at
            picture = Picture(station, clock=clock, monotonic=clock)
            tick_at = at + TICK_S
        while tick_at <= at:
            clock.now = tick_at
            yield picture.tick()
            tick_at += TICK_S
            if tick_at <= at and not is_waiting():
                tick_at = _next_tick(picture, clock.now, at)
        clock.now = max(clock.now, min(at, tick_at))
        picture.put(RECEIVER, batch.reports, batch.messages)
    if picture is not None:
        clock.now = tick_at
        yield picture.tick()


def _with_reports(moments: Iterable[Moment]) -> Iterator[Moment]:
    """The moments in which something was received, with the first and the last one: in all others only time passes."""
    skipped: Moment | None = None
    for number, moment in enumerate(moments):
        is_needed = number == 0 or bool(moment.batch.reports)
        if is_needed:
            yield moment
        skipped = None if is_needed else moment
    if skipped is not None:
        yield skipped


def _next_tick(picture: Picture, now: float, received_at: float) -> float:
    """The first tick after ``now`` in which something has expired, or that follows what is received."""
    seconds = math.floor((received_at - now) / TICK_S) + 1
    change_at = picture.next_change_at(now)
    if change_at < received_at:
        # What expires at a tick's time may still be shown in it.
        seconds = min(seconds, max(math.ceil((change_at - now) / TICK_S), 1))
    return now + seconds * TICK_S
