"""What all receivers together say of every aircraft at one tick.

Where receivers hear the same aircraft, they are compared as columns: snapshots are better or worse as a whole, so one
comparison of three columns decides between two receivers, and what the better one does not say comes from the other.
Only views whose fields have several times or sources are merged one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, count, repeat
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.picture.columns import floats, is_absent, take_apart
from skywatch.picture.field_validator import FieldValidator
from skywatch.picture.fields import MLAT_TRUST, STALE_S, TISB_TRUST, UNNAMED_TRUST
from skywatch.picture.merge import merge
from skywatch.picture.positions import NO_TRUST, Array, Offer
from skywatch.picture.receiver_views import ReceiverViews
from skywatch.picture.sky import SOURCE_INDEX
from skywatch.picture.view import Heard, View
from skywatch.receivers.report import Report

Said = dict[str, list[Any]]
# What of a view decides whether it is believed, and where the aircraft is.
DECIDING = ("at", "type", "mlat", "tisb", "lat", "lon", "position_at", "gs", "alt_baro")
# What of it receivers are compared by besides.
COMPARED = ("flight", "squawk", "emergency", "alt_geom")
Times = list[tuple[int, dict[str, Heard]]]


@dataclass(frozen=True)
class Gathered:
    """All that is said of the aircraft of one tick.

    ``index`` is the row of each address. ``said`` holds, for each field of a report, one value an aircraft; ``heard``
    the times of single fields where they differ from ``at``, by row; ``receiver`` the index of the receiver that was
    believed most. ``disputed`` names, by row, what receivers contradict each other about and nobody is believed in.
    """

    hexes: list[str]
    index: dict[str, int]
    said: Said
    heard: Times
    receiver: Array
    offers: list[Offer]
    disputed: dict[int, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Spoken:
    """What one receiver says now: its views, their rows in the tick, and what decides between receivers by field."""

    receiver: int
    views: list[Report]
    rows: Array
    said: Said
    heard: Times  # by place within ``views``
    level: Array  # how far the source of each view is trusted

    def without(self, places: Array) -> _Spoken:
        """The same without the views in these places."""
        if not len(places):
            return self
        keep = np.ones(len(self.views), "?")
        keep[places] = False
        views = list(compress(self.views, keep.tolist()))
        said = {name: list(compress(values, keep.tolist())) for name, values in self.said.items()}
        return replace(self, views=views, rows=self.rows[keep], said=said, heard=_grown(views), level=self.level[keep])

    def plain(self) -> Array:
        """Which views have one time and one source for all they say."""
        plain = np.ones(len(self.views), "?")
        plain[[place for place, _ in self.heard]] = False
        for name in ("mlat", "tisb"):
            plain[_non_empty(self.said[name])] = False
        return plain

    def offer(self) -> Offer:
        """The positions of its views."""
        levels = self.level.copy()
        for name, level in (("mlat", MLAT_TRUST), ("tisb", TISB_TRUST)):
            fields = self.said[name]
            for place in _non_empty(fields):
                if "lat" in fields[place]:
                    levels[place] = max(levels[place], level)
        for place, times in self.heard:
            if "lat" in times:
                levels[place] = times["lat"].trust
        said = self.said
        return Offer(
            self.receiver,
            self.rows,
            floats(said["lat"]),
            floats(said["lon"]),
            floats(said["position_at"]),
            levels,
            floats(said["gs"]),
            np.array([altitude == "ground" for altitude in said["alt_baro"]], "?"),
        )


def gather(
    books: Sequence[ReceiverViews], order: Collection[str], now: float, validator: FieldValidator, names: Sequence[str]
) -> Gathered:
    """Everything that is known now: the addresses of ``order`` first, in that order, then those that are new.

    ``books`` stand in an order that does not depend on who spoke first: it decides where all else is equal. ``names``
    are the receivers by index.
    """
    known = {book.index: book.current(now) for book in books if book.views}
    if len(known) == 1:
        return _gather_one(*known.popitem(), order)
    alive = set().union(*known.values())
    hexes = [address for address in order if address in alive]
    index = {address: row for row, address in enumerate(hexes)}
    for of_receiver in known.values():
        for address in of_receiver:
            index.setdefault(address, len(index))
    hexes = list(index)
    everybody = []
    for receiver, of_receiver in known.items():
        views = list(of_receiver.values())
        rows = np.fromiter(map(index.__getitem__, of_receiver), "i8", len(views))
        everybody.append(_spoken(receiver, views, rows, take_apart(views, DECIDING + COMPARED)))
    verdict = validator.review(everybody, names, hexes, now)
    remaining = [spoken.without(places) for spoken, places in zip(everybody, verdict.left_out, strict=True)]
    said, heard, believed = _combined(remaining, len(hexes), now)
    for name, row, value in verdict.values:
        said[name][row] = value
    offers = [spoken.offer() for spoken in everybody]
    return Gathered(hexes, index, said, heard, believed, offers, verdict.disputed)


def _gather_one(receiver: int, views: dict[str, Report], order: Collection[str]) -> Gathered:
    hexes = [address for address in order if address in views]
    if len(hexes) < len(views):
        hexes += [address for address in views if address not in order]
    reports = list(map(views.__getitem__, hexes))
    spoken = _spoken(receiver, reports, np.arange(len(hexes)), take_apart(reports))
    index = {address: row for row, address in enumerate(hexes)}
    said_by = np.full(len(hexes), receiver, "u2")
    return Gathered(hexes, index, spoken.said, spoken.heard, said_by, [spoken.offer()])


def _spoken(receiver: int, views: list[Report], rows: Array, said: Said) -> _Spoken:
    level = np.fromiter(map(SOURCE_INDEX.get, said["type"], repeat(UNNAMED_TRUST)), "u1", len(views))
    return _Spoken(receiver, views, rows, said, _grown(views), level)


def _combined(everybody: list[_Spoken], aircraft: int, now: float) -> tuple[Said, Times, Array]:
    """``said``, ``heard`` and ``receiver`` of so many aircraft, see Gathered."""
    views = [view for spoken in everybody for view in spoken.views]
    rows = np.concatenate([np.empty(0, "i8"), *(spoken.rows for spoken in everybody)])
    place, receiver = _best(everybody, aircraft, now)
    best = list(map(views.__getitem__, place.tolist()))
    tangled = _tangled(everybody, aircraft)
    for row, (merged, latest) in _merged(everybody, tangled, now).items():
        best[row], receiver[row] = merged, latest
    believed = np.zeros(len(views), "?")
    believed[place] = True
    further = np.flatnonzero(~believed & ~tangled[rows]).tolist()
    said = take_apart(best)
    _fill_in(said, rows[further].tolist(), take_apart(list(map(views.__getitem__, further))))
    return said, _grown(best), receiver


def _merged(everybody: list[_Spoken], tangled: Array, now: float) -> dict[int, tuple[Report, int]]:
    """For each row that is tangled its views as one, and the receiver that heard the aircraft last."""
    said: dict[int, list[tuple[int, Report]]] = {row: [] for row in np.flatnonzero(tangled).tolist()}
    for spoken in everybody:
        for place in np.flatnonzero(tangled[spoken.rows]).tolist():
            said[int(spoken.rows[place])].append((spoken.receiver, spoken.views[place]))
    return {
        row: (merge([view for _, view in views], now), max(views, key=lambda heard_by: heard_by[1].at)[0])
        for row, views in said.items()
    }


def _best(everybody: list[_Spoken], aircraft: int, now: float) -> tuple[Array, Array]:
    """For each aircraft the place of the view to be believed, counted through all receivers, and its receiver.

    The rule is ``merge.precedence``; equal standing is decided by the order of receivers.
    """
    place, receiver = np.zeros(aircraft, "i8"), np.zeros(aircraft, "u2")
    best_level, best_at = np.full(aircraft, NO_TRUST, "i2"), np.full(aircraft, -np.inf)
    start = 0
    for spoken in everybody:
        rows, at = spoken.rows, np.array(spoken.said["at"], "f8")
        # All stale views stand alike, behind every fresh one.
        level = np.where(now - at > STALE_S, NO_TRUST - 1, spoken.level.astype("i2"))
        better = (level < best_level[rows]) | ((level == best_level[rows]) & (at > best_at[rows]))
        chosen = rows[better]
        place[chosen], receiver[chosen] = start + np.flatnonzero(better), spoken.receiver
        best_level[chosen], best_at[chosen] = level[better], at[better]
        start += len(rows)
    return place, receiver


def _tangled(everybody: list[_Spoken], aircraft: int) -> Array:
    """Which aircraft are heard by several receivers not all of whose views are plain."""
    hearing, tangled = np.zeros(aircraft, "i4"), np.zeros(aircraft, "?")
    for spoken in everybody:
        hearing[spoken.rows] += 1
        tangled[spoken.rows[~spoken.plain()]] = True
    return tangled & (hearing > 1)


def _fill_in(said: Said, rows: list[int], further: Said) -> None:
    """Add what only less believed receivers say, of the aircraft in these rows."""
    if not rows:
        return
    for name, values in further.items():
        column = said[name]
        if name == "messages":
            for row, value in zip(rows, values, strict=True):
                column[row] = (column[row] or 0) + (value or 0)
        elif name == "at":
            for row, value in zip(rows, values, strict=True):
                column[row] = max(column[row], value)
        elif not is_absent(values) and UNSET in column:
            for row, value in zip(rows, values, strict=True):
                if column[row] is UNSET:
                    column[row] = value


def _grown(views: Sequence[Report]) -> Times:
    return [(place, view.heard) for place, view in enumerate(views) if type(view) is View]


def _non_empty(values: list[Any]) -> list[int]:
    return list(compress(count(), values))
