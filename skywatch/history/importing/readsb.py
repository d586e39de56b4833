"""The flights of readsb's traces, split where readsb marked a new leg or where nothing was received for long.

Invalid entries are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.recording.thinning import SAME_POSITION_S
from skywatch.http.resources.schema import parse_icao
from skywatch.receivers.reports import traces
from skywatch.receivers.reports.traces import Trace, TraceError

# Flags of a trace entry.
NEW_LEG = 2
MILITARY = 1
TIME, LAT, LON, ALT, GS, TRACK, FLAGS, DETAILS = 0, 1, 2, 3, 4, 5, 6, 8


@dataclass
class TracedFlight:
    """One flight of a trace; ``columns`` are at (unix s), lat, lon, alt (ft, NaN unknown), gs, track, ground."""

    address: str
    registration: str | None
    aircraft_type: str | None
    military: bool
    callsign: str | None
    squawk: str | None
    category: str | None
    columns: tuple[npt.NDArray[Any], ...]

    @property
    def begin(self) -> float:
        """First position (unix seconds)."""
        return float(self.columns[0][0])

    @property
    def end(self) -> float:
        """Last position (unix seconds)."""
        return float(self.columns[0][-1])


def read(path: Path, flight_gap_s: float) -> tuple[list[TracedFlight], int]:
    """The flights of a trace file, and how many of its entries were skipped; raises TraceError."""
    document = traces.read(path)
    try:
        address = parse_icao(document.icao)
    except ValueError as error:
        raise TraceError(f"{path}: is not a trace: {error}") from None
    entries = _without_duplicates(traces.good_entries(document))
    skipped = len(document.trace) - len(entries)
    flights = []
    for leg in _legs(entries, flight_gap_s):
        flights.append(_flight(document, address, leg))
    return flights, skipped


def _without_duplicates(entries: list[list[Any]]) -> list[list[Any]]:
    """The entries without the second of two at the same time: some traces have both, at different positions."""
    unique: list[list[Any]] = []
    for entry in entries:
        if not unique or entry[TIME] >= unique[-1][TIME] + SAME_POSITION_S:
            unique.append(entry)
    return unique


def _legs(entries: list[list[Any]], flight_gap_s: float) -> Iterator[list[list[Any]]]:
    leg: list[list[Any]] = []
    for entry in entries:
        if leg and (int(entry[FLAGS]) & NEW_LEG or entry[TIME] - leg[-1][TIME] > flight_gap_s):
            yield leg
            leg = []
        leg.append(entry)
    if leg:
        yield leg


def _flight(document: Trace, address: str, leg: list[list[Any]]) -> TracedFlight:
    details: dict[str, Any] = {}
    for entry in leg:
        if len(entry) > DETAILS and isinstance(entry[DETAILS], dict):
            for name in ("flight", "squawk", "category"):
                value = str(entry[DETAILS].get(name) or "").strip()
                if value.isascii() and value:
                    details[name] = value
    at = np.array([document.timestamp + entry[TIME] for entry in leg], "f8")
    ground = np.array([entry[ALT] == "ground" for entry in leg])
    columns = (
        at,
        _numbers(leg, LAT),
        _numbers(leg, LON),
        _numbers(leg, ALT),
        _numbers(leg, GS),
        _numbers(leg, TRACK),
        ground,
    )
    return TracedFlight(
        address,
        _short(document.r, 12),
        _short(document.t, 4),
        bool(document.dbFlags & MILITARY),
        _short(details.get("flight"), 8),
        _short(details.get("squawk"), 4),
        _short(details.get("category"), 2),
        columns,
    )


def _numbers(leg: list[list[Any]], field: int) -> npt.NDArray[Any]:
    return np.array([entry[field] if isinstance(entry[field], int | float) else np.nan for entry in leg], "f8")


def _short(text: str | None, length: int) -> str | None:
    return (text or "").strip()[:length] or None
