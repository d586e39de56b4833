"""``ProcessAgreement``: what independent feeders sent alike that are connected to different ingest processes.

Each process agrees on what its own feeders heard, by their frames: the same bits within a second are the same
transmission. What a feeder of it heard alone comes here as frames, is matched in the same way with those of other
processes, and decoded where two voices sent it. So it makes no difference where a feeder is connected, and no lie is
too small: one bit that nobody else heard is no agreement.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.inputs.options import Station
from skywatch.receivers.feeder_streams.reducer.columns import FIELDS, AloneFrames, ReducedColumns
from skywatch.receivers.feeder_streams.reducer.divided import (
    POSITION,
    RECENT_S,
    SLOW_RECENT_S,
    SUBJECTS,
    LastSaid,
    contradictions,
)
from skywatch.receivers.feeder_streams.reducer.feeder_numbers import FeederNumbers
from skywatch.receivers.feeder_streams.reducer.reducer import Reducer
from skywatch.receivers.feeder_streams.reducer.redundancy_filter import FAST, FORGET_S, RedundancyFilter
from skywatch.receivers.feeder_streams.shared_decoder.deduplicator import JITTER_S, addresses
from skywatch.receivers.feeder_streams.voices import extent
from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.mode_s.bits import words
from skywatch.receivers.mode_s.decoder import Decoder

if TYPE_CHECKING:
    from skywatch.receivers.feeder_streams.feeder import Lane

# Frames wait so long for what other processes send of the same second (s); the oldest of more than so many go first.
WAITING_S, MAX_WAITING = 3.0, 1 << 17
# The number of a feeder that has sent nothing alone for so long (s) is given back.
UNUSED_S = 60.0
# The world's aircraft.
CAPACITY = 50_000
IS_FAST = np.isin(FIELDS, FAST)


class _Speaker(NamedTuple):
    """A feeder: who speaks through it, its number, when it sent something last (unix s)."""

    lane: Lane
    slot: int
    at: float


class _Waiting(NamedTuple):
    """Frames that wait for a second voice, and the numbers of their feeders."""

    frames: FrameBatch
    slot: Column

    def rows(self, rows: Column) -> _Waiting:
        """Those of a mask or of indices."""
        return _Waiting(self.frames[rows], self.slot[rows])


class ProcessAgreement:
    """``add`` what feeders of one kind brought at a process, then ``agree`` once a second.

    ``station`` as for ``Decoder``; ``is_ours`` is the kind.
    """

    def __init__(self, station: Station = None, *, is_ours: bool = False) -> None:
        self._station = station
        self._slots = FeederNumbers()
        self._reducer = Reducer(self._slots, is_ours=is_ours)
        self._redundancy = RedundancyFilter()
        self._decoder = self._new_decoder()
        self._speakers: dict[str, _Speaker] = {}
        self._waiting: list[_Waiting] = []
        self._heard_from: dict[str, float] = {}

    def add(self, process: str, alone: AloneFrames, lanes: Mapping[int, Lane], at: float) -> None:
        """Add what feeders of a process sent that none of its others did; it came at this time (unix s)."""
        self._heard_from[process] = at
        if not len(alone):
            return
        numbers, inverse = np.unique(alone.lane, return_inverse=True)
        slots = np.array([self._slot(lanes[number], at) for number in numbers.tolist()])
        frames = FrameBatch(alone.time, alone.data, alone.length, np.full(len(alone), np.nan, np.float32))
        self._waiting.append(_Waiting(frames, slots[inverse]))

    def agree(self, now: float) -> ReducedColumns:
        """The reports of what independent feeders sent alike since the last time; ``now`` in unix seconds."""
        self._forget(now)
        waiting = self._joined(now)
        if waiting is None or len(self._heard_from) < 2:
            return ReducedColumns.blank(np.empty(0, np.int64), np.empty(0))
        waiting, starts = _transmissions(waiting)
        slot = waiting.slot
        is_agreed = extent(self._slots.speaker[slot], self._slots.network[slot], starts).is_independent()
        if len(self._redundancy.divided.addresses):
            first = waiting.frames[starts]
            is_agreed &= ~np.isin(addresses(first, words(first.data)[0]), self._redundancy.divided.addresses)
        group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(slot))))
        self._waiting = [waiting.rows(~is_agreed[group])]
        # The first time: who delays what others heard does not make it newer.
        time = waiting.frames.time[starts]
        reports = [ReducedColumns.blank(np.empty(0, np.int64), np.empty(0))]
        for second in distinct(np.floor(time[is_agreed])).tolist():
            chosen = np.flatnonzero(is_agreed & (np.floor(time) == second))
            chosen = chosen[np.argsort(time[chosen], kind="stable")]
            reports.append(self._reports(waiting.frames[starts[chosen]], chosen, group, slot))
        return self._redundancy.filter(ReducedColumns.concatenate(reports))

    def shift(self, step: float) -> None:
        """Start over: the clock has been set by so many seconds."""
        self._waiting, self._heard_from = [], {}
        self._decoder = self._new_decoder()

    def _new_decoder(self) -> Decoder:
        return Decoder(self._station, max_range_nm=np.inf, capacity=CAPACITY)

    def _reports(self, frames: FrameBatch, chosen: Column, group: Column, slot: Column) -> ReducedColumns:
        """Decode the transmissions ``chosen``; ``group`` and ``slot`` are those of all hearers."""
        lanes, is_repeat = np.zeros(len(frames), np.int64), np.zeros(len(frames), np.bool_)
        key, is_position = self._reducer.add(self._decoder.decode(frames, lanes), lanes, is_repeat)
        row_of = np.full(group[-1] + 1, -1)
        row_of[chosen] = np.arange(len(chosen))
        heard = np.flatnonzero(row_of[group] >= 0)
        rows = row_of[group[heard]]
        unmeasured = np.full(len(heard), np.nan, np.float32)
        self._reducer.hear(key[rows], slot[heard], unmeasured, is_position[rows])
        reports = self._reducer.take().reports
        # Each was counted where it was heard.
        reports.messages[:] = 0
        return reports

    def _slot(self, lane: Lane, at: float) -> int:
        before = self._speakers.get(lane.receiver)
        if before is not None and before.lane == lane:
            slot = before.slot
        else:
            if before is not None:
                self._slots.release(before.slot)
            slot = self._slots.take(lane, lane.receiver, lane.voice, shows_signal=False)
        self._speakers[lane.receiver] = _Speaker(lane, slot, at)
        return slot

    def _joined(self, now: float) -> _Waiting | None:
        """All that waits, as one."""
        if not self._waiting:
            return None
        frames, slot = zip(*self._waiting, strict=True)
        joined = _Waiting(FrameBatch.concatenate(frames), np.concatenate(slot))
        rows = np.flatnonzero(joined.frames.time >= now - WAITING_S)[-MAX_WAITING:]
        joined = joined.rows(rows)
        self._waiting = [joined] if len(rows) else []
        return joined if len(rows) else None

    def _forget(self, now: float) -> None:
        self._heard_from = {name: at for name, at in self._heard_from.items() if now - at <= WAITING_S}
        for name, speaker in list(self._speakers.items()):
            if now - speaker.at > UNUSED_S:
                self._slots.release(speaker.slot)
                del self._speakers[name]


def _transmissions(waiting: _Waiting) -> tuple[_Waiting, Column]:
    """The frames in the order that brings those of one transmission together, earliest first, and where each begins.

    The same bytes more than a second after the ones before are another transmission, or a replay.
    """
    frames = waiting.frames
    head, tail = words(frames.data)
    order = np.lexsort((frames.time, frames.length, tail, head))
    head, tail, length, time = head[order], tail[order], frames.length[order], frames.time[order]
    begins = np.ones(len(order), np.bool_)
    begins[1:] = (np.diff(head) != 0) | (np.diff(tail) != 0) | (length[1:] != length[:-1])
    begins[1:] |= np.diff(time) > JITTER_S
    return waiting.rows(order), np.flatnonzero(begins)


class MostVoices:
    """What the feeders of each process agree on, without what contradicts those of another one that are more."""

    def __init__(self) -> None:
        self._said: dict[str, LastSaid] = {}

    def filter(self, process: str, reports: ReducedColumns, lane: int, now: float) -> ReducedColumns:
        """The reports of a process (empty: what single feeders of several agree on), those of a lane filtered."""
        said = self._said.setdefault(process, LastSaid())
        rows = np.flatnonzero(reports.lane == lane)
        agreed = reports[rows]
        said.learn(agreed.key, agreed, now - FORGET_S)
        self._said = {name: each for name, each in self._said.items() if len(each.key)}
        mine = said.key.searchsorted(agreed.key)
        values, position_at = reports.values.copy(), reports.position_at.copy()
        for name, other in self._said.items():
            if name == process:
                continue
            place = np.minimum(other.key.searchsorted(agreed.key), len(other.key) - 1)
            weaker = (other.voices[place] > said.voices[mine]) | (
                (other.voices[place] == said.voices[mine]) & (other.since[place] < said.since[mine])
            )
            known = np.flatnonzero((other.key[place] == agreed.key) & weaker)
            place = place[known]
            is_recent = now - other.at[place] <= np.where(IS_FAST, RECENT_S, SLOW_RECENT_S)
            against = contradictions(agreed[known], np.where(is_recent, other.values[place], np.nan), other.at[place])
            for subject, fields in enumerate(SUBJECTS):
                refused = rows[known[against[:, subject]]]
                for field in fields:
                    values[refused, field] = np.nan
                if fields is POSITION:
                    position_at[refused] = 0.0
        return dataclasses.replace(reports, values=values, position_at=position_at)
