"""Made-up traffic as skies, fast: hundreds of aircraft that fly straight, turn and climb, heard once a second.

Straight flight with turns now and then, GPS noise of 3 m and altitude in steps of 25 ft, as ADS-B has them. Aircraft
come and go after half an hour to two hours, but for a few that stay for good.
"""

from __future__ import annotations

import numpy as np

from skywatch.picture.state.sky import COLUMNS, Sky

STAYING = 10


class Traffic:
    """A fleet of constant size; every call is one second."""

    def __init__(self, aircraft: int, start: float, seed: int = 1, first_address: int = 0x400000) -> None:
        self.rng = np.random.default_rng(seed)
        self.now, self.seq, self.size = start, 0, aircraft
        self.hexes = [""] * aircraft
        self.next_address = first_address
        self.columns = {name: np.zeros(aircraft, dtype) for name, dtype in COLUMNS.items()}
        for name, dtype in COLUMNS.items():
            if dtype in ("f4", "f8"):
                self.columns[name][:] = np.nan
        self.true = {name: np.zeros(aircraft) for name in ("lat", "lon", "alt", "gs", "track", "turn", "climb")}
        self.until = np.zeros(aircraft)
        self.encoded, self.details = [b"{}"] * aircraft, [b""] * aircraft
        self._renew(np.arange(aircraft))

    def _renew(self, rows: np.ndarray) -> None:
        count, rng, true = len(rows), self.rng, self.true
        for row in rows.tolist():
            self.hexes[row] = f"{self.next_address:06x}"
            self.next_address += 1
        true["lat"][rows], true["lon"][rows] = rng.uniform(45, 50, count), rng.uniform(4, 13, count)
        true["alt"][rows], true["gs"][rows] = rng.uniform(3000, 39000, count), rng.uniform(90, 500, count)
        true["track"][rows], true["turn"][rows], true["climb"][rows] = rng.uniform(0, 360, count), 0, 0
        self.until[rows] = self.now + np.where(rows < STAYING, 1e12, rng.uniform(1800, 7200, count))
        columns = self.columns
        columns["first_seen"][rows], columns["messages"][rows] = self.now, 0
        columns["flight"][rows] = [f"TST{self.next_address - count + n}"[:8].encode() for n in range(count)]
        columns["type"][rows] = rng.choice([b"A320", b"B738", b"C172", b"E190"], count)
        columns["military"][rows] = rng.random(count) < 0.02

    def __call__(self) -> Sky:
        """The sky one second later."""
        rng, true, columns = self.rng, self.true, self.columns
        gone = np.flatnonzero(self.until <= self.now)
        left = tuple(self.hexes[row] for row in gone.tolist())
        if len(gone):
            self._renew(gone)
        change = rng.random(self.size) < 1 / 90
        turns = rng.random(self.size) < 0.3
        true["turn"] = np.where(change, np.where(turns, rng.normal(0, 1.5, self.size), 0.0), true["turn"])
        true["climb"] = np.where(change, rng.choice([-25.0, 0, 0, 0, 25.0], self.size), true["climb"])
        true["track"] = (true["track"] + true["turn"]) % 360
        true["alt"] = np.clip(true["alt"] + true["climb"], 1000, 41000)
        cosine = np.cos(np.radians(true["lat"]))
        step = true["gs"] / 3600 / 60
        true["lat"] = np.clip(true["lat"] + step * np.cos(np.radians(true["track"])), 40, 55)
        true["lon"] = np.clip(true["lon"] + step * np.sin(np.radians(true["track"])) / cosine, -5, 20)
        self.now, self.seq = self.now + 1.0, self.seq + 1
        noise = rng.normal(0, 3 / 111_000, (2, self.size))
        fresh = dict(columns)
        fresh["lat"], fresh["lon"] = true["lat"] + noise[0], true["lon"] + noise[1] / cosine
        fresh["alt_baro_ft"] = (np.round(true["alt"] / 25) * 25).astype("f4")
        fresh["gs_kt"], fresh["track_deg"] = true["gs"].astype("f4"), true["track"].astype("f4")
        fresh["seen_at"] = fresh["position_at"] = np.full(self.size, self.now)
        fresh["messages"] = columns["messages"] = columns["messages"] + 2
        before = np.arange(self.size, dtype="i4") if self.seq > 1 else np.full(self.size, -1, "i4")
        before[gone] = -1
        fresh["previous_row"] = before
        hexes = list(self.hexes)
        return Sky("bench", self.seq, self.now, 0, hexes, fresh, self.encoded, self.details, left)
