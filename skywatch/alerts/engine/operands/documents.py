"""Builds skies from aircraft as JSON objects, from a request or from history, so that rules can be tried on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from skywatch.airframes.military import is_military_address
from skywatch.airframes.models import MILITARY
from skywatch.core import geo
from skywatch.core.process.deadline import Checkpoint, paced
from skywatch.picture.state.sky import Sky, unknown_columns
from skywatch.receivers.reports.report import SOURCE_INDEX

# Members of an aircraft that only who may see details gets.
DETAILS = ("r", "ownOp", "operator", "year")
_NUMBERS = {
    "lat": "lat",
    "lon": "lon",
    "alt_geom_ft": "alt_geom",
    "gs_kt": "gs",
    "track_deg": "track",
    "baro_rate_fpm": "baro_rate",
    "geom_rate_fpm": "geom_rate",
    "rssi_db": "rssi",
    "nic": "nic",
    "nac_p": "nac_p",
    "sil": "sil",
    "distance_nm": "distance_nm",
    "bearing_deg": "bearing",
}
_TEXTS = {"flight": "flight", "registration": "r", "type": "t", "squawk": "squawk", "category": "category"}
_EMERGENCY_SQUAWKS = ("7500", "7600", "7700")


class SkyMaker:
    """Builds consecutive skies; rows of consecutive skies are linked by address."""

    def __init__(self, station: tuple[float, float] | None, checkpoint: Checkpoint | None = None) -> None:
        self._station = station
        self._checkpoint = checkpoint
        self._seq = 0
        self._rows: dict[str, int] = {}
        self._first_seen: dict[str, float] = {}

    def sky(self, aircraft: Sequence[Mapping[str, Any]], now: float) -> Sky:
        """The sky of these aircraft at a time (unix seconds); each has at least ``hex``."""
        self._seq += 1
        hexes = [str(entry["hex"]).lower() for entry in aircraft]
        columns = unknown_columns(len(aircraft))
        names: dict[str, int] = {"": 0}
        for row, entry in enumerate(paced(aircraft, self._checkpoint)):
            _fill(columns, row, entry, now, names)
        columns["previous_row"][:] = [self._rows.get(address, -1) for address in hexes]
        columns["first_seen"][:] = [self._first_seen.setdefault(address, now) for address in hexes]
        columns["airframe_changed"][:] = True
        if self._station is not None:
            columns["distance_nm"][:] = geo.distance_nm(*self._station, columns["lat"], columns["lon"])
            columns["bearing_deg"][:] = geo.bearing_deg(*self._station, columns["lat"], columns["lon"])
        self._rows = {address: row for row, address in enumerate(hexes)}
        pairs = zip(paced(aircraft, self._checkpoint), hexes, strict=True)
        encoded = [_encoded(entry, address, columns, row) for row, (entry, address) in enumerate(pairs)]
        details = [msgspec.json.encode({k: e[k] for k in DETAILS if e.get(k)})[1:-1] for e in aircraft]
        return Sky("given", self._seq, now, 0, hexes, columns, encoded, details, (), ("",), self._station, tuple(names))


def _fill(columns: dict[str, Any], row: int, entry: Mapping[str, Any], now: float, names: dict[str, int]) -> None:
    for column, member in _NUMBERS.items():
        value = entry.get(member)
        if isinstance(value, int | float) and not isinstance(value, bool):
            columns[column][row] = value
    for column, member in _TEXTS.items():
        columns[column][row] = str(entry.get(member) or "").strip().encode("ascii", "replace")
    for column, member in (("operator", "operator"), ("owner", "ownOp")):
        columns[column][row] = names.setdefault(str(entry.get(member) or ""), len(names))
    altitude = entry.get("alt_baro")
    if isinstance(altitude, int | float) and not isinstance(altitude, bool):
        columns["alt_baro_ft"][row] = altitude
    flags = entry.get("dbFlags")
    columns["on_ground"][row] = altitude == "ground" or entry.get("on_ground") is True
    by_flags = bool(isinstance(flags, int) and flags & MILITARY) or is_military_address(str(entry["hex"]))
    columns["military"][row] = entry["military"] is True if "military" in entry else by_flags
    emergency = entry.get("emergency") or "none"
    columns["emergency"][row] = entry.get("squawk") in _EMERGENCY_SQUAWKS or emergency != "none"
    columns["acas_ra"][row] = bool(entry.get("acas_ra"))
    columns["single_source"][row] = entry.get("single_source") is True
    columns["simulated"][row] = entry.get("simulated") is True
    columns["source"][row] = SOURCE_INDEX.get(str(entry.get("type")), SOURCE_INDEX["unknown"])
    columns["seen_at"][row] = now - _age(entry.get("seen"))
    columns["position_at"][row] = now - _age(entry.get("seen_pos")) if entry.get("lat") is not None else np.nan
    messages = entry.get("messages")
    columns["messages"][row] = messages if isinstance(messages, int) else 0


def _age(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _encoded(entry: Mapping[str, Any], address: str, columns: Mapping[str, Any], row: int) -> bytes:
    members = {name: value for name, value in entry.items() if name not in DETAILS and value is not None}
    for member, column, digits in (("distance_nm", "distance_nm", 3), ("bearing", "bearing_deg", 1)):
        value = float(columns[column][row])
        if value == value:
            members[member] = round(value, digits)
    return msgspec.json.encode({**members, "hex": address})
