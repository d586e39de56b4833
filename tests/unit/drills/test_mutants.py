"""A few mutants of every kind of input; ``make drill NAME=mutants`` makes 100,000 of each."""

import random

import pytest

from tests.drills import mutants

pytestmark = pytest.mark.nightly("short form of a drill")


@pytest.mark.parametrize("name", list(mutants.KINDS))
def test_a_mutant_raises_nothing_and_costs_no_more_than_its_neighbours(name, shared_data):
    seed = random.SystemRandom().randrange(1 << 32)
    outcome = mutants.attack(mutants.KINDS[name](), 500, 20.0, random.Random(f"{seed} {name}"))
    assert outcome.faults == [], f"seed {seed}"
    assert outcome.damaged > 50
