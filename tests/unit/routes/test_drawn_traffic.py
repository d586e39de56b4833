"""How often the route that is shown is right: drawn flights under a table with faults, and a recorded one.

Every flight is looked at once a minute while it is in range, with what was learnt of 60 days of the same traffic as far
as its ends were in range then.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest
from msgspec import UNSET

from skywatch.core import geo
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.routes.candidates import FlownPair, airport_of, weigh
from skywatch.routes.plausibility import Flown, Moment, contradiction, fitting
from tests.unit.receivers.mode_s.helpers import read_frames

pytestmark = pytest.mark.deep("draws some thousand flights")

STATION = (50.03, 8.57)
AIRPORTS = (
    "EDDF", "EDDM", "EDDL", "EDDK", "EDDS", "EDDH", "EDDB", "EDDN", "EDLW", "EDDP", "LSZH", "LSGG",
    "LFSB", "LFPG", "LFPO", "LFLL", "LFML", "EBBR", "EBLG", "ELLX", "EHAM", "EHEH", "EGLL", "EGKK",
    "EGCC", "EGPH", "EIDW", "LEMD", "LEBL", "LEPA", "LPPT", "LIRF", "LIMC", "LIPZ", "LOWW", "LKPR",
    "LHBP", "EPWA", "EKCH", "ESSA", "ENGM", "EFHK", "LTFM", "LGAV", "OMDB", "KJFK", "KORD", "KIAD",
)  # fmt: skip
SEEN_AT = datetime(2026, 11, 1, tzinfo=UTC)
Leg = tuple[str, str]


@dataclass
class Callsign:
    """A callsign: what it flies now and flew before its pair changed, and what the table says of it."""

    legs: list[Leg]
    before: list[Leg]
    table: tuple[str, ...] | None
    fault: str


@dataclass
class Result:
    """Minutes of aircraft in range: shown right and wrong by source, and without a route."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    absent: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def shown(self) -> int:
        return self.right.total() + self.wrong.total()


@dataclass(frozen=True)
class Installation:
    """Where aircraft are received, and how far from there take-offs and landings are seen (nm)."""

    range_nm: float
    ground_nm: float

    def is_seen(self, code: str) -> bool:
        airport = airport_of(code)
        return geo.point_distance_nm(*STATION, airport.lat, airport.lon) < self.ground_nm


ONE_STATION, MANY_STATIONS = Installation(220.0, 90.0), Installation(900.0, 900.0)


def drawn_callsign(draw: random.Random, faults: float) -> Callsign:
    stops = draw.sample(AIRPORTS[:44], 2)
    if draw.random() < 0.08:
        stops.append(draw.choice([code for code in AIRPORTS[:44] if code not in stops]))
    elif draw.random() < 0.15:
        stops[1] = draw.choice(AIRPORTS[44:])
        draw.shuffle(stops)
    legs = list(pairwise(stops))
    before, table, fault = legs, tuple(stops), ""
    chance = draw.random()
    if chance < 0.6 * faults:  # The pair has changed since the table was made, some weeks ago.
        other = draw.choice([code for code in AIRPORTS if code not in stops])
        before = [(stops[0], other)]
        table, fault = (stops[0], other), "changed"
    elif chance < 0.8 * faults:
        table, fault = tuple(reversed(stops)), "reversed"
    elif chance < faults:
        table, fault = tuple(draw.sample(AIRPORTS, 2)), "another"
    elif chance < faults + 0.1:
        table, fault = None, "missing"
    return Callsign(legs, before, table, fault)


def learnt_of(callsign: Callsign, draw: random.Random, installation: Installation) -> list[FlownPair]:
    """What 60 days have shown: the changed pair counts for the last 45 of them, of which some are flown otherwise."""
    counts: Counter[Leg] = Counter()
    for day in range(60):
        for leg in callsign.before if day < 15 else callsign.legs:
            flown = tuple(draw.sample(AIRPORTS[:44], 2)) if draw.random() < 0.01 else leg
            if draw.random() < 0.8 and installation.is_seen(flown[0]) and installation.is_seen(flown[1]):
                counts[flown] += 1
    return [FlownPair(leg, flights, SEEN_AT, SEEN_AT) for leg, flights in counts.items()]


