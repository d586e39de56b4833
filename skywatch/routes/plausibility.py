"""Whether an aircraft contradicts a route: by where it is, and by what was seen of it under its callsign."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from skywatch.airports.directory import KINDS, Airport, Column, directory
from skywatch.core.geo import bearing_deg, point_distance_nm
from skywatch.routes.candidates import Leg, airport_of

# Off the way: the distances to both ends together are over so many times that between them, and so many nm.
DETOUR, DETOUR_NM = 1.3, 60.0
# Flying away: farther from the destination with each look, for so long (s), farther than this from the origin (nm).
AWAY_S, AWAY_BEYOND_NM = 600.0, 60.0
# Looks are compared that are so far apart (s); a distance has grown by more than this (nm).
LEAST_LOOK_S, AWAY_NM = 30.0, 0.3
# Farther than that from both ends its track leads to the destination within this angle (degrees): half of its way
# brings it nearer.
TOWARD_DEG = 60.0
# It flies towards the destination again once it is so much nearer than it was (nm).
AGAIN_NM = 30.0
# Nobody descends below this (ft) or climbs below it so far from the airport of that: 80 nm, and twice the 3 nm that
# 1,000 ft take.
LOW_LEVEL_FT, LOW_LEVEL_NM, LOW_LEVEL_NM_FT = 10_000.0, 80.0, 0.006
# What is lower over an airport and nearer to it lands there or takes off.
LOW_FT, NEAR_NM = 3000.0, 5.0
DESCENDING_FPM, CLIMBING_FPM = -200.0, 200.0
# What is steeper is no correction of a level.
FALLING_FPM, RISING_FPM = -500.0, 500.0
# The first positions of a flight are a climb where they rise by more than this (ft).
CLIMB_FT = 300.0
# Another airport is large or medium, and counts where the aircraft is farther than this from both ends.
OTHER_KINDS, OTHER_BEYOND_NM = ("large", "medium"), 10.0
# Of two legs the destination of the one lies ahead, that of the other behind (degrees).
AHEAD_DEG = 90.0

OFF_WAY, FLYING_AWAY, AT_OTHER, FROM_OTHER = "off_way", "flying_away", "at_other_airport", "from_other_airport"


@dataclass(frozen=True, slots=True)
class Moment:
    """Where an aircraft is: unix seconds, degrees, feet, feet per minute; None where unknown."""

    at: float
    lat: float | None
    lon: float | None
    altitude_ft: float | None = None
    on_ground: bool = False
    rate_fpm: float | None = None
    track_deg: float | None = None


@dataclass(slots=True)
class Progress:
    """The distance to the destination of a leg at the last look, when the aircraft was last seen not to fly away from
    it, and how far it was from it since; ``refused`` is why its climbs and descents contradict the leg.
    """

    leg: Leg
    distance_nm: float
    looked_at: float
    toward_at: float
    farthest_nm: float
    refused: str | None = None


@dataclass(slots=True)
class Flown:
    """What was seen of an aircraft under one callsign."""

    callsign: str = ""
    # The airport on which it stands or over which it flies low, and the one from which it was seen to climb.
    airport: Airport | None = None
    left: Airport | None = None
    progress: tuple[Progress, ...] = ()

    def progress_of(self, leg: Leg) -> Progress | None:
        """The progress on a leg, None where the aircraft was not followed on it."""
        return next((progress for progress in self.progress if progress.leg == leg), None)

    def begin(self, moments: Sequence[Moment]) -> None:
        """Take the first positions of the flight: a climb from low over an airport began there."""
        if not moments or (airport := low_at(moments[0])) is None:
            return
        first_ft = moments[0].altitude_ft if not moments[0].on_ground else airport.elevation_ft
        for moment in moments[1:]:
            if moment.altitude_ft is not None and first_ft is not None and moment.altitude_ft - first_ft > CLIMB_FT:
                self.left = airport
                return

    def follow(self, moment: Moment, legs: Iterable[Leg]) -> None:
        """Take the next look at it; ``legs`` are those that may be shown."""
        if moment.lat is None or moment.lon is None:
            return
        before, self.airport = self.airport, low_at(moment)
        if not moment.on_ground and _is(moment.rate_fpm, above=CLIMBING_FPM):
            self.left = self.airport or before or self.left
        self.progress = tuple(_followed(self.progress_of(leg), leg, moment) for leg in legs)


def _followed(progress: Progress | None, leg: Leg, moment: Moment) -> Progress:
    """The progress on a leg with the next look at its aircraft."""
    assert moment.lat is not None
    assert moment.lon is not None
    origin, destination = airport_of(leg[0]), airport_of(leg[1])
    distance_nm = point_distance_nm(moment.lat, moment.lon, destination.lat, destination.lon)
    from_origin_nm = point_distance_nm(moment.lat, moment.lon, origin.lat, origin.lon)
    if progress is None:
        progress = Progress(leg, distance_nm, moment.at, moment.at, distance_nm)
    elif moment.at - progress.looked_at >= LEAST_LOOK_S:
        is_beside = (
            moment.track_deg is not None
            and min(distance_nm, from_origin_nm) > AWAY_BEYOND_NM
            and not _is_ahead(leg, moment, TOWARD_DEG)
        )
        if moment.at - progress.toward_at >= AWAY_S:
            # It does not come from the origin because it lands there, nor do turns of an approach count.
            is_toward = distance_nm < progress.farthest_nm - AGAIN_NM and not is_beside
        else:
            has_neared = distance_nm - progress.distance_nm <= AWAY_NM and not is_beside
            is_toward = moment.on_ground or has_neared or from_origin_nm <= AWAY_BEYOND_NM
        progress.farthest_nm = max(progress.farthest_nm, distance_nm)
        if is_toward:
            progress.toward_at, progress.farthest_nm = moment.at, distance_nm
        progress.distance_nm, progress.looked_at = distance_nm, moment.at
    if moment.altitude_ft is not None and not moment.on_ground:
        if _is(moment.rate_fpm, above=RISING_FPM):
            is_foreign = _is_low_level(moment.altitude_ft, origin, from_origin_nm)
            if is_foreign or moment.altitude_ft < LOW_LEVEL_FT:
                progress.refused = FROM_OTHER if is_foreign else None
        elif _is(moment.rate_fpm, below=FALLING_FPM) and _is_low_level(moment.altitude_ft, destination, distance_nm):
            progress.refused = AT_OTHER
    return progress


def _is_low_level(altitude_ft: float, airport: Airport, distance_nm: float) -> bool:
    """Whether an aircraft is too low, so far from an airport, to climb from it or to descend to it."""
    height_ft = altitude_ft - (airport.elevation_ft or 0)
    return altitude_ft < LOW_LEVEL_FT and distance_nm > LOW_LEVEL_NM + LOW_LEVEL_NM_FT * height_ft


def low_at(moment: Moment) -> Airport | None:
    """The large or medium airport on which an aircraft stands, or over which it flies low."""
    if moment.lat is None or moment.lon is None:
        return None
    if not moment.on_ground and (moment.altitude_ft is None or moment.altitude_ft > LOW_FT + _HIGHEST_FT):
        return None
    airport = _nearest(moment.lat, moment.lon)
    if airport is None or moment.on_ground:
        return airport
    assert moment.altitude_ft is not None
    return airport if moment.altitude_ft - (airport.elevation_ft or 0) < LOW_FT else None


# No airport of these kinds lies higher (ft).
_HIGHEST_FT = 15_000.0
# Cells to a degree.
_CELLS = 4
# Cells around the Earth.
_AROUND = 360 * _CELLS


def _nearest(lat: float, lon: float) -> Airport | None:
    """The nearest airport of these kinds within NEAR_NM: a look at one cell, a hundredth of the directory's search."""
    cells, numbers = _airports_by_cell()
    cell = math.floor(lat * _CELLS) * _AROUND + math.floor(lon * _CELLS) % _AROUND
    airports, best, nearest_nm = directory(), None, NEAR_NM
    for number in numbers[np.searchsorted(cells, cell) : np.searchsorted(cells, cell, "right")].tolist():
        distance_nm = point_distance_nm(lat, lon, float(airports.lat[number]), float(airports.lon[number]))
        if distance_nm <= nearest_nm:
            best, nearest_nm = number, distance_nm
    return _airport(best) if best is not None else None


