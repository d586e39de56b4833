"""What receivers say becomes one picture a second."""

import msgspec
import numpy as np
import pytest

from skywatch.picture.state.sky import COLUMNS
from skywatch.picture.storage.saved_picture import decode, encode
from tests.unit.picture.reports import START, Clock, increment, picture_at, snapshot


@pytest.fixture
def clock():
    return Clock()


def test_a_snapshot_becomes_an_aircraft_with_readsbs_names_and_ours(clock):
    picture = picture_at(clock)
    clock.advance(0.4)
    report = snapshot(
        "4b1620", START + 0.1, position_at=START, flight="SWR123  ", alt_baro=35000, gs=450.1, track=91.5,
        squawk="7700", lat=47.5, lon=9.0, messages=12, rssi=-21.5, dbFlags=1, r="HB-IJS", nav_modes=["tcas"],
    )  # fmt: skip
    picture.put("roof", [report], 12)
    sky = picture.tick()
    assert sky.messages == 12
    aircraft = sky.aircraft("4b1620", details=False)
    assert aircraft == {
        "hex": "4b1620", "type": "adsb_icao", "flight": "SWR123", "dbFlags": 1, "military": True, "on_ground": False,
        "alt_baro": 35000, "gs": 450.1, "track": 91.5, "squawk": "7700", "nav_modes": ["tcas"], "lat": 47.5,
        "lon": 9.0, "distance_nm": 18.107, "bearing": 80.3, "receiver": "roof",
        "first_seen": "2023-11-14T22:13:20.400Z", "seen": 0.3, "seen_pos": 0.4, "messages": 12, "rssi": -21.5,
    }  # fmt: skip
    assert {name: column.dtype.str.lstrip("<|=") for name, column in sky.columns.items()} == {
        name: np.dtype(dtype).str.lstrip("<|=") for name, dtype in COLUMNS.items()
    }
    assert sky.columns["flight"][0] == b"SWR123"
    assert sky.columns["emergency"][0]
    assert sky.columns["military"][0]
    assert sky.columns["alt_baro_ft"][0] == 35000
    assert sky.columns["registration"][0] == b"HB-IJS"
    assert sky.columns["nic"][0] == -1


def test_an_aircraft_on_the_ground_without_a_position_is_there(clock):
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", START, alt_baro="ground"), snapshot("000001", START)], 2)
    sky = picture.tick()
    assert sky.hexes == ["4b1620", "000001"]
    assert sky.aircraft("4b1620")["alt_baro"] == "ground"
    assert sky.columns["on_ground"].tolist() == [True, False]
    assert np.isnan(sky.columns["alt_baro_ft"]).all()
    assert "lat" not in sky.aircraft("000001")
    assert "distance_nm" not in sky.aircraft("000001")


def test_messages_of_one_second_come_together(clock):
    picture = picture_at(clock)
    picture.put("raw", [increment("4b1620", START, flight="SWR1"), increment("4b1620", START + 0.1, alt_baro=100)], 2)
    picture.put(
        "raw", [increment("4b1620", START + 0.2, lat=47.0, lon=8.0), increment("4b1620", START + 0.3, gs=1.0)], 2
    )
    clock.advance(1)
    aircraft = picture.tick().aircraft("4b1620")
    assert (aircraft["flight"], aircraft["alt_baro"], aircraft["lat"], aircraft["gs"]) == ("SWR1", 100, 47.0, 1.0)
    assert aircraft["messages"] == 4
    assert (aircraft["seen"], aircraft["seen_pos"]) == (0.7, 0.8)


def test_what_was_heard_long_ago_is_no_longer_shown(clock):
    picture = picture_at(clock)
    picture.put("raw", [increment("4b1620", START, flight="SWR1", lat=47.0, lon=8.0, squawk="1000", alt_baro=100)], 1)
    for _ in range(61):
        clock.advance(1)
        picture.put("raw", [increment("4b1620", clock.time(), gs=250.0)], 1)
        sky = picture.tick()
    aircraft = sky.aircraft("4b1620")
    assert aircraft["gs"] == 250.0
    assert (aircraft["flight"], aircraft["squawk"]) == ("SWR1", "1000")
    assert not {"lat", "lon", "alt_baro", "seen_pos", "distance_nm"} & set(aircraft)
    assert np.isnan(sky.columns["lat"][0])
    clock.advance(120)
    picture.put("raw", [increment("4b1620", clock.time(), gs=250.0)], 1)
    assert "squawk" not in picture.tick().aircraft("4b1620")


def test_an_aircraft_leaves_after_the_timeout_and_comes_back_as_new(clock):
    picture = picture_at(clock, timeout_s=60)
    picture.put("roof", [snapshot("4b1620", START)], 1)
    assert picture.tick().new_rows.tolist() == [0]
    clock.advance(59.9)
    sky = picture.tick()
    assert sky.hexes == ["4b1620"]
    assert sky.new_rows.tolist() == []
    clock.advance(0.2)
    sky = picture.tick()
    assert (sky.hexes, sky.left) == ([], ("4b1620",))
    assert picture.tick().left == ()
    picture.put("roof", [snapshot("4b1620", clock.time())], 1)
    assert picture.tick().columns["first_seen"][0] == pytest.approx(START + 60.1)


def test_only_ages_counts_and_signal_strength_do_not_count_as_a_change(clock):
    picture = picture_at(clock)
    said = {"alt_baro": 100, "lat": 47.0, "lon": 8.0}
    picture.put("roof", [snapshot("4b1620", START, messages=1, rssi=-3.0, **said), snapshot("4b1621", START)], 1)
    assert picture.tick().columns["changed"].tolist() == [True, True]
    clock.advance(1)
    picture.put("roof", [snapshot("4b1620", START + 1, messages=2, rssi=-4.0, **said)], 1)
    assert picture.tick().columns["changed"].tolist() == [False, False]
    picture.put("roof", [snapshot("4b1620", START + 1, messages=2, rssi=-4.0, **said | {"alt_baro": 125})], 1)
    assert picture.tick().columns["changed"].tolist() == [True, False]


