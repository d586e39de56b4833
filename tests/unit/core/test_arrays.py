"""What is counted without masked arrays is what NumPy counts."""

import numpy as np
import pytest

from skywatch.core.arrays import distinct, percentile


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64, np.float64, "S4", "U3"])
@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_distinct_values_are_those_of_numpy(kind, count):
    values = np.random.default_rng(count).integers(0, 40, count).astype(kind)
    found, expected = distinct(values), np.unique(values)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


def test_the_given_values_stay_as_they_are():
    values = np.array([3, 1, 3])
    assert distinct(values).tolist() == [1, 3]
    assert values.tolist() == [3, 1, 3]


@pytest.mark.parametrize("percent", [0, 5, 50, 95, 97.5, 99, 100])
def test_a_percentile_is_that_of_numpy_to_the_last_digit(percent):
    random = np.random.default_rng(7)
    for count in range(1, 120):
        values = random.normal(size=count) * 1e3
        assert percentile(values, percent) == np.percentile(values, percent)
