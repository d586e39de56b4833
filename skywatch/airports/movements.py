"""Landings, take-offs, go-arounds and touch-and-goes: rules of geometry on the track of one aircraft.

A track is judged as a whole, after it has been flown: the runway is the one along whose line the whole approach or
departure lies best. ``monitor`` says when to judge, and ``pressure`` how high the aircraft was.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from skywatch.airports.directory import Column
from skywatch.airports.lines import Lines
from skywatch.airports.pressure import KNOWN_FT, Heights, Track

KINDS = ("landing", "take_off", "go_around", "touch_and_go")
ARRIVALS = ("landing", "touch_and_go", "go_around")
DEPARTURES = ("take_off", "touch_and_go")
# Gaps up to this are bridged; an aircraft that is silent for longer than the other was heard last.
GAP_S, SILENT_S = 45.0, 60.0
# Beside a runway (nm), the angle to it (degrees), and how a line widens before the threshold.
BESIDE_NM = 150.0 / 1852.0
ALIGNED_DEG = 12.0
WIDENING = 0.035
# A low is a turn from a descent by so many feet to a climb by so many.
FALL_FT, RISE_FT = 300.0, 500.0
# An aircraft that was in the air fell or rose by this (ft), or was as fast as this (kt).
FLOWN_FT, FLOWN_KT = 150.0, 40.0
GO_AROUND_FT = 1_000.0
LOST_FT, LOST_NM = 500.0, 1.5
FIRST_FT, FIRST_NM = 1_000.0, 2.0
TOUCH_AND_GO_S = 60.0
TOUCHED_FT = 60.0
# Large aircraft need so much runway (ft).
LARGE_FT = 3_300.0
HELICOPTER_FT = 300.0
HELICOPTER_KT = 70.0
# An approach counts for coverage below this, within that of the threshold, and as seen where it came to the last.
APPROACH_FT, APPROACH_NM, SEEN_FT = 5_000.0, 15.0, 1_500.0


class Nature(NamedTuple):
    """What kind of aircraft it is."""

    is_helicopter: bool = False
    is_large: bool = False


@dataclass(frozen=True, slots=True)
class Movement:
    """A movement: the number of the airport, the runway (None where none is known), when, and how sure that is."""

    kind: str
    airport: int
    runway: str | None
    at: float
    sure: float


@dataclass(frozen=True, slots=True)
class Approach:
    """An aircraft that descended on a runway's line, and whether it was received down to 1,500 ft."""

    airport: int
    at: float
    is_seen: bool


class Judgement(NamedTuple):
    """What a track shows."""

    movements: list[Movement]
    approaches: list[Approach]


class _Line(NamedTuple):
    """The line that fits best: its row, and by sample whether it fits, where it is along the line and how high."""

    row: int
    samples: Column
    fits: Column
    along: Column
    is_on: Column

    def at(self, sample: int) -> int | None:
        """The index of a sample, or None."""
        found = np.flatnonzero(self.samples == sample)
        return int(found[0]) if len(found) else None


def judge(track: Track, heights: Heights, lines: Lines, nature: Nature, *, is_silent: bool = True) -> Judgement:
    """All movements of a track in order; ``is_silent``: nothing was received after its end for a minute."""
    known = track.ground | ~np.isnan(heights.msl)
    if not known.all():
        track = Track(*(column[known] for column in track))
        heights = Heights(heights.msl[known], heights.error_ft)
    movements: list[Movement] = []
    approaches: list[Approach] = []
    bounds = [0, *(np.flatnonzero(np.diff(track.at) > GAP_S) + 1).tolist(), len(track.at)]
    for begin, end in pairwise(bounds):
        is_last = end == len(track.at)
        ends = is_silent if is_last else bool(track.at[end] - track.at[end - 1] >= SILENT_S)
        piece = Track(*(column[begin:end] for column in track))
        part = _Piece(piece, heights.msl[begin:end], heights.error_ft, lines, nature, ends)
        part.judge()
        movements += part.movements
        approaches += part.approaches
    return Judgement(movements, approaches)


