"""``FrameDeduplicator``: which of the frames that feeders sent are the same transmission.

Frames with equal bytes from several feeders within a second are one transmission, heard by all of them. A feeder that
sends the same bytes again heard another one: replies and all-calls repeat themselves. Everything is columns; frames are
compared by two 64-bit words, found by a hash with a secret factor.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np

from skywatch.receivers.feeder_streams.reducer.feeder_numbers import FeederNumbers
from skywatch.receivers.feeder_streams.voices import Extent, extent
from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.mode_s.bits import words
from skywatch.receivers.mode_s.frames import parity

# Networks deliver a frame to us at most so much later from one feeder than from another (s).
JITTER_S = 1.0
# A frame that another feeder sent within this time before is a duplicate (s).
DUPLICATE_S = 0.05
SLOT_BITS = 20
_SLOT_MASK = (1 << SLOT_BITS) - 1
# Transmissions within a second that are remembered at most, and places to look them up.
CAPACITY, PLACES = 1 << 16, 1 << 19
_NO_ENTRY = -1
_NOBODY = np.empty(0, np.int64)
# Downlink formats that carry the address by itself; those of replies have it in their parity.
_HAS_ADDRESS = np.zeros(32, np.bool_)
_HAS_ADDRESS[[11, 17, 18]] = True

# A transmission that was matched: what it is, who heard it and what became of it.
ENTRY = np.dtype(
    [
        ("head", "i8"), ("tail", "i8"), ("kind", "i4"), ("at", "f8"), ("last_at", "f8"), ("time", "f8"),
        ("least_speaker", "i8"), ("most_speaker", "i8"), ("least_network", "i8"), ("most_network", "i8"),
        ("is_agreed", "?"), ("first_slot", "i4"), ("key", "i8"), ("is_position", "?"),
    ]
)  # fmt: skip


class DistinctFrames(NamedTuple):
    """What is decoded of one gathering, and who heard what.

    Rows to decode: ``frames``, ``lanes`` i8, ``payers`` i8 (the lanes of those who sent them first), ``is_repeat`` ?
    (it was good before, for one feeder alone) and the number of their ``entry`` i8. Hearers of these: ``hearer_row``
    i8, ``hearer_slot`` i4 and ``hearer_rssi`` f4; the first ``counted`` of them came now, the rest before, with what
    is repeated. Feeders that heard what was decoded earlier: ``late_entry``, ``late_slot`` and ``late_rssi``.
    ``is_duplicate`` ?[n] of all frames that came, whose feeders are ``slot`` i4[n].
    """

    frames: FrameBatch
    lanes: Column
    payers: Column
    is_repeat: Column
    entry: Column
    hearer_row: Column
    hearer_slot: Column
    hearer_rssi: Column
    late_entry: Column
    late_slot: Column
    late_rssi: Column
    slot: Column
    is_duplicate: Column
    counted: int


class FrameDeduplicator:
    """Finds the copies of a frame that several feeders send, in one gathering after the other."""

    def __init__(self, slots: FeederNumbers) -> None:
        self._slots = slots
        self._entries = np.zeros(CAPACITY, ENTRY)
        self._entries["at"] = -np.inf
        self._places = np.full(PLACES, _NO_ENTRY, np.int32)
        self._hearers = np.zeros((CAPACITY, 16), np.uint8)
        self._next = 0
        self._factors = [np.uint64(secrets.randbits(64) | 1) for _ in range(3)]

    def deduplicate(self, frames: FrameBatch, slot: Column, at: float, divided: Column = _NOBODY) -> DistinctFrames:
        """Match at least one frame; ``slot`` i4[n] are the feeders, ``at`` (monotonic s) when they came.

        Of aircraft whose addresses are ``divided`` i8[n] nothing is agreed on.
        """
        self._make_room(len(self._slots))
        head, tail = words(frames.data)
        kind = frames.length.astype(np.int32) | (frames.mlat.astype(np.int32) << 8)
        hashes = self._hash(head, tail, kind)
        order, starts, is_first = _transmissions(hashes, head, tail, kind, slot)
        group = np.cumsum(_marks(starts, len(order))) - 1
        first = order[starts]
        entry = self._places[(hashes[first] & np.uint64(PLACES - 1)).astype(np.int64)]
        earlier = self._entries[entry]
        is_late = is_first & (entry >= 0) & (at - earlier["at"] <= JITTER_S)
        is_late &= (
            (earlier["head"] == head[first]) & (earlier["tail"] == tail[first]) & (earlier["kind"] == kind[first])
        )
        bit_of = entry[group], slot[order] >> 3
        has_heard = (self._hearers[bit_of] >> (slot[order] & 7)) & 1 > 0
        is_late &= ~np.logical_or.reduceat(has_heard, starts)
        of_slots = self._slots.speaker[slot[order]], self._slots.network[slot[order]]
        groups = extent(*of_slots, starts)
        is_duplicate = np.zeros(len(order), np.bool_)
        is_duplicate[order] = ~_marks(starts, len(order)) | (
            is_late[group] & (at - earlier["last_at"][group] <= DUPLICATE_S)
        )
        new = np.flatnonzero(~is_late)
        entry = entry.astype(np.int64)
        entry[new] = self._add(hashes, head, tail, kind, first[new], at)
        self._hear(entry, group, slot[order], groups, new, at)
        joined = Extent(*(self._entries[name][entry] for name in Extent._fields))
        is_agreed = joined.is_independent()
        if len(divided) and is_agreed.any():
            is_agreed &= ~np.isin(addresses(frames[first], head[first]), divided)
        was_agreed = self._entries["is_agreed"][entry] & is_late
        self._entries["is_agreed"][entry] = is_agreed
        return self._chosen(frames, slot, order, starts, group, entry, is_late, is_agreed, was_agreed, is_duplicate)

    def find(self, frames: FrameBatch, at: float) -> tuple[Column, Column]:
        """The transmissions of the last second that frames are of, i8[n] (-1: none); ?[n]: sent within 50 ms before."""
        head, tail = words(frames.data)
        kind = frames.length.astype(np.int32) | (frames.mlat.astype(np.int32) << 8)
        entry = self._places[(self._hash(head, tail, kind) & np.uint64(PLACES - 1)).astype(np.int64)].astype(np.int64)
        found = self._entries[entry]
        is_same = (entry >= 0) & (at - found["at"] <= JITTER_S)
        is_same &= (found["head"] == head) & (found["tail"] == tail) & (found["kind"] == kind)
        return np.where(is_same, entry, _NO_ENTRY), is_same & (at - found["last_at"] <= DUPLICATE_S)

    def note(self, entry: Column, key: Column, is_position: Column) -> None:
        """Keep what decoding told of transmissions: the key of their report (-1: none), whether it is a position."""
        self._entries["key"][entry], self._entries["is_position"][entry] = key, is_position

    def noted(self, entry: Column) -> tuple[Column, Column]:
        """What was kept of transmissions."""
        return self._entries["key"][entry], self._entries["is_position"][entry]

    def _chosen(
        self, frames: FrameBatch, slot: Column, order: Column, starts: Column, group: Column,
        entry: Column, is_late: Column, is_agreed: Column, was_agreed: Column, is_duplicate: Column,
    ) -> DistinctFrames:  # fmt: skip
        """The rows to decode: one for what independent feeders heard, else one for each feeder, in its lane."""
        time, rssi = frames.time[order], frames.rssi[order]
        shown = np.where(self._slots.shows_signal[slot[order]], rssi, np.nan).astype(np.float32)
        once = np.flatnonzero(is_agreed & ~was_agreed)
        alone = np.flatnonzero(~is_agreed[group])
        late = np.flatnonzero(was_agreed[group])
        rows = np.concatenate([starts[once], alone])
        result = frames[order[rows]]
        entries = self._entries
        # No feeder can date a frame ahead; one that dates it back does not date it for the others.
        latest = np.maximum.reduceat(time, starts)
        was_good = is_late[once] & (entries["key"][entry[once]] >= 0)
        is_repeat = np.concatenate([was_good, np.zeros(len(alone), np.bool_)])
        result.time = np.concatenate([np.where(is_late[once], entries["time"][entry[once]], latest[once]), time[alone]])
        result.rssi = np.concatenate([np.fmax.reduceat(shown, starts)[once], shown[alone]])
        entries["time"][entry[~is_late]] = latest[~is_late]
        row_of = np.full(len(starts), -1)
        row_of[once] = np.arange(len(once))
        heard = np.flatnonzero(row_of[group] >= 0)
        promoted = once[is_late[once]]
        arrival = np.argsort(result.time, kind="stable")
        place = np.empty(len(arrival), np.int64)
        place[arrival] = np.arange(len(arrival))
        hearer_row = np.concatenate([row_of[group[heard]], len(once) + np.arange(len(alone)), row_of[promoted]])
        first_slot = entries["first_slot"][entry[promoted]]
        of_order = slot[order]
        alone_lanes = self._slots.lane[of_order[alone]]
        unmeasured = np.full(len(promoted), np.nan, np.float32)
        return DistinctFrames(
            frames=result[arrival],
            lanes=np.concatenate([np.zeros(len(once), np.int64), alone_lanes])[arrival],
            payers=np.concatenate([self._slots.lane[entries["first_slot"][entry[once]]], alone_lanes])[arrival],
            is_repeat=is_repeat[arrival],
            entry=np.concatenate([entry[once], entry[group[alone]]])[arrival],
            hearer_row=place[hearer_row],
            hearer_slot=np.concatenate([of_order[heard], of_order[alone], first_slot]),
            hearer_rssi=np.concatenate([rssi[heard], rssi[alone], unmeasured]),
            late_entry=entry[group[late]],
            late_slot=of_order[late],
            late_rssi=rssi[late],
            slot=slot,
            is_duplicate=is_duplicate,
            counted=len(heard) + len(alone),
        )

    def _hash(self, head: Column, tail: Column, kind: Column) -> Column:
        one, two, three = self._factors
        mixed = head.view(np.uint64) * one + tail.view(np.uint64) * two + kind.astype(np.uint64)
        mixed ^= mixed >> np.uint64(29)
        mixed *= three
        result: Column = mixed ^ (mixed >> np.uint64(32))
        return result

    def _add(self, hashes: Column, head: Column, tail: Column, kind: Column, first: Column, at: float) -> Column:
        """Remember new transmissions, of which ``first`` are the first frames; their numbers."""
        numbers = (self._next + np.arange(len(first))) % CAPACITY
        self._next = int((self._next + len(first)) % CAPACITY)
        entries = self._entries
        entries["head"][numbers], entries["tail"][numbers], entries["kind"][numbers] = (
            head[first], tail[first], kind[first],
        )  # fmt: skip
        entries["at"][numbers], entries["key"][numbers], entries["is_agreed"][numbers] = at, -1, False
        self._hearers[numbers] = 0
        self._places[(hashes[first] & np.uint64(PLACES - 1)).astype(np.int64)] = numbers
        return numbers

    def _hear(self, entry: Column, group: Column, slot: Column, groups: Extent, new: Column, at: float) -> None:
        """Note who heard these transmissions."""
        entries = self._entries
        is_new = np.zeros(len(entry), np.bool_)
        is_new[new] = True
        for name, least, numbers in (
            ("least_speaker", True, groups.least_speaker), ("most_speaker", False, groups.most_speaker),
            ("least_network", True, groups.least_network), ("most_network", False, groups.most_network),
        ):  # fmt: skip
            before = entries[name][entry]
            joined = np.minimum(before, numbers) if least else np.maximum(before, numbers)
            entries[name][entry] = np.where(is_new, numbers, joined)
        entries["last_at"][entry] = at
        starts = np.flatnonzero(_marks_of(group))
        entries["first_slot"][entry[new]] = slot[starts[new]]
        # Several feeders share a byte: repeated places need the unbuffered form.
        np.bitwise_or.at(self._hearers, (entry[group], slot >> 3), (1 << (slot & 7)).astype(np.uint8))

    def _make_room(self, slots: int) -> None:
        width = self._hearers.shape[1]
        if slots > 8 * width:
            wider = np.zeros((CAPACITY, max(2 * width, -(-slots // 8))), np.uint8)
            wider[:, :width] = self._hearers
            self._hearers = wider


def _transmissions(
    hashes: Column, head: Column, tail: Column, kind: Column, slot: Column
) -> tuple[Column, Column, Column]:
    """The order that brings frames of one transmission together, where each begins, whether it is a feeder's first.

    The k-th time that a feeder sent the same bytes belongs to the k-th time that others did.
    """
    keys = (hashes & ~np.uint64(_SLOT_MASK)) | slot.astype(np.uint64)
    order = np.argsort(keys)
    before, after = order[:-1], order[1:]
    differs = (head[before] != head[after]) | (tail[before] != tail[after]) | (kind[before] != kind[after])
    begins = np.concatenate([[True], differs])
    repeats = np.concatenate([[False], ~differs & (slot[before] == slot[after])])
    if not repeats.any():
        starts = np.flatnonzero(begins)
        return order, starts, np.ones(len(starts), np.bool_)
    index = np.arange(len(order))
    rank = index - np.maximum.accumulate(np.where(repeats, 0, index))
    group = np.cumsum(begins) - 1
    again = np.flatnonzero(rank)
    again = again[np.lexsort((rank[again], group[again]))]
    sorted_again = group[again], rank[again]
    once = rank == 0
    begins_again = np.ones(len(again), np.bool_)
    begins_again[1:] = (np.diff(sorted_again[0]) != 0) | (np.diff(sorted_again[1]) != 0)
    first_time = np.flatnonzero(begins[once])
    starts = np.concatenate([first_time, np.count_nonzero(once) + np.flatnonzero(begins_again)])
    is_first = np.arange(len(starts)) < len(first_time)
    return np.concatenate([order[once], order[again]]), starts, is_first


def addresses(frames: FrameBatch, head: Column) -> Column:
    """The 24-bit address of each frame i8[n], if it is a good one; ``head`` are its first eight bytes (``words``)."""
    df = frames.data[:, 0] >> 3
    in_parity = parity.remainders(frames.data, df >= 16).astype(np.int64)
    result: Column = np.where(_HAS_ADDRESS[df], (head >> 32) & 0xFFFFFF, in_parity)
    return result


def _marks(starts: Column, count: int) -> Column:
    marks = np.zeros(count, np.bool_)
    marks[starts] = True
    return marks


def _marks_of(group: Column) -> Column:
    return np.concatenate([[True], group[1:] != group[:-1]])
