"""What reaches the database, on both, and what a new process makes of what the last one left."""

import numpy as np
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.history.models import Chunk, Flight, Tail
from skywatch.history.recorder.recorder import Recorder
from skywatch.history.recorder.writer import Writer
from skywatch.history.storage.codec import decode
from skywatch.history.storage.points import AT_S, address_code, in_order
from skywatch.history.storage.reader import Span, read, read_slices
from tests.unit.history.skies import SkyMaker, flying

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

T = 1_750_000_200.0  # the begin of a slice
ADDRESSES = ("4b1620", "3c6444", "~2a3b4c")


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


def new_writer(sessions):
    return Writer(sessions, Recorder(20.0, 25.0, 900.0))


def fly(writer, make, begin, end, addresses=ADDRESSES, flush_s=5):
    for second in range(begin, end):
        writer.recorder.take(make(T + second, [flying(a, T + second, T) for a in addresses]))
        if second % flush_s == flush_s - 1:
            writer.flush()


def everything(sessions):
    with sessions() as session:
        return read(session, Span(0, T + 1e6))


def rows(sessions, model):
    with sessions() as session:
        return session.scalars(sa.select(model).order_by(model.id)).all()


def test_points_are_readable_from_the_first_flush_and_move_into_chunks(sessions):
    writer, make = new_writer(sessions), SkyMaker()
    fly(writer, make, 0, 10)
    points = everything(sessions)
    assert sorted(set(points["aircraft"].tolist())) == sorted(map(address_code, ADDRESSES))
    assert points["at"].max() * AT_S == pytest.approx(T + 9)
    assert rows(sessions, Chunk) == []
    fly(writer, make, 10, 750)
    chunks = rows(sessions, Chunk)
    assert {chunk.slice_at for chunk in chunks} == {int(T)}
    assert sum(chunk.points for chunk in chunks) == sum(len(decode(chunk.data)) for chunk in chunks)
    assert len(rows(sessions, Tail)) <= 25  # merged by the minute, and emptied when the slice was sealed
    points = everything(sessions)
    assert np.array_equal(points, in_order(points))
    for address in ADDRESSES:
        with sessions() as session:
            mine = read(session, Span(T, T + 750, address_code(address)))
        assert np.array_equal(mine, points[points["aircraft"] == address_code(address)])
        assert mine["at"].min() * AT_S == pytest.approx(T)
        assert mine["at"].max() * AT_S == pytest.approx(T + 749)
        assert np.diff(mine["at"]).max() * AT_S <= 120
    assert len(rows(sessions, Flight)) == len(ADDRESSES)


def test_slices_come_in_order_of_time_chunks_and_tail_together(sessions):
    writer, make = new_writer(sessions), SkyMaker()
    fly(writer, make, 0, 2000)
    with sessions() as session:
        found = list(read_slices(session, Span(T, T + 2000)))
    assert [at for at, _ in found] == [int(T) + 600 * n for n in range(4)]
    for at, points in found:
        assert ((points["at"] * AT_S >= at) & (points["at"] * AT_S < at + 600)).all()


def test_after_a_crash_a_new_process_goes_on_without_doubles(sessions):
    writer, make = new_writer(sessions), SkyMaker()
    fly(writer, make, 0, 747)  # the last flush was at 744; two seconds are lost with the process
    before = everything(sessions)
    assert before["at"].max() * AT_S == pytest.approx(T + 744)
    again = new_writer(sessions)
    again.recover()
    assert np.array_equal(everything(sessions), before)
    assert len(rows(sessions, Tail)) == 1
    fly(again, SkyMaker("second start"), 750, 1400)
    flights = rows(sessions, Flight)
    assert [f.icao_hex for f in flights].count("4B1620") == 1
    assert flights[0].positions == 745 + 650
    assert flights[0].messages >= 745
    points = everything(sessions)
    assert len(set(points["flight"].tolist())) == len(ADDRESSES)
    mine = points[points["aircraft"] == address_code("4b1620")]
    assert np.diff(mine["at"]).max() * AT_S <= 120
    assert mine["at"].max() * AT_S == pytest.approx(T + 1399)


def test_a_flight_that_was_over_while_the_service_was_down_is_closed(sessions):
    writer, make = new_writer(sessions), SkyMaker()
    fly(writer, make, 0, 10)
    again = new_writer(sessions)
    again.recover()
    again.recorder.take(SkyMaker("later")(T + 5000, [flying("4b1620", T + 5000, T)]))
    again.flush()
    flights = rows(sessions, Flight)
    assert [(f.icao_hex, f.active) for f in flights] == [
        ("4B1620", False),
        ("3C6444", False),
        ("~2A3B4C", False),
        ("4B1620", True),
    ]


def test_a_database_that_refuses_loses_nothing(sessions, monkeypatch):
    writer, make = new_writer(sessions), SkyMaker()
    fly(writer, make, 0, 10)

    def full(*args):
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_write_tail", full)
        for second in range(10, 700, 5):
            fly(writer, make, second, second + 4)
            writer.recorder.take(make(T + second + 4, [flying(a, T + second + 4, T) for a in ADDRESSES]))
            with pytest.raises(OperationalError):
                writer.flush()
    assert everything(sessions)["at"].max() * AT_S == pytest.approx(T + 9)
    fly(writer, make, 700, 800)
    fly(writer, make, 800, 805)
    points = everything(sessions)
    assert points["at"].max() * AT_S == pytest.approx(T + 804)
    for address in ADDRESSES:
        mine = points[points["aircraft"] == address_code(address)]
        assert np.diff(mine["at"]).max() * AT_S <= 120
    assert {chunk.slice_at for chunk in rows(sessions, Chunk)} == {int(T)}
    assert len(rows(sessions, Flight)) == len(ADDRESSES)


def test_a_military_aircraft_is_marked_in_its_points(sessions):
    writer, make = new_writer(sessions), SkyMaker()
    for second in range(10):
        aircraft = [flying("43c001", T + second, T, military=True), flying("4b1620", T + second, T)]
        writer.recorder.take(make(T + second, aircraft))
    writer.flush()
    with sessions() as session:
        seen = read(session, Span(T, T + 10, hidden=MilitaryAircraft()))
        assert set(seen["aircraft"].tolist()) == {address_code("4b1620")}
        assert len(read(session, Span(T, T + 10, address_code("43c001")))) > 0
        assert len(read(session, Span(T, T + 10, address_code("43c001"), hidden=MilitaryAircraft()))) == 0
