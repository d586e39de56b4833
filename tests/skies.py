"""Skies made by hand, for tests of what reads the picture."""

from __future__ import annotations

from typing import Any

import msgspec

from skywatch.core import geo
from skywatch.core.bus import Message
from skywatch.picture.state.sky import Sky, unknown_columns
from skywatch.receivers.reports.report import SOURCE_INDEX

STATION = (47.45, 8.56)
NOW = 1_795_000_000.0
DETAILS = ("r", "ownOp", "operator", "year")
_NAMES = {"operator": "operator", "owner": "ownOp"}
_NUMBERS = {
    "lat": "lat",
    "lon": "lon",
    "alt_geom_ft": "alt_geom",
    "gs_kt": "gs",
    "track_deg": "track",
    "baro_rate_fpm": "baro_rate",
    "geom_rate_fpm": "geom_rate",
    "rssi_db": "rssi",
}
_TEXTS = {"flight": "flight", "registration": "r", "type": "t", "squawk": "squawk", "category": "category"}


def sky_of(
    *aircraft: dict[str, Any], seq: int = 1, now: float = NOW, station: tuple[float, float] | None = STATION
) -> Sky:
    """A sky of aircraft given as readsb writes them (with ``military`` and ``emergency`` where they matter)."""
    columns = unknown_columns(len(aircraft))
    encoded, details, names = [], [], [""]
    for row, entry in enumerate(aircraft):
        _fill(columns, row, entry, now, station)
        for column, name in _NAMES.items():
            if name in entry:
                columns[column][row] = len(names)
                names.append(entry[name])
        shown = {k: v for k, v in entry.items() if k not in DETAILS}
        shown |= {"military": bool(entry.get("military")), "on_ground": entry.get("alt_baro") == "ground"}
        shown.pop("first_seen", None)
        encoded.append(msgspec.json.encode(shown))
        details.append(msgspec.json.encode({k: entry[k] for k in DETAILS if k in entry})[1:-1])
    hexes = [entry["hex"] for entry in aircraft]
    return Sky("test", seq, now, 1000, hexes, columns, encoded, details, (), ("roof",), station, tuple(names))


def _fill(columns: Any, row: int, entry: dict[str, Any], now: float, station: tuple[float, float] | None) -> None:
    for column, name in _NUMBERS.items():
        if name in entry:
            columns[column][row] = entry[name]
    for column, name in _TEXTS.items():
        columns[column][row] = str(entry.get(name, "")).strip().encode()
    altitude = entry.get("alt_baro")
    if isinstance(altitude, int | float):
        columns["alt_baro_ft"][row] = altitude
    columns["on_ground"][row] = altitude == "ground"
    columns["military"][row] = bool(entry.get("military"))
    columns["simulated"][row] = bool(entry.get("simulated"))
    columns["emergency"][row] = entry.get("squawk") in ("7500", "7600", "7700")
    columns["source"][row] = SOURCE_INDEX[entry.get("type", "adsb_icao")]
    columns["position_source"][row] = columns["source"][row] + 1 if "lat" in entry else 0
    columns["seen_at"][row] = now - entry.get("seen", 0)
    columns["first_seen"][row] = entry.get("first_seen", now - 60)
    columns["messages"][row] = entry.get("messages", 1)
    columns["previous_row"][row] = -1
    columns["changed"][row] = True
    if "lat" in entry:
        columns["position_at"][row] = now - entry.get("seen_pos", 0)
        if station is not None:
            columns["distance_nm"][row] = geo.distance_nm(*station, entry["lat"], entry["lon"])
            columns["bearing_deg"][row] = geo.bearing_deg(*station, entry["lat"], entry["lon"])


def show(runtime: Any, sky: Sky) -> Sky:
    """Make this the present picture of a runtime with a memory bus."""
    runtime.bus.publish(Message("picture", "tick", b"", snapshot=True, local=sky))
    return sky
