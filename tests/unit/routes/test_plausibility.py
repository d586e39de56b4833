"""What contradicts a route: positions, directions, and other airports, with nothing else around it."""

import math

import numpy as np
import pytest

from skywatch.airports.directory import KINDS, directory
from skywatch.core import geo
from skywatch.routes.candidates import airport_of
from skywatch.routes.plausibility import Flown, Moment, contradiction, fitting, is_on_way, low_at

ZURICH_LONDON = ("LSZH", "EGLL")


def place(code, towards=None, nm=0.0, aside=0.0):
    """A place so many nm from an airport in the direction of another one, or so many to the right of the way."""
    airport = airport_of(code)
    if towards is None:
        return airport.lat, airport.lon
    other = airport_of(towards)
    bearing = float(geo.bearing_deg(airport.lat, airport.lon, other.lat, other.lon))
    lat, lon = geo.destination(airport.lat, airport.lon, bearing, nm)
    return tuple(map(float, geo.destination(lat, lon, bearing + 90, aside))) if aside else (float(lat), float(lon))


def look(flown, leg, *, at, where, altitude_ft=35_000, on_ground=False, rate_fpm=0.0, track_deg=None):
    """One look at an aircraft, and what contradicts its leg then."""
    moment = Moment(at, *where, altitude_ft, on_ground, rate_fpm, track_deg)
    flown.follow(moment, [leg])
    return contradiction(leg, moment, flown)


def flight(leg, positions, **more):
    """The contradictions of a flight with a look each minute."""
    flown = Flown()
    return [look(flown, leg, at=60.0 * minute, where=where, **more) for minute, where in enumerate(positions)]


def test_on_the_way_nothing_contradicts():
    way = [place("LSZH", "EGLL", nm) for nm in range(0, 430, 8)]
    assert flight(ZURICH_LONDON, way, altitude_ft=20_000) == [None] * len(way)


@pytest.mark.parametrize(("aside", "reason"), [(210, None), (230, "off_way"), (-210, None), (-230, "off_way")])
def test_off_the_way(aside, reason):
    # Zurich to London is 427 nm: both ways together over 615 nm are off it.
    assert flight(ZURICH_LONDON, [place("LSZH", "EGLL", 213, aside)]) == [reason]


def test_flying_away_for_ten_minutes_beyond_sixty_miles_of_the_origin():
    reasons = flight(("LSZH", "EGLL"), [place("LSZH", "EGLL", 300 - 7 * minute) for minute in range(40)])
    assert reasons[:10] == [None] * 10
    # Also when it reaches the origin.
    assert set(reasons[10:]) == {"flying_away"}
    # Nearer than 60 nm to the origin it may be on its way out, by any runway and departure.
    assert set(flight(("LSZH", "EGLL"), [place("LSZH", "EGLL", 55 - 3 * minute) for minute in range(15)])) == {None}


def test_a_hold_and_an_approach_from_the_other_side_are_no_flying_away():
    lat, lon = airport_of("EGLL").lat, airport_of("EGLL").lon
    hold = [
        tuple(map(float, geo.destination(lat, lon, 135, 25 + 4 * math.sin(minute / 4 * 2 * math.pi))))
        for minute in range(40)
    ]
    beyond = [tuple(map(float, geo.destination(lat, lon, 270, 3 * minute))) for minute in range(9)]
    back = beyond[::-1]
    assert set(flight(ZURICH_LONDON, [*hold, *beyond, *back], altitude_ft=9_000)) == {None}


def test_standing_at_the_gate_is_no_flying_away():
    assert set(flight(ZURICH_LONDON, [place("EGLL")] * 30, altitude_ft=0, on_ground=True)) == {None}


def test_low_and_descending_or_on_the_ground_at_another_airport():
    # Luxembourg is on the way; its field is at 1,234 ft.
    where = place("ELLX", "EGLL", 3)
    leg = ("LSZH", "EBBR")
    assert flight(leg, [where], altitude_ft=4_000, rate_fpm=-900) == ["at_other_airport"]
    assert flight(leg, [where], altitude_ft=4_000, rate_fpm=0.0) == [None]
    assert flight(leg, [where], altitude_ft=4_500, rate_fpm=-900) == [None]
    assert flight(leg, [place("ELLX", "EBBR", 8)], altitude_ft=3_000, rate_fpm=-900) == [None]
    assert flight(leg, [place("ELLX")], altitude_ft=None, on_ground=True) == ["at_other_airport"]


def test_another_airport_near_an_end_is_none():
    # Northolt lies 6 nm from Heathrow, beneath its approaches.
    assert flight(ZURICH_LONDON, [place("EGWU")], altitude_ft=1_500, rate_fpm=-800) == [None]
    assert flight(ZURICH_LONDON, [place("EGLL")], altitude_ft=0, on_ground=True) == [None]


def test_a_climb_from_another_airport():
    flown = Flown()
    leg = ("LSZH", "EBBR")
    assert look(flown, leg, at=0, where=place("ELLX"), altitude_ft=2_000, rate_fpm=2_000) == "from_other_airport"
    # It stays so for the rest of the flight.
    assert look(flown, leg, at=900, where=place("ELLX", "EBBR", 40)) == "from_other_airport"


