"""Builds a ``Sky`` from merged reports and accepted positions: members, encoded objects, columns, and changes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.airframes.cache import AirframeCache
from skywatch.airframes.service import Airframe
from skywatch.core import geo
from skywatch.core.arrays import Array
from skywatch.picture.members import SteadyMembers
from skywatch.picture.merging.reported import Gathered
from skywatch.picture.positions.accepted import Positions
from skywatch.picture.state.aircraft_json import AS_REPORTED, content, encode
from skywatch.picture.state.columns import fill
from skywatch.picture.state.fields import MLAT_TRUST, POSITION_LIFETIME_S, TISB_SOURCES
from skywatch.picture.state.own_antenna import SIMULATED
from skywatch.picture.state.routes import LiveRoutes
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import Sky, empty_sky
from skywatch.picture.state.visits import SEEN_BEFORE_DAYS, LiveVisits
from skywatch.receivers.reports.report import SOURCES
from skywatch.receivers.reports.report_columns import GROUND, are_said, present

# Longest wait of a tick for the airframes of new aircraft, so that a military one is never shown as a civil one (s).
AIRFRAME_WAIT_S = 0.05
# A difference in one of these columns always is a difference in the object.
DECISIVE = ("lat", "lon", "alt_baro_ft", "gs_kt", "track_deg")


@dataclass(frozen=True, kw_only=True)
class _Geometry:
    """Where aircraft are, one row each: NaN where a position is missing or has expired.

    ``receiver`` is the index of the receiver of the position, or of the last report where there is none.
    """

    lat: Array
    lon: Array
    distance_nm: Array
    bearing_deg: Array
    position_at: Array
    receiver: Array
    mlat: Array
    tisb: Array
    position_source: Array
    simulated: Array

    def columns(self) -> dict[str, Array]:
        """The columns of the sky, by name."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return columns | {name: columns[name].astype("f4") for name in ("distance_nm", "bearing_deg")}


