"""Decodes extended squitters (DF17/18), and stores in the table what later ones need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.bits import field, flag
from skywatch.receivers.mode_s.codes import NO_ALTITUDE
from skywatch.receivers.mode_s.content.comm_b import Sent
from skywatch.receivers.mode_s.content.identification import decode_identification
from skywatch.receivers.mode_s.content.status import (
    OperationalStatus,
    decode_aircraft_status,
    decode_operational_status,
    decode_test_message,
)
from skywatch.receivers.mode_s.content.surveillance import decode_capability
from skywatch.receivers.mode_s.content.target_state import decode_target_state
from skywatch.receivers.mode_s.content.velocity import decode_velocity
from skywatch.receivers.mode_s.decoded import Decoded
from skywatch.receivers.mode_s.frames.order import Altitudes, Frames, by_aircraft, carried, latest
from skywatch.receivers.mode_s.position import plausibility
from skywatch.receivers.mode_s.position.fields import decode_airborne, decode_surface
from skywatch.receivers.mode_s.position.frames import PositionFrames
from skywatch.receivers.mode_s.position.integrity import integrity
from skywatch.receivers.mode_s.position.positions import Resolver

# Barometric altitude and the difference to the geometric one come in different squitters; added up within this time.
ALTITUDE_AGE_S = 5.0

_IDENTIFICATION, _SURFACE, _AIRBORNE, _VELOCITY, _TEST, _STATUS, _TARGET, _OPERATIONAL = range(1, 9)
_KIND_OF_TYPE_CODE = np.zeros(32, np.uint8)
_KIND_OF_TYPE_CODE[1:5] = _IDENTIFICATION
_KIND_OF_TYPE_CODE[5:9] = _SURFACE
_KIND_OF_TYPE_CODE[[0, *range(9, 19), 20, 21, 22]] = _AIRBORNE
_KIND_OF_TYPE_CODE[[19, 23, 28, 29, 31]] = _VELOCITY, _TEST, _STATUS, _TARGET, _OPERATIONAL

_STATELESS = {_STATUS: decode_aircraft_status, _TARGET: decode_target_state, _TEST: decode_test_message}
_NO_CALLSIGNS, _NO_ALTITUDES = Sent.nothing(), Altitudes.nothing()


class References(NamedTuple):
    """The callsigns and altitudes of squitters, which other frames are compared with."""

    callsigns: Sent
    altitudes: Altitudes


def remember_altitudes(altitudes: Altitudes, table: Column) -> None:
    """Store what the next batch needs, once the replies of this one have been compared with what was before it."""
    aircraft = altitudes.frames.aircraft
    table["alt_baro"][aircraft] = altitudes.altitude_ft
    table["alt_time"][aircraft] = altitudes.time


class Squitters(NamedTuple):
    """Good DF17 and DF18 frames, one entry per frame; ``frames`` are their rows."""

    frames: Frames
    time: Column
    me: Column
    capability: Column  # of DF17, 0 for DF18
    direct: Column  # from the aircraft itself, not TIS-B or ADS-R

    def pick(self, chosen: Column) -> Squitters:
        """The squitters with these indices, which are ascending."""
        if len(chosen) == len(self.time):
            return self
        return self.in_order(chosen)

    def in_order(self, chosen: Column) -> Squitters:
        """The squitters with these indices, in their order."""
        return Squitters(
            self.frames.where(chosen), self.time[chosen], self.me[chosen], self.capability[chosen], self.direct[chosen]
        )


class SquitterBatch:
    """Decodes the squitters of one batch against the rows of the aircraft table."""

    def __init__(self, out: Decoded, squitters: Squitters, table_rows: Column, resolver: Resolver) -> None:
        self._out = out
        self._squitters = squitters
        self._type_code = squitters.me >> 51
        self._table = table_rows
        self._resolver = resolver
        self._operational: OperationalStatus | None = None

    def decode(self) -> References:
        """Set the fields of the squitters and update the table."""
        kind = _KIND_OF_TYPE_CODE[self._type_code]
        counts = np.bincount(kind, minlength=_OPERATIONAL + 1).tolist()
        present = [k for k, count in enumerate(counts) if count]
        chosen = {k: (kind == k).nonzero()[0] for k in present}
        if _OPERATIONAL in chosen:
            status = self._squitters.pick(chosen[_OPERATIONAL])
            self._operational = decode_operational_status(self._out, status.frames, status.me)
        altitudes = self._positions(chosen.get(_AIRBORNE), chosen.get(_SURFACE))
        if _VELOCITY in chosen:
            self._velocities(self._squitters.pick(chosen[_VELOCITY]), altitudes)
        for k, decode in _STATELESS.items():
            if k in chosen:
                decode(self._out, self._squitters.frames.rows[chosen[k]], self._squitters.me[chosen[k]])
        # Positions are more reliable than the capability for the ground state.
        others = ((kind != _AIRBORNE) & (kind != _SURFACE)).nonzero()[0]
        if len(others):
            decode_capability(self._out, self._squitters.frames.rows[others], self._squitters.capability[others])
        self._remember()
        return References(self._identifications(chosen.get(_IDENTIFICATION)), altitudes)

    def _identifications(self, chosen: Column | None) -> Sent:
        if chosen is None:
            return _NO_CALLSIGNS
        sent = self._squitters.pick(chosen)
        valid, callsigns = decode_identification(self._out, sent.frames.rows, sent.me, self._type_code[chosen])
        return Sent(sent.frames.rows[valid], sent.frames.aircraft[valid], callsigns[valid])

    def _operational_value(self, name: str, queries: Frames, by_surface_only: bool = False) -> Column:
        """The value in the last operational status before each frame: of the batch, else of the table."""
        before = self._table[name][queries.aircraft]
        if self._operational is None:
            return before
        events, values = self._operational.frames, getattr(self._operational, name)
        if by_surface_only:
            surface = self._operational.surface
            events, values = events.where(surface), values[surface]
        return carried(latest(events, queries, len(self._out)), values, before)

    def _positions(self, airborne: Column | None, surface: Column | None) -> Altitudes:
        """Position squitters; returns the barometric altitudes that they carry."""
        pieces, altitudes = [], _NO_ALTITUDES
        if airborne is not None:
            sent = self._squitters.pick(airborne)
            type_code = self._type_code[airborne]
            altitude_ft = decode_airborne(self._out, sent.frames.rows, sent.me, type_code, sent.capability)
            valid = altitude_ft != NO_ALTITUDE
            altitudes = Altitudes(sent.frames, sent.time, altitude_ft)
            if not valid.all():
                altitudes = Altitudes(sent.frames.where(valid), sent.time[valid], altitude_ft[valid])
            empty = _empty(sent.me, type_code)
            if empty.any():
                self._resolver.counts.empty += int(np.count_nonzero(empty & (type_code != 0)))
                airborne = airborne[~empty]
            pieces.append((airborne, np.full(len(airborne), plausibility.AIRBORNE_PAIR_S)))
        if surface is not None:
            sent = self._squitters.pick(surface)
            heading_is = self._operational_value("surface_heading", sent.frames, by_surface_only=True)
            speed_kt = decode_surface(self._out, sent.frames.rows, sent.me, heading_is)
            slow = speed_kt <= plausibility.SLOW_SURFACE_KT
            limit = np.where(slow, plausibility.SLOW_SURFACE_PAIR_S, plausibility.SURFACE_PAIR_S)
            pieces.append((surface, limit))
        if len(pieces) == 1:
            self._resolve(*pieces[0])
        elif pieces:
            chosen, limit = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
            arrival = np.argsort(chosen)
            self._resolve(chosen[arrival], limit[arrival])
        return altitudes

    def _resolve(self, chosen: Column, limit: Column) -> None:
        """The positions of these squitters, which are in the order of arrival, and their integrity."""
        if not len(chosen):
            return
        order = by_aircraft(self._squitters.frames.aircraft[chosen])
        chosen, limit = chosen[order], limit[order]
        sent = self._squitters.in_order(chosen)
        type_code = self._type_code[chosen]
        frames = PositionFrames(
            aircraft=sent.frames.aircraft,
            time=sent.time,
            odd=field(sent.me, 22, 22),
            lat_code=field(sent.me, 23, 39),
            lon_code=field(sent.me, 40, 56),
            limit=limit,
            surface=(type_code >= 5) & (type_code <= 8),
        )
        resolved, lat, lon = self._resolver.resolve(frames, self._table)
        queries, direct, me = sent.frames, sent.direct, sent.me
        if not resolved.all():
            queries, direct, me = queries.where(resolved), direct[resolved], me[resolved]
            lat, lon, type_code = lat[resolved], lon[resolved], type_code[resolved]
        rows = queries.rows
        self._out.put("lat", rows, lat)
        self._out.put("lon", rows, lon)
        nic, rc_m = integrity(
            self._operational_value("version", queries),
            type_code,
            self._operational_value("nic_a", queries),
            flag(me, 8) & direct,
            self._operational_value("nic_c", queries, by_surface_only=True),
        )
        self._out.put("nic", rows, nic)
        self._out.put("rc", rows, rc_m)

    def _velocities(self, sent: Squitters, altitudes: Altitudes) -> None:
        true_heading = self._operational_value("true_heading", sent.frames)
        has_difference, difference_ft = decode_velocity(self._out, sent.frames.rows, sent.me, true_heading)
        queries, time = sent.frames.where(has_difference), sent.time[has_difference]
        event = latest(altitudes.frames, queries, len(self._out))
        altitude_ft = carried(event, altitudes.altitude_ft, self._table["alt_baro"][queries.aircraft])
        at = carried(event, altitudes.time, self._table["alt_time"][queries.aircraft])
        fresh = np.abs(time - at) <= ALTITUDE_AGE_S
        self._out.put_where("alt_geom", fresh, queries.rows, altitude_ft + difference_ft[has_difference])

    def _remember(self) -> None:
        """Store what later squitters need, but for the altitudes; for repeated rows the last one remains."""
        table, status = self._table, self._operational
        if status is not None:
            aircraft = status.frames.aircraft
            table["version"][aircraft] = status.version
            table["nic_a"][aircraft] = status.nic_a
            table["true_heading"][aircraft] = status.true_heading
            table["nic_c"][aircraft[status.surface]] = status.nic_c[status.surface]
            table["surface_heading"][aircraft[status.surface]] = status.surface_heading[status.surface]


def _empty(me: Column, type_code: Column) -> Column:
    """?[n]: airborne position squitters without a position.

    Type code 0 has none. Some transponders without a position send zeros: in both fields, or (seen of helicopters
    and commuter aircraft by the authors of dump1090) with type code 15 and altitude, longitude and the lower twelve
    bits of latitude zero.
    """
    empty: Column = type_code == 0
    # The longitude is in the lowest bits.
    suspects = ((me & 0x1FFFF) == 0).nonzero()[0]
    if len(suspects):
        me, lat_code = me[suspects], field(me[suspects], 23, 39)
        is_idle = (type_code[suspects] == 15) & (field(me, 9, 20) == 0) & (lat_code & 0xFFF == 0)
        empty[suspects] |= (lat_code == 0) | is_idle
    return empty
