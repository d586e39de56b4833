"""Who watches which view of the picture: each tick is made once a view and written to all of its viewers.

A viewer whose connection is congested is left out until it has caught up; then it gets one update from where it
stopped, or a snapshot, never a backlog.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from skywatch.core.fault_log import FaultLog
from skywatch.picture.sky import Sky
from skywatch.realtime.aircraft import PictureState, View
from skywatch.realtime.column_events import ColumnEvents
from skywatch.realtime.commands import Point
from skywatch.realtime.frames import Encoder, Event
from skywatch.realtime.metrics import REALTIME_DROPPED, REALTIME_SENT
from skywatch.realtime.queues import Outbox

log = logging.getLogger(__name__)
# Making the updates of many areas takes a while: what is made is sent on its way this often meanwhile. Not after each,
# because what one tick has for a client is to leave in one write.
SEND_EVERY_S = 0.005


class Listener(Protocol):
    """What the topics need to know of a subscriber."""

    outbox: Outbox
    variant: tuple[Encoder, bool]


@dataclass
class _Viewers:
    """``level`` have seen the latest tick; ``behind`` stopped at a tick, or at none (None)."""

    level: dict[Listener, None] = field(default_factory=dict)
    behind: dict[Listener, int | None] = field(default_factory=dict)


class LiveTopics:
    """The aircraft topics of one process.

    ``wake`` asks for ``hand_over`` at the end of this turn of the loop: somebody who subscribes twenty times in one
    breath costs one snapshot. Without it newcomers are served at once. ``send`` writes what was pushed so far.
    """

    def __init__(self, wake: Callable[[], None] | None = None, send: Callable[[], None] = lambda: None) -> None:
        self.state = PictureState()
        self._columns = ColumnEvents(self.state)
        self._views: dict[View, _Viewers] = {}
        self._wake = wake
        self._send = send
        self._newcomers: dict[tuple[Listener, View], None] = {}
        # For whom an event could not be made; they are tried again with the next tick.
        self._unserved: dict[tuple[Listener, View], None] = {}
        self._faults = FaultLog(log, "a view cannot be sent", "all views are sent again")

    def join(self, listener: Listener, view: View, since: Point | None) -> None:
        """Begin to watch: what was missed since a point, or a snapshot."""
        viewers = self._views.setdefault(view, _Viewers())
        # Columns always begin with a full state: that is small.
        resumes = since is not None and view.form is None and self.state.can_continue(view, since.epoch, since.seq)
        viewers.behind[listener] = since.seq if since is not None and resumes else None
        if self._wake is not None:
            self._newcomers[listener, view] = None
            self._wake()
        elif not listener.outbox.congested:
            self.catch_up(listener, view)

    def hand_over(self) -> None:
        """Serve those who have come in this turn and are still there."""
        newcomers, self._newcomers = self._newcomers, {}
        for listener, view in newcomers:
            if not listener.outbox.congested and view in self._views:
                try:
                    self.catch_up(listener, view)
                except Exception as error:
                    self._unserved[listener, view] = None
                    self._faults.failed(f"topic {view.topic}", error)

    def _failed(self, view: View, viewers: _Viewers, error: Exception) -> None:
        """All viewers of a view begin anew with the next tick."""
        self._faults.failed(f"topic {view.topic}", error)
        for listener in viewers.level:
            viewers.behind[listener] = None
            self._unserved[listener, view] = None
        viewers.level.clear()

    def forget(self) -> None:
        """A sky could not be taken in: the next one is a new beginning for everybody."""
        self.state.forget()

    def leave(self, listener: Listener, view: View) -> None:
        """Watch no more."""
        self._unserved.pop((listener, view), None)
        viewers = self._views[view]
        viewers.level.pop(listener, None)
        viewers.behind.pop(listener, None)
        if not viewers.level and not viewers.behind:
            del self._views[view]

    def catch_up(self, listener: Listener, view: View) -> None:
        """Bring a viewer that was congested or has just come to the latest tick."""
        viewers = self._views[view]
        if listener not in viewers.behind:
            return
        since = viewers.behind[listener]
        frame: bytes | None = None
        if since is None or not self.state.floor <= since <= self.state.sky.seq:
            frame = self.snapshot(view).frame(listener.variant)
        elif since < self.state.sky.seq:
            frame = self._update(view, since).frame(listener.variant)
        # Not before the event could be made: who got nothing is still behind.
        del viewers.behind[listener]
        viewers.level[listener] = None
        if frame is not None:
            listener.outbox.push(frame)

    def snapshot(self, view: View) -> Event:
        """All that a view shows now, in its form."""
        return self.state.snapshot(view) if view.form is None else self._columns.full(view)

    def _update(self, view: View, since: int) -> Event:
        return self.state.update(view, since) if view.form is None else self._columns.update(view, since)

    def tick(self, skies: Sequence[Sky]) -> None:
        """Take one or more skies in their order and tell all viewers the difference at once."""
        before = self.state.sky.seq
        continuous = True
        for sky in skies:
            continuous = self.state.ingest(sky) and continuous
        if self._unserved and self._wake is not None:
            self._newcomers.update(self._unserved)
            self._unserved.clear()
            self._wake()
        sent_at = time.monotonic()
        # Sending may show that a client is too slow, who then leaves.
        for view, viewers in list(self._views.items()):
            if not continuous:
                viewers.behind = dict.fromkeys(viewers.behind)
            if viewers.level:
                try:
                    event = self._update(view, before) if continuous else self.snapshot(view)
                    self._tell(viewers, event, before if continuous else None)
                except Exception as error:
                    # A fault of the program with one view: its viewers begin anew, the others go on.
                    self._failed(view, viewers, error)
            if time.monotonic() - sent_at > SEND_EVERY_S:
                self._send()
                sent_at = time.monotonic()
        if not self._unserved:
            self._faults.succeeded()

    def _tell(self, viewers: _Viewers, event: Event, before: int | None) -> None:
        told = len(viewers.level)
        congested: list[Listener] = []
        for listener in viewers.level:
            if listener.outbox.congested:
                congested.append(listener)
            else:
                listener.outbox.push(event.frame(listener.variant))
        for listener in congested:
            del viewers.level[listener]
            viewers.behind[listener] = before
        REALTIME_SENT.labels(event.topic).inc(told - len(congested))
        if congested:
            REALTIME_DROPPED.labels(event.topic).inc(len(congested))

    @property
    def view_count(self) -> int:
        """How many different views are watched."""
        return len(self._views)
