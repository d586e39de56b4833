"""The aircraft of a tick in slots: an aircraft keeps its slot while its row in the picture changes.

Results of tests are stored by slot, so that two ticks are compared without any lookup. Only the columns that some rule
refers to are copied into slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.alerts.engine.operands.texts import TextColumn
from skywatch.picture.state.doubt import (
    ALTITUDE,
    GEOMETRIC_ALTITUDE,
    doubt_of,
    strangers_aircraft,
    unsure_aircraft,
)
from skywatch.picture.state.exact_distances import exact_distances
from skywatch.picture.state.sky import COLUMNS, Sky
from skywatch.picture.state.visits import SEEN_BEFORE_DAYS
from skywatch.receivers.reports.report import SOURCES

Column = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.intp]
Derived = Callable[[Sky], Column]

CAPACITY = 1_024
# Columns that say of an aircraft that it has no value: ``inf``.
NULLABLE = frozenset({SEEN_BEFORE_DAYS})
# Columns of indices into ``Sky.names``.
NAMES = ("operator", "owner")
# What follows from the place of the station, and the same for rules of those who may know it exactly.
EXACT_COLUMNS = {name: f"exact_{name}" for name in ("distance_nm", "bearing_deg", "elevation_deg")}
EARTH_RADIUS_FT = 20_925_524.9
FEET_PER_NM = 6_076.1155


class Board:
    """Slots and columns. ``slots[row]`` is the slot of a row of the sky, ``addresses[slot]`` the aircraft's address."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self.sky: Sky | None = None
        self.slots: Slots = np.zeros(0, np.intp)
        self.rows = np.full(capacity, -1, np.intp)
        """The row of each slot in the present sky, -1 where the slot is free."""
        self.addresses: list[str] = [""] * capacity
        self.present: Mask = np.zeros(capacity, bool)
        self.freed: list[tuple[int, str, float]] = []
        """Slots freed at this tick, the addresses they had, and when those were last received (unix s)."""
        self._follows = False
        self._slot_of: dict[str, int] = {}
        self._hexes: Column = np.zeros(capacity, "S8")
        self._free = list(range(capacity - 1, -1, -1))
        self._texts: dict[str, TextColumn] = {}
        self._columns: dict[str, Column] = {}
        self._text_names: frozenset[str] = frozenset()
        self._has_strangers = False

    def follow_texts(self, names: Iterable[str]) -> None:
        """Update these columns of texts from now on, and no others."""
        self._text_names = frozenset(names)
        self._texts = {name: self._texts.get(name) or TextColumn() for name in sorted(self._text_names)}

    def update(self, sky: Sky) -> None:
        """Update slots and columns with the sky of a tick."""
        self._columns.clear()
        self._follow(sky)
        self.sky = sky
        for name, column in self._texts.items():
            if name in NAMES:
                self._update_names(name, column, sky)
            else:
                column.update(self._raw_texts(name, sky))

    def slot(self, address: str) -> int | None:
        """The slot of an address, None if it is not in the sky."""
        return self._slot_of.get(address)

    def text(self, name: str) -> TextColumn:
        """A column of texts."""
        return self._texts[name]

    def number(self, name: str) -> Column:
        """A column of numbers by slot, NaN where a value or the aircraft is missing."""
        column = self._columns.get(name)
        if column is None:
            assert self.sky is not None
            values = _DERIVED[name](self.sky) if name in _DERIVED else self.sky.columns[name]
            if values.dtype.kind in "iu":
                # -1 means unknown.
                values = np.where(values < 0, np.nan, values.astype("f8"))
            elif name in NULLABLE:
                values = np.where(np.isinf(values), np.float32(np.nan), values)
            column = self._columns[name] = self.scattered(values, np.nan, "f8" if values.dtype == "f8" else "f4")
        return column

    def null(self, name: str) -> Column:
        """Whether there is no value of a column of NULLABLE, by slot: 1 or 0, NaN where that is not known yet."""
        column = self._columns.get(f"null {name}")
        if column is None:
            assert self.sky is not None
            values = self.sky.columns[name]
            is_null = np.where(np.isnan(values), np.float32(np.nan), np.isinf(values).astype("f4"))
            column = self._columns[f"null {name}"] = self.scattered(is_null, np.nan, "f4")
        return column

    def flag(self, name: str) -> Mask:
        """A column of truth values by slot, false where there is no aircraft."""
        column = self._columns.get(name)
        if column is None:
            assert self.sky is not None
            column = self._columns[name] = self.scattered(self.sky.columns[name], False, "?")
        return column

    def unsure(self) -> Mask:
        """The slots of aircraft that one stranger alone hears, so that they may not be there."""
        column = self._columns.get("unsure")
        if column is None:
            assert self.sky is not None
            column = self._columns["unsure"] = self.scattered(unsure_aircraft(self.sky), False, "?")
        return column

    @property
    def has_doubt(self) -> bool:
        """Whether anything is in doubt."""
        assert self.sky is not None
        return self.sky.doubt is not None or self.has_strangers

    @property
    def has_strangers(self) -> bool:
        """Whether only strangers hear any of the aircraft."""
        self.strangers()
        return self._has_strangers

    def strangers(self) -> Mask:
        """The slots of aircraft that only strangers hear, one or several."""
        column = self._columns.get("strangers")
        if column is None:
            assert self.sky is not None
            column = self._columns["strangers"] = self.scattered(strangers_aircraft(self.sky), False, "?")
            self._has_strangers = bool(column.any())
        return column

    def doubt(self) -> Column:
        """The bits of what is in doubt by slot; the altitude's are those of the geometric one where it is the only."""
        column = self._columns.get("doubt")
        if column is None:
            assert self.sky is not None
            values = doubt_of(self.sky)
            if values is None:
                values = np.zeros(len(self.sky), "u2")
            is_geometric = np.isnan(self.sky.columns["alt_baro_ft"]) & (values & GEOMETRIC_ALTITUDE != 0)
            values = np.where(is_geometric, values | ALTITUDE, values)
            column = self._columns["doubt"] = self.scattered(values, 0, "u2")
        return column

    def scattered(self, values: Column, missing: Any, dtype: str) -> Column:
        """Values by row as values by slot."""
        column = np.full(self.capacity, missing, dtype)
        column[self.slots] = values
        return column

    def _follow(self, sky: Sky) -> None:
        previous, last = sky.columns["previous_row"], self.slots
        follows = self.sky is not None and sky.epoch == self.sky.epoch and sky.seq == self.sky.seq + 1
        self._follows = follows
        slots = np.full(len(sky), -1, np.intp)
        if follows:
            continuing = np.flatnonzero((previous >= 0) & (previous < len(last)))
            slots[continuing] = last[previous[continuing]]
        self._release(sky, slots, follows)
        for row in np.flatnonzero(slots < 0).tolist():
            address = sky.hexes[row]
            slot = self._slot_of.get(address)
            if slot is None:
                slot = self._allocate(address)
            slots[row] = slot
        self.slots = slots
        self.rows = np.full(self.capacity, -1, np.intp)
        self.rows[slots] = np.arange(len(slots))
        self.present = self.rows >= 0

    def _release(self, sky: Sky, slots: Slots, follows: bool) -> None:
        self.freed = []
        if follows:
            is_gone = np.ones(self.capacity, bool)
            is_gone[slots[slots >= 0]] = False
            candidates = np.flatnonzero(is_gone & self.present).tolist()
            returning = {sky.hexes[row] for row in np.flatnonzero(slots < 0).tolist()} if candidates else set()
            leaving = [slot for slot in candidates if self.addresses[slot] not in returning]
        else:
            addresses = set(sky.hexes)
            leaving = [slot for address, slot in self._slot_of.items() if address not in addresses]
        seen_at = self.sky.columns["seen_at"] if self.sky is not None else np.zeros(0)
        self.freed = [(slot, self.addresses[slot], float(seen_at[self.rows[slot]])) for slot in leaving]
        for slot, address, _ in self.freed:
            del self._slot_of[address]
            self.addresses[slot] = ""
            self._free.append(slot)
        self._hexes[leaving] = b""

    def _allocate(self, address: str) -> int:
        if not self._free:
            self._free = list(range(2 * self.capacity - 1, self.capacity - 1, -1))
            self.addresses += [""] * self.capacity
            self._hexes = np.append(self._hexes, np.zeros(self.capacity, "S8"))
            self.capacity *= 2
        slot = self._free.pop()
        self._slot_of[address] = slot
        self.addresses[slot] = address
        self._hexes[slot] = address.encode()
        return slot

    def _update_names(self, name: str, column: TextColumn, sky: Sky) -> None:
        """Operators and owners, which are indexes into names: only those that may have changed are looked up."""
        is_complete = not self._follows or not len(column.codes)
        rows = np.arange(len(sky)) if is_complete else np.flatnonzero(sky.columns["airframe_changed"])
        texts = [sky.name(name, row) for row in rows.tolist()]
        column.update_rows(self.slots[rows], texts, [slot for slot, *_ in self.freed], self.capacity)

    def _raw_texts(self, name: str, sky: Sky) -> Column:
        if name == "hex":
            return self._hexes.copy()
        if name == "source":
            names = np.array([source.encode() for source in SOURCES])
            return self.scattered(names[sky.columns["source"]], b"", names.dtype.str)
        if name == "receiver":
            names = np.array([receiver.encode("ascii", "replace") for receiver in sky.receivers] or [b""])
            names = names.astype("S32")
            return self.scattered(names[np.minimum(sky.columns["receiver"], len(names) - 1)], b"", "S32")
        return self.scattered(sky.columns[name], b"", COLUMNS[name])


