"""Who takes over goes on from the leader's picture: its first tick is the one that every process had."""

from __future__ import annotations

import numpy as np
import pytest

from skywatch.core.database.fencing import next_token, term_of
from skywatch.picture.state.sky import COLUMNS, LATER_COLUMNS, from_bytes, put_together, to_bytes
from skywatch.picture.storage.followed_sky import saved_from
from skywatch.picture.storage.saved_picture import decode, encode
from skywatch.receivers.feeder_streams.voices import OURS, SEVERAL, Voice
from tests.unit.picture.reports import START, Clock, increment, picture_at, snapshot

# What begins anew, and what one view of all receivers cannot hold.
APART = {"previous_row", "changed", "airframe_changed", "receiver"}


def taken_over(sky, clock):
    """The first tick of the tracker that follows this sky."""
    picture = picture_at(clock)
    picture.restore(decode(encode(saved_from(from_bytes(to_bytes(sky))))))
    picture.begin(term_of(next_token()))
    return picture, picture.tick()


@pytest.fixture
def clock():
    return Clock()


def test_the_first_tick_is_the_picture_of_the_leader(clock):
    leader = picture_at(clock)
    leader.put("frames", [
        increment("4b1620", START, lat=47.5, lon=9.0, alt_baro=35000, alt_geom=35600, gs=450.1, track=91.5),
        increment("4b1620", START + 1, flight="SWR123", squawk="1000", category="A3", nic=8, nac_p=9, sil=3),
        increment("4b1621", START, alt_baro="ground"), increment("4b1621", START + 2, emergency="general"),
        increment("4b1622", START, lat=47.0, lon=8.0, type="mlat"), increment("4b1622", START + 3, type="mlat"),
    ], 6)  # fmt: skip
    clock.advance(10)
    leader.tick()
    leader.put("polled", [
        snapshot("4b1623", START + 9.5, r="HB-JVH", t="E190", desc="Embraer", dbFlags=1, lat=46.0, lon=7.0,
                 nav_modes=["tcas"], messages=900, rssi=-21.5),
        snapshot("4b1624", START + 9, alt_baro=4000, lat=46.1, lon=7.0, mlat=["lat", "lon"], tisb=[]),
        snapshot("4b1625", START + 8, acas_ra={"advisory": "climb"}),
    ], 3)  # fmt: skip
    sky = leader.tick()
    assert len(sky) == 6
    clock.advance(2)
    expected = leader.tick()
    picture, followed = taken_over(sky, clock)
    for address in expected.hexes:
        assert followed.aircraft(address) == expected.aircraft(address), address
    rows = [followed.index[address] for address in expected.hexes]
    for name in COLUMNS.keys() - APART:
        if COLUMNS[name] != "u4":
            np.testing.assert_array_equal(followed.columns[name][rows], expected.columns[name], err_msg=name)
    assert followed.epoch != sky.epoch
    # The receivers go on where those of the leader were, and what is not heard again leaves at its time.
    picture.put("frames", [increment("4b1620", START + 13, gs=460.0)], 1)
    clock.advance(2)
    assert picture.tick().aircraft("4b1620")["gs"] == 460.0
    assert picture.tick().aircraft("4b1620")["messages"] == expected.aircraft("4b1620")["messages"] + 1
    clock.advance(56)
    assert picture.tick().hexes == ["4b1620"]


def test_the_state_of_an_aircraft_without_an_emergency_ends_at_its_time(clock):
    leader = picture_at(clock)
    leader.put("frames", [increment("4b1620", START, emergency="none"), increment("4b1620", START + 30, gs=450.0)], 2)
    clock.advance(31)
    picture, followed = taken_over(leader.tick(), clock)
    assert followed.aircraft("4b1620")["emergency"] == "none"
    clock.advance(30)
    assert "emergency" not in picture.tick().aircraft("4b1620")


def test_what_one_stranger_alone_has_heard_stays_so(clock):
    leader = picture_at(clock)
    one, other = Voice("user 1", "10.0.0.0/24"), Voice("user 2", "10.0.1.0/24")
    leader.put("feeder-1", [snapshot("4b1620", START, lat=47.0, lon=8.0)], 1, voice=one)
    leader.put("feeders", [increment("4b1621", START, lat=47.1, lon=8.0)], 1, voice=SEVERAL)
    leader.put("roof", [increment("4b1622", START, lat=47.2, lon=8.0)], 1, voice=OURS)
    sky = leader.tick()
    single = {address: sky.aircraft(address).get("single_source") for address in sky.hexes}
    assert single == {"4b1620": True, "4b1621": None, "4b1622": None}
    picture, followed = taken_over(sky, clock)
    for address in sky.hexes:
        assert followed.aircraft(address) == sky.aircraft(address)
    # Its own feeder confirms nothing, another owner's does.
    clock.advance(1)
    picture.put("feeder-1", [snapshot("4b1620", START + 1, lat=47.0, lon=8.0)], 1, voice=one)
    assert picture.tick().aircraft("4b1620")["single_source"]
    picture.put("feeder-2", [snapshot("4b1620", START + 1, lat=47.0, lon=8.0)], 1, voice=other)
    assert "single_source" not in picture.tick().aircraft("4b1620")


def test_what_an_older_tracker_does_not_know_of_flights_before_is_unknown():
    columns = {name: np.zeros(2, dtype).tobytes() for name, dtype in COLUMNS.items() if name not in LATER_COLUMNS}
    given = put_together(columns, {}, 2)
    assert np.isnan(np.frombuffer(given["seen_before_days"], COLUMNS["seen_before_days"])).all()
    assert given["simulated"] == bytes(2)
