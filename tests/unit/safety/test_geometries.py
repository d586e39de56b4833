"""Drawn encounters of each geometry: those that are dangerous are raised in time, the harmless ones are not."""

import pytest

from tests.unit.safety.geometries import harmful, harmless
from tests.unit.safety.geometries.scoring import numbers, run, run_together

pytestmark = pytest.mark.deep("walks a corpus")

DRAWN = 3
HARMFUL = (
    harmful.overtaking_on_final,
    harmful.overtaking,
    harmful.turning,
    harmful.climb_and_descent,
    harmful.base_legs_towards_each_other,
    harmful.crossing_with_ads_r,
    harmful.crossing_with_good_tis_b,
)
HARMLESS = (
    harmless.turns_onto_parallel_finals,
    harmless.parallel_approaches,
    harmless.formation_joins,
    harmless.copy_of_a_relay,
    harmless.formation,
    harmless.level_offs_1000_ft_apart,
    harmless.turns_away,
    harmless.tow,
)


@pytest.fixture(scope="module")
def outcomes_of():
    return run_together((*HARMFUL, *HARMLESS), numbers(DRAWN, unseen=False))


@pytest.mark.parametrize("geometry", [geometry.__name__ for geometry in HARMFUL])
def test_a_dangerous_encounter_is_raised_with_the_lead_that_is_asked(outcomes_of, geometry):
    outcomes = outcomes_of[geometry]
    assert len(outcomes) == DRAWN
    assert [outcome.reasons for outcome in outcomes if not outcome.raised] == []
    assert all(outcome.lead_s >= outcome.asked_s for outcome in outcomes)


@pytest.mark.parametrize("geometry", [geometry.__name__ for geometry in HARMLESS])
def test_a_harmless_encounter_is_not_raised(outcomes_of, geometry):
    assert len(outcomes_of[geometry]) == DRAWN
    assert not any(outcome.raised for outcome in outcomes_of[geometry])


def test_who_passes_in_front_of_the_other_on_its_final_or_behind_it_is_raised():
    outcomes = run(harmful.through_the_parallel_final, [96, 133, 192])
    assert all(outcome.raised for outcome in outcomes)


def test_who_can_no_longer_level_off_is_raised_without_another_hold():
    outcomes = run(harmful.climb_through_a_level, [52, 75, 331])
    assert all(outcome.lead_s >= outcome.asked_s for outcome in outcomes)
