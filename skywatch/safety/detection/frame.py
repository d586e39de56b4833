"""``Frame``: one tick of the picture as the detectors need it, and arrays that follow aircraft from tick to tick."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.picture.sky import SOURCE_INDEX, Sky
from skywatch.safety.detection.finding import Place

Array = npt.NDArray[Any]

# Addresses that are no aircraft's own, or positions that others computed or relayed.
_RELAYED = tuple(index for name, index in SOURCE_INDEX.items() if name.startswith(("tisb", "adsr", "mlat")))
_ADSB = tuple(index for name, index in SOURCE_INDEX.items() if name.startswith("adsb"))
# ICAO Doc 8643 designators of aircraft that climb and turn as fighters do, and of the aerobatic teams' trainers.
FAST_TYPES = (
    b"A10", b"A4", b"AJET", b"AMX", b"EUFI", b"F1", b"F104", b"F14", b"F15", b"F16", b"F18", b"F18S", b"F22", b"F35",
    b"F4", b"F5", b"GRIP", b"H2T", b"HAWK", b"J10", b"J20", b"L39", b"L159", b"M339", b"M346", b"MG29", b"MG31",
    b"MIR2", b"MIRA", b"RFAL", b"SB39", b"SU24", b"SU25", b"SU27", b"SU30", b"SU35", b"SU57", b"T38", b"T45", b"TOR",
    b"U2",
)  # fmt: skip
_HELICOPTER_TYPES = (
    b"A109", b"A119", b"A139", b"A149", b"A169", b"A189", b"ALO2", b"ALO3", b"AS32", b"AS50", b"AS55", b"AS65", b"B06",
    b"B06T", b"B105", b"B212", b"B214", b"B222", b"B230", b"B407", b"B412", b"B427", b"B429", b"B430", b"B47G",
    b"B505", b"BK17", b"EC20", b"EC25", b"EC30", b"EC35", b"EC45", b"EC55", b"EC75", b"EH10", b"EXPL", b"G2CA",
    b"GAZL", b"H160",
    b"H269", b"H47", b"H500", b"H53", b"H60", b"H64", b"LYNX", b"MD52", b"MD60", b"NH90", b"PUMA", b"R22", b"R44",
    b"R66", b"S61", b"S64", b"S70", b"S76", b"S92", b"TIGR", b"UH1", b"V22",
)  # fmt: skip


class Frame:
    """Columns of one tick. Angles in degrees, altitudes in feet, speeds in knots; NaN where unknown."""

    def __init__(self, sky: Sky) -> None:
        self.sky = sky
        self.now = sky.now
        self.hexes: Sequence[str] = sky.hexes
        self.previous_row: Array = sky.column("previous_row")

    def __len__(self) -> int:
        return len(self.hexes)

    def column(self, name: str) -> Array:
        """A column of the sky."""
        return self.sky.column(name)

    @cached_property
    def rate_fpm(self) -> Array:
        """Vertical rate: barometric, else geometric."""
        baro = self.column("baro_rate_fpm")
        return np.where(np.isnan(baro), self.column("geom_rate_fpm"), baro).astype("f8")

    @cached_property
    def relayed(self) -> Array:
        """Positions that are not the aircraft's own broadcast: TIS-B, MLAT, and addresses that are not ICAO's."""
        foreign = np.array([address[0] == "~" for address in self.hexes], "?") if self.hexes else np.empty(0, "?")
        return self.column("mlat") | self.column("tisb") | np.isin(self.column("source"), _RELAYED) | foreign

    @cached_property
    def adsb(self) -> Array:
        """Whether the aircraft sends ADS-B itself."""
        return np.isin(self.column("source"), _ADSB) & ~self.column("mlat") & ~self.column("tisb")

    @cached_property
    def glider(self) -> Array:
        """Gliders, balloons, parachutists, ultralights (emitter categories B1 to B4) and the type designator GLID."""
        return np.isin(self.column("category"), (b"B1", b"B2", b"B3", b"B4")) | (self.column("type") == b"GLID")

    @cached_property
    def helicopter(self) -> Array:
        """Rotorcraft, by emitter category A7 or by type."""
        return (self.column("category") == b"A7") | np.isin(self.column("type"), _HELICOPTER_TYPES)

    @cached_property
    def fast_military(self) -> Array:
        """Aircraft that climb as fighters do: by type, or military and of the high-performance category A6."""
        by_category = self.column("military") & (self.column("category") == b"A6")
        return np.isin(self.column("type"), FAST_TYPES) | by_category

    @cached_property
    def airliner(self) -> Array:
        """Large and heavy aircraft (emitter categories A3 to A5)."""
        return np.isin(self.column("category"), (b"A3", b"A4", b"A5"))

    def callsign(self, row: int) -> str:
        """The callsign of a row, empty where there is none."""
        return bytes(self.column("flight")[row]).decode("ascii", "replace").strip()

    def name(self, row: int) -> str:
        """What a row is called in a message: its callsign, else its address."""
        return self.callsign(row) or self.hexes[row].upper()

    def place(self, row: int) -> Place | None:
        """Where a row is."""
        lat, lon = float(self.column("lat")[row]), float(self.column("lon")[row])
        if lat != lat:
            return None
        altitude = float(self.column("alt_baro_ft")[row])
        return Place(round(lat, 5), round(lon, 5), None if altitude != altitude else round(altitude))

    def is_military(self, *rows: int) -> bool:
        """Whether one of these rows is a military aircraft."""
        return bool(self.column("military")[list(rows)].any())


class Carried:
    """Arrays that follow aircraft: ``carry`` once a tick brings every one into the rows of the new frame."""

    def __init__(self, **fills: float | bool) -> None:
        self._fills = fills
        self._arrays: dict[str, Array] = {name: np.full(0, fill) for name, fill in fills.items()}

    def carry(self, frame: Frame) -> None:
        """Move to the rows of ``frame``; aircraft that are new have the fill."""
        before = frame.previous_row
        known = np.flatnonzero((before >= 0) & (before < len(next(iter(self._arrays.values())))))
        for name, fill in self._fills.items():
            moved = np.full(len(frame), fill)
            moved[known] = self._arrays[name][before[known]]
            self._arrays[name] = moved

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]
