"""``DividedAircraft``: aircraft about which feeders agree in two groups, each on something else.

Agreement is no proof then: the frames of such an aircraft are decoded for each feeder alone, and the picture counts
the voices of each side.
"""

from __future__ import annotations

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.receivers.feeder_streams.reducer.columns import ALT_BARO, FIELD, FIELDS, GS, LAT, LON, ReducedColumns
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.position.plausibility import distance_nm
from skywatch.receivers.mode_s.values import ON_GROUND_ALT

# What two feeders may differ by: scatter (nm), climb (ft/s, ft), acceleration (kt/s, kt).
SCATTER_NM, SLOWEST_KT, SPEED_FACTOR = 0.3, 200.0, 4 / 3
ALTITUDE_FT, CLIMB_FT_S = 300.0, 100.0
SPEED_KT, ACCELERATION_KT_S = 40.0, 5.0
EQUAL = ("flight", "squawk", "emergency")
# The fields that a contradiction is about.
POSITION, ALTITUDE, SPEED = (LAT, LON), (ALT_BARO, FIELD["baro_rate"]), (GS, FIELD["track"])
SUBJECTS = (POSITION, ALTITUDE, SPEED, *((FIELD[name],) for name in EQUAL))
MOVING = slice(0, 3)
# What the values of one second may differ by, by field.
IN_SECOND = {
    "alt_baro": ALTITUDE_FT + CLIMB_FT_S,
    "gs": SPEED_KT + ACCELERATION_KT_S,
    **dict.fromkeys(EQUAL, 0.0),
}
# An aircraft stays divided for so long after its feeders contradicted each other last; at most so many are at once, for
# each costs as many decoded frames as it has hearers.
DIVIDED_S, MOST = 30.0, 200
# What was agreed without contradiction for so long (s) keeps its weight for a while; else it may be of both sides.
STEADY_S = 5.0
# The voices that agree are the most of so long (s).
MAX_LATELY_S = 10.0
# What a feeder said so long ago is compared with what others say now (s): what changes every second, and the rest.
RECENT_S, SLOW_RECENT_S = 2.0, 15.0
_NOTHING = np.empty(0, np.int64)


class LastSaid:
    """The last value of each field by ``key`` i8[n], ascending: ``values`` and ``at`` (unix s) f8[n, FIELDS].

    ``voices`` u1[n] are the most that said so lately, and something was said ``since`` f8[n] (unix s).
    """

    def __init__(self) -> None:
        self.key = _NOTHING
        self.values = np.empty((0, len(FIELDS)))
        self.at = np.empty((0, len(FIELDS)))
        self.voices = np.empty(0, np.uint8)
        self.since, self._most_at = np.empty(0), np.empty(0)

    def forget(self, chosen: Column) -> None:
        """Forget the keys of a mask."""
        if chosen.any():
            self.key, self.values, self.at = self.key[~chosen], self.values[~chosen], self.at[~chosen]
            self.voices, self.since = self.voices[~chosen], self.since[~chosen]
            self._most_at = self._most_at[~chosen]

    def learn(self, key: Column, reports: ReducedColumns, forget_before: float) -> None:
        """Take over reports, and forget keys of which nothing was said since a time (unix s)."""
        alive = self.at.max(1, initial=-np.inf) >= forget_before
        union = distinct(np.concatenate((self.key[alive], key)))
        values, at = np.full((len(union), len(FIELDS)), np.nan), np.full((len(union), len(FIELDS)), -np.inf)
        voices, most_at, since = (
            np.zeros(len(union), np.uint8),
            np.full(len(union), -np.inf),
            np.full(len(union), np.inf),
        )
        before, places = union.searchsorted(self.key[alive]), union.searchsorted(key)
        values[before], at[before] = self.values[alive], self.at[alive]
        voices[before], most_at[before], since[before] = self.voices[alive], self._most_at[alive], self.since[alive]
        rows, fields = np.nonzero(~np.isnan(reports.values))
        times = np.repeat(reports.at[:, None], len(FIELDS), 1)
        times[:, LAT] = times[:, LON] = reports.position_at
        values[places[rows], fields] = reports.values[rows, fields]
        at[places[rows], fields] = times[rows, fields]
        # Not everybody hears every transmission.
        is_most = (reports.voices >= voices[places]) | (reports.at - most_at[places] > MAX_LATELY_S)
        voices[places[is_most]], most_at[places[is_most]] = reports.voices[is_most], reports.at[is_most]
        since[places] = np.minimum(since[places], reports.at)
        self.key, self.values, self.at = union, values, at
        self.voices, self._most_at, self.since = voices, most_at, since