@functools.lru_cache(maxsize=2_048)
def _airport(number: int) -> Airport:
    return directory().airport(number)


@functools.cache
def _airports_by_cell() -> tuple[Column, Column]:
    """The numbers of the airports of these kinds by each cell that they are near to: cells i4[n] in order, numbers."""
    airports, pairs = directory(), []
    for number in np.flatnonzero(np.isin(airports.kind, [KINDS.index(kind) for kind in OTHER_KINDS])).tolist():
        lat, lon, north = float(airports.lat[number]), float(airports.lon[number]), NEAR_NM / 60.0
        nearest_pole = abs(lat) + north
        east = north / math.cos(math.radians(nearest_pole)) if nearest_pole < 89.0 else 180.0
        columns = range(math.floor((lon - east) * _CELLS), math.floor((lon + east) * _CELLS) + 1)
        for row in range(math.floor((lat - north) * _CELLS), math.floor((lat + north) * _CELLS) + 1):
            pairs += [(row * _AROUND + column, number) for column in {column % _AROUND for column in columns}]
    cells, numbers = np.array(sorted(pairs), "i4").T.copy()
    return cells, numbers


def contradiction(leg: Leg, moment: Moment, flown: Flown) -> str | None:
    """Why an aircraft does not fly a leg, None where nothing contradicts it; ``flown`` has followed ``moment``."""
    if moment.lat is None or moment.lon is None:
        return None
    origin, destination = airport_of(leg[0]), airport_of(leg[1])
    from_origin_nm = point_distance_nm(moment.lat, moment.lon, origin.lat, origin.lon)
    to_destination_nm = point_distance_nm(moment.lat, moment.lon, destination.lat, destination.lon)
    length_nm = point_distance_nm(origin.lat, origin.lon, destination.lat, destination.lon)
    if from_origin_nm + to_destination_nm > DETOUR * length_nm + DETOUR_NM:
        return OFF_WAY
    progress = flown.progress_of(leg)
    if progress is not None and moment.at - progress.toward_at >= AWAY_S:
        return FLYING_AWAY
    if progress is not None and progress.refused is not None:
        return progress.refused
    ends = (origin, destination)
    here = flown.airport
    is_down = moment.on_ground or _is(moment.rate_fpm, below=DESCENDING_FPM)
    if here is not None and is_down and min(from_origin_nm, to_destination_nm) > OTHER_BEYOND_NM:
        return AT_OTHER
    if flown.left is not None and _is_other(flown.left, ends):
        return FROM_OTHER
    return None


