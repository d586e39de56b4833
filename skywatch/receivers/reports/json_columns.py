"""``ColumnReader``: reads aircraft.json to columns, a block of aircraft after the other.

The objects of a block fit into a processor's cache and are freed before the next ones are decoded. What an aircraft
says for minutes on end is kept from one document to the next.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from operator import itemgetter
from typing import Any

import numpy as np
from msgspec import UNSET
from msgspec.structs import astuple

from skywatch.core.arrays import Array
from skywatch.receivers.reports.aircraft_json import BAD_JSON, Document, DocumentError, read_blocks, read_document
from skywatch.receivers.reports.normalisation import clean, positions
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import BLOCK, NAN, NUMBERS, STEADY, DocumentColumns, floats

_FIELDS = Report.__struct_fields__
_TAKEN = (*NUMBERS, "seen", "seen_pos")
_HEX, _FLIGHT, _ADVISORY = map(_FIELDS.index, ("hex", "flight", "acas_ra"))
_steady_of = itemgetter(*map(_FIELDS.index, STEADY))
_numbers = itemgetter(*map(_FIELDS.index, _TAKEN))

_NOTHING = array("d", (NAN,))
# What an aircraft said for minutes on end, as it came but for the padding of its callsign, its address, and what is
# taken of it: the same tuple, unless something had to be cleaned.
_Known = tuple[tuple[Any, ...], str, tuple[Any, ...]]
_address_of, _taken_of = itemgetter(1), itemgetter(2)


class ColumnReader:
    """Reads the documents of one source in their order."""

    def __init__(self) -> None:
        # By address as it came, as many as two documents have; what was refused in part, or has no source, is not kept.
        self._known: dict[str, _Known] = {}

    def read(self, body: bytes, invalid: Counter[str]) -> DocumentColumns:
        """A document; invalid values are dropped and counted by field name in ``invalid``. Raises DocumentError."""
        try:
            columns = self._in_blocks(body) or self._whole(body)
        except DocumentError:
            self._known.clear()
            raise
        if len(self._known) > 2 * len(columns.hexes) + BLOCK:
            self._known.clear()
        document = columns.finish()
        invalid.update(columns.invalid)
        return document

    def _in_blocks(self, body: bytes) -> _Columns | None:
        """The columns of a document that is cut into blocks and valid; else None."""
        columns = _Columns(self._known)
        try:
            document, blocks = read_blocks(body, columns.invalid) or (None, ())
            for aircraft in blocks:
                columns.add(aircraft)
        except BAD_JSON:
            return None
        if document is None:
            return None
        columns.document = document
        return columns

    def _whole(self, body: bytes) -> _Columns:
        columns = _Columns(self._known)
        columns.document = read_document(body, columns.invalid)
        aircraft = columns.document.aircraft
        for start in range(0, len(aircraft), BLOCK):
            columns.add(aircraft[start : start + BLOCK])
        return columns


class _Number:
    """One field of ``NUMBERS`` or an age: ``is_said`` if any aircraft has it."""

    def __init__(self) -> None:
        self.is_said = False
        self._values = array("d")

    def add(self, values: Sequence[Any]) -> None:
        """Take a block of values as reports have them."""
        if not self.is_said and values.count(UNSET) == len(values):
            # Most aircraft never say most of the air data.
            self._values += _NOTHING * len(values)
            return
        self.is_said = True
        try:
            self._values += array("d", values)
        except TypeError:  # Some are UNSET or "ground".
            self._values.frombytes(floats(values).tobytes())

    def column(self) -> Array:
        """f8[n]: all of them."""
        return np.frombuffer(self._values)


class _Columns:
    """Aircraft by field; ``known`` is what each said before, and is kept up to date."""

    def __init__(self, known: dict[str, _Known]) -> None:
        self.invalid: Counter[str] = Counter()
        self.document = Document(None, None, [])
        self.hexes: list[str] = []
        self.steady: list[tuple[Any, ...]] = []
        self._known = known
        self._numbers = [_Number() for _ in _TAKEN]
        self._advisories: dict[int, Any] = {}

    def add(self, aircraft: Sequence[Report]) -> None:
        """Take decoded aircraft, which may be changed."""
        columns: list[Sequence[Any]] = list(zip(*map(astuple, aircraft), strict=True))
        # readsb pads callsigns; what is taken of most aircraft is then what came, and kept once.
        columns[_FLIGHT] = [text if text is UNSET else text.rstrip(" ") for text in columns[_FLIGHT]]
        known = list(map(self._known.get, columns[_HEX]))
        for at, steady in enumerate(zip(*_steady_of(columns), strict=True)):
            before = known[at]
            if before is None or before[0] != steady:
                known[at] = self._clean(steady, aircraft[at])
        if None in known:
            columns = [tuple(compress(column, known)) for column in columns]
        advisories = columns[_ADVISORY]
        if advisories.count(UNSET) < len(advisories):
            begin = len(self.hexes)
            self._advisories |= {begin + at: said for at, said in enumerate(advisories) if said is not UNSET}
        for number, values in zip(self._numbers, _numbers(columns), strict=True):
            number.add(values)
        entries = [entry for entry in known if entry is not None]
        self.hexes += map(_address_of, entries)
        self.steady += map(_taken_of, entries)

    def _clean(self, steady: tuple[Any, ...], report: Report) -> _Known | None:
        """What is taken of a report; None where its address is none."""
        address, is_sound, counted = report.hex, report.type is not UNSET, self.invalid.total()
        if not clean(report, self.invalid):
            return None
        taken: tuple[Any, ...] = _steady_of(astuple(report))
        known = steady, report.hex, steady if taken == steady else taken
        if is_sound and self.invalid.total() == counted:
            self._known[address] = known
        return known

    def finish(self) -> DocumentColumns:
        """All that was taken."""
        columns = {name: number.column() for name, number in zip(_TAKEN, self._numbers, strict=True)}
        ages, position_ages = columns.pop("seen"), columns.pop("seen_pos")
        ages = np.where(np.isnan(ages), 0.0, ages)
        lat, lon = columns["lat"], columns["lon"]
        has_position, refused = positions(lat, lon)
        if refused.any():
            self.invalid["position"] += int(np.count_nonzero(refused))
            lat[refused] = lon[refused] = NAN
        position_ages = np.where(has_position, np.where(np.isnan(position_ages), ages, position_ages), NAN)
        numbers = {name: columns[name] for name, number in zip(NUMBERS, self._numbers, strict=False) if number.is_said}
        now, messages = self.document.now, self.document.messages
        return DocumentColumns(now, messages, self.hexes, ages, position_ages, numbers, self.steady, self._advisories)
