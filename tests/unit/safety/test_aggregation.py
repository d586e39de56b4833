"""Many events of a region at once become one event; nothing is lost without a word."""

import numpy as np
import pytest

from skywatch.safety.detection.aggregation import OWN, PREFIX, Aggregation, region_number
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.detection.finding import Finding, Position
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.unit.safety.drawn import START, Drawn, found, of_type, skies, straight

T = Thresholds(aggregate_events=20)
KIND = "emergency_squawk"


def findings(count, lat=47.5, lon=8.5, first=0, **fields):
    return [
        Finding(
            type=KIND, key=f"{first + n:06x}", severity="critical", message="declares", hexes=(f"{first + n:06x}",),
            position=Position(lat, lon), **fields,
        )
        for n in range(count)
    ]  # fmt: skip


def keys(result):
    return [finding.key for finding in result if not finding.key.startswith(PREFIX)]


def counted(result):
    return [finding for finding in result if finding.key.startswith(PREFIX)]


def test_as_many_as_the_threshold_are_events_of_their_own():
    members = findings(20)
    assert Aggregation().apply(members, START, T) == members


def test_further_ones_are_counted_in_one_event_that_says_so():
    aggregation = Aggregation()
    own = findings(15)
    aggregation.apply(own, START, T)
    result = aggregation.apply(own + findings(30, first=1000), START + 1, T)
    assert keys(result) == keys(own)
    [one] = counted(result)
    assert (
        one.message == "30 aircraft with an emergency code, counted in one event: more than 20 at once in this region"
    )
    assert {name: quantity.value for name, quantity in one.numbers.items()} == {
        "cause": "aggregate", "events": 30, "critical": 30, "count": 30, "region": 1,
    }  # fmt: skip
    assert (one.severity, one.hexes, one.suppressed_by, one.military) == ("critical", (), (), False)
    assert (one.position.lat, one.position.lon) == (47.5, 8.5)
    assert aggregation.counted == {(KIND, False): 30}


def test_a_region_lists_its_events_again_once_half_of_them_are_left():
    aggregation = Aggregation()
    aggregation.apply(findings(40), START, T)
    assert len(counted(aggregation.apply(findings(11), START + 1, T))) == 1
    assert len(keys(aggregation.apply(findings(10), START + 2, T))) == 10
    assert len(keys(aggregation.apply(findings(20), START + 3, T))) == 20
    aggregation.apply([], START + 4, T)
    assert aggregation.counted == {(KIND, False): 0}


def test_other_regions_go_on_one_by_one():
    result = Aggregation().apply(findings(40) + findings(5, lat=12.0, first=1000), START, T)
    assert len(keys(result)) == 5
    assert len(counted(result)) == 1


def test_military_and_held_back_ones_are_counted_apart():
    members = findings(30) + findings(30, first=100, military=True)
    members += findings(30, first=200, suppressed_by=("formation",))
    result = counted(Aggregation().apply(members, START, T))
    assert sorted((one.military, one.suppressed_by, one.numbers["events"].value) for one in result) == [
        (False, (), 30), (False, ("formation",), 30), (True, (), 30),
    ]  # fmt: skip


def test_beyond_the_total_all_that_begins_is_counted_in_one_event():
    thresholds = Thresholds(aggregate_total=50)
    aggregation = Aggregation()
    members = [finding for n in range(60) for finding in findings(2, lat=n / 2 - 20, first=10 * n)]
    result = aggregation.apply(members, START, thresholds)
    assert len(keys(result)) == 50
    [one] = counted(result)
    assert one.numbers["events"].value == 70
    assert one.position is None
    assert "too many at once to list each" in one.message


def test_while_the_writer_is_behind_nothing_new_has_an_event_of_its_own():
    aggregation = Aggregation()
    aggregation.apply(findings(3), START, T)
    aggregation.coarse = True
    result = aggregation.apply(findings(9), START + 1, T)
    assert len(keys(result)) == 3
    assert [one.numbers["events"].value for one in counted(result)] == [6]