@pytest.mark.parametrize("step", [-3600.0, -2.0, 2.0, 86400.0])
def test_setting_the_clock_neither_empties_nor_freezes_the_picture(clock, step):
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", START - 5, lat=47.0, lon=8.0, position_at=START - 7)], 1)
    picture.put("raw", [increment("4b1621", START - 5, lat=47.0, lon=8.0, position_at=START - 5)], 1)
    picture.tick()
    clock.set(step)
    clock.advance(1)
    sky = picture.tick()
    assert [sky.aircraft(address)["seen_pos"] for address in ("4b1620", "4b1621")] == [8.0, 6.0]
    assert sky.now == START + step + 1
    clock.advance(1)
    picture.put("roof", [snapshot("4b1620", clock.time(), lat=47.001, lon=8.0)], 1)
    assert picture.tick().aircraft("4b1620")["lat"] == 47.001


def test_a_saved_picture_goes_on_where_it_was(clock):
    picture = picture_at(clock)
    picture.put(
        "roof", [snapshot("4b1620", START, lat=47.0, lon=8.0, flight="SWR1"), snapshot("4b1621", START - 50)], 1
    )
    picture.put("raw", [increment("4b1622", START, squawk="1000")], 1)
    before = picture.tick()
    data = encode(picture.save())
    clock.advance(15)
    warm = picture_at(clock)
    assert warm.restore(decode(data)) == {"4b1620", "4b1622"}
    sky = warm.tick()
    assert sorted(sky.hexes) == ["4b1620", "4b1622"]
    assert sky.aircraft("4b1620")["first_seen"] == before.aircraft("4b1620")["first_seen"]
    assert sky.aircraft("4b1620")["lat"] == 47.0
    assert sky.aircraft("4b1622")["squawk"] == "1000"
    assert sky.aircraft("4b1620")["seen"] == 15.0
    clock.advance(50)
    assert warm.tick().hexes == []
    with pytest.raises(ValueError, match="not a saved picture"):
        decode(b"nonsense")
    with pytest.raises(ValueError):
        decode(msgspec.msgpack.encode([99, 0.0, {}, {}, []]))


def test_a_picture_that_failed_starts_over_and_keeps_first_sights(clock):
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", START, lat=47.0, lon=8.0)], 1)
    before = picture.tick()
    clock.advance(1)
    impossible = snapshot("4b1621", START + 1)
    impossible.gs = "fast"
    picture.put("roof", [snapshot("4b1620", START + 1), impossible], 2)
    with pytest.raises(ValueError):
        picture.tick()
    picture.recover()
    clock.advance(1)
    picture.put("roof", [snapshot("4b1620", START + 2, lat=47.0, lon=8.0)], 1)
    sky = picture.tick()
    assert sky.hexes == ["4b1620"]
    assert sky.epoch != before.epoch
    assert sky.columns["first_seen"].tolist() == before.columns["first_seen"].tolist()
    assert sky.columns["changed"].tolist() == [True]
    clock.advance(1)
    assert picture.tick().columns["changed"].tolist() == [False]


def complete_after(picture, clock, seconds, every_s=1.0):
    """The number of ticks, one every ``every_s``, until the picture is complete, at most so many."""
    for number in range(seconds):
        if picture.tick().is_complete:
            return number
        clock.advance(every_s)
    return None


@pytest.mark.parametrize(("timeout_s", "needed_s"), [(5.0, 60), (60.0, 60), (90.0, 90)])
def test_a_picture_is_complete_once_an_aircraft_that_was_there_would_have_left(clock, timeout_s, needed_s):
    picture = picture_at(clock, timeout_s=timeout_s)
    # A start may take long; it begins with the first tick.
    clock.advance(300)
    assert complete_after(picture, clock, 200) == needed_s
    assert picture.tick().is_complete


def test_a_picture_that_starts_over_is_not_complete(clock):
    picture = picture_at(clock)
    assert complete_after(picture, clock, 100) == 60
    picture.move((46.0, 7.0))
    assert complete_after(picture, clock, 100) == 60


def test_a_picture_that_stood_still_is_not_complete(clock):
    picture = picture_at(clock)
    assert complete_after(picture, clock, 100) == 60
    clock.advance(5)
    assert picture.tick().is_complete, "a late tick is no standstill"
    clock.advance(30)
    assert complete_after(picture, clock, 100) == 60


def test_a_clock_that_is_set_completes_nothing(clock):
    picture = picture_at(clock)
    assert not picture.tick().is_complete
    clock.set(3600)
    clock.advance(1)
    assert not picture.tick().is_complete


def test_the_rows_of_a_single_receiver_follow_its_document(clock):
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", clock.time()), snapshot("4b1621", clock.time())], 2)
    assert picture.tick().hexes == ["4b1620", "4b1621"]
    clock.advance(1)
    picture.put("roof", [snapshot(address, clock.time()) for address in ("4b1622", "4b1621", "4b1620")], 3)
    sky = picture.tick()
    assert sky.hexes == ["4b1622", "4b1621", "4b1620"]
    assert sky.column("previous_row").tolist() == [-1, 1, 0]
    # Who is not in the newest document stays, behind the others.
    clock.advance(1)
    picture.put("roof", [snapshot("4b1620", clock.time()), snapshot("4b1622", clock.time())], 2)
    assert picture.tick().hexes == ["4b1620", "4b1622", "4b1621"]
