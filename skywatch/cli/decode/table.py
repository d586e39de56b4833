"""Decoded frames as lines of a table for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from skywatch.core.clock import unix_to_iso
from skywatch.core.text.escapes import escape_controls

HEAD = (
    f"{'Time':<12}  {'Address':<7}  {'Kind':<16}  {'Callsign':<8}  {'Squawk':<6}  {'Altitude':>9}  {'Speed':>6}  "
    f"{'Track':>5}  {'Climb':>12}  Position"
)
# Downlink formats (ICAO Annex 10, volume IV, 3.1.2.3.2).
_KINDS = {
    0: "short ACAS", 4: "altitude", 5: "identity", 11: "all-call", 16: "long ACAS", 17: "ADS-B", 18: "TIS-B, ADS-R",
    19: "military ADS-B", 20: "Comm-B altitude", 21: "Comm-B identity", 24: "Comm-D",
}  # fmt: skip


def row(line: Mapping[str, Any]) -> str:
    """One frame; of a refused one the reason and its bytes."""
    begin = f"{_time(line['time']):<12}  "
    kind = _KINDS.get(line["df"], f"format {line['df']}")
    if "error" in line:
        return f"{begin}{'':<7}  {kind:<16}  {line['error'].replace('_', ' ')}: {line['frame']}"
    altitude = "ground" if line.get("alt_baro") == "ground" else _number(line.get("alt_baro"), "ft")
    position = f"{line['lat']:.5f}, {line['lon']:.5f}" if "lat" in line and "lon" in line else ""
    text = (
        f"{begin}{line['hex']:<7}  {kind:<16}  {line.get('flight', '').strip():<8}  {line.get('squawk', ''):<6}  "
        f"{altitude:>9}  {_number(line.get('gs'), 'kt'):>6}  {_number(line.get('track'), '°', ''):>5}  "
        f"{_number(line.get('baro_rate', line.get('geom_rate')), 'ft/min'):>12}  {position}"
    )
    return escape_controls(text.rstrip())


def rows(lines: Iterable[Mapping[str, Any]]) -> bytes:
    """The lines of several frames, each with its end of line."""
    return "".join(f"{row(line)}\n" for line in lines).encode()


def _time(unix: float) -> str:
    """Of the day in UTC; where the recording has no times, since its beginning."""
    return unix_to_iso(unix)[11:23] if math.isfinite(unix) else "-"


def _number(value: Any, unit: str, space: str = " ") -> str:
    return f"{round(value):,}{space}{unit}" if isinstance(value, int | float) else ""
