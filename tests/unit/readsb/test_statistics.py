"""The figures of stats.json: periods are differences, and what some may not see is in none of theirs."""

import dataclasses

import pytest

from skywatch.readsb.statistics import Figures, counters_of
from skywatch.receivers.base import ReceiverStatus
from tests.skies import sky_of
from tests.unit.history.skies import SkyMaker, flying

START = 1_795_000_000.0
NEAR = {"hex": "4b1620", "lat": 47.5, "lon": 8.6, "rssi": -10.0, "alt_baro": 12_000}
FAR_FIGHTER = {"hex": "4b7f01", "lat": 49.0, "lon": 8.6, "rssi": -20.0, "alt_baro": 30_000, "military": True}


def counters(messages, **others):
    status = ReceiverStatus(
        name="roof", kind="beast", address="", messages=messages, positions=messages // 10, cpr=others.pop("cpr", {})
    )
    status.invalid = others
    return counters_of([status], cpu_s=messages / 1000)


def test_a_period_counts_what_came_in_it_and_total_everything():
    figures = Figures(START)
    for second in range(10, 1210, 10):
        figures.sample(START + second, counters(second * 100))
    periods = figures.periods(military=True)
    assert {name: (p["end"] - p["start"], p["messages"]) for name, p in periods.items()} == {
        "last1min": (60, 6_000),
        "last5min": (300, 30_000),
        "last15min": (900, 90_000),
        "total": (1200, 120_000),
    }
    assert periods["last1min"]["position_count_total"] == 600
    assert periods["last1min"]["remote"]["accepted"] == [6000]
    assert periods["last1min"]["cpu"]["background"] == 6000


def test_a_service_that_has_just_begun_has_short_periods():
    figures = Figures(START)
    assert figures.periods(True)["last15min"]["messages"] == 0
    figures.sample(START + 10, counters(50))
    assert {p["messages"] for p in figures.periods(True).values()} == {50}


def test_receivers_counts_have_readsbs_names():
    figures = Figures(START)
    cpr = {"airborne": 100, "surface": 5, "by_pair": 40, "alone": 50, "unresolved": 10, "empty": 2}
    refused = {"bad_parity": 7, "broken": 1, "unknown_address": 3, "position_out_of_range": 4, "position_too_fast": 1}
    figures.sample(START + 10, counters(1000, cpr=cpr, **refused))
    period = figures.periods(True)["last1min"]
    remote, found = period["remote"], period["cpr"]
    assert (remote["modes"], remote["bad"], remote["unknown_icao"], remote["accepted"]) == (1011, 8, 3, [1000])
    assert (found["airborne"], found["surface"], found["global_ok"], found["local_ok"]) == (100, 5, 40, 50)
    assert (found["global_bad"], found["global_range"], found["global_speed"]) == (5, 4, 1)
    assert found["filtered"] == 2


def test_lines_of_basestation_are_counted_apart():
    frames = ReceiverStatus(name="a", kind="beast", address="", messages=100)
    lines = ReceiverStatus(name="b", kind="sbs", address="", messages=30)
    figures = Figures(START)
    figures.sample(START + 10, counters_of([frames, lines], 0.0))
    period = figures.periods(True)["total"]
    assert (period["remote"]["accepted"], period["remote"]["basestation"], period["messages"]) == ([100], 30, 130)


def test_a_receiver_that_restarted_makes_no_negative_counts():
    figures = Figures(START)
    figures.sample(START + 10, counters(1000))
    figures.sample(START + 80, counters(10))
    assert figures.periods(True)["last1min"]["messages"] >= 0


def test_distance_tracks_and_signal_leave_out_what_a_caller_may_not_see():
    figures = Figures(START)
    figures.take(sky_of(NEAR, FAR_FIGHTER, now=START + 1))
    figures.sample(START + 10, {})
    every, civil = (figures.periods(military)["last1min"] for military in (True, False))
    assert (every["tracks"]["all"], civil["tracks"]["all"]) == (2, 1)
    assert every["max_distance"] > 150_000 > civil["max_distance"] > 5_000
    assert civil["local"]["signal"] == civil["local"]["peak_signal"] == -10.0
    assert every["local"]["signal"] == pytest.approx(-12.6, abs=0.05)
    # The farthest ever stays in the total when the minute is over.
    for second in range(20, 100, 10):
        figures.sample(START + second, {})
    assert figures.periods(True)["last1min"]["max_distance"] == 0
    assert figures.periods(True)["total"]["max_distance"] == every["max_distance"]


def test_aircraft_heard_once_and_never_again():
    figures, make = Figures(START), SkyMaker()
    once = flying("4b0001", START, START)
    often = flying("4b0002", START, START) | {"messages": 9}
    figures.take(make(START, [once, often]))
    gone = make(START + 60, [])
    figures.take(dataclasses.replace(gone, left=("4b0001", "4b0002")))
    figures.sample(START + 60, {})
    assert figures.periods(True)["last1min"]["tracks"] == {"all": 2, "single_message": 1}


def test_simulated_aircraft_heard_once_count_no_more_once_a_real_one_was_heard():
    figures, make = Figures(START), SkyMaker()
    simulated = flying("4b0001", START, START) | {"simulated": True}
    figures.take(make(START, [simulated, flying("4b0002", START, START)]), simulated=False)
    gone = dataclasses.replace(make(START + 60, []), left=("4b0001", "4b0002"))
    figures.take(gone, simulated=False)
    figures.sample(START + 60, {})
    assert figures.periods(True)["last1min"]["tracks"] == {"all": 1, "single_message": 1}


def test_a_clock_that_is_set_neither_stops_the_figures_nor_grows_them():
    figures = Figures(START)
    assert figures.is_due(START - 3600)
    for _ in range(500):
        figures.sample(START - 3600, counters(5))
    assert len(figures._samples) < 100
    assert figures.periods(True)["last1min"]["messages"] >= 0
