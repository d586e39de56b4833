"""``ReportColumns``: the reports of one document by field.

The picture reads the columns as they are. Whoever asks for a report gets one that is made then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from operator import attrgetter, is_not
from typing import Any, NamedTuple, overload

import numpy as np
from msgspec import UNSET
from msgspec.structs import astuple

from skywatch.core.arrays import Array
from skywatch.receivers.reports.duplicates import without_duplicates
from skywatch.receivers.reports.report import Report

# What an aircraft says for minutes on end, in the order of a report.
STEADY = (
    "type", "flight", "r", "t", "desc", "ownOp", "year", "dbFlags", "squawk", "emergency", "category", "nav_qnh",
    "nav_altitude_mcp", "nav_altitude_fms", "nav_heading", "nav_modes", "nic", "rc", "version", "nic_baro", "nac_p",
    "nac_v", "sil", "sil_type", "gva", "sda", "alert", "spi", "mlat", "tisb",
)  # fmt: skip
STEADY_AT = {name: at for at, name in enumerate(STEADY)}
# The numbers among what changes every second.
NUMBERS = (
    "alt_baro", "alt_geom", "gs", "ias", "tas", "mach", "wd", "ws", "oat", "tat", "track", "track_rate", "roll",
    "mag_heading", "true_heading", "baro_rate", "geom_rate", "lat", "lon", "messages", "rssi",
)  # fmt: skip
# Numbers that are whole.
WHOLE = frozenset(
    ("alt_baro", "alt_geom", "baro_rate", "geom_rate", "messages", "nav_altitude_mcp", "nav_altitude_fms")
)
# As a number, what is not said, and the altitude of an aircraft on the ground.
NAN, GROUND = float("nan"), float("inf")
# Number of reports that, with their objects, fit into a processor's second-level cache.
BLOCK = 256
_FIELDS = Report.__struct_fields__


def is_absent(values: list[Any]) -> bool:
    """Whether every value is UNSET."""
    return bool(values) and values[0] is UNSET and values.count(UNSET) == len(values)


def are_said(values: Sequence[Any]) -> Array:
    """?[n]: which values are not UNSET."""
    return np.fromiter(map(is_not, values, repeat(UNSET)), "?", len(values))


def floats(values: Sequence[Any]) -> Array:
    """f8[n]: values of a field of ``NUMBERS``, NaN for UNSET and ``GROUND`` for "ground"."""
    try:
        return np.fromiter(values, "f8", len(values))
    except (TypeError, ValueError):  # Some are UNSET or "ground".
        listed = [NAN if value is UNSET else GROUND if value == "ground" else value for value in values]
        return np.fromiter(listed, "f8", len(listed))


def present(values: Array) -> list[Any]:
    """A list of Python floats, UNSET for NaN."""
    listed: list[Any] = values.tolist()
    for row in np.flatnonzero(np.isnan(values)).tolist():
        listed[row] = UNSET
    return listed


def listed(name: str, column: Array) -> list[Any]:
    """The values of a field of ``NUMBERS`` as a report has them: the reverse of ``floats``."""
    if name not in WHOLE:
        return present(column)
    is_number = np.isfinite(column)
    if is_number.all():
        whole: list[Any] = np.rint(column).astype("i8").tolist()
        return whole
    values: list[Any] = np.rint(np.where(is_number, column, 0.0)).astype("i8").tolist()
    for row in np.flatnonzero(~is_number).tolist():
        values[row] = "ground" if column[row] == GROUND else UNSET
    return values


def fields_of(reports: Sequence[Report]) -> dict[str, list[Any]]:
    """The values of each field of a report, a value for each of the reports.

    They are taken apart block by block, while the block is in the cache.
    """
    fields: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    kinds: set[type[Report]] = set(map(type, reports))
    # Those that add fields do so behind these.
    is_whole = all(kind.__struct_fields__[: len(_FIELDS)] == _FIELDS for kind in kinds)
    taken_apart: Callable[[Report], tuple[Any, ...]] = astuple if is_whole else attrgetter(*_FIELDS)
    for start in range(0, len(reports), BLOCK):
        # Kinds that differ in length end with the shortest, which has all of these.
        rows = map(taken_apart, reports[start : start + BLOCK])
        for values, part in zip(fields.values(), zip(*rows, strict=len(kinds) == 1), strict=False):
            values += part
    return fields


class ReportColumns(Sequence[Report]):
    """Snapshots of different aircraft by field.

    ``at`` and ``position_at`` f8[n] are as in a report, ``numbers`` f8[n] by name as ``floats`` has them, ``steady``
    the values of ``STEADY`` of each, ``advisories`` the resolution advisories by row. What stands nowhere is UNSET.
    Nobody may write to any of them.
    """

    def __init__(
        self,
        hexes: list[str],
        at: Array,
        position_at: Array,
        numbers: Mapping[str, Array],
        steady: list[tuple[Any, ...]],
        advisories: Mapping[int, Any],
    ) -> None:
        self.hexes, self.at, self.position_at = hexes, at, position_at
        self.numbers, self.steady, self.advisories = numbers, steady, advisories
        self._reports: list[Report] | None = None

    @classmethod
    def of(cls, reports: Sequence[Report]) -> ReportColumns:
        """Those of reports."""
        return cls.of_fields(fields_of(reports))

    @classmethod
    def of_fields(cls, fields: Mapping[str, list[Any]]) -> ReportColumns:
        """Those of a value for each report of each field."""
        return cls(
            fields["hex"],
            floats(fields["at"]),
            floats(fields["position_at"]),
            {name: floats(fields[name]) for name in NUMBERS if fields[name] and not is_absent(fields[name])},
            list(zip(*(fields[name] for name in STEADY), strict=True)),
            {row: advisory for row, advisory in enumerate(fields["acas_ra"]) if advisory is not UNSET},
        )

    @classmethod
    def joined(cls, parts: Sequence[ReportColumns]) -> ReportColumns:
        """Those of several, one behind the other."""
        begins = np.cumsum([0, *map(len, parts)]).tolist()
        names = {name for part in parts for name in part.numbers}
        return cls(
            [address for part in parts for address in part.hexes],
            np.concatenate([part.at for part in parts]),
            np.concatenate([part.position_at for part in parts]),
            {name: np.concatenate([part.column(name) for part in parts]) for name in names},
            [steady for part in parts for steady in part.steady],
            {
                begin + row: advisory
                for part, begin in zip(parts, begins, strict=False)
                for row, advisory in part.advisories.items()
            },
        )

    @cached_property
    def addresses(self) -> set[str]:
        """The addresses."""
        return set(self.hexes)

    @property
    def is_made(self) -> bool:
        """Whether reports were made of all, which may have been changed since."""
        return self._reports is not None

    def __len__(self) -> int:
        return len(self.hexes)

    @overload
    def __getitem__(self, index: int) -> Report: ...
    @overload
    def __getitem__(self, index: slice) -> list[Report]: ...
    def __getitem__(self, index: int | slice) -> Report | list[Report]:
        if self._reports is None and not isinstance(index, slice):
            return self.make(range(len(self))[index : index + 1 or None])[0]
        return self._all()[index]

    def __iter__(self) -> Iterator[Report]:
        return iter(self._all())

    def _all(self) -> list[Report]:
        if self._reports is None:
            self._reports = self.make(range(len(self)))
        return self._reports

    def column(self, name: str) -> Array:
        """f8[n]: a field of ``NUMBERS``."""
        column = self.numbers.get(name)
        return np.full(len(self), NAN) if column is None else column

    def fields(self) -> dict[str, list[Any]]:
        """The values of each field of a report, a list each."""
        count = len(self)
        fields: dict[str, list[Any]] = {name: [UNSET] * count for name in _FIELDS}
        fields |= {name: listed(name, column) for name, column in self.numbers.items()}
        if count:
            fields |= dict(zip(STEADY, map(list, zip(*self.steady, strict=True)), strict=True))
        fields |= {"hex": self.hexes, "at": self.at.tolist(), "position_at": self.position_at.tolist()}
        fields["snapshot"] = [True] * count
        for row, advisory in self.advisories.items():
            fields["acas_ra"][row] = advisory
        return fields

    def make(self, rows: Sequence[int]) -> list[Report]:
        """New reports of some rows."""
        if not len(rows):
            return []
        return list(map(Report, *self.take(rows).fields().values()))

    def take(self, rows: Sequence[int]) -> ReportColumns:
        """Those of some rows, in their order."""
        if len(rows) == len(self) and rows == range(len(self)):
            return self
        chosen = np.array(rows, "i8")
        advisories = {
            place: self.advisories[row]
            for place, row in enumerate(rows if self.advisories else ())
            if row in self.advisories
        }
        return ReportColumns(
            list(map(self.hexes.__getitem__, rows)),
            self.at[chosen],
            self.position_at[chosen],
            {name: column[chosen] for name, column in self.numbers.items()},
            list(map(self.steady.__getitem__, rows)),
            advisories,
        )

    def without_positions(self, rows: Sequence[int]) -> ReportColumns:
        """These without the positions of some rows."""
        if not rows:
            return self
        numbers, position_at = dict(self.numbers), self.position_at.copy()
        position_at[rows] = 0.0
        for name in ("lat", "lon"):
            numbers[name] = self.column(name).copy()
            numbers[name][rows] = NAN
        return ReportColumns(self.hexes, self.at, position_at, numbers, self.steady, self.advisories)


class DocumentColumns(NamedTuple):
    """A document by field, before its times are those of our clock.

    ``now`` is in unix seconds, None where it has none; ``ages`` and ``position_ages`` f8[n] in s, NaN without position.
    The others are as for ``ReportColumns``.
    """

    now: float | None
    messages: int | None
    hexes: list[str]
    ages: Array
    position_ages: Array
    numbers: Mapping[str, Array]
    steady: list[tuple[Any, ...]]
    advisories: Mapping[int, Any]

    def finish(self, now: float, newer_than: float) -> tuple[ReportColumns, int, int]:
        """The reports, how many of them were received after ``newer_than``, and how many had a new position after it.

        ``now`` is the time of the document by our clock (unix s).
        """
        at, position_at = now - self.ages, now - self.position_ages
        newer = int(np.count_nonzero(at > newer_than))
        positions = int(np.count_nonzero(position_at > newer_than))
        position_at = np.where(np.isnan(position_at), 0.0, position_at)
        reports = ReportColumns(self.hexes, at, position_at, self.numbers, self.steady, self.advisories)
        if len(reports.addresses) < len(self.hexes):
            reports = ReportColumns.of(without_duplicates(list(reports)))
        return reports, newer, positions
