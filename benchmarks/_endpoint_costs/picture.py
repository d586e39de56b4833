"""A sky of so many aircraft with all that a good receiver gives, and the trail of a flight that was long in sight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skywatch.core.clock import unix_now
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.trail import MAX_POINTS, TrailStore
from tests.skies import sky_of

# An aircraft whose trail is as long as trails become.
WATCHED = "4b0000"
# Long enough, with a point kept every second, that the trail is full.
TRAIL_S = MAX_POINTS + 100
EVERY_MILITARY = 20


def picture(count: int) -> Sky:
    """The sky; every twentieth aircraft is military, and all have airframes."""
    rng = np.random.default_rng(1)
    return sky_of(*(_aircraft(number, rng) for number in range(count)), now=unix_now())


def _aircraft(number: int, rng: Any) -> dict[str, Any]:
    lat, lon, altitude, speed, track = rng.random(5).tolist()
    return {
        "hex": f"{0x4B0000 + number:06x}",
        "type": "adsb_icao",
        "flight": f"SWR{number:<5}",
        "t": "A320",
        "r": f"HB-{number % 17_576:04X}",
        "ownOp": f"Operator {number % 500}",
        "year": "2011",
        "desc": "AIRBUS A-320",
        "dbFlags": int(number % EVERY_MILITARY == 0),
        "alt_baro": round(altitude * 40_000),
        "alt_geom": round(altitude * 40_000) + 100,
        "gs": round(speed * 500, 1),
        "ias": 250,
        "tas": 400,
        "mach": 0.78,
        "track": round(track * 359, 2),
        "baro_rate": -64,
        "geom_rate": -32,
        "squawk": "7700" if number % 1000 == 0 else "1000",
        "emergency": "none",
        "category": "A3",
        "nav_qnh": 1013.6,
        "nav_altitude_mcp": 36000,
        "lat": round(40 + 15 * lat, 6),
        "lon": round(20 * lon, 6),
        "nic": 8,
        "rc": 186,
        "version": 2,
        "nac_p": 9,
        "nac_v": 1,
        "sil": 3,
        "sil_type": "perhour",
        "gva": 2,
        "sda": 2,
        "alert": 0,
        "spi": 0,
        "mlat": [],
        "tisb": [],
        "messages": 1234,
        "seen": 0.3,
        "seen_pos": 0.5,
        "rssi": -21.4,
        "military": number % EVERY_MILITARY == 0,
    }


def trails_of(sky: Sky) -> TrailStore:
    """Trails as the tracker keeps them: the watched aircraft has circled until its trail was full."""
    store = TrailStore()
    alone = sky_of({**_aircraft(0, np.random.default_rng(1)), "hex": WATCHED}, now=sky.now)
    for second in range(TRAIL_S):
        at, angle = sky.now - TRAIL_S + second, second / 10
        columns = {name: column.copy() for name, column in alone.columns.items()}
        columns["lat"][0], columns["lon"][0] = 47.45 + 0.3 * np.sin(angle), 8.56 + 0.3 * np.cos(angle)
        columns["position_at"][0] = columns["seen_at"][0] = at
        columns["previous_row"][0] = 0 if second else -1
        store.add(replace(alone, seq=second + 1, now=at, columns=columns))
    return store
