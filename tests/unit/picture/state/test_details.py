"""Airframes in the picture: details are apart, military aircraft are marked, nothing is overwritten."""

from __future__ import annotations

import json

import pytest

from skywatch.airframes.service import Airframe
from skywatch.picture.state.sky import from_bytes, to_bytes
from tests.unit.picture.reports import START, Clock, picture_at, snapshot


class Airframes:
    """A book that is told what it knows."""

    def __init__(self):
        self.known = {}

    def want(self, addresses):
        list(addresses)

    def lookup(self, addresses, wait_s=0.0):
        return [self.known.get(address) for address in addresses]


@pytest.fixture
def book():
    return Airframes()


@pytest.fixture
def picture(book):
    return picture_at(Clock(), airframes=book)


KNOWN = Airframe("4B1620", "HB-IJS", "A320", "AIRBUS A-320", 'Swiss "Intl"', "Swiss", 1998, interesting=True, ladd=True)


def test_details_need_a_permission_and_the_rest_does_not(book, picture):
    book.known["4b1620"] = KNOWN
    picture.put("roof", [snapshot("4b1620", START)], 1)
    sky = picture.tick()
    visible = sky.aircraft("4b1620", details=False)
    assert (visible["t"], visible["desc"], visible["dbFlags"], visible["military"]) == (
        "A320",
        "AIRBUS A-320",
        10,
        False,
    )
    assert not {"r", "ownOp", "operator", "year"} & set(visible)
    full = sky.aircraft("4b1620")
    assert full | visible == full
    assert (full["r"], full["ownOp"], full["operator"], full["year"]) == ("HB-IJS", "Swiss", 'Swiss "Intl"', "1998")
    assert sky.columns["registration"].tolist() == [b"HB-IJS"]
    assert sky.columns["type"].tolist() == [b"A320"]
    assert sky.columns["interesting"].tolist() == [True]
    assert json.loads(sky.bodies([0], details=True)) == [full]


def test_what_the_receiver_says_stands_before_what_the_database_says(book, picture):
    book.known["4b1620"] = KNOWN
    picture.put("roof", [snapshot("4b1620", START, r="HB-XXX", t="A20N", dbFlags=1, year="2001")], 1)
    aircraft = picture.tick().aircraft("4b1620")
    assert (aircraft["r"], aircraft["t"], aircraft["year"]) == ("HB-XXX", "A20N", "2001")
    assert (aircraft["dbFlags"], aircraft["military"]) == (11, True)


def test_military_is_known_by_database_by_receiver_and_by_address(book, picture):
    book.known["4b1620"] = Airframe("4B1620", military=True)
    reports = [snapshot("4b1620", START), snapshot("4b1621", START, dbFlags=1), snapshot("adf7c8", START)]
    picture.put("roof", [*reports, snapshot("4b1622", START)], 1)
    sky = picture.tick()
    assert dict(zip(sky.hexes, sky.columns["military"].tolist(), strict=True)) == {
        "4b1620": True,
        "4b1621": True,
        "adf7c8": True,
        "4b1622": False,
    }


def test_an_airframe_that_becomes_known_is_a_change(book, picture):
    picture.put("roof", [snapshot("4b1620", START)], 1)
    picture.tick()
    assert picture.tick().columns["changed"].tolist() == [False]
    book.known["4b1620"] = Airframe("4B1620", "HB-IJS")
    sky = picture.tick()
    assert sky.columns["changed"].tolist() == [True]
    assert sky.aircraft("4b1620")["r"] == "HB-IJS"
    assert picture.tick().columns["changed"].tolist() == [False]


def names(sky, column):
    return [sky.name(column, row) for row in range(len(sky))]


def test_operator_and_owner_are_columns_of_names(book, picture):
    book.known["4b1620"] = KNOWN
    book.known["4b1621"] = Airframe("4B1621", operator="Swiss")
    reports = [snapshot("4b1620", START), snapshot("4b1621", START), snapshot("4b1622", START, ownOp="A B")]
    picture.put("roof", reports, 3)
    sky = picture.tick()
    assert names(sky, "operator") == ['Swiss "Intl"', "Swiss", ""]
    assert names(sky, "owner") == ["Swiss", "", "A B"]
    again = from_bytes(to_bytes(sky))
    assert names(again, "operator") == names(sky, "operator")
    assert names(again, "owner") == names(sky, "owner")


def test_airframe_columns_follow_their_aircraft(book, picture):
    reports = [snapshot(f"4b162{n}", START, r=f"HB-{n}", ownOp=f"Owner {n}") for n in range(4)]
    picture.put("roof", reports, 4)
    assert picture.tick().columns["airframe_changed"].tolist() == [True] * 4
    assert picture.tick().columns["airframe_changed"].tolist() == [False] * 4
    book.known["4b1622"] = Airframe("4B1622", operator="Swiss")
    picture.put("roof", [snapshot("4b1611", START), snapshot("4b1621", START, r="HB-X", ownOp="Owner 1")], 6)
    sky = picture.tick()
    changed = sky.columns["airframe_changed"].tolist()
    assert {a for a, c in zip(sky.hexes, changed, strict=True) if c} == {"4b1611", "4b1621", "4b1622"}
    by_address = dict(zip(sky.hexes, zip(names(sky, "operator"), names(sky, "owner"), strict=True), strict=True))
    assert by_address == {
        "4b1620": ("", "Owner 0"),
        "4b1621": ("", "Owner 1"),
        "4b1622": ("Swiss", "Owner 2"),
        "4b1623": ("", "Owner 3"),
        "4b1611": ("", ""),
    }
    assert sky.columns["registration"][sky.index["4b1621"]] == b"HB-X"


def test_names_of_aircraft_that_have_left_are_dropped_in_time():
    clock = Clock()
    picture = picture_at(clock)
    for second in range(40):
        clock.advance(70.0)  # everybody of the tick before has left
        picture.put("roof", [snapshot(f"4b{n:04x}", clock.time(), ownOp=f"Owner {second} {n}") for n in range(100)], 1)
        sky = picture.tick()
        assert names(sky, "owner") == [f"Owner {second} {n}" for n in range(100)]
    assert len(sky.names) < 2000
