"""``SharedDecoder``: matches, decodes and reduces the frames of feeders of one kind: those of ours, or of strangers.

What independent feeders sent alike is decoded once, in lane 0; what a feeder alone sent in a lane of its own, so that
its frames are never paired with those of others nor change what is decoded of them. The two kinds have matchers and
decoders of their own: nothing that a stranger sends changes what is decoded of ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from skywatch.inputs.options import Station
from skywatch.receivers.feeder_streams.new_addresses import AddressLimit
from skywatch.receivers.feeder_streams.reducer.columns import AGREED, LANE_SHIFT, OURS_AGREED
from skywatch.receivers.feeder_streams.reducer.feeder_numbers import FeederNumbers
from skywatch.receivers.feeder_streams.reducer.reducer import NO_KEY, Reducer, Taken
from skywatch.receivers.feeder_streams.reducer.redundancy_filter import RedundancyFilter
from skywatch.receivers.feeder_streams.shared_decoder.deduplicator import FrameDeduplicator
from skywatch.receivers.feeder_streams.shared_decoder.feeder_counts import FeederCounts
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.statistics import PositionCounts

# Rows of the decoder: the world's aircraft in lane 0, and what single feeders hear.
DECODER_CAPACITY = 200_000
# Doubts about a position are of the last second, or a little more (s).
DOUBTED_S = 2.0


class SharedDecoder:
    """``is_ours`` is the kind of its feeders; all frames that it decodes are shown to ``tap``.

    ``limit`` is that of new aircraft; ``places`` are those of feeders, by lane.
    """

    def __init__(
        self,
        slots: FeederNumbers,
        counts: FeederCounts,
        station: Station,
        places: Mapping[int, tuple[float, float]],
        tap: FrameTap | None,
        limit: AddressLimit,
        *,
        is_ours: bool,
    ) -> None:
        self.reducer = Reducer(slots, is_ours=is_ours)
        self._is_ours = is_ours
        self._slots, self._counts, self._tap, self._limit = slots, counts, tap, limit
        self._redundancy = RedundancyFilter()
        self._deduplicator = FrameDeduplicator(slots)
        # Feeders may be anywhere: what is on the ground is where one stands, or around the station.
        self._decoder = Decoder(station, max_range_nm=math.inf, capacity=DECODER_CAPACITY, places=places)

    @property
    def position_counts(self) -> PositionCounts:
        """What became of position frames since the start."""
        return self._decoder.statistics.positions

    def decode(self, frames: FrameBatch, slot: Column, at: float) -> None:
        """Decode at least one frame; ``slot`` i4[n] are the feeders, ``at`` (monotonic s) when they came."""
        matched = self._deduplicator.deduplicate(frames, slot, at, self._redundancy.divided.addresses)

        def admits(addresses: Column, rows: Column) -> Column:
            return self._limit.admit(addresses, matched.lanes[rows], matched.payers[rows], at)

        decoded = self._decoder.decode(matched.frames, matched.lanes, admits)
        key, is_position = self.reducer.add(decoded, matched.lanes, matched.is_repeat)
        if self._tap is not None:
            self._tap.put(decoded, but=matched.is_repeat)
        self._deduplicator.note(matched.entry, key, is_position)
        late_key, late_is_position = self._deduplicator.noted(matched.late_entry)
        keys = np.concatenate([key[matched.hearer_row], late_key])
        slots = np.concatenate([matched.hearer_slot, matched.late_slot])
        rssi = np.concatenate([matched.hearer_rssi, matched.late_rssi])
        positions = np.concatenate([is_position[matched.hearer_row], late_is_position])
        self.reducer.hear(keys, slots, rssi, positions)
        self._counts.count_status(decoded.status[matched.hearer_row], matched.hearer_slot)
        # Who is added as the first hearer of what was decoded before has been counted then.
        is_counted = np.concatenate(
            [np.arange(len(matched.hearer_row)) < matched.counted, np.ones(len(late_key), np.bool_)]
        )
        self._counts.hear(keys != NO_KEY, positions, is_counted, slots, rssi)
        self._counts.add("frames", matched.slot, np.ones(len(matched.slot)))
        self._counts.add("duplicates", matched.slot, matched.is_duplicate)

    def hear(self, frames: FrameBatch, slot: Column, at: float) -> Column:
        """Note that feeders of the other kind heard what is decoded here; ?[n]: which frames that are."""
        entry, is_duplicate = self._deduplicator.find(frames, at)
        found = np.flatnonzero(entry >= 0)
        key, is_position = self._deduplicator.noted(entry[found])
        # What could not be decoded here the other kind may decode, who has heard more of the aircraft.
        is_good = key != NO_KEY
        found, key, is_position = found[is_good], key[is_good], is_position[is_good]
        heard: Column = np.zeros(len(frames), np.bool_)
        if len(found):
            heard[found] = True
            slots, rssi, counted = slot[found], frames.rssi[found], np.ones(len(found), np.bool_)
            self.reducer.hear(key, slots, rssi, is_position)
            self._counts.hear(counted, is_position, counted, slots, rssi)
            self._counts.add("frames", slots, counted)
            self._counts.add("duplicates", slots, is_duplicate[found])
        return heard

    def take(self) -> Taken:
        """The reports of what was decoded since the last time, without what adds nothing to what feeders agree on."""
        reports, heard, alone = self.reducer.take()
        if len(reports):
            now = float(reports.at.max())
            self._redundancy.divided.add(self._decoder.take_doubted(now - DOUBTED_S), now)
        reports = self._redundancy.filter(reports)
        # Nor is agreed between processes what divides the feeders of one.
        alone = alone[np.isin(alone.key, reports.key) & ~self._redundancy.divided.mask(alone.key)]
        if self._is_ours:
            reports.key[reports.lane == AGREED] += OURS_AGREED << LANE_SHIFT
        return Taken(reports, heard, alone)
