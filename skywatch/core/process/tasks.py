"""Tasks of the event loop: work that is repeated whatever it raises, and an end for certain."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from skywatch.core.database.engine import report_fault
from skywatch.core.telemetry.fault_log import FaultLog

AGAIN_AFTER_S = 1.0


async def repeat(
    work: Callable[[], Awaitable[float | None]],
    every_s: float,
    faults: FaultLog | Callable[[Exception], object],
    *,
    first_s: float | None = None,
    failing_s: float | None = None,
    wake: asyncio.Event | None = None,
) -> None:
    """Do ``work`` every ``every_s`` seconds from now on, and when ``wake`` is set, until the task is cancelled.

    ``first_s`` is the pause before the first time, and ``failing_s`` that after an error, which ``faults`` logs: the
    next time may succeed. ``work`` may return another pause than ``every_s``.
    """
    pause_s = every_s if first_s is None else first_s
    while True:
        if wake is None or pause_s <= 0:
            await asyncio.sleep(pause_s)
        else:
            with suppress(TimeoutError):
                await asyncio.wait_for(wake.wait(), pause_s)
        if wake is not None:
            wake.clear()
        try:
            pause = await work()
            pause_s = every_s if pause is None else pause
            if isinstance(faults, FaultLog):
                faults.succeeded()
        except Exception as error:
            # Whatever it is: nobody else would do this work.
            if isinstance(faults, FaultLog):
                report_fault(faults, error)
            else:
                faults(error)
            pause_s = every_s if failing_s is None else failing_s


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until they have ended, however they end.

    One request may get lost: ``asyncio.wait_for`` of Python 3.11 drops it where what it waits for is ready at that
    moment, and a library may raise an error of its own while it tidies up. So it is repeated, every
    ``AGAIN_AFTER_S``: not for tasks that have more to do at their end than fits into that time.
    """
    waiting = set(tasks)
    while waiting:
        for task in waiting:
            task.cancel()
        _, waiting = await asyncio.wait(waiting, timeout=AGAIN_AFTER_S)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # looked at: asyncio has nothing to complain of
