"""A first look at simulated aircraft raises no alarm but for the emergencies that are simulated on purpose."""

import os

import pytest

from skywatch.picture.picture import Picture
from skywatch.receivers.simulator.traffic import Traffic
from tests.unit.safety.drawn import START, DrawnClock, found

pytestmark = pytest.mark.nightly("short form of a drill")

CENTRE = (47.45, 8.56)
# ``make drill NAME=calm-sky`` looks for half an hour, CI for as long as aircraft take to come near each other.
LONG, SHORT = {200: 1800, 2000: 1800, 15_000: 90}, {200: 450, 2000: 60, 15_000: 8}
SPANS = LONG if os.environ.get("SKYWATCH_CALM_SKY") else SHORT


def simulated(aircraft, seconds, **options):
    clock = DrawnClock()
    traffic = Traffic(aircraft, CENTRE, START, **options)
    picture = Picture(CENTRE, clock=clock, monotonic=clock)
    for second in range(1, seconds + 1):
        clock.now = START + second
        traffic.step(clock.now)
        reports = traffic.reports()
        picture.put("simulated", reports, len(reports))
        yield picture.tick()


@pytest.mark.timeout(3000)
@pytest.mark.parametrize(("aircraft", "seconds"), SPANS.items())
def test_only_simulated_emergencies_are_raised(aircraft, seconds):
    events = [event.finding for event in found(simulated(aircraft, seconds, seed=aircraft)) if event.raised]
    assert [finding.message for finding in events if finding.type != "emergency_squawk"] == []


def test_without_separation_pairs_are_raised():
    events = found(simulated(500, 20, seed=1, separation=False))
    assert [event for event in events if event.finding.type == "proximity" and event.raised]
