"""Aircraft whose positions contradict receivers, multilateration or each other, and those that only seem to."""

import dataclasses
import math

import pytest

from tests.unit.safety.drawn import START, Drawn, found, of_type, skies, straight
from tests.unit.safety.test_integrity import at, cause, integrity

PATH = straight(0, 0, 9000, 240, 90)
MLAT = {"type": "mlat", "nic": None, "nac_p": None}


def others(receiver, count=6):
    """Aircraft that a receiver hears rightly: it is not known to be wrong."""
    return [
        Drawn(f"4c{n:04x}", straight(5 * n, -5, 20_000 + 1000 * n, 300, 60 * n), receiver=receiver)
        for n in range(count)
    ]


def pair(changing=lambda t: {}, path=PATH, **fields):
    """One aircraft by its own broadcast and by a second receiver, which says what ``changing`` says."""
    return [
        Drawn("4b0001", path, receiver="own", fields={"flight": "TEST1"}),
        Drawn("4b0001", path, receiver="second", changing=changing, fields=fields, phase_s=0.5),
    ]


def contradictions(aircraft, seconds=60):
    return integrity([*aircraft, *others("own"), *others("second")], seconds)


@pytest.mark.deep("costs over a processor second")
def test_multilateration_that_contradicts_the_broadcast_is_raised_and_ends():
    def elsewhere(t):
        return at(240 * t / 3600, 20) if 20 <= t < 50 else {}

    [event] = contradictions(pair(elsewhere, **MLAT), 140)
    assert cause(event) == "contradiction"
    assert 28 <= event.began_at - START <= 36
    assert "multilateration" in event.finding.message
    assert event.finding.numbers["distance"].value == pytest.approx(20, abs=1)
    assert event.finding.numbers["receiver"].value == "second"
    assert event.ended_at is not None


def test_another_receiver_that_hears_the_aircraft_elsewhere_is_raised():
    [event] = contradictions(pair(lambda t: at(240 * t / 3600, 20) if t >= 20 else {}))
    assert cause(event) == "contradiction"
    assert "another receiver" in event.finding.message


def test_the_scatter_of_multilateration_is_no_contradiction():
    noisy = [dataclasses.replace(a, noise_m=1500.0 if a.receiver == "second" else 8.0) for a in pair(**MLAT)]
    assert contradictions(noisy) == []


def test_a_receiver_that_is_half_a_minute_late_contradicts_nobody():
    late = [dataclasses.replace(a, late_s=35.0 if a.receiver == "second" else 0.0) for a in pair()]
    assert contradictions(late) == []


def test_a_contradiction_of_some_seconds_is_not_raised():
    assert contradictions(pair(lambda t: at(240 * t / 3600, 20) if 20 <= t < 27 else {}, **MLAT)) == []


@pytest.mark.deep("draws two minutes")
def test_single_contradictions_that_come_seldom_are_none():
    # Two seconds of every twenty: what lies between them contradicts nobody for longer than a dispute lasts.
    assert contradictions(pair(lambda t: at(240 * t / 3600, 20) if t % 20 < 2 else {}, **MLAT), 120) == []


def test_a_receiver_that_is_wrong_of_everybody_is_not_believed():
    wrong = [dataclasses.replace(a, receiver="second", centre=(48.0, 8.0)) for a in others("own")]
    right = others("own")
    assert integrity([*right, *wrong], 60) == []


def test_relayed_positions_contradict_nobody():
    elsewhere = {"type": "tisb_icao", "nic": 0, "nac_p": 0}
    assert contradictions(pair(lambda t: at(240 * t / 3600, 20) if t >= 20 else {}, **elsewhere)) == []


def on_circle(number, t, centre=(10.0, 25.0), radius_nm=1.5, period_s=90.0):
    angle = 2 * math.pi * (t / period_s + number * 0.3)
    return at(centre[0] + radius_nm * math.cos(angle), centre[1] + radius_nm * math.sin(angle))


def crowd(changing):
    return [
        Drawn(f"4b000{n}", straight(10 * n - 15, -5, 20_000 + 1000 * n, 300, 90 * n), changing=changing(n))
        for n in range(4)
    ]


def test_aircraft_that_leap_onto_one_circle_are_one_event_that_names_them():
    events = integrity(crowd(lambda n: lambda t: on_circle(n, t) if t >= 45 else {}), 130)
    [event] = [event for event in events if cause(event) == "gathering"]
    assert event.finding.numbers["shape"].value == "circle"
    assert event.finding.hexes == ("4b0000", "4b0001", "4b0002", "4b0003")
    assert event.finding.severity == "critical"
    assert event.began_at - START <= 100
    assert event.ended_at is None
    assert abs(event.finding.position.lat - at(10, 25)["lat"]) < 0.005


@pytest.mark.deep("draws five minutes")
def test_a_circle_that_lasts_for_five_minutes_is_one_event_until_it_ends():
    events = integrity(crowd(lambda n: lambda t: on_circle(n, t) if t >= 45 else {}), 400)
    [event] = [event for event in events if cause(event) == "gathering"]
    assert event.ended_at is None


def test_aircraft_that_fly_one_circle_without_having_leapt_are_no_event():
    aircraft = [
        Drawn(
            f"4b000{n}",
            lambda t, n=n: (
                1.5 * math.cos(t / 14 + n * 1.7), 1.5 * math.sin(t / 14 + n * 1.7), 6000.0 + 1000 * n,
            ),
        )
        for n in range(4)
    ]  # fmt: skip
    assert integrity(aircraft, 120) == []


def test_aircraft_that_leap_to_different_places_are_no_gathering():
    events = integrity(crowd(lambda n: lambda t: at(20 * n - 30, 30 + 0.07 * t) if t >= 45 else {}), 90)
    assert {cause(event) for event in events} == {"leap"}
    assert len(events) == 4


def test_a_leap_that_two_receivers_report_is_raised():
    """The picture believes two receivers at once."""
    leap = at(0, 40)

    def leaps(t):
        return {"lat": leap["lat"], "lon": leap["lon"] + t * 1e-4} if t >= 40 else {}

    aircraft = [Drawn("4b0001", PATH, receiver=name, changing=leaps) for name in ("one", "two")]
    [event] = of_type(found(skies(aircraft, 60)), "position_integrity")
    assert cause(event) == "leap"
    assert 40 <= event.began_at - START <= 46
