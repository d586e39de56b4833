"""What the picture marks for rules: which aircraft only strangers hear, and which fields one of them has filled in."""

from __future__ import annotations

from skywatch.picture.state.doubt import (
    ALTITUDE,
    CALLSIGN,
    CATEGORY,
    FLIGHT_DATA,
    POSITION,
    SQUAWK,
    strangers_aircraft,
)
from skywatch.receivers.feeder_streams.voices import Voice
from tests.unit.picture.reports import START, Clock, increment, picture_at

PLACE = {"lat": 47.2, "lon": 8.0}
ONE, OTHER = Voice("user 1", "10.0.0.0/24"), Voice("user 2", "10.0.1.0/24")
OURS, BOTH, ALONE = "4b1601", "4b1602", "4b1603"


def test_aircraft_that_several_strangers_hear_are_marked_like_those_of_one_and_ours_are_not():
    clock = Clock()
    picture = picture_at(clock)
    picture.put("roof", [increment(OURS, START, **PLACE)], 1)
    picture.put("feeder-1", [increment(hex_, START, **PLACE) for hex_ in (OURS, BOTH, ALONE)], 3, voice=ONE)
    picture.put("feeder-2", [increment(hex_, START, **PLACE) for hex_ in (OURS, BOTH)], 2, voice=OTHER)
    sky = picture.tick()
    marks = dict(zip(sky.hexes, strangers_aircraft(sky).tolist(), strict=True))
    assert marks == {OURS: False, BOTH: True, ALONE: True}
    picture.put("roof", [increment(BOTH, START + 1, **PLACE)], 1)
    clock.advance(1)
    sky = picture.tick()
    assert not strangers_aircraft(sky)[sky.index[BOTH]]


def test_what_one_stranger_adds_to_an_aircraft_of_ours_is_in_doubt_and_what_ours_say_is_not():
    clock = Clock()
    picture = picture_at(clock)
    said = {"flight": "POLICE1", "category": "A7", "nav_altitude_mcp": 500}
    bits = {"flight": CALLSIGN, "category": CATEGORY, "nav_altitude_mcp": FLIGHT_DATA}
    picture.put("roof", [increment(OURS, START, **PLACE)], 1)
    picture.put("feeder-1", [increment(OURS, START, **said)], 1, voice=ONE)
    doubt = picture.tick().doubt_by_row()[0]
    assert [bool(doubt & bits[name]) for name in said] == [True, True, True]
    clock.advance(1)
    picture.put("roof", [increment(OURS, START + 1, **said, **PLACE)], 1)
    doubt = picture.tick().doubt_by_row()[0]
    assert [bool(doubt & bits[name]) for name in said] == [False, False, False]


def test_what_ours_said_a_while_ago_is_not_in_doubt_because_a_stranger_repeats_it():
    clock = Clock()
    picture = picture_at(clock)
    said = {"flight": "POLICE1", "category": "A7", "nav_altitude_mcp": 500, "alt_baro": 3000, "squawk": "7700"}
    bits = (CALLSIGN, CATEGORY, FLIGHT_DATA, ALTITUDE, SQUAWK, POSITION)
    picture.put("roof", [increment(OURS, START, **said, **PLACE)], 1)

    def in_doubt(seconds, strangers):
        clock.advance(seconds)
        picture.put("roof", [increment(OURS, clock.wall, gs=100.0)], 1)
        picture.put("feeder-1", [increment(OURS, clock.wall, **strangers, **PLACE)], 1, voice=ONE)
        doubt = picture.tick().doubt_by_row()[0]
        return [bit for bit in bits if doubt & bit]

    # A place is another one at another time.
    assert in_doubt(20, said) == [POSITION]
    others = {"flight": "EVIL", "category": "A1", "nav_altitude_mcp": 900, "alt_baro": 9000, "squawk": "1000"}
    assert in_doubt(1, others) == [FLIGHT_DATA, ALTITUDE, SQUAWK, POSITION]
    # What ours said is no longer shown: the word of a stranger is all that there is.
    assert in_doubt(45, said) == [FLIGHT_DATA, ALTITUDE, POSITION]
    assert in_doubt(120, said) == [CALLSIGN, FLIGHT_DATA, ALTITUDE, SQUAWK, POSITION]
