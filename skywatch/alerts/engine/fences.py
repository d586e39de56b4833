"""Where the aircraft are in relation to each geofence, by slot.

Of all aircraft a geofence sees those in its bounding box: they are found in one order by latitude that all geofences
share. Only these are tested by Shapely against the prepared geometry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from skywatch.alerts.conditions.fields import ALTITUDE_MARGIN_FT, BOUNDARY_MARGIN_NM
from skywatch.alerts.engine.board import Board
from skywatch.alerts.geofences.band import Band
from skywatch.alerts.geofences.geometry import prepared, shifted

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fence:
    """A geofence as the engine tests it; ``revision`` grows with each change of its geometry or band."""

    id: int
    name: str
    geometry: BaseGeometry
    band: Band = field(default_factory=Band)
    revision: int = 1

    def __post_init__(self) -> None:
        prepared(self.geometry)


class FenceState:
    """Who is inside of one geofence, and who crossed its boundary with this tick.

    Few aircraft are near any one geofence, so that only those few are looked at; who is surely outside is worked out
    where a rule asks for it.
    """

    def __init__(self, fence: Fence, capacity: int) -> None:
        self.fence = fence
        self.bounds: tuple[float, float, float, float] = fence.geometry.bounds
        self.inside: Mask = np.zeros(capacity, bool)
        self.entered: Mask = np.zeros(capacity, bool)
        self.left: Mask = np.zeros(capacity, bool)
        self.changed = True
        self._inside: Slots = np.zeros(0, np.intp)
        self._unsure: Slots = np.zeros(0, np.intp)
        # Who was inside when that was last known.
        self._was_inside: set[int] = set()
        self._placed: Mask = np.zeros(capacity, bool)
        self._outside: Mask | None = None
        self._is_new = True
        self._had_events = False
        self._grown: BaseGeometry | None = None
        self._shrunk: BaseGeometry | None = None

    def resize(self, capacity: int) -> None:
        """Make room for more slots."""
        for name in ("inside", "entered", "left"):
            mask = np.zeros(capacity, bool)
            mask[: len(getattr(self, name))] = getattr(self, name)
            setattr(self, name, mask)

    def forget(self, slots: Iterable[int]) -> None:
        """The aircraft of these slots are gone."""
        self._was_inside.difference_update(slots)

    def outside(self) -> Mask:
        """Who is surely outside."""
        if self._outside is None:
            self._outside = self._placed & ~self.inside
            self._outside[self._unsure] = False
        return self._outside

    def update(self, inside: Slots, unsure: Slots, placed: Mask, placed_before: Mask) -> None:
        """Take who is inside, whose altitude leaves that open, and who has, and had, a position at all.

        ``inside`` is in order.
        """
        moved = not np.array_equal(inside, self._inside)
        if self._had_events:
            self.entered[:] = False
            self.left[:] = False
        self.changed = self._is_new or moved or self._had_events or len(unsure) > 0 or len(self._unsure) > 0
        self._had_events = False
        self._outside, self._placed = None, placed
        if self.changed or len(self._was_inside) != len(inside):
            self._cross(inside, unsure, placed, placed_before)
        if moved:
            self.inside[self._inside] = False
            self.inside[inside] = True
            self._inside = inside
        self._unsure, self._is_new = unsure, False

    def _cross(self, inside: Slots, unsure: Slots, placed: Mask, placed_before: Mask) -> None:
        """Who entered and left; somebody whose place was not known at the last tick did neither."""
        now, open_now, open_before = set(inside.tolist()), set(unsure.tolist()), set(self._unsure.tolist())
        came = now - self._was_inside
        if not self._is_new:
            entered = [slot for slot in came if placed_before[slot] and slot not in open_before]
            left = [slot for slot in self._was_inside - now - open_now if placed[slot]]
            self.entered[entered] = True
            self.left[left] = True
            self._was_inside.difference_update(left)
            self._had_events = bool(entered or left)
            self.changed = self.changed or self._had_events
        self._was_inside |= now

    def relaxed(self, grown: bool) -> tuple[BaseGeometry, Band]:
        """The geometry and band with the margin of hysteresis added (``grown``) or taken away."""
        band, margin = self.fence.band, ALTITUDE_MARGIN_FT if grown else -ALTITUDE_MARGIN_FT
        wider = Band(
            None if band.floor_ft is None else band.floor_ft - margin,
            None if band.ceiling_ft is None else band.ceiling_ft + margin,
        )
        if grown:
            self._grown = self._grown or prepared(shifted(self.fence.geometry, BOUNDARY_MARGIN_NM))
            return self._grown, wider
        self._shrunk = self._shrunk or prepared(shifted(self.fence.geometry, -BOUNDARY_MARGIN_NM))
        return self._shrunk, wider


class FenceBoard:
    """The states of all geofences that rules refer to."""

    def __init__(self) -> None:
        self.states: dict[int, FenceState] = {}
        self._had_position: Mask = np.zeros(0, bool)
        self._south: Floats = np.zeros(0)
        self._north: Floats = np.zeros(0)

    def use(self, fences: Mapping[int, Fence], capacity: int) -> None:
        """Follow these geofences; one of the same revision keeps what is known of its aircraft."""
        states = {}
        for number, fence in fences.items():
            state = self.states.get(number)
            if state is None or state.fence.revision != fence.revision:
                state = FenceState(fence, capacity)
            state.changed = True
            states[number] = state
        self.states = states
        self._south = np.array([state.bounds[1] for state in states.values()])
        self._north = np.array([state.bounds[3] for state in states.values()])

    def update(self, board: Board) -> None:
        """Find who is inside of each geofence."""
        if not self.states:
            return
        lat, lon = board.number("lat"), board.number("lon")
        placed = ~np.isnan(lat)
        before = self._placed_before(board)
        slots = np.flatnonzero(placed)
        order = slots[np.argsort(lat[slots])]
        sorted_lat, sorted_lon = lat[order], lon[order]
        gone = [slot for slot, *_ in board.left]
        first = np.searchsorted(sorted_lat, self._south)
        last = np.searchsorted(sorted_lat, self._north, side="right")
        for state, begin, end in zip(self.states.values(), first.tolist(), last.tolist(), strict=True):
            if len(state.inside) != board.capacity:
                state.resize(board.capacity)
            if gone:
                state.forget(gone)
            west, _, east, _ = state.bounds
            near_lon = sorted_lon[begin:end]
            near = np.flatnonzero((near_lon >= west) & (near_lon <= east)) + begin
            within = near[_within(state.fence.geometry, sorted_lon[near], sorted_lat[near])]
            horizontal = np.sort(order[within])
            if state.fence.band.is_open:
                state.update(horizontal, horizontal[:0], placed, before)
                continue
            sure, unsure = _by_altitude(board, horizontal, state.fence.band)
            state.update(horizontal[sure], horizontal[unsure], placed, before)
        before |= placed

    def _placed_before(self, board: Board) -> Mask:
        """Which aircraft had a position at an earlier tick; kept by slot."""
        if len(self._had_position) != board.capacity:
            mask = np.zeros(board.capacity, bool)
            mask[: len(self._had_position)] = self._had_position
            self._had_position = mask
        self._had_position[[slot for slot, *_ in board.left]] = False
        return self._had_position

    def around(self, board: Board, number: int, slots: Slots, *, grown: bool) -> tuple[Mask, Mask]:
        """Whether these slots are surely inside, and surely outside, of a geofence with its margin."""
        geometry, band = self.states[number].relaxed(grown)
        lat, lon = board.number("lat")[slots], board.number("lon")[slots]
        placed = ~np.isnan(lat)
        horizontal = np.zeros(len(slots), bool)
        horizontal[placed] = _within(geometry, lon[placed], lat[placed])
        if band.is_open:
            return horizontal, placed & ~horizontal
        sure, unsure = _by_altitude(board, slots, band)
        return horizontal & sure, placed & ~(horizontal & (sure | unsure))


def _within(geometry: BaseGeometry, lon: Floats, lat: Floats) -> Mask:
    """Points inside or on the boundary."""
    if not len(lon):
        return np.zeros(0, bool)
    return np.asarray(shapely.intersects_xy(geometry, lon, lat))


def _by_altitude(board: Board, slots: Slots, band: Band) -> tuple[Mask, Mask]:
    """Which of the slots are surely within the band, and of which that is not known.

    On the ground an aircraft is below every ceiling, and whether it is above a floor is not known.
    """
    altitude, ground = board.number("altitude_ft")[slots], board.flag("on_ground")[slots]
    within, unsure = np.ones(len(slots), bool), np.zeros(len(slots), bool)
    unknown = np.isnan(altitude)
    if band.floor_ft is not None:
        within &= altitude >= band.floor_ft
        unsure |= unknown
    if band.ceiling_ft is not None:
        within &= (altitude <= band.ceiling_ft) | ground
        unsure |= unknown & ~ground
    return within & ~unsure, unsure
