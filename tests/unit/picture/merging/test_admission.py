"""Invented addresses: what is received once waits apart, and the picture holds a limited number of aircraft."""

import pytest

from skywatch.picture.merging import admission
from tests.unit.picture.reports import Clock, increment, picture_at, snapshot


@pytest.fixture
def clock():
    return Clock()


def address(number):
    return f"{0x400000 + number:06x}"


def test_an_address_that_was_received_once_is_no_aircraft_until_it_is_received_again(clock):
    picture = picture_at(clock, proof=True)
    picture.put("raw", [increment("4b1620", clock.time(), flight="SWR1"), increment("4b1621", clock.time())], 2)
    assert picture.tick().hexes == []
    assert picture.admission.waiting == 2
    # The same transmission by another way proves nothing.
    picture.put("raw", [increment("4b1620", clock.time() + 0.01, gs=200.0)], 1)
    assert picture.tick().hexes == []
    clock.advance(1)
    picture.put("raw", [increment("4b1620", clock.time(), alt_baro=3000)], 1)
    aircraft = picture.tick().aircraft("4b1620")
    # Nothing of the first message is lost.
    assert (aircraft["flight"], aircraft["alt_baro"], aircraft["messages"]) == ("SWR1", 3000, 2)
    clock.advance(61)
    assert picture.tick().hexes == []
    assert picture.admission.waiting == 0
    assert picture.admission.dropped == {admission.RECEIVED_ONCE: 1}


def test_what_proves_an_address(clock):
    picture = picture_at(clock, proof=True)
    picture.put("roof", [snapshot("4b1620", clock.time(), messages=2), snapshot("4b1621", clock.time(), messages=1)], 3)
    assert picture.tick().hexes == ["4b1620"]
    # A second receiver.
    picture.put("cellar", [snapshot("4b1621", clock.time(), messages=1)], 1)
    assert picture.tick().hexes == ["4b1620", "4b1621"]
    # A position out of a message of the airline is received once in half an hour.
    picture.put("acars.vhf", [increment("4b1622", clock.time(), lat=47.0, lon=8.0)], 1, proven=True)
    assert "4b1622" in picture.tick().hexes


def test_a_snapshot_that_only_repeats_what_was_received_is_no_second_message(clock):
    picture = picture_at(clock, proof=True)
    received_at = clock.time()
    for _ in range(5):
        picture.put("roof", [snapshot("4b1620", received_at)], 1)
        clock.advance(1)
        assert picture.tick().hexes == []
    picture.put("roof", [snapshot("4b1620", clock.time())], 1)
    assert picture.tick().hexes == ["4b1620"]


def test_a_hundred_thousand_addresses_leave_the_aircraft_there_were(clock, monkeypatch):
    monkeypatch.setattr(admission, "MAX_WAITING", 500)
    picture = picture_at(clock, proof=True, maximum=1000)
    for second in range(20):
        now = clock.time()
        picture.put("roof", [snapshot(address(n), now, messages=9 + second) for n in range(50)], 50)
        picture.put("liar", [increment(address(100 + 5000 * second + n), now) for n in range(5000)], 5000)
        assert len(picture.tick()) == 50
        assert picture.admission.waiting == 500
        clock.advance(1)
    assert picture.admission.dropped == {admission.RECEIVED_ONCE: 20 * 5000 - 500}
    assert not picture.admission.is_full


def test_invented_addresses_that_come_twice_are_no_aircraft_while_many_wait(clock, monkeypatch):
    monkeypatch.setattr(admission, "MAX_WAITING", 500)
    picture = picture_at(clock, proof=True, maximum=1000)
    real = [address(n) for n in range(20)]
    picture.put("raw", [increment(a, clock.time()) for a in real[:10]], 10)
    for second in range(20):
        clock.advance(1)
        now = clock.time()
        # The real ones that are new appear in the midst of it, and are received again and again.
        picture.put("raw", [increment(a, now) for a in real], 20)
        for again in (0.0, 0.3):
            invented = [increment(address(100 + 400 * second + n), now + again) for n in range(400)]
            picture.put("raw", invented, 400)
        sky = picture.tick()
        assert set(real[:10]) <= set(sky.hexes)
        assert len(sky) <= 20 + 50
        assert picture.admission.waiting <= 500
    assert set(real) <= set(sky.hexes)


def test_many_that_are_received_on_and_on_all_become_aircraft(clock):
    picture = picture_at(clock, proof=True)
    many = [address(n) for n in range(3000)]
    for _ in range(7):
        picture.put("raw", [increment(a, clock.time()) for a in many], 3000)
        sky = picture.tick()
        clock.advance(1)
    assert len(sky) == 3000


