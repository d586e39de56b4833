"""Long tests begin first in every process."""

import pytest

from tests.lanes.order import spread


def pieces(items, processes):
    """What ``--dist worksteal`` gives to each process."""
    rest, made = list(items), []
    for remaining in range(processes, 0, -1):
        size = len(rest) // remaining
        made.append(rest[:size])
        rest = rest[size:]
    return made


@pytest.mark.parametrize("others", [95, 96, 97, 98])
def test_every_process_begins_with_its_share_of_long_tests(others):
    long = ["a", "b", "c", "d", "e"]
    order = spread(long, range(others), 3)
    assert [piece[:2] for piece in pieces(order, 3)] == [["a", "d"], ["b", "e"], ["c", order[order.index("c") + 1]]]
    assert [item for item in order if item not in long] == list(range(others))


def test_no_test_is_lost_where_there_are_few():
    assert sorted(spread(["a", "b", "c"], ["x"], 8)) == ["a", "b", "c", "x"]
    assert spread(["a"], ["x", "y"], 1) == ["a", "x", "y"]
