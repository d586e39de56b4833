"""Who is military in the picture: by the aircraft and by what ours report, unless an administrator has decided."""

import pytest

from skywatch.airframes.service import Airframe
from skywatch.receivers.feeder_streams.voices import Voice
from tests.unit.picture.reports import START, Clock, picture_at, snapshot

CIVIL, OTHER, FORCES = "a12345", "4b1620", "43c001"


class Book:
    """Stands for the cache of airframes: what is known of each address."""

    def __init__(self):
        self.airframes = {}

    def want(self, addresses):
        pass

    def lookup(self, addresses, wait_s=0.0):
        return [self.airframes.get(address) for address in addresses]

    def knows(self, address, **more):
        self.airframes[address] = Airframe(address.upper(), **more)


@pytest.fixture
def world():
    clock, book = Clock(), Book()
    return clock, book, picture_at(clock, airframes=book)


def shown(sky, address):
    """Whether it is military, in its column and its members, and whether it has flags."""
    aircraft = sky.aircraft(address)
    assert aircraft["military"] == bool(sky.columns["military"][sky.hexes.index(address)]) == sky.is_military(address)
    return aircraft["military"], aircraft.get("dbFlags", 0)


def test_a_decision_says_it_whatever_receivers_lists_and_the_address_say(world):
    clock, book, picture = world
    picture.put("roof", [snapshot(CIVIL, START, dbFlags=9), snapshot(FORCES, START), snapshot(OTHER, START)], 3)
    sky = picture.tick()
    assert [shown(sky, address) for address in (CIVIL, FORCES, OTHER)] == [(True, 9), (True, 1), (False, 0)]
    book.knows(CIVIL, military=False, decided=True)
    book.knows(FORCES, military=False, decided=True)
    book.knows(OTHER, military=True, decided=True)
    clock.advance(1)
    sky = picture.tick()
    # The other flags (an interesting one here) stay.
    assert [shown(sky, address) for address in (CIVIL, FORCES, OTHER)] == [(False, 8), (False, 0), (True, 1)]
    for address in (CIVIL, FORCES, OTHER):
        book.airframes.pop(address)
    clock.advance(1)
    sky = picture.tick()
    assert [shown(sky, address) for address in (CIVIL, FORCES, OTHER)] == [(True, 9), (True, 1), (False, 0)]


def test_what_ours_report_is_handed_on_once(world):
    clock, _, picture = world
    picture.put("roof", [snapshot(CIVIL, START, dbFlags=1), snapshot(OTHER, START, dbFlags=8)], 2)
    picture.tick()
    assert picture.take_reported_military() == {CIVIL}
    clock.advance(1)
    picture.put("roof", [snapshot(CIVIL, START + 1, dbFlags=1), snapshot(OTHER, START + 1, dbFlags=1)], 2)
    picture.tick()
    assert picture.take_reported_military() == {OTHER}
    assert picture.take_reported_military() == set()


def test_what_strangers_report_is_not(world):
    _, _, picture = world
    for number in (1, 2):
        voice = Voice(f"user-{number}", f"10.0.0.{number}/32")
        picture.put(f"feeder-{number}", [snapshot(CIVIL, START, dbFlags=1)], 1, voice=voice)
    sky = picture.tick()
    assert shown(sky, CIVIL) == (False, 0)
    assert picture.take_reported_military() == set()