def contradictions(reports: ReducedColumns, said: Column, said_at: Column) -> Column:
    """?[n, SUBJECTS]: about what reports contradict values that were said before, both f8[n, FIELDS]."""
    mine = reports.values
    elapsed = np.abs(reports.position_at - said_at[:, LAT])
    speed = np.fmax(np.fmax(said[:, GS], mine[:, GS]) * SPEED_FACTOR, SLOWEST_KT)
    age = np.abs(reports.at[:, None] - said_at)
    with np.errstate(invalid="ignore"):
        apart = distance_nm(said[:, LAT], said[:, LON], mine[:, LAT], mine[:, LON])
        moved = apart > SCATTER_NM + speed * (np.nan_to_num(elapsed, posinf=0.0) + 1.0) / 3600
        is_on_ground = said[:, ALT_BARO] == ON_GROUND_ALT, mine[:, ALT_BARO] == ON_GROUND_ALT
        climbed = np.abs(said[:, ALT_BARO] - mine[:, ALT_BARO]) > ALTITUDE_FT + CLIMB_FT_S * age[:, ALT_BARO]
        climbed &= is_on_ground[0] == is_on_ground[1]
        sped = np.abs(said[:, GS] - mine[:, GS]) > SPEED_KT + ACCELERATION_KT_S * age[:, GS]
        renamed = [np.abs(said[:, FIELD[name]] - mine[:, FIELD[name]]) > 0 for name in EQUAL]
    return np.stack([moved, climbed, sped, *renamed], 1)


class DividedAircraft:
    """``addresses`` i8[n], ascending, are 24 bits each."""

    def __init__(self) -> None:
        self.addresses = _NOTHING
        self._until: dict[int, float] = {}
        # By lane and address.
        self._said = LastSaid()

    def mask(self, addresses: Column) -> Column:
        """?[n]: which addresses are divided."""
        if not len(self.addresses):
            return np.zeros(len(addresses), np.bool_)
        return np.isin(addresses & 0xFFFFFF, self.addresses)

    def add(self, addresses: Column, now: float) -> None:
        """Feeders contradicted each other about aircraft (unix s); others are no longer divided in time."""
        if not len(addresses) and not self._until:
            return
        for address in (addresses & 0xFFFFFF).tolist():
            if address in self._until or len(self._until) < MOST:
                self._until[address] = now + DIVIDED_S
        self._until = {address: until for address, until in self._until.items() if until > now}
        self.addresses = np.array(sorted(self._until), np.int64)

    def look(self, alone: ReducedColumns, now: float) -> None:
        """Note whether single feeders still contradict each other about divided aircraft."""
        if not self._until:
            return
        alone = alone[self.mask(alone.address)]
        lane_and_address = (alone.lane << 24) | (alone.address & 0xFFFFFF)
        order = np.argsort(alone.at, kind="stable")
        self._said.learn(lane_and_address[order], alone[order], now - SLOW_RECENT_S)
        self.add(self._contradicted(now), now)

    def _contradicted(self, now: float) -> Column:
        said = self._said
        address = said.key & 0xFFFFFF
        order = np.argsort(address, kind="stable")
        address, values, at = address[order], said.values[order], said.at[order]
        starts = np.flatnonzero(np.diff(address, prepend=-1))
        if not len(starts):
            return address
        is_on_ground = values[:, ALT_BARO] == ON_GROUND_ALT
        differs = np.zeros(len(starts), np.bool_)
        for place, tolerance, per_s, recent_s in (
            (LAT, SCATTER_NM / 60, SLOWEST_KT * SPEED_FACTOR * SPEED_FACTOR / 3600 / 60, RECENT_S),
            (ALT_BARO, ALTITUDE_FT, CLIMB_FT_S, RECENT_S),
            (GS, SPEED_KT, ACCELERATION_KT_S, RECENT_S),
            *((FIELD[name], 0.0, 0.0, SLOW_RECENT_S) for name in EQUAL),
        ):
            column = np.where(now - at[:, place] <= recent_s, values[:, place], np.nan)
            if place == ALT_BARO:
                column = np.where(is_on_ground, np.nan, column)
            spread = np.fmax.reduceat(column, starts) - np.fmin.reduceat(column, starts)
            with np.errstate(invalid="ignore"):
                differs |= spread > tolerance + per_s * 2 * recent_s
        return address[starts[differs]]