def test_a_full_picture_drops_what_is_new_and_counts_it(clock):
    picture = picture_at(clock, proof=True, maximum=100)
    picture.put("roof", [snapshot(address(n), clock.time(), messages=2) for n in range(130)], 130)
    sky = picture.tick()
    assert sky.hexes == [address(n) for n in range(100)]
    assert picture.admission.dropped == {admission.NO_ROOM: 30}
    assert picture.admission.is_full
    clock.advance(61)
    picture.put("roof", [snapshot(address(120), clock.time(), messages=2)], 1)
    assert picture.tick().hexes == []  # the old ones left with this tick
    picture.put("roof", [snapshot(address(120), clock.time(), messages=2)], 1)
    assert picture.tick().hexes == [address(120)]
    assert not picture.admission.is_full


def test_one_receiver_cannot_keep_the_others_out_of_a_full_picture(clock):
    picture = picture_at(clock, proof=True, maximum=100)
    real = [address(1000 + n) for n in range(40)]
    for second in range(5):
        now = clock.time()
        picture.put("liar", [snapshot(address(n), now - n / 100, messages=2) for n in range(200)], 200)
        # One of them is an aircraft that the other one receives as well.
        picture.put("roof", [snapshot(a, now, messages=2) for a in [*real, address(99)][: 10 * second]], 40)
        sky = picture.tick()
        assert len(sky) <= 100
        clock.advance(1)
    assert set(real) <= set(sky.hexes)
    assert picture.admission.dropped[admission.DISPLACED] >= 40


def fill(picture, clock, receivers=("raw",), invented=100):
    """Invented addresses in all places of a picture, received twice."""
    for _ in range(2):
        clock.advance(6)
        now = clock.time()
        for receiver in receivers:
            picture.put(receiver, [increment(address(n), now) for n in range(invented)], invented)
    picture.tick()


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("receivers", [("raw",), ("cellar", "roof")], ids=["one receiver", "two that receive the same"])
def test_aircraft_enter_a_full_picture_at_the_cost_of_what_is_received_more_seldom(clock, receivers):
    picture = picture_at(clock, proof=True, maximum=100)
    established, new = [address(1000 + n) for n in range(20)], [address(2000 + n) for n in range(10)]
    invented = [address(n) for n in range(100)]

    def receive(addresses):
        for receiver in receivers:
            picture.put(receiver, [increment(a, clock.time()) for a in addresses], len(addresses))

    for _ in range(20):
        clock.advance(1)
        receive(established)
        picture.tick()
    fill(picture, clock, receivers)
    assert len(picture.tick()) == 100
    entered_after = None
    # Whoever invents addresses repeats them often enough for none to leave by itself.
    for second in range(120):
        clock.advance(1)
        receive(invented[second % 25 :: 25])
        # One that is received every eight seconds has its place by what was received before.
        receive(established[second % 8 :: 8])
        receive(new)
        present = set(picture.tick().hexes)
        assert len(present) <= 100
        assert set(established) <= present
        if entered_after is not None:
            assert set(new) <= present
        elif set(new) <= present:
            entered_after = second
    assert entered_after is not None
    assert entered_after < 20
    assert picture.admission.is_full
    assert picture.admission.dropped[admission.DISPLACED] >= 10
    assert picture.admission.dropped[admission.NO_ROOM] > 0


@pytest.mark.parametrize("counted", [True, False])
def test_a_picture_full_of_real_aircraft_stays_as_it_is(clock, counted):
    picture = picture_at(clock, proof=True, maximum=100)
    fill(picture, clock, invented=0)
    first = None
    for second in range(1, 150):
        clock.advance(1)
        counts = {"messages": 3 * second} if counted else {}
        picture.put("world", [snapshot(address(n), clock.time(), **counts) for n in range(130)], 130)
        present = set(picture.tick().hexes)
        if len(present) == 100:
            first = first or present
            assert present == first
    assert first is not None
    assert admission.DISPLACED not in picture.admission.dropped
    assert picture.admission.is_full


def test_aircraft_of_a_saved_picture_keep_their_places(clock):
    picture = picture_at(clock, proof=True, maximum=100)
    real = [address(1000 + n) for n in range(40)]
    for _ in range(30):
        clock.advance(1)
        picture.put("raw", [increment(a, clock.time()) for a in real], 40)
    fill(picture, clock, invented=60)
    restarted = picture_at(clock, proof=True, maximum=100)
    restarted.restore(picture.save())
    new = [address(2000 + n) for n in range(10)]
    for second in range(40):
        clock.advance(1)
        restarted.put("raw", [increment(a, clock.time()) for a in (*new, *real[second % 4 :: 4])], 20)
        present = set(restarted.tick().hexes)
        assert set(real) <= present
    assert set(new) <= present
    assert restarted.admission.dropped[admission.DISPLACED] == 10


def test_the_clock_may_be_set_while_addresses_wait(clock):
    picture = picture_at(clock, proof=True)
    picture.put("raw", [increment("4b1620", clock.time(), flight="SWR1")], 1)
    clock.set(3600)
    picture.tick()
    assert picture.admission.waiting == 1
    clock.advance(1)
    picture.put("raw", [increment("4b1620", clock.time())], 1)
    aircraft = picture.tick().aircraft("4b1620")
    assert aircraft["flight"] == "SWR1"
