"""The reports of one receiver at a tick, and what is merged of those of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.merging.lead import array_of
from skywatch.picture.positions.accepted import Offer
from skywatch.picture.state.columns import floats, on_ground
from skywatch.picture.state.fields import MLAT_TRUST, TISB_TRUST
from skywatch.picture.state.receiver_view import FieldState, ReceiverView
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import Report

Values = dict[str, list[Any]]
# Fields of a view that decide its rank, and the aircraft's position.
DECIDING = ("at", "type", "mlat", "tisb", "lat", "lon", "position_at", "gs", "alt_baro")
# Further fields that are compared between receivers.
COMPARED = ("flight", "squawk", "emergency", "alt_geom")
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
    values: Values
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
    """The present reports of one receiver: its views, their rows in the tick, and the values that are compared."""

    receiver: int
    views: list[Report]
    rows: Array
    values: Values
    times: Times  # by index within ``views``
    level: Array  # trust in the source of each view
    heard_at: Array  # when each view was heard last (unix s)
    voice: Voice
    is_agreement: bool = False  # of several feeders

    def offer(self) -> Offer:
        """The positions of its views."""
        levels = self.level.copy()
        for name, level in (("mlat", MLAT_TRUST), ("tisb", TISB_TRUST)):
            for index in np.flatnonzero(array_of(self.values, name, is_listed)).tolist():
                if "lat" in getattr(self.views[index], name):
                    levels[index] = max(levels[index], level)
        for index, states in self.times:
            if "lat" in states:
                levels[index] = states["lat"].trust
        values = self.values
        return Offer(
            self.receiver,
            self.rows,
            array_of(values, "lat", floats),
            array_of(values, "lon", floats),
            floats(values["position_at"]),
            levels,
            array_of(values, "gs", floats),
            array_of(values, "alt_baro", on_ground),
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


def field_states(views: Sequence[Report]) -> Times:
    """Return the states of single fields of the views that have them, with their indices."""
    if ReceiverView not in set(map(type, views)):
        return []
    return [(index, view.heard) for index, view in enumerate(views) if type(view) is ReceiverView]


def is_listed(values: list[Any]) -> Array:
    """Return ?[n], which lists are not empty."""
    return np.fromiter(map(bool, values), "?", len(values))
