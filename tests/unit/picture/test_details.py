"""Airframes in the picture: details are apart, military aircraft are marked, nothing is overwritten."""

from __future__ import annotations

import json

import pytest

from skywatch.airframes.service import Airframe
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
