"""``replay FILE [speed=10] [loop] [gap=70]``: a recording played as if it were now.

Times are shifted so that the recording begins at this moment, and pressed together by ``speed``. Between two rounds
of a loop there is silence (``gap`` seconds), so that aircraft leave the picture and do not jump back to where they
began.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from skywatch.inputs.options import Options, Station, Words
from skywatch.inputs.retrying import InputEnded
from skywatch.receivers.documents import Heard
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.recordings import Kind, Moment, RecordingError, moments, recognise
from skywatch.receivers.report import Report

SPEED = (0.01, 1000.0)
# Longer than the picture's usual timeout.
DEFAULT_GAP_S = 70.0
# What falls into the same tenth of a second is delivered together.
SLICE_S = 0.1
# A recording whose time steps back by more, or ahead by more, had its clock set: it goes on where it was.
STEP_BACK_S, LEAP_AHEAD_S = 60.0, 12 * 3600.0


class ReplayReceiver(RetryingReceiver):
    """A recording in place of an antenna. ``speed`` is how many times faster than life it plays."""

    kind = "replay"

    def __init__(
        self, name: str, path: str, recording: Kind, station: Station, speed: float, loop: bool, gap_s: float
    ) -> None:
        super().__init__(name, f"{path} ({recording})")
        self.speed = speed
        self._path = path
        self._recording: Kind = recording
        self._station = station
        self._loop = loop
        self._gap_s = gap_s

    async def session(self) -> None:
        """Play once, or for ever."""
        while True:
            self.set_connected()
            try:
                await self._play()
            except RecordingError as error:
                # What lies before the damage was played; beginning anew would only make the aircraft jump.
                self.set_problem(str(error))
            if not self._loop:
                raise InputEnded
            self._status.state = "waiting"
            await asyncio.sleep(self._gap_s)

    async def _play(self) -> None:
        timeline: Timeline | None = None
        slice_s = SLICE_S * self.speed
        recorded = moments(self._path, self._recording, self._station, self.invalid, slice_s, self.cpr, self.tap)
        for at, heard in _slices(recorded, slice_s):
            timeline = timeline or Timeline(at, time.time(), self.speed)
            due = timeline.place(at)
            # Always a turn for the others on the loop, even when it is late.
            await asyncio.sleep(max(due - time.time(), 0.0))
            timeline.shift(heard.reports)
            self.deliver(*heard)


class Timeline:
    """The recording's time (unix seconds) told in ours, from the moment on at which it begins."""

    def __init__(self, first: float, starts_at: float, speed: float) -> None:
        self._zero = first
        self._starts_at = starts_at
        self._speed = speed
        self._latest = first

    def place(self, at: float) -> float:
        """When in our time this moment is due."""
        if not -STEP_BACK_S <= at - self._latest <= LEAP_AHEAD_S:
            self._zero -= self._latest - at
            self._latest = at
        self._latest = max(self._latest, at)
        return self._ours(at)

    def shift(self, reports: list[Report]) -> None:
        """Bring the times of reports into ours, in place."""
        for report in reports:
            report.at = self._ours(report.at)
            if report.position_at:
                report.position_at = self._ours(report.position_at)

    def _ours(self, at: float) -> float:
        return self._starts_at + (at - self._zero) / self._speed


def _slices(source: Iterator[Moment], slice_s: float) -> Iterator[Moment]:
    """Moments that lie close together as one."""
    gathered: list[Report] = []
    messages = positions = 0
    begun: float | None = None
    last = 0.0
    for at, heard in source:
        if begun is not None and not 0 <= at - begun < slice_s:
            yield Moment(last, Heard(gathered, messages, positions))
            gathered, messages, positions, begun = [], 0, 0, None
        begun = at if begun is None else begun
        gathered += heard.reports
        messages += heard.messages
        positions += heard.positions
        last = at
    if begun is not None:
        yield Moment(last, Heard(gathered, messages, positions))


def create(name: str, words: Words, station: Station) -> ReplayReceiver:
    """Raises ValueError where the file is missing or no recording, or an option is wrong."""
    if not words:
        raise ValueError("expected the path of a recording")
    path, *rest = words
    options = Options(rest)
    speed = options.number("speed", 1.0, *SPEED)
    loop = options.flag("loop")
    gap_s = options.number("gap", DEFAULT_GAP_S, 0.0, 86_400.0)
    options.finish()
    if not Path(path).is_file():
        raise ValueError(f"there is no file {path}")
    return ReplayReceiver(name, path, recognise(path), station, speed, loop, gap_s)
