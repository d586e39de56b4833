"""The first test for the whole sky, and who is watched because of it."""

from __future__ import annotations

import numpy as np
import pytest

from skywatch.patterns.findings import Change, Pattern
from skywatch.patterns.fleet import PatternFleet
from skywatch.patterns.prefilter import MotionColumns
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.slots import SlotTable
from tests.unit.patterns.flights import START, Flight, found

SETTINGS = PatternSettings()


class World:
    """Feeds flights to a fleet second by second, rows shuffled, as the picture does."""

    def __init__(self, flights: dict[str, Flight], fleet: PatternFleet | None = None) -> None:
        self.fleet = fleet or PatternFleet(capacity=2)
        self.heard = {address: {p[0]: p for p in flight.positions(1.0)} for address, flight in flights.items()}
        self.patterns: dict[tuple[str, int], Pattern] = {}
        self.most_watched = 0

    def run(self, *, follow: bool = True) -> list[Pattern]:
        times = sorted({t for positions in self.heard.values() for t in positions})
        rows: list[str] = []
        for number, t in enumerate(times):
            now = [a for a, positions in self.heard.items() if t in positions]
            if number % 7 == 0:
                now.reverse()
            gone = [a for a in rows if a not in now]
            previous = np.array([rows.index(a) if a in rows else -1 for a in now])
            values = [[np.nan if v is None else v for v in self.heard[a][t][:6]] for a in now]
            self._keep(self.fleet.leave(gone))
            self._keep(self.fleet.update(now, *np.array(values).T, previous_row=previous if follow else None))
            self.most_watched = max(self.most_watched, self.fleet.watched)
            rows = now
        self._keep(self.fleet.close())
        return list(self.patterns.values())

    def _keep(self, events: list[tuple[str, object]]) -> None:
        for address, event in events:
            pattern = event.pattern  # type: ignore[attr-defined]
            assert pattern.icao24 == address
            self.patterns[address, pattern.number] = pattern


def orbiting() -> Flight:
    return Flight(speed_kt=90.0).straight(20.0).orbit(4.0, 0.8).straight(10.0)


def airliner(heading: float) -> Flight:
    return Flight(speed_kt=440.0, alt_ft=36000.0, heading=heading).straight(180.0)


@pytest.mark.parametrize("follow", [True, False])
def test_fleet_finds_what_a_tracker_finds(follow: bool) -> None:
    flights = {"abc123": orbiting(), "000001": airliner(0.0), "000002": airliner(90.0), "000003": airliner(200.0)}
    world = World(flights)
    (pattern,) = world.run(follow=follow)
    (alone,) = found(orbiting(), 1.0)
    assert pattern.pattern_type == alone.pattern_type == "circling"
    assert pattern.t0 == pytest.approx(alone.t0, abs=40.0)
    assert pattern.t1 == pytest.approx(alone.t1, abs=40.0)
    assert pattern.detected_at == pytest.approx(alone.detected_at, abs=20.0)
    assert world.most_watched == 1


@pytest.mark.deep("costs over a processor second")
def test_whoever_flies_straight_again_is_let_go_and_numbered_on() -> None:
    flight = Flight(speed_kt=120.0).straight(10.0).orbit(3.0, 0.8).straight(90.0).orbit(3.0, 0.8).straight(5.0)
    world = World({"abc123": flight})
    first, second = world.run()
    assert (first.number, second.number) == (1, 2)
    assert first.flight_id == second.flight_id


def test_hovering_wakes_the_detectors() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=200.0).straight(8.0, climb_ft=800.0).drift(700.0, 12.0)
    assert [p.pattern_type for p in World({"abc123": flight}).run()] == ["stakeout"]


def test_nobody_on_the_ground_is_watched() -> None:
    fleet = PatternFleet()
    for second in range(300):
        t = np.array([START + second])
        place = np.array([52.0])
        speed = np.array([12.0])
        fleet.update(["abc123"], t, place, place, np.array([np.nan]), speed, speed, np.array([True]))
    assert fleet.watched == 0


def test_a_new_aircraft_in_the_place_of_another_knows_nothing_of_it() -> None:
    fleet = PatternFleet(capacity=1)
    orbit = orbiting().positions(1.0)[:1200]
    World({"aaaaaa": orbiting()}, fleet).run()
    for p in orbit[:300]:
        t, lat, lon = (np.array([v]) for v in p[:3])
        none = np.array([np.nan])
        assert fleet.update(["bbbbbb"], t + 1e5, lat, lon, none, none, none) == []
    assert fleet.watched == 0


