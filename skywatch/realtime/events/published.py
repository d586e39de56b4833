"""The event topics: numbering, a bounded memory for returning subscribers, and the audience of events.

Events of one topic are numbered in *streams*. All subscribers with the same rights share a stream, so that the seq
of each grows by exactly one, whatever was published for others. A stream's ``epoch`` names the start
of this process and the stream; a resume that does not match both is answered by a snapshot.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from skywatch.core.bus import Message
from skywatch.realtime.connections.frames import Event
from skywatch.realtime.topics import TopicTable
from skywatch.security.visibility import Visibility

# Memory of a topic for returning subscribers; events are small and rare compared with aircraft.
MEMORY_BYTES = 4 * 1024 * 1024
# So many of a stream's newest events keep their frames: most who come back missed seconds. Older ones are made again.
FRAMED_EVENTS = 50
# Number of events in a snapshot.
SNAPSHOT_EVENTS = 100
# Time for which a stream without subscribers is stored for returning ones (s).
STREAM_IDLE_S = 600.0


@dataclass(eq=False)
class Stream:
    """The numbered events of all subscribers with the same rights, of which the newest ``kept`` are remembered.

    ``visibility`` has only the rights that decide.
    """

    topic: str
    epoch: str
    visibility: Visibility
    kept: int
    seq: int = 0
    idle_since: float | None = None
    memory: deque[Event] = field(init=False)

    def __post_init__(self) -> None:
        self.memory = deque(maxlen=self.kept)

    def add(self, message: Message, receipts: tuple[Message, ...] = ()) -> Event:
        """Number one message."""
        self.seq += 1
        event = Event(
            self.topic,
            message.event,
            self.epoch,
            self.seq,
            message.data_for(self.visibility.permissions),
            receipts=receipts,
        )
        self.memory.append(event)
        if len(self.memory) > FRAMED_EVENTS:
            self.memory[-FRAMED_EVENTS - 1].forget_frames()
        return event

    def since(self, epoch: str, seq: int) -> list[Event] | None:
        """The events after a point, or None if they are no longer in memory."""
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
        self._may_receive = topics.may_receive
        self._wants_receipt = topics.wants_receipt
        self.streams: dict[Visibility, Stream] = {}
        self.recent: deque[Message] = deque(maxlen=self.topic.kept)
        self._recent_bytes = 0
        self._start = start
        self._numbers = itertools.count(1)

    def stream_for(self, visibility: Visibility) -> Stream:
        """The stream for a subscriber with these rights; created if there is none."""
        key = Visibility(visibility.user_id if self.topic.personal else None, visibility.permissions & self.deciding)
        stream = self.streams.get(key)
        if stream is None:
            epoch = f"{self._start}.{next(self._numbers)}"
            stream = self.streams[key] = Stream(self.topic.name, epoch, key, self.topic.kept)
        stream.idle_since = None
        return stream

    def publish(self, message: Message) -> Iterator[tuple[Stream, Event]]:
        """Store a message and number it in every stream that may receive it.

        Raises ValueError for a message to single users on a topic that is not personal, and for one that names a
        permission that its topic does not declare.
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
            if self._may_receive(stream.visibility, message):
                yield stream, stream.add(message, self._receipts(stream.visibility, (message,)))

    def _remember(self, message: Message) -> None:
        if len(self.recent) == self.topic.kept:
            self._recent_bytes -= self.recent[0].size
        self.recent.append(message)
        self._recent_bytes += message.size
        while self._recent_bytes > MEMORY_BYTES and len(self.recent) > 1:
            self._recent_bytes -= self.recent.popleft().size

    def snapshot(self, visibility: Visibility, now: float) -> Event:
        """The latest events for a subscriber with these rights, as ``<topic>:snapshot`` with the stream's seq."""
        stream = self.stream_for(visibility)
        messages = self._latest(stream.visibility)
        return Event(
            self.topic.name,
            f"{self.topic.name}:snapshot",
            stream.epoch,
            stream.seq,
            self._encoded(messages, stream.visibility, now),
            receipts=self._receipts(stream.visibility, messages),
        )

    def data(self, visibility: Visibility, now: float) -> bytes:
        """The data of a snapshot: the latest events, oldest first."""
        return self._encoded(self._latest(visibility), visibility, now)

    def _receipts(self, visibility: Visibility, messages: Sequence[Message]) -> tuple[Message, ...]:
        # Only messages to single users have receipts.
        return tuple([m for m in messages if m.audience.users and self._wants_receipt(visibility, m)])

    def _latest(self, visibility: Visibility) -> list[Message]:
        return [m for m in self.recent if self._may_receive(visibility, m)][-SNAPSHOT_EVENTS:]

    @staticmethod
    def _encoded(messages: Sequence[Message], visibility: Visibility, now: float) -> bytes:
        forms = [(msgspec.json.encode(m.event), m.data_for(visibility.permissions)) for m in messages]
        events = b",".join([b'{"event":%b,"data":%b}' % form for form in forms])
        return b'{"events":[%b],"count":%d,"now":%.3f}' % (events, len(messages), now)

    def forget_idle(self, now: float, listened: set[Stream]) -> None:
        """Drop streams that had no subscribers for a while."""
        for key, stream in list(self.streams.items()):
            if stream in listened:
                stream.idle_since = None
            elif stream.idle_since is None:
                stream.idle_since = now
            elif now - stream.idle_since > STREAM_IDLE_S:
                del self.streams[key]
