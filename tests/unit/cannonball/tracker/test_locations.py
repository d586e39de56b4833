"""Users' locations on the bus and in the tracker: movement, jumps, expiry."""

import pytest

from skywatch.cannonball.location import Location, LocationStore
from skywatch.cannonball.tracker.locations import LocationCache, moved
from skywatch.core.bus.memory import MemoryBus


def fix(at, lat=47.0, lon=8.0, user_id=1, **movement):
    return Location(user_id, lat, lon, 25.0, at, at + 600.0, **movement)


def test_movement_is_what_the_client_says_or_what_the_fixes_show():
    told = moved(None, fix(0.0, heading=90.0, speed_kt=60.0))
    assert told.velocity.east_kt == pytest.approx(60.0)
    first = moved(None, fix(0.0))
    assert first.velocity == (0.0, 0.0)
    second = moved(first, fix(36.0, lat=47.01))
    assert second.velocity.north_kt == pytest.approx(60.0)


def test_a_jump_of_a_thousand_kilometres_is_a_jump_and_no_movement():
    before = moved(None, fix(0.0))
    after = moved(before, fix(5.0, lat=56.0))
    assert after.epoch == before.epoch + 1
    assert after.velocity == (0.0, 0.0)


def test_the_book_follows_the_bus_and_forgets_what_expired():
    bus = MemoryBus()
    store = LocationStore(bus)
    store.put(fix(0.0, user_id=7))
    book = LocationCache(bus)
    book.replace(store.all())
    book.update(1.0)
    assert set(book.users) == {7}
    store.put(fix(2.0, user_id=8))
    book.update(3.0)
    assert set(book.users) == {7, 8}
    store.delete(7)
    book.update(4.0)
    assert set(book.users) == {8}
    assert store.get(7) is None
    book.update(602.5)
    assert book.users == {}


def test_an_older_fix_does_not_replace_a_newer_one():
    bus = MemoryBus()
    book = LocationCache(bus)
    store = LocationStore(bus)
    store.put(fix(10.0, lat=48.0))
    store.put(fix(5.0, lat=47.0))
    book.update(11.0)
    assert book.users[1].location.lat == 48.0
