"""The pairs that the cells give are those that a look at every pair gives."""

import numpy as np
import pytest

from skywatch.safety.detection.conflicts import cells
from skywatch.safety.detection.conflicts.cells import Motion, expand, neighbours
from skywatch.safety.detection.conflicts.intentions import Intentions
from skywatch.safety.detection.conflicts.proximity import judge_pairs
from skywatch.safety.thresholds.thresholds import Thresholds

T = Thresholds()
AIRCRAFT = 300


class Silent(Intentions):
    """Nobody has said what altitude is selected."""

    def selected_ft(self, row):
        return float("nan")


NOBODY_SAYS = Silent(None)


def crowd(lat, lon, seed):
    """Aircraft within some tens of miles around a place."""
    chance = np.random.default_rng(seed)
    angle, speed = chance.uniform(0, 2 * np.pi, AIRCRAFT), chance.uniform(60, 600, AIRCRAFT)
    return Motion(
        np.arange(AIRCRAFT),
        np.clip(lat + chance.normal(0, 0.2, AIRCRAFT), -89, 89),
        (lon + chance.normal(0, 0.2, AIRCRAFT) / np.cos(np.radians(lat)) + 180) % 360 - 180,
        chance.uniform(0, 6000, AIRCRAFT),
        speed * np.sin(angle),
        speed * np.cos(angle),
        chance.choice([0.0, 0.0, 30.0, -40.0], AIRCRAFT),
    )


def judged(m, first, second):
    pairs = judge_pairs(m, first, second, T, 1.0, T.proximity_closing_kt, NOBODY_SAYS)
    listed = [tuple(sorted(pair)) for pair in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)]
    assert len(set(listed)) == len(listed)
    return set(listed)


@pytest.mark.parametrize("lon", [0.0, 10.0, 180.0, -180.0, 359.9])
@pytest.mark.parametrize("lat", [0.0, 47.0, 80.0, -75.0, 84.0])
def test_no_pair_is_lost_or_doubled_wherever_it_is(lat, lon):
    m = crowd(lat, lon, seed=round(lat + lon) % 100)
    everybody = judged(m, *np.triu_indices(AIRCRAFT, 1))
    assert everybody
    assert judged(m, *neighbours(m, 60.0, 3.0, 800.0)[:2]) == everybody


def test_nobody_and_one_alone_have_no_neighbours():
    m = crowd(47.0, 8.0, 1)
    for count in (0, 1):
        few = Motion(*(getattr(m, name)[:count] for name in list(Motion.__dataclass_fields__)[:7]))
        assert [len(side) for side in neighbours(few, 60.0, 3.0, 800.0)] == [0, 0, 0]


def test_expand_lists_every_value_of_every_range():
    index, value = expand(np.array([3, 7, 2, 5]), np.array([5, 7, 3, 4]))
    assert list(zip(index.tolist(), value.tolist(), strict=True)) == [(0, 3), (0, 4), (2, 2)]


def few(count, chance):
    """Some aircraft in an area where a pair is near or none is."""
    lat, lon = chance.choice([0.0, 47.0, 84.0, -75.0]), chance.choice([0.0, 10.0, 179.9, -180.0])
    spread, angle = chance.choice([0.2, 1.0, 3.0]), chance.uniform(0, 2 * np.pi, count)
    speed = chance.uniform(60, 600, count)
    return Motion(
        np.arange(count),
        np.clip(lat + chance.normal(0, spread, count), -89, 89),
        (lon + chance.normal(0, spread, count) + 180) % 360 - 180,
        chance.uniform(0, 40_000, count),
        speed * np.sin(angle),
        speed * np.cos(angle),
        chance.choice([0.0, 0.0, 30.0, -40.0], count),
    )


@pytest.mark.deep("costs over a processor second")
def test_a_look_at_few_aircraft_gives_the_same_pairs_in_the_same_order(monkeypatch):
    chance = np.random.default_rng(36)
    skies = [few(int(chance.integers(2, 20)), chance) for _ in range(1_000)]
    joins = []
    monkeypatch.setattr(cells, "_join", lambda of, join=cells._join: joins.append(1) or join(of))
    looked = [neighbours(m, 60.0, 3.0, 800.0) for m in skies]
    with_pairs = sum(len(first) > 0 for first, _, _ in looked)
    assert 100 < with_pairs <= len(joins) < with_pairs + 250 < 900
    monkeypatch.setattr(cells, "FEW", 0)
    for m, (first, second, _) in zip(skies, looked, strict=True):
        joined = neighbours(m, 60.0, 3.0, 800.0)
        assert (first.tolist(), second.tolist()) == (joined[0].tolist(), joined[1].tolist())
        assert first.dtype == joined[0].dtype
