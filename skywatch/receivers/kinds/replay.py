"""``replay FILE [speed=10] [loop] [gap=70] [place=LAT,LON] [range_nm=NM]``: plays a recording as live data.

Times are shifted so that the recording begins now, and compressed by ``speed``. A loop pauses for ``gap`` seconds
before each repetition, so that aircraft leave the picture and do not jump back to where they began.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from skywatch.inputs.options import Options, Station, Words
from skywatch.inputs.retrying_input import InputEnded
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.recordings import FRAMES, Kind, Moment, RecordingError, moments, recognise
from skywatch.receivers.reports.documents import ReportBatch
from skywatch.receivers.reports.report import Report
from skywatch.receivers.site import Site, read_site
from skywatch.sentences import sentence

SPEED = (0.01, 1000.0)
# Longer than the picture's usual timeout.
DEFAULT_GAP_S = 70.0
# Reports within the same tenth of a second are delivered together.
SLICE_S = 0.1
# A larger step of the recording's time back or ahead (s) is a clock that was set: the replay continues without a gap.
STEP_BACK_S, LEAP_AHEAD_S = 60.0, 12 * 3600.0


class ReplayReceiver(RetryingReceiver):
    """A recording as a receiver. ``speed`` is a multiple of real time."""

    kind = "replay"

    def __init__(
        self,
        name: str,
        path: str,
        recording: Kind,
        site: Site,
        speed: float,
        loop: bool,
        gap_s: float,
        tap: FrameTap | None = None,
    ) -> None:
        super().__init__(name, f"{path} ({recording})", site)
        self.speed = speed
        self._path = path
        self._recording: Kind = recording
        self.decodes_frames = recording in FRAMES
        self._loop = loop
        self._gap_s = gap_s
        self._tap = tap

    async def session(self) -> None:
        """Play once, or in a loop until cancelled."""
        while True:
            self.set_connected()
            try:
                await self._play()
            except RecordingError as error:
                # The part before the damage was played; a restart would only make the aircraft jump.
                self.set_problem(str(error))
            if not self._loop:
                raise InputEnded
            self._status.state = "waiting"
            await asyncio.sleep(self._gap_s)

    async def _play(self) -> None:
        timeline: Timeline | None = None
        slice_s = SLICE_S * self.speed
        recorded = moments(
            self._path, self._recording, self.site.place, self.invalid, slice_s, self.cpr, self._tap,
            range_nm=self.site.range_nm,
        )  # fmt: skip
        for at, batch in _slices(recorded, slice_s):
            timeline = timeline or Timeline(at, time.time(), self.speed)
            due = timeline.due_at(at)
            # Always yields to other tasks of the loop, even when it is late.
            await asyncio.sleep(max(due - time.time(), 0.0))
            timeline.shift(batch.reports)
            self.deliver(*batch)


class Timeline:
    """Converts the recording's time (unix seconds) to ours."""

    def __init__(self, first: float, starts_at: float, speed: float) -> None:
        self._zero = first
        self._starts_at = starts_at
        self._speed = speed
        self._latest = first

    def due_at(self, at: float) -> float:
        """Our time at which a moment is due."""
        if not -STEP_BACK_S <= at - self._latest <= LEAP_AHEAD_S:
            self._zero -= self._latest - at
            self._latest = at
        self._latest = max(self._latest, at)
        return self._ours(at)

    def shift(self, reports: Sequence[Report]) -> None:
        """Convert the times of reports to ours, in place."""
        for report in reports:
            report.at = self._ours(report.at)
            if report.position_at:
                report.position_at = self._ours(report.position_at)

    def _ours(self, at: float) -> float:
        return self._starts_at + (at - self._zero) / self._speed


def _slices(source: Iterator[Moment], slice_s: float) -> Iterator[Moment]:
    """Merge moments within ``slice_s``."""
    gathered: list[Report] = []
    messages = positions = 0
    begin: float | None = None
    last = 0.0
    for at, batch in source:
        if begin is not None and not 0 <= at - begin < slice_s:
            yield Moment(last, ReportBatch(gathered, messages, positions))
            gathered, messages, positions, begin = [], 0, 0, None
        begin = at if begin is None else begin
        gathered += batch.reports
        messages += batch.messages
        positions += batch.positions
        last = at
    if begin is not None:
        yield Moment(last, ReportBatch(gathered, messages, positions))


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> ReplayReceiver:
    """Create the receiver; raises ValueError if the file is missing or not a recording, or an option is wrong."""
    if not words:
        raise ValueError(sentence("receiver.expected_recording", "expected the path of a recording"))
    path, *arguments = words
    options = Options(arguments)
    speed = options.number("speed", 1.0, *SPEED)
    loop = options.flag("loop")
    gap_s = options.number("gap", DEFAULT_GAP_S, 0.0, 86_400.0)
    if not Path(path).is_file():
        raise ValueError(sentence("receiver.no_file", "there is no file {path}", path=path))
    kind = recognise(path)
    site = read_site(options, station, DEFAULT_RANGE_NM if kind in FRAMES else math.inf)
    options.finish()
    return ReplayReceiver(name, path, kind, site, speed, loop, gap_s, context.tap)
