"""readsb's own history comes in whole, once, and within the bound; what is no trace is refused by name."""

import gzip
import io
import json
import shutil
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.airframes.models import AirframeRecord
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.imports.legs import flights_of
from skywatch.history.imports.readsb import TraceError, read
from skywatch.history.models import Chunk, Flight
from skywatch.history.tracks import of_aircraft
from skywatch.security.visibility import EVERYTHING
from tests.unit.history.imports.imports import entry, run, trace
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


def rows_of(document, skipped=None):
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read(io.BytesIO(content), "trace_full_x.json", Counter() if skipped is None else skipped)


@pytest.mark.deep("costs over a processor second")
def test_a_folder_comes_in_within_the_bound_and_only_once(sessions, globe_history, make_settings):
    settings = make_settings()
    sizes = []
    outcome = run(sessions, settings, globe_history, on_read=sizes.append)
    assert (outcome.files, outcome.refused) == (3, [])
    assert sizes == sorted(sizes)
    assert sizes[-1] == sum(path.stat().st_size for path in globe_history.rglob("*.json"))
    assert outcome.skipped == {"entry": 1}  # two places at one time
    received = {}
    for path in sorted(globe_history.rglob("*.json")):
        rows = rows_of(path.read_bytes())
        received[path.stem[-6:]] = rows
    assert outcome.positions == sum(map(len, received.values())) > 3700
    for address, rows in received.items():
        alt = np.where(rows["flags"] & 1, np.nan, rows["alt"].astype("f8"))
        begin, end = (datetime.fromtimestamp(t, UTC) for t in (rows["at"].min() - 1, rows["at"].max() + 1))
        with sessions() as session:
            points = of_aircraft(session, address, begin, end, EVERYTHING)
        metres, feet = errors(points, rows["at"], rows["lat"], rows["lon"], alt)
        assert metres.max() <= 20.0
        assert np.nanmax(feet) <= 25.0
    again = run(sessions, settings, globe_history)
    assert (again.flights, again.points, again.existing) == (0, 0, outcome.flights)
    with sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(Flight)) == outcome.flights
        assert session.scalar(sa.select(sa.func.sum(Chunk.points))) == outcome.points
        iberia = session.scalars(sa.select(Flight).where(Flight.icao_hex == "34718D")).first()
    assert (iberia.callsign, iberia.registration, iberia.aircraft_type) == ("IBE2621", "EC-NRG", "A332")
    assert not iberia.active


def test_airframes_say_what_a_file_does_not(sessions, make_settings, tmp_path):
    known = {"registration": "HB-JCA", "type_code": "BCS3", "operator": "Swiss"}
    empty = dict.fromkeys(("type_name", "owner"), "")
    with writing(sessions) as session:
        session.add(AirframeRecord(icao_hex="4B1621", source="tar1090", year=0, flags=1, **known, **empty))
    for icao, flags in (("4b1620", 0), ("4b1621", 0), ("4b1622", 1), ("ae1234", 0)):
        path = tmp_path / f"trace_full_{icao}.json"
        path.write_text(json.dumps({**trace(entry(0), entry(60, lat=47.1)), "icao": icao, "dbFlags": flags}))
    run(sessions, make_settings(), tmp_path)
    with sessions() as session:
        military = dict(session.execute(sa.select(Flight.icao_hex, Flight.military)).all())
        swiss = session.scalars(sa.select(Flight).where(Flight.icao_hex == "4B1621")).one()
    assert military == {"4B1620": False, "4B1621": True, "4B1622": True, "AE1234": True}
    assert (swiss.registration, swiss.aircraft_type, swiss.operator) == ("HB-JCA", "BCS3", "Swiss")


def test_legs_and_silence_split_a_trace_into_flights():
    details = {"flight": "SWR1    ", "squawk": "7700"}
    skipped = Counter()
    document = trace(entry(0), entry(10, details=details), entry(20, flags=2), entry(2000), dbFlags=1, r="HB-JJA")
    flights = list(flights_of(rows_of(document, skipped), 900.0, skipped))
    assert [len(flight.rows) for flight in flights] == [2, 1, 1]
    first = flights[0]
    assert (first.callsign, first.military, first.registration) == ("SWR1", True, "HB-JJA")
    assert (first.squawk, first.emergency) == ("7700", True)
    assert skipped["entry"] == 0


def test_long_stop_and_a_day_split_as_the_recorder_does():
    turnaround = trace(entry(0), entry(30, alt="ground"), entry(340, alt="ground"), entry(350), entry(360))
    assert [len(flight.rows) for flight in flights_of(rows_of(turnaround), 900.0, Counter())] == [3, 2]
    touch_and_go = trace(entry(0), entry(30, alt="ground"), entry(60), entry(90))
    assert [len(flight.rows) for flight in flights_of(rows_of(touch_and_go), 900.0, Counter())] == [4]
    balloon = np.concatenate([rows_of(trace(*(entry(600 * n) for n in range(140)), timestamp=1.75e9 + 84_000 * d))
                              for d in range(2)])  # fmt: skip
    lengths = [flight.end - flight.begin for flight in flights_of(balloon, 900.0, Counter())]
    assert len(lengths) == 2
    assert max(lengths) <= 86_400


def test_flight_across_midnight_is_one_where_both_days_come_in_together(sessions, make_settings, tmp_path):
    for day, at in (("30", 0), ("31", 60)):
        folder = tmp_path / day
        folder.mkdir()
        document = trace(entry(0), entry(30, lat=47.05), timestamp=1.75e9 + at)
        (folder / "trace_full_4b1620.json").write_text(json.dumps(document))
    assert run(sessions, make_settings(), tmp_path).flights == 1


def test_entries_that_make_no_sense_are_left_out():
    bad = [[1], [None, 47, 8, 0, 0, 0, 0], [1, 99, 8, 0, 0, 0, 0], [1, 47, 181, 0, 0, 0, 0], [1e9, 47, 8, 0, 0, 0, 0]]
    skipped = Counter()
    assert len(rows_of(trace(entry(0), *bad), skipped)) == 1
    assert skipped["entry"] == 5


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"\x1f\x8b\x00garbage", b'{"icao":"zz","timestamp":0,"trace":[]}', gzip.compress(b"{}")[:-5]],
    ids=["empty", "object", "list", "no gzip", "no address", "cut gzip"],
)
def test_what_is_no_trace_is_refused(content):
    with pytest.raises(TraceError, match=r"trace_full_x\.json: is not a trace"):
        rows_of(content)


def test_a_bad_file_does_not_end_the_import(sessions, globe_history, make_settings):
    (globe_history / "trace_full_aaaaaa.json").write_text("oops")
    outcome = run(sessions, make_settings(), globe_history)
    assert outcome.files == 3
    assert len(outcome.refused) == 1
