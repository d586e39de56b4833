"""``Gatherer``: frames of all feeders of a process, gathered for at most 50 ms and decoded as one batch.

What feeders that are independent of each other sent alike is decoded once, in lane 0; what a feeder alone sent in a
lane of its own, so that its frames are never paired with those of others nor change what is decoded of them.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from typing import Any, Protocol

import numpy as np
from msgspec import UNSET

from skywatch.core.reporting.fault_log import FaultLog
from skywatch.inputs.options import Station
from skywatch.receivers.documents import ReportBatch
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.ingest.gathering.clocks import FeederClocks
from skywatch.receivers.ingest.gathering.counts import FeederCounts
from skywatch.receivers.ingest.gathering.framing import frame_streams
from skywatch.receivers.ingest.gathering.matcher import CAPACITY, TransmissionMatcher
from skywatch.receivers.ingest.gathering.slots import FeederSlots
from skywatch.receivers.ingest.reducing.columns import number_of
from skywatch.receivers.ingest.reducing.folding import Folding
from skywatch.receivers.ingest.reducing.reducer import NO_KEY, Reducer
from skywatch.receivers.ingest.reduction import Lane
from skywatch.receivers.ingest.voices import Voice
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.table import LANE_SHIFT

log = logging.getLogger(__name__)
GATHER_S = 0.05
# The decoder's counts of position frames that a receiver's status shows.
CPR_COUNTS = ("airborne", "surface", "by_pair", "alone", "unresolved", "empty", "out_of_range", "too_fast")
# Rows of the decoder: the world's aircraft in lane 0, and what single feeders hear.
DECODER_CAPACITY = 200_000
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

    def __init__(self, station: Station = None, tap: FrameTap | None = None) -> None:
        self.slots = FeederSlots()
        self.counts = FeederCounts()
        self.clocks = FeederClocks()
        self.reducer = Reducer(self.slots)
        self.folding = Folding()
        # The feeder of each lane that has had reports.
        self.lanes: dict[int, Lane] = {}
        self.tap = tap
        # Tests and benchmarks have times of their own (monotonic s).
        self.clock = time.monotonic
        self._matcher = TransmissionMatcher(self.slots)
        # Feeders may be anywhere; the station is a reference for what is on the ground around it.
        self._decoder = Decoder(station, max_range_nm=math.inf, capacity=DECODER_CAPACITY)
        self._waiting: dict[int, Stream] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._faults = FaultLog(log, "frames of feeders are lost", "frames of feeders are decoded again")

    def enter(self, stream: Any, receiver: str, voice: Voice | None, shows_signal: bool) -> int:
        """The number of a new connection of a feeder, which ``add`` reads from it; without a voice it is trusted."""
        slot = self.slots.take(stream, receiver, voice, shows_signal)
        self.counts.reset(slot)
        self.clocks.reset(slot)
        self.lanes[int(self.slots.lane[slot])] = Lane(receiver, stream.feeder.id, voice)
        return slot

    def leave(self, slot: int) -> None:
        """A connection has ended; what it sent last is decoded."""
        self.slots.release(slot)

    def position_counts(self) -> dict[str, int]:
        """What became of position frames since the start."""
        counts = self._decoder.statistics.positions
        return {name: getattr(counts, name) for name in CPR_COUNTS}

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

    def count_reports(self, slot: int, batch: ReportBatch) -> None:
        """Count what a feeder decoded itself, and note which aircraft it heard."""
        number = np.array([slot])
        for name, count in (
            ("frames", batch.messages),
            ("messages", batch.messages),
            ("positions", batch.positions),
        ):
            self.counts.add(name, number, np.array([count]))
        addresses = [number_of(report.hex) for report in batch.reports]
        rssi = [math.nan if report.rssi is UNSET else report.rssi for report in batch.reports]
        self.reducer.hear(
            np.array(addresses, np.int64) | self.slots.lane[slot] << LANE_SHIFT,
            np.full(len(addresses), slot),
            np.array(rssi, np.float32),
            np.array([report.lat is not UNSET for report in batch.reports], np.bool_),
        )

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
        matched = self._matcher.match(frames, slot, self.clock())
        decoded = self._decoder.decode(matched.frames, matched.lanes)
        key, is_position = self.reducer.add(decoded, matched.lanes, matched.is_repeat)
        if self.tap is not None:
            self.tap.put(decoded, but=matched.is_repeat)
        self._matcher.note(matched.entry, key, is_position)
        late_key, late_is_position = self._matcher.noted(matched.late_entry)
        keys = np.concatenate([key[matched.hearer_row], late_key])
        slots = np.concatenate([matched.hearer_slot, matched.late_slot])
        rssi = np.concatenate([matched.hearer_rssi, matched.late_rssi])
        positions = np.concatenate([is_position[matched.hearer_row], late_is_position])
        self.reducer.hear(keys, slots, rssi, positions)
        self.counts.count_status(decoded.status[matched.hearer_row], matched.hearer_slot)
        # Who is added as the first hearer of what was decoded before has been counted then.
        is_counted = np.concatenate(
            [np.arange(len(matched.hearer_row)) < matched.counted, np.ones(len(late_key), np.bool_)]
        )
        self.counts.hear(keys != NO_KEY, positions, is_counted, slots, rssi)
        self.counts.add("frames", matched.slot, np.ones(len(matched.slot)))
        self.counts.add("duplicates", matched.slot, matched.is_duplicate)
