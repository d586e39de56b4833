"""Rules on squawks, emergencies and advisories that nobody vouches for: unknown, as if nobody had said them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.picture.state.doubt import ADVISORY, EMERGENCY, SQUAWK
from tests.alerts import aircraft, test_of
from tests.rules import rule_of
from tests.skies import sky_of

ALARMING = aircraft(1, squawk="7700", emergency="general", acas_ra={"advisory": "Climb"})
TESTS = {
    "squawk": test_of("squawk", "eq", "7700"),
    "emergency": test_of("emergency", "eq", True),
    "state": test_of("emergency", "eq", "general"),
    "advisory": test_of("acas_ra", "eq", True),
    "not": {"not": test_of("squawk", "eq", "1200")},
}


def fired(conditions, doubt):
    sky = sky_of(ALARMING)
    sky.columns["acas_ra"][0] = True
    engine = Engine()
    engine.install(RuleSet((dataclasses.replace(rule_of(conditions), for_s=0.0),)), 0.0)
    changes = engine.tick(dataclasses.replace(sky, doubt=np.array([doubt], "u2")))
    return [change.aircraft for change in changes]


@pytest.mark.parametrize("name", TESTS)
def test_an_alarm_in_doubt_is_unknown_to_rules_and_the_others_are_not(name):
    in_doubt = {
        "squawk": SQUAWK,
        "emergency": SQUAWK | EMERGENCY,
        "state": EMERGENCY,
        "advisory": ADVISORY,
        "not": SQUAWK,
    }
    assert len(fired(TESTS[name], 0)) == 1
    assert fired(TESTS[name], in_doubt[name]) == []
    assert len(fired(TESTS[name], (SQUAWK | EMERGENCY | ADVISORY) & ~in_doubt[name])) == 1
    # One of the two that say so is enough.
    assert len(fired(TESTS["emergency"], SQUAWK)) == len(fired(TESTS["emergency"], EMERGENCY)) == 1


def test_an_alert_shows_no_alarm_in_doubt():
    (shown,) = fired(test_of("flight", "starts_with", "SWR"), SQUAWK | EMERGENCY | ADVISORY)
    assert {"squawk", "emergency", "acas_ra"}.isdisjoint(shown)
