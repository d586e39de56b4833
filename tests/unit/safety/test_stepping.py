"""A recording is judged without the ticks of empty seconds, and with the same results as second by second."""

import itertools
import json
import random
from collections import Counter

import pytest

from skywatch.receivers.recordings import Moment
from skywatch.receivers.reports.documents import ReportBatch
from skywatch.safety.playback.offline import event_answer, judge
from skywatch.safety.playback.sources import read
from tests.unit.safety.drawn import START, Drawn, report, straight
from tests.unit.safety.geometries import harmful, harmless

pytestmark = pytest.mark.deep("walks a corpus")

APART_S, CENTRES = 200, [(47.0 + 3 * n, 8.0) for n in range(4)]


def happenings(r, t):
    """What an aircraft sends besides its position: codes that flicker or last, losses of integrity, wrong altitudes."""
    chance = r.random()
    if chance < 0.15:
        return {"squawk": "7700" if r.random() < 0.6 else "1000"}
    if chance < 0.3 and t > 60:
        return {"nic": 0, "nac_p": 0}
    if chance < 0.4 and t > 60:
        return {"alt_geom": r.choice((4000, 9000))}
    if chance < 0.43 and t > 40:
        return {"lat": round(50 + r.random(), 5), "lon": 9.0}
    return {}


def encounter(r, number):
    """The aircraft of a drawn encounter, received every second or once in half a minute, or one that is alone."""
    geometry = r.choice((*harmful.HARMFUL, *harmless.HARMLESS, None))
    if geometry is None:
        path = straight(0, 0, r.choice((2500, 8000, 31_000)), r.uniform(90, 440), 90, r.choice((0, 0, 2500, -3000)))
        aircraft, seconds = [Drawn("", path, fields={"category": "A3"})], 300
    else:
        drawn = geometry(r)
        aircraft, seconds = drawn.aircraft, drawn.seconds
    for place, each in enumerate(aircraft):
        each.hex = f"{each.hex}{0x4B0000 + 8 * number + place:06x}"
        each.every_s = r.choice((1.0, 2.5, 7.0, 12.0, 29.0))
        each.centre = CENTRES[number % len(CENTRES)]
        if r.random() < 0.4:
            each.changing = lambda t: happenings(r, t)
    return aircraft, seconds


def traffic(seed, count):
    """Moments of encounters that follow each other after minutes in which little or nothing is received."""
    r = random.Random(seed)
    received = []
    for number in range(count):
        aircraft, seconds = encounter(r, number)
        for drawn in aircraft:
            t = r.uniform(0, drawn.every_s)
            while t < seconds:
                at = START + APART_S * number * r.choice((1.0, 1.0, 1.0001)) + t
                received.append(Moment(at, ReportBatch([report(drawn, t, at, 47.0, 8.0, r)], 1, 1)))
                t += drawn.every_s
    return sorted(received, key=lambda moment: moment.at)


def judged(moments, every_second):
    ticks = itertools.count()
    events = [
        event_answer(event) for event in judge(moments, every_second=every_second, on_tick=lambda sky: next(ticks))
    ]
    return events, next(ticks)


@pytest.mark.parametrize("seed", range(2))
def test_drawn_traffic_has_the_same_events_without_the_ticks_of_empty_seconds(seed):
    moments = traffic(seed, 2)
    expected, all_ticks = judged(moments, every_second=True)
    events, ticks = judged(moments, every_second=False)
    assert json.dumps(events, indent=1) == json.dumps(expected, indent=1)
    assert events
    assert ticks < 0.9 * all_ticks


@pytest.mark.parametrize(
    "name",
    [
        "sbs/ulss7_61s.sbs",
        "raw/ulss7_61s.beast",
    ],
)
def test_recordings_have_the_same_events_without_the_ticks_of_empty_seconds(shared_data, name):
    def moments():
        return read([str(shared_data / name)], None, Counter())

    events, ticks = judged(moments(), every_second=False)
    expected, all_ticks = judged(moments(), every_second=True)
    assert events == expected
    assert ticks <= all_ticks


def test_snapshots_of_an_empty_sky_take_no_ticks_and_end_what_was_found():
    drawn = Drawn("4b0001", straight(0, 0, 8000, 200, 90), fields={"squawk": "7700"})
    moments = [
        Moment(START + t, ReportBatch([report(drawn, t, START + t, 47.0, 8.0, random.Random(t))], 1, 1))
        for t in range(30)
    ]
    moments += [Moment(START + t, ReportBatch([], 0, 0)) for t in range(30, 700, 10)]
    events, ticks = judged(moments, every_second=False)
    expected, all_ticks = judged(moments, every_second=True)
    assert events == expected
    assert [event["type"] for event in events if event["ended_at"] is not None] == ["emergency_squawk"]
    assert ticks < all_ticks / 3


def test_a_steep_aircraft_that_is_no_longer_received_takes_few_ticks():
    drawn = Drawn("4b0001", straight(0, 0, 30_000, 400, 90, -2500), fields={"category": "A3"})
    moments = [
        Moment(START + t, ReportBatch([report(drawn, t, START + t, 47.0, 8.0, random.Random(t))], 1, 1))
        for t in range(0, 300, 50)
    ]
    events, ticks = judged(moments, every_second=False)
    assert events == judged(moments, every_second=True)[0] == []
    assert ticks < 6 * len(moments)


def test_a_day_in_which_little_is_received_takes_few_ticks():
    path = straight(0, 0, 31_000, 440, 90)
    moments = []
    for begin in range(0, 86_400, 7200):
        drawn = Drawn("4b0001", path)
        for t in range(0, 600, 30):
            at = START + begin + t
            moments.append(Moment(at, ReportBatch([report(drawn, t, at, 47.0, 8.0, random.Random(t))], 1, 1)))
    events, ticks = judged(moments, every_second=False)
    assert events == []
    assert ticks < 4 * len(moments)
