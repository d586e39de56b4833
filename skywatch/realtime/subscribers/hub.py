"""The centre of the channel: distributes messages of the bus to the topics, and reviews the subscribers' rights.

Everything here runs on the server's loop, except the bus's callbacks, which only append to an inbox.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from skywatch.core.bus import Bus, Message, Subscription
from skywatch.core.bus import topics as bus_topics
from skywatch.core.bus.base import call_on_loop
from skywatch.core.clock import unix_now
from skywatch.core.events import EventReader
from skywatch.core.process.tasks import repeat
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.distribution.follower import AGE_EVERY_S, PictureFollower
from skywatch.picture.state.sky import Sky
from skywatch.realtime.subscribers.authentication import ConnectionAuthenticator
from skywatch.realtime.subscribers.register import Subscriber, SubscriberRegister
from skywatch.realtime.subscribers.snapshot_limits import SnapshotLimits
from skywatch.realtime.topics.backfill import EventBackfill
from skywatch.realtime.topics.event_log import Stream
from skywatch.realtime.topics.event_topics import EventTopics
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.wire.answers import PictureState
from skywatch.realtime.wire.frames import Event
from skywatch.realtime.wire.outbox import Listener, Turn

log = logging.getLogger(__name__)
SWEEP_EVERY_S = 60.0


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
        snapshots_per_s: float = 4.0,
        serves_picture: Callable[[], bool] = lambda: True,
        note_written: Callable[[Message], None] = lambda message: None,
    ) -> None:
        self.loop = loop
        self.heartbeat_s = heartbeat_s
        self.turn = Turn(loop, self._hand_over)
        self.live = LiveTopics(self.turn.call, self.turn.write, self._charge)
        self.snapshots = SnapshotLimits(snapshots_per_s, lambda: self.live.state.weight)
        self.topics = topics
        self.events = EventTopics(topics, note_written)
        self._faults = FaultLog(log, "the real-time channel", "the real-time channel works again")
        self.subscribers = SubscriberRegister(connection_authenticator, connections_per_user, self._faults)
        self._inbox = Inbox(bus, loop, self._deliver)
        self._backfill = EventBackfill(reader, self._publish, loop)
        self.picture = PictureFollower(bus, picture_timeout_s, self._inbox.receive, serves_picture)
        # Whether the picture is aged because the tracker is silent.
        self.is_stale = False
        self._tasks: list[asyncio.Task[None]] = []
        # When the last tick reached the subscribers (monotonic s); asked from any thread.
        self.tick_at = time.monotonic()

    @property
    def sessions(self) -> Mapping[Subscriber, None]:
        """The admitted subscribers."""
        return self.subscribers.sessions

    async def open(self) -> None:
        """Start receiving from the bus, with the present picture and recent events."""
        topics = (bus_topics.IDENTITIES, *self.topics.events, *self.topics.of_aircraft)
        await self._inbox.open(topics, self._backfill.begin)
        await asyncio.to_thread(self.picture.start)
        self._inbox.deliver()
        await self._backfill.start()
        self._tasks.append(self.loop.create_task(self.subscribers.review_forever(), name="review of rights"))
        sweeping = repeat(
            self._sweep,
            SWEEP_EVERY_S,
            partial(self._faults.failed, "streams without subscribers cannot be dropped"),
        )
        ageing = repeat(self._age, AGE_EVERY_S, partial(self._faults.failed, "the picture cannot grow old"))
        self._tasks.append(self.loop.create_task(sweeping, name="sweep of streams"))
        self._tasks.append(self.loop.create_task(ageing, name="watch for silence"))

    async def close(self) -> None:
        """Stop receiving from the bus."""
        await self._inbox.close()
        await asyncio.to_thread(self.picture.close)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._backfill.close()

    # From the bus

    def _deliver(self) -> None:
        skies: list[Sky] = []
        messages = self._inbox.messages
        while messages:
            arrived = messages.popleft()
            if isinstance(arrived, Sky):
                if not self._is_old(arrived, skies[-1] if skies else self.live.state.sky):
                    skies.append(arrived)
            elif arrived.topic == bus_topics.IDENTITIES:
                self.subscribers.request_review()
            elif arrived.topic in self.topics.of_aircraft:
                self._tell(arrived)
            elif not self._backfill.is_known(arrived):
                self._number(arrived)
        if skies:
            self._tick(skies)
        self.turn.end()

    def _tick(self, skies: Sequence[Sky]) -> None:
        """Send one or more skies to viewers, and changes of the picture's state."""
        try:
            self.live.tick(skies)
            if not skies[-1].age_s:
                self.tick_at = time.monotonic()
            self._faults.succeeded()
        except Exception as error:
            self._faults.failed("a tick could not be taken in, the picture starts over", error)
            self.live.forget()
        if (skies[-1].age_s > 0) != self.is_stale:
            self.is_stale = skies[-1].age_s > 0
            self.subscribers.each(lambda subscriber: subscriber.send_picture_state())

    def _silent_sky(self) -> Sky:
        return self.picture.sky

    def picture_state(self) -> PictureState:
        """Whether the picture is live, and the age of its last tick."""
        return PictureState(state="stale" if self.is_stale else "live", age_s=round(self.live.state.sky.age_s, 1))

    async def _age(self) -> None:
        """Age the picture while the tracker is silent and nothing comes from the bus."""
        if self.picture.is_silent and not self._inbox.messages:
            sky = await asyncio.to_thread(self._silent_sky)
            if sky.age_s and not self._is_old(sky, self.live.state.sky):
                self._tick([sky])

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

    def _charge(self, listener: Listener, size: int) -> None:
        self.snapshots.charge(listener.person, size)

    def _publish(self, message: Message) -> None:
        self._number(message)
        self.turn.call()

    def _number(self, message: Message) -> None:
        """Gather a message for its subscribers until the end of the turn."""
        try:
            self.events.publish(message)
        except Exception as error:
            # One invalid event must not delay those after it.
            self._faults.failed(f"an event on topic {message.topic} was not delivered: {error}")

    def _tell(self, message: Message) -> None:
        """Send an event of an aircraft to the viewers of its topic; it has no number of its own and is not repeated."""
        self.subscribers.each(lambda subscriber: subscriber.send_of_aircraft(message))

    def snapshot(self, source: LiveView | Stream) -> Event:
        """The snapshot of a source for a new subscriber."""
        if isinstance(source, LiveView):
            return self.live.snapshot(source)
        return self.events.logs[source.topic].snapshot(source.visibility, unix_now())

    async def _sweep(self) -> None:
        self.events.sweep(time.monotonic())

    def ended_tasks(self) -> list[str]:
        """Names of tasks that have ended unexpectedly."""
        return [task.get_name() for task in self._tasks if task.done()]
