"""``Lead``: the reports of a tick as the first receiver that hears each aircraft has them, taken apart once.

Receivers that hear the same aircraft mostly say the same of it: the last message is the same for all. Each further
report is compared with the leading one as a whole; where both say the same, its values are those of the leading one,
and only its times, its count and its signal are its own. One that heard the aircraft a moment later has another place
for it, and all else alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import eq, itemgetter
from typing import Any

import numpy as np
from msgspec import UNSET
from msgspec.structs import astuple

from skywatch.core.arrays import Array
from skywatch.picture.merging.values import FIELDS as _FIELDS
from skywatch.picture.merging.values import Convert, ReportValues
from skywatch.picture.state.columns import columns_of
from skywatch.receivers.reports.report import Report

# What each receiver says in its own way, so that it makes no difference between two reports.
OWN = ("at", "position_at", "messages", "rssi")
# What differs between receivers that heard an aircraft at different moments.
PLACE = ("lat", "lon")
# Everything else but the ages, which are times by now; and that without the place.
_said = itemgetter(
    slice(_FIELDS.index("type"), _FIELDS.index("seen_pos")),
    slice(_FIELDS.index("seen_pos") + 1, _FIELDS.index("messages")),
    _FIELDS.index("acas_ra"),
)
_elsewhere = itemgetter(
    slice(_FIELDS.index("type"), _FIELDS.index("lat")),
    slice(_FIELDS.index("lon") + 1, _FIELDS.index("seen_pos")),
    slice(_FIELDS.index("seen_pos") + 1, _FIELDS.index("messages")),
    _FIELDS.index("acas_ra"),
)
# That without what the aircraft is.
_of_flight = itemgetter(
    _FIELDS.index("type"),
    _FIELDS.index("flight"),
    slice(_FIELDS.index("dbFlags") + 1, _FIELDS.index("lat")),
    slice(_FIELDS.index("lon") + 1, _FIELDS.index("seen_pos")),
    slice(_FIELDS.index("seen_pos") + 1, _FIELDS.index("messages")),
    _FIELDS.index("acas_ra"),
)


@dataclass(frozen=True)
class Differences:
    """Indices of reports: those that ``moved`` have another place, and those that are ``other`` say something else."""

    other: Array
    moved: Array

    @classmethod
    def none(cls) -> Differences:
        """Every report says the same."""
        return cls(np.empty(0, "i8"), np.empty(0, "i8"))

    def of(self, name: str) -> Array:
        """The reports in which a field may differ."""
        return np.union1d(self.other, self.moved) if name in PLACE and len(self.moved) else self.other


class Lead:
    """One report an aircraft, by row."""

    def __init__(self, views: Sequence[Report]) -> None:
        self.views = views
        self.values = ReportValues(views)

    def differences(self, views: Sequence[Report], rows: Array) -> Differences:
        """Which reports say something else than the leading ones of their rows."""
        leading = list(map(self.views.__getitem__, rows.tolist()))
        said = map(eq, map(_said, map(astuple, views)), map(_said, map(astuple, leading)))
        different = np.flatnonzero(~np.fromiter(said, "?", len(views)))
        moved = [_has_moved(views[index], leading[index]) for index in different.tolist()]
        mask = np.array(moved, "?")
        return Differences(different[~mask], different[mask])


def say_the_same(ones: Sequence[Report], others: Sequence[Report]) -> list[bool]:
    """Whether each report says the same of a flight as another one, but for place, times, count and signal."""
    return list(map(eq, map(_of_flight, map(astuple, ones)), map(_of_flight, map(astuple, others))))


def _has_moved(one: Report, other: Report) -> bool:
    """Whether two reports differ in the place alone; one that has none may be given that of another."""
    if one.lat is UNSET or other.lat is UNSET or one.lon is UNSET or other.lon is UNSET:
        return False
    return bool(_elsewhere(astuple(one)) == _elsewhere(astuple(other)))


class FollowingValues(dict[str, list[Any]]):
    """The fields of one receiver's reports, each made when it is asked for.

    The receiver ``leads`` where all of them are leading ones themselves.
    """

    def __init__(
        self, lead: Lead, views: Sequence[Report], rows: Array, differences: Differences, *, leads: bool
    ) -> None:
        super().__init__({} if leads else columns_of(views, OWN))
        self.lead, self.views, self.rows, self.differences = lead, views, rows, differences
        self._arrays: dict[tuple[str, Convert], Array] = {}
        self._in_order = leads and bool((rows == np.arange(len(lead.views))[: len(rows)]).all())

    def __missing__(self, name: str) -> list[Any]:
        values = self.lead.values[name]
        if not self._in_order or len(values) > len(self.rows):
            values = list(map(values.__getitem__, self.rows.tolist()))
        for index in self.differences.of(name).tolist():
            values[index] = getattr(self.views[index], name)
        self[name] = values
        return values

    def array(self, name: str, convert: Convert) -> Array:
        """A field, converted once; nobody may write to it."""
        key = name, convert
        if key not in self._arrays:
            self._arrays[key] = convert(self[name]) if name in OWN else self._array(name, convert)
        return self._arrays[key]

    def _array(self, name: str, convert: Convert) -> Array:
        array: Array = self.lead.values.array(name, convert)[self.rows]
        differing = self.differences.of(name)
        if len(differing):
            array[differing] = convert([getattr(self.views[index], name) for index in differing.tolist()])
        return array


def array_of(values: Mapping[str, list[Any]], name: str, convert: Convert) -> Array:
    """A field of the reports of a receiver, converted; nobody may write to it."""
    return values.array(name, convert) if isinstance(values, FollowingValues | ReportValues) else convert(values[name])
