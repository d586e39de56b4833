"""After an interruption of the bus: what the database kept meanwhile is delivered from there, nothing twice.

A feature whose events must not be lost registers an ``EventSource`` for its topic. While the bus works, sources are
not asked; after a gap each is asked once at once and once a little later, because what was committed before the
gap ended may still be on its way.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol

from skywatch.core.bus import Message
from skywatch.core.clock import unix_now

log = logging.getLogger(__name__)
# Events of so long ago are looked up again after a gap: longer than a message takes from commit to delivery.
OVERLAP_S = 10.0
SECOND_LOOK_S = 5.0
# Longer gaps are answered from the last hour; older events are history, not news.
LONGEST_GAP_S = 3600.0
# Keys of delivered messages, to tell what was delivered already.
REMEMBERED_KEYS = 20_000


class EventSource(Protocol):
    """How a feature gives events of its topic from the database."""

    topic: str

    def key(self, message: Message) -> str | None:
        """What tells one event from another, whether it came from the bus or from here; None: cannot be told."""

    def since(self, at: float) -> Sequence[Message]:
        """Events committed after a unix time, oldest first; may wait for the database (in a worker thread)."""


class CatchUp:
    """Remembers what was delivered, and fills gaps from the sources."""

    def __init__(
        self,
        sources: Sequence[EventSource],
        publish: Callable[[Message], None],
        loop: asyncio.AbstractEventLoop,
        second_look_s: float = SECOND_LOOK_S,
    ) -> None:
        self._sources: dict[str, list[EventSource]] = {}
        for source in sources:
            self._sources.setdefault(source.topic, []).append(source)
        self._publish = publish
        self._loop = loop
        self._second_look_s = second_look_s
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._task: asyncio.Task[None] | None = None

    def is_known(self, message: Message) -> bool:
        """Whether this message was delivered before; it counts as delivered from now on."""
        known = False
        for source in self._sources.get(message.topic, ()):
            key = source.key(message)
            if key is None:
                continue
            entry = (message.topic, key)
            known = known or entry in self._known
            self._known[entry] = None
            self._known.move_to_end(entry)
        while len(self._known) > REMEMBERED_KEYS:
            self._known.popitem(last=False)
        return known

    def begin(self, gap_from: float) -> None:
        """Deliveries have resumed; they were complete until ``gap_from`` (unix time)."""
        if not self._sources:
            return
        if self._task is not None:
            self._task.cancel()
        at = max(gap_from, unix_now() - LONGEST_GAP_S) - OVERLAP_S
        self._task = self._loop.create_task(self._fill(at))

    async def _fill(self, at: float) -> None:
        await self._look(at)
        await asyncio.sleep(self._second_look_s)
        await self._look(at)

    async def _look(self, at: float) -> None:
        for topic, sources in self._sources.items():
            for source in sources:
                try:
                    messages = await self._loop.run_in_executor(None, source.since, at)
                except Exception:
                    log.exception("topic %s: what happened during the interruption cannot be looked up", topic)
                    continue
                for message in messages:
                    if not self.is_known(message):
                        self._publish(message)

    async def close(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
