"""Extracts the Beast frames of many connections in one pass: what ``framing.beast`` does for one.

Streams are put one behind the other. Each begins with a message, so that no byte of one can complete a message of
another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skywatch.receivers.framing.beast import (
    ESCAPE,
    HEADER_BYTES,
    MAX_MESSAGE,
    MODE_AC,
    PAYLOAD_BYTES,
    frames_at,
    message_starts,
    removed_before,
)
from skywatch.receivers.framing.frames import Column, FrameBatch

_ESCAPES = re.compile(rb"\x1a+")


class Framed(NamedTuple):
    """Frames of several streams, without times: ``stream`` i8[n] the place of each frame's stream.

    Of each stream ``rest`` are the bytes to put in front of what it brings next, ``broken`` i8 counts messages cut
    short, and ``behind`` i8 are the bytes behind its last frame.
    """

    frames: FrameBatch
    stream: Column
    rest: list[bytes]
    broken: Column
    behind: Column


def frame_streams(streams: Sequence[bytes]) -> Framed:
    """The frames that are complete in these streams, in their order."""
    cut = [_from_message(stream) for stream in streams]
    joined = b"".join([stream for stream, _ in cut])
    rest = [dangling for _, dangling in cut]
    behind = np.array([len(stream) for stream in streams])
    broken = np.zeros(len(streams), np.int64)
    raw = np.frombuffer(joined, np.uint8)
    starts, is_data = message_starts(raw)
    if not len(starts):
        return Framed(FrameBatch.empty(), np.empty(0, np.int64), rest, broken, behind)
    ends = np.cumsum([len(stream) for stream, _ in cut])
    stream = np.searchsorted(ends, starts, "right")
    plain = raw if is_data is None else raw[is_data]
    begin = starts if is_data is None else starts - removed_before(is_data, starts)
    length = np.diff(np.append(begin, len(plain)))
    kind = plain[np.minimum(begin + 1, len(plain) - 1)]
    payload = np.where(length > 1, PAYLOAD_BYTES[kind], 0)
    is_frame = payload > 0
    is_complete = is_frame & (length >= HEADER_BYTES + payload)
    is_last = np.append(stream[1:] != stream[:-1], True)
    for place in np.flatnonzero(is_last & ~is_complete).tolist():
        number = int(stream[place])
        text = cut[number][0]
        unfinished = text[int(starts[place]) - (int(ends[number]) - len(text)) :]
        if len(unfinished) <= MAX_MESSAGE:
            rest[number] = unfinished + rest[number]
            is_frame[place] = False
    np.add.at(broken, stream[is_frame & ~is_complete], 1)
    chosen = np.flatnonzero(is_complete & (kind != MODE_AC))
    # For repeated streams the last frame remains; what follows it up to the next escape belongs to nothing.
    excess = (length - HEADER_BYTES - payload)[chosen]
    behind[stream[chosen]] = ends[stream[chosen]] - np.append(starts[1:], len(raw))[chosen] + excess
    return Framed(frames_at(plain, begin[chosen], payload[chosen], np.nan), stream[chosen], rest, broken, behind)


def _from_message(stream: bytes) -> tuple[bytes, bytes]:
    """A stream from its first message on, and an odd escape at its end, whose meaning the next byte tells."""
    dangling = b""
    if stream.endswith(b"\x1a") and (len(stream) - len(stream.rstrip(b"\x1a"))) % 2:
        stream, dangling = stream[:-1], b"\x1a"
    if len(stream) > 1 and stream[0] == ESCAPE and stream[1] != ESCAPE:
        return stream, dangling
    for run in _ESCAPES.finditer(stream):
        if (run.end() - run.start()) % 2:
            return stream[run.end() - 1 :], dangling
    return b"", dangling