class _Piece:
    """A track without longer gaps."""

    def __init__(self, track: Track, msl: Column, error_ft: float, lines: Lines, nature: Nature, ends: bool) -> None:
        self.track, self.msl, self.error_ft, self.lines, self.nature, self.ends = (
            track, msl, error_ft, lines, nature, ends,
        )  # fmt: skip
        self.movements: list[Movement] = []
        self.approaches: list[Approach] = []
        air = msl[~track.ground]
        # The ground is lower than what was in the air.
        self.profile = np.where(track.ground, (air.min() if len(air) else 0.0) - 100.0, msl)

    def judge(self) -> None:
        """Find the movements."""
        for start, low, end in _lows(self.profile.tolist()):
            last = len(self.profile) - 1 if end is None else end
            contacts = np.flatnonzero(self.track.ground[start : last + 1]) + start
            if self.nature.is_helicopter:
                self._helicopter(start, low, last, contacts)
            elif len(contacts):
                self._contact(start, last, int(contacts[0]), int(contacts[-1]))
            elif self.profile[start] - self.profile[low] >= FALL_FT and end is not None:
                self._turned(start, low)
            elif end is None and self.ends and self.profile[start] - self.profile[low] >= FLOWN_FT:
                self._lost(start)
            is_first = self.profile[start] - self.profile[low] < FALL_FT and low <= 3
            rose = self.profile[last] - self.profile[low] >= FALL_FT
            if is_first and rose and not len(contacts) and not self.nature.is_helicopter:
                self._first(low)

    def _add(self, kind: str, airport: int, runway: str | None, at: float, sure: float) -> None:
        self.movements.append(Movement(kind, airport, runway, at, round(sure, 2)))

    def _contact(self, start: int, last: int, touch: int, lift: int) -> None:
        """The ground was reached or left."""
        profile, track = self.profile, self.track
        before, after = profile[start:touch], profile[lift + 1 : last + 1]
        fell = float(before.max() - before[-1]) if len(before) else 0.0
        rose = float(after.max() - after[0]) if len(after) else 0.0
        has_landed = len(before) > 1 and (fell >= FLOWN_FT or (fell >= 25.0 and track.gs[touch - 1] >= FLOWN_KT))
        has_left = len(after) > 1 and rose >= FLOWN_FT and bool(np.nanmax(track.gs[lift + 1 : last + 1]) >= FLOWN_KT)
        arrival = self._place(start, touch - 1, touch, "arrival") if has_landed else None
        departure = self._place(lift, lift + 1, last, "departure") if has_left else None
        if arrival and departure and track.at[lift + 1] - track.at[touch] <= TOUCH_AND_GO_S:
            self._add("touch_and_go", arrival[0], arrival[1], self._touchdown(arrival[3], touch), arrival[2])
        else:
            if arrival:
                self._add("landing", arrival[0], arrival[1], self._touchdown(arrival[3], touch), arrival[2])
            if departure:
                self._add("take_off", departure[0], departure[1], self._lift_off(lift + 1, last), departure[2])
        if arrival:
            self.approaches.append(Approach(arrival[0], float(track.at[touch]), is_seen=True))

    def _place(
        self, begin: int, air: int, end: int, purpose: str
    ) -> tuple[int, str | None, float, _Line | None] | None:
        """Airport, runway, how sure it is, and the line, of a contact whose sample in the air is ``air``."""
        track = self.track
        at = track.at
        if purpose == "arrival":
            samples = np.flatnonzero((at >= at[air] - 150.0) & (at <= at[end] + 20.0))
        else:
            samples = np.flatnonzero((at >= at[air] - 45.0) & (at <= at[air] + 75.0))
        line = self._line(samples, air)
        # It may have climbed or descended in a gap.
        contact = end if purpose == "arrival" else begin
        if line is not None and self._is_low(line.row, air, 700.0 + 50.0 * abs(float(at[air] - at[contact]))):
            sure = 0.99 if line.is_on.any() else 0.85
            return int(self.lines.airport[line.row]), self._ident(line.row), sure, line
        place = self.lines.place_without_lines(float(track.lat[air]), float(track.lon[air]))
        if place is None:
            rows = self.lines.near(float(track.lat[air]), float(track.lon[air]), 1.5)
            if not len(rows) or self.nature.is_large:
                return None
            along, across = self.lines.bearings(rows, track.lat[air : air + 1], track.lon[air : air + 1])
            beside = np.hypot(np.maximum(-along, along - self.lines.length_nm[rows, None]).clip(0.0), across)[:, 0]
            if beside.min() > 0.5 or not self._is_low(int(rows[beside.argmin()]), air, 300.0):
                return None
            place = int(self.lines.airport[rows[beside.argmin()]])
        return place, None, 0.6, None

    def _is_low(self, row: int, sample: int, limit_ft: float) -> bool:
        """Whether a sample is within a height of a line's elevation, as far as that is known."""
        return bool(self.msl[sample] - self.lines.elevation_ft[row] <= limit_ft + self.error_ft)

    def _touchdown(self, line: _Line | None, touch: int) -> float:
        """When the wheels touched: many report the ground only when they are slow."""
        track = self.track
        if line is not None:
            over = line.samples[line.is_on & ~track.ground[line.samples] & (line.samples < touch)]
            if len(over):
                flat = over[self.msl[over] <= self.msl[over].min() + 25.0]
                # In a rollout the altitude stays: one or two samples may be the flare.
                if len(flat) >= 3 and track.at[touch] - track.at[flat[0]] > 6.0:
                    return float(track.at[flat[0]])
        gap = float(track.at[touch] - track.at[touch - 1])
        return float(track.at[touch]) - (gap / 2 if gap > 6.0 else 0.0)

    def _lift_off(self, air: int, last: int) -> float:
        """When the wheels left the ground: many report the air as soon as they are fast."""
        rolls = np.flatnonzero(self.msl[air : last + 1] > self.msl[air] + 30.0)
        first = air + int(rolls[0]) - 1 if len(rolls) else air
        at = self.track.at
        if at[first] - at[air] > 6.0:
            return float(at[first])
        gap = float(at[air] - at[air - 1])
        return float(at[air]) - (gap / 2 if gap > 6.0 else 0.0)

    def _turned(self, start: int, low: int) -> None:
        """A descent that became a climb without a ground message."""
        at = self.track.at
        samples = np.flatnonzero((at >= at[low] - 100.0) & (at <= at[low] + 20.0))
        line = self._line(samples, low)
        place = None if line is None else line.at(low)
        if line is None or place is None or line.fits.sum() < 2:
            return
        elevation = float(self.lines.elevation_ft[line.row])
        height = min(float(self.msl[low]) - elevation, self._unseen_low(low) - elevation)
        along, length = float(line.along[place]), float(self.lines.length_nm[line.row])
        is_over = -0.4 <= along <= length + 0.4
        airport, ident = int(self.lines.airport[line.row]), self._ident(line.row)
        is_known = self.error_ft <= KNOWN_FT
        is_flat = self._flat_s(low) >= 4.0
        is_touching = height <= TOUCHED_FT + (0.0 if is_flat else -20.0) if is_known else is_flat and height < 900.0
        if is_over and is_touching:
            self._add("touch_and_go", airport, ident, float(at[low]), 0.8 if is_known else 0.6)
        elif line.fits[place] and height < GO_AROUND_FT and -4.0 <= along <= length + 0.5:
            self._add("go_around", airport, ident, float(at[low]), 0.9 if is_known else 0.6)
        else:
            return
        self.approaches.append(Approach(airport, float(at[low]), is_seen=True))

    def _flat_s(self, low: int) -> float:
        """For how long the altitude stayed at its lowest, and the ground speed was that of a rollout."""
        near = np.flatnonzero(np.abs(self.msl - self.msl[low]) <= 20.0)
        run = [low]
        for sample in range(low - 1, -1, -1):
            if sample not in near:
                break
            run.append(sample)
        for sample in range(low + 1, len(self.msl)):
            if sample not in near:
                break
            run.append(sample)
        return float(self.track.at[max(run)] - self.track.at[min(run)])

    def _unseen_low(self, low: int) -> float:
        """The lowest height that an aircraft may have come to in a gap next to the lowest sample."""
        at, msl = self.track.at, self.msl
        lowest = float(msl[low])
        for left in (low - 1, low):
            right = left + 1
            if left < 1 or right >= len(at) - 1 or at[right] - at[left] <= 3.9:
                continue
            down = (msl[left] - msl[max(left - 3, 0)]) / max(at[left] - at[max(left - 3, 0)], 1.0)
            ahead = min(right + 3, len(at) - 1)
            up = (msl[ahead] - msl[right]) / max(at[ahead] - at[right], 1.0)
            if down < 0 < up:
                # Where the two straight lines meet.
                wait = (msl[right] - up * (at[right] - at[left]) - msl[left]) / (down - up)
                lowest = min(lowest, float(msl[left] + down * wait))
        return lowest

    def _lost(self, start: int) -> None:
        """Heard last in a descent."""
        track, last = self.track, len(self.msl) - 1
        if self.profile[last] > self.profile.min() + 60.0:
            return
        samples = np.flatnonzero(track.at >= track.at[last] - 150.0)
        line = self._line(samples, last, reach_nm=APPROACH_NM)
        place = None if line is None else line.at(last)
        if line is None or place is None or not line.fits[place] or line.fits.sum() < 2:
            return
        airport = int(self.lines.airport[line.row])
        height = float(self.msl[last] - self.lines.elevation_ft[line.row])
        along, length = float(line.along[place]), float(self.lines.length_nm[line.row])
        is_known = self.error_ft <= KNOWN_FT
        # Of a height that nobody knows the distance says as much.
        if -LOST_NM <= along <= length + 0.3 and height < LOST_FT + (0.0 if is_known else self.error_ft):
            speed = float(track.gs[last]) if track.gs[last] > 40.0 else 100.0
            at = float(track.at[last]) + max(0.15 - along, 0.0) / speed * 3600.0
            over = line.samples[line.is_on]
            if along > 0.15 and len(over):
                at = float(track.at[over[self.msl[over] <= self.msl[over].min() + 25.0][0]])
            self._add("landing", airport, self._ident(line.row), at, 0.8 if is_known else 0.6)
            self.approaches.append(Approach(airport, at, is_seen=True))
        elif along < 0 and height < APPROACH_FT:
            self.approaches.append(Approach(airport, float(track.at[last]), is_seen=height <= SEEN_FT))

    def _first(self, low: int) -> None:
        """Heard first in a climb."""
        track = self.track
        samples = np.flatnonzero(track.at <= track.at[low] + 75.0)
        line = self._line(samples, low)
        place = None if line is None else line.at(low)
        if line is None or place is None or not line.fits[place] or line.fits.sum() < 2:
            return
        height = float(self.msl[low] - self.lines.elevation_ft[line.row])
        along, length = float(line.along[place]), float(self.lines.length_nm[line.row])
        is_known = self.error_ft <= KNOWN_FT
        if -0.2 <= along <= length + FIRST_NM and height < FIRST_FT + (0.0 if is_known else self.error_ft):
            at = float(track.at[low])
            rate = (self.msl[min(low + 5, len(self.msl) - 1)] - self.msl[low]) / max(
                track.at[min(low + 5, len(self.msl) - 1)] - track.at[low], 1.0
            )
            if is_known and rate > 3.0:
                at -= min(max(height, 0.0) / float(rate), 60.0)
            self._add(
                "take_off", int(self.lines.airport[line.row]), self._ident(line.row), at, 0.8 if is_known else 0.6
            )

    def _line(self, samples: Column, event: int, reach_nm: float = 6.0) -> _Line | None:
        """The line along which the samples lie best, or None."""
        track, lines = self.track, self.lines
        rows = lines.near(float(track.lat[event]), float(track.lon[event]), reach_nm + 3.5)
        if self.nature.is_large:
            rows = rows[lines.length_ft[rows] >= LARGE_FT]
        if not len(rows) or not len(samples):
            return None
        along, across = lines.bearings(rows, track.lat[samples], track.lon[samples])
        turned = np.abs((track.course[samples][None, :] - lines.heading[rows, None] + 180.0) % 360.0 - 180.0)
        length, displaced = lines.length_nm[rows, None], lines.displaced_nm[rows, None]
        outside = np.maximum(-displaced - along, along - length).clip(0.0)
        fits = (np.abs(across) <= BESIDE_NM + WIDENING * outside) & (turned <= ALIGNED_DEG)
        fits &= (along >= -reach_nm) & (along <= length + 2.6)
        is_on = fits & (outside <= 0.17)
        weight = fits / (0.15 + outside)
        total = weight.sum(axis=1)
        usable = is_on.any(axis=1) | (
            (fits.sum(axis=1) >= 2) & (np.where(fits, outside, np.inf).min(axis=1) <= reach_nm)
        )
        if not usable.any():
            return None
        with np.errstate(invalid="ignore", divide="ignore"):
            off = np.sqrt((weight * across**2).sum(axis=1) / total)
        # What was over a runway is more than what was on its line far out.
        near = np.where(fits, outside, np.inf).min(axis=1)
        worth = np.where(usable, off + 0.03 * np.minimum(near, 6.0) - 0.02 * np.minimum(fits.mean(axis=1), 1.0), np.inf)
        best = int(worth.argmin())
        return _Line(int(rows[best]), samples, fits[best], along[best], is_on[best])

    def _ident(self, row: int) -> str:
        ident: bytes = self.lines.ident[row]
        return ident.decode()

    def _helicopter(self, start: int, low: int, last: int, contacts: Column) -> None:
        """Helicopters use no runway: they land at a place."""
        track, profile = self.track, self.profile
        before_at = int(contacts[0]) if len(contacts) else None
        if before_at is not None:
            touch, lift = before_at, int(contacts[-1])
            has_landed = touch - start >= 2 and bool(np.nanmax(track.gs[start:touch]) >= 25.0)
            has_left = last - lift >= 2 and bool(np.nanmax(track.gs[lift + 1 : last + 1]) >= 25.0)
            landed_at, left_at, sure = touch, lift + 1, 0.95
        else:
            has_landed = (
                last == len(profile) - 1
                and self.ends
                and profile[start] - profile[last] >= 100.0
                and profile[last] <= profile[low] + 40.0
                and bool(track.gs[last] <= HELICOPTER_KT)
            )
            has_left = (
                start == 0 and low <= 2 and profile[last] - profile[low] >= FLOWN_FT and bool(track.gs[low] <= 90.0)
            )
            landed_at, left_at, sure = last, low, 0.6
        if has_landed:
            self._at_place("landing", landed_at, sure)
        if has_left:
            self._at_place("take_off", left_at, sure)

    def _at_place(self, kind: str, sample: int, sure: float) -> None:
        track = self.track
        place = self.lines.helicopter_place(float(track.lat[sample]), float(track.lon[sample]))
        if place is None:
            return
        height = float(self.profile[sample]) - float(self.lines.airports.elevation_ft[place])
        if sure > 0.9 or height <= HELICOPTER_FT + self.error_ft:
            self._add(kind, place, None, float(track.at[sample]), sure)


def _lows(profile: list[float]) -> list[tuple[int, int, int | None]]:
    """Where a profile turns from a descent to a climb: the sample before the descent, the lowest, and one after the
    climb (None: it ends before)."""
    lows: list[tuple[int, int, int | None]] = []
    start = low = high = 0
    is_falling = True
    for sample, value in enumerate(profile):
        if is_falling:
            if value < profile[low]:
                low = sample
            if value >= profile[low] + RISE_FT:
                lows.append((start, low, sample))
                is_falling, high = False, sample
        elif value > profile[high]:
            high = sample
        elif value <= profile[high] - FALL_FT:
            start, low, is_falling = high, sample, True
    if is_falling and profile:
        lows.append((_highest(profile, start, low), low, None))
    return [(_highest(profile, begin, low), low, end) for begin, low, end in lows]


def _highest(profile: list[float], begin: int, low: int) -> int:
    """The highest sample before a low, from which it descended."""
    return max(range(begin, low + 1), key=lambda sample: (profile[sample], sample))
