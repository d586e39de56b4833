"""Injected into real traffic: 200 drawn encounters, and an area whose real aircraft lose their integrity."""

import dataclasses
import math
import random
from collections import Counter, defaultdict

import pytest

from skywatch.core import geo
from skywatch.picture.picture import Picture
from skywatch.receivers.recordings import moments, recognise
from tests.unit.safety import encounters
from tests.unit.safety.drawn import DrawnClock, found, of_type, report
from tests.unit.safety.test_encounters import apart, is_inside, must_be_raised_by

pytestmark = pytest.mark.nightly("short form of a drill")

NUMBER, SECONDS, SEED = 200, 860, 29
ENCOUNTER_S = 130
# Swiss traffic: the encounters lie in its west and south, the jammed area in its north-east.
SOUTH, NORTH, WEST, EAST = 45.6, 47.2, 5.9, 8.2
JAMMED, RADIUS_NM, JAMMED_FROM_S, JAMMED_UNTIL_S = (47.45, 8.9), 28.0, 400, 600


def drawn_encounters():
    """The encounters, when each begins (s), and its two aircraft at a place in the traffic."""
    random_ = random.Random(SEED)
    for number in range(NUMBER):
        encounter = encounters.draw(number, random_)
        centre = random_.uniform(SOUTH, NORTH), random_.uniform(WEST, EAST)
        pair = tuple(dataclasses.replace(a, centre=centre) for a in (encounter.one, encounter.two))
        yield encounter, random_.uniform(0, SECONDS - ENCOUNTER_S), pair


def real_traffic(path):
    """By second: what was received of real aircraft, with the integrity that the recording does not tell."""
    by_second = defaultdict(list)
    began = None
    for at, heard in moments(str(path), recognise(str(path)), None, Counter(), slice_s=0.5):
        began = at if began is None else began
        if at - began > SECONDS:
            break
        for one in heard.reports:
            one.nic, one.nac_p = 8, 9
            is_jammed = JAMMED_FROM_S <= at - began < JAMMED_UNTIL_S and isinstance(one.lat, float)
            if is_jammed and geo.distance_nm(*JAMMED, one.lat, one.lon) <= RADIUS_NM:
                one.nic = one.nac_p = 0
        by_second[round(at - began)] += heard.reports
    return began, by_second


def skies(path, drawn):
    """Real and drawn traffic in one picture."""
    began, real = real_traffic(path)
    random_ = random.Random(SEED)
    clock = DrawnClock(began)
    picture = Picture(None, clock=clock, monotonic=clock)
    due = {}
    for second in range(SECONDS):
        clock.now = began + second
        reports = []
        for number, (_, start, pair) in enumerate(drawn):
            if not 0 <= second - start <= ENCOUNTER_S:
                continue
            for side, aircraft in enumerate(pair):
                if second >= due.get((number, side), start + aircraft.phase_s):
                    due[number, side] = second + aircraft.every_s
                    reports.append(report(aircraft, second - start, clock.now, 47.0, 8.0, random_))
        picture.put("real", real.get(second, ()), 1)
        picture.put("drawn", reports, len(reports))
        yield picture.tick()


@pytest.fixture(scope="module")
def judged(shared_data):
    """The encounters with the events of each, every other event, and when the recording begins."""
    path = shared_data / "feeds/switzerland_30min.jsonl.gz"
    drawn = list(drawn_encounters())
    by_pair = {tuple(sorted(a.hex for a in pair)): number for number, (_, _, pair) in enumerate(drawn)}
    events = {number: [] for number in range(NUMBER)}
    rest = []
    for event in found(skies(path, drawn)):
        number = by_pair.get(event.finding.hexes)
        if event.raised:
            (rest if number is None else events[number]).append(event)
    return drawn, events, rest, real_traffic(path)[0]


def test_encounters_inside_the_box_are_raised_once_and_in_time(judged):
    drawn, events, _, began = judged
    inside = [number for number, (encounter, _, _) in enumerate(drawn) if is_inside(encounter)]
    assert len(inside) >= 40
    missed = [number for number in inside if not events[number]]
    assert len(missed) <= 0.02 * len(inside)
    assert [number for number, of_pair in events.items() if len(of_pair) > 1] == []
    late = {}
    for number in set(inside) - set(missed):
        encounter, start, _ = drawn[number]
        at = events[number][0].began_at - began - start
        if at > must_be_raised_by(encounter):
            late[number] = at
    assert late == {}


def test_encounters_far_outside_the_box_are_not_raised(judged):
    drawn, events, _, _ = judged
    for number, (encounter, _, _) in enumerate(drawn):
        nearest = [apart(encounter, t) for t in range(ENCOUNTER_S)]
        if all(d > 1.5 * nm + 0.3 or v > 1.5 * ft + 100 for d, v, nm, ft in nearest):
            assert not events[number], number


def test_what_else_is_raised_are_drawn_aircraft_that_meet_others_and_the_jammed_area(judged):
    drawn, _, rest, began = judged
    ours = {a.hex for _, _, pair in drawn for a in pair}
    real = [event for event in rest if not ours & set(event.finding.hexes)]
    assert [e.finding.message for e in real if e.finding.type != "position_integrity"] == []
    [region] = real
    assert region.finding.numbers["cause"].value == "region"
    assert JAMMED_FROM_S <= region.began_at - began <= JAMMED_FROM_S + 60
    assert math.hypot(region.finding.position.lat - JAMMED[0], region.finding.position.lon - JAMMED[1]) < 0.7
    assert region.ended_at is not None
    assert of_type(rest, "proximity") == [event for event in rest if ours & set(event.finding.hexes)]
