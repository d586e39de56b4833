"""An immutable part of the list of known aircraft as columns, searched by substring within milliseconds.

Indexes of trigrams (FTS5 on SQLite, pg_trgm on PostgreSQL) find rare words as quickly, but the counts of a common word
or of one or two characters cost them 10 to 30 times as much (benchmarks/cannonball.py). 300,000 rows take some 10 MB
here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from skywatch.airframes.military import MilitaryAircraft
from skywatch.cannonball.vocabulary import AgencyType, Source, values

AGENCY_TYPES = values(AgencyType)
SOURCES = values(Source)
REGISTRATION_LENGTH = 12
BLOCK = 10_000
Mask = npt.NDArray[np.bool_]


class Entry(NamedTuple):
    """The fields of a known aircraft that the search and its filters use."""

    icao_hex: str
    registration: str
    agency_name: str
    agency_type: str
    agency_state: str
    source: str
    verified: bool


class Filters(NamedTuple):
    """The filters of the list; None matches everything. ``hidden`` excludes these aircraft, and military agencies."""

    search: str | None = None
    agency_type: str | None = None
    agency_state: str | None = None
    source: str | None = None
    verified: bool | None = None
    hidden: MilitaryAircraft | None = None


def fold(text: str) -> str:
    """Text normalised for the search: without case, accents or outer blanks."""
    if text.isascii():  # The fast path: a third of a million texts are folded at once.
        return text.strip().lower()
    plain = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


def _columns(entries: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """The values of each field of ``Entry``; read block by block, so that not all database rows are in memory."""
    columns: list[list[Any]] = [[] for _ in Entry._fields]
    rows = iter(entries)
    while block := list(islice(rows, BLOCK)):
        for column, of_block in zip(columns, zip(*block, strict=True), strict=True):
            column += of_block
    return dict(zip(Entry._fields, columns, strict=True))


class _Names:
    """Distinct agency names, concatenated, with the rows (in ``order``) that have them."""

    def __init__(self, names: Sequence[str], order: npt.NDArray[np.intp]) -> None:
        distinct = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self.of_row = np.fromiter(map(distinct.__getitem__, names), dtype=np.int32, count=len(names))[order]
        encoded = [fold(name).encode() for name in distinct]
        # A zero byte before and after each name prevents matches across names.
        self.text = np.frombuffer(b"\0".join([b"", *encoded, b""]), dtype=np.uint8)
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        # The number of the name that the byte after each position belongs to (a name and the zero after it).
        self.at_byte = np.repeat(np.arange(len(encoded), dtype=np.int32), lengths + 1)
        self.count = len(encoded)
        self.frequency = np.bincount(self.text, minlength=256)

    def containing(self, needle: bytes) -> Mask:
        """The mask of rows whose name contains the bytes."""
        is_match = np.zeros(self.count, dtype=bool)
        if len(needle) < len(self.text):
            anchor = min(range(len(needle)), key=lambda i: self.frequency[needle[i]])
            at = np.flatnonzero(self.text == needle[anchor]) - anchor
            at = at[(at >= 0) & (at + len(needle) <= len(self.text))]
            for offset, byte in enumerate(needle):
                if offset != anchor:
                    at = at[self.text[at + offset] == byte]
            is_match[self.at_byte[at - 1]] = True
        return is_match[self.of_row]


class Segment:
    """Entries in the order of their addresses, none twice."""

    def __init__(self, entries: Iterable[Sequence[Any]]) -> None:
        """``entries`` are read once, in any order; each has the fields of ``Entry``."""
        columns = _columns(entries)
        count = len(columns["icao_hex"])
        addresses = np.fromiter(map(int, columns["icao_hex"], repeat(16)), dtype=np.uint32, count=count)
        order = np.argsort(addresses)
        self.addresses = addresses[order]
        registrations = np.array(
            [fold(text).encode("ascii", "replace") for text in columns["registration"]], dtype="S12"
        )
        # One row of bytes for each position in the text: comparing a position is one pass over 300 kB. Positions that
        # no registration of the list uses are omitted.
        positions = registrations[order].view(np.uint8).reshape(count, REGISTRATION_LENGTH).T
        self.registrations = np.ascontiguousarray(
            positions[: 1 + max(np.flatnonzero(positions.any(axis=1)), default=-1)]
        )
        self.names = _Names(columns["agency_name"], order)
        types = {name: code for code, name in enumerate(AGENCY_TYPES)}
        sources = {name: code for code, name in enumerate(SOURCES)}
        self.agency_types = np.fromiter(map(types.__getitem__, columns["agency_type"]), np.uint8, count)[order]
        self.states = np.array(columns["agency_state"], dtype="S2")[order]
        self.sources = np.fromiter(map(sources.__getitem__, columns["source"]), np.uint8, count)[order]
        self.verified = np.fromiter(columns["verified"], np.bool_, count)[order]
        self._hidden: tuple[MilitaryAircraft, Mask] | None = None

    def __len__(self) -> int:
        return len(self.addresses)

    def _military(self, aircraft: MilitaryAircraft) -> Mask:
        """The mask of military aircraft and agencies; kept until it changes which aircraft are military."""
        if self._hidden is None or self._hidden[0] is not aircraft:
            is_agency = self.agency_types == AGENCY_TYPES.index(AgencyType.MILITARY)
            self._hidden = aircraft, aircraft.mask(self.addresses, is_agency) | is_agency
        return self._hidden[1]

    def matching(self, filters: Filters) -> Mask:
        """The mask of rows that match every filter."""
        mask = np.ones(len(self), dtype=bool)
        if filters.agency_type is not None:
            mask &= self.agency_types == AGENCY_TYPES.index(filters.agency_type)
        if filters.hidden is not None:
            mask &= ~self._military(filters.hidden)
        if filters.agency_state is not None:
            mask &= self.states == filters.agency_state.encode()
        if filters.source is not None:
            mask &= self.sources == SOURCES.index(filters.source)
        if filters.verified is not None:
            mask &= self.verified == filters.verified
        if filters.search is not None and (needle := fold(filters.search).encode()):
            mask &= (
                self._addresses_containing(needle)
                | self._registrations_containing(needle)
                | self.names.containing(needle)
            )
        return mask

    def _addresses_containing(self, needle: bytes) -> Mask:
        mask = np.zeros(len(self), dtype=bool)
        if len(needle) > 6 or not all(c in b"0123456789abcdef" for c in needle):
            return mask
        value, digits = int(needle, 16), (1 << 4 * len(needle)) - 1
        for shift in range(0, 4 * (7 - len(needle)), 4):
            mask |= (self.addresses >> np.uint32(shift)) & np.uint32(digits) == value
        return mask

    def _registrations_containing(self, needle: bytes) -> Mask:
        mask = np.zeros(len(self), dtype=bool)
        for start in range(len(self.registrations) - len(needle) + 1):
            is_match = self.registrations[start] == needle[0]
            for offset, byte in enumerate(needle[1:], start + 1):
                is_match &= self.registrations[offset] == byte
            mask |= is_match
        return mask

    def row_of(self, address: int) -> int:
        """The row of one address, -1 if it is not in the segment."""
        row = int(self.addresses.searchsorted(np.uint32(address)))
        return row if row < len(self.addresses) and self.addresses[row] == address else -1

    def rows_of(self, addresses: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
        """The rows of those addresses that are in the segment."""
        at = np.searchsorted(self.addresses, addresses)
        at = at[at < len(self)] if len(self) else at[:0]
        return at[np.isin(self.addresses[at], addresses)]
