"""Reads readsb's traces: ``trace_full_*.json`` files (gzip or not), alone or in a ``globe_history`` folder.

A trace is a day of one aircraft, thinned: straight flight has a position every 20 to 30 s. Readers of entries skip what
is not valid, a damaged trace is read as far as it can be, and a file that is not a trace is refused by name.
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
from msgspec import UNSET

from skywatch.core.text.lenient_json import read_object, records
from skywatch.core.text.numbers import number_of
from skywatch.receivers.reports.aircraft_json import BAD_JSON, read_line, repaired
from skywatch.receivers.reports.limits import clean_address, parse
from skywatch.receivers.reports.report import Report

# A trace of a day has tens of thousands of entries at most; more is not a trace.
MAX_BYTES = 64_000_000
PATTERN = "trace_full_*.json"
TIME, LAT, LON, ALT, GS, TRACK, FLAGS, RATE, DETAILS, SOURCE, ALT_GEOM = range(11)
# Flags of an entry: the vertical rate, or the altitude, is geometric.
GEOMETRIC_RATE, GEOMETRIC_ALTITUDE = 4, 8
MAX_FLAGS = 0xFFFF
SAMPLE_BYTES = 8192
_HEAD = re.compile(rb'\s*\{\s*"icao"\s*:\s*"')
# What the details of an entry repeat of the entry itself, or what is no field of a report.
_OF_ENTRY = ("alt_geom", "baro_rate", "geom_rate", "track", "type")


class TraceError(ValueError):
    """A file that is not a trace; ``str()`` is one line."""


class Trace(msgspec.Struct):
    """A trace as it is written. Entries are not checked; what is none is empty.

    ``timestamp`` is unix seconds, to which those of entries are added.
    """

    icao: str
    timestamp: float
    trace: list[list[Any]]
    r: str | None = None
    t: str | None = None
    desc: str | None = None
    dbFlags: int = 0  # noqa: N815
    year: str | None = None
    ownOp: str | None = None  # noqa: N815


_decoder = msgspec.json.Decoder(Trace)
_AIRFRAME = ("r", "t", "desc", "dbFlags", "year", "ownOp")
_ENTRIES = re.compile(r'"trace"[\s\0]*:[\s\0]*\[')


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
        content = _content(stream)
        try:
            return _decoder.decode(content)
        except BAD_JSON:
            return _damaged(content)
    except (msgspec.MsgspecError, ValueError, OSError, EOFError, zlib.error, RecursionError) as error:
        raise TraceError(f"{name}: is not a trace: {error}") from None


def _damaged(content: bytes) -> Trace:
    """A trace of which some values are invalid or missing; raises ValueError or RecursionError where it is none."""
    try:
        whole, rest = repaired(content)
        if "[" in rest:
            # A bracket too many ends the trace early: its entries go on behind it.
            raise ValueError("goes on behind its end")
        members = msgspec.json.decode(whole)
    except (*BAD_JSON, ValueError):
        text = content.decode("utf-8-sig", "replace")
        begin = _ENTRIES.search(text)
        if begin is None:
            raise ValueError("it has no entries") from None
        members = {**read_object(text[: begin.start()]), "trace": list(records(text[begin.end() :], "["))}
    if not isinstance(members, dict) or not isinstance(members.get("trace"), list):
        raise ValueError("it has no entries")
    timestamp = number_of(members.get("timestamp"))
    if timestamp != timestamp or not isinstance(members.get("icao"), str):
        raise ValueError("it has no address or no time")
    airframe = {name: value for name in _AIRFRAME if (value := parse(name, members.get(name))) not in (None, UNSET)}
    entries = [entry if isinstance(entry, list) else [] for entry in members["trace"]]
    return Trace(icao=members["icao"], timestamp=timestamp, trace=entries, **airframe)


def begins_trace(sample: bytes) -> bool:
    """Whether the first bytes of a file, unpacked, are those of a trace."""
    return _HEAD.match(sample) is not None and b'"trace"' in sample


def good_entries(trace: Trace) -> list[list[Any]]:
    """The entries that have a time and a position, in the order of their times."""
    good = [entry if _is_good(entry) else _with_numbers(entry) for entry in trace.trace]
    return sorted(filter(_is_good, good), key=lambda entry: float(entry[TIME]))


def reports(trace: Trace, invalid: Counter[str]) -> Iterator[Report]:
    """A trace as the messages of its aircraft, one an entry; what is not valid is counted in ``invalid``."""
    address = clean_address(trace.icao)
    entries = good_entries(trace)
    invalid["entry"] += len(trace.trace) - len(entries)
    if not address:
        invalid["hex"] += 1
        return
    airframe = {name: value for name in _AIRFRAME if (value := _valid(name, getattr(trace, name))) is not UNSET}
    for entry in entries:
        entry = entry + [None] * (ALT_GEOM + 1 - len(entry))
        report = _details(address, entry[DETAILS], invalid)
        report.at = report.position_at = trace.timestamp + entry[TIME]
        report.lat, report.lon = float(entry[LAT]), float(entry[LON])
        for name, value in airframe.items():
            setattr(report, name, value)
        report.type = _valid("type", entry[SOURCE], "unknown")
        _set_altitudes(report, entry)
        report.gs = _valid("gs", entry[GS])
        track = number_of(entry[TRACK])
        report.track = track % 360 if track == track else UNSET
        yield report


def _set_altitudes(report: Report, entry: list[Any]) -> None:
    flags, altitude = int(entry[FLAGS]), _valid("alt_baro", entry[ALT])
    rate, report.alt_geom = _valid("baro_rate", entry[RATE]), _valid("alt_geom", entry[ALT_GEOM])
    if altitude == "ground" or not flags & GEOMETRIC_ALTITUDE:
        report.alt_baro = altitude
    else:
        report.alt_geom = altitude
    if flags & GEOMETRIC_RATE:
        report.geom_rate = rate
    else:
        report.baro_rate = rate


def _valid(name: str, value: Any, otherwise: Any = UNSET) -> Any:
    """The value of a field, or ``otherwise`` where it says nothing or is invalid."""
    valid = parse(name, value)
    return otherwise if valid is None or valid is UNSET else valid


def _details(address: str, details: Any, invalid: Counter[str]) -> Report:
    """What an entry says besides its position: callsign, squawk, integrity, selected altitudes."""
    if isinstance(details, dict):
        fields = {name: value for name, value in details.items() if name not in _OF_ENTRY}
        report, _ = read_line(msgspec.json.encode({**fields, "hex": address}), invalid)
        if report is not None:
            report.flight = _valid("flight", report.flight) if isinstance(report.flight, str) else UNSET
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
        and 0 <= entry[FLAGS] <= MAX_FLAGS
    )


def _with_numbers(entry: list[Any]) -> list[Any]:
    """An entry with numbers where they are written as text, and without flags where these are none."""
    if len(entry) <= FLAGS:
        return []
    numbers = [number_of(entry[place]) for place in (TIME, LAT, LON)]
    if any(number != number for number in numbers):
        return []
    flags = number_of(entry[FLAGS])
    return [*numbers, *entry[ALT:FLAGS], int(flags) if 0 <= flags <= MAX_FLAGS else 0, *entry[FLAGS + 1 :]]
