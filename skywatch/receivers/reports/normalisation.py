"""The last step from decoded JSON to a report: converts ages to times, cleans texts and fills in the source.

It runs for every aircraft of every document, so it is one plain loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from skywatch.receivers.reports.limits import clean_address, clean_callsign
from skywatch.receivers.reports.report import Report


class _CleanedTexts(dict[str, Any]):
    """A cache of cleaned texts, since most are repeated every second. Bounded: it is cleared when full."""

    MOST = 100_000

    def __init__(self, clean: Callable[[str], str | None]) -> None:
        super().__init__()
        self._clean = clean

    def __missing__(self, text: str) -> str | None:
        if len(self) >= self.MOST:
            self.clear()
        cleaned = self[text] = self._clean(text)
        return cleaned


_ADDRESSES = _CleanedTexts(clean_address)
_CALLSIGNS = _CleanedTexts(clean_callsign)


def finish(
    aircraft: Sequence[Report], now: float, newer_than: float, invalid: Counter[str]
) -> tuple[list[Report], int, int]:
    """Complete decoded aircraft in place: times from ages, clean addresses and callsigns, one dialect.

    ``now`` is the time of the document by our clock. Returns the reports with a valid address, how many of them were
    received after ``newer_than``, and how many had a new position after it.
    """
    reports: list[Report] = []
    newer = positions = 0
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
        if at > newer_than:
            newer += 1
        lat, lon = report.lat, report.lon
        if lat is not UNSET and lon is not UNSET and (lat or lon):
            seen_pos = report.seen_pos
            position_at = at if seen_pos is UNSET else now - seen_pos
            report.position_at = position_at
            if position_at > newer_than:
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
        reports.append(report)
    return reports, newer, positions


def _without_position(report: Report, invalid: Counter[str]) -> None:
    """Drop half a position, or the exact point 0/0, which means none."""
    invalid["position"] += 1
    report.lat = report.lon = report.seen_pos = UNSET


def _source_of(report: Report) -> str:
    """The source of a report without one: dump1090-fa omits it for ADS-B, mutability always."""
    if report.mlat is not UNSET and "lat" in report.mlat:
        return "mlat"
    if report.tisb is not UNSET and "lat" in report.tisb:
        return "tisb_other" if report.hex.startswith("~") else "tisb_icao"
    adsb_fields: Sequence[object | UnsetType] = (report.lat, report.version, report.category, report.gs)
    if all(value is UNSET for value in adsb_fields):
        return "mode_s"
    return "adsb_other" if report.hex.startswith("~") else "adsb_icao"