def drawn_flight(leg: Leg, draw: random.Random, diversion: str | None = None) -> list[tuple[Moment, str]]:
    """The looks at a flight, and its destination then: that of a diversion from four fifths of the way on."""
    origin, destination = airport_of(leg[0]), airport_of(leg[1])
    length = geo.point_distance_nm(origin.lat, origin.lon, destination.lat, destination.lon)
    aside_nm, step_nm = draw.gauss(0, min(25.0, length / 12)), draw.uniform(6.0, 8.0)
    course = float(geo.bearing_deg(origin.lat, origin.lon, destination.lat, destination.lon))
    along = np.arange(0.0, length, step_nm)
    if diversion is not None:
        along = along[: int(len(along) * 0.8)]
    places = []
    for nm in along.tolist():
        lat, lon = geo.destination(origin.lat, origin.lon, course, nm)
        bearing = float(geo.bearing_deg(lat, lon, destination.lat, destination.lon)) if nm else course
        off = aside_nm * np.sin(np.pi * nm / length)
        places.append((*map(float, geo.destination(lat, lon, bearing + 90, off)), leg[1]))
    if diversion is not None:
        other = airport_of(diversion)
        rest = geo.point_distance_nm(places[-1][0], places[-1][1], other.lat, other.lon)
        bearing = float(geo.bearing_deg(*places[-1][:2], other.lat, other.lon))
        start = places[-1][:2]
        places += [
            (*map(float, geo.destination(*start, bearing, nm)), diversion) for nm in np.arange(step_nm, rest, step_nm)
        ]
    end = airport_of(places[-1][2])
    last = (end.lat, end.lon, places[-1][2])
    places += [last] * 4
    looks = []

    def above_ft(number):
        return min(2_000.0 + 1_900 * number, 36_000.0, max(0.0, 1_500.0 * (len(places) - 4 - number)))

    for number, (lat, lon, truth) in enumerate(places):
        left = len(places) - 4 - number
        above = above_ft(number)
        elevation = (origin if number < len(places) / 2 else end).elevation_ft or 0
        rate = above_ft(number + 1) - above
        following = places[min(number + 1, len(places) - 1)]
        track = float(geo.bearing_deg(lat, lon, *following[:2])) if left > 0 else None
        on_ground = left <= 0
        moment = Moment(60.0 * number, lat, lon, None if on_ground else above + elevation, on_ground, rate, track)
        looks.append((moment, truth))
    return looks


def judge(callsign, looks, origin, pairs, installation, result):
    candidates = [entry for entry in weigh(callsign.table, pairs) if entry.refused is None]
    legs = list(dict.fromkeys(leg for entry in candidates for leg in entry.legs))
    source = {leg: entry.source for entry in candidates for leg in entry.legs}
    flown = Flown()
    for moment, truth in looks:
        if geo.point_distance_nm(*STATION, moment.lat, moment.lon) > installation.range_nm:
            continue
        flown.follow(moment, legs)
        leg = fitting([leg for leg in legs if contradiction(leg, moment, flown) is None], moment, flown)
        if leg is None:
            result.absent += 1
        elif leg == (origin, truth):
            result.right[source[leg]] += 1
        else:
            result.wrong[source[leg]] += 1
            result.faults[callsign.fault or "out of the ordinary"] += 1


def traffic(installation: Installation, callsigns: int, faults: float) -> Result:
    """A day of traffic under a table in which so many rows are wrong."""
    draw, result = random.Random(20261129), Result()
    for _ in range(callsigns):
        callsign = drawn_callsign(draw, faults)
        pairs = learnt_of(callsign, draw, installation)
        for leg in callsign.legs:
            chance, flown, diversion = draw.random(), leg, None
            if chance < 0.005:  # A positioning flight under the callsign of the line.
                flown = (draw.choice([code for code in AIRPORTS[:44] if code not in leg]), leg[0])
            elif chance < 0.01:
                near = airport_of(leg[1])
                others = [
                    code
                    for code in AIRPORTS[:44]
                    if code not in leg
                    and geo.point_distance_nm(near.lat, near.lon, airport_of(code).lat, airport_of(code).lon) < 250
                ]
                diversion = draw.choice(others) if others else None
            judge(callsign, drawn_flight(flown, draw, diversion), flown[0], pairs, installation, result)
    return result


@pytest.mark.parametrize(("installation", "faults"), [(ONE_STATION, 0.0), (MANY_STATIONS, 0.02)])
def test_less_than_one_in_a_hundred_routes_that_are_shown_is_wrong(installation, faults):
    result = traffic(installation, 300, faults)
    print(f"right {dict(result.right)}, wrong {dict(result.wrong)}, absent {result.absent}, by {dict(result.faults)}")
    assert result.wrong.total() / result.shown < 0.01
    assert result.right.total() / (result.shown + result.absent) > 0.75


def test_a_recorded_flight_has_its_route_from_gate_to_gate_and_no_other(shared_data):
    """From Toulouse to London: the right row of the table, and wrong ones."""
    frames = read_frames(shared_data / "raw" / "ezy_toulouse_london_138min.beast.gz")
    decoder = Decoder((43.63, 1.37), max_range_nm=700)
    messages = [m for at in range(0, len(frames), 1000) for m in decoder.decode(frames[at : at + 1000])]
    own = [m for m in messages if m.hex == "400f99" and m.lat is not UNSET]
    looks, due = [], 0.0
    for before, message in pairwise(own):
        if message.at >= due:
            due = message.at + 60.0
            on_ground = message.alt_baro == "ground"
            track = float(geo.bearing_deg(before.lat, before.lon, message.lat, message.lon))
            altitude = None if on_ground else float(message.alt_baro)
            looks.append(Moment(message.at, message.lat, message.lon, altitude, on_ground, None, track))
    assert len(looks) > 90

    def reasons(leg):
        flown = Flown()
        found = []
        for moment in looks:
            flown.follow(moment, [leg])
            found.append(contradiction(leg, moment, flown))
        return found

    assert set(reasons(("LFBO", "EGLL"))) == {None}
    # Reversed: from ten minutes beyond 60 nm of the wrong origin on.
    assert set(reasons(("EGLL", "LFBO"))[-60:]) == {"flying_away"}
    assert set(reasons(("LFBO", "LEMD"))[40:]) <= {"flying_away", "off_way"}
    assert reasons(("LFBO", "EGPH"))[-1] == "at_other_airport"
    assert set(reasons(("KJFK", "KLAX"))) == {"off_way"}
