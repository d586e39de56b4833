"""The stored form of an hour: a summary of fixed size, and its minutes, compressed.

Each begins with its version; another version is passed over (it raises ValueError here).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from skywatch.core.geo import SECTORS
from skywatch.reception.measurement.hour import BINS, MINUTES, SPANS, SUMS, Array, Hour, total

VERSION = b"\x01"
# Origin (degrees, NaN for none), sums of the hour, greatest distances by sector, signals by strength.
SUMMARY = np.dtype([("origin", "<f8", 2), ("sums", SUMS), ("ranges", "<u2", SECTORS), ("signals", "<u4", BINS)])
COMPRESSION_LEVEL = 6
_DETAIL_BYTES = MINUTES * SUMS.itemsize + SPANS * SECTORS * 2 + SPANS * BINS * 4


@dataclass(frozen=True)
class Detail:
    """The minutes of an hour, see ``Hour``."""

    minutes: Array
    ranges: Array
    signals: Array


def pack_summary(hour: Hour) -> bytes:
    """The sums of an hour."""
    record = np.zeros(1, SUMMARY)
    record["origin"] = hour.origin or (np.nan, np.nan)
    record["sums"] = total(hour.minutes)
    record["ranges"] = hour.ranges.max(axis=0)
    record["signals"] = hour.signals.sum(axis=0)
    return VERSION + record.tobytes()


def is_readable(summary: bytes) -> bool:
    """Whether a summary is of this version; another release may have written others."""
    return summary[:1] == VERSION and len(summary) == len(VERSION) + SUMMARY.itemsize


def unpack_summaries(packed: list[bytes]) -> Array:
    """A record of SUMMARY for each; raises ValueError."""
    if not all(map(is_readable, packed)):
        raise ValueError("a summary of reception has another version or size")
    return np.frombuffer(b"".join(data[1:] for data in packed), SUMMARY)


def pack_detail(hour: Hour) -> bytes:
    """The minutes of an hour."""
    parts = hour.minutes.tobytes() + hour.ranges.tobytes() + hour.signals.tobytes()
    return VERSION + zlib.compress(parts, COMPRESSION_LEVEL)


def unpack_detail(data: bytes) -> Detail:
    """The minutes of an hour; raises ValueError."""
    if data[:1] != VERSION:
        raise ValueError("the minutes of reception have another version")
    decompressor = zlib.decompressobj()
    try:
        parts = decompressor.decompress(data[1:], _DETAIL_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"the minutes of reception are damaged: {error}") from None
    if len(parts) != _DETAIL_BYTES or not decompressor.eof:
        raise ValueError("the minutes of reception have another size")
    minutes = np.frombuffer(parts, SUMS, MINUTES)
    ranges = np.frombuffer(parts, "<u2", SPANS * SECTORS, MINUTES * SUMS.itemsize)
    signals = np.frombuffer(parts, "<u4", SPANS * BINS, MINUTES * SUMS.itemsize + ranges.nbytes)
    return Detail(minutes, ranges.reshape(SPANS, SECTORS), signals.reshape(SPANS, BINS))


def unpack(summary: bytes, detail: bytes) -> Hour:
    """An hour that can be continued; raises ValueError."""
    lat, lon = (float(value) for value in unpack_summaries([summary])[0]["origin"])
    parts = unpack_detail(detail)
    origin = None if np.isnan(lat) else (lat, lon)
    return Hour(origin, parts.minutes.copy(), parts.ranges.copy(), parts.signals.copy())
