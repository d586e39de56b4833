"""Several moving aircraft that report one and the same point although they were far apart before: spoofed positions.

The point is that of believed positions or of claims that the picture still refuses. One gathering is one event, which
names all aircraft in it and keeps its identity while one of them stays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from skywatch.core import geo
from skywatch.picture.state.sky import RefusedPosition
from skywatch.safety.detection.finding import Finding, Position, Quantity
from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import Sentence, sentence

# Aircraft that gather were at least this far apart (nm) within this time before (s).
SPREAD_NM, MEMORY_S = 3.0, 120.0
# Of more than so many in one point, each is compared with so many of them, and with the outermost ones.
COMPARED = 64
# A gathering of more aircraft than this names only those that are still received.
NAMED = 1_000
# Slower aircraft (kt) may really be in one place.
SLOWEST_KT = 60.0
POSITION_AGE_S = 10.0
# Aircraft whose paths cross share a point for a moment; a gathering lasts at least this long (s).
HOLD_S = 4.0
# A gathering ends this long after it was last detected (s).
LINGER_S = 20.0
PREFIX = "gather:"
POINT, CIRCLE = "point", "circle"
# More cells than there are from pole to pole.
CELL_FACTOR = 1_000_003
# Buckets of cells by the upper bits of a product (Knuth, The Art of Computer Programming 3, 6.4): 2^64 over the golden
# ratio.
HASH_FACTOR, BUCKET_BITS = np.uint64(0x9E3779B97F4A7C15), 16

Point = tuple[float, float]


@dataclass
class Gathering:
    """One gathering: its aircraft and its point, as last detected."""

    key: str
    number: int
    hexes: set[str]
    lat: float
    lon: float
    last_at: float
    shape: str = POINT
    # Of before a restart; its aircraft may be received only later.
    is_restored: bool = False


class GatheringDetector:
    """Aircraft that gather in one point."""

    def __init__(self) -> None:
        nan = float("nan")
        self._carried = Carried(lat=nan, lon=nan, since=nan, position_at=-np.inf)
        self._gatherings: list[Gathering] = []
        self._next = 0
        # The gatherings of each aircraft.
        self._of_aircraft: dict[str, list[Gathering]] = {}
        # Since when each aircraft in a point has been in one.
        self._since: dict[str, float] = {}

    def restore(self, findings: Iterable[Finding], now: float) -> None:
        """Restore the gatherings among the events of before a restart."""
        for finding in findings:
            if finding.key.startswith(PREFIX) and finding.position is not None:
                position = finding.position
                shape = str(finding.numbers.get("shape", Quantity(POINT)).value)
                place = position.lat, position.lon
                self._add(Gathering(finding.key, self._next, set(finding.hexes), *place, now, shape, is_restored=True))

    def update(
        self, frame: Frame, thresholds: Thresholds, circles: Iterable[tuple[list[int], Point]] = ()
    ) -> list[Finding]:
        """The gatherings of now; ``circles`` are groups of rows that have leapt onto a circle, with its centre."""
        self._carried.carry(frame)
        for rows, centre in circles:
            self._note(frame, rows, centre, CIRCLE)
        groups: list[tuple[list[int], Point | None]] = [(rows, None) for rows in self._groups(frame, thresholds)]
        groups += _claimed(frame, thresholds)
        groups = [(rows, point) for rows, point in groups if self._was_apart(frame, rows)]
        since: dict[str, float] = {}
        for rows, point in groups:
            members = [frame.hexes[row] for row in rows]
            # A group stays the same when an aircraft joins it.
            began_at = min(self._since.get(address, frame.now) for address in members)
            since |= {address: min(began_at, since.get(address, began_at)) for address in members}
            if frame.now - began_at >= HOLD_S:
                self._note(frame, rows, point)
        self._since = since
        self._remember(frame, {row for rows, _ in groups for row in rows})
        self._end(frame)
        return [self._finding(frame, gathering) for gathering in self._gatherings]

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        return bool(self._since or self._gatherings)

    @property
    def members(self) -> frozenset[str]:
        """The aircraft of all gatherings."""
        return frozenset(address for gathering in self._gatherings for address in gathering.hexes)

    def _groups(self, frame: Frame, thresholds: Thresholds) -> list[list[int]]:
        """Rows of moving aircraft in one point; two grids, so that no edge of a cell divides a group."""
        lat, lon = frame.column("lat"), frame.column("lon")
        moving = frame.adsb & frame.has_position & (frame.gs_or_zero >= SLOWEST_KT)
        moving &= ~frame.column("on_ground") & (frame.now - frame.column("position_at") <= POSITION_AGE_S)
        rows = np.flatnonzero(moving)
        if len(rows) < thresholds.gather_aircraft:
            return []
        size = 2 * thresholds.gather_nm / 60
        y, x = lat[rows] / size, lon[rows] * np.cos(np.radians(lat[rows])) / size
        groups: dict[tuple[int, ...], list[int]] = {}
        for offset in (0.0, 0.5):
            cell = np.floor(y + offset).astype("i8") * CELL_FACTOR + np.floor(x + offset).astype("i8")
            # Only aircraft in crowded buckets need to be sorted.
            bucket = ((cell.view("u8") * HASH_FACTOR) >> np.uint64(64 - BUCKET_BITS)).astype("i4")
            crowded = np.flatnonzero(np.bincount(bucket)[bucket] >= thresholds.gather_aircraft)
            if not len(crowded):
                continue
            order = np.argsort(cell[crowded], kind="stable")
            _, begins, counts = np.unique(cell[crowded][order], return_index=True, return_counts=True)
            for full in np.flatnonzero(counts >= thresholds.gather_aircraft).tolist():
                group = rows[crowded[order[begins[full] :][: counts[full]]]].tolist()
                groups[tuple(group)] = group
        return list(groups.values())

    def _add(self, gathering: Gathering) -> None:
        self._gatherings.append(gathering)
        self._next += 1
        for address in gathering.hexes:
            self._of_aircraft.setdefault(address, []).append(gathering)

    def _end(self, frame: Frame) -> None:
        """End gatherings that were not detected lately; large ones forget who has gone."""
        self._gatherings = [g for g in self._gatherings if frame.now - g.last_at <= LINGER_S or _is_awaited(g, frame)]
        self._of_aircraft = {}
        for gathering in self._gatherings:
            if len(gathering.hexes) > NAMED and not _is_awaited(gathering, frame):
                gathering.hexes = gathering.hexes.intersection(frame.hexes) or gathering.hexes
            for address in gathering.hexes:
                self._of_aircraft.setdefault(address, []).append(gathering)

    def _was_apart(self, frame: Frame, rows: list[int]) -> bool:
        """Whether they were far apart before, or are a gathering already.

        This excludes formations and busy thermals.
        """
        hexes = {frame.hexes[row] for row in rows}
        if any(gathering.hexes >= hexes for gathering in self._of_aircraft.get(frame.hexes[rows[0]], ())):
            return True
        lat, lon = self._carried["lat"][rows], self._carried["lon"][rows]
        is_known = ~np.isnan(lat)
        if is_known.sum() < 2:
            return False
        lat, lon = lat[is_known], lon[is_known]
        others = _compared(lat, lon)
        spread = geo.distance_nm(lat[:, None], lon[:, None], lat[others][None, :], lon[others][None, :])
        apart = (spread > SPREAD_NM).any(axis=1)
        return bool(np.count_nonzero(apart) >= max(2, len(rows) - 1))

    def _note(self, frame: Frame, rows: list[int], point: Point | None, shape: str = POINT) -> None:
        hexes = {frame.hexes[row] for row in rows}
        lat, lon = point or (float(frame.column("lat")[rows[0]]), float(frame.column("lon")[rows[0]]))
        present = [of[0] for address in hexes if (of := self._of_aircraft.get(address))]
        if not present:
            self._add(Gathering(f"{PREFIX}{min(hexes)}:{frame.now:.0f}", self._next, hexes, lat, lon, frame.now, shape))
            return
        gathering = min(present, key=lambda gathering: gathering.number)
        for address in hexes - gathering.hexes:
            of = self._of_aircraft.setdefault(address, [])
            of.append(gathering)
            of.sort(key=lambda gathering: gathering.number)
        gathering.hexes |= hexes
        gathering.lat, gathering.lon, gathering.last_at, gathering.shape = lat, lon, frame.now, shape

    def _remember(self, frame: Frame, gathered: set[int]) -> None:
        state, lat, position_at = self._carried, frame.column("lat"), frame.column("position_at")
        # A position is remembered when it is received, so that nothing depends on the ticks of empty seconds.
        take = frame.has_position & (position_at != state["position_at"])
        state["position_at"][:] = position_at
        take &= np.isnan(state["since"]) | (frame.now - state["since"] > MEMORY_S)
        take[list(gathered)] = False
        state["lat"][take], state["lon"][take], state["since"][take] = lat[take], frame.column("lon")[take], frame.now

    def _finding(self, frame: Frame, gathering: Gathering) -> Finding:
        hexes = tuple(sorted(gathering.hexes))
        rows = [frame.sky.index[address] for address in hexes if address in frame.sky.index]
        return Finding(
            type="position_integrity",
            key=gathering.key,
            severity="critical",
            message=_message(len(hexes), gathering.shape),
            hexes=hexes,
            callsigns=tuple(frame.callsign(row) for row in rows),
            numbers={
                "cause": Quantity("gathering"),
                "shape": Quantity(gathering.shape),
                "aircraft": Quantity([address.upper() for address in hexes]),
                "count": Quantity(len(hexes), "aircraft"),
            },
            position=Position(round(gathering.lat, 5), round(gathering.lon, 5)),
            military=bool(rows) and frame.is_military(*rows),
        )


def _is_awaited(gathering: Gathering, frame: Frame) -> bool:
    return gathering.is_restored and not frame.sky.is_complete


def _compared(lat: Array, lon: Array) -> Array:
    """With which of some positions all of them are compared: few with all, many with the outermost and a sample.

    Where two of them are more than twice a distance apart, everybody is farther than it from one of these two.
    """
    everybody = np.arange(len(lat))
    if len(lat) <= COMPARED:
        return everybody
    farthest = int(np.argmax(geo.distance_nm(lat[0], lon[0], lat, lon)))
    opposite = int(np.argmax(geo.distance_nm(lat[farthest], lon[farthest], lat, lon)))
    return np.append(everybody[:: -(-len(lat) // COMPARED)], (farthest, opposite))


def _claimed(frame: Frame, thresholds: Thresholds) -> list[tuple[list[int], Point]]:
    """Groups of aircraft whose refused claims share one point, with the point."""
    latest: dict[str, RefusedPosition] = {claim.hex: claim for claim in frame.sky.refused if not claim.in_doubt}
    claims = [claim for address, claim in latest.items() if _is_moving(frame, frame.sky.index.get(address))]
    if len(claims) < thresholds.gather_aircraft:
        return []
    lat, lon = np.array([claim.lat for claim in claims]), np.array([claim.lon for claim in claims])
    around = _neighbourhoods(lat, lon, thresholds.gather_nm)
    groups: list[tuple[list[int], Point]] = []
    taken: set[int] = set()
    for number in range(len(claims)):
        if number in taken:
            continue
        others = around(number)
        if len(others) < thresholds.gather_aircraft:
            continue
        near: Array = geo.distance_nm(lat[number], lon[number], lat[others], lon[others]) <= thresholds.gather_nm
        members = others[near].tolist()
        if len(members) >= thresholds.gather_aircraft:
            taken |= set(members)
            rows = [frame.sky.index[claims[member].hex] for member in members]
            groups.append((rows, (float(lat[number]), float(lon[number]))))
    return groups


def _neighbourhoods(lat: Array, lon: Array, distance_nm: float) -> Callable[[int], Array]:
    """Who may be within a distance of a position, by cubes of that size: these know neither poles nor a date line."""
    phi, theta = np.radians(lat), np.radians(lon)
    axes = np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)
    size = distance_nm * 1.01 / geo.EARTH_RADIUS_NM
    cube_of = [tuple(cube) for cube in np.floor(np.stack(axes, 1) / size).astype(int).tolist()]
    members: dict[tuple[int, ...], list[int]] = {}
    for number, cube in enumerate(cube_of):
        members.setdefault(cube, []).append(number)

    def around(number: int) -> Array:
        x, y, z = cube_of[number]
        cubes = itertools.product((x - 1, x, x + 1), (y - 1, y, y + 1), (z - 1, z, z + 1))
        return np.array(sorted(itertools.chain.from_iterable(members.get(cube, ()) for cube in cubes)), np.intp)

    return around


def _is_moving(frame: Frame, row: int | None) -> bool:
    return row is not None and bool(frame.adsb[row]) and float(frame.column("gs_kt")[row]) >= SLOWEST_KT


def _message(count: int, shape: str) -> Sentence:
    if shape == CIRCLE:
        return sentence("safety.same_circle", "{count} aircraft report one and the same circle", count=count)
    return sentence("safety.same_point", "{count} aircraft report one and the same point", count=count)
