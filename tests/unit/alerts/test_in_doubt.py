"""Rules on what a stranger says of an aircraft that ours hear: information, unless ours say enough for the rule."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.alerts.engine.operands.documents import SkyMaker
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.rule import Cleared, Fired
from skywatch.core.polygons.band import Band
from skywatch.core.polygons.geometry import parse_geometry
from skywatch.picture.state.doubt import (
    ALTITUDE,
    CALLSIGN,
    CATEGORY,
    FLIGHT_DATA,
    GEOMETRIC_ALTITUDE,
    OURS_TOO,
    POSITION,
    UNCONFIRMED_WORDS,
    VELOCITY,
    VERTICAL_RATE,
)
from tests.alerts import BOX, LOW, STATION, aircraft, test_of
from tests.rules import rule_of
from tests.skies import NOW

BANDED = 2
FENCES = {
    1: Fence(1, "Home", parse_geometry(BOX)),
    BANDED: Fence(BANDED, "Low", parse_geometry(BOX), Band(None, 5000.0)),
}
WITHIN = test_of("geofence", "within", 1)
# A rule, and what it rests on.
RULES = {
    "place": (WITHIN, POSITION),
    "distance": (test_of("distance_nm", "lt", 5), POSITION),
    "height": (LOW, ALTITUDE),
    "geometric height": (test_of("alt_geom", "gt", 100), GEOMETRIC_ALTITUDE),
    "place and height": (test_of("geofence", "within", BANDED), POSITION),
    "height of a place": (test_of("geofence", "within", BANDED), ALTITUDE),
    "speed": (test_of("gs", "gt", 100), VELOCITY),
    "climb": (test_of("climb_ft_min", "gt", 100), VERTICAL_RATE),
    "callsign": (test_of("flight", "starts_with", "SWR"), CALLSIGN),
    "category": (test_of("category", "eq", "A3"), CATEGORY),
    "intent": (test_of("nav_altitude_mcp", "gt", 100), FLIGHT_DATA),
    "not": ({"not": test_of("alt_baro", "gt", 9000)}, ALTITUDE),
}
ONE = aircraft(gs=400, baro_rate=500, category="A3", nav_altitude_mcp=5000, alt_geom=3100)


class Sky:
    """An engine with one rule, and ticks with an aircraft of ours of which this is in doubt."""

    def __init__(self, conditions, **members):
        self.engine = Engine()
        self.engine.install(RuleSet((rule_of(conditions, priority="critical", **members),), FENCES), 0.0)
        self.maker, self.now = SkyMaker(STATION), NOW

    def tick(self, doubt, *messages, one=ONE):
        self.now += 1
        sky = self.maker.sky([one], self.now)
        bits = np.array([doubt | OURS_TOO], "u2") if doubt else None
        return self.engine.tick(dataclasses.replace(sky, doubt=bits), messages)


def fired(changes):
    return [change.doubt for change in changes if isinstance(change, Fired)]


@pytest.mark.parametrize("name", RULES)
def test_what_rests_on_the_word_of_one_stranger_is_in_doubt_and_nothing_else(name):
    conditions, bits = RULES[name]
    assert fired(Sky(conditions).tick(0)) == [""]
    assert fired(Sky(conditions).tick(bits)) == [UNCONFIRMED_WORDS]
    others = POSITION | ALTITUDE | GEOMETRIC_ALTITUDE | VELOCITY | VERTICAL_RATE | CALLSIGN | CATEGORY | FLIGHT_DATA
    if name not in ("place and height", "height of a place"):
        assert fired(Sky(conditions).tick(others & ~bits)) == [""], "whoever adds the rest lowers nothing"


def test_what_ours_say_is_enough():
    either = {"any": [LOW, test_of("flight", "eq", "SWR1")]}
    assert fired(Sky(either).tick(ALTITUDE)) == fired(Sky(either).tick(CALLSIGN)) == [""]
    assert fired(Sky(either).tick(ALTITUDE | CALLSIGN)) == [UNCONFIRMED_WORDS]
    both = {"all": either["any"]}
    assert fired(Sky(both).tick(ALTITUDE)) == fired(Sky(both).tick(CALLSIGN)) == [UNCONFIRMED_WORDS]


def test_the_only_altitude_is_a_stranger_s():
    one = {name: value for name, value in ONE.items() if name != "alt_baro"}
    conditions = test_of("geofence", "within", BANDED)
    assert fired(Sky(conditions).tick(GEOMETRIC_ALTITUDE, one=one)) == [UNCONFIRMED_WORDS]
    assert fired(Sky(conditions).tick(GEOMETRIC_ALTITUDE)) == [""]


def test_what_two_strangers_dispute_lowers_nothing():
    sky = Sky(LOW)
    assert fired(sky.tick(0, one=ONE | {"disputed": ["altitude"]})) == [""]


def test_once_ours_say_so_it_is_announced_again_at_once():
    sky = Sky(LOW, cooldown_s=86_400)
    assert fired(sky.tick(ALTITUDE)) == [UNCONFIRMED_WORDS]
    changes = sky.tick(0)
    assert [type(change) for change in changes] == [Cleared, Fired]
    assert fired(changes) == [""]
    assert sky.tick(ALTITUDE) == []


def test_a_number_that_holds_only_with_it_is_in_doubt():
    sky = Sky(WITHIN, count=rule_count("ge", 1))
    assert fired(sky.tick(POSITION)) == [UNCONFIRMED_WORDS]
    changes = sky.tick(0)
    assert fired(changes) == [""]


def rule_count(op, value):
    from skywatch.alerts.engine.rule import Count

    return Count(op, value)


def test_a_message_and_a_stranger_s_height_are_in_doubt_and_do_not_delay_the_real_one():
    sky = Sky({"all": [test_of("acars_label", "eq", "SQ"), LOW]}, cooldown_s=86_400)

    def say():
        return AircraftMessage(ONE["hex"], sky.now + 1, {"acars_label": "SQ"})

    assert fired(sky.tick(ALTITUDE, say())) == [UNCONFIRMED_WORDS]
    assert fired(sky.tick(ALTITUDE, say())) == []
    changes = sky.tick(0, say())
    assert [type(change) for change in changes] == [Cleared, Fired]
    assert fired(changes) == [""]
    assert fired(sky.tick(0, say())) == []


def test_entering_in_doubt_does_not_delay_entering_for_sure():
    sky = Sky(test_of("geofence", "enters", 1), cooldown_s=86_400)
    outside = ONE | {"lat": 46.0}
    sky.tick(POSITION, one=outside)
    assert fired(sky.tick(POSITION)) == [UNCONFIRMED_WORDS]
    sky.tick(0, one=outside)
    assert fired(sky.tick(0)) == [""]


HIGH = ONE | {"alt_baro": 30_000}


def test_what_a_stranger_says_ends_no_sure_alert():
    sky = Sky(LOW, cooldown_s=86_400)
    assert fired(sky.tick(0)) == [""]
    # Ours have not said the height for a while: a stranger says another one.
    assert [sky.tick(ALTITUDE, one=HIGH) for _ in range(20)] == [[]] * 20
    assert sky.tick(0) == []
    assert [type(change) for change in sky.tick(0, one=HIGH)] == [Cleared]


def test_a_sure_alert_ends_once_ours_have_not_said_so_for_a_minute():
    sky = Sky(LOW, cooldown_s=86_400)
    sky.tick(0)
    changes = [(second, change) for second in range(100) for change in sky.tick(ALTITUDE, one=HIGH)]
    assert [(second, type(change)) for second, change in changes] == [(60, Cleared)]


def test_what_a_stranger_says_ends_an_alert_that_is_in_doubt():
    sky = Sky(LOW)
    assert fired(sky.tick(ALTITUDE)) == [UNCONFIRMED_WORDS]
    assert [type(change) for change in sky.tick(ALTITUDE, one=HIGH)] == [Cleared]


def test_what_a_stranger_says_does_not_make_a_rule_wait_again():
    sky = Sky(LOW, for_s=10)
    for _ in range(5):
        assert sky.tick(0) == []
    for _ in range(8):
        assert sky.tick(ALTITUDE, one=HIGH) == [], "it is not announced while the picture says otherwise"
    assert fired(sky.tick(0)) == [""]


def test_what_ours_say_makes_a_rule_wait_again():
    sky = Sky(LOW, for_s=10)
    for _ in range(5):
        sky.tick(0)
    sky.tick(ALTITUDE, one=HIGH)
    sky.tick(0, one=HIGH)
    assert [fired(sky.tick(0)) for _ in range(11)] == [*([[]] * 10), [""]]


OUTSIDE = ONE | {"lat": 46.0}
ENTERS, LEAVES = test_of("geofence", "enters", 1), test_of("geofence", "leaves", 1)
# A crossing, and the places before and after it.
CROSSINGS = {"enters": (ENTERS, OUTSIDE, ONE), "leaves": (LEAVES, ONE, OUTSIDE)}


@pytest.mark.parametrize("name", CROSSINGS)
@pytest.mark.parametrize("waits", [1, 3])
def test_what_a_stranger_says_first_hides_no_crossing(name, waits):
    conditions, before, after = CROSSINGS[name]
    sky = Sky(conditions, cooldown_s=86_400)
    sky.tick(0, one=before)
    assert fired(sky.tick(POSITION, one=after)) == [UNCONFIRMED_WORDS]
    for _ in range(waits - 1):
        assert fired(sky.tick(POSITION, one=after)) == []
    assert fired(sky.tick(0, one=after)) == [""]
    assert fired(sky.tick(0, one=after)) == []


@pytest.mark.parametrize("name", CROSSINGS)
def test_a_place_that_a_stranger_says_in_between_is_no_sure_crossing(name):
    conditions, before, after = CROSSINGS[name]
    sky = Sky(conditions)
    sky.tick(0, one=after)
    sky.tick(POSITION, one=before)
    assert fired(sky.tick(0, one=after)) == [UNCONFIRMED_WORDS]
    for _ in range(3):
        sky.tick(0, one=before)
    assert fired(sky.tick(0, one=after)) == [""], "whereas this one is"


def test_a_stranger_s_altitude_hides_no_crossing_of_a_band():
    sky = Sky(test_of("geofence", "enters", BANDED), cooldown_s=86_400)
    sky.tick(0, one=HIGH)
    assert fired(sky.tick(ALTITUDE)) == [UNCONFIRMED_WORDS]
    assert fired(sky.tick(0)) == [""]


def test_whoever_is_inside_when_ours_first_say_so_has_not_entered():
    sky = Sky(ENTERS)
    assert [sky.tick(POSITION), sky.tick(0)] == [[], []]
    sky.tick(0, one=OUTSIDE)
    assert fired(sky.tick(0)) == [""]


def test_a_changed_geofence_is_not_entered_by_who_is_inside_already():
    sky = Sky(ENTERS)
    sky.tick(0)
    fences = FENCES | {1: Fence(1, "Home", parse_geometry(BOX), revision=2)}
    sky.engine.install(RuleSet((rule_of(ENTERS, priority="critical"),), fences), sky.now)
    assert [sky.tick(POSITION, one=OUTSIDE), fired(sky.tick(0))] == [[], [UNCONFIRMED_WORDS]]


def test_crossings_are_as_before_once_nothing_is_in_doubt():
    sky = Sky(ENTERS)
    sky.tick(0, one=OUTSIDE)
    sky.tick(POSITION, one=OUTSIDE)
    sky.tick(0, one=OUTSIDE)
    sky.tick(0, one=OUTSIDE)
    assert not sky.engine.environment.has_doubt
    assert fired(sky.tick(0)) == [""]


@pytest.mark.parametrize("seed", range(5))
def test_sure_crossings_are_those_of_a_sky_without_the_places_in_doubt(seed):
    random = np.random.default_rng(seed)
    skies, crossings = [Sky({"any": [ENTERS, LEAVES]}), Sky({"any": [ENTERS, LEAVES]})], 0
    for _ in range(60):
        # One fifth of the ticks have no doubt at all.
        in_doubt = random.random(8) < random.choice([0.0, 0.05, 0.3, 0.6, 0.9])
        everyone = [aircraft(number, lat=float(random.choice([46.0, 47.46]))) for number in range(8)]
        everyone = [each for each in everyone if random.random() < 0.98]
        known = [each | {"lat": None, "lon": None} if in_doubt[place] else each for place, each in enumerate(everyone)]
        doubt = np.where(in_doubt[: len(everyone)], POSITION | OURS_TOO, 0).astype("u2")
        seen = []
        for sky, shown, bits in zip(skies, (everyone, known), (doubt if doubt.any() else None, None), strict=True):
            sky.now += 1
            sky.engine.tick(dataclasses.replace(sky.maker.sky(shown, sky.now), doubt=bits))
            environment = sky.engine.environment
            state = environment.fences.states[1]
            crossed = state.surely or state
            seen.append([environment.board.addresses[slot] for slot in np.flatnonzero(crossed.entered)])
            seen[-1] += ["left", *(environment.board.addresses[slot] for slot in np.flatnonzero(crossed.exited))]
        assert seen[0] == seen[1]
        crossings += len(seen[0]) - 1
    assert crossings > 20
