"""On which cores a benchmark runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def on_core(number: int) -> Iterator[None]:
    """Keep this thread, and what it starts, on one of the cores that it has, where the system can; -1 is the last."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[number]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