def test_an_empty_sky_and_places_unknown_are_borne() -> None:
    fleet = PatternFleet()
    nothing = np.empty(0)
    assert fleet.update([], nothing, nothing, nothing, nothing, nothing, nothing) == []
    unknown = np.array([np.nan])
    for second in range(60):
        t = np.array([START + second])
        assert fleet.update(["abc123"], t, unknown, unknown, unknown, unknown, unknown) == []
    assert fleet.leave(["abc123", "never seen"]) == []


def straightness(flight: Flight, speed_kt: float = np.nan) -> list[bool]:
    """What the first test says of each step of a flight."""
    motion = MotionColumns(SETTINGS, 1)
    row = np.array([0])
    flags = []
    for t, lat, lon, *_ in flight.positions(10.0):
        columns = (np.array([v], dtype=float) for v in (t, lat, lon, speed_kt))
        _due, suspect = motion.step(row, *columns, np.array([False]))
        flags += suspect.tolist()
    return flags


@pytest.mark.parametrize("speed_kt", [70.0, 250.0, 480.0])
@pytest.mark.parametrize("lat", [0.0, 60.0, -80.0])
def test_straight_flight_and_right_angles_pass(speed_kt: float, lat: float) -> None:
    flight = Flight(speed_kt=speed_kt, lat=lat, lon=179.5, heading=80.0).straight(30.0).turn(85.0, 1.0).straight(30.0)
    assert not any(straightness(flight))


@pytest.mark.parametrize(
    "flight",
    [
        Flight(speed_kt=90.0).straight(10.0).orbit(1.2, 0.8),
        Flight(speed_kt=180.0).straight(20.0).orbit(1.2, 2.5),
        Flight(speed_kt=100.0).straight(10.0).turn(180.0, 0.3).straight(6.0),
        Flight(speed_kt=420.0).straight(60.0).turn(180.0, 6.0).straight(40.0),
    ],
    ids=["orbit", "wide orbit", "sweep", "tanker track"],
)
def test_whoever_turns_back_is_noticed(flight: Flight) -> None:
    assert any(straightness(flight))


def test_slots_stay_and_are_given_again() -> None:
    book = SlotTable(2)
    first = book.follow(["a", "b"], None).tolist()
    assert book.follow(["b", "a"], np.array([1, 0])).tolist() == first[::-1]
    freed = book.release("a")
    assert book.release("a") is None
    slots = book.follow(["b", "c", "d"], np.array([0, -1, -1])).tolist()
    assert slots[0] == first[1]
    assert slots[1] == freed
    assert len(set(slots)) == 3
    assert book.capacity == 4


def test_events_of_one_pattern_come_in_order() -> None:
    fleet = PatternFleet()
    changes = []
    for p in orbiting().positions(1.0):
        columns = (np.array([np.nan if v is None else v]) for v in p[:6])
        changes += [event.change for _, event in fleet.update(["abc123"], *columns)]
    changes += [event.change for _, event in fleet.close()]
    assert changes[0] is Change.DETECTED
    assert changes[-1] is Change.ENDED
    assert set(changes[1:-1]) == {Change.EXTENDED}


def test_aircraft_that_appear_at_once_are_not_stepped_at_once() -> None:
    count, step_s = 3000, int(SETTINGS.first_test.step_s)
    motion = MotionColumns(SETTINGS, count)
    rows, still = np.arange(count), np.full(count, 47.0)
    flying = np.zeros(count, dtype=bool)
    due = [motion.step(rows, np.full(count, START + s), still, still, still, flying)[0] for s in range(4 * step_s)]
    assert len(due[0]) == count
    assert max(map(len, due[1:])) <= 1.2 * count / step_s
    for begin in range(1, 3 * step_s):
        found = np.concatenate(due[begin : begin + step_s])
        assert sorted(set(found.tolist())) == rows.tolist(), "each of them every ten seconds"


def test_who_left_twice_ends_once_and_later_rows_of_the_address_stay() -> None:
    fleet = PatternFleet(capacity=2)
    events = []
    orbit = orbiting().positions(1.0)
    for position in orbit[:1300]:
        values = np.array([[np.nan if v is None else v for v in position[:6]]])
        events += fleet.update(["abc123"], *values.T)
        if position[0] in (orbit[1100][0], orbit[1299][0]):
            events += fleet.leave(["abc123"])
    assert fleet.watched == 1
    later = np.array([[orbit[1299][0] + 601.0, 10.0, 10.0, 1000.0, 300.0, 90.0]])
    fleet.update(["def456"], *later.T)
    events += fleet.leave()
    assert fleet.watched == 0
    assert [change.change for _, change in events].count(Change.ENDED) == 1
    fleet.update(["abc123", "def456"], *np.repeat(later, 2, axis=0).T)
    assert fleet.leave() == []
