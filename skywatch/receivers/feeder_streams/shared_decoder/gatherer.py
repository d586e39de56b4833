"""``Gatherer``: frames of all feeders of a process, gathered for at most 50 ms and decoded as one batch: those of ours,
and what only strangers sent."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from itertools import compress
from typing import Any, Protocol

import numpy as np
from msgspec import UNSET

from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.inputs.options import Station
from skywatch.receivers.feeder_streams.feeder import Lane
from skywatch.receivers.feeder_streams.new_addresses import TOO_MANY_AIRCRAFT, AddressLimit
from skywatch.receivers.feeder_streams.reducer.columns import OURS_AGREED, AloneFrames, Heard, ReducedColumns, number_of
from skywatch.receivers.feeder_streams.reducer.feeder_numbers import FeederNumbers
from skywatch.receivers.feeder_streams.reducer.reducer import Taken
from skywatch.receivers.feeder_streams.reducer.reports import TRUSTED_RECEIVER
from skywatch.receivers.feeder_streams.shared_decoder.beast_streams import frame_streams
from skywatch.receivers.feeder_streams.shared_decoder.clocks import FeederClocks
from skywatch.receivers.feeder_streams.shared_decoder.deduplicator import CAPACITY
from skywatch.receivers.feeder_streams.shared_decoder.feeder_counts import FeederCounts
from skywatch.receivers.feeder_streams.shared_decoder.shared_decoder import SharedDecoder
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.mode_s.aircraft_table import LANE_SHIFT
from skywatch.receivers.reports.documents import ReportBatch

log = logging.getLogger(__name__)
GATHER_S = 0.05
# The decoder's counts of position frames that a receiver's status shows.
CPR_COUNTS = ("airborne", "surface", "by_pair", "alone", "unresolved", "empty", "out_of_range", "too_fast")
# Frames matched at once: fewer than are remembered.
MAX_FRAMES = CAPACITY // 2


class Stream(Protocol):
    """A connection of a feeder."""

    slot: int

    @property
    def has_clock(self) -> bool:
        """Whether it is known what clock its counters are of."""

    def take(self) -> tuple[bytes, FrameBatch | None]:
        """What has come since: bytes of Beast with what was left before, or frames."""

    def put_back(self, rest: bytes, frames: int, behind: int) -> int:
        """Keep an unfinished message; how many frames are within the rate (``behind``: bytes since the last)."""

    def note_clock(self, ticks: Column, received_at: float) -> None:
        """Learn from counters of frames what clock they are of."""


class Gatherer:
    """Everything happens on one loop; tests and benchmarks call ``flush`` themselves."""

    def __init__(self, station: Station = None, tap: FrameTap | None = None, limit: AddressLimit | None = None) -> None:
        self.slots = FeederNumbers()
        self.counts = FeederCounts()
        self.clocks = FeederClocks()
        self.limit = limit or AddressLimit()
        # The feeder of each lane that has had reports.
        self.lanes: dict[int, Lane] = {}
        # Where feeders stand that have a place, by their lane.
        self._places: dict[int, tuple[float, float]] = {}
        self.tap = tap
        self.strangers = SharedDecoder(self.slots, self.counts, station, self._places, tap, self.limit, is_ours=False)
        # None until a trusted feeder has connected.
        self.ours: SharedDecoder | None = None
        self._station = station
        # Tests and benchmarks have times of their own (monotonic s).
        self.clock = time.monotonic
        self._waiting: dict[int, Stream] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._faults = FaultLog(log, "frames of feeders are lost", "frames of feeders are decoded again")

    def enter(self, stream: Any, receiver: str, voice: Voice, shows_signal: bool) -> int:
        """The number of a new connection of a feeder, which ``add`` reads from it."""
        slot = self.slots.take(stream, receiver, voice, shows_signal)
        self.counts.reset(slot)
        self.clocks.reset(slot)
        lane = int(self.slots.lane[slot])
        self.lanes[lane] = Lane(receiver, stream.feeder.id, voice)
        self.limit.enter(lane, receiver, voice)
        self._places.pop(lane, None)
        if stream.feeder.place is not None:
            self._places[lane] = stream.feeder.place
        return slot

    def leave(self, slot: int) -> None:
        """A connection has ended; what it sent last is decoded."""
        self.slots.release(slot)

    def position_counts(self) -> dict[str, int]:
        """What became of position frames since the start."""
        counts = [decoder.position_counts for decoder in (self.ours, self.strangers) if decoder is not None]
        return {name: sum(getattr(each, name) for each in counts) for name in CPR_COUNTS}

    def take(self) -> Taken:
        """The reports of all feeders since the last time."""
        taken = self.strangers.take()
        if self.ours is None:
            return taken
        of_ours = self.ours.take()
        return Taken(
            ReducedColumns.concatenate([of_ours.reports, taken.reports]),
            Heard.concatenate([of_ours.heard, taken.heard]),
            AloneFrames.concatenate([of_ours.alone, taken.alone]),
        )

    def add(self, stream: Stream) -> None:
        """A stream has something to take within the next 50 ms."""
        self._waiting[stream.slot] = stream
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHER_S, self._flush_now)

    def _flush_now(self) -> None:
        self._timer = None
        try:
            self.flush(time.time())
            self._faults.succeeded()
        except Exception as error:
            # These frames are lost; the connections and the next frames are not.
            self._faults.failed(str(error), error)

    def count_bytes(self, slot: int, size: int) -> None:
        """Count bytes that were framed elsewhere."""
        self.counts.add("bytes", np.array([slot]), np.array([size]))

    def take_reports(self, slot: int, batch: ReportBatch) -> ReportBatch:
        """What is within the limit of what a feeder decoded itself; counts it, and notes which aircraft it heard."""
        number = np.array([slot])
        addresses = np.array([number_of(report.hex) for report in batch.reports], np.int64)
        lane = self.slots.lane[slot]
        lanes = np.full(len(addresses), lane)
        admitted = self.limit.admit(addresses, lanes, lanes, self.clock())
        if not admitted.all():
            refused = list(compress(batch.reports, (~admitted).tolist()))
            positions = sum(report.lat is not UNSET for report in refused)
            self.counts.add(TOO_MANY_AIRCRAFT, number, np.array([len(refused)]))
            batch = ReportBatch(
                list(compress(batch.reports, admitted.tolist())),
                max(0, batch.messages - len(refused)),
                max(0, batch.positions - positions),
            )
            addresses = addresses[admitted]
        for name, count in (
            ("frames", batch.messages),
            ("messages", batch.messages),
            ("positions", batch.positions),
        ):
            self.counts.add(name, number, np.array([count]))
        rssi = [math.nan if report.rssi is UNSET else report.rssi for report in batch.reports]
        self.strangers.reducer.hear(
            addresses | lane << LANE_SHIFT,
            np.full(len(addresses), slot),
            np.array(rssi, np.float32),
            np.array([report.lat is not UNSET for report in batch.reports], np.bool_),
        )
        return batch

    def close(self) -> None:
        """Gather no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def flush(self, received_at: float) -> None:
        """Decode what waits (``received_at`` in unix seconds)."""
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        frames, slot = self._frames(list(waiting.values()), np.array(list(waiting)), received_at)
        for start in range(0, len(frames), MAX_FRAMES):
            piece = slice(start, start + MAX_FRAMES)
            self._decode(frames[piece], slot[piece])

    def _frames(self, streams: list[Stream], slots: Column, received_at: float) -> tuple[FrameBatch, Column]:
        taken = [stream.take() for stream in streams]
        framed = frame_streams([received for received, _ in taken])
        # What is left is counted with what completes it.
        sizes = [len(received) - len(rest) for (received, _), rest in zip(taken, framed.rest, strict=True)]
        self.counts.add("bytes", slots, np.array(sizes))
        self.counts.add("broken", slots, framed.broken)
        frames, of_stream = framed.frames, framed.stream
        further = [(place, batch) for place, (_, batch) in enumerate(taken) if batch is not None and len(batch)]
        if further:
            frames = FrameBatch.concatenate([frames, *(batch for _, batch in further)])
            of_stream = np.concatenate([of_stream, *(np.full(len(batch), place) for place, batch in further)])
            order = np.argsort(of_stream, kind="stable")
            frames, of_stream = frames[order], of_stream[order]
        came = np.bincount(of_stream, minlength=len(streams))
        allowed = np.array(
            [
                stream.put_back(rest, count, behind)
                for stream, rest, count, behind in zip(
                    streams, framed.rest, came.tolist(), framed.behind.tolist(), strict=True
                )
            ]
        )
        if (allowed < came).any():
            place = np.arange(len(of_stream)) - (np.cumsum(came) - came)[of_stream]
            keep = place < allowed[of_stream]
            frames, of_stream = frames[keep], of_stream[keep]
            self.counts.add("too_many", slots, came - allowed)
        if len(frames):
            starts = np.flatnonzero(np.diff(of_stream, prepend=-1))
            frames.time = self.clocks.times(frames.ticks, starts, slots[of_stream[starts]], received_at)
            self._note_clocks(streams, frames, of_stream, starts, received_at)
        return frames, slots[of_stream]

    @staticmethod
    def _note_clocks(
        streams: list[Stream], frames: FrameBatch, of_stream: Column, starts: Column, received_at: float
    ) -> None:
        ends = np.append(starts[1:], len(frames))
        for start, end, place in zip(starts.tolist(), ends.tolist(), of_stream[starts].tolist(), strict=True):
            if not streams[place].has_clock:
                streams[place].note_clock(frames.ticks[start:end], received_at)

    def _decode(self, frames: FrameBatch, slot: Column) -> None:
        """Decode frames of ours, and those of strangers that none of ours sent."""
        at, is_ours = self.clock(), self.slots.is_ours[slot]
        if is_ours.any():
            chosen = np.flatnonzero(is_ours)
            self._of_ours().decode(frames[chosen], slot[chosen], at)
        if is_ours.all():
            return
        if self.ours is not None:
            chosen = np.flatnonzero(~is_ours)
            frames, slot = frames[chosen], slot[chosen]
            chosen = np.flatnonzero(~self.ours.hear(frames, slot, at))
            frames, slot = frames[chosen], slot[chosen]
        if len(frames):
            self.strangers.decode(frames, slot, at)

    def _of_ours(self) -> SharedDecoder:
        if self.ours is None:
            self.lanes[OURS_AGREED] = Lane(TRUSTED_RECEIVER, 0, OURS)
            self.ours = SharedDecoder(
                self.slots, self.counts, self._station, self._places, self.tap, self.limit, is_ours=True
            )
        return self.ours
