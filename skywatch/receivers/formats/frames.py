"""``ModeSDecoder``: decodes the bytes of one connection to frames, and frames to reports.

Bytes from a socket are collected for a tenth of a second, because a batch of frames costs hardly more than one.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

import numpy as np

from skywatch.inputs.options import Station
from skywatch.receivers.formats import Decoder
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.beast import MLAT_TICKS
from skywatch.receivers.framing.clock import TICKS_PER_S
from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.mode_s.decoder import Decoder as FrameDecoder
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM
from skywatch.receivers.reports.documents import ReportBatch
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.source_clock import SourceClock
from skywatch.receivers.site import OUT_OF_RANGE

GATHER_S = 0.1
# Replies to radars and other aircraft. For an aircraft without ADS-B they are the only source of the ground state;
# their altitude on the ground is that of the airfield and is dropped, as in readsb.
REPLIES = frozenset({0, 4, 5, 11, 16, 20, 21})
GROUND = "ground"
# The decoder's counts of position frames that a receiver's status shows.
CPR_COUNTS = ("airborne", "surface", "by_pair", "alone", "unresolved", "empty")
# A counter runs with our clock if frames read together span about the time since the last read.
SPAN_FACTOR, SPAN_SLACK_S = 1.5, 0.5


class Framer(Protocol):
    """Extracts frames from bytes; ``broken`` counts the places without a valid frame."""

    broken: int

    def feed(self, received: bytes, time: float = ...) -> FrameBatch:
        """The frames that these bytes complete."""


class FrameReports:
    """Decodes batches of frames of one receiver.

    Counts refused frames and positions in ``invalid``, and the results of position frames in ``cpr``; good frames are
    passed to ``tap`` as well. ``station`` is where the receiver stands; no position is believed that is further than
    ``range_nm`` from there.
    """

    def __init__(
        self,
        station: Station,
        invalid: Counter[str],
        cpr: Counter[str] | None = None,
        tap: FrameTap | None = None,
        *,
        range_nm: float = DEFAULT_RANGE_NM,
    ) -> None:
        self._decoder = FrameDecoder(station, range_nm)
        self._tap = tap
        self._invalid = invalid
        self._cpr = Counter[str]() if cpr is None else cpr
        self._counted: dict[str, int] = {}

    def decode(self, frames: FrameBatch) -> ReportBatch:
        """A report for each good frame, with the frame's time."""
        decoded = self._decoder.decode(frames)
        if self._tap is not None:
            self._tap.put(decoded)
        messages = decoded.messages()
        for message in messages:
            if message.on_ground is True and message.df in REPLIES:
                message.alt_baro = GROUND
        reports: list[Report] = list(messages)
        positions = sum(1 for report in reports if report.position_at)
        statistics = self._decoder.statistics
        self.count("bad_length", statistics.bad_length)
        self.count("bad_parity", statistics.bad_parity)
        self.count("unsupported", statistics.unsupported)
        self.count("unknown_address", statistics.unknown_address)
        self.count("no_aircraft", statistics.no_aircraft)
        self.count("doubtful", statistics.doubtful)
        counts = statistics.positions
        self.count(OUT_OF_RANGE, counts.out_of_range)
        self.count("position_too_fast", counts.too_fast)
        for name in CPR_COUNTS:
            self._add(self._cpr, name, getattr(counts, name))
        return ReportBatch(reports, len(reports), positions)

    def count(self, reason: str, total: int) -> None:
        """Add the increment of a counter of this connection to the receiver's, which outlives it."""
        self._add(self._invalid, reason, total)

    def _add(self, counter: Counter[str], name: str, total: int) -> None:
        new = total - self._counted.get(name, 0)
        if new:
            counter[name] += new
            self._counted[name] = total


class ArrivalTimes:
    """Estimates when the frames of one connection were received (unix seconds).

    The 12 MHz counter gives it even for frames that were delayed. Some ports have no such counter (GPS time, several
    receivers, none): it does not run with our clock then, and the frames are spread evenly since the last read.
    """

    def __init__(self) -> None:
        self._clock = SourceClock()
        self._last_at: float | None = None

    def of(self, frames: FrameBatch, received_at: float) -> Column:
        """Times f8[n] of frames that were read together."""
        previous = received_at - GATHER_S if self._last_at is None else min(self._last_at, received_at)
        self._last_at = received_at
        ticks = frames.ticks
        counted = (ticks > 0) & (ticks != MLAT_TICKS)
        if counted.all():
            seconds = ticks / TICKS_PER_S
            newest = float(seconds.max())
            fits = newest - float(seconds.min()) <= SPAN_FACTOR * (received_at - previous) + SPAN_SLACK_S
            if fits or self._clock.agrees(newest, received_at):
                return self._clock.ours(newest, received_at) - (newest - seconds)
        first = max(previous, received_at - GATHER_S)
        return np.linspace(first, received_at, len(frames) + 1)[1:]


class ModeSDecoder(Decoder):
    """Decodes the frames of one connection."""

    def __init__(
        self,
        framer: Framer,
        station: Station,
        invalid: Counter[str],
        cpr: Counter[str] | None = None,
        tap: FrameTap | None = None,
        *,
        is_mlat: bool = False,
        range_nm: float = DEFAULT_RANGE_NM,
    ) -> None:
        self._framer = framer
        self._is_mlat = is_mlat
        self._reports = FrameReports(station, invalid, cpr, tap, range_nm=range_nm)
        self._times = ArrivalTimes()

    def feed(self, received: bytes, received_at: float) -> ReportBatch:
        """The reports of the frames that these bytes complete."""
        frames = self._framer.feed(received, received_at)
        self._reports.count("broken", self._framer.broken)
        if len(frames):
            frames.time = self._times.of(frames, received_at)
            if self._is_mlat:
                frames.mlat[:] = True
        return self._reports.decode(frames)
