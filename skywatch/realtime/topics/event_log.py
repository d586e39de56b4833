"""The event topics: numbering, a bounded memory for returning subscribers, and the audience of events.

Events of one topic are numbered in *streams*. All subscribers with the same rights share a stream, so that the seq
of each grows by exactly one, whatever was published for others. A stream's ``epoch`` names the start
of this process and the stream; a resume that does not match both is answered by a snapshot.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import msgspec

from skywatch.core.bus import Message
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.wire.frames import Event
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

    def add(self, message: Message, data: bytes, receipts: tuple[Message, ...] = ()) -> Event:
        """Number one message, whose data is in the form for this stream."""
        self.seq += 1
        event = Event(
            self.topic, message.event, self.epoch, self.seq, data, receipts=receipts, aircraft=message.aircraft
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

    def forget(self, aircraft: Callable[[str], bool]) -> None:
        """Forget everything where an event is about such an aircraft: who returns gets a snapshot."""
        if any(aircraft(address) for event in self.memory for address in event.aircraft):
            self.memory.clear()


class RecentMessages:
    """The newest messages of a topic, at most ``kept`` and ``MEMORY_BYTES``, divided by those whom they are for.

    Where there are too many, whoever has most of them loses their oldest: nobody's messages displace those of others.
    """

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._numbers = itertools.count()
        self._of: dict[frozenset[int], deque[tuple[int, Message]]] = {}
        self._bytes: Counter[frozenset[int]] = Counter()

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def __iter__(self) -> Iterator[Message]:
        """All of them, oldest first."""
        return (message for _, message in sorted(itertools.chain(*self._of.values()), key=itemgetter(0)))

    def add(self, message: Message) -> None:
        """Add the newest message."""
        users = message.audience.users
        self._of.setdefault(users, deque()).append((next(self._numbers), message))
        self._bytes[users] += message.size
        while len(self) > self._kept:
            self._drop_oldest(max(self._of, key=lambda each: len(self._of[each])))
        while self._bytes.total() > MEMORY_BYTES and len(self) > 1:
            self._drop_oldest(max(self._bytes, key=self._bytes.__getitem__))

    def _drop_oldest(self, users: frozenset[int]) -> None:
        self._bytes[users] -= self._of[users].popleft()[1].size
        if not self._of[users]:
            del self._of[users], self._bytes[users]


def newest_of_each(messages: Sequence[Message], most: int) -> list[Message]:
    """The newest of these messages, ``most`` in all: of those whom they are for each has an equal share.

    What some do not use of it, others have.
    """
    has = Counter(message.audience.users for message in messages)
    left, share = most, most
    for place, count in enumerate(sorted(has.values())):
        share = max(1, left // (len(has) - place))
        if count > share:
            break
        left -= count
    chosen: list[Message] = []
    taken: Counter[frozenset[int]] = Counter()
    for message in reversed(messages):
        taken[message.audience.users] += 1
        if taken[message.audience.users] <= share:
            chosen.append(message)
    return chosen[:most][::-1]


class EventLog:
    """One event topic: its recent messages and its streams."""

    def __init__(self, name: str, topics: TopicTable, start: str) -> None:
        self.topic = topics.all[name]
        self.deciding = topics.deciding[name]
        self._topics = topics
        self.streams: dict[Visibility, Stream] = {}
        self.recent = RecentMessages(self.topic.kept)
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
        self.recent.add(message)
        for stream in self.streams.values():
            if self._topics.may_receive(stream.visibility, message):
                data = self._topics.data_for(stream.visibility, message)
                yield stream, stream.add(message, data, self._receipts(stream.visibility, (message,)))

    def hide(self, aircraft: Callable[[str], bool]) -> None:
        """Forget what was sent about aircraft that are now hidden from those who may not see military ones."""
        for visibility, stream in self.streams.items():
            if not visibility.military:
                stream.forget(aircraft)

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
        return tuple([m for m in messages if m.audience.users and self._topics.wants_receipt(visibility, m)])

    def _latest(self, visibility: Visibility) -> list[Message]:
        return newest_of_each([m for m in self.recent if self._topics.may_receive(visibility, m)], SNAPSHOT_EVENTS)

    def _encoded(self, messages: Sequence[Message], visibility: Visibility, now: float) -> bytes:
        forms = [(msgspec.json.encode(m.event), self._topics.data_for(visibility, m)) for m in messages]
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
