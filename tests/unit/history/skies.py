"""Skies for tests, built from plain rows."""

from __future__ import annotations

import numpy as np

from skywatch.picture.state.sky import COLUMNS, Sky

DEFAULTS = {"lat": np.nan, "lon": np.nan, "alt_baro_ft": np.nan, "gs_kt": np.nan, "track_deg": np.nan}


class SkyMaker:
    """Makes consecutive ticks; each aircraft is a dictionary of columns with its ``hex``."""

    def __init__(self, epoch="e1"):
        self.epoch, self.seq, self.before = epoch, 0, []

    def __call__(self, now, aircraft):
        columns, names = {}, [""]
        for name, dtype in COLUMNS.items():
            fill = np.nan if dtype in ("f4", "f8") else b"" if dtype.startswith("S") else 0
            columns[name] = np.full(len(aircraft), fill, dtype)
        hexes = [a["hex"] for a in aircraft]
        for row, fields in enumerate(aircraft):
            columns["seen_at"][row] = columns["first_seen"][row] = now
            if "lat" in fields:
                columns["position_at"][row] = now
            for name, value in fields.items():
                if name in ("operator", "owner"):
                    columns[name][row] = len(names)
                    names.append(value)
                elif name != "hex":
                    columns[name][row] = value.encode() if isinstance(value, str) else value
        index = {address: row for row, address in enumerate(self.before)}
        columns["previous_row"][:] = [index.get(address, -1) for address in hexes]
        self.seq += 1
        self.before = hexes
        encoded, details = [b"{}"] * len(hexes), [b""] * len(hexes)
        return Sky(self.epoch, self.seq, float(now), 0, hexes, columns, encoded, details, names=tuple(names))


def flying(address, at, start=1_750_000_000.0, **fields):
    """An aircraft that flies north at 432 kt."""
    return {
        "hex": address,
        "lat": 47.0 + (at - start) * 0.002,
        "lon": 8.0 + int(address[-2:], 16) * 0.01,
        "alt_baro_ft": 36000.0,
        "gs_kt": 432.0,
        "track_deg": 0.0,
        "messages": int(at - start) + 1,
        "position_source": 1,
        **fields,
    }
