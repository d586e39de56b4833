"""Who watches which view of the picture: each tick is made once a view and written to all of its viewers.

A viewer whose connection is congested is left out until it has caught up; then it gets one update from where it
stopped, or a snapshot, never a backlog.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from skywatch.picture.sky import Sky
from skywatch.realtime.aircraft import PictureState, View
from skywatch.realtime.column_events import ColumnEvents
from skywatch.realtime.commands import Point
from skywatch.realtime.frames import Encoder, Event
from skywatch.realtime.metrics import REALTIME_DROPPED, REALTIME_SENT
from skywatch.realtime.queues import Outbox

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
                self.catch_up(listener, view)

    def leave(self, listener: Listener, view: View) -> None:
        """Watch no more."""
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
        since = viewers.behind.pop(listener)
        viewers.level[listener] = None
        if since is None or not self.state.floor <= since <= self.state.sky.seq:
            event = self.snapshot(view)
        elif since == self.state.sky.seq:
            return
        else:
            event = self._update(view, since)
        listener.outbox.push(event.frame(listener.variant))

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
        sent_at = time.monotonic()
        # Sending may show that a client is too slow, who then leaves.
        for view, viewers in list(self._views.items()):
            if not continuous:
                viewers.behind = dict.fromkeys(viewers.behind)
            if viewers.level:
                event = self._update(view, before) if continuous else self.snapshot(view)
                self._tell(viewers, event, before if continuous else None)
            if time.monotonic() - sent_at > SEND_EVERY_S:
                self._send()
                sent_at = time.monotonic()

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
