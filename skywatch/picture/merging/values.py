"""``ReportValues``: the reports of a tick by field, taken apart no further than somebody looks.

What an aircraft says for minutes on end (``STEADY``) stays together, as one tuple an aircraft that is compared with
that of the tick before; what changes every second is a column of numbers, and a list where JSON is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array
from skywatch.picture.merging.steady_arrays import Convert, SteadyArrays
from skywatch.receivers.reports.report_columns import STEADY_AT, ReportColumns, floats, listed


class ReportValues(dict[str, list[Any]]):
    """A list a field, a value a row, made when it is asked for; ``steady`` has those of ``STEADY`` by row.

    Nobody may write to a list: values change by ``set``, ``replace`` and ``extend``.
    """

    steady: list[tuple[Any, ...]]

    def __init__(self, columns: ReportColumns, steady_arrays: SteadyArrays | None = None) -> None:
        super().__init__()
        self._numbers = {**columns.numbers, "at": columns.at, "position_at": columns.position_at}
        self._advisories = dict(columns.advisories)
        self._arrays: dict[tuple[str, Convert], Array] = {}
        self.steady = list(columns.steady)
        # Those of the receiver, while nothing of them has changed here.
        self._steady_arrays = steady_arrays

    def __missing__(self, name: str) -> list[Any]:
        if name in STEADY_AT:
            at = STEADY_AT[name]
            values = [row[at] for row in self.steady]
        elif name in self._numbers:
            values = listed(name, self._numbers[name])
        else:
            values = [UNSET] * len(self.steady)
            for row, advisory in self._advisories.items() if name == "acas_ra" else ():
                values[row] = advisory
        self[name] = values
        return values

    def array(self, name: str, convert: Convert) -> Array:
        """A field, converted once; nobody may write to it."""
        if self._steady_arrays is not None and name in STEADY_AT:
            return self._steady_arrays.array(name, convert)
        key = name, convert
        if key not in self._arrays:
            self._arrays[key] = convert(self[name])
        return self._arrays[key]

    def numbers(self, name: str) -> Array:
        """f8[n]: a field of ``NUMBERS`` or a time, as ``floats`` has it; nobody may write to it."""
        if name not in self._numbers:
            self._numbers[name] = np.full(len(self.steady), np.nan)
        return self._numbers[name]

    def set(self, name: str, rows: Sequence[int], values: Sequence[Any]) -> None:
        """Replace the values of a field in some rows."""
        self._forget(name)
        if name in STEADY_AT:
            at = STEADY_AT[name]
            for row, value in zip(rows, values, strict=True):
                self.steady[row] = (*self.steady[row][:at], value, *self.steady[row][at + 1 :])
        elif name == "acas_ra":
            self._advise(dict(zip(rows, values, strict=True)))
        else:
            self.set_numbers(name, rows, floats(values))

    def set_numbers(self, name: str, rows: Sequence[int] | Array | slice, values: Array) -> None:
        """Replace the values of a number, or of a time, in some rows."""
        self._forget(name)
        column = self._numbers[name] = self.numbers(name).copy()
        column[rows] = values

    def extend(self, rows: Sequence[int], other: ReportValues) -> None:
        """Add rows of other values behind these."""
        if not rows:
            return
        count = len(self.steady)
        for name in self._numbers.keys() | other._numbers:
            self._numbers[name] = np.concatenate([self.numbers(name), other.numbers(name)[rows]])
        self.steady += map(other.steady.__getitem__, rows)
        self._advise({count + at: other["acas_ra"][row] for at, row in enumerate(rows)})
        self._forget()

    def replace(self, rows: Sequence[int], other: ReportValues) -> None:
        """Replace all values of some rows by those of others, in their order."""
        for name in self._numbers.keys() | other._numbers:
            self.set_numbers(name, rows, other.numbers(name))
        for row, steady in zip(rows, other.steady, strict=True):
            self.steady[row] = steady
        self._advise(dict(zip(rows, other["acas_ra"], strict=True)))
        self._forget()

    def _advise(self, advisories: Mapping[int, Any]) -> None:
        self._advisories |= advisories
        self._advisories = {row: advisory for row, advisory in self._advisories.items() if advisory is not UNSET}

    def _forget(self, name: str | None = None) -> None:
        """Forget what was made of a field, or of all."""
        if name is None:
            self.clear()
        if name is None or name in STEADY_AT:
            self._steady_arrays = None
        self._arrays.clear()
        self.pop(name, None)  # type: ignore[arg-type]


class SteadyColumn:
    """One steady field of every row."""

    def __init__(self, steady: list[tuple[Any, ...]], name: str) -> None:
        self._steady, self._at = steady, STEADY_AT[name]

    def __getitem__(self, row: int) -> Any:
        return self._steady[row][self._at]

    def __iter__(self) -> Iterator[Any]:
        at = self._at
        return (row[at] for row in self._steady)
