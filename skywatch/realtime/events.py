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
from skywatch.realtime.topics import TopicTable
from skywatch.security.visibility import Visibility

# What a topic remembers for those who come back; events are small and rare beside aircraft.
MEMORY_EVENTS = 500
MEMORY_BYTES = 4 * 1024 * 1024
# How many of them a snapshot holds.
SNAPSHOT_EVENTS = 100
# A stream nobody listens to any more is kept this long for those who come back.
STREAM_IDLE_S = 600.0


@dataclass(eq=False)
class Stream:
    """The numbered events of all who may see the same; ``may`` is what decides it, and no more."""

    topic: str
    epoch: str
    may: Visibility
    seq: int = 0
    idle_since: float | None = None
    memory: deque[Event] = field(default_factory=lambda: deque(maxlen=MEMORY_EVENTS))

    def add(self, message: Message) -> Event:
        """Number one message."""
        self.seq += 1
        event = Event(self.topic, message.event, self.epoch, self.seq, message.data_for(self.may.permissions))
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

    def __init__(self, name: str, topics: TopicTable, start: str) -> None:
        self.topic = topics.all[name]
        self.deciding = topics.deciding[name]
        self._hears = topics.hears
        self.streams: dict[Visibility, Stream] = {}
        self.recent: deque[Message] = deque(maxlen=MEMORY_EVENTS)
        self._recent_bytes = 0
        self._start = start
        self._numbers = itertools.count(1)

    def stream_for(self, may: Visibility) -> Stream:
        """The stream of a subscriber who may see so much, begun where there is none yet."""
        key = Visibility(may.user_id if self.topic.personal else None, may.permissions & self.deciding)
        stream = self.streams.get(key)
        if stream is None:
            epoch = f"{self._start}.{next(self._numbers)}"
            stream = self.streams[key] = Stream(self.topic.name, epoch, key)
        stream.idle_since = None
        return stream

    def publish(self, message: Message) -> Iterator[tuple[Stream, Event]]:
        """Remember a message and number it in every stream that may hear it.

        A message for some users on a topic that is not personal is nobody's, and so is one that names a permission
        by which streams are not told apart: it raises ValueError.
        """
        if message.audience.users and not self.topic.personal:
            raise ValueError(f"topic {self.topic.name} carries no events of single users ({message.event})")
        undeclared = message.named_permissions - self.deciding
        if undeclared:
            raise ValueError(
                f"{message.event} names permissions that its topic does not declare: {', '.join(sorted(undeclared))}"
            )
        self._remember(message)
        for stream in self.streams.values():
            if self._hears(stream.may, message):
                yield stream, stream.add(message)

    def _remember(self, message: Message) -> None:
        if len(self.recent) == MEMORY_EVENTS:
            self._recent_bytes -= self.recent[0].size
        self.recent.append(message)
        self._recent_bytes += message.size
        while self._recent_bytes > MEMORY_BYTES and len(self.recent) > 1:
            self._recent_bytes -= self.recent.popleft().size

    def snapshot(self, may: Visibility, now: float) -> Event:
        """The latest events that such a subscriber may hear, as ``<topic>:snapshot``; it stands at the stream's seq."""
        stream = self.stream_for(may)
        return Event(
            self.topic.name, f"{self.topic.name}:snapshot", stream.epoch, stream.seq, self.data(stream.may, now)
        )

    def data(self, may: Visibility, now: float) -> bytes:
        """The data of a snapshot: the latest events, oldest first."""
        heard = [m for m in self.recent if self._hears(may, m)][-SNAPSHOT_EVENTS:]
        forms = [(msgspec.json.encode(m.event), m.data_for(may.permissions)) for m in heard]
        events = b",".join([b'{"event":%b,"data":%b}' % form for form in forms])
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
