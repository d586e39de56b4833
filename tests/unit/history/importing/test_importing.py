"""readsb's own history comes in whole, once, and within the bound; what is no trace is refused by name."""

import gzip
import json
import shutil
from datetime import UTC, datetime

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.airframes.models import AirframeRecord
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.importing.readsb import TraceError, read
from skywatch.history.importing.service import import_traces
from skywatch.history.models import Chunk, Flight
from skywatch.history.reading.tracks import of_aircraft
from skywatch.security.visibility import EVERYTHING
from tests.unit.history.tracks import errors

NAMES = ("trace_full_34718d.json", "trace_full_aa178d.json", "trace_full_ac671b.json")


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


@pytest.fixture
def globe_history(shared_data, tmp_path):
    folder = tmp_path / "globe_history" / "2023" / "08" / "30" / "traces"
    for name in NAMES:
        (folder / name[-7:-5]).mkdir(parents=True, exist_ok=True)
        shutil.copy(shared_data / "readsb" / "traces" / name, folder / name[-7:-5] / name)
    return tmp_path / "globe_history"


def test_a_folder_comes_in_within_the_bound_and_only_once(sessions, globe_history, make_settings):
    settings = make_settings()
    done = []
    outcome = import_traces(sessions, settings, globe_history, done.append)
    assert (outcome.files, outcome.refused, done) == (3, [], [1, 2, 3])
    received = {}
    for path in sorted(globe_history.rglob("*.json")):
        flights, _ = read(path, settings.history_flight_gap_s)
        received[flights[0].address] = [np.concatenate(c) for c in zip(*(f.columns for f in flights), strict=True)]
    assert outcome.skipped == 1  # two places at one time
    assert outcome.positions == sum(len(columns[0]) for columns in received.values()) > 3700
    for address, (at, lat, lon, alt, *_) in received.items():
        begin, end = (datetime.fromtimestamp(t, UTC) for t in (at.min() - 1, at.max() + 1))
        with sessions() as session:
            points = of_aircraft(session, address, begin, end, EVERYTHING)
        metres, feet = errors(points, at, lat, lon, alt)
        assert metres.max() <= 20.0
        assert np.nanmax(feet) <= 25.0
    again = import_traces(sessions, settings, globe_history)
    assert (again.flights, again.points, again.existing) == (0, 0, outcome.flights)
    with sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(Flight)) == outcome.flights
        assert session.scalar(sa.select(sa.func.sum(Chunk.points))) == outcome.points
        iberia = session.scalars(sa.select(Flight).where(Flight.icao_hex == "34718D")).first()
    assert (iberia.callsign, iberia.registration, iberia.aircraft_type) == ("IBE2621", "EC-NRG", "A332")
    assert not iberia.active


def trace(*entries, **fields):
    return {"icao": "4b1620", "timestamp": 1_750_000_000.0, "trace": [list(e) for e in entries], **fields}


def entry(at, lat=47.0, lon=8.0, alt=1000, flags=0, details=None):
    return at, lat, lon, alt, 100.0, 90.0, flags, 0, details


def test_a_trace_without_flags_is_military_where_the_airframes_or_its_address_say_so(sessions, make_settings, tmp_path):
    empty = dict.fromkeys(("registration", "type_code", "type_name", "operator", "owner"), "")
    with writing(sessions) as session:
        session.add(AirframeRecord(icao_hex="4B1621", source="tar1090", year=0, flags=1, **empty))
    for icao, flags in (("4b1620", 0), ("4b1621", 0), ("4b1622", 1), ("ae1234", 0)):
        path = tmp_path / f"trace_full_{icao}.json"
        path.write_text(json.dumps({**trace(entry(0), entry(60, lat=47.1)), "icao": icao, "dbFlags": flags}))
    import_traces(sessions, make_settings(), tmp_path)
    with sessions() as session:
        military = dict(session.execute(sa.select(Flight.icao_hex, Flight.military)).all())
    assert military == {"4B1620": False, "4B1621": True, "4B1622": True, "AE1234": True}


def test_legs_and_silence_split_a_trace_into_flights(tmp_path):
    path = tmp_path / "trace_full_4b1620.json"
    details = {"flight": "SWR1    ", "squawk": "7700"}
    path.write_text(
        json.dumps(trace(entry(0), entry(10, details=details), entry(20, flags=2), entry(2000), dbFlags=1, r="HB-JJA"))
    )
    flights, skipped = read(path, 900.0)
    assert [len(f.columns[0]) for f in flights] == [2, 1, 1]
    assert (flights[0].callsign, flights[0].military, flights[0].registration) == ("SWR1", True, "HB-JJA")
    assert skipped == 0


def test_entries_that_make_no_sense_are_left_out(tmp_path):
    path = tmp_path / "trace_full_4b1620.json"
    bad = [[1], [None, 47, 8, 0, 0, 0, 0], [1, 99, 8, 0, 0, 0, 0], [1, 47, 181, 0, 0, 0, 0], [1e9, 47, 8, 0, 0, 0, 0]]
    path.write_text(json.dumps(trace(entry(0), *bad)))
    flights, skipped = read(path, 900.0)
    assert (len(flights), skipped) == (1, 5)


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"\x1f\x8b\x00garbage", b'{"icao":"zz","timestamp":0,"trace":[]}', gzip.compress(b"{}")[:-5]],
    ids=["empty", "object", "list", "no gzip", "no address", "cut gzip"],
)
def test_what_is_no_trace_is_refused(tmp_path, content):
    path = tmp_path / "trace_full_x.json"
    path.write_bytes(content)
    with pytest.raises(TraceError, match=r"trace_full_x\.json: is not a trace"):
        read(path, 900.0)


def test_a_bad_file_does_not_end_the_import(sessions, globe_history, make_settings):
    (globe_history / "trace_full_aaaaaa.json").write_text("oops")
    outcome = import_traces(sessions, make_settings(), globe_history)
    assert outcome.files == 3
    assert len(outcome.refused) == 1
