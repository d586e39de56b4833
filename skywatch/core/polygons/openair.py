"""The OpenAir format of airspace files for gliding and paragliding: each airspace becomes a geofence.

The records AC, AN, AL, AH, DP, DC, DA, DB and V (X, D) are read; those that only concern drawing are ignored. Arcs
and circles become points 3 degrees apart. A record that is not understood is named: one of the shape leaves its
airspace without one, a limit counts as none. See http://www.winpilot.com/usersguide/userairspace.asp.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from skywatch.core.geo import bearing_deg, destination, distance_nm
from skywatch.core.polygons.geometry import MAX_POSITIONS
from skywatch.core.text.lines import count_lines
from skywatch.sentences import sentence

STEP_DEG = 3.0
FEET_PER_FLIGHT_LEVEL = 100.0
FEET_PER_METRE = 1 / 0.3048
# Lines of a file, and faults that are named.
MAX_LINES, FAULTS_NAMED = 200_000, 200
_AIRSPACE = re.compile(r"^[ \t]*AC(?=[ \t\r\n*]|$)", re.IGNORECASE | re.MULTILINE)
_COORDINATE = re.compile(
    r"\s*(\d{1,2}):(\d{1,2}(?:\.\d+)?)(?::(\d{1,2}(?:\.\d+)?))?\s*([NS])\s*,?\s*"
    r"(\d{1,3}):(\d{1,2}(?:\.\d+)?)(?::(\d{1,2}(?:\.\d+)?))?\s*([EW])\s*",
    re.IGNORECASE,
)
# The M of MSL is no unit.
_ALTITUDE = re.compile(r"FL\s*(\d{1,3})|(\d{1,6})\s*(FT|F|M(?!SL))?", re.IGNORECASE)
_SURFACE = ("SFC", "GND", "0", "MSL")
# Records that make the shape of an airspace.
_SHAPE = ("DP", "DC", "DA", "DB", "V")
_IGNORED = ("AT", "AF", "AG", "AY", "AX", "SP", "SB", "TO", "TC", "DY")
Point = tuple[float, float]


@dataclass
class Airspace:
    """One airspace of a file and the line where it begins."""

    line: int
    name: str = ""
    # Of the record AC, such as CTR, D or R.
    kind: str = ""
    floor_ft: float | None = None
    ceiling_ft: float | None = None
    points: list[Point] = field(default_factory=list)
    # Whether a record of its shape was not understood.
    is_broken: bool = False

    @property
    def geometry(self) -> dict[str, Any]:
        """GeoJSON, longitude first, closed."""
        ring = [[round(lon, 6), round(lat, 6)] for lat, lon in self.points]
        if ring and ring[0] != ring[-1]:
            ring.append(list(ring[0]))
        return {"type": "Polygon", "coordinates": [ring]}


class Openair(NamedTuple):
    """The airspaces of a file and its faults with their line numbers; ``is_cut``: a limit ended the reading."""

    airspaces: list[Airspace]
    faults: list[tuple[int, str]]
    is_cut: bool


class _TooManyError(Exception):
    """The file has more than is read; ``str()`` names the limit."""


class _Reader:
    def __init__(self) -> None:
        self._room = MAX_POSITIONS
        self.airspaces: list[Airspace] = []
        self.faults: list[tuple[int, str]] = []
        self._centre: Point | None = None
        self._clockwise = True

    def read(self, number: int, line: str) -> None:
        """One line."""
        text = line.partition("*")[0].strip()
        if not text:
            return
        word, _, arguments = text.partition(" ")
        word, arguments = word.upper(), arguments.strip()
        if word == "AC":
            self.airspaces.append(Airspace(number, kind=arguments[:12].upper()))
            self._centre, self._clockwise = None, True
        elif word == "V":
            self._variable(arguments)
        elif word not in _IGNORED:
            if not self.airspaces:
                raise ValueError(sentence("openair.before_first", "precedes the first AC"))
            airspace = self.airspaces[-1]
            before = len(airspace.points)
            self._record(airspace, word, arguments)
            self._room -= len(airspace.points) - before
            if self._room < 0:
                raise _TooManyError(
                    sentence(
                        "openair.positions", "the file has more than {most} positions up to here", most=MAX_POSITIONS
                    )
                )

    def note(self, number: int, line: str, fault: str) -> None:
        """Note that a line was not understood."""
        if len(self.faults) < FAULTS_NAMED:
            self.faults.append((number, fault))
        if self.airspaces and line.strip()[:2].strip().upper() in _SHAPE:
            self.airspaces[-1].is_broken = True

    def _variable(self, arguments: str) -> None:
        name, _, value = arguments.partition("=")
        if name.strip().upper() == "X":
            self._centre = None
            self._centre = _point(value)
        elif name.strip().upper() == "D":
            self._clockwise = value.strip() != "-"

    def _record(self, airspace: Airspace, word: str, arguments: str) -> None:
        match word:
            case "AN":
                airspace.name = "".join(filter(str.isprintable, arguments))[:120]
            case "AL":
                airspace.floor_ft = _altitude(arguments, floor=True)
            case "AH":
                airspace.ceiling_ft = _altitude(arguments, floor=False)
            case "DP":
                airspace.points.append(_point(arguments))
            case "DC":
                airspace.points += _arc(self._middle(), _number(arguments), 0.0, 360.0 - STEP_DEG)
            case "DA":
                radius, begin, end = (_number(part) for part in _parts(arguments, 3))
                airspace.points += self._turned(radius, begin, end)
            case "DB":
                airspace.points += self._between(arguments)
            case _:
                raise ValueError(sentence("openair.record", "{word} is not a record of OpenAir", word=word[:20]))

    def _between(self, arguments: str) -> list[Point]:
        first, second = (_point(part) for part in _parts(arguments, 2))
        middle = self._middle()
        radius = float(distance_nm(*middle, *first))
        begin, end = (float(bearing_deg(*middle, *point)) for point in (first, second))
        return [first, *self._turned(radius, begin, end)[1:-1], second]

    def _turned(self, radius: float, begin: float, end: float) -> list[Point]:
        if self._clockwise:
            return _arc(self._middle(), radius, begin, end if end >= begin else end + 360.0)
        return _arc(self._middle(), radius, begin, end if end <= begin else end - 360.0)

    def _middle(self) -> Point:
        if self._centre is None:
            raise ValueError(sentence("openair.centre", "needs a centre (V X=...) before it"))
        return self._centre


def count_airspaces(text: str) -> int:
    """The number of airspaces of a file (records AC), counted without reading any."""
    return sum(1 for _ in _AIRSPACE.finditer(text))


def parse_openair(text: str) -> Openair:
    """The airspaces of a file; those of whose shape a record was not understood are among them. Faults are named up to
    a number."""
    lines = count_lines(text)
    if lines > MAX_LINES:
        return Openair([], [(1, f"the file has {lines} lines; at most {MAX_LINES} are allowed")], True)
    reader, is_cut = _Reader(), False
    for number, line in enumerate(text.splitlines(), 1):
        try:
            reader.read(number, line)
        except ValueError as error:
            reader.note(number, line, str(error))
        except _TooManyError as error:
            reader.note(number, "DP", str(error))
            is_cut = True
            break
    if not reader.airspaces and not reader.faults:
        reader.faults.append((1, "there is no airspace (AC) in it"))
    return Openair(reader.airspaces, reader.faults, is_cut)


def _parts(arguments: str, count: int) -> list[str]:
    parts = arguments.split(",")
    if len(parts) != count:
        raise ValueError(sentence("openair.values", "needs {count} values separated by commas", count=count))
    return parts


def _point(text: str) -> Point:
    match = _COORDINATE.fullmatch(text)
    if match is None:
        raise ValueError(
            sentence(
                "openair.position",
                "{value} is not a position such as 47:27:30 N 008:33:20 E",
                value=f"{text.strip()[:40]!r}",
            )
        )
    lat, lon = _degrees(match.groups()[:4]), _degrees(match.groups()[4:])
    if abs(lat) > 90 or abs(lon) > 180:
        raise ValueError(sentence("openair.not_on_earth", "{value} is not on Earth", value=f"{text.strip()[:40]!r}"))
    return lat, lon


def _degrees(parts: tuple[str | None, ...]) -> float:
    degrees, minutes, seconds, side = parts
    value = float(degrees or 0) + float(minutes or 0) / 60 + float(seconds or 0) / 3600
    return -value if (side or "").upper() in ("S", "W") else value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(
            sentence("openair.number", "{value} is not a number", value=f"{text.strip()[:20]!r}")
        ) from None
    if not math.isfinite(value) or not 0 <= value <= 1_000:
        raise ValueError(sentence("openair.out_of_range", "{value} is out of range", value=f"{text.strip()[:20]!r}"))
    return value


def _altitude(text: str, *, floor: bool) -> float | None:
    plain = text.strip().upper()
    if plain in _SURFACE or plain.startswith(("GND", "SFC")):
        return None if floor else 0.0
    if plain.startswith("UNL"):
        return None
    match = _ALTITUDE.match(plain)
    if match is None:
        raise ValueError(sentence("openair.altitude", "{value} is not an altitude", value=f"{text.strip()[:30]!r}"))
    if match[1]:
        return float(match[1]) * FEET_PER_FLIGHT_LEVEL
    return round(float(match[2]) * (FEET_PER_METRE if (match[3] or "").upper() == "M" else 1.0), 1)


def _arc(centre: Point, radius_nm: float, begin: float, end: float) -> list[Point]:
    steps = max(1, math.ceil(abs(end - begin) / STEP_DEG))
    angles = begin + (end - begin) * np.arange(steps + 1) / steps
    lats, lons = destination(*centre, angles % 360.0, radius_nm)
    return list(zip(lats.tolist(), lons.tolist(), strict=True))
