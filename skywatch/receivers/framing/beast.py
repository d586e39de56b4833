"""Extracts frames from a Beast byte stream, many at once.

A message is ``1a``, a type byte, a 6-byte counter, a signal byte and the payload; after the type byte every ``1a``
is doubled. Of a run of ``1a`` bytes the pairs are data and an odd one at its end begins a message, so a whole
buffer can be cut without walking through it. A message that is cut short by a lone ``1a`` is dropped and the
stream goes on at that ``1a``; every type but Mode A/C and Mode S frames is skipped (status ``34``, receiver ids
``e3``/``e4``, pings, commands and what nobody knows).
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import ROW_BYTES, Column, FrameBatch

ESCAPE = 0x1A
MODE_AC = 0x31
# Type byte -> bytes of payload, 0 for what is skipped.
PAYLOAD_BYTES = np.zeros(256, np.int64)
PAYLOAD_BYTES[[MODE_AC, 0x32, 0x33]] = 2, 7, 14
HEADER_BYTES = 9  # escape, type, counter, signal
MLAT_TICKS = 0xFF004D4C4154  # "MLAT": the frame was made from a multilateration result
MAX_MESSAGE = 2 + 2 * (HEADER_BYTES - 2 + 14)  # every byte doubled

# Signal byte s -> dBFS, 20 log10(s / 255); 0 means that the receiver did not measure.
with np.errstate(divide="ignore"):
    RSSI_OF_SIGNAL = (20 * np.log10(np.arange(256) / 255)).astype(np.float32)
RSSI_OF_SIGNAL[0] = np.nan


class BeastFramer:
    """Converts the bytes of one connection to batches of Mode S frames.

    ``mode_ac`` counts Mode A/C replies and heartbeats (all zero), ``skipped`` messages of other types, ``broken``
    messages cut short by a lone ``1a``. At most one unfinished message is kept between calls.
    """

    def __init__(self) -> None:
        self._unfinished = b""
        self.frames = 0
        self.mode_ac = 0
        self.heartbeats = 0
        self.skipped = 0
        self.broken = 0

    @property
    def pending(self) -> int:
        """Buffered bytes of the unfinished message."""
        return len(self._unfinished)

    def feed(self, received: bytes, time: float = float("nan")) -> FrameBatch:
        """The frames that these bytes complete; ``time`` (unix seconds of arrival) goes into the batch."""
        stream = self._unfinished + received
        raw = np.frombuffer(stream, np.uint8)
        stream, raw, dangling = _without_dangling_escape(stream, raw)
        starts, is_data = message_starts(raw)
        if len(starts) == 0:
            self._unfinished = dangling
            return FrameBatch.empty()
        plain = raw if is_data is None else raw[is_data]
        # Where each message begins once the doubled bytes are single.
        begin = starts if is_data is None else starts - removed_before(is_data, starts)
        end = np.append(begin[1:], len(plain))
        kind = plain[np.minimum(begin + 1, len(plain) - 1)]
        payload = PAYLOAD_BYTES[kind]
        is_frame = payload > 0
        complete = is_frame & (end - begin >= HEADER_BYTES + payload)
        self._keep_rest(stream, int(starts[-1]), bool(complete[-1]), dangling)
        last_unfinished = not complete[-1] and bool(self._unfinished)
        self.broken += int(np.count_nonzero(is_frame & ~complete)) - int(last_unfinished and bool(is_frame[-1]))
        self.skipped += int(np.count_nonzero(~is_frame)) - int(last_unfinished and not is_frame[-1])
        return self._batch(plain, begin[complete], kind[complete], payload[complete], time)

    def _keep_rest(self, stream: bytes, last_start: int, complete: bool, dangling: bytes) -> None:
        """The bytes to prepend at the next call: the last message, unless it is complete or cannot become one."""
        unfinished = stream[last_start:]
        if complete or len(unfinished) > MAX_MESSAGE:
            self._unfinished = dangling
        else:
            self._unfinished = unfinished + dangling

    def _batch(self, plain: Column, begin: Column, kind: Column, payload: Column, time: float) -> FrameBatch:
        is_mode_ac = kind == MODE_AC
        if is_mode_ac.any():
            replies = begin[is_mode_ac]
            beat = ~plain[replies[:, None] + np.arange(2, HEADER_BYTES + 2)].any(axis=1)
            self.heartbeats += int(np.count_nonzero(beat))
            self.mode_ac += len(replies) - int(np.count_nonzero(beat))
            begin, payload = begin[~is_mode_ac], payload[~is_mode_ac]
        self.frames += len(begin)
        return frames_at(plain, begin, payload, time)


def frames_at(plain: Column, begin: Column, payload: Column, time: float) -> FrameBatch:
    """The frames that begin at these bytes of a stream without doubled ones, of 7 or 14 bytes of ``payload`` each.

    All have the same ``time`` (unix seconds, NaN for none yet).
    """
    count = len(begin)
    # One gather for counter, signal and payload; a short frame at the very end must not read beyond the buffer.
    columns = np.minimum(begin[:, None] + np.arange(2, HEADER_BYTES + 14), len(plain) - 1)
    rows = plain[columns]
    data = np.zeros((count, ROW_BYTES), np.uint8)
    data[:, :14] = rows[:, 7:]
    data[payload == 7, 7:] = 0
    counter = np.zeros((count, 8), np.uint8)
    counter[:, 2:] = rows[:, :6]
    ticks = counter.view(">i8")[:, 0].astype(np.int64)
    return FrameBatch(
        time=np.full(count, time, np.float64),
        data=data,
        length=payload.astype(np.uint8),
        rssi=RSSI_OF_SIGNAL[rows[:, 6]],
        ticks=ticks,
        mlat=ticks == MLAT_TICKS,
    )


def _without_dangling_escape(stream: bytes, raw: Column) -> tuple[bytes, Column, bytes]:
    """Set an odd ``1a`` at the very end aside: only the next byte says whether it is data or begins a message."""
    run = len(stream) - len(stream.rstrip(b"\x1a"))
    if run % 2:
        return stream[:-1], raw[:-1], b"\x1a"
    return stream, raw, b""


def message_starts(raw: Column) -> tuple[Column, Column | None]:
    """Where messages begin, and which bytes remain when doubled ones are single (None: all of them)."""
    escapes = np.flatnonzero(raw == ESCAPE)
    if len(escapes) == 0:
        return escapes, None
    follows = np.empty(len(escapes), np.bool_)  # directly after another 1a
    follows[0] = False
    np.equal(escapes[1:], escapes[:-1] + 1, out=follows[1:])
    if not follows.any():
        return escapes, None
    index = np.arange(len(escapes))
    offset = index - np.maximum.accumulate(np.where(follows, 0, index))  # place within its run
    second = (offset & 1).astype(np.bool_)
    ends_run = np.append(~follows[1:], True)
    is_data = np.ones(len(raw), np.bool_)
    is_data[escapes[second]] = False
    return escapes[ends_run & ~second], is_data


def removed_before(is_data: Column, positions: Column) -> Column:
    """The number of removed bytes before each position."""
    removed = np.flatnonzero(~is_data)
    return np.searchsorted(removed, positions)