def _climb(sky: Sky) -> Column:
    barometric = sky.columns["baro_rate_fpm"]
    return np.where(np.isnan(barometric), sky.columns["geom_rate_fpm"], barometric)


def altitude_ft(sky: Sky) -> Column:
    """Barometric altitude, or geometric where there is none; NaN on the ground."""
    barometric = sky.columns["alt_baro_ft"]
    altitude = np.where(np.isnan(barometric), sky.columns["alt_geom_ft"], barometric)
    return np.where(sky.columns["on_ground"], np.float32(np.nan), altitude)


def _elevation(sky: Sky, distance_nm: Column) -> Column:
    """Angle above the horizon of the station (degrees), on a spherical Earth without refraction."""
    altitude = altitude_ft(sky).astype("f8")
    angle = distance_nm.astype("f8") * FEET_PER_NM / EARTH_RADIUS_FT
    up = (EARTH_RADIUS_FT + altitude) * np.cos(angle) - EARTH_RADIUS_FT
    along = (EARTH_RADIUS_FT + altitude) * np.sin(angle)
    elevation: Column = np.degrees(np.arctan2(up, along))
    return elevation


_DERIVED: dict[str, Derived] = {
    "seen": lambda sky: np.maximum(sky.now - sky.columns["seen_at"], 0.0),
    "seen_pos": lambda sky: np.maximum(sky.now - sky.columns["position_at"], 0.0),
    "climb_ft_min": _climb,
    "altitude_ft": altitude_ft,
    "elevation_deg": lambda sky: _elevation(sky, sky.columns["distance_nm"]),
    "exact_distance_nm": lambda sky: exact_distances(sky)[0].astype("f4"),
    "exact_bearing_deg": lambda sky: exact_distances(sky)[1].astype("f4"),
    "exact_elevation_deg": lambda sky: _elevation(sky, exact_distances(sky)[0]),
}
