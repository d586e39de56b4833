"""Movements of drawn traffic at real runways: parallel, crossing, with displaced thresholds, under any pressure."""

from __future__ import annotations

import pytest

from tests.unit.airports.drawn import KNOWN, UNSEEN, traffic
from tests.unit.airports.scoring import score


@pytest.mark.parametrize("ident", [*KNOWN, *UNSEEN])
def test_movements_are_found_and_on_the_right_runway(ident):
    counts = score(traffic(ident, 7))
    assert counts["right"] >= 0.95 * counts["flown"]
    assert counts["right"] >= 0.98 * (counts["right"] + counts["wrong"])
    assert counts["runway right"] >= 0.99 * counts["on a runway"]