def test_a_restart_takes_up_what_was_counted_and_what_was_not():
    before = Aggregation()
    own = findings(5)
    before.apply(own, START, T)
    result = before.apply(own + findings(30, first=1000), START + 1, T)
    after = Aggregation()
    after.restore(result, START + 10)
    again = after.apply(own + findings(10, first=1000), START + 11, T)
    assert keys(again) == keys(own)
    assert [one.key for one in counted(again)] == [one.key for one in counted(result)]


def test_findings_of_many_aircraft_and_ends_pass():
    many = [Finding(type="position_integrity", key=f"region:{n}:1", severity="warning", message="") for n in range(50)]
    over = [Finding(type="acas_ra", key=f"{n:06x}", severity="critical", message="", over=True) for n in range(50)]
    assert Aggregation().apply(many + over, START, T) == many + over


@pytest.mark.parametrize("place", [(-90.0, -180.0), (90.0, 180.0), (0.0, 179.999), (-33.9, 151.2)])
def test_regions_have_numbers_everywhere(place):
    lat, lon = place
    finding = findings(30, lat=lat, lon=lon)
    [one] = counted(Aggregation().apply(finding, START, T))
    number = region_number(np.array([lat]), np.array([lon]), np.array([False]), np.array([False]), 1.0)
    assert one.key == f"{PREFIX}{number[0]}"
    assert abs(one.position.lat - lat) <= 0.51
    assert OWN not in number


def crowd():
    """Thirty pairs in one region that fly head-on towards each other, in three columns of different levels."""
    aircraft = []
    for column, altitude in ((-8, 3000), (0, 5000), (8, 7000)):
        for row in range(10):
            number, y = len(aircraft), 4.0 * row - 18
            west = straight(column - 1.5, y, altitude, 200, 90)
            east = straight(column + 1.5, y, altitude, 200, 270)
            aircraft += [Drawn(f"4b{number + n:04x}", path) for n, path in enumerate((west, east))]
    return aircraft


def test_pairs_that_crowd_a_region_are_one_event_with_the_nearest_of_them():
    [event] = of_type(found(skies(crowd(), 25, 47.5, 8.5), T), "proximity")
    finding = event.finding
    assert finding.numbers["events"].value == finding.numbers["critical"].value == 30
    assert finding.numbers["count"].value == 60
    assert finding.severity == "critical"
    assert finding.closest.distance_nm < 0.1
    assert finding.message.startswith("30 pairs of aircraft too near each other, counted in one event")


def test_pairs_below_the_threshold_are_events_of_their_own():
    events = of_type(found(skies(crowd(), 25, 47.5, 8.5), Thresholds(aggregate_events=30)), "proximity")
    assert len(events) == 30
    assert all(len(event.finding.hexes) == 2 for event in events)


def test_a_restart_amid_a_crowd_neither_repeats_nor_ends_its_event():
    passing = list(skies(crowd(), 25, 47.5, 8.5))
    detectors, book = Detectors(), EventTracker()
    for sky in passing[:12]:
        book.update(detectors.update(sky, T), sky.now, T)
    [before] = book.active
    detectors, book = Detectors(), EventTracker()
    detectors.restore([before.finding], [], passing[12].now)
    book.restore([before], passing[12].now)
    changes = [c for sky in passing[12:] for c in book.update(detectors.update(sky, T), sky.now, T)]
    assert {change.step for change in changes} == {"updated"}
    assert book.active == [before]


def test_after_a_restart_pairs_that_have_gone_end():
    detectors, book = Detectors(), EventTracker()
    passing = list(skies(crowd()[:2], 25, 47.5, 8.5))
    for sky in passing[:12]:
        book.update(detectors.update(sky, T), sky.now, T)
    [before] = book.active
    detectors, book = Detectors(), EventTracker()
    detectors.restore([before.finding], [], START)
    book.restore([before], START)
    alone = skies([Drawn("4bffff", straight(0, 0, 3000, 200, 90))], 150, 47.5, 8.5)
    changes = [c for sky in alone for c in book.update(detectors.update(sky, T), sky.now, T)]
    assert [change.step for change in changes] == ["ended"]
