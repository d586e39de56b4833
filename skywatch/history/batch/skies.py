"""Past pictures as skies for detectors: columns only, from stored points and the facts of flights.

Positions are brought to each moment along the track, and the vertical rate is that between the two points around it.
What history does not store is unknown; positions count as the aircraft's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from skywatch.history.batch.archived_day import FlightFacts
from skywatch.history.moments.interpolation import Column, Positions, sweep
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    DEGREES,
    GAP,
    GROUND,
    MILITARY,
    NO_ALTITUDE,
    SIMULATED,
    UNKNOWN,
    Points,
    address_text,
    identity,
    starts_of,
)
from skywatch.picture.state.sky import COLUMNS, Sky, unknown_column
from skywatch.receivers.reports.report import SOURCE_INDEX

KIND = GROUND | NO_ALTITUDE
# Without any aircraft there are skies for so long (s): what needs time to end has ended then.
EMPTY_S = 300.0
_TEXTS = {"flight": "callsign", "registration": "registration", "type": "aircraft_type", "category": "category"}


class SkyColumns:
    """Makes consecutive skies of windows that follow each other; rows are linked by address."""

    def __init__(self, facts: Mapping[int, FlightFacts]) -> None:
        self._facts = facts
        self._seq = 0
        self._seen_at = float("-inf")
        self._rows: dict[str, int] = {}
        self._first_seen: dict[str, float] = {}

    def skies(self, points: Points, moments: Column) -> Iterator[Sky]:
        """The sky at each of ``moments`` (unix s), which ``points`` (in order) determine; without aircraft but few."""
        starts = starts_of(points)
        flights = _Flights(points, starts, self._facts)
        tracks = _Segments(points)
        previous = np.array([self._rows.get(address, -1) for address in flights.addresses], "i4")
        first_seen = np.array([self._first_seen.get(address, np.nan) for address in flights.addresses])
        times = np.rint(moments * 1000).astype(np.int64)
        for batch in sweep(points, times):
            end = 0
            for index, count in enumerate(batch.counts.tolist()):
                begin, end = end, end + count
                now = float(times[batch.first + index]) / 1000
                if count:
                    self._seen_at = now
                elif now - self._seen_at > EMPTY_S:
                    continue
                which = batch.flight[begin:end]
                aircraft = flights.aircraft[which]
                first_seen[aircraft] = np.fmin(first_seen[aircraft], now)
                positions = Positions(*(getattr(batch.positions, name)[begin:end] for name in _FIELDS))
                columns = _columns(tracks, positions, now)
                for name, values in flights.columns.items():
                    columns[name] = values[which]
                columns["previous_row"] = previous[aircraft]
                columns["first_seen"] = first_seen[aircraft]
                previous = np.full(len(previous), -1, "i4")
                previous[aircraft] = np.arange(count)
                self._seq += 1
                hexes = flights.hexes[aircraft].tolist()
                yield Sky("past", self._seq, now, 0, hexes, columns, [], [])
        self._rows = {flights.addresses[index]: int(previous[index]) for index in np.flatnonzero(previous >= 0)}
        self._first_seen = {address: float(first_seen[flights.number[address]]) for address in self._rows}


_FIELDS = tuple(Positions.__dataclass_fields__)


class _Flights:
    """The tracks of a window: which aircraft each is, and its constant columns."""

    def __init__(self, points: Points, starts: Column, facts: Mapping[int, FlightFacts]) -> None:
        codes, self.aircraft = np.unique(identity(points)[starts], return_inverse=True)
        self.addresses = [address_text(code) for code in codes.tolist()]
        self.number = {address: index for index, address in enumerate(self.addresses)}
        self.hexes = np.array(self.addresses, object)
        of_tracks = [facts.get(flight) for flight in points["flight"][starts].tolist()]
        self.columns: dict[str, Column] = {
            name: np.array(
                [
                    ((getattr(flight, field) if flight else None) or "").encode("ascii", "replace")
                    for flight in of_tracks
                ],
                COLUMNS[name],
            )
            if of_tracks
            else np.zeros(0, COLUMNS[name])
            for name, field in _TEXTS.items()
        }
        by_fact = np.array([flight is not None and flight.military for flight in of_tracks], bool)
        self.columns["military"] = by_fact | (points["aircraft"][starts] & MILITARY > 0)
        self.columns["simulated"] = points["flags"][starts] & SIMULATED > 0


class _Segments:
    """What changes between two points of a segment: vertical rate, and speed and track, which follow a turn."""

    def __init__(self, points: Points) -> None:
        count = len(points)
        self.flags = points["flags"]
        self.rates = np.full(count, np.nan, "f4")
        self._at_s = points["at"] / 100.0
        self._per_s = np.zeros(count)
        self._gs, self._track = points["gs"].astype("f4"), points["track"].astype("f4")
        self._more_gs, self._more_track = np.zeros(count, "f4"), np.zeros(count, "f4")
        self._gs[points["gs"] == UNKNOWN], self._track[points["track"] == UNKNOWN] = np.nan, np.nan
        if count < 2:
            return
        before, after = points[:-1], points[1:]
        is_joined = (
            (before["aircraft"] == after["aircraft"])
            & (before["flight"] == after["flight"])
            & (after["flags"] & GAP == 0)
            & ((before["flags"] ^ after["flags"]) & KIND == 0)
        )
        seconds = np.maximum(after["at"] - before["at"], 1) / 100.0
        self._per_s[:-1] = np.where(is_joined, 1.0 / seconds, 0.0)
        climbed = (after["alt"].astype("i8") - before["alt"]) * ALTITUDE_FT
        is_known = is_joined & (before["flags"] & KIND == 0)
        self.rates[:-1] = np.where(is_known, climbed * 60.0 / seconds, np.nan)
        self._more_gs[:-1] = np.nan_to_num(np.diff(self._gs))
        self._more_track[:-1] = np.nan_to_num((np.diff(self._track) + 180.0) % 360.0 - 180.0)

    def velocity(self, row: Column, now: float) -> tuple[Column, Column]:
        """Ground speed (kt) and track (degrees) at a moment after the points in these rows."""
        share = ((now - self._at_s[row]) * self._per_s[row]).astype("f4")
        gs: Column = self._gs[row] + self._more_gs[row] * share
        track: Column = (self._track[row] + self._more_track[row] * share) % np.float32(360.0)
        return gs, track


def _columns(tracks: _Segments, positions: Positions, now: float) -> dict[str, Column]:
    count = len(positions.row)
    columns = _Unknown(count)
    flags = tracks.flags[positions.row]
    on_ground = flags & GROUND > 0
    columns["on_ground"] = on_ground
    columns["lat"], columns["lon"] = positions.lat * DEGREES, positions.lon * DEGREES
    altitude = (positions.alt * ALTITUDE_FT).astype("f4")
    columns["alt_baro_ft"] = np.where(flags & KIND > 0, np.float32(np.nan), altitude)
    columns["gs_kt"], columns["track_deg"] = tracks.velocity(positions.row, now)
    columns["baro_rate_fpm"] = tracks.rates[positions.row]
    heard = now - positions.age_ms / 1000.0
    for name in ("seen_at", "position_at", "altitude_at", "velocity_at"):
        columns[name] = heard
    columns["source"] = np.full(count, SOURCE_INDEX["adsb_icao"], "u1")
    columns["changed"] = np.ones(count, bool)
    return columns


class _Unknown(dict[str, Column]):
    """Columns of which those that nobody has set are made when they are asked for."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, name: str) -> Column:
        column = self[name] = unknown_column(name, self._count)
        return column
