"""The short form of the table by kind of the wider corpus, on a seed that no threshold was set by."""

from __future__ import annotations

import pytest

from benchmarks._pattern_table import Table, lines, tabulate
from tests.unit.patterns.drawn.wide.corpus import KINDS, draw

pytestmark = pytest.mark.deep("walks a corpus")

SEED, OF_EACH = 71, 2


@pytest.fixture(scope="module")
def table() -> Table:
    return tabulate(draw(SEED, OF_EACH))


@pytest.mark.parametrize(
    ("label", "least"),
    [("circling", 0.9), ("grid_search", 0.9), ("racetrack", 0.8), ("area_search", 0.8), ("stakeout", 0.7)],
)
def test_what_is_flown_is_found(table: Table, label: str, least: float) -> None:
    assert table.recall(label) >= least


def test_what_is_ordinary_is_seldom_called_surveillance(table: Table) -> None:
    # The seed's 60 flights are few; the manual has the share of more of them.
    assert table.ordinary_share <= 0.08
    assert table.within_two_turns() >= 0.9


def test_one_stretch_of_time_has_one_name(table: Table) -> None:
    assert sum(row.two_names for row in table.rows.values()) == 0


def test_the_table_has_a_line_for_each_kind(table: Table) -> None:
    text = lines(table)
    assert all(any(line.startswith(f"{kind} ") for line in text) for kind in KINDS)
    assert all(row.flights == OF_EACH for row in table.rows.values())
