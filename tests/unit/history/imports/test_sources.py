"""Tars of days, state vectors and recordings come in by their content; hostile ones leave nothing behind."""

import gzip
import tarfile

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.history.imports import spool
from skywatch.history.imports.service import import_sources
from skywatch.history.imports.sources import Reading, SourceError, find
from skywatch.history.imports.spool import SpoolError
from skywatch.history.imports.writer import Storing
from skywatch.history.models import Chunk, Flight
from skywatch.history.settings import HistorySettings
from skywatch.receivers.framing import bounded_gzip
from tests.unit.history.imports.imports import BEGIN, HEADER, packed_trace, run, state, states, tar_of

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_frames_alone_become_the_flights_that_sbs_lines_are",
        "test_impossible_values_become_unknown",
        "test_recordings_come_in_by_their_content",
    ],
)


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


@pytest.fixture
def settings(make_settings):
    return make_settings()


def flights(sessions):
    with sessions() as session:
        return list(session.scalars(sa.select(Flight).order_by(Flight.icao_hex, Flight.first_seen_at)))


def chunks(sessions):
    with sessions() as session:
        return session.scalar(sa.select(sa.func.count()).select_from(Chunk))


DAY = {
    "./traces/20/trace_full_4b1620.json": packed_trace(),
    "./traces/21/trace_full_4b1621.json": packed_trace("4b1621"),
    "./acas/acas.csv": b"no,positions\n",
    "./heatmap/00.bin.ttf": b"\0" * 100,
}


def test_a_day_comes_in_as_a_tar_in_parts_and_only_once(sessions, settings, tmp_path):
    whole = tar_of(DAY)
    for name, part in (("aa", whole[:700]), ("ab", whole[700:1500]), ("ac", whole[1500:])):
        (tmp_path / f"v2026.01.01-planes-readsb-prod-0.tar.{name}").write_bytes(part)
    outcome = run(sessions, settings, tmp_path)
    assert (outcome.files, outcome.flights, outcome.positions, outcome.refused) == (2, 2, 10, [])
    (tmp_path / "day.tar.gz").write_bytes(tar_of(DAY, "w:gz"))
    again = run(sessions, settings, tmp_path / "day.tar.gz")
    assert (again.flights, again.existing) == (0, 2)


def test_missing_part_is_named(tmp_path):
    (tmp_path / "day.tar.aa").write_bytes(b"x")
    (tmp_path / "day.tar.ac").write_bytes(b"x")
    with pytest.raises(SourceError, match=r"the part day\.tar\.ab is missing"):
        find([tmp_path / "day.tar.aa"])


def test_state_vectors_are_converted_to_feet_and_knots(sessions, settings, tmp_path):
    (tmp_path / "states_2025-06-15-15.csv.gz").write_bytes(gzip.compress(states()))
    outcome = run(sessions, settings, tmp_path)
    assert (outcome.flights, outcome.positions, outcome.skipped) == (1, 6, {})
    (flight,) = flights(sessions)
    assert (flight.icao_hex, flight.callsign, flight.squawk) == ("4B1620", "SWR1", "1000")
    assert flight.max_altitude_ft == 3281
    assert flight.max_speed_kt == pytest.approx(194.4, abs=0.1)
    assert flight.first_seen_at.timestamp() == BEGIN - 0.5
    inner = {"LICENSE.txt": b"words", "states_2025-06-15-15.csv.gz": gzip.compress(states())}
    (tmp_path / "states_2025-06-15-15.csv.tar").write_bytes(tar_of(inner))
    again = run(sessions, settings, tmp_path)
    assert (again.flights, again.existing) == (0, 1)


def test_rows_in_any_order_and_repeated_positions_are_one_flight(sessions, settings, tmp_path):
    lines = states(30).decode().splitlines()
    # The same position stands in the next rows until there is a new one.
    stale = [
        state(BEGIN + 13, lat="47.5100", lastposupdate=f"{BEGIN + 9.5:.3f}"),
        state(BEGIN + 1e5, lastposupdate=f"{BEGIN:.1f}"),
    ]
    (tmp_path / "states.csv").write_text("\n".join([lines[0], *reversed(lines[1:]), *stale]))
    outcome = run(sessions, settings, tmp_path)
    assert (outcome.flights, outcome.positions) == (1, 30)


def test_bad_rows_are_counted_and_left_out(sessions, settings, tmp_path):
    bad = [
        state(BEGIN + 100, lat="nan"), state(BEGIN + 110, lat="inf"), state(BEGIN + 120, lat="91"),
        state(9e9), state(5), state(BEGIN, icao="xyz"), "1,2,3", '"', state(BEGIN + 130, lat=""), "x" * 10_000,
    ]  # fmt: skip
    (tmp_path / "states.csv").write_bytes(states() + "\n".join(bad).encode())
    outcome = run(sessions, settings, tmp_path)
    assert (outcome.flights, outcome.positions) == (1, 6)
    assert outcome.skipped == {"position": 3, "future": 1, "date": 1, "address": 1, "line": 2, "too_long": 1}


def test_impossible_values_become_unknown(sessions, settings, tmp_path):
    fields = {"baroaltitude": "1e30", "velocity": "-7", "heading": "nan", "callsign": "\u00e9"}
    (tmp_path / "states.csv").write_bytes(states(**fields))
    run(sessions, settings, tmp_path)
    (flight,) = flights(sessions)
    assert (flight.max_altitude_ft, flight.max_speed_kt, flight.callsign) == (None, None, None)


def bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded_gzip, "FREE_BYTES", 1_000_000)
    return gzip.compress(states() + b"\n" * 30_000_000)


HOSTILE = {
    "garbage.csv": lambda: bytes(range(256)) * 40,
    "empty.csv": lambda: b"",
    "columns.csv": lambda: b"time,icao24,latitude\n1,4b1620,47\n",
    "cut.csv.gz": lambda: gzip.compress(states(5000))[:-200],
    "cut.tar": lambda: tar_of(DAY)[:1300],
    "up.tar": lambda: tar_of({**DAY, "../trace_full_4b1622.json": packed_trace("4b1622")}),
    "root.tar": lambda: tar_of({**DAY, "/trace_full_4b1622.json": packed_trace("4b1622")}),
    "nothing.tar": lambda: tar_of({"README": b"words"}),
    "undated.beast": lambda: bytes.fromhex("1a330000000000010a8d40621d58c382d690c8ac2863a7") * 3,
}
WORDS = {
    "garbage.csv": "none of what can be imported", "empty.csv": "is empty", "columns.csv": "has no column lat, lon",
    "cut.csv.gz": "damaged or cut off", "cut.tar": "damaged or cut off", "up.tar": "leads out of it",
    "root.tar": "leads out of it", "nothing.tar": "has neither trace_full",
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_file_that_is_refused_leaves_nothing(sessions, settings, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(HOSTILE[name]())
    good = tmp_path / "zz.csv"
    good.write_bytes(states(icao="4b9999"))
    outcome = run(sessions, settings, path, good)
    assert [name in why and WORDS[name] in why and "\n" not in why for why in outcome.refused] == [True]
    assert [flight.icao_hex for flight in flights(sessions)] == ["4B9999"]


def test_what_unpacks_without_end_is_refused(sessions, settings, tmp_path, monkeypatch):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(bomb(tmp_path, monkeypatch))
    outcome = run(sessions, settings, path)
    assert "more than 200 times its size" in outcome.refused[0]
    assert flights(sessions) == []


def test_links_and_devices_of_a_tar_are_passed_over(sessions, settings, tmp_path):
    kinds = {"a/trace_full_4b1630.json": tarfile.SYMTYPE, "a/trace_full_4b1631.json": tarfile.LNKTYPE,
             "a/trace_full_4b1632.json": tarfile.FIFOTYPE}  # fmt: skip
    (tmp_path / "day.tar").write_bytes(tar_of({**DAY, **dict.fromkeys(kinds, b"")}, kinds=kinds))
    outcome = run(sessions, settings, tmp_path)
    assert (outcome.flights, outcome.files, len(outcome.refused)) == (2, 2, 3)


@pytest.mark.deep("costs over a processor second")
def test_recordings_come_in_by_their_content(sessions, settings, shared_data, tmp_path):
    sbs = shared_data / "sbs" / "ulss7_61s.sbs"
    outcome = run(sessions, settings, sbs)
    assert (outcome.flights, outcome.positions) == (11, 728)
    callsigns = {flight.callsign for flight in flights(sessions)}
    assert {"AAR542", "AFL030", "UTA582"} <= callsigns
    # The same minute from the same receiver's frames: every flight is there already.
    beast = shared_data / "raw" / "ulss7_61s.beast"
    refused = run(sessions, settings, beast)
    assert "--start" in refused.refused[0]
    again = run(sessions, settings, beast, start=1522782148.1, station=(59.9, 30.3))
    assert (again.flights, again.existing) == (0, 11)


def test_frames_alone_become_the_flights_that_sbs_lines_are(sessions, settings, shared_data):
    beast = shared_data / "raw" / "ulss7_61s.beast"
    outcome = run(sessions, settings, beast, start=1522782148.136, station=(59.9, 30.3))
    assert (outcome.flights, outcome.positions) == (11, 728)
    assert flights(sessions)[0].first_seen_at.timestamp() == pytest.approx(1522782148, abs=61)


def test_interrupted_import_keeps_whole_flights_and_goes_on(sessions, settings, tmp_path, monkeypatch):
    monkeypatch.setattr("skywatch.history.imports.service.FLIGHTS_AT_ONCE", 2)
    lines = [line for n in range(9) for line in states(icao=f"4b16{n:02d}").decode().splitlines()[1:]]
    (tmp_path / "states.csv").write_text("\n".join([HEADER, *lines]))
    storing = Storing(sessions, settings.of(HistorySettings))

    def interrupt(done, total):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_sources(storing, find([tmp_path]), Reading(), on_write=interrupt)
    some = len(flights(sessions))
    assert 0 < some < 9
    outcome = run(sessions, settings, tmp_path)
    assert (outcome.flights, outcome.existing) == (9 - some, some)
    assert all(flight.positions == 6 for flight in flights(sessions))


def test_too_many_positions_are_refused_before_anything_is_written(sessions, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(spool, "MAX_PART_BYTES", 100)
    (tmp_path / "a.csv").write_bytes(states())
    (tmp_path / "b.csv").write_bytes(states())
    with pytest.raises(SpoolError, match="give fewer files"):
        run(sessions, settings, tmp_path)
    assert chunks(sessions) == 0
