"""History that is imported has its movements, once."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.airports.models import Movement
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.history.models import Flight
from tests.unit.airports.drawn import BEGIN as DRAWN
from tests.unit.airports.drawn import Field, fly
from tests.unit.history.imports.imports import BEGIN, run


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


def trace_of(flight):
    """The flight as a trace of readsb, which says the pressure that the crew has set."""
    track, entries = flight.track, []
    for index in range(len(track.at)):
        details = {"flight": "SWR12", "category": "A3", "nav_qnh": float(track.qnh[index])} if index % 10 == 0 else None
        entries.append(
            [
                float(track.at[index] - DRAWN), float(track.lat[index]), float(track.lon[index]),
                "ground" if track.ground[index] else int(track.alt[index]), float(track.gs[index]),
                float(track.course[index]), 0, None, details, "adsb_icao", None,
            ]
        )  # fmt: skip
    return gzip.compress(json.dumps({"icao": "4b1620", "timestamp": BEGIN, "t": "A320", "trace": entries}).encode())


def test_movements_of_imported_flights_are_stored_once(sessions, make_settings, tmp_path):
    field = Field("LSZH", 988.0, np.random.default_rng(3))
    row = next(row for row in field.rows if field.lines.ident[row] == b"34")
    flight = fly(field, "landing", row, ground="flag", gap_s=0.0, knows="qnh")
    path = tmp_path / "trace_full_4b1620.json"
    path.write_bytes(trace_of(flight))
    for _ in range(2):
        run(sessions, make_settings(), tmp_path)
        with sessions() as session:
            (movement,) = session.scalars(sa.select(Movement)).all()
            assert movement.flight_id == session.scalar(sa.select(Flight.id))
        assert (movement.kind, movement.airport, movement.runway) == ("landing", "LSZH", "34")
        assert abs(movement.at.timestamp() - BEGIN - (flight.truths[0].at - DRAWN)) < 20
        assert (movement.callsign, movement.aircraft_type, movement.simulated) == ("SWR12", "A320", False)
