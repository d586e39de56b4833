"""``FrameBatch``: Mode S frames as NumPy columns, the output of framers and the input of the decoder."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

SHORT_BYTES = 7
LONG_BYTES = 14
ROW_BYTES = 16  # two 64-bit words, so that the decoder can read fields with shifts
NO_TICKS = -1
_NO_BYTE = b"\0"

Column = npt.NDArray[Any]


@dataclass(slots=True, eq=False)
class FrameBatch:
    """*n* frames in the order they were received.

    ``time`` f8[n] unix seconds; ``data`` u1[n, 16] the frame from its first byte on, zeros behind it;
    ``length`` u1[n] bytes of the frame; ``rssi`` f4[n] dBFS, NaN where unknown; ``ticks`` i8[n] the receiver's
    counter, -1 where there is none; ``mlat`` ?[n] whether the frame is synthetic, made from a position that was
    computed from arrival times.
    """

    time: Column
    data: Column
    length: Column
    rssi: Column
    ticks: Column = field(default_factory=lambda: np.empty(0, np.int64))
    mlat: Column = field(default_factory=lambda: np.empty(0, np.bool_))

    def __post_init__(self) -> None:
        if len(self.ticks) != len(self.time):
            self.ticks = np.full(len(self.time), NO_TICKS, np.int64)
        if len(self.mlat) != len(self.time):
            self.mlat = np.zeros(len(self.time), np.bool_)

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, rows: slice | Column) -> FrameBatch:
        """The frames of a slice, a mask or an array of indices."""
        return FrameBatch(
            self.time[rows], self.data[rows], self.length[rows], self.rssi[rows], self.ticks[rows], self.mlat[rows]
        )

    def frame(self, row: int) -> bytes:
        """The bytes of one frame."""
        return self.data[row, : self.length[row]].tobytes()

    @classmethod
    def empty(cls) -> FrameBatch:
        """A batch without frames."""
        return cls.of_bytes([])

    @classmethod
    def of_bytes(
        cls,
        frames: Sequence[bytes],
        time: Column | float = math.nan,
        rssi: Column | float = math.nan,
        ticks: Column | None = None,
        mlat: Column | None = None,
    ) -> FrameBatch:
        """Frames of any length as a batch; one longer than a row is cut (the decoder refuses its length)."""
        count = len(frames)
        lengths = list(map(len, frames))
        if max(lengths, default=0) > ROW_BYTES:
            frames = [frame[:ROW_BYTES] for frame in frames]
        return cls(
            time=_filled(time, count, np.float64),
            # A copy, because those of others can be written to.
            data=np.frombuffer(bytearray(_padded(frames)), np.uint8).reshape(count, ROW_BYTES),
            length=np.minimum(np.array(lengths, np.int64), 255).astype(np.uint8),
            rssi=_filled(rssi, count, np.float32),
            ticks=np.empty(0, np.int64) if ticks is None else ticks,
            mlat=np.empty(0, np.bool_) if mlat is None else mlat,
        )

    @classmethod
    def of_tuples(cls, frames: Iterable[tuple[float, bytes, float | None]]) -> FrameBatch:
        """A batch of (unix seconds, frame, rssi or None)."""
        rows = list(frames)
        if not rows:
            return cls.empty()
        times, data, levels = zip(*rows, strict=True)
        # NumPy makes NaN of None.
        return cls.of_bytes(data, np.array(times, np.float64), np.array(levels, np.float32))

    @classmethod
    def concatenate(cls, batches: Sequence[FrameBatch]) -> FrameBatch:
        """One batch of several, in their order."""
        if len(batches) == 1:
            return batches[0]
        if not batches:
            return cls.empty()
        return cls(
            np.concatenate([batch.time for batch in batches]),
            np.concatenate([batch.data for batch in batches]),
            np.concatenate([batch.length for batch in batches]),
            np.concatenate([batch.rssi for batch in batches]),
            np.concatenate([batch.ticks for batch in batches]),
            np.concatenate([batch.mlat for batch in batches]),
        )


def _padded(frames: Sequence[bytes]) -> bytes:
    """Frames of at most a row, zeros behind each of them."""
    sizes = set(map(len, frames))
    if len(sizes) == 1:
        padding = bytes(ROW_BYTES - sizes.pop())
        return padding.join(frames) + padding
    return b"".join([frame.ljust(ROW_BYTES, _NO_BYTE) for frame in frames])


def _filled(values: Column | float, count: int, dtype: Any) -> Column:
    """An array of its own with one value for each frame."""
    return np.array(values, dtype) if isinstance(values, np.ndarray) else np.full(count, values, dtype)
