"""``Frame``: one tick of the picture for the detectors, and arrays that follow aircraft from tick to tick."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.airframes.helicopters import HELICOPTER_TYPES
from skywatch.picture.state.doubt import (
    ADVISORY,
    ALONE,
    ALTITUDE,
    GEOMETRIC_ALTITUDE,
    INTEGRITY,
    ONLY_STRANGERS,
    POSITION,
    VELOCITY,
    VERTICAL_RATE,
    doubt_of,
)
from skywatch.picture.state.sky import Sky
from skywatch.receivers.reports.report import SOURCE_INDEX
from skywatch.safety.detection.finding import Position
from skywatch.safety.thresholds.thresholds import Thresholds

Array = npt.NDArray[Any]

# Sources with non-ICAO addresses or with computed or relayed positions.
_RELAYED = np.zeros(256, "?")
_RELAYED[[index for name, index in SOURCE_INDEX.items() if name.startswith(("tisb", "adsr", "mlat"))]] = True
_MLAT, _TISB = np.zeros(256, "?"), np.zeros(256, "?")
_MLAT[SOURCE_INDEX["mlat"]] = True
_TISB[[index for name, index in SOURCE_INDEX.items() if name.startswith("tisb")]] = True
# Which values of the column ``source`` are ADS-B; which emitter categories, read as a number, are airliners.
_ADSB = np.zeros(256, "?")
_ADSB[[index for name, index in SOURCE_INDEX.items() if name.startswith("adsb")]] = True
_AIRLINER = np.zeros(1 << 16, "?")
_AIRLINER[np.array([b"A3", b"A4", b"A5"], "S2").view("u2")] = True
_FLIES_SLOWLY = np.zeros(1 << 16, "?")
_FLIES_SLOWLY[np.array([b"A7", b"B1", b"B2", b"B3", b"B4", b"B6"], "S2").view("u2")] = True
_SURFACE = np.zeros(1 << 16, "?")
_SURFACE[np.array([b"C1", b"C2", b"C3", b"C4", b"C5"], "S2").view("u2")] = True
# Fixed-wing aircraft slower than this (kt) are on the ground, whatever they report: many have no squat switch.
FLYING_KT = 35.0
_GLIDER = np.zeros(1 << 16, "?")
_GLIDER[np.array([b"B1", b"B2", b"B3", b"B4"], "S2").view("u2")] = True
# ICAO Doc 8643 designators of aircraft that climb and turn as fighters do, and of the aerobatic teams' trainers.
FAST_TYPES = np.array((
    b"A10", b"A4", b"AJET", b"AMX", b"EUFI", b"F1", b"F104", b"F14", b"F15", b"F16", b"F18", b"F18S", b"F22", b"F35",
    b"F4", b"F5", b"GRIP", b"H2T", b"HAWK", b"J10", b"J20", b"L39", b"L159", b"M339", b"M346", b"MG29", b"MG31",
    b"MIR2", b"MIRA", b"RFAL", b"SB39", b"SU24", b"SU25", b"SU27", b"SU30", b"SU35", b"SU57", b"T38", b"T45", b"TOR",
    b"U2",
), "S4")  # fmt: skip
_HELICOPTER_TYPES = np.array(sorted(HELICOPTER_TYPES), "S4")

FAST_TYPES.sort()


def _is_among(types: Array, ordered: Array) -> Array:
    """Which types are in a short, ordered list; for a dozen of them 30 times as fast as ``np.isin``."""
    result: Array = ordered.take(np.searchsorted(ordered, types), mode="clip") == types
    return result


# Columns by the bit of their doubt, and what stands for a value that is not sure.
_NAN = float("nan")
_UNSURE: dict[int, dict[str, float | bool]] = {
    POSITION: {"lat": _NAN, "lon": _NAN, "position_at": _NAN, "nic": -1},
    ALTITUDE: {"alt_baro_ft": _NAN, "altitude_at": _NAN},
    GEOMETRIC_ALTITUDE: {"alt_geom_ft": _NAN, "alt_geom_at": _NAN},
    VELOCITY: {"gs_kt": _NAN, "track_deg": _NAN, "velocity_at": _NAN},
    VERTICAL_RATE: {"baro_rate_fpm": _NAN, "geom_rate_fpm": _NAN},
    INTEGRITY: {"nac_p": -1, "sil": -1},
    ADVISORY: {"acas_ra": False},
}


class Frame:
    """Columns of one tick. Angles in degrees, altitudes in feet, speeds in knots; NaN where unknown.

    What is in doubt (``doubt`` u2[n], None: nothing is) is unknown, so that whoever invents it neither raises nor hides
    anything, nor teaches anything; ``in_doubt`` says so of emergencies, which are told as information.
    """

    def __init__(self, sky: Sky) -> None:
        self.sky = sky
        self.now = sky.now
        self.hexes: Sequence[str] = sky.hexes
        self.previous_row: Array = sky.column("previous_row")
        self.doubt = doubt_of(sky)
        self._sure = _sure_columns(sky, self.doubt)

    def __len__(self) -> int:
        return len(self.hexes)

    def column(self, name: str) -> Array:
        """A column of the sky, without what is in doubt."""
        column = self._sure.get(name)
        return self.sky.column(name) if column is None else column

    def in_doubt(self, row: int, bit: int) -> bool:
        """Whether a value of a row is in doubt."""
        return self.doubt is not None and bool(self.doubt[row] & bit)

    @property
    def strangers(self) -> Array | None:
        """Which rows only strangers hear; None where ours hear all of them."""
        return None if self.doubt is None else self.doubt & (ONLY_STRANGERS | ALONE) != 0

    @cached_property
    def rate_fpm(self) -> Array:
        """Vertical rate: barometric, else geometric."""
        baro = self.column("baro_rate_fpm")
        return np.where(np.isnan(baro), self.column("geom_rate_fpm"), baro).astype("f8")

    @cached_property
    def adsb(self) -> Array:
        """Whether the aircraft sends ADS-B itself."""
        return _ADSB[self.column("source")] & ~self.column("mlat") & ~self.column("tisb")

    @cached_property
    def airborne(self) -> Array:
        """Aircraft that fly, by their reports and their speed; vehicles and obstacles (C1 to C5) do not."""
        category = np.ascontiguousarray(self.column("category"), "S2").view("u2")
        fast = ~(self.column("gs_kt") < FLYING_KT) | _FLIES_SLOWLY[category]
        result: Array = fast & ~_SURFACE[category] & ~self.column("on_ground")
        return result

    @cached_property
    def airliner(self) -> Array:
        """Large and heavy aircraft (emitter categories A3 to A5)."""
        result: Array = _AIRLINER[np.ascontiguousarray(self.column("category"), "S2").view("u2")]
        return result

    def relayed(self, rows: Array) -> Array:
        """Which rows have a position that is not their own broadcast: TIS-B, ADS-R, MLAT, an address not of ICAO's."""
        relayed = self.column("mlat")[rows] | self.column("tisb")[rows] | _RELAYED[self.column("source")[rows]]
        foreign = np.fromiter((self.hexes[row][0] == "~" for row in rows.tolist()), "?", len(rows))
        result: Array = relayed | foreign
        return result

    def doubtful(self, rows: Array, thresholds: Thresholds) -> Array:
        """Which rows have a position that is too poor to judge: by multilateration, or TIS-B that is not known to be
        accurate."""
        tisb = self.column("tisb")[rows] | _TISB[self.column("source")[rows]]
        poor = (self.column("nic")[rows] < thresholds.proximity_nic) | (
            self.column("nac_p")[rows] < thresholds.proximity_relayed_nac_p
        )
        result: Array = self.column("mlat")[rows] | _MLAT[self.column("source")[rows]] | (tisb & poor)
        return result

    def gliders(self, rows: Array) -> Array:
        """Which rows are gliders, balloons, parachutists, ultralights (emitter categories B1 to B4, or type GLID)."""
        category = np.ascontiguousarray(self.column("category")[rows], "S2").view("u2")
        result: Array = _GLIDER[category] | (self.column("type")[rows] == b"GLID")
        return result

    def drones(self, rows: Array) -> Array:
        """Which rows are unmanned aircraft (emitter category B6)."""
        result: Array = self.column("category")[rows] == b"B6"
        return result

    def helicopters(self, rows: Array) -> Array:
        """Which rows are rotorcraft, by emitter category A7 or by type."""
        by_category = self.column("category")[rows] == b"A7"
        result: Array = by_category | _is_among(self.column("type")[rows], _HELICOPTER_TYPES)
        return result

    def fast_military(self, rows: Array) -> Array:
        """Which rows climb as fighters do: by type, or military and of the high-performance category A6."""
        by_category = self.column("military")[rows] & (self.column("category")[rows] == b"A6")
        result: Array = by_category | _is_among(self.column("type")[rows], FAST_TYPES)
        return result

    def callsign(self, row: int) -> str:
        """The callsign of a row, empty where there is none."""
        return bytes(self.column("flight")[row]).decode("ascii", "replace").strip()

    def name(self, row: int) -> str:
        """The name of a row in messages: its callsign, else its address."""
        return self.callsign(row) or self.hexes[row].upper()

    def position(self, row: int) -> Position | None:
        """The position of a row as it is shown, sure or not."""
        lat, lon = float(self.sky.column("lat")[row]), float(self.sky.column("lon")[row])
        if lat != lat:
            return None
        altitude = float(self.sky.column("alt_baro_ft")[row])
        return Position(round(lat, 5), round(lon, 5), None if altitude != altitude else round(altitude))

    def is_military(self, *rows: int) -> bool:
        """Whether one of these rows is a military aircraft."""
        return bool(self.column("military")[list(rows)].any())

    @cached_property
    def gs_or_zero(self) -> Array:
        """Ground speed (kt), 0 where unknown."""
        gs = self.column("gs_kt")
        return np.where(np.isnan(gs), 0.0, gs)

    @cached_property
    def has_position(self) -> Array:
        """Whether the position is known."""
        result: Array = ~np.isnan(self.column("lat"))
        return result

    @cached_property
    def moves(self) -> RowMoves:
        """Where the rows of this frame were in the one before."""
        return RowMoves(self.previous_row)


