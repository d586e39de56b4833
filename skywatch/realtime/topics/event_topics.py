"""The listeners of event streams: each event is encoded once per stream and written to all its listeners."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core.bus import Message
from skywatch.core.clock import unix_now
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.realtime.metrics import REALTIME_SENT
from skywatch.realtime.topics.event_log import EventLog, Stream
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.wire.frames import Encoder, Event, Point
from skywatch.realtime.wire.outbox import Listener, spread
from skywatch.security.visibility import Visibility

log = logging.getLogger(__name__)
_faults = FaultLog(log, "events cannot be sent", "events are sent again")


class EventTopics:
    """The event topics of one process; ``note`` is called with messages that were written to their user."""

    def __init__(self, topics: TopicTable, note: Callable[[Message], None] = lambda message: None) -> None:
        start = secrets.token_hex(4)
        self._topics = topics
        self.logs = {name: EventLog(name, topics, start) for name in topics.events}
        self._listeners: dict[Stream, dict[Listener, None]] = {}
        self._gathered: dict[Stream, list[Event]] = {}
        self._note = note
        self._sent = {name: REALTIME_SENT.labels(name) for name in topics.events}

    def stream_of(self, topic: str, visibility: Visibility) -> Stream:
        """The stream for a subscriber with these rights."""
        return self.logs[topic].stream_for(visibility)

    def join(self, listener: Listener, stream: Stream, since: Point | None) -> int:
        """Add a listener: it gets the events since a point, or a snapshot if they are no longer in memory.

        Returns how many bytes that is.
        """
        self.hand_over(stream)
        self._listeners.setdefault(stream, {})[listener] = None
        if since is None:
            return 0
        missed = stream.since(since.epoch, since.seq)
        if missed is None:
            missed = [self.logs[stream.topic].snapshot(stream.visibility, unix_now())]
        frames = [event.frame(listener.variant) for event in missed]
        for frame in frames:
            listener.outbox.push(frame)
        self._expect_receipts(listener, [message for event in missed for message in event.receipts])
        return sum(map(len, frames))

    def leave(self, listener: Listener, stream: Stream) -> None:
        """Remove a listener."""
        self.hand_over(stream)
        listeners = self._listeners[stream]
        listeners.pop(listener, None)
        if not listeners:
            del self._listeners[stream]

    def publish(self, message: Message) -> None:
        """Number a message in every stream that may receive it; it is handed over at the end of the turn.

        Raises ValueError for a message that its topic cannot carry.
        """
        for stream, event in self.logs[message.topic].publish(message):
            if stream in self._listeners:
                self._gathered.setdefault(stream, []).append(event)

    def take_military(self, military: MilitaryAircraft) -> None:
        """Take which aircraft are military from now on."""
        before, self._topics.military = self._topics.military, military
        for log in self.logs.values():
            log.hide(lambda address: address in military and address not in before)

    def hand_over(self, only: Stream | None = None) -> None:
        """Push gathered events to their listeners; they are joined once for all."""
        if only is not None:
            gathered = {only: self._gathered.pop(only)} if only in self._gathered else {}
        else:
            gathered, self._gathered = self._gathered, {}
        # What goes to several streams leaves a connection in one write, at the end of the turn.
        at_once = only is None and len(gathered) == 1
        for stream, events in gathered.items():
            try:
                self._send(stream, events, at_once=at_once)
            except Exception as error:
                # An internal fault with these events; the other streams continue.
                _faults.failed(f"topic {stream.topic}", error)

    def _send(self, stream: Stream, events: list[Event], *, at_once: bool) -> None:
        listeners = self._listeners.get(stream, {})
        receipts = [message for event in events for message in event.receipts]
        self._sent[stream.topic].inc(len(events) * len(listeners))
        joined = _Joined(events)
        if at_once and not receipts:
            spread(listeners, joined)
            return
        for listener in listeners:
            listener.outbox.push(joined[listener.variant])
            self._expect_receipts(listener, receipts)

    def _expect_receipts(self, listener: Listener, messages: list[Message]) -> None:
        """Note messages once what was pushed to a listener is written."""
        if messages:
            listener.outbox.on_written(lambda: [self._note(message) for message in messages])

    def sweep(self, now: float) -> None:
        """Drop streams without subscribers."""
        listened = set(self._listeners)
        for log in self.logs.values():
            log.forget_idle(now, listened)


class _Joined(dict[tuple[Encoder, bool], bytes]):
    """The frames of some events one behind the other, by variant, joined when first needed."""

    def __init__(self, events: list[Event]) -> None:
        self._events = events

    def __missing__(self, variant: tuple[Encoder, bool]) -> bytes:
        frames = self[variant] = b"".join([event.frame(variant) for event in self._events])
        return frames
