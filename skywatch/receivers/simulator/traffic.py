"""``Traffic``: plausible moving traffic as NumPy columns, and the reports that a receiver would make of it.

Airliners cross, climb out of and descend into airports, light aircraft and helicopters circle, some stand or taxi; some
are received by multilateration only, some without any position, and sometimes one squawks an emergency. Each aircraft
is moved to the time at which it was last received, so that positions agree with speed and track. No clock is read here.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.core import geo
from skywatch.receivers.reports.report import Report
from skywatch.receivers.simulator.fleet import STATE, TEXTS, WAITING, Fleet, Voice
from skywatch.receivers.simulator.paths import Column, locate
from skywatch.receivers.simulator.placement import Kind

RECEIVED_SHARE = 0.96  # of the aircraft, per second
POSITION_SHARE = 0.92  # of the received ones
MEAN_MESSAGES_S = 6.0
# Mean interval between emergencies, and their duration (s).
EMERGENCY_EVERY_S, EMERGENCY_LASTS_S = 400.0, (60.0, 240.0)
EMERGENCIES: tuple[tuple[str, str], ...] = (
    ("none", ""),
    ("general", "7700"),
    ("nordo", "7600"),
    ("unlawful", "7500"),
)
EMERGENCY_CHANCES = (0.0, 0.62, 0.34, 0.04)
MLAT_FIELDS = ["lat", "lon", "track", "gs", "baro_rate"]
# Who is so much beyond the radius has left.
BEYOND = 1.001
SWING_S = 240.0


class Traffic:
    """``count`` aircraft around ``centre`` (lat, lon in degrees) from ``now`` (unix seconds) on.

    They are within ``radius_nm``, or within the attribute of that name where so many cannot be kept apart in it;
    without ``separation`` they are not kept apart at all.
    """

    def __init__(
        self,
        count: int,
        centre: tuple[float, float],
        now: float,
        *,
        radius_nm: float = 150.0,
        ground_share: float = 0.08,
        seed: int | None = None,
        separation: bool = True,
    ) -> None:
        self._random = np.random.default_rng(seed)
        self._centre = centre
        self._fleet = Fleet(self._random, centre, radius_nm, ground_share, count, now, separation)
        self._profiles = self._fleet.placement.profiles
        self.radius_nm = self._fleet.placement.radius_nm
        self._now = now
        self.state: dict[str, Column] = {name: np.zeros(count, dtype) for name, dtype in STATE.items()}
        self.state["arc_nm"][:] = 1.0
        self.texts: dict[str, list[str]] = {name: [""] * count for name in TEXTS}
        for row in range(count):
            self._fleet.fill(self.state, self.texts, row, now, entering=False)
        self._move(np.arange(count), np.full(count, now))

    def step(self, now: float) -> int:
        """Advance to ``now``; returns the number of messages received since."""
        elapsed_s = max(now - self._now, 0.0)
        self._now = now
        left = np.flatnonzero(self._has_left(now))
        for row in left.tolist():
            self._fleet.fill(self.state, self.texts, row, now, entering=True)
        self._move(left, np.full(len(left), now))
        state = self.state
        is_received = (self._random.random(len(state["lat"])) < RECEIVED_SHARE) & (state["voice"] != WAITING)
        rows = np.flatnonzero(is_received)
        received_at = now - self._random.random(len(rows)) * min(elapsed_s, 0.9)
        received_at = np.maximum(received_at, state["moved_at"][rows])
        with_position = self._random.random(len(rows)) < POSITION_SHARE
        self._move(rows[with_position], received_at[with_position])
        state["seen_at"][rows] = received_at
        state["position_at"][rows[with_position]] = received_at[with_position]
        messages = 1 + self._random.poisson(MEAN_MESSAGES_S * elapsed_s * state["random"][rows])
        state["messages"][rows] += messages
        self._emergencies(now, elapsed_s)
        return int(messages.sum())

    def reports(self) -> list[Report]:
        """The receiver's state of every aircraft, as in aircraft.json."""
        reports: list[Report] = []
        for voice in Voice:
            rows = np.flatnonzero(self.state["voice"] == voice)
            if len(rows):
                reports += self._reports_of(voice, rows)
        return reports

    def positions_since(self, at: float) -> int:
        """The number of aircraft with a position received after this time."""
        positioned = np.isin(self.state["voice"], (Voice.ADSB, Voice.MLAT, Voice.SURFACE))
        return int(np.count_nonzero(positioned & (self.state["position_at"] > at)))

    def _has_left(self, now: float) -> Column:
        state = self.state
        away_nm = geo.distance_nm(state["lat"], state["lon"], *self._centre)
        # With a radius of half the Earth nothing is outside.
        outside = (away_nm > self.radius_nm * BEYOND) & (self.radius_nm < np.pi * geo.EARTH_RADIUS_NM)
        result: Column = outside | (state["ends_at"] < now) | (state["voice"] == WAITING)
        return result

    def _move(self, rows: Column, until: Column) -> None:
        """Bring aircraft to where they are, and how they move, at these times."""
        state = self.state
        elapsed_s = until - state["began_at"][rows]
        phase = 2 * np.pi * (until / SWING_S + state["random"][rows])
        swing_ft, gs = state["swing_ft"][rows], state["cruise_kt"][rows]
        flown_nm = gs * elapsed_s / 3600
        alt = state["cruise_ft"][rows] + swing_ft * np.sin(phase)
        rate = swing_ft * np.cos(phase) * (2 * np.pi * 60 / SWING_S)
        for number, flown in enumerate(self._profiles):
            on_it = np.flatnonzero(state["profile"][rows] == number)
            flown_nm[on_it], alt[on_it], gs[on_it], rate[on_it] = flown.at(elapsed_s[on_it])
        angle = state["angle"][rows] + flown_nm / state["arc_nm"][rows]
        lat, lon, track = locate(state["c"][rows], state["u"][rows], state["v"][rows], angle)
        state["lat"][rows], state["lon"][rows], state["track_deg"][rows] = lat, lon, track
        state["alt_ft"][rows], state["gs_kt"][rows], state["rate_fpm"][rows] = alt, gs, np.round(rate / 64) * 64
        state["moved_at"][rows] = until

    def _emergencies(self, now: float, elapsed_s: float) -> None:
        state = self.state
        over = (state["emergency"] > 0) & (state["emergency_until"] < now)
        state["emergency"][over] = 0
        if self._random.random() < 1 - np.exp(-elapsed_s / EMERGENCY_EVERY_S):
            airborne = np.flatnonzero(
                (state["kind"] != Kind.GROUND) & (state["emergency"] == 0) & (state["voice"] != WAITING)
            )
            if len(airborne):
                row = int(self._random.choice(airborne))
                state["emergency"][row] = self._random.choice(len(EMERGENCIES), p=EMERGENCY_CHANCES)
                state["emergency_until"][row] = now + self._random.uniform(*EMERGENCY_LASTS_S)

    def _reports_of(self, voice: Voice, rows: Column) -> list[Report]:
        """The reports of a group with the same fields; columns are converted to lists once."""
        state, now = self.state, self._now
        picked = rows.tolist()
        emergencies = state["emergency"][rows].tolist()
        fields: dict[str, Any] = {name: [values[row] for row in picked] for name, values in self.texts.items()}
        for row_in_group, index in enumerate(emergencies):
            if index:
                fields["squawk"][row_in_group] = EMERGENCIES[index][1]
        fields["r"] = [text or UNSET for text in fields["r"]]
        random = state["random"][rows]
        fields |= {
            "at": state["seen_at"][rows].tolist(),
            "seen": np.round(now - state["seen_at"][rows], 1).tolist(),
            "snapshot": repeat(True),
            "messages": state["messages"][rows].tolist(),
            "mlat": repeat([]),
            "tisb": repeat([]),
            "rssi": np.round(-4 - 28 * (1 - random) + self._random.normal(0, 0.4, len(rows)), 1).tolist(),
            "alert": repeat(0),
            "spi": repeat(0),
        }
        fields |= getattr(self, f"_{voice.name.lower()}_fields")(rows, fields)
        count = len(rows)
        columns = [fields.get(name) or repeat(default, count) for name, default in _DEFAULTS.items()]
        return list(map(Report, *columns))

    def _adsb_fields(self, rows: Column, texts: dict[str, Any]) -> dict[str, Any]:
        quality = np.where(self.state["random"][rows] < 0.1, 7, 8)
        return {
            **self._position(rows),
            **self._altitude(rows),
            **self._velocity(rows),
            "type": repeat("adsb_icao"),
            "emergency": [EMERGENCIES[index][0] for index in self.state["emergency"][rows].tolist()],
            "alt_geom": (np.round((self.state["alt_ft"][rows] * 1.03 + 125) / 25) * 25).astype(int).tolist(),
            "nic": quality.tolist(),
            "rc": np.where(quality == 8, 186, 371).tolist(),
            "version": repeat(2),
            "nac_p": (quality + 1).tolist(),
            "nac_v": repeat(1),
            "nic_baro": repeat(1),
            "sil": repeat(3),
            "sil_type": repeat("perhour"),
            "gva": repeat(2),
            "sda": repeat(2),
        }

    def _mlat_fields(self, rows: Column, texts: dict[str, Any]) -> dict[str, Any]:
        fields = {**self._position(rows), **self._altitude(rows), **self._velocity(rows)}
        return {**fields, "type": repeat("mlat"), "mlat": repeat(MLAT_FIELDS), "category": repeat(UNSET)}

    def _mode_s_fields(self, rows: Column, texts: dict[str, Any]) -> dict[str, Any]:
        return {**self._altitude(rows), "type": repeat("mode_s"), "category": repeat(UNSET)}

    def _surface_fields(self, rows: Column, texts: dict[str, Any]) -> dict[str, Any]:
        fields = {**self._position(rows), **self._velocity(rows)}
        del fields["baro_rate"]
        return {**fields, "type": repeat("adsb_icao"), "alt_baro": repeat("ground"), "nic": repeat(8)}

    def _surface_silent_fields(self, rows: Column, texts: dict[str, Any]) -> dict[str, Any]:
        return {"type": repeat("mode_s"), "alt_baro": repeat("ground"), "category": repeat(UNSET)}

    def _position(self, rows: Column) -> dict[str, Any]:
        state = self.state
        return {
            "lat": np.round(state["lat"][rows], 6).tolist(),
            "lon": np.round(state["lon"][rows], 6).tolist(),
            "position_at": state["position_at"][rows].tolist(),
            "seen_pos": np.round(self._now - state["position_at"][rows], 3).tolist(),
        }

    def _altitude(self, rows: Column) -> dict[str, Any]:
        return {"alt_baro": (np.round(self.state["alt_ft"][rows] / 25) * 25).astype(int).tolist()}

    def _velocity(self, rows: Column) -> dict[str, Any]:
        state = self.state
        return {
            "gs": np.round(state["gs_kt"][rows], 1).tolist(),
            "track": (np.round(state["track_deg"][rows], 2) % 360).tolist(),
            "baro_rate": state["rate_fpm"][rows].astype(int).tolist(),
        }


# The fields of a report in their order, with the defaults for groups without them.
_DEFAULTS: dict[str, Any] = {name: 0.0 if name in ("at", "position_at") else UNSET for name in Report.__struct_fields__}
