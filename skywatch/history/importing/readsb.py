"""The positions of readsb's traces; invalid entries are skipped and counted."""

from __future__ import annotations

from collections import Counter
from typing import IO, Any

import numpy as np

from skywatch.history.importing.rows import MILITARY, NEW_LEG, ON_GROUND, ROW, Rows
from skywatch.history.recording.thinning import SAME_POSITION_S
from skywatch.history.storage.points import address_code
from skywatch.http.resources.schema import parse_icao
from skywatch.receivers.reports import traces
from skywatch.receivers.reports.traces import ALT, DETAILS, FLAGS, GS, LAT, LON, TIME, TRACK, Trace, TraceError

# Bits: of the flags of an entry, and of the database's flags of an aircraft.
_NEW_LEG, _MILITARY = 2, 1


def read(stream: IO[bytes], name: str, skipped: Counter[str]) -> Rows:
    """The positions of a trace file in order of time; raises TraceError."""
    document = traces.read_stream(stream, name)
    try:
        code = address_code(parse_icao(document.icao))
    except ValueError as error:
        raise TraceError(f"{name}: is not a trace: {error}") from None
    entries = _without_duplicates(traces.good_entries(document))
    skipped["entry"] += len(document.trace) - len(entries)
    rows = np.zeros(len(entries), ROW)
    rows["code"] = code
    rows["at"] = [document.timestamp + entry[TIME] for entry in entries]
    for column, field in (("lat", LAT), ("lon", LON), ("alt", ALT), ("gs", GS), ("track", TRACK)):
        rows[column] = [_number(entry[field]) for entry in entries]
    for row, entry in zip(rows, entries, strict=True):
        _describe(row, entry)
    rows["flags"] |= np.uint8(MILITARY if document.dbFlags & _MILITARY else 0)
    rows["registration"], rows["type"] = _ascii(document.r), _ascii(document.t)
    return rows


def _describe(row: Any, entry: list[Any]) -> None:
    is_new_leg = int(entry[FLAGS]) & _NEW_LEG > 0
    row["flags"] = NEW_LEG * is_new_leg | ON_GROUND * (entry[ALT] == "ground")
    if len(entry) > DETAILS and isinstance(entry[DETAILS], dict):
        for column, field in (("callsign", "flight"), ("squawk", "squawk"), ("category", "category")):
            row[column] = _ascii(entry[DETAILS].get(field))


def _without_duplicates(entries: list[list[Any]]) -> list[list[Any]]:
    """The entries without the second of two at the same time: some traces have both, at different positions."""
    unique: list[list[Any]] = []
    for entry in entries:
        if not unique or entry[TIME] >= unique[-1][TIME] + SAME_POSITION_S:
            unique.append(entry)
    return unique


def _number(value: Any) -> float:
    return value if isinstance(value, int | float) and abs(value) < 1e9 else np.nan


def _ascii(value: Any) -> bytes:
    text = str(value or "").strip()
    return text.encode() if text.isascii() else b""


__all__ = ["Trace", "TraceError", "read"]
