"""The event topics: numbering, a bounded memory for those who come back, and who hears what.

Events of one topic are numbered in *streams*. All subscribers who may hear the same share a stream, so that the
seq each of them sees grows by exactly one, whatever was published for others. A stream's ``epoch`` names the start
of this process and the stream; a resume that does not match both is answered by a snapshot.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from skywatch.core.bus import Message
from skywatch.realtime.frames import Event
from skywatch.realtime.rights import Rights
from skywatch.realtime.topics import Topic
from skywatch.security.permissions import Permission

# What a topic remembers for those who come back; events are small and rare beside aircraft.
MEMORY_EVENTS = 500
MEMORY_BYTES = 4 * 1024 * 1024
# How many of them a snapshot holds.
SNAPSHOT_EVENTS = 100
# A stream nobody listens to any more is kept this long for those who come back.
STREAM_IDLE_S = 600.0


@dataclass(frozen=True)
class StreamKey:
    """What decides which events of a topic a subscriber hears."""

    military: bool
    holds: frozenset[Permission]
    user_id: int | None


@dataclass(eq=False)
class Stream:
    """The numbered events that one kind of subscriber hears."""

    topic: str
    epoch: str
    rights: Rights
    seq: int = 0
    idle_since: float | None = None
    memory: deque[Event] = field(default_factory=lambda: deque(maxlen=MEMORY_EVENTS))

    def add(self, message: Message) -> Event:
        """Number one message."""
        self.seq += 1
        event = Event(self.topic, message.event, self.epoch, self.seq, message.data)
        self.memory.append(event)
        return event

    def since(self, epoch: str, seq: int) -> list[Event] | None:
        """What came after a point, or None where that is not known any more."""
        if epoch != self.epoch or seq > self.seq:
            return None
        first = self.memory[0].seq if self.memory else self.seq + 1
        if seq < first - 1:
            return None
        return [event for event in self.memory if event.seq > seq]


class EventLog:
    """One event topic: its recent messages and its streams."""

    def __init__(self, topic: Topic, start: str) -> None:
        self.topic = topic
        self.streams: dict[StreamKey, Stream] = {}
        self.recent: deque[Message] = deque(maxlen=MEMORY_EVENTS)
        self._recent_bytes = 0
        self._start = start
        self._numbers = itertools.count(1)

    def stream_for(self, rights: Rights) -> Stream:
        """The stream of a subscriber with these rights, begun where there is none yet."""
        key = StreamKey(rights.military, rights.holds, rights.user_id if self.topic.personal else None)
        stream = self.streams.get(key)
        if stream is None:
            epoch = f"{self._start}.{next(self._numbers)}"
            stream = self.streams[key] = Stream(self.topic.name, epoch, rights)
        stream.idle_since = None
        return stream

    def publish(self, message: Message) -> Iterator[tuple[Stream, Event]]:
        """Remember a message and number it in every stream that may hear it.

        A message for some users on a topic that is not personal is nobody's: it raises ValueError.
        """
        if message.audience.users and not self.topic.personal:
            raise ValueError(f"topic {self.topic.name} carries no events of single users ({message.event})")
        self._remember(message)
        for stream in self.streams.values():
            if stream.rights.may_receive(message.event, message.audience):
                yield stream, stream.add(message)

    def _remember(self, message: Message) -> None:
        if len(self.recent) == MEMORY_EVENTS:
            self._recent_bytes -= len(self.recent[0].data)
        self.recent.append(message)
        self._recent_bytes += len(message.data)
        while self._recent_bytes > MEMORY_BYTES and len(self.recent) > 1:
            self._recent_bytes -= len(self.recent.popleft().data)

    def snapshot(self, rights: Rights, now: float) -> Event:
        """The latest events that these rights may hear, as ``<topic>:snapshot``; it stands at the stream's seq."""
        stream = self.stream_for(rights)
        return Event(self.topic.name, f"{self.topic.name}:snapshot", stream.epoch, stream.seq, self.data(rights, now))

    def data(self, rights: Rights, now: float) -> bytes:
        """The data of a snapshot: the latest events, oldest first."""
        heard = [m for m in self.recent if rights.may_receive(m.event, m.audience)][-SNAPSHOT_EVENTS:]
        events = b",".join([b'{"event":%b,"data":%b}' % (msgspec.json.encode(m.event), m.data) for m in heard])
        return b'{"events":[%b],"count":%d,"now":%.3f}' % (events, len(heard), now)

    def forget_idle(self, now: float, listened: set[Stream]) -> None:
        """Drop streams that nobody has listened to for a while."""
        for key, stream in list(self.streams.items()):
            if stream in listened:
                stream.idle_since = None
            elif stream.idle_since is None:
                stream.idle_since = now
            elif now - stream.idle_since > STREAM_IDLE_S:
                del self.streams[key]
