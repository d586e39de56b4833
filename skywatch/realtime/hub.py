"""The centre of the channel: distributes messages of the bus to the topics, and reviews the subscribers' rights.

Everything here runs on the server's loop, except the bus's callbacks, which only append to an inbox.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

from sqlalchemy.exc import SQLAlchemyError

from skywatch.core.bus import Bus, Message, Subscription
from skywatch.core.bus import topics as bus_topics
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import outage_of, reason
from skywatch.core.problems import Problem
from skywatch.core.publishing.event_reader import EventReader
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.picture.sharing.follower import AGE_EVERY_S, PictureFollower
from skywatch.picture.state.sky import Sky
from skywatch.realtime.connections.authentication import Admission, ConnectionAuthenticator
from skywatch.realtime.connections.closing import Closing
from skywatch.realtime.connections.frames import Event
from skywatch.realtime.connections.limits import ConnectionCounter
from skywatch.realtime.connections.queues import Turn
from skywatch.realtime.events.catch_up import CatchUp
from skywatch.realtime.events.published import Stream
from skywatch.realtime.events.streams import EventTopics
from skywatch.realtime.protocols import base
from skywatch.realtime.sky.aircraft import View
from skywatch.realtime.sky.live import LiveTopics
from skywatch.realtime.topics import TopicTable
from skywatch.security.identity import Identity

log = logging.getLogger(__name__)
# Interval of reviewing admissions (s): an ended login must be refused within one second.
REVIEW_EVERY_S = 0.9
SWEEP_EVERY_S = 60.0


class Subscriber(Protocol):
    """The interface of admitted subscribers."""

    admission: Admission | None

    @property
    def protocol(self) -> base.Protocol:
        """Its protocol."""

    @property
    def subscriptions(self) -> Mapping[str, View | Stream]:
        """Its view or stream of each topic."""

    def send(self, kind: str, body: dict[str, Any]) -> None:
        """Send a message."""

    def review(self, now: Problem | Admission) -> None:
        """Apply its present admission."""

    def end(self, reason: Closing) -> None:
        """End its connection."""

    def send_picture_state(self) -> None:
        """Send whether the picture is live, if an aircraft topic is subscribed."""

    def abandon(self) -> None:
        """Drop the connection at once."""


class Hub:
    """The topics and the subscribers of one process."""

    def __init__(
        self,
        bus: Bus,
        loop: asyncio.AbstractEventLoop,
        connection_authenticator: ConnectionAuthenticator,
        topics: TopicTable,
        reader: EventReader,
        *,
        heartbeat_s: float = 25.0,
        connections_per_user: int = 50,
        picture_timeout_s: float = 60.0,
        note_written: Callable[[Message], None] = lambda message: None,
    ) -> None:
        self.bus = bus
        self.loop = loop
        self.connection_authenticator = connection_authenticator
        self.heartbeat_s = heartbeat_s
        self.turn = Turn(loop, self._hand_over)
        self.live = LiveTopics(self.turn.call, self.turn.write)
        self.topics = topics
        self.events = EventTopics(topics, note_written)
        self.sessions: dict[Subscriber, None] = {}
        self._users = ConnectionCounter(connections_per_user)
        self._catch_up = CatchUp(reader, self._publish, loop)
        self.picture = PictureFollower(bus, picture_timeout_s, self._receive)
        # Whether the picture is aged because the tracker is silent.
        self.is_stale = False
        self._inbox: deque[Message | Sky] = deque()
        self._called = False
        self._review_requested = asyncio.Event()
        self._subscriptions: list[Subscription] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._faults = FaultLog(log, "the real-time channel", "the real-time channel works again")
        self._review_faults = FaultLog(
            log, "the rights of the subscribers cannot be reviewed", "the rights of the subscribers are reviewed again"
        )
        # Of connections whose token cannot be looked up; they come by the hundred once the database is away.
        self.account_faults = FaultLog(log, "the accounts did not answer", "the accounts answer again")
        # When the last tick reached the subscribers (monotonic s); asked from any thread.
        self.tick_at = time.monotonic()

    async def open(self) -> None:
        """Start receiving from the bus, with the present picture and recent events."""
        topics = (bus_topics.IDENTITIES, *self.topics.events)
        # In threads: the bus may wait a moment for its server.
        self._subscriptions.append(await asyncio.to_thread(self.bus.subscribe, topics, self._receive, self._resumed))
        await asyncio.to_thread(self.picture.start)
        self._deliver()
        await self._catch_up.start()
        self._tasks.append(self.loop.create_task(self._review_for_ever(), name="review of rights"))
        self._tasks.append(self.loop.create_task(self._sweep_for_ever(), name="sweep of streams"))
        self._tasks.append(self.loop.create_task(self._watch_silence_for_ever(), name="watch for silence"))

    async def close(self) -> None:
        """Stop receiving from the bus."""
        for subscription in self._subscriptions:
            await asyncio.to_thread(subscription.close)
        await asyncio.to_thread(self.picture.close)
        self._subscriptions.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._catch_up.close()

    # From the bus

    def _receive(self, message: Message | Sky) -> None:
        """In the bus's thread: wake the loop once for all queued messages."""
        self._inbox.append(message)
        if not self._called:
            self._called = True
            try:
                self.loop.call_soon_threadsafe(self._deliver)
            except RuntimeError:
                pass  # The loop has been closed: the role is stopping.

    def _resumed(self) -> None:
        """In the bus's thread: deliveries were interrupted, messages may be missing."""
        try:
            self.loop.call_soon_threadsafe(self._catch_up.begin)
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
            elif arrived.topic == bus_topics.IDENTITIES:
                self._review_requested.set()
            elif not self._catch_up.is_known(arrived):
                self._publish(arrived)
        if skies:
            self._tick(skies)

    def _tick(self, skies: Sequence[Sky]) -> None:
        """Send one or more skies to viewers, and changes of the picture's state."""
        try:
            self.live.tick(skies)
            if not skies[-1].age_s:
                self.tick_at = time.monotonic()
            self._faults.succeeded()
        except Exception as error:
            self._faults.failed("a tick could not be taken in, the picture begins anew", error)
            self.live.forget()
        if (skies[-1].age_s > 0) != self.is_stale:
            self.is_stale = skies[-1].age_s > 0
            for session in list(self.sessions):
                with self._alone(session):
                    session.send_picture_state()

    def _silent_sky(self) -> Sky:
        return self.picture.sky

    def picture_state(self) -> dict[str, Any]:
        """The message ``picture``: whether the picture is live, and the age of its last tick."""
        return {"state": "stale" if self.is_stale else "live", "age_s": round(self.live.state.sky.age_s, 1)}

    async def _watch_silence_for_ever(self) -> None:
        """Age the picture while the tracker is silent and nothing comes from the bus."""
        while True:
            await asyncio.sleep(AGE_EVERY_S)
            try:
                if self.picture.is_silent and not self._inbox:
                    sky = await asyncio.to_thread(self._silent_sky)
                    if sky.age_s and not self._is_old(sky, self.live.state.sky):
                        self._tick([sky])
            except Exception as error:
                self._faults.failed("the picture cannot grow old", error)

    @staticmethod
    def _is_old(sky: Sky, latest: Sky) -> bool:
        """The last snapshot of the bus may have come as a message already."""
        return sky.epoch == latest.epoch and sky.seq <= latest.seq

    def _hand_over(self) -> None:
        """At the end of a turn: push gathered frames into the outboxes."""
        try:
            self.events.hand_over()
        finally:
            self.live.hand_over()

    def _publish(self, message: Message) -> None:
        try:
            self.events.publish(message)
        except Exception as error:
            # One invalid event must not delay those after it.
            self._faults.failed(f"an event on topic {message.topic} was not delivered: {error}")
        self.turn.call()

    def snapshot(self, source: View | Stream) -> Event:
        """The snapshot of a source for a new subscriber."""
        if isinstance(source, View):
            return self.live.snapshot(source)
        return self.events.logs[source.topic].snapshot(source.may, unix_now())

    # The subscribers

    def enter(self, session: Subscriber, admission: Admission) -> bool:
        """Add a subscriber; False if the user has reached the limit of connections."""
        if admission.identity is not None and not self._users.take(admission.identity.user_id):
            return False
        self.sessions[session] = None
        return True

    def remove(self, session: Subscriber) -> None:
        """Remove a subscriber whose connection has ended."""
        if session in self.sessions:
            del self.sessions[session]
            if session.admission is not None and session.admission.identity is not None:
                self._users.release(session.admission.identity.user_id)

    def end_all(self, reason: Closing, within_s: float) -> None:
        """End all connections; each client is asked to return after a random time of at most ``within_s``."""
        for session in list(self.sessions):
            after_s = round(random.uniform(0.0, within_s), 1)
            with self._alone(session):
                session.send("reconnect", {"after_s": after_s})
                session.end(replace(reason, message=f"{reason.message}; come back in {after_s} s"))

    @contextmanager
    def _alone(self, session: Subscriber) -> Iterator[None]:
        """A fault with one subscriber drops only that one."""
        try:
            yield
        except Exception as error:
            self._faults.failed("a subscriber is dropped", error)
            session.abandon()

    async def _review_for_ever(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._review_requested.wait(), REVIEW_EVERY_S)
            except TimeoutError:
                pass
            self._review_requested.clear()
            try:
                await self.review()
                self._review_faults.succeeded()
            except Exception as error:
                # A database that cannot be reached needs no traceback.
                is_expected = isinstance(error, SQLAlchemyError)
                self._review_faults.failed(reason(error), None if is_expected else error, outage_of(error))

    def accounts_failed(self, error: Exception) -> None:
        """Log that a token could not be checked."""
        is_expected = isinstance(error, SQLAlchemyError)
        self.account_faults.failed(reason(error), None if is_expected else error, outage_of(error))

    async def review(self) -> None:
        """Apply the present admissions of all subscribers."""
        groups: dict[Identity | None, list[Subscriber]] = {}
        for session in self.sessions:
            if session.admission is not None:
                groups.setdefault(session.admission.identity, []).append(session)
        if not groups:
            return
        admissions = await self.connection_authenticator.review(list(groups))
        for (identity, sessions), admission in zip(groups.items(), admissions, strict=True):
            for session in sessions:
                # A token that was renewed meanwhile is reviewed the next time.
                if session.admission is not None and session.admission.identity == identity:
                    with self._alone(session):
                        session.review(admission)

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            try:
                self.events.sweep(time.monotonic())
            except Exception as error:
                self._faults.failed("streams without subscribers cannot be dropped", error)

    def ended_tasks(self) -> list[str]:
        """Names of tasks that have ended unexpectedly."""
        return [task.get_name() for task in self._tasks if task.done()]
