"""Which sky counts, and how the aircraft of a simulator are known and go."""

import numpy as np
import sqlalchemy as sa

from skywatch.core.bus.memory import MemoryBus
from skywatch.core.database.engine import writing
from skywatch.history.models import Flight
from skywatch.picture.counted import CountedSky, counted, counted_rows, counts_simulated, record_real_sky
from skywatch.picture.state.own_antenna import SIMULATED
from skywatch.picture.state.sky import from_bytes, to_bytes
from skywatch.picture.storage.saved_picture import decode, encode
from skywatch.picture.tick_report import TickReport
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.settings import SIMULATOR
from tests.skies import sky_of
from tests.unit.history.stored import row
from tests.unit.picture.reports import START, Clock, picture_at, snapshot


def test_from_the_first_real_receiver_on_only_what_is_not_simulated_counts(runtime):
    with writing(runtime.sessions) as session:
        session.execute(sa.insert(Flight), [row(1, "4B1620", simulated=True), row(2, "3C6444", simulated=False)])

    def counting():
        with runtime.sessions() as session:
            ids = sa.select(Flight.id).where(counted(session, Flight.simulated)).order_by(Flight.id)
            return counts_simulated(session), session.scalars(ids).all()

    assert counting() == (True, [1, 2])
    for _ in range(2):
        with writing(runtime.sessions) as session:
            record_real_sky(session)
    assert counting() == (False, [2])


def test_of_a_picture_simulated_aircraft_count_while_there_is_no_other():
    simulated = {"hex": "4b1620", "simulated": True}
    assert counted_rows(sky_of(simulated), simulated=True).tolist() == [True]
    assert counted_rows(sky_of(simulated, {"hex": "3c6444"}), simulated=True).tolist() == [False, True]
    assert counted_rows(sky_of(simulated), simulated=False).tolist() == [False]


def test_answers_without_the_database_follow_within_a_second_and_ask_no_more(runtime, monkeypatch):
    counted_sky = CountedSky(runtime)
    assert counted_sky.shows_simulated
    with writing(runtime.sessions) as session:
        record_real_sky(session)
    monkeypatch.setattr(counted_sky, "_looked_at", float("-inf"))
    assert not counted_sky.shows_simulated
    monkeypatch.setattr(counted_sky, "_looked_at", float("-inf"))
    monkeypatch.setattr(counted_sky, "_sessions", None)
    assert not counted_sky.shows_simulated


def test_the_figures_of_a_tick_leave_out_what_a_simulator_sends_beside_a_real_receiver():
    clock = Clock()
    picture = simulating(clock)
    report = TickReport(MemoryBus(), picture, "tracker")

    def tick(sent, *, simulated):
        status = ReceiverStatus("demo", SIMULATOR, "connected", messages=sent)
        report.publish(picture.tick(), 0.01, 0, {}, [status] if sent else [], "", simulated=simulated)
        clock.advance(1)
        figures = report.statistics
        return figures.aircraft, figures.with_position, figures.messages

    try:
        assert tick(2, simulated=True) == (1, 1, 4)
        assert tick(2, simulated=False) == (1, 1, 2)
        picture.put("demo", [snapshot("4b1620", clock.wall, lat=47.5, lon=9.0)], 10)
        assert tick(12, simulated=False) == (1, 1, 2)
        # What it sent stays left out when it is gone, and when it begins anew.
        assert tick(0, simulated=False)[2] == 2
        picture.put("demo", [snapshot("4b1620", clock.wall, lat=47.5, lon=9.0)], 3)
        assert tick(3, simulated=False)[2] == 2
        assert report.statistics.message_rate == 0
    finally:
        report.close()


def simulating(clock):
    picture = picture_at(clock)
    picture.origins["demo"] = SIMULATED
    picture.put("demo", [snapshot("4b1620", START, lat=47.5, lon=9.0), snapshot("4b1621", START)], 2)
    picture.put("roof", [snapshot("3c6444", START, lat=47.6, lon=9.0), snapshot("4b1621", START - 1)], 2)
    return picture


def test_aircraft_of_a_simulator_are_marked_with_and_without_a_position():
    sky = simulating(Clock()).tick()
    marks = dict(zip(sky.hexes, sky.column("simulated").tolist(), strict=True))
    assert marks == {"4b1620": True, "4b1621": True, "3c6444": False}
    assert sky.aircraft("4b1620")["simulated"] is True
    assert "simulated" not in sky.aircraft("3c6444")
    assert from_bytes(to_bytes(sky)).column("simulated").tolist() == sky.column("simulated").tolist()


def test_aircraft_of_a_simulator_that_was_switched_off_leave_at_once():
    clock = Clock()
    picture = simulating(clock)
    picture.tick()
    picture.forget("demo")
    picture.origins.clear()
    clock.advance(1)
    sky = picture.tick()
    assert sorted(sky.hexes) == ["3c6444", "4b1621"]
    assert not sky.column("simulated").any()
    assert np.isnan(sky.column("lat")[sky.index["4b1621"]])
    assert "demo" not in picture.counts.snapshot()


def test_a_restart_without_the_simulator_brings_its_aircraft_not_back():
    clock = Clock()
    picture = simulating(clock)
    picture.tick()
    saved = decode(encode(picture.save()))
    after = picture_at(clock)
    assert after.restore(saved) == {"3c6444", "4b1621"}
    still = picture_at(clock)
    still.origins["demo"] = SIMULATED
    assert still.restore(saved) == {"3c6444", "4b1620", "4b1621"}
