"""Time in tests: waiting for what must come, however slow or busy the machine is, and going on to a later moment."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

import pytest

from skywatch.core import clock

T = TypeVar("T")

# No promise of the service: only what is broken takes so long. Promises are held by the settings and constants they
# rest on, and by switching off every other way in which the awaited could come.
PATIENCE_S = 60.0
# Pauses between looks: a look at a browser takes four processes some milliseconds, and most waits end soon.
FIRST_PAUSE_S, MAX_PAUSE_S, GROWTH = 0.02, 0.2, 1.3


def until(
    condition: Callable[[], T], what: str = "the condition", *, wait_s: float = PATIENCE_S, every_s: float | None = None
) -> T:
    """Wait until a condition is true, and return what it gave; fails the test where it does not come true.

    It is looked at less and less often, or with the same pause where one is given.
    """
    end = time.monotonic() + wait_s
    pause_s = FIRST_PAUSE_S if every_s is None else every_s
    while not (value := condition()):
        assert time.monotonic() < end, f"{what} did not come about in {wait_s:g} s"
        time.sleep(pause_s)
        if every_s is None:
            pause_s = min(GROWTH * pause_s, MAX_PAUSE_S)
    return value


async def eventually(
    condition: Callable[[], T], what: str = "the condition", *, wait_s: float = PATIENCE_S, every_s: float = 0.01
) -> T:
    """``until``, for what happens on the loop that the test itself runs on."""
    end = time.monotonic() + wait_s
    while not (value := condition()):
        assert time.monotonic() < end, f"{what} did not come about in {wait_s:g} s"
        await asyncio.sleep(every_s)
    return value


def go_on(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Have the service believe, until the test is over, that it is so much later."""
    utcnow, unix_now = clock.utcnow, clock.unix_now

    def utcnow_later() -> datetime:
        return utcnow() + timedelta(seconds=seconds)

    def unix_now_later() -> float:
        return unix_now() + seconds

    # Modules hold the functions by name.
    for name, module in list(sys.modules.items()):
        if name.startswith("skywatch."):
            for function, later in ((utcnow, utcnow_later), (unix_now, unix_now_later)):
                if getattr(module, function.__name__, None) is function:
                    monkeypatch.setattr(module, function.__name__, later)
