"""The trial of an input before it is saved: it runs for some seconds, apart from the service, and its state is read."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from skywatch.core.process import tasks
from skywatch.inputs.base import InputStatus, Origin

LOOK_S = 0.1


@dataclasses.dataclass(frozen=True)
class Trial:
    """What came: the input's state at the end, and the number of aircraft for a receiver."""

    status: InputStatus
    aircraft: int | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the input was reached."""
        return bool(self.status.messages) or self.status.is_active or self.status.state == "ended"


class MessageCounter:
    """A consumer that drops what it gets; the input counts it."""

    def put(self, messages: Sequence[Any], origin: Origin) -> None:
        """See ``skywatch.inputs.base.Consumer``."""

    async def ready(self) -> None:
        """There is always room."""


async def observe(run: Coroutine[Any, Any, None], is_over: Callable[[], bool], within_s: float) -> None:
    """Run an input until ``is_over`` or for a time (s)."""
    task = asyncio.create_task(run)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            while not is_over() and not task.done():
                await asyncio.sleep(LOOK_S)
    await tasks.end(task)
