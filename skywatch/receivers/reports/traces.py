"""Reads readsb's traces: ``trace_full_*.json`` files (gzip or not), alone or in a ``globe_history`` folder.

A trace is a day of one aircraft, thinned: straight flight has a position every 20 to 30 s. Readers of entries skip what
is not valid; a file that is not a trace is refused by name.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import UNSET, UnsetType

from skywatch.receivers.reports.aircraft_json import read_line
from skywatch.receivers.reports.limits import ALTITUDE_FT, RATE_FPM, SPEED_KT, clean_address
from skywatch.receivers.reports.report import Report

# A trace of a day has tens of thousands of entries at most; more is not a trace.
MAX_BYTES = 64_000_000
PATTERN = "trace_full_*.json"
TIME, LAT, LON, ALT, GS, TRACK, FLAGS, RATE, DETAILS, SOURCE, ALT_GEOM = range(11)
# Flags of an entry: the vertical rate, or the altitude, is geometric.
GEOMETRIC_RATE, GEOMETRIC_ALTITUDE = 4, 8
SAMPLE_BYTES = 8192
_HEAD = re.compile(rb'\s*\{\s*"icao"\s*:\s*"')
# What the details of an entry repeat of the entry itself, or what is no field of a report.
_OF_ENTRY = ("alt_geom", "baro_rate", "geom_rate", "track", "type")


class TraceError(ValueError):
    """A file that is not a trace; ``str()`` is one line."""


class Trace(msgspec.Struct):
    """A trace as it is written; entries are not checked. ``timestamp`` is unix seconds, to which those of entries are
    added."""

    icao: str
    timestamp: float
    trace: list[list[Any]]
    r: str | None = None
    t: str | None = None
    desc: str | None = None
    dbFlags: int = 0  # noqa: N815


_decoder = msgspec.json.Decoder(Trace)


def find(path: Path) -> list[Path]:
    """The trace files that a path names: itself, or all below it, in order of their names."""
    if path.is_dir():
        return sorted(path.rglob(PATTERN))
    return [path]


def is_trace(path: Path) -> bool:
    """Whether a file begins as a trace does; false where it cannot be read."""
    try:
        with path.open("rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if is_packed else path.open("rb") as stream:
            sample = stream.read(SAMPLE_BYTES)
    except (OSError, EOFError, zlib.error):
        return False
    return begins_trace(sample)


def read(path: Path) -> Trace:
    """The content of a trace file; raises TraceError."""
    try:
        with path.open("rb") as file:
            return read_stream(file, str(path))
    except OSError as error:
        raise TraceError(f"{path}: is not a trace: {error}") from None


def read_stream(stream: IO[bytes], name: str) -> Trace:
    """The content of an open trace file, gzip or not; raises TraceError."""
    try:
        return _decoder.decode(_content(stream))
    except (msgspec.MsgspecError, ValueError, OSError, EOFError, zlib.error, RecursionError) as error:
        raise TraceError(f"{name}: is not a trace: {error}") from None


def begins_trace(sample: bytes) -> bool:
    """Whether the first bytes of a file, unpacked, are those of a trace."""
    return _HEAD.match(sample) is not None and b'"trace"' in sample


def good_entries(trace: Trace) -> list[list[Any]]:
    """The entries that have a time and a position, in the order of their times."""
    return sorted(filter(_is_good, trace.trace), key=lambda entry: float(entry[TIME]))


def reports(trace: Trace, invalid: Counter[str]) -> Iterator[Report]:
    """A trace as the messages of its aircraft, one an entry; what is not valid is counted in ``invalid``."""
    address = clean_address(trace.icao)
    entries = good_entries(trace)
    invalid["entry"] += len(trace.trace) - len(entries)
    if not address:
        invalid["hex"] += 1
        return
    for entry in entries:
        entry = entry + [None] * (ALT_GEOM + 1 - len(entry))
        report = _details(address, entry[DETAILS], invalid)
        report.at = report.position_at = trace.timestamp + entry[TIME]
        report.lat, report.lon = float(entry[LAT]), float(entry[LON])
        report.r, report.t, report.desc = trace.r or UNSET, trace.t or UNSET, trace.desc or UNSET
        report.dbFlags = trace.dbFlags
        report.type = entry[SOURCE] if isinstance(entry[SOURCE], str) else "unknown"
        _set_altitudes(report, entry)
        report.gs = _bounded(entry[GS], SPEED_KT)
        report.track = float(entry[TRACK]) % 360 if isinstance(entry[TRACK], int | float) else UNSET
        yield report


def _set_altitudes(report: Report, entry: list[Any]) -> None:
    flags, altitude = int(entry[FLAGS]), entry[ALT]
    rate, geometric = _rounded(entry[RATE], RATE_FPM), _rounded(entry[ALT_GEOM], ALTITUDE_FT)
    report.alt_geom = geometric
    if altitude == "ground":
        report.alt_baro = "ground"
    elif flags & GEOMETRIC_ALTITUDE:
        report.alt_geom = _rounded(altitude, ALTITUDE_FT)
    else:
        report.alt_baro = _rounded(altitude, ALTITUDE_FT)
    if flags & GEOMETRIC_RATE:
        report.geom_rate = rate
    else:
        report.baro_rate = rate


def _details(address: str, details: Any, invalid: Counter[str]) -> Report:
    """What an entry says besides its position: callsign, squawk, integrity, selected altitudes."""
    if isinstance(details, dict):
        fields = {name: value for name, value in details.items() if name not in _OF_ENTRY}
        report, _ = read_line(msgspec.json.encode({**fields, "hex": address}), invalid)
        if report is not None:
            report.flight = report.flight.strip() or UNSET if isinstance(report.flight, str) else UNSET
            report.messages = report.seen = report.seen_pos = UNSET
            return report
    return Report(address)


def _content(stream: IO[bytes]) -> bytes:
    data = stream.read(MAX_BYTES + 1)
    if data[:2] != b"\x1f\x8b" or len(data) > MAX_BYTES:
        return data if len(data) <= MAX_BYTES else _refuse_size()
    with gzip.GzipFile(fileobj=BytesIO(data)) as file:
        plain = file.read(MAX_BYTES + 1)
    return plain if len(plain) <= MAX_BYTES else _refuse_size()


def _refuse_size() -> bytes:
    raise TraceError(f"is larger than {MAX_BYTES:,} bytes")


def _is_good(entry: list[Any]) -> bool:
    return (
        len(entry) > FLAGS
        and all(isinstance(entry[n], int | float) for n in (TIME, LAT, LON, FLAGS))
        and -90 <= entry[LAT] <= 90
        and -180 <= entry[LON] <= 180
        and -86_400 <= entry[TIME] <= 2 * 86_400
    )


def _rounded(value: Any, bounds: tuple[float, float]) -> int | UnsetType:
    bounded = _bounded(value, bounds)
    return bounded if isinstance(bounded, UnsetType) else round(bounded)


def _bounded(value: Any, bounds: tuple[float, float]) -> float | UnsetType:
    return value if isinstance(value, int | float) and bounds[0] <= value <= bounds[1] else UNSET
