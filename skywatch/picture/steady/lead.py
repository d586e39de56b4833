"""``Lead``: the reports of a tick as the first receiver that hears each aircraft has them, taken apart once.

Receivers that hear the same aircraft mostly say the same of it: the last message is the same for all. Each further
report is compared with the leading one as a whole; where both say the same, its values are those of the leading one,
and only its times, its count and its signal are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import eq, itemgetter
from typing import Any

import numpy as np
from msgspec.structs import astuple

from skywatch.picture.positions.accepted import Array
from skywatch.picture.state.columns import columns_of
from skywatch.receivers.reports.report import Report

Values = dict[str, list[Any]]
Convert = Callable[[list[Any]], Array]
# What each receiver says in its own way, so that it makes no difference between two reports.
OWN = ("at", "position_at", "messages", "rssi")
_FIELDS = Report.__struct_fields__
# Everything else but the ages, which are times by now.
_said = itemgetter(
    slice(_FIELDS.index("type"), _FIELDS.index("seen_pos")),
    slice(_FIELDS.index("seen_pos") + 1, _FIELDS.index("messages")),
    _FIELDS.index("acas_ra"),
)


def is_whole(reports: Collection[Report], kinds: tuple[type[Report], ...]) -> bool:
    """Whether reports are snapshots with the fields of ``Report`` in their order, and of none of these ``kinds``.

    The kinds are those whose fields have times of their own, or stand for several voices.
    """
    return all(_is_whole(kind, kinds) for kind in set(map(type, reports)))


def _is_whole(kind: type[Report], kinds: tuple[type[Report], ...]) -> bool:
    return kind.__struct_fields__[: len(_FIELDS)] == _FIELDS and not issubclass(kind, kinds)


class Lead:
    """One report an aircraft, by row."""

    def __init__(self, views: Sequence[Report]) -> None:
        self.views = views
        self.values = columns_of(views)
        self._arrays: dict[tuple[str, Convert], Array] = {}

    def same(self, views: Sequence[Report], rows: Array) -> Array:
        """?[views]: whether each says the same as the leading one of its row."""
        leading = map(self.views.__getitem__, rows.tolist())
        return np.fromiter(map(eq, map(_said, map(astuple, views)), map(_said, map(astuple, leading))), "?", len(views))

    def array(self, name: str, convert: Convert) -> Array:
        """A field of all rows, converted once."""
        key = name, convert
        if key not in self._arrays:
            self._arrays[key] = convert(self.values[name])
        return self._arrays[key]


class FollowingValues(dict[str, list[Any]]):
    """The fields of one receiver's reports, each made when it is asked for.

    ``differing`` are the indices of the reports that say something else than the leading ones; the receiver ``leads``
    where all of them are leading ones themselves.
    """

    def __init__(self, lead: Lead, views: Sequence[Report], rows: Array, differing: Array, *, leads: bool) -> None:
        super().__init__({} if leads else columns_of(views, OWN))
        self.lead, self.views, self.rows, self.differing = lead, views, rows, differing
        self._in_order = leads and bool((rows == np.arange(len(lead.views))[: len(rows)]).all())

    def __missing__(self, name: str) -> list[Any]:
        values = self.lead.values[name]
        if not self._in_order or len(values) > len(self.rows):
            values = list(map(values.__getitem__, self.rows.tolist()))
        for index in self.differing.tolist():
            values[index] = getattr(self.views[index], name)
        self[name] = values
        return values

    def array(self, name: str, convert: Convert) -> Array:
        """A field, converted."""
        if name in OWN:
            return convert(self[name])
        array: Array = self.lead.array(name, convert)[self.rows]
        if len(self.differing):
            array[self.differing] = convert([getattr(self.views[index], name) for index in self.differing.tolist()])
        return array


def array_of(values: Mapping[str, list[Any]], name: str, convert: Convert) -> Array:
    """A field of the reports of a receiver, converted."""
    return values.array(name, convert) if isinstance(values, FollowingValues) else convert(values[name])
