"""Cleans the texts of decoded aircraft, names their source and says what a position is; completes those of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from skywatch.core.arrays import Array
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


def clean(report: Report, invalid: Counter[str]) -> bool:
    """Clean a decoded aircraft in place: address, callsign, and the source of one dialect.

    Returns whether its address is valid.
    """
    address = _ADDRESSES[report.hex]
    if not address:
        invalid["hex"] += 1
        return False
    report.hex = address
    flight = report.flight
    if flight is not UNSET:
        callsign = _CALLSIGNS[flight]
        if callsign is None:
            invalid["flight"] += 1
        report.flight = callsign or UNSET
    if report.type is UNSET:
        report.type = _source_of(report)
    return True


def finish(report: Report, now: float, invalid: Counter[str]) -> bool:
    """Complete the aircraft of a line in place: ``clean``, and times from ages.

    ``now`` is the time of the line by our clock (unix s). Returns whether its address is valid.
    """
    if not clean(report, invalid):
        return False
    report.snapshot = True
    report.at = now if report.seen is UNSET else now - report.seen
    if _has_position(report):
        report.position_at = report.at if report.seen_pos is UNSET else now - report.seen_pos
    elif report.lat is not UNSET or report.lon is not UNSET:
        invalid["position"] += 1
        report.lat = report.lon = report.seen_pos = UNSET
    return True


def _has_position(report: Report) -> bool:
    """Whether a report has a whole position other than exactly 0/0, which means none."""
    lat, lon = report.lat, report.lon
    return lat is not UNSET and lon is not UNSET and bool(lat or lon)


def positions(lat: Array, lon: Array) -> tuple[Array, Array]:
    """?[n] each: whether aircraft have a position, by the rule for one, and whether what they have is none.

    ``lat`` and ``lon`` f8[n] are in degrees, NaN where there is none.
    """
    has_position = ~np.isnan(lat + lon) & ((lat != 0) | (lon != 0))
    return has_position, ~has_position & ~(np.isnan(lat) & np.isnan(lon))


def _source_of(report: Report) -> str:
    """The source of a report without one: dump1090-fa omits it for ADS-B, mutability always."""
    if report.mlat is not UNSET and "lat" in report.mlat:
        return "mlat"
    if report.tisb is not UNSET and "lat" in report.tisb:
        return "tisb_other" if report.hex.startswith("~") else "tisb_icao"
    adsb_fields: Sequence[object | UnsetType] = (report.version, report.category, report.gs)
    if not _has_position(report) and all(value is UNSET for value in adsb_fields):
        return "mode_s"
    return "adsb_other" if report.hex.startswith("~") else "adsb_icao"
