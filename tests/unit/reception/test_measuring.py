"""What is measured of receivers: rates, aircraft, signals, and distances by bearing."""

from datetime import timedelta

import numpy as np
import pytest

from skywatch.picture.state.own_antenna import SIMULATED
from skywatch.reception.measurement.codec import (
    pack_detail,
    pack_summary,
    unpack,
    unpack_detail,
    unpack_summaries,
)
from skywatch.reception.measurement.hour import Hour, total
from tests.unit.reception.world import World, aircraft


def fly(world, seconds, *shown, receiver="roof", messages=None):
    for _ in range(seconds):
        world.show(receiver, *shown, messages=messages)
        world.tick()


def sums(world, receiver="roof"):
    return total(world.newest(receiver).hour.minutes)


def test_rates_are_what_was_delivered_in_the_seconds_observed():
    world = World()
    fly(world, 61, aircraft("4b1620", 10, 50), aircraft("4b1621", 20, 50), messages=30)
    hour = sums(world)
    assert hour["seconds"] == hour["samples"] * 10 - 9  # the first sample comes a second after the first tick
    assert hour["messages"] / hour["seconds"] == 30
    assert hour["positions"] / hour["seconds"] == 2
    assert hour["aircraft"] / hour["samples"] == 2


def test_strong_and_weak_signals_are_counted_and_the_limits_are_neither():
    world = World()
    strengths = (-2.9, -3.0, -20.0, -33.0, -33.1, -60.0)
    fly(world, 12, *(aircraft(f"4b162{n}", 10, 50, rssi=rssi) for n, rssi in enumerate(strengths)))
    hour = world.newest("roof").hour
    assert (hour.minutes["signals"].sum(), hour.minutes["strong"].sum(), hour.minutes["weak"].sum()) == (6, 1, 2)
    # -60 is in the weakest bin, -33 and -33.1 are in two.
    assert {int(place) - 50: int(count) for place, count in enumerate(hour.signals.sum(axis=0)) if count} == {
        -50: 1, -34: 1, -33: 1, -20: 1, -3: 2,
    }  # fmt: skip


def test_ranges_are_the_greatest_of_each_sector_from_the_station():
    world = World()
    fly(world, 12, aircraft("4b1620", 9.9, 50), aircraft("4b1621", 1, 120.04), aircraft("4b1622", 359.9, 200))
    ranges = world.newest("roof").hour.ranges.max(axis=0)
    assert {place * 10: int(tenths) for place, tenths in enumerate(ranges) if tenths} == {0: 1200, 350: 2000}
    assert world.newest("roof").hour.minutes["range"].max() == 2000


def test_a_receiver_with_a_place_of_its_own_measures_from_there():
    world = World(places={"feeder-7": (48.45, 8.56)})
    fly(world, 12, aircraft("4b1620", 0, 90), receiver="feeder-7")
    ranges = world.newest("feeder-7").hour.ranges.max(axis=0)
    assert {place * 10: int(tenths) for place, tenths in enumerate(ranges) if tenths} == {0: pytest.approx(300, abs=3)}


def test_a_receiver_of_the_settings_measures_from_its_place_as_others_may_know_it():
    world = World()
    world.picture.places["coast"], world.picture.shown_places["coast"] = (48.4512, 8.56), (48.45, 8.56)
    fly(world, 12, aircraft("4b1620", 0, 90), receiver="coast")
    assert world.newest("coast").hour.origin == (48.45, 8.56)
    assert world.newest("coast").hour.ranges.max() == pytest.approx(300, abs=3)


@pytest.mark.parametrize("kind", ["mlat", "tisb_icao", "adsr_icao", "adsc"])
def test_positions_that_the_aircraft_did_not_send_itself_are_no_range(kind):
    world = World()
    fly(world, 12, aircraft("4b1620", 0, 90, type=kind), aircraft("4b1621", 0, 40))
    assert world.newest("roof").hour.ranges.max() == 400


def test_a_place_that_the_picture_does_not_believe_is_no_range():
    world = World()
    for _ in range(30):
        world.show("barn", aircraft("4b1620", 0, 90))
        world.show("roof", aircraft("4b1620", 0, 90))
        world.show("liar", aircraft("4b1620", 0, 300), aircraft("4b1621", 0, 60))
        world.tick()
    assert world.newest("roof").hour.ranges.max() == 900
    assert world.newest("liar").hour.ranges.max() == 600
    assert sums(world, "liar")["refused"] >= 1


def test_a_receiver_without_a_message_for_a_while_receives_nothing_then():
    world = World()
    fly(world, 5, aircraft("4b1620", 0, 90))
    for _ in range(120):
        world.tick()
    minutes = world.newest("roof").hour.minutes
    silent = minutes[(minutes["seconds"] > 0) & (minutes["messages"] == 0)]
    assert len(silent) >= 1
    assert silent["aircraft"][-1] == 0


