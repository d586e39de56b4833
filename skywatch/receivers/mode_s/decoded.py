"""``Decoded``: the content of the frames of a batch, as columns and as messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np

from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.mode_s.message import Message
from skywatch.receivers.mode_s.values import WRITE
from skywatch.receivers.reports.report import SOURCES

# ``Decoded.source`` indexes SOURCES.
SOURCE = {name: index for index, name in enumerate(SOURCES)}


class Status(IntEnum):
    """The result of decoding a frame."""

    GOOD = 0
    BAD_LENGTH = 1  # not 7 or 14 bytes, or not as its downlink format has it
    UNSUPPORTED = 2  # a downlink format without public content
    BAD_PARITY = 3
    UNKNOWN_ADDRESS = 4  # the address that the parity gives was not seen in a good frame lately
    NO_AIRCRAFT = 5  # good, but not about an aircraft, or with an address that cannot be
    DOUBTFUL = 6  # a reply that says impossible things, or others than the aircraft's replies before it
    TOO_MANY = 7  # of an aircraft beyond the limit of those that only one hears


class Decoded:
    """The result of one batch of *n* frames.

    ``frames`` is the batch, ``time`` f8[n] (a frame without a time has that of the one before it), ``status`` u1[n]
    (:class:`Status`), ``df`` u1[n], and for good frames ``address`` i4[n] (24 bits), ``non_icao`` ?[n] and
    ``source`` u1[n] (index into SOURCES).

    ``fields`` maps each field that any frame carried to pieces (rows, values): rows i8[k] of the batch and what
    those frames carried. ``column`` makes one dense column of them. Units are those of
    :class:`~skywatch.receivers.reports.report.Report`; texts and sets are held as codes:

    ============  ===================================================================
    alt_baro      feet; -100,000 for a surface position ("ground")
    flight        eight 6-bit characters, the first in the highest bits
    squawk        the four octal digits read as a decimal number
    category      two hexadecimal digits, 0xA3 is "A3"
    emergency     index into ``report.EMERGENCIES``
    sil_type      index into ``report.SIL_TYPES``
    nav_modes     bit set over ``report.NAV_MODES``
    acas_ra       the 56 bits that describe the resolution advisory
    ============  ===================================================================
    """

    __slots__ = ("address", "df", "fields", "frames", "non_icao", "source", "status", "time")

    def __init__(self, frames: FrameBatch) -> None:
        count = len(frames)
        self.frames = frames
        self.time = frames.time
        self.df = frames.data[:, 0] >> 3
        self.status = np.zeros(count, np.uint8)
        self.address = np.zeros(count, np.int32)
        self.non_icao = np.zeros(count, np.bool_)
        self.source = np.full(count, SOURCE["mode_s"], np.uint8)
        self.fields: dict[str, list[tuple[Column, Column]]] = {}

    def __len__(self) -> int:
        return len(self.frames)

    def put(self, name: str, rows: Column, values: Column) -> None:
        """Set this field of these frames."""
        if len(rows):
            self.fields.setdefault(name, []).append((rows, values))

    def put_where(self, name: str, mask: Column, rows: Column, values: Column) -> None:
        """Set this field of those of these frames where ``mask`` is true."""
        self.put(name, rows[mask], values[mask])

    def column(self, name: str) -> Column:
        """One field as f8[n], NaN for frames that did not carry it."""
        dense = np.full(len(self), np.nan)
        for rows, values in self.fields.get(name, ()):
            dense[rows] = values
        return dense

    def messages(self) -> list[Message]:
        """One message for each good frame, in the order of the frames."""
        rows = np.flatnonzero(self.status == Status.GOOD)
        messages = [
            Message(hex=name, at=at, type=SOURCES[source], df=df)
            for name, at, source, df in zip(
                map(_name, self.address[rows].tolist(), self.non_icao[rows].tolist()),
                self.time[rows].tolist(),
                self.source[rows].tolist(),
                self.df[rows].tolist(),
                strict=True,
            )
        ]
        by_row: list[Message | None] = [None] * len(self)
        for row, message in zip(rows.tolist(), messages, strict=True):
            by_row[row] = message
        measured = np.flatnonzero(~np.isnan(self.frames.rssi) & (self.status == Status.GOOD))
        _fill(by_row, "rssi", measured, np.round(self.frames.rssi[measured].astype(np.float64), 1).tolist())
        for name, pieces in self.fields.items():
            write = WRITE.get(name, np.ndarray.tolist)
            for piece, values in pieces:
                _fill(by_row, name, piece, write(values))
        for piece, _ in self.fields.get("lat", ()):
            _fill(by_row, "position_at", piece, self.time[piece].tolist())
        return messages

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages())


@lru_cache(maxsize=1 << 15)
def _name(address: int, non_icao: bool) -> str:
    """An address as readsb writes it: six hexadecimal digits, marked where it is not an ICAO address."""
    return f"~{address:06x}" if non_icao else f"{address:06x}"


def _fill(by_row: list[Message | None], name: str, rows: Column, values: list[Any]) -> None:
    """Set one field of some messages, in C: this is most of the work of making messages."""
    setter = getattr(Message, name).__set__
    deque(map(setter, map(by_row.__getitem__, rows.tolist()), values), maxlen=0)
