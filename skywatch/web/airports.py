"""Finds airports by name, city or code, and towns by name, in the lists that the build of the web application makes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from skywatch.core.text.accents import fold
from skywatch.web.built import HERE

FILE = HERE / "built" / "airports.json"
TOWNS = HERE / "built" / "towns.txt"
MAX_FOUND = 8


class Airport(NamedTuple):
    """An airport; codes are empty where it has none, degrees are those of its reference point."""

    name: str
    city: str
    country: str
    icao: str
    iata: str
    lat: float
    lon: float


class Town(NamedTuple):
    """A town, with the code of its country, and degrees."""

    name: str
    country: str
    lat: float
    lon: float


class _Entry(NamedTuple):
    airport: Airport
    codes: tuple[str, ...]
    words: str


def find_airports(text: str, path: Path | None = None) -> Sequence[Airport] | None:
    """The airports that a text fits best: its codes, then cities and names that begin so, then those that contain it.

    None where the application was built without airports, or not at all.
    """
    path = path or FILE
    query = _plain(text)
    try:
        entries = _read(path, path.stat().st_mtime_ns)
    except OSError:
        return None
    if not query:
        return []
    ranked = sorted((rank, at) for at, entry in enumerate(entries) if (rank := _rank(entry, query)) is not None)
    return [entries[at].airport for _, at in ranked[:MAX_FOUND]]


def find_towns(text: str, path: Path | None = None) -> Sequence[Town]:
    """The largest towns whose names begin with a text; none where the application was built without towns.

    The list is searched as the text that it is: parsed it would take tens of megabytes of each process.
    """
    query = re.escape(_plain(text))
    # As GeoNames writes what people abbreviate.
    query = re.sub(r"^st\b", "(?:st|sankt|saint)", query)
    if not query:
        return []
    try:
        lines = (path or TOWNS).read_text(encoding="utf-8")
    except OSError:
        return []
    # Whole names before those that only begin so.
    towns: dict[Town, None] = {}
    for end in ("\t", ""):
        for match in re.finditer(rf"^{query}{end}.*$", lines, re.MULTILINE):
            _, name, country, lat, lon = match[0].split("\t")
            towns[Town(name, country, float(lat), float(lon))] = None
            if len(towns) == MAX_FOUND:
                return list(towns)
    return list(towns)


def _rank(entry: _Entry, query: str) -> tuple[int, bool] | None:
    """How well an airport fits, the least being the best; of equal ones those with an IATA code come first."""
    if query in entry.codes:
        return 0, False
    words = f" {entry.words}"
    if all(f" {word}" in words for word in query.split()):
        return (1 if entry.words.startswith(query) else 2), not entry.airport.iata
    return None


@lru_cache(maxsize=1)
def _read(path: Path, built_at: int) -> list[_Entry]:
    airports = [Airport(*row) for row in json.loads(path.read_text(encoding="utf-8"))]
    return [
        _Entry(airport, (airport.icao.lower(), airport.iata.lower()), f"{_plain(airport.city)} {_plain(airport.name)}")
        for airport in airports
    ]


def _plain(text: str) -> str:
    """A text without accents, case and marks, its words apart by one space."""
    plain = (character if character.isalnum() else " " for character in fold(text))
    return " ".join("".join(plain).split())