def _sure_columns(sky: Sky, doubt: Array | None) -> dict[str, Array]:
    """The columns in which something is in doubt, without it."""
    columns: dict[str, Array] = {}
    if doubt is None or not doubt.any():
        return columns
    for bit, unknown in _UNSURE.items():
        rows = np.flatnonzero(doubt & bit)
        for name, value in unknown.items() if len(rows) else ():
            columns[name] = sky.column(name).copy()
            columns[name][rows] = value
    return columns


class RowMoves:
    """The rows of a frame that are new, and whether all others are where they were in the frame before."""

    def __init__(self, previous_row: Array) -> None:
        is_new = previous_row < 0
        self.new: Array = is_new.nonzero()[0]
        self.are_in_place = bool((is_new | (previous_row == np.arange(len(previous_row)))).all())


class Carried:
    """Arrays by row that follow aircraft: ``carry`` once a tick reorders them for the new frame.

    Where every aircraft has kept its row the arrays stay the same ones: a copy must be taken of what is to last.
    """

    def __init__(self, **fills: float | bool) -> None:
        self._fills = fills
        self._arrays: dict[str, Array] = {name: np.full(0, fill) for name, fill in fills.items()}

    def carry(self, frame: Frame) -> None:
        """Move to the rows of ``frame``; new aircraft have the fill value."""
        moves, size, arrays = frame.moves, len(next(iter(self._arrays.values()))), self._arrays
        if moves.are_in_place and size == len(frame):
            if len(moves.new):
                for name, fill in self._fills.items():
                    arrays[name][moves.new] = fill
            return
        # Nothing is kept of rows from before the first frame that was carried.
        new = ((frame.previous_row < 0) | (frame.previous_row >= size)).nonzero()[0]
        for name, fill in self._fills.items():
            if not size:
                arrays[name] = np.full(len(frame), fill)
                continue
            arrays[name] = arrays[name].take(frame.previous_row, mode="clip")
            arrays[name][new] = fill

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]
