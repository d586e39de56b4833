"""When a flight begins and ends, and what is kept of it."""

import dataclasses

import numpy as np
import pytest

from skywatch.history.recorder.recorder import Recorder
from skywatch.history.recorder.writer import flight_rows
from skywatch.history.storage.points import SIMULATED
from tests.unit.history.skies import SkyMaker, flying

T = 1_750_000_000.0


@pytest.fixture
def recorder():
    return Recorder(20.0, 25.0, 900.0)


def written(recorder, next_id):
    """Collect and pretend that the database took it; returns rows by id as well as the points."""
    batch = recorder.collect()
    ids = list(range(next_id, next_id + len(batch.new)))
    points = recorder.stored(batch.points, batch, ids)
    recorder.committed(batch, ids)
    batch.rows["id"][batch.new] = ids
    rows = flight_rows(batch, np.arange(len(batch.addresses)))
    return dict(zip(batch.rows["id"].tolist(), rows, strict=True)), points


def test_a_flight_has_its_extremes_counts_and_distance(recorder):
    make = SkyMaker()
    for second in range(101):
        fields = {
            "alt_baro_ft": 30000.0 + second * 25,
            "flight": "SWR1",
            "type": "A320",
            "distance_nm": 50.0 - second / 4,
        }
        recorder.take(make(T + second, [flying("4b1620", T + second, **fields)]))
    rows, _ = written(recorder, 7)
    flight = rows[7]
    assert (flight["icao_hex"], flight["callsign"], flight["aircraft_type"]) == ("4B1620", "SWR1", "A320")
    assert (flight["min_altitude_ft"], flight["max_altitude_ft"]) == (30000, 32500)
    assert (flight["positions"], flight["messages"]) == (101, 101)
    assert flight["distance_nm"] == pytest.approx(0.2 * 60, rel=0.001)  # 0.2 degrees of latitude
    assert (flight["min_distance_nm"], flight["max_distance_nm"]) == (25.0, 50.0)
    assert flight["active"]
    assert (flight["last_seen_at"] - flight["first_seen_at"]).total_seconds() == 100


def test_points_have_the_source_of_their_positions(recorder):
    make = SkyMaker()
    for second in range(200):
        source = 1 if second < 90 else 6
        recorder.take(make(T + second, [flying("4b1620", T + second, position_source=source | 128)]))
    _, points = written(recorder, 1)
    at = points["at"] * 0.01
    assert set(points["source"][at < T + 89].tolist()) == {1}
    assert set(recorder.stored(recorder.thinner.open_ends())["source"].tolist()) == {6}
    assert (points["flags"] & SIMULATED > 0).all()


@pytest.mark.parametrize(
    ("fields", "farthest"),
    [
        ({}, 120.0),
        ({"position_source": 6}, None),  # MLAT
        ({"position_source": 4}, None),  # TIS-B
        ({"position_source": 5}, None),  # ADS-C
        ({"position_source": 1 | 3 << 4}, None),  # a network
        ({"position_source": 0}, None),
        ({"alt_baro_ft": 1_000.0}, None),
        ({"alt_baro_ft": np.nan, "alt_geom_ft": 36_000.0}, 120.0),
    ],
)
def test_the_farthest_distance_is_what_the_antenna_heard(recorder, fields, farthest):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T, distance_nm=120.0, **fields)]))
    rows, _ = written(recorder, 1)
    assert (rows[1]["min_distance_nm"], rows[1]["max_distance_nm"]) == (120.0, farthest)


def test_a_liars_one_position_is_no_range(recorder):
    make = SkyMaker()
    for second, distance in enumerate((60.0, 61.0, 4_000.0, 62.0)):
        recorder.take(make(T + second, [flying("4b1620", T + second, distance_nm=distance)]))
    rows, _ = written(recorder, 1)
    assert rows[1]["max_distance_nm"] == 62.0


def test_a_place_that_turned_out_to_be_wrong_was_not_flown_to(recorder):
    make = SkyMaker()
    for second, lat in enumerate((12.0, 47.0, 47.002, 47.004)):
        recorder.take(make(T + 5 * second, [flying("4b1620", T + 5 * second, lat=lat, lon=8.0)]))
    rows, _ = written(recorder, 1)
    assert rows[1]["distance_nm"] == pytest.approx(0.004 * 60, rel=0.01)


