"""Thirty days of history, as readsb would have kept it, brought into an installation's database."""

from __future__ import annotations

import json
import time
from pathlib import Path

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.features import load
from tests.unit.history.imports.imports import run as import_paths

AIRCRAFT, DAYS, POINTS, STEP_S = 12, 30, 40, 60.0
DAY_S = 86_400


def import_month(folder: Path, database_url: str) -> int:
    """A flight a day of each of some aircraft up to yesterday; gives how many flights came in."""
    began = time.time() - DAYS * DAY_S
    for number in range(AIRCRAFT):
        hexa, registration = f"4b{number:04x}", f"HB-J{chr(65 + number)}A"
        for day in range(DAYS):
            trace = []
            for point in range(POINTS):
                place = (46.6 + number * 0.15 + point * 0.01, 6.8 + day * 0.05 + point * 0.08)
                known = {"flight": f"SWR{number}{day:02d}"} if point == 0 else None
                trace.append([point * STEP_S, *place, 3000 + point * 800, 320.0, 75.0, 0, 900, known, "adsb_icao"])
            start = began + day * DAY_S + number * 1800
            document = {"icao": hexa, "r": registration, "t": "A320", "timestamp": start, "trace": trace}
            (folder / str(day)).mkdir(exist_ok=True)
            (folder / str(day) / f"trace_full_{hexa}.json").write_text(json.dumps(document))
    engine = create_engine(database_url)
    try:
        settings = load({"database_url": database_url, "environment": "development"}, environ={})
        return import_paths(create_session_factory(engine), settings, folder).flights
    finally:
        engine.dispose()
