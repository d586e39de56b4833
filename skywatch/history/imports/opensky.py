"""State vectors of the OpenSky Network: CSV files of an hour, a row for each aircraft and ten seconds, in SI units.

The columns are found by their names in the first line. A row repeats a position until there is a new one, whose time is
``lastposupdate``; without that column the time of the row counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from skywatch.history.imports.imported_points import ON_GROUND, ROW, Rows
from skywatch.inputs.lines import LineSplitter
from skywatch.receivers.reports.limits import parse

REQUIRED = ("time", "icao24", "lat", "lon")
FEET_PER_M, KNOTS_PER_M_S = 1 / 0.3048, 3600 / 1852
CHUNK_BYTES = 1 << 20
MAX_LINE = 4096
# A position older than this (s) beside its row is no longer where the aircraft is.
STALE_S = 60.0
TRUE = ("true", "t", "1")
_NUMBERS = {"lat": "lat", "lon": "lon", "alt": "baroaltitude", "gs": "velocity", "track": "heading"}


class StatesError(ValueError):
    """The file has no state vectors; ``str()`` is one line without its name."""


def begins_states(sample: bytes) -> bool:
    """Whether the first bytes of a file, unpacked, are those of state vectors."""
    return "icao24" in _header(sample.split(b"\n", 1)[0])


def _header(line: bytes) -> list[str]:
    return [name.strip().strip('"').lower() for name in line.decode("utf-8-sig", "replace").split(",")]


def read(stream: IO[bytes], skipped: Counter[str]) -> Iterator[Rows]:
    """The positions of a file, some at a time; raises StatesError, and OSError where the file is damaged."""
    splitter = LineSplitter(MAX_LINE, skipped)
    columns: dict[str, int] = {}
    while data := stream.read(CHUNK_BYTES):
        lines = splitter.feed(data)
        if not columns and (lines or skipped["too_long"]):
            columns = _columns(lines.pop(0) if lines else b"")
        if lines:
            yield _rows(lines, columns, skipped)
    if rest := splitter.close():
        if not columns:
            raise StatesError("has no state vectors")
        yield _rows(rest, columns, skipped)


def _columns(line: bytes) -> dict[str, int]:
    names = _header(line)
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise StatesError(f"has no column {', '.join(missing)}; expected state vectors of OpenSky")
    return {name: number for number, name in enumerate(names)}


def _rows(lines: list[bytes], columns: dict[str, int], skipped: Counter[str]) -> Rows:
    texts = [line.decode("utf-8", "replace") for line in lines if line.strip() and b"\0" not in line]
    # No value has a comma in it, and a quote that is never closed must not take the lines behind it along.
    whole = [values for text in texts if len(values := text.replace('"', "").strip().split(",")) == len(columns)]
    skipped["line"] += len(lines) - len(whole) - sum(1 for line in lines if not line.strip())
    if not whole:
        return np.empty(0, ROW)
    by_name = dict(zip(columns, zip(*whole, strict=True), strict=True))
    rows = np.zeros(len(whole), ROW)
    codes = {text: _code(text) for text in set(by_name["icao24"])}
    code = np.array([codes[text] for text in by_name["icao24"]], "i8")
    for name, column in _NUMBERS.items():
        rows[name] = _floats(by_name[column]) if column in by_name else np.nan
    rows["alt"] *= FEET_PER_M
    if "geoaltitude" in by_name:
        rows["geom"] = np.nan_to_num(_floats(by_name["geoaltitude"])) * FEET_PER_M
    rows["gs"] *= KNOTS_PER_M_S
    at = _floats(by_name["time"])
    position_at = _floats(by_name["lastposupdate"]) if "lastposupdate" in by_name else np.full(len(at), np.nan)
    rows["at"] = np.where(np.isfinite(position_at), position_at, at)
    if "onground" in by_name:
        rows["flags"] = [ON_GROUND * (text.strip().lower() in TRUE) for text in by_name["onground"]]
    if "callsign" in by_name:
        rows["callsign"] = _texts("flight", by_name["callsign"])
    if "squawk" in by_name:
        rows["squawk"] = _texts("squawk", by_name["squawk"])
    # An aircraft without a position has a row, too.
    has_place = np.array([bool(text.strip()) for text in by_name["lat"]])
    is_fresh = ~(np.abs(at - rows["at"]) > STALE_S)
    skipped["address"] += int((has_place & (code < 0)).sum())
    rows["code"] = np.maximum(code, 0)
    chosen: Rows = rows[has_place & is_fresh & (code >= 0)]
    return chosen


def _code(text: str) -> int:
    """The address as a number; -1 where it is none."""
    text = text.strip()
    if not 1 <= len(text) <= 6 or not text.isalnum():
        return -1
    try:
        return int(text, 16)
    except ValueError:
        return -1


def _floats(texts: Any) -> npt.NDArray[Any]:
    try:
        return np.array([text or "nan" for text in texts], "U32").astype("f8")
    except ValueError:
        return np.array([_float(text) for text in texts], "f8")


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _texts(name: str, texts: Any) -> list[bytes]:
    """Texts of a report; empty where they are none."""
    valid = {text: parse(name, text) for text in set(texts)}
    return [value.encode() if isinstance(value := valid[text], str) else b"" for text in texts]
