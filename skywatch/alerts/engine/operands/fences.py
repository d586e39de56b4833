"""The position of aircraft relative to each geofence, by slot.

Aircraft in the bounding box of a geofence are selected from one array sorted by latitude, which all geofences share.
Only these are tested by Shapely against the prepared geometry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from skywatch.alerts.conditions.fields import ALTITUDE_MARGIN_FT, BOUNDARY_MARGIN_NM
from skywatch.alerts.engine.operands.board import Board
from skywatch.core.polygons.band import Band
from skywatch.core.polygons.geometry import prepared, shifted
from skywatch.picture.state.doubt import ALTITUDE, POSITION

# Imported with the first geofence.
if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fence:
    """A geofence in the engine; ``revision`` increases with each change of its geometry or band."""

    id: int
    name: str
    geometry: BaseGeometry
    band: Band = field(default_factory=Band)
    revision: int = 1

    def __post_init__(self) -> None:
        prepared(self.geometry)


@dataclass(frozen=True, eq=False)
class Doubts:
    """The aircraft whose place is in doubt, those where it is sure, and those where it was at an earlier tick."""

    doubted: Mask
    sure: Mask
    had_sure: Mask


class SureCrossings:
    """The crossings of one geofence as far as somebody vouches for the places, kept while any is in doubt.

    What nobody vouches for in between neither makes such a crossing nor hides it.
    """

    def __init__(self, was_inside: Iterable[int], unsure: Slots, capacity: int) -> None:
        self.entered: Mask = np.zeros(capacity, bool)
        self.exited: Mask = np.zeros(capacity, bool)
        self._was_inside = set(was_inside)
        self._inside: Slots = np.zeros(0, np.intp)
        # Slots of which nobody could tell when somebody last vouched for their place.
        self._open: set[int] = set(unsure.tolist())
        self._has_events = False

    def agrees(self, was_inside: set[int], unsure: Slots) -> bool:
        """Whether everything is as it is with what is in doubt."""
        return self._was_inside == was_inside and self._open == set(unsure.tolist())

    def resize(self, capacity: int) -> None:
        """Grow the masks to more slots."""
        self.entered, self.exited = _grown(self.entered, capacity), _grown(self.exited, capacity)

    def forget(self, slots: list[int]) -> None:
        """Clear slots whose aircraft have left the sky."""
        self._was_inside.difference_update(slots)
        self._open.difference_update(slots)
        self._inside = self._inside[:0]

    def update(self, inside: Slots, unsure: Slots, doubts: Doubts, *, is_new: bool) -> bool:
        """Detect crossings between places that are sure; returns whether there are any."""
        if self._has_events:
            self.entered[:] = self.exited[:] = False
            self._has_events = False
        sure = doubts.sure
        if is_new:
            self._open.update(np.flatnonzero(doubts.doubted).tolist())
        sure_inside = inside[sure[inside]]
        # Most are where they were.
        if len(self._was_inside) != len(sure_inside) or not np.array_equal(sure_inside, self._inside):
            self._cross(sure_inside, {*inside.tolist(), *unsure.tolist()}, doubts, is_new=is_new)
        self._inside = sure_inside
        if self._open or len(unsure):
            self._open = {slot for slot in self._open if doubts.doubted[slot]}
            self._open.update(unsure[sure[unsure]].tolist())
        return self._has_events

    def _cross(self, inside: Slots, perhaps: set[int], doubts: Doubts, *, is_new: bool) -> None:
        now = set(inside.tolist())
        if not is_new:
            appeared = now - self._was_inside - self._open
            entered = [slot for slot in appeared if doubts.had_sure[slot]]
            exited = [slot for slot in self._was_inside - perhaps if doubts.sure[slot]]
            self.entered[entered] = self.exited[exited] = True
            self._was_inside.difference_update(exited)
            self._has_events = bool(entered or exited)
        self._was_inside |= now


class FenceState:
    """The aircraft inside of one geofence, and those that crossed its boundary at this tick.

    Few aircraft are near any one geofence, and only those are tested; the mask of those surely outside is computed
    when a rule needs it.
    """

    def __init__(self, fence: Fence, capacity: int) -> None:
        self.fence = fence
        self.bounds: tuple[float, float, float, float] = fence.geometry.bounds
        self.inside: Mask = np.zeros(capacity, bool)
        self.entered: Mask = np.zeros(capacity, bool)
        self.exited: Mask = np.zeros(capacity, bool)
        self.changed = True
        self.surely: SureCrossings | None = None
        """The crossings that are sure, where that differs."""
        self._inside: Slots = np.zeros(0, np.intp)
        self._unsure: Slots = np.zeros(0, np.intp)
        # Slots that were inside when their position and altitude were last known.
        self._was_inside: set[int] = set()
        self._has_position: Mask = np.zeros(capacity, bool)
        self._outside: Mask | None = None
        self._is_new = True
        self._had_events = False
        self._grown: BaseGeometry | None = None
        self._shrunk: BaseGeometry | None = None

    def resize(self, capacity: int) -> None:
        """Grow the masks to more slots."""
        self.inside, self.entered, self.exited = (
            _grown(mask, capacity) for mask in (self.inside, self.entered, self.exited)
        )
        if self.surely is not None:
            self.surely.resize(capacity)

    def forget(self, slots: list[int]) -> None:
        """Clear slots whose aircraft have left the sky."""
        self._was_inside.difference_update(slots)
        if self.surely is not None:
            self.surely.forget(slots)

    @property
    def doubt(self) -> int:
        """The bits of what it rests on: the place, and the altitude if it has a band."""
        return POSITION if self.fence.band.is_open else POSITION | ALTITUDE

    @property
    def agrees(self) -> bool:
        """Whether what is in doubt makes no difference any more."""
        return self.surely is None or self.surely.agrees(self._was_inside, self._unsure)

    def outside(self) -> Mask:
        """The aircraft that are surely outside."""
        if self._outside is None:
            self._outside = self._has_position & ~self.inside
            self._outside[self._unsure] = False
        return self._outside

    def update(
        self,
        inside: Slots,
        unsure: Slots,
        has_position: Mask,
        had_position: Mask,
        doubts: Doubts | None = None,
    ) -> None:
        """Update with the slots that are inside and those whose altitude does not decide it.

        ``inside`` is sorted; the masks are the aircraft that have, and had, a position. ``doubts`` are None while
        there are none.
        """
        if doubts is None:
            self.surely = None
        elif self.surely is None:
            self.surely = SureCrossings(self._was_inside, self._unsure, len(self.inside))
        moved = not np.array_equal(inside, self._inside)
        if self._had_events:
            self.entered[:] = False
            self.exited[:] = False
        self.changed = self._is_new or moved or self._had_events or len(unsure) > 0 or len(self._unsure) > 0
        self._had_events = False
        self._outside, self._has_position = None, has_position
        if self.changed or len(self._was_inside) != len(inside):
            self._cross(inside, unsure, has_position, had_position)
        if doubts is not None and self.surely is not None:
            self._cross_surely(self.surely, inside, unsure, doubts)
        if moved:
            self.inside[self._inside] = False
            self.inside[inside] = True
            self._inside = inside
        self._unsure, self._is_new = unsure, False

    def _cross(self, inside: Slots, unsure: Slots, has_position: Mask, had_position: Mask) -> None:
        """Detect crossings; an aircraft without a known place at the last tick has not crossed."""
        now, open_now, open_before = set(inside.tolist()), set(unsure.tolist()), set(self._unsure.tolist())
        appeared = now - self._was_inside
        if not self._is_new:
            entered = [slot for slot in appeared if had_position[slot] and slot not in open_before]
            exited = [slot for slot in self._was_inside - now - open_now if has_position[slot]]
            self.entered[entered] = True
            self.exited[exited] = True
            self._was_inside.difference_update(exited)
            self._had_events = bool(entered or exited)
            self.changed = self.changed or self._had_events
        self._was_inside |= now

    def _cross_surely(self, surely: SureCrossings, inside: Slots, unsure: Slots, doubts: Doubts) -> None:
        """Detect crossings that are sure, also where what is in doubt has crossed before."""
        if surely.update(inside, unsure, doubts, is_new=self._is_new):
            self.entered |= surely.entered
            self.exited |= surely.exited
            self._had_events = self.changed = True

    def relaxed(self, grown: bool) -> tuple[BaseGeometry, Band]:
        """The geometry and band with the hysteresis margin added (``grown``) or subtracted."""
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
        self._had_sure: dict[int, Mask] = {}
        """The aircraft whose position was sure at an earlier tick, by the bits that were unset; empty without doubt."""
        self._south: Floats = np.zeros(0)
        self._north: Floats = np.zeros(0)

    def use(self, fences: Mapping[int, Fence], capacity: int) -> None:
        """Test these geofences from now on; unchanged ones keep their state."""
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

    @property
    def has_doubt(self) -> bool:
        """Whether something is in doubt, or was, so that crossings may be."""
        return bool(self._had_sure)

    def update(self, board: Board) -> None:
        """Determine the aircraft inside of each geofence."""
        if not self.states:
            self._had_sure = {}
            return
        lat, lon = board.number("lat"), board.number("lon")
        has_position = ~np.isnan(lat)
        had_position = self._previous_positions(board)
        doubts = self._doubts(board, has_position, had_position)
        slots = np.flatnonzero(has_position)
        order = slots[np.argsort(lat[slots])]
        sorted_lat, sorted_lon = lat[order], lon[order]
        freed = [slot for slot, *_ in board.freed]
        first = np.searchsorted(sorted_lat, self._south)
        last = np.searchsorted(sorted_lat, self._north, side="right")
        for state, begin, end in zip(self.states.values(), first.tolist(), last.tolist(), strict=True):
            if len(state.inside) != board.capacity:
                state.resize(board.capacity)
            if freed:
                state.forget(freed)
            west, _, east, _ = state.bounds
            near_lon = sorted_lon[begin:end]
            near = np.flatnonzero((near_lon >= west) & (near_lon <= east)) + begin
            within = near[_within(state.fence.geometry, sorted_lon[near], sorted_lat[near])]
            horizontal = np.sort(order[within])
            if state.fence.band.is_open:
                state.update(horizontal, horizontal[:0], has_position, had_position, doubts.get(state.doubt))
                continue
            known, unsure = _by_altitude(board, horizontal, state.fence.band)
            state.update(horizontal[known], horizontal[unsure], has_position, had_position, doubts.get(state.doubt))
        had_position |= has_position
        for bits, doubt in doubts.items():
            self._had_sure[bits] |= doubt.sure

    def _previous_positions(self, board: Board) -> Mask:
        """The mask, by slot, of aircraft that had a position at an earlier tick."""
        if len(self._had_position) != board.capacity:
            self._had_position = _grown(self._had_position, board.capacity)
        self._had_position[[slot for slot, *_ in board.freed]] = False
        return self._had_position

    def _doubts(self, board: Board, has_position: Mask, had_position: Mask) -> dict[int, Doubts]:
        """What is in doubt, by the bits of doubt that a geofence asks for; empty where that makes no difference."""
        freed = [slot for slot, *_ in board.freed]
        for bits, mask in self._had_sure.items():
            self._had_sure[bits] = mask = _grown(mask, board.capacity)
            mask[freed] = False
        doubt = board.doubt() if board.has_doubt or self._had_sure else None
        if doubt is None:
            return {}
        if not (doubt & (POSITION | ALTITUDE)).any():
            is_over = all(np.array_equal(mask, had_position) for mask in self._had_sure.values())
            if is_over and all(state.agrees for state in self.states.values()):
                self._had_sure = {}
                return {}
        elif not self._had_sure:
            self._had_sure = {bits: had_position.copy() for bits in (POSITION, POSITION | ALTITUDE)}
        return {
            bits: Doubts(doubt & bits != 0, has_position & (doubt & bits == 0), mask)
            for bits, mask in self._had_sure.items()
        }

    def around(self, board: Board, number: int, slots: Slots, *, grown: bool) -> tuple[Mask, Mask]:
        """Whether these slots are surely inside, and surely outside, of a geofence with its margin."""
        geometry, band = self.states[number].relaxed(grown)
        lat, lon = board.number("lat")[slots], board.number("lon")[slots]
        has_position = ~np.isnan(lat)
        horizontal = np.zeros(len(slots), bool)
        horizontal[has_position] = _within(geometry, lon[has_position], lat[has_position])
        if band.is_open:
            return horizontal, has_position & ~horizontal
        sure, unsure = _by_altitude(board, slots, band)
        return horizontal & sure, has_position & ~(horizontal & (sure | unsure))


def _grown(mask: Mask, capacity: int) -> Mask:
    """A mask with more slots."""
    result: Mask = np.zeros(capacity, bool)
    result[: len(mask)] = mask
    return result


def _within(geometry: BaseGeometry, lon: Floats, lat: Floats) -> Mask:
    """Points inside or on the boundary."""
    import shapely

    if not len(lon):
        return np.zeros(0, bool)
    return np.asarray(shapely.intersects_xy(geometry, lon, lat))


def _by_altitude(board: Board, slots: Slots, band: Band) -> tuple[Mask, Mask]:
    """The slots that are surely within the band, and those for which that is unknown.

    An aircraft on the ground is below every ceiling; whether it is above a floor is unknown.
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
