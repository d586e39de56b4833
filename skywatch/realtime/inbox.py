"""What arrives from the bus: appended in the bus's threads, taken on the server's loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from skywatch.core.bus import Bus, Message, Subscription
from skywatch.core.bus.base import call_on_loop
from skywatch.picture.state.sky import Sky


class Inbox:
    """``deliver`` is called on the loop, once for all that is queued in ``messages`` by then."""

    def __init__(self, bus: Bus, loop: asyncio.AbstractEventLoop, deliver: Callable[[], None]) -> None:
        self.messages: deque[Message | Sky] = deque()
        self._bus = bus
        self._loop = loop
        self._deliver = deliver
        self._is_called = False
        self._subscription: Subscription | None = None

    async def open(self, topics: Sequence[str], resumed: Callable[[], None]) -> None:
        """Subscribe; ``resumed`` is called on the loop after deliveries were interrupted: messages may be missing."""
        # In a thread: the bus may wait a moment for its server.
        self._subscription = await asyncio.to_thread(
            self._bus.subscribe, topics, self.receive, lambda: self._call(resumed)
        )

    async def close(self) -> None:
        """Receive no more."""
        if self._subscription is not None:
            await asyncio.to_thread(self._subscription.close)
            self._subscription = None

    def receive(self, message: Message | Sky) -> None:
        """In the bus's thread: wake the loop once for all queued messages."""
        self.messages.append(message)
        if not self._is_called:
            self._is_called = True
            self._call(self.deliver)

    def deliver(self) -> None:
        """On the loop: hand over what is queued."""
        self._is_called = False
        self._deliver()

    def _call(self, callback: Callable[[], None]) -> None:
        call_on_loop(self._loop, callback)
