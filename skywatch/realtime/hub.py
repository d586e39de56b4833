"""The centre of the channel: distributes messages of the bus to the topics, and reviews the subscribers' rights.

Everything here runs on the server's loop, except the bus's callbacks, which only append to an inbox.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skywatch.core.bus import Bus, Message
from skywatch.core.bus import topics as bus_topics
from skywatch.core.clock import unix_now
from skywatch.core.publishing.event_reader import EventReader
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.picture.sharing.follower import AGE_EVERY_S, PictureFollower
from skywatch.picture.state.sky import Sky
from skywatch.realtime.connections.authentication import ConnectionAuthenticator
from skywatch.realtime.connections.frames import Event
from skywatch.realtime.connections.queues import Turn
from skywatch.realtime.events.catch_up import CatchUp
from skywatch.realtime.events.published import Stream
from skywatch.realtime.events.streams import EventTopics
from skywatch.realtime.inbox import Inbox
from skywatch.realtime.sky.aircraft import View
from skywatch.realtime.sky.live import LiveTopics
from skywatch.realtime.subscribers.register import Subscriber, SubscriberRegister
from skywatch.realtime.topics import TopicTable

log = logging.getLogger(__name__)
SWEEP_EVERY_S = 60.0


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
        serves_picture: Callable[[], bool] = lambda: True,
        note_written: Callable[[Message], None] = lambda message: None,
    ) -> None:
        self.loop = loop
        self.heartbeat_s = heartbeat_s
        self.turn = Turn(loop, self._hand_over)
        self.live = LiveTopics(self.turn.call, self.turn.write)
        self.topics = topics
        self.events = EventTopics(topics, note_written)
        self._faults = FaultLog(log, "the real-time channel", "the real-time channel works again")
        self.subscribers = SubscriberRegister(connection_authenticator, connections_per_user, self._faults)
        self._inbox = Inbox(bus, loop, self._deliver)
        self._catch_up = CatchUp(reader, self._publish, loop)
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
        await self._inbox.open((bus_topics.IDENTITIES, *self.topics.events), self._catch_up.begin)
        await asyncio.to_thread(self.picture.start)
        self._inbox.deliver()
        await self._catch_up.start()
        self._tasks.append(self.loop.create_task(self.subscribers.review_forever(), name="review of rights"))
        self._tasks.append(self.loop.create_task(self._sweep_forever(), name="sweep of streams"))
        self._tasks.append(self.loop.create_task(self._watch_silence_forever(), name="watch for silence"))

    async def close(self) -> None:
        """Stop receiving from the bus."""
        await self._inbox.close()
        await asyncio.to_thread(self.picture.close)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._catch_up.close()

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
            elif not self._catch_up.is_known(arrived):
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

    def picture_state(self) -> dict[str, Any]:
        """The message ``picture``: whether the picture is live, and the age of its last tick."""
        return {"state": "stale" if self.is_stale else "live", "age_s": round(self.live.state.sky.age_s, 1)}

    async def _watch_silence_forever(self) -> None:
        """Age the picture while the tracker is silent and nothing comes from the bus."""
        while True:
            await asyncio.sleep(AGE_EVERY_S)
            try:
                if self.picture.is_silent and not self._inbox.messages:
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
        self._number(message)
        self.turn.call()

    def _number(self, message: Message) -> None:
        """Gather a message for its subscribers until the end of the turn."""
        try:
            self.events.publish(message)
        except Exception as error:
            # One invalid event must not delay those after it.
            self._faults.failed(f"an event on topic {message.topic} was not delivered: {error}")

    def snapshot(self, source: View | Stream) -> Event:
        """The snapshot of a source for a new subscriber."""
        if isinstance(source, View):
            return self.live.snapshot(source)
        return self.events.logs[source.topic].snapshot(source.visibility, unix_now())

    async def _sweep_forever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            try:
                self.events.sweep(time.monotonic())
            except Exception as error:
                self._faults.failed("streams without subscribers cannot be dropped", error)

    def ended_tasks(self) -> list[str]:
        """Names of tasks that have ended unexpectedly."""
        return [task.get_name() for task in self._tasks if task.done()]
