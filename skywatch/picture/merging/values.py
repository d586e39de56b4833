"""``ReportValues``: the reports of a tick by field, taken apart no further than somebody looks.

What an aircraft says for minutes on end (``STEADY``) stays together, as one tuple an aircraft that is compared with
that of the tick before; only what changes every second becomes a list for each field.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from msgspec.structs import astuple

from skywatch.core.arrays import Array
from skywatch.picture.state.columns import BLOCK
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import STEADY, ReportColumns

Values = dict[str, list[Any]]
Convert = Callable[[list[Any]], Array]
FIELDS = Report.__struct_fields__
STEADY_AT = {name: at for at, name in enumerate(STEADY)}
# What is looked at every second although it is steady, and what nobody looks at in a picture.
_ASKED, _UNUSED = ("type", "mlat", "tisb"), ("hex", "snapshot", "seen", "seen_pos")
_MOVING = tuple(name for name in FIELDS if name not in STEADY_AT and name not in _UNUSED) + _ASKED
_steady = itemgetter(*map(FIELDS.index, STEADY))
_moving = itemgetter(*map(FIELDS.index, _MOVING))


def is_whole(reports: Collection[Report], kinds: tuple[type[Report], ...] = ()) -> bool:
    """Whether reports have the fields of ``Report`` in their order first, and are of none of these ``kinds``."""
    return all(_is_whole(kind, kinds) for kind in set(map(type, reports)))


def _is_whole(kind: type[Report], kinds: tuple[type[Report], ...]) -> bool:
    return kind.__struct_fields__[: len(FIELDS)] == FIELDS and not issubclass(kind, kinds)


class ReportValues(Values):
    """A list a field, a value a row; ``said`` has the steady ones by row. Reports must be whole (``is_whole``).

    Change values by ``set`` and ``take``.
    """

    said: list[tuple[Any, ...]]

    def __init__(self, reports: Sequence[Report]) -> None:
        self._arrays: dict[tuple[str, Convert], Array] = {}
        if isinstance(reports, ReportColumns):
            super().__init__({name: reports.column(name) for name in _MOVING})
            self.said = list(reports.said)
            return
        super().__init__({name: [] for name in _MOVING})
        self.said = []
        lists = list(self.values())
        for start in range(0, len(reports), BLOCK):
            rows = list(map(astuple, reports[start : start + BLOCK]))
            self.said += map(_steady, rows)
            for values, part in zip(lists, zip(*map(_moving, rows), strict=True), strict=True):
                values += part

    def __missing__(self, name: str) -> list[Any]:
        at = STEADY_AT[name]
        values = self[name] = [row[at] for row in self.said]
        return values

    def array(self, name: str, convert: Convert) -> Array:
        """A field, converted once; nobody may write to it."""
        key = name, convert
        if key not in self._arrays:
            self._arrays[key] = convert(self[name])
        return self._arrays[key]

    def set(self, name: str, rows: Sequence[int], values: Sequence[Any]) -> None:
        """Replace the values of a field in some rows."""
        self._arrays.clear()
        if name in self:
            column = self[name]
            for row, value in zip(rows, values, strict=True):
                column[row] = value
        at = STEADY_AT.get(name)
        if at is not None:
            for row, value in zip(rows, values, strict=True):
                self.said[row] = (*self.said[row][:at], value, *self.said[row][at + 1 :])

    def extend(self, rows: Sequence[int], other: Mapping[str, list[Any]]) -> None:
        """Add rows of other values behind these."""
        self._arrays.clear()
        for name, column in self.items():
            column += map(other[name].__getitem__, rows)
        self.said += map(said_of(other).__getitem__, rows)

    def take(self, rows: Sequence[int], other: Mapping[str, list[Any]]) -> None:
        """Replace all values of some rows by those of others, in their order."""
        self._arrays.clear()
        for name, column in self.items():
            for row, value in zip(rows, other[name], strict=True):
                column[row] = value
        for row, said in zip(rows, said_of(other), strict=True):
            self.said[row] = said


def extend(values: Values, rows: Sequence[int], other: Mapping[str, list[Any]]) -> None:
    """Add rows of other values behind those of ``values``."""
    if isinstance(values, ReportValues):
        values.extend(rows, other)
        return
    for name in _UNUSED:
        values.pop(name, None)
    for name, column in values.items():
        column += map(other[name].__getitem__, rows)


def said_of(values: Mapping[str, list[Any]]) -> list[tuple[Any, ...]]:
    """The steady values of each row."""
    return values.said if isinstance(values, ReportValues) else list(zip(*map(values.__getitem__, STEADY), strict=True))


class SaidColumn:
    """One steady field of every row."""

    def __init__(self, said: list[tuple[Any, ...]], name: str) -> None:
        self._said, self._at = said, STEADY_AT[name]

    def __getitem__(self, row: int) -> Any:
        return self._said[row][self._at]

    def __iter__(self) -> Iterator[Any]:
        at = self._at
        return (row[at] for row in self._said)


def set_values(values: Values, name: str, rows: Sequence[int], column: Sequence[Any]) -> None:
    """Replace the values of a field in some rows."""
    if isinstance(values, ReportValues):
        values.set(name, rows, column)
        return
    whole = values[name]
    for row, value in zip(rows, column, strict=True):
        whole[row] = value