def test_a_flight_goes_on_where_its_source_counts_no_messages(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T, messages=0)]))
    written(recorder, 1)
    recorder.take(make(T + 60, [flying("4b1620", T + 60, messages=0)]))
    rows, _ = written(recorder, 2)
    assert rows[1]["positions"] == 2
    assert (rows[1]["last_seen_at"] - rows[1]["first_seen_at"]).total_seconds() == 60


def test_a_flight_of_which_nothing_was_heard_is_not_written_again(recorder):
    make = SkyMaker()
    for second in (0, 1):
        recorder.take(make(T + second, [flying("4b1620", T, seen_at=T)]))
        rows, _ = written(recorder, 1)
    assert rows == {}


def test_an_aircraft_that_returns_soon_goes_on_with_its_flight(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T)]))
    recorder.take(make(T + 1, []))
    recorder.take(make(T + 800, [flying("4b1620", T + 800)]))
    rows, _ = written(recorder, 1)
    assert list(rows) == [1]


def test_an_aircraft_that_returns_late_begins_a_new_flight(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T)]))
    recorder.take(make(T + 1, []))
    recorder.take(make(T + 902, [flying("4b1620", T + 902)]))
    rows, _ = written(recorder, 1)
    assert [row["active"] for row in rows.values()] == [False, True]
    recorder.take(make(T + 903, []))
    recorder.take(make(T + 1900, []))
    rows, _ = written(recorder, 3)
    assert [row["active"] for row in rows.values()] == [False]
    assert not recorder.slots["used"].any()


def test_taking_off_again_after_a_stop_is_a_new_flight_but_a_touch_and_go_is_not(recorder):
    make = SkyMaker()
    on_ground = {"on_ground": True, "alt_baro_ft": np.nan}
    recorder.take(make(T, [flying("4b1620", T), flying("4b1621", T)]))
    for second in range(1, 302):
        touching = on_ground if second < 20 else {}
        recorder.take(make(T + second, [flying("4b1620", T, **on_ground), flying("4b1621", T, **touching)]))
    recorder.take(make(T + 302, [flying("4b1620", T + 302), flying("4b1621", T + 302)]))
    rows, _ = written(recorder, 1)
    assert sorted(row["icao_hex"] for row in rows.values()) == ["4B1620", "4B1620", "4B1621"]


def test_a_new_callsign_is_a_new_flight_on_the_ground_after_landing_only(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T, flight="SWR1"), flying("4b1621", T, flight="EZY1")]))
    parked = flying("4b1620", T, flight="SWR2", on_ground=True, alt_baro_ft=np.nan)
    recorder.take(make(T + 1, [parked, flying("4b1621", T + 1, flight="EZY2")]))
    rows, _ = written(recorder, 1)
    assert sorted((r["icao_hex"], r["callsign"]) for r in rows.values()) == [
        ("4B1620", "SWR1"),
        ("4B1620", "SWR2"),
        ("4B1621", "EZY2"),
    ]


def test_what_is_collected_waits_until_it_is_committed(recorder):
    make = SkyMaker()
    for second in range(10):
        recorder.take(make(T + second, [flying("4b1620", T + second)]))
    batch = recorder.collect()
    assert recorder.waiting == len(batch.points) > 0
    recorder.take(make(T + 10, [flying("4b1620", T + 10)]))
    recorder.committed(batch, [1])
    assert recorder.waiting == 0
    rows, _ = written(recorder, 2)
    assert rows[1]["positions"] == 11


def test_rows_that_move_from_tick_to_tick_stay_with_their_aircraft(recorder):
    make = SkyMaker()
    rng = np.random.default_rng(5)
    addresses = [f"4b16{n:02x}" for n in range(40)]
    for second in range(50):
        here = [a for a in addresses if rng.random() < 0.9]
        rng.shuffle(here)
        recorder.take(make(T + second, [flying(a, T + second, flight=f"F{a}"[:8]) for a in here]))
    rows, points = written(recorder, 1)
    assert sorted(r["icao_hex"] for r in rows.values()) == sorted(a.upper() for a in addresses)
    assert all(r["callsign"] == f"F{r['icao_hex'].lower()}"[:8] for r in rows.values())
    lon = {row["icao_hex"]: row["last_lon"] for row in rows.values()}
    for point in points:
        assert point["lon"] * 1e-5 == pytest.approx(lon[f"{point['aircraft']:06X}"], abs=1e-4)


