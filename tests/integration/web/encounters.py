"""Two aircraft that crossed an hour ago: their tracks and the safety event, in an installation's database."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.features import load
from skywatch.safety.detection.finding import Closest, Finding, Position, Quantity
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.unit.history.imports.imports import run as import_paths

PAIR = ("4b1a01", "4b1a02")
CALLSIGNS = ("SWR11", "EZY22")
# The two fly at right angles, are this far apart when nearest, and are heard for so long (s).
CLOSEST_NM, VERTICAL_FT, HEARD_S = 0.4, 300, 600
SPEED_KT = 360.0
LAT, LON = 47.45, 8.56


def place_of(number: int, after_s: float) -> tuple[float, float]:
    """Where an aircraft was, so many seconds from the closest point: one flies east, the other north."""
    along = SPEED_KT * after_s / 3600
    offset = CLOSEST_NM / math.sqrt(2)
    east, north = (along, 0.0) if number == 0 else (offset, along + offset)
    return LAT + north / 60, LON + east / 60 / math.cos(math.radians(LAT))


def import_encounter(folder: Path, database_url: str, is_over: bool = True) -> float:
    """Bring both tracks and the event in; the time of the closest point (unix seconds)."""
    middle = math.floor(time.time() - 3600)
    start = middle - HEARD_S / 2
    for number, (address, callsign) in enumerate(zip(PAIR, CALLSIGNS, strict=True)):
        trace = []
        for after in range(0, HEARD_S + 1, 5):
            known = {"flight": callsign} if after == 0 else None
            altitude = 12000 + number * VERTICAL_FT
            place = place_of(number, after - HEARD_S / 2)
            trace.append([float(after), *place, altitude, SPEED_KT, 90.0 - 90 * number, 0, 0, known, "adsb_icao"])
        document = {"icao": address, "r": f"HB-JX{number}", "t": "A320", "timestamp": start, "trace": trace}
        (folder / f"trace_full_{address}.json").write_text(json.dumps(document))
    finding = Finding(
        type="proximity",
        key=":".join(PAIR),
        severity="warning",
        message=f"{CALLSIGNS[0]} and {CALLSIGNS[1]}: closest {CLOSEST_NM:.2f} nm and {VERTICAL_FT} ft in 25 s",
        hexes=PAIR,
        callsigns=CALLSIGNS,
        numbers={"distance": Quantity(CLOSEST_NM, "nm"), "vertical": Quantity(VERTICAL_FT, "ft")},
        position=Position(LAT, LON, 12000),
        closest=Closest(float(middle), CLOSEST_NM, VERTICAL_FT),
    )
    engine = create_engine(database_url)
    try:
        sessions = create_session_factory(engine)
        settings = load({"database_url": database_url, "environment": "development"}, environ={})
        assert import_paths(sessions, settings, folder).flights == len(PAIR)
        book = EventTracker()
        changes = book.update([finding], middle - 25, Thresholds())
        if is_over:
            changes += book.update([], middle + 20, Thresholds())
        with writing(sessions) as session:
            storage.write(session, changes)
    finally:
        engine.dispose()
    return float(middle)
