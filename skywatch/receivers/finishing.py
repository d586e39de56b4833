"""The last step from decoded JSON to a report: times out of ages, clean texts, a source where none was said.

It is done for every aircraft of every document, so it is one plain loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from skywatch.receivers.limits import clean_address, clean_callsign
from skywatch.receivers.report import Report


class _Remembered(dict[str, Any]):
    """Texts that come again every second are cleaned once. Bounded: it starts anew when it is full."""

    MOST = 100_000

    def __init__(self, clean: Callable[[str], str | None]) -> None:
        super().__init__()
        self._clean = clean

    def __missing__(self, text: str) -> str | None:
        if len(self) >= self.MOST:
            self.clear()
        cleaned = self[text] = self._clean(text)
        return cleaned


_ADDRESSES = _Remembered(clean_address)
_CALLSIGNS = _Remembered(clean_callsign)


def finish(
    aircraft: Sequence[Report], now: float, heard_after: float, invalid: Counter[str]
) -> tuple[list[Report], int, int]:
    """Complete decoded aircraft in place: times from ages, clean addresses and callsigns, one dialect.

    ``now`` is the moment of the document in our time. Gives the reports that have an address, how many of them
    were heard after ``heard_after`` and how many had a new position after it.
    """
    found: list[Report] = []
    heard = positions = 0
    addresses, callsigns = _ADDRESSES, _CALLSIGNS
    for report in aircraft:
        address = addresses[report.hex]
        if not address:
            invalid["hex"] += 1
            continue
        report.hex = address
        report.snapshot = True
        seen = report.seen
        at = now if seen is UNSET else now - seen
        report.at = at
        if at > heard_after:
            heard += 1
        lat, lon = report.lat, report.lon
        if lat is not UNSET and lon is not UNSET and (lat or lon):
            seen_pos = report.seen_pos
            position_at = at if seen_pos is UNSET else now - seen_pos
            report.position_at = position_at
            if position_at > heard_after:
                positions += 1
        elif lat is not UNSET or lon is not UNSET:
            _without_position(report, invalid)
        flight = report.flight
        if flight is not UNSET:
            callsign = callsigns[flight]
            if callsign is None:
                invalid["flight"] += 1
            report.flight = callsign or UNSET
        if report.type is UNSET:
            report.type = _source_of(report)
        found.append(report)
    return found, heard, positions


def _without_position(report: Report, invalid: Counter[str]) -> None:
    """Half a position, or the exact point 0/0 that means none: it is left out."""
    invalid["position"] += 1
    report.lat = report.lon = report.seen_pos = UNSET


def _source_of(report: Report) -> str:
    """The source where the dialect does not say it: dump1090-fa leaves it out for ADS-B, mutability always."""
    if report.mlat is not UNSET and "lat" in report.mlat:
        return "mlat"
    if report.tisb is not UNSET and "lat" in report.tisb:
        return "tisb_other" if report.hex.startswith("~") else "tisb_icao"
    said: Sequence[object | UnsetType] = (report.lat, report.version, report.category, report.gs)
    if all(value is UNSET for value in said):
        return "mode_s"
    return "adsb_other" if report.hex.startswith("~") else "adsb_icao"