def test_a_skipped_tick_or_another_start_does_not_mix_aircraft_up(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T), flying("4b1621", T)]))
    make(T + 1, [flying("4b1621", T + 1)])
    recorder.take(make(T + 2, [flying("4b1621", T + 2, flight="B")]))
    other = SkyMaker("e2")
    recorder.take(other(T + 3, [flying("4b1620", T + 3, flight="A")]))
    rows, _ = written(recorder, 1)
    assert {r["icao_hex"]: r["callsign"] for r in rows.values()} == {"4B1620": "A", "4B1621": "B"}


@pytest.mark.parametrize("restarted", [False, True], ids=["running", "restarted"])
def test_a_clock_that_is_set_back_begins_a_new_flight_and_loses_nothing(recorder, restarted):
    make, earlier = SkyMaker(), T - 3600
    for second in range(30):
        recorder.take(make(T + second, [flying("4b1620", T + second)]))
    written(recorder, 1)
    if restarted:
        recorder.now = 0.0
        make = SkyMaker("e2")
    for second in range(30):
        recorder.take(make(earlier + second, [flying("4b1620", earlier + second, earlier)]))
    rows, points = written(recorder, 2)
    assert (rows[1]["active"], rows[1]["positions"]) == (False, 30)
    assert (rows[2]["active"], rows[2]["positions"]) == (True, 30)
    assert rows[2]["first_seen_at"].timestamp() == earlier
    assert set(points["flight"].tolist()) == {1, 2}
    # A correction of a few seconds is no reason.
    recorder.take(make(earlier + 25, [flying("4b1620", earlier + 25, earlier)]))
    assert written(recorder, 3)[0][2]["active"]


def test_a_position_from_the_future_or_the_past_is_not_taken(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T)]))
    recorder.take(make(T + 1, [flying("4b1620", T + 1, position_at=T + 500)]))
    recorder.take(make(T + 2, [flying("4b1620", T + 2, position_at=T - 5)]))
    recorder.take(make(T + 3, [flying("4b1620", T + 3)]))
    rows, _ = written(recorder, 1)
    assert rows[1]["positions"] == 2


def test_the_operator_is_the_operator_and_never_the_owner(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T, operator="SWISS", owner="Leasing Ltd"), flying("4b1621", T, owner="X")]))
    rows, _ = written(recorder, 1)
    assert (rows[1]["operator"], rows[2]["operator"]) == ("SWISS", None)


def test_an_operator_that_becomes_known_in_flight_is_recorded_and_not_forgotten(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T)]))
    recorder.take(make(T + 1, [flying("4b1620", T + 1, operator="SWISS", airframe_changed=True)]))
    recorder.take(make(T + 2, [flying("4b1620", T + 2, airframe_changed=True)]))
    assert written(recorder, 1)[0][1]["operator"] == "SWISS"


def test_a_flight_is_simulated_and_ends_with_its_simulator(recorder):
    make = SkyMaker()
    for second in range(3):
        aircraft = [
            flying("4b1620", T + second, simulated=True, position_source=1 | 128),
            flying("3c6444", T + second),
        ]
        recorder.take(make(T + second, aircraft))
    rows, _ = written(recorder, 1)
    assert {row["icao_hex"]: row["simulated"] for row in rows.values()} == {"4B1620": True, "3C6444": False}
    left = dataclasses.replace(make(T + 3, [flying("3c6444", T + 3)]), left=("4b1620",))
    recorder.take(left)
    rows, _ = written(recorder, 3)
    assert {row["icao_hex"]: row["active"] for row in rows.values()} == {"4B1620": False, "3C6444": True}


def test_the_real_aircraft_with_the_address_of_a_simulated_one_has_a_flight_of_its_own(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T, simulated=True, position_source=1 | 128)]))
    recorder.take(make(T + 1, []))
    recorder.take(make(T + 2, [flying("4b1620", T + 2)]))
    rows, points = written(recorder, 1)
    assert sorted((row["simulated"], row["active"]) for row in rows.values()) == [(False, True), (True, False)]
    real = next(flight for flight, row in rows.items() if not row["simulated"])
    assert set(points["flags"][points["flight"] == real].tolist()).isdisjoint({SIMULATED})


def test_a_simulated_flight_is_not_continued_by_a_real_one(recorder):
    make = SkyMaker()
    recorder.take(make(T, [flying("4b1620", T)]))
    assert recorder.continues("4b1620", T - 5)
    assert not recorder.continues("4b1620", T - 5, simulated=True)
