"""Rows of the columns form as MessagePack, all rows of a tick at once.

Each field of all rows becomes bytes in a matrix, as many as its longest value takes; what is kept of them, row by row,
is the packed rows one after the other. The result is what packing each row by itself gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
# Forms of MessagePack (its specification: "int", "nil", "float" and "str format family").
_NIL, _FLOAT_64, _FIXED_TEXT = 0xC0, 0xCB, 0xA0
_UINT_8, _UINT_16, _UINT_32, _INT_8, _INT_16, _INT_32 = 0xCC, 0xCD, 0xCE, 0xD0, 0xD1, 0xD2
_MAX_TEXT_BYTES, MAX_WHOLE = 31, (1 << 31) - 1


class UnpackableError(ValueError):
    """A value that takes a form which is not made here."""


@dataclass(frozen=True)
class Field:
    """One field of all rows: ``bytes`` of each, of which those that ``kept`` marks are its value."""

    bytes: Matrix
    kept: Mask


@dataclass(frozen=True)
class PackedRows:
    """Packed rows one after the other; row ``i`` ends before ``ends[i]``."""

    data: bytes
    ends: list[int]

    def between(self, begin: int, end: int) -> bytes:
        """Some rows that follow each other."""
        return self.data[self.ends[begin - 1] if begin else 0 : self.ends[end - 1] if end else 0]

    def each(self) -> list[bytes]:
        """Every row by itself."""
        starts = [0, *self.ends][: len(self.ends)]
        return [self.data[start:end] for start, end in zip(starts, self.ends, strict=True)]


def join(fields: list[Field], count: int) -> PackedRows:
    """Rows of these fields, at most 15."""
    head = Field(np.full((count, 1), 0x90 | len(fields), "u1"), np.ones((count, 1), "?"))
    parts = [head, *fields]
    kept = np.concatenate([part.kept for part in parts], axis=1)
    data = np.concatenate([part.bytes for part in parts], axis=1)[kept].tobytes()
    return PackedRows(data, np.cumsum(np.count_nonzero(kept, axis=1)).tolist())


def wholes(values: npt.NDArray[np.int64], is_unknown: Mask | None = None) -> Field:
    """Integers, nil where unknown; raises UnpackableError for those of more than four bytes."""
    if len(values) and (np.abs(values).max() > MAX_WHOLE):
        raise UnpackableError("a number takes more than four bytes")
    is_small = (values >= -32) & (values < 128)
    is_one = (values >= -128) & (values < 256)
    is_two = (values >= -(1 << 15)) & (values < (1 << 16))
    form = np.where(
        values >= 0,
        np.where(is_one, _UINT_8, np.where(is_two, _UINT_16, _UINT_32)),
        np.where(is_one, _INT_8, np.where(is_two, _INT_16, _INT_32)),
    )
    data = np.empty((len(values), 5), "u1")
    data[:, 1:] = values.astype(">i4").view("u1").reshape(-1, 4)
    data[:, 0] = np.where(is_small, data[:, 4], form)
    kept = np.ones((len(values), 5), "?")
    kept[:, 4] = ~is_small
    kept[:, 3] = ~is_one
    kept[:, 1] = kept[:, 2] = ~is_two
    if is_unknown is not None:
        data[is_unknown, 0] = _NIL
        kept[is_unknown, 1:] = False
    return Field(data, kept)


def floats(values: npt.NDArray[Any]) -> Field:
    """Floats of eight bytes, nil for NaN."""
    is_known = ~np.isnan(values)
    data = np.empty((len(values), 9), "u1")
    data[:, 0] = np.where(is_known, _FLOAT_64, _NIL)
    data[:, 1:] = values.astype(">f8").view("u1").reshape(-1, 8)
    kept = np.ones((len(values), 9), "?")
    kept[:, 1:] = is_known[:, None]
    return Field(data, kept)


def texts(values: npt.NDArray[np.bytes_]) -> Field:
    """ASCII texts, nil where empty; raises UnpackableError for others and for long ones."""
    count, width = len(values), values.dtype.itemsize
    data = np.empty((count, width + 1), "u1")
    data[:, 1:] = np.ascontiguousarray(values).view("u1").reshape(count, width)
    if width > _MAX_TEXT_BYTES or (data[:, 1:] >= 128).any():
        raise UnpackableError("a text is long or not ASCII")
    kept = np.ones((count, width + 1), "?")
    # A byte belongs to the text where it or one behind it is not zero.
    kept[:, 1:] = np.logical_or.accumulate(data[:, :0:-1] != 0, axis=1)[:, ::-1]
    length = np.count_nonzero(kept[:, 1:], axis=1)
    data[:, 0] = np.where(length, _FIXED_TEXT | length, _NIL)
    return Field(data, kept)
