"""The tail of one aircraft is what the whole tail has of it, its provisional ends included."""

import numpy as np

from skywatch.history.storage.codec import encode
from skywatch.history.storage.points import identity, in_order
from skywatch.history.storage.tail import tail_points
from tests.unit.history.storage.test_codec import some_points


def test_tail_of_one_aircraft():
    rows = [(encode(some_points(200, seed)), encode(some_points(30, 100 + seed))) for seed in range(4)]
    whole = tail_points(rows)
    for aircraft in np.unique(identity(whole)).tolist():
        expected = in_order(whole[identity(whole) == aircraft])
        assert len(expected)
        assert np.array_equal(tail_points(rows, aircraft), expected)
    assert len(tail_points(rows, 0x000001)) == 0
