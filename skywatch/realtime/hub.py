"""The middle of the channel: what comes from the bus goes to the topics, and every subscriber is looked after.

Everything here runs on the server's loop, except the bus's callbacks, which only put what they got into an inbox.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from skywatch.core.bus import Bus, Message, Subscription
from skywatch.core.clock import unix_now
from skywatch.core.problems import Problem
from skywatch.picture.sky import Sky, from_bytes
from skywatch.realtime.aircraft import View
from skywatch.realtime.authentication import Doorman, Standing
from skywatch.realtime.catch_up import CatchUp, EventSource
from skywatch.realtime.closing import Closing
from skywatch.realtime.events import Stream
from skywatch.realtime.frames import Event
from skywatch.realtime.limits import Places
from skywatch.realtime.live import LiveTopics
from skywatch.realtime.protocols import base
from skywatch.realtime.queues import Turn
from skywatch.realtime.streams import EventTopics
from skywatch.realtime.topics import EVENT_TOPICS
from skywatch.security.identity import Identity

log = logging.getLogger(__name__)
PICTURE_TOPIC = "picture"
# Published by the accounts whenever somebody's rights or login change.
ACCOUNTS_TOPIC = "accounts"
# An ended login must be refused within one second, so everybody's standing is looked at a little oftener.
REVIEW_EVERY_S = 0.9
SWEEP_EVERY_S = 60.0


class Subscriber(Protocol):
    """What the hub needs to know and ask of those whom it has let in."""

    standing: Standing | None

    @property
    def protocol(self) -> base.Protocol:
        """What it speaks."""

    @property
    def subscriptions(self) -> Mapping[str, View | Stream]:
        """What it sees or hears of each topic."""

    def send(self, kind: str, body: dict[str, Any]) -> None:
        """Tell it something."""

    def review(self, now: Problem | Standing) -> None:
        """Tell it what it may do now."""

    def end(self, reason: Closing) -> None:
        """End its connection."""


class Hub:
    """The topics and the subscribers of one process."""

    def __init__(
        self,
        bus: Bus,
        loop: asyncio.AbstractEventLoop,
        doorman: Doorman,
        sources: Sequence[EventSource] = (),
        *,
        heartbeat_s: float = 25.0,
        connections_per_user: int = 50,
    ) -> None:
        self.bus = bus
        self.loop = loop
        self.doorman = doorman
        self.heartbeat_s = heartbeat_s
        self.turn = Turn(loop, self._hand_over)
        self.live = LiveTopics(self.turn.call, self.turn.write)
        self.events = EventTopics()
        self.sessions: dict[Subscriber, None] = {}
        self._users = Places(connections_per_user)
        self._catch_up = CatchUp(sources, self._publish, loop)
        self._inbox: deque[Message | Sky] = deque()
        self._called = False
        self._heard_at = unix_now()
        self._review_wanted = asyncio.Event()
        self._subscriptions: list[Subscription] = []
        self._tasks: list[asyncio.Task[None]] = []

    def open(self) -> None:
        """Begin to hear the bus, with the picture of this moment."""
        topics = (PICTURE_TOPIC, ACCOUNTS_TOPIC, *EVENT_TOPICS)
        self._subscriptions.append(self.bus.subscribe(topics, self._receive, self._resumed))
        last = self.bus.last(PICTURE_TOPIC)
        if last is not None:
            self._receive(last)
        self._tasks.append(self.loop.create_task(self._review_for_ever()))
        self._tasks.append(self.loop.create_task(self._sweep_for_ever()))

    async def close(self) -> None:
        """Hear the bus no more."""
        for subscription in self._subscriptions:
            await asyncio.to_thread(subscription.close)
        self._subscriptions.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._catch_up.close()

    # From the bus

    def _receive(self, message: Message) -> None:
        """In the bus's thread: decode what is large, and wake the loop once for all that waits."""
        self._heard_at = unix_now()
        if message.topic == PICTURE_TOPIC:
            try:
                sky = message.local if message.local is not None else from_bytes(message.data)
            except ValueError as error:
                log.warning("the picture on the bus cannot be read: %s", error)
                return
            self._inbox.append(sky)
        else:
            self._inbox.append(message)
        if not self._called:
            self._called = True
            try:
                self.loop.call_soon_threadsafe(self._deliver)
            except RuntimeError:
                pass  # The loop has been closed: the role is stopping.

    def _resumed(self) -> None:
        """In the bus's thread: deliveries were interrupted, messages may be missing."""
        gap_from = self._heard_at
        last = self.bus.last(PICTURE_TOPIC)
        if last is not None:
            self._receive(last)
        try:
            self.loop.call_soon_threadsafe(self._catch_up.begin, gap_from)
        except RuntimeError:
            pass

    def _deliver(self) -> None:
        self._called = False
        skies: list[Sky] = []
        while self._inbox:
            arrived = self._inbox.popleft()
            if isinstance(arrived, Sky):
                if not self._is_old(arrived, skies[-1] if skies else self.live.state.sky):
                    skies.append(arrived)
            elif arrived.topic == ACCOUNTS_TOPIC:
                self._review_wanted.set()
            elif not self._catch_up.is_known(arrived):
                self._publish(arrived)
        if skies:
            self.live.tick(skies)

    @staticmethod
    def _is_old(sky: Sky, latest: Sky) -> bool:
        """The last snapshot of the bus may have come as a message already."""
        return sky.epoch == latest.epoch and sky.seq <= latest.seq

    def _hand_over(self) -> None:
        """At the end of a turn: what was gathered for many goes into their outboxes."""
        self.events.hand_over()
        self.live.hand_over()

    def _publish(self, message: Message) -> None:
        try:
            self.events.publish(message)
        except ValueError as error:
            log.error("an event was not delivered: %s", error)
        self.turn.call()

    def snapshot(self, source: View | Stream) -> Event:
        """What a subscriber of this source would be told at first."""
        if isinstance(source, View):
            return self.live.state.snapshot(source)
        return self.events.logs[source.topic].snapshot(source.rights, unix_now())

    # The subscribers

    def enter(self, session: Subscriber, standing: Standing) -> bool:
        """Let a subscriber in; False where the user has enough connections."""
        if standing.identity is not None and not self._users.take(standing.identity.user_id):
            return False
        self.sessions[session] = None
        return True

    def left(self, session: Subscriber) -> None:
        """A subscriber has gone."""
        if session in self.sessions:
            del self.sessions[session]
            if session.standing is not None and session.standing.identity is not None:
                self._users.give_back(session.standing.identity.user_id)

    def end_all(self, reason: Closing, within_s: float) -> None:
        """Send everybody away, each told to come back at another moment within so many seconds."""
        for session in list(self.sessions):
            after_s = round(random.uniform(0.0, within_s), 1)
            session.send("reconnect", {"after_s": after_s})
            session.end(Closing(reason.code, f"{reason.message}; come back in {after_s} s"))

    async def _review_for_ever(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._review_wanted.wait(), REVIEW_EVERY_S)
            except TimeoutError:
                pass
            self._review_wanted.clear()
            try:
                await self.review()
            except Exception:
                log.exception("the rights of the subscribers could not be reviewed")

    async def review(self) -> None:
        """Look at everybody's standing as it is now."""
        groups: dict[Identity | None, list[Subscriber]] = {}
        for session in self.sessions:
            if session.standing is not None:
                groups.setdefault(session.standing.identity, []).append(session)
        if not groups:
            return
        standings = await self.doorman.review(list(groups))
        for (identity, sessions), standing in zip(groups.items(), standings, strict=True):
            for session in sessions:
                # A token that was renewed meanwhile is judged the next time.
                if session.standing is not None and session.standing.identity == identity:
                    session.review(standing)

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            self.events.sweep(time.monotonic())
