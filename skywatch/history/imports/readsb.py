"""The positions of readsb's traces; invalid entries are skipped and counted."""

from __future__ import annotations

from collections import Counter
from typing import IO, Any

import numpy as np

from skywatch.core.text.numbers import number_of
from skywatch.history.imports.imported_points import MILITARY, NEW_LEG, ON_GROUND, ROW, Rows, source_code
from skywatch.history.recorder.thinner import SAME_POSITION_S
from skywatch.history.storage.points import address_code
from skywatch.http.resources.schema import parse_icao
from skywatch.receivers.reports import traces
from skywatch.receivers.reports.limits import parse
from skywatch.receivers.reports.traces import (
    ALT,
    ALT_GEOM,
    DETAILS,
    FLAGS,
    GS,
    LAT,
    LON,
    SOURCE,
    TIME,
    TRACK,
    Trace,
    TraceError,
)

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
        rows[column] = [number_of(entry[field]) for entry in entries]
    rows["source"] = [source_code(entry[SOURCE]) if len(entry) > SOURCE else 0 for entry in entries]
    rows["geom"] = [number_of(entry[ALT_GEOM]) if len(entry) > ALT_GEOM else 0.0 for entry in entries]
    for row, entry in zip(rows, entries, strict=True):
        _describe(row, entry)
    rows["flags"] |= np.uint8(MILITARY if document.dbFlags & _MILITARY else 0)
    rows["registration"], rows["type"] = _text("r", document.r), _text("t", document.t)
    return rows


def _describe(row: Any, entry: list[Any]) -> None:
    is_new_leg = int(entry[FLAGS]) & _NEW_LEG > 0
    row["flags"] = NEW_LEG * is_new_leg | ON_GROUND * (parse("alt_baro", entry[ALT]) == "ground")
    if len(entry) > DETAILS and isinstance(entry[DETAILS], dict):
        for column, field in (("callsign", "flight"), ("squawk", "squawk"), ("category", "category")):
            row[column] = _text(field, entry[DETAILS].get(field))
        row["qnh"] = number_of(entry[DETAILS].get("nav_qnh"))


def _without_duplicates(entries: list[list[Any]]) -> list[list[Any]]:
    """The entries without the second of two at the same time: some traces have both, at different positions."""
    unique: list[list[Any]] = []
    for entry in entries:
        if not unique or entry[TIME] >= unique[-1][TIME] + SAME_POSITION_S:
            unique.append(entry)
    return unique


def _text(name: str, value: Any) -> bytes:
    """A text of a report; empty where it is none, or not ASCII."""
    valid = parse(name, value)
    return valid.encode() if isinstance(valid, str) and valid.isascii() else b""


__all__ = ["Trace", "TraceError", "read"]