def is_on_way(legs: Sequence[Leg], lat: float, lon: float) -> list[bool]:
    """Of each leg, whether a place lies on its way."""
    nowhere, moment = Flown(), Moment(0.0, lat, lon)
    return [contradiction(leg, moment, nowhere) is None for leg in legs]


def fitting(legs: Sequence[Leg], moment: Moment, flown: Flown) -> Leg | None:
    """The leg that an aircraft flies, of those that nothing contradicts; None where there is none.

    Of several the one that begins where it was seen to take off; else one whose destination lies ahead, and of these
    the one with the least detour.
    """
    if len(legs) < 2:
        return legs[0] if legs else None
    if moment.lat is None or moment.lon is None:
        return None
    if flown.left is not None:
        begun = [leg for leg in legs if airport_of(leg[0]).ident == flown.left.ident]
        legs = begun or legs
    if moment.track_deg is not None:
        legs = [leg for leg in legs if _is_ahead(leg, moment, AHEAD_DEG)] or legs
    return min(legs, key=lambda leg: _detour_nm(leg, moment))


def _is_ahead(leg: Leg, moment: Moment, within_deg: float) -> bool:
    """Whether the destination lies ahead, within an angle to the track."""
    destination = airport_of(leg[1])
    assert moment.track_deg is not None
    bearing = float(bearing_deg(moment.lat, moment.lon, destination.lat, destination.lon))
    return abs((bearing - moment.track_deg + 180.0) % 360.0 - 180.0) <= within_deg


def _detour_nm(leg: Leg, moment: Moment) -> float:
    origin, destination = airport_of(leg[0]), airport_of(leg[1])
    assert moment.lat is not None
    assert moment.lon is not None
    return (
        point_distance_nm(moment.lat, moment.lon, origin.lat, origin.lon)
        + point_distance_nm(moment.lat, moment.lon, destination.lat, destination.lon)
        - point_distance_nm(origin.lat, origin.lon, destination.lat, destination.lon)
    )


def _is_other(airport: Airport, ends: Iterable[Airport]) -> bool:
    return all(point_distance_nm(airport.lat, airport.lon, end.lat, end.lon) > OTHER_BEYOND_NM for end in ends)


def _is(rate_fpm: float | None, *, above: float = -math.inf, below: float = math.inf) -> bool:
    return rate_fpm is not None and above < rate_fpm < below
