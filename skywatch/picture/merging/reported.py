"""The reports of one receiver at a tick, and what is merged of those of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.merging.steady_arrays import SteadyArrays
from skywatch.picture.merging.values import ReportValues
from skywatch.picture.positions.accepted import Offer
from skywatch.picture.state.fields import MLAT_TRUST, TISB_TRUST
from skywatch.picture.state.receiver_view import FieldState, ReceiverView
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import SOURCE_INDEX, UNNAMED_TRUST, Report
from skywatch.receivers.reports.report_columns import GROUND, ReportColumns

Times = list[tuple[int, dict[str, FieldState]]]


@dataclass(frozen=True)
class Gathered:
    """The merged reports of the aircraft of one tick.

    ``index`` is the row of each address. ``values`` has, for each field of a report, one value per aircraft; ``times``
    the states of single fields, by row, that were not said at ``said_at`` (the ``at`` of ``values`` unless given);
    ``receiver`` is the index of the receiver heard last. ``disputed`` names, by row, the quantities that are withheld
    because receivers contradict each other, or in which two strangers contradict ours.
    ``contested`` ?[n] see ``presence``. ``doubt`` u2[n] has the bits of what nobody vouches for (``state.doubt``), and
    ``is_ours`` ?[n] says whether ours hear an aircraft; None where there are no strangers.
    """

    hexes: list[str]
    index: dict[str, int]
    values: ReportValues
    times: Times
    receiver: Array
    offers: list[Offer]
    disputed: dict[int, list[str]] = field(default_factory=dict)
    contested: Array | None = None
    doubt: Array | None = None
    is_ours: Array | None = None
    said_at: list[float] | None = None


@dataclass(frozen=True)
class Reported:
    """The present reports of one receiver: its views, the same as columns, and their rows in the tick.

    ``is_agreement``: of several feeders. ``steady_arrays`` are those of the receiver at this tick; None where its views
    are not made of a document.
    """

    receiver: int
    views: Sequence[Report]
    columns: ReportColumns
    rows: Array
    voice: Voice
    is_agreement: bool = False
    steady_arrays: SteadyArrays | None = None

    @cached_property
    def values(self) -> ReportValues:
        """The values of its views by field."""
        return ReportValues(self.columns, self.steady_arrays)

    @cached_property
    def level(self) -> Array:
        """u1[n]: the trust in the source of each view."""
        return self.values.array("type", _levels)

    @property
    def heard_at(self) -> Array:
        """f8[n]: when each view was heard last (unix s)."""
        return self.columns.at

    @cached_property
    def times(self) -> Times:
        """The states of single fields of the views that have them, by index."""
        if isinstance(self.views, ReportColumns) or ReceiverView not in set(map(type, self.views)):
            return []
        return [(index, view.heard) for index, view in enumerate(self.views) if type(view) is ReceiverView]

    def offer(self) -> Offer:
        """The positions of its views."""
        levels = self.level.copy()
        for name, level in (("mlat", MLAT_TRUST), ("tisb", TISB_TRUST)):
            for index in np.flatnonzero(self.values.array(name, is_listed)).tolist():
                if "lat" in self.values[name][index]:
                    levels[index] = max(levels[index], level)
        for index, states in self.times:
            if "lat" in states:
                levels[index] = states["lat"].trust
        values = self.values
        return Offer(
            self.receiver,
            self.rows,
            values.numbers("lat"),
            values.numbers("lon"),
            values.numbers("position_at"),
            levels,
            values.numbers("gs"),
            values.numbers("alt_baro") == GROUND,
            self.agreed(),
            self.voice,
            self.voices(),
        )

    def agreed(self) -> Array | None:
        """?[n]: on which views independent feeders agree; None where the receiver is one."""
        if not self.is_agreement:
            return None
        return np.array([isinstance(view, ReceiverView) and view.is_agreed for view in self.views], "?")

    def voices(self) -> Array | None:
        """How many independent feeders stand for each view; None where the receiver is one."""
        if not self.is_agreement:
            return None
        return np.array([getattr(view, "voices", 1) for view in self.views])


def is_listed(values: list[Any]) -> Array:
    """Return ?[n], which lists are not empty."""
    return np.fromiter(map(bool, values), "?", len(values))


def _levels(types: list[Any]) -> Array:
    return np.fromiter(map(SOURCE_INDEX.get, types, repeat(UNNAMED_TRUST)), "u1", len(types))
