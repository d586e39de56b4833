"""The order of tests: long ones first, on all processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def spread(long: Sequence[T], others: Sequence[T], processes: int) -> list[T]:
    """The order in which each process begins with its share of the long ones.

    ``--dist worksteal`` gives each process one piece of the list, the first ``len // processes`` and so on. It moves
    tests from the end of a piece only, and a long test that begins last keeps one process busy after all others.
    """
    ordered: list[T] = []
    rest = list(others)
    remaining = len(long) + len(rest)
    for number in range(processes):
        size = remaining // (processes - number)
        remaining -= size
        share = long[number::processes]
        ordered += share
        taken = max(0, size - len(share)) if number < processes - 1 else len(rest)
        ordered += rest[:taken]
        del rest[:taken]
    return ordered