class Assembly:
    """Builds consecutive skies; compares each with the last one to mark changes."""

    def __init__(
        self,
        epoch: str,
        station: tuple[float, float] | None,
        airframes: AirframeCache | None = None,
        exact_station: tuple[float, float] | None = None,
        routes: LiveRoutes | None = None,
        visits: LiveVisits | None = None,
    ) -> None:
        self.epoch = epoch
        self.station, self.exact_station = station, exact_station
        self._airframes = airframes
        self._routes = routes or LiveRoutes()
        self._visits = visits or LiveVisits()
        self._steady = SteadyMembers()
        self._seq = 0
        self._last = empty_sky()

    def take_reported_military(self) -> set[str]:
        """Return the aircraft that receivers have reported as military since the last call."""
        reported, self._steady.reported_military = self._steady.reported_military, set()
        return reported

    def sky(
        self,
        now: float,
        messages: int,
        gathered: Gathered,
        positions: Positions,
        first_seen: Array,
        previous_row: Array,
        left: tuple[str, ...],
        receivers: tuple[str, ...],
        is_single: list[bool] | None = None,
        origins: Array | None = None,
    ) -> Sky:
        """The sky of this tick; rows are those of ``gathered``, ``previous_row`` where they were in the last one.

        ``is_single`` says of each row whether only one untrusted feeder has ever heard it (None: of none), ``origins``
        u1[receivers] where each receiver hears aircraft (``own_antenna``; None: at the station).
        """
        geometry = self._geometry(now, gathered, positions, origins)
        seen_at = gathered.values.numbers("at")
        rows = RowMap(previous_row)

        steady = self._steady.follow(gathered.hexes, gathered.values, self._lookup(gathered.hexes), first_seen, rows)
        members = self._members(now, gathered, geometry, seen_at, receivers)
        members["hex"] = steady.openings
        if is_single is not None:
            members["single_source"] = [True if single else UNSET for single in is_single]
        encoded, details = encode(members), steady.details
        said_at = seen_at if gathered.said_at is None else np.array(gathered.said_at)
        has_state = gathered.values.array("emergency", are_said)
        columns = fill(gathered.values.numbers, members, steady.columns, has_state, said_at, gathered.times)
        columns |= geometry.columns()
        columns |= {"seen_at": seen_at, "first_seen": first_seen, "previous_row": previous_row}
        routes, rerouted = self._routes.columns(gathered.index, rows, columns["flight"])
        columns |= routes
        columns[SEEN_BEFORE_DAYS] = self._visits.column(gathered.index, rows)
        columns["changed"] = self._changed(columns, encoded, details, previous_row)
        columns["changed"][rerouted] = True
        self._seq += 1
        self._last = Sky(
            self.epoch,
            self._seq,
            now,
            messages,
            gathered.hexes,
            columns,
            encoded,
            details,
            left,
            receivers,
            self.station,
            steady.names,
            self.exact_station,
        )
        return self._last

    def _geometry(self, now: float, gathered: Gathered, positions: Positions, origins: Array | None) -> _Geometry:
        current = now - positions.at <= POSITION_LIFETIME_S
        lat = np.where(current, positions.lat, np.nan)
        lon = np.where(current, positions.lon, np.nan)
        distance_nm, bearing_deg = self._from_station(lat, lon)
        is_known = ~np.isnan(lat) & (positions.trust < len(SOURCES))
        source = positions.trust + np.uint8(1)
        receiver = np.where(current, positions.receiver, gathered.receiver)
        simulated = np.zeros(len(lat), "?")
        if origins is not None:
            source = source | origins[positions.receiver]
            simulated = origins[receiver] & SIMULATED > 0
        return _Geometry(
            lat=lat,
            lon=lon,
            distance_nm=distance_nm,
            bearing_deg=bearing_deg,
            position_at=np.where(current, positions.at, np.nan),
            receiver=receiver.astype("u2"),
            mlat=current & (positions.trust == MLAT_TRUST),
            tisb=current & np.isin(positions.trust, TISB_SOURCES),
            position_source=np.where(is_known, source, 0).astype("u1"),
            simulated=simulated,
        )

    def _members(
        self,
        now: float,
        gathered: Gathered,
        geometry: _Geometry,
        seen_at: Array,
        receivers: tuple[str, ...],
    ) -> dict[str, list[Any]]:
        """The members of the encoded objects that change every second: a list by name, a value a row."""
        members: dict[str, list[Any]] = {name: gathered.values[name] for name in AS_REPORTED}
        members |= {
            "on_ground": (gathered.values.numbers("alt_baro") == GROUND).tolist(),
            "lat": present(geometry.lat),
            "lon": present(geometry.lon),
            "distance_nm": present(np.round(geometry.distance_nm, 3)),
            "bearing": present(np.round(geometry.bearing_deg, 1)),
            "receiver": list(map(receivers.__getitem__, geometry.receiver.tolist())),
            "disputed": [UNSET] * len(gathered.hexes),
            "single_source": [UNSET] * len(gathered.hexes),
            "simulated": [UNSET] * len(gathered.hexes),
            "seen": present(np.round(np.maximum(now - seen_at, 0.0), 1)),
            "seen_pos": present(np.round(np.maximum(now - geometry.position_at, 0.0), 3)),
        }
        for row, names in gathered.disputed.items():
            members["disputed"][row] = names
        for row in np.flatnonzero(geometry.simulated).tolist():
            members["simulated"][row] = True
        return members

    def _lookup(self, hexes: list[str]) -> list[Airframe | None]:
        if self._airframes is None:
            return [None] * len(hexes)
        return self._airframes.lookup(hexes, AIRFRAME_WAIT_S)

    def _from_station(self, lat: Array, lon: Array) -> tuple[Array, Array]:
        if self.station is None:
            nothing = np.full(len(lat), np.nan)
            return nothing, nothing
        return geo.distance_nm(*self.station, lat, lon), geo.bearing_deg(*self.station, lat, lon)

    def _changed(
        self, columns: dict[str, Array], encoded: list[bytes], details: list[bytes], previous_row: Array
    ) -> Array:
        """The mask of aircraft that are new, moved, or differ in more than ages, counts and signal strength."""
        changed = previous_row < 0
        existing = np.flatnonzero(~changed)
        before = previous_row[existing]
        # Most aircraft move; only the objects of the others need to be compared.
        for name in DECISIVE:
            now, then = columns[name][existing], self._last.columns[name][before]
            changed[existing] |= (now != then) & ~(np.isnan(now) & np.isnan(then))
        encoded_before, details_before = self._last.encoded, self._last.details
        rows = np.flatnonzero(~changed)
        for row, old in zip(rows.tolist(), previous_row[rows].tolist(), strict=True):
            if details_before[old] != details[row] or content(encoded_before[old]) != content(encoded[row]):
                changed[row] = True
        return changed
