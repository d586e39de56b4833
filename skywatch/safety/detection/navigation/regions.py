"""Regions where navigation signals are disturbed: several aircraft that were good before turn bad in the same place.

An aircraft counts once it was good (NIC and NACp) for a while in this flight, and is bad when its own integrity falls
from good to bad within seconds and stays there. One that is relayed by a ground station (TIS-B, ADS-R) does not
count for some minutes: a relay reports an integrity of its own. A region is raised where several aircraft turned bad
within minutes of each other and the share of bad ones, one subtracted, is above the threshold (the rule of
gpsjam.org); cells that touch are one region, which keeps its number while any of its cells stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from skywatch.receivers.reports.report import SOURCE_INDEX
from skywatch.safety.detection.finding import Finding, Position, Quantity
from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import sentence

Cell = tuple[int, int]
# Aircraft that were not received for this long (s) do not count.
MEMORY_S = 30.0
# From good to bad in one step: the last good report is at most this old (s).
SUDDEN_S = 30.0
_GROUND_STATION = np.zeros(256, "?")
_GROUND_STATION[[index for name, index in SOURCE_INDEX.items() if name.startswith(("tisb", "adsr"))]] = True


@dataclass
class Region:
    """One region: its cells, and how many aircraft in it were bad and good when it was last disturbed."""

    number: int
    cells: set[Cell]
    bad: int
    good: int
    last_at: float
    military: bool = False
    hexes: tuple[str, ...] = ()
    began_at: float = 0.0
    is_restored: bool = False

    @property
    def key(self) -> str:
        """Its identity, also after a restart."""
        return f"region:{self.number}:{self.began_at:.0f}"

    @property
    def share(self) -> float:
        """Bad aircraft among all."""
        return self.bad / max(self.bad + self.good, 1)


class RegionDetector:
    """Regions of disturbed navigation signals."""

    def __init__(self) -> None:
        nan = float("nan")
        self._carried = Carried(
            good_since=nan, good_at=-np.inf, was_good=False, bad_since=nan, relayed_at=-np.inf, lat=nan, lon=nan
        )
        self._regions: list[Region] = []
        self._next = 1
        self._cell_deg: float | None = None
        # Aircraft that were good before a restart, according to the region they are in.
        self._vouched: set[str] = set()
        self._is_waiting = False

    def restore(self, regions: Iterable[Region], now: float) -> None:
        """Restore regions of before a restart; their aircraft count although this process never saw them good."""
        for region in regions:
            region.last_at, region.is_restored = now, True
            self._regions.append(region)
            self._next = max(self._next, region.number + 1)
            self._vouched |= set(region.hexes)

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        return self._is_waiting or bool(self._regions or self._vouched)

    @property
    def regions(self) -> list[Region]:
        """The regions of now."""
        return self._regions

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """The regions that are disturbed at this tick, or were until ``area_end_s`` ago."""
        if self._cell_deg not in (None, thresholds.area_cell_deg):
            self._regions = []  # Cells of another size cannot be compared.
        self._cell_deg = thresholds.area_cell_deg
        self._follow(frame, thresholds)
        self._count(frame, thresholds)
        # The aircraft of a region of before a restart may be received only later.
        awaited = not frame.sky.is_complete
        self._regions = [
            r for r in self._regions if frame.now - r.last_at <= thresholds.area_end_s or (r.is_restored and awaited)
        ]
        return [self._finding(region, thresholds.area_cell_deg) for region in self._regions]

    def _follow(self, frame: Frame, thresholds: Thresholds) -> None:
        """Since when every aircraft has been good or bad."""
        self._carried.carry(frame)
        state, now = self._carried, frame.now
        nic, nac_p = frame.column("nic"), frame.column("nac_p")
        is_relayed = _GROUND_STATION[frame.column("source")] | frame.column("tisb")
        seen_at = frame.column("seen_at")
        state["relayed_at"][is_relayed] = seen_at[is_relayed]
        own = frame.adsb & (nic >= 0) & (nac_p >= 0) & ~frame.column("on_ground")
        own &= now - state["relayed_at"] > thresholds.area_relayed_s
        is_good = (nic >= thresholds.area_nic) & (nac_p >= thresholds.area_nac_p)
        good, bad = own & is_good, own & ~is_good
        since = state["good_since"]
        was_good = state["was_good"].astype(bool)
        was_good |= now - since >= thresholds.area_good_s
        # Bad, relayed or silent: the time of being good restarts; what it was for long enough it stays.
        since[:] = np.where(good, np.where(np.isnan(since), now, since), np.nan)
        state["good_at"][good] = seen_at[good]
        was_good &= now - state["relayed_at"] > thresholds.area_relayed_s
        self._vouch(frame, was_good, bad)
        state["was_good"][:] = was_good
        has_turned = bad & was_good & np.isnan(state["bad_since"]) & (now - state["good_at"] <= SUDDEN_S)
        state["bad_since"][has_turned] = now
        # An aircraft that is no longer received while it is bad keeps its state until it is received again.
        state["bad_since"][good | ~was_good] = np.nan
        # Later the state of an aircraft changes only with what is received of it.
        is_changing = now - state["bad_since"] <= max(thresholds.area_bad_s, thresholds.area_within_s)
        is_changing |= ~is_relayed & (now - state["relayed_at"] <= thresholds.area_relayed_s)
        self._is_waiting = bool(is_changing.any())
        has_position = ~np.isnan(frame.column("lat"))
        state["lat"][has_position] = frame.column("lat")[has_position]
        state["lon"][has_position] = frame.column("lon")[has_position]

    def _vouch(self, frame: Frame, was_good: Array, bad: Array) -> None:
        for address in self._vouched & set(frame.sky.index) if self._vouched else ():
            row = frame.sky.index[address]
            was_good[row] = True
            if bad[row]:
                self._carried["bad_since"][row] = frame.now
            self._vouched.discard(address)

    def _count(self, frame: Frame, thresholds: Thresholds) -> None:
        """Count good and bad aircraft by cell, and note the disturbed groups of cells."""
        state, now, size = self._carried, frame.now, thresholds.area_cell_deg
        bad_for_s = now - state["bad_since"]
        if not (bad_for_s >= thresholds.area_bad_s).any():
            return
        is_counted = state["was_good"].astype(bool) & ~np.isnan(state["lat"]) & ~frame.column("on_ground")
        is_counted &= now - frame.column("seen_at") <= MEMORY_S
        bad = np.flatnonzero(is_counted & (bad_for_s >= thresholds.area_bad_s))
        if not len(bad):
            return
        good = np.flatnonzero(is_counted & (now - state["good_at"] <= MEMORY_S) & np.isnan(state["bad_since"]))
        cells_of_bad = _cells(state, bad, size)
        by_cell: dict[Cell, list[int]] = {}
        for row, cell in zip(bad.tolist(), cells_of_bad, strict=True):
            by_cell.setdefault(cell, []).append(row)
        y, x = np.floor(state["lat"][good] / size), np.floor(state["lon"][good] / size)
        for cells in connected(by_cell):
            members = sorted(row for cell in cells for row in by_cell[cell])
            good_count = sum(int(np.count_nonzero((y == cell[0]) & (x == cell[1]))) for cell in cells)
            share = (len(members) - 1) / (len(members) + good_count)
            if len(members) >= thresholds.area_aircraft and share > thresholds.area_share:
                recent = np.count_nonzero(bad_for_s[members] <= thresholds.area_within_s)
                self._note(frame, cells, members, good_count, bool(recent >= thresholds.area_aircraft))

    def _note(self, frame: Frame, cells: set[Cell], bad: list[int], good: int, may_begin: bool) -> None:
        touching = [region for region in self._regions if _touch(region.cells, cells)]
        if not touching and not may_begin:
            return
        military = frame.is_military(*bad)
        hexes = tuple(sorted(frame.hexes[row] for row in bad))
        if not touching:
            region = Region(self._next, set(cells), len(bad), good, frame.now, military, hexes, frame.now)
            self._regions.append(region)
            self._next += 1
            return
        region = touching[0]
        region.cells, region.bad, region.good, region.last_at = set(cells), len(bad), good, frame.now
        region.hexes = hexes
        region.military = region.military or military
        for other in touching[1:]:
            self._regions.remove(other)

    def _finding(self, region: Region, cell_deg: float) -> Finding:
        lat = (sum(y for y, _ in region.cells) / len(region.cells) + 0.5) * cell_deg
        lon = (sum(x for _, x in region.cells) / len(region.cells) + 0.5) * cell_deg
        return Finding(
            type="position_integrity",
            key=region.key,
            hexes=region.hexes,
            severity="warning",
            message=sentence(
                "safety.disturbed",
                "Navigation signals are disturbed: {bad} of {count} aircraft",
                bad=region.bad,
                count=region.bad + region.good,
            ),
            numbers={
                "cause": Quantity("region"),
                "bad": Quantity(region.bad, "aircraft"),
                "good": Quantity(region.good, "aircraft"),
                "share": Quantity(round(region.share, 3)),
            },
            position=Position(round(lat, 3), round(lon, 3)),
            military=region.military,
        )


def _cells(state: Carried, rows: Array, size: float) -> list[Cell]:
    ys = np.floor(state["lat"][rows] / size).astype(int).tolist()
    xs = np.floor(state["lon"][rows] / size).astype(int).tolist()
    return list(zip(ys, xs, strict=True))


def connected(cells: Iterable[Cell]) -> list[set[Cell]]:
    """Cells grouped by touching each other, corners included."""
    remaining, groups = set(cells), []
    while remaining:
        group, edge = set(), [remaining.pop()]
        while edge:
            y, x = edge.pop()
            group.add((y, x))
            around = {(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)} & remaining
            remaining -= around
            edge += around
        groups.append(group)
    return groups


def _touch(first: set[Cell], second: set[Cell]) -> bool:
    return any((y + dy, x + dx) in first for y, x in second for dy in (-1, 0, 1) for dx in (-1, 0, 1))