@pytest.mark.deep("costs over a processor second")
def test_an_hour_is_handed_over_when_the_next_begins_and_every_minute():
    world = World()
    # Ten minutes before the hour, and not written again in the first seconds of the next.
    world.clock.advance(3020 - world.now % 3600)
    fly(world, 1, aircraft("4b1620", 0, 90))
    to_the_hour = int(3600 - world.now % 3600)
    fly(world, to_the_hour + 15, aircraft("4b1620", 0, 90))
    (begin,) = {entry.at for entry in world.entries}
    first = world.entries
    assert world.newest("roof").at - begin == timedelta(hours=1)
    assert len(first) == pytest.approx(to_the_hour / 60, abs=2)
    assert total(first[-1].hour.minutes)["messages"] == pytest.approx(to_the_hour, abs=12)
    assert total(world.newest("roof").hour.minutes)["messages"] <= 25


def test_a_clock_that_was_set_neither_stops_nor_distorts():
    world = World()
    fly(world, 30, aircraft("4b1620", 0, 90), messages=10)
    world.clock.set(-1500)
    fly(world, 60, aircraft("4b1620", 0, 90), messages=10)
    hour = sums(world)
    assert hour["messages"] / hour["seconds"] == pytest.approx(10, abs=0.5)
    assert hour["seconds"] >= 40


def test_thousands_of_receivers_are_sampled_less_often_and_none_is_left_out():
    world = World()
    names = [f"feeder-{number}" for number in range(1, 1001)]
    most = 0
    for _ in range(64):
        for name in names:
            world.picture.count(name, 24, 6)
        world.tick()
        most = max(most, sum(meter.sampled_at == world.now for meter in world.collector._meters.values()) % 1000)
    assert most <= 1000 / 30 + 2
    for name in names[::97]:
        hour = total(world.newest(name).hour.minutes)
        assert hour["messages"] / hour["seconds"] == 24
        assert hour["samples"] in (2, 3)


def test_another_place_begins_the_ranges_again_and_leaves_the_rest():
    world = World(places={})
    fly(world, 12, aircraft("4b1620", 0, 90), receiver="feeder-7")
    world.places["feeder-7"] = (48.45, 8.56)
    fly(world, 12, aircraft("4b1620", 0, 90), receiver="feeder-7")
    hour = world.newest("feeder-7").hour
    assert hour.origin == (48.45, 8.56)
    assert hour.ranges.max() == pytest.approx(300, abs=3)
    assert total(hour.minutes)["messages"] >= 20


def example():
    hour = Hour((47.0, -8.5))
    hour.minutes[3]["messages"], hour.minutes[3]["seconds"] = 70_000, 60
    hour.count_signals(200, np.array([-2.0, -40.0]))
    hour.note_ranges(200, np.array([0.0, 359.9]), np.array([100.0, 9_999.0]))
    return hour


def test_a_packed_hour_is_the_hour():
    hour = example()
    again = unpack(pack_summary(hour), pack_detail(hour))
    assert again.origin == hour.origin
    for name in ("minutes", "ranges", "signals"):
        assert np.array_equal(getattr(again, name), getattr(hour, name))
    summary = unpack_summaries([pack_summary(hour)])[0]
    assert summary["ranges"].tolist() == [1000] + [0] * 34 + [65535]
    assert summary["sums"]["messages"] == 70_000
    assert len(pack_summary(hour)) + len(pack_detail(hour)) < 1000


def test_two_parts_of_an_hour_add_up():
    hour = example()
    hour.add(example())
    assert hour.minutes[3]["messages"] == 140_000
    assert hour.signals.sum() == 4
    assert hour.ranges[0, 0] == 1000
    elsewhere = example()
    elsewhere.move((1.0, 1.0))
    elsewhere.add(example())
    assert elsewhere.ranges.max() == 0


@pytest.mark.parametrize("damage", [lambda d: b"\x02" + d[1:], lambda d: d[:-5], lambda d: b"\x01no", lambda d: b""])
def test_what_is_damaged_or_of_another_version_is_refused(damage):
    with pytest.raises(ValueError, match="reception"):
        unpack_summaries([damage(pack_summary(example()))])
    with pytest.raises(ValueError, match="reception"):
        unpack_detail(damage(pack_detail(example())))


def test_the_hour_of_a_simulator_is_marked_and_not_that_of_the_receiver_with_its_name():
    world = World()
    world.picture.origins["roof"] = SIMULATED
    for _ in range(30):
        world.show("roof", aircraft("4b1620", 10, 100))
        world.tick()
    assert world.newest("roof").simulated
    world.picture.forget("roof")
    world.picture.origins.clear()
    world.tick()
    assert not [entry for entry in world.collector.collect() if entry.receiver == "roof"]
    for _ in range(30):
        world.show("roof", aircraft("3c6444", 10, 20))
        world.tick()
    real = world.newest("roof")
    assert not real.simulated