def test_the_first_positions_show_a_climb_that_no_look_has_seen():
    leg = ("LSZH", "EBBR")
    lat, lon = place("ELLX")
    climb = [Moment(float(second), lat, lon, 1_800 + 30 * second) for second in range(0, 60, 5)]
    flown = Flown()
    flown.begin(climb)
    assert look(flown, leg, at=90, where=place("ELLX", "EBBR", 9), altitude_ft=6_000) == "from_other_airport"
    level = Flown()
    level.begin([Moment(float(second), lat, lon, 3_000) for second in range(0, 60, 5)])
    assert look(level, leg, at=90, where=place("ELLX", "EBBR", 9), altitude_ft=6_000) is None


def test_without_a_position_nothing_contradicts():
    flown = Flown()
    moment = Moment(0.0, None, None)
    flown.follow(moment, [ZURICH_LONDON])
    assert contradiction(ZURICH_LONDON, moment, flown) is None
    assert fitting([ZURICH_LONDON], moment, flown) == ZURICH_LONDON
    assert fitting([ZURICH_LONDON, ("EGLL", "LSZH")], moment, flown) is None


def test_of_several_legs_the_one_that_fits():
    legs = [("EGLL", "EDDF"), ("EDDF", "LTFM"), ("LTFM", "EDDF"), ("EDDF", "EGLL")]

    def leg_at(code, towards, nm, track_to):
        lat, lon = place(code, towards, nm)
        other = airport_of(track_to)
        track = float(geo.bearing_deg(lat, lon, other.lat, other.lon))
        moment, flown = Moment(0.0, lat, lon, 35_000, track_deg=track), Flown()
        flown.follow(moment, legs)
        return fitting([leg for leg in legs if contradiction(leg, moment, flown) is None], moment, flown)

    assert leg_at("EGLL", "EDDF", 150, "EDDF") == ("EGLL", "EDDF")
    assert leg_at("EGLL", "EDDF", 150, "EGLL") == ("EDDF", "EGLL")
    assert leg_at("EDDF", "LTFM", 300, "LTFM") == ("EDDF", "LTFM")
    assert leg_at("EDDF", "LTFM", 300, "EDDF") == ("LTFM", "EDDF")


def test_a_place_alone_decides_for_programs_that_ask_with_one():
    legs = [("EGLL", "KJFK"), ("KJFK", "KLAX")]
    assert is_on_way(legs, 51.5, -20.0) == [True, False]
    assert is_on_way(legs, 39.0, -95.0) == [False, True]
    assert is_on_way(legs, -33.0, 151.0) == [False, False]


def test_a_course_beside_the_destination_for_ten_minutes():
    """It nears the destination, but with less than half of its way."""
    start, leg = place("LSZH", "EGLL", 100), ("LSZH", "KJFK")

    def beside(angle):
        flown, where, reasons = Flown(), start, []
        for minute in range(14):
            to = airport_of("KJFK")
            track = float(geo.bearing_deg(*where, to.lat, to.lon)) + angle
            reasons.append(look(flown, leg, at=60.0 * minute, where=where, track_deg=track % 360))
            where = tuple(map(float, geo.destination(*where, track, 7.5)))
        return reasons

    assert beside(70) == [None] * 10 + ["flying_away"] * 4
    assert set(beside(50)) == {None}


def test_a_low_descent_far_from_the_destination_until_it_climbs():
    flown, leg = Flown(), ("LSZH", "KJFK")
    where = place("LSZH", "EGLL", 200)
    assert look(flown, leg, at=0, where=where, altitude_ft=12_000, rate_fpm=-1_500) is None
    assert look(flown, leg, at=60, where=where, altitude_ft=9_000, rate_fpm=-1_500) == "at_other_airport"
    assert look(flown, leg, at=120, where=where, altitude_ft=5_000) == "at_other_airport"
    near = place("EGLL", "LSZH", 100)
    assert look(Flown(), ZURICH_LONDON, at=0, where=near, altitude_ft=9_000, rate_fpm=-1_500) is None


def test_a_low_climb_far_from_the_origin():
    flown, leg = Flown(), ("LSZH", "KJFK")
    where = place("LSZH", "EGLL", 200)
    assert look(flown, leg, at=0, where=where, altitude_ft=6_000, rate_fpm=1_500) == "from_other_airport"
    assert look(flown, leg, at=300, where=where) == "from_other_airport"
    # The next leg of a flight of several begins where it should.
    assert look(flown, leg, at=360, where=place("LSZH"), altitude_ft=6_000, rate_fpm=1_500) is None


def test_airports_at_the_date_line_and_near_the_poles_are_seen_from_all_sides():
    airports = directory()
    far = (np.abs(airports.lon) > 179.5) | (np.abs(airports.lat) > 70.0)
    numbers = np.flatnonzero(far & (airports.kind <= KINDS.index("medium"))).tolist()
    assert len(numbers) > 5
    for airport in map(airports.airport, numbers):
        for angle in range(0, 360, 30):
            lat, lon = map(float, geo.destination(airport.lat, airport.lon, angle, 4.9))
            seen = low_at(Moment(0.0, lat, (lon + 180.0) % 360.0 - 180.0, on_ground=True))
            assert seen is not None, (airport.ident, angle)
            assert geo.point_distance_nm(lat, lon, seen.lat, seen.lon) <= 5.0
