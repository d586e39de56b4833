"""Ends tasks of the event loop for certain."""

from __future__ import annotations

import asyncio
from typing import Any

AGAIN_AFTER_S = 1.0


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
