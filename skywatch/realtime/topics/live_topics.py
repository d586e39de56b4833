"""The viewers of each view of the picture: an update is made once per view and tick, and written to all its viewers.

A viewer whose connection is congested is skipped until it can take data again; then it gets one update from its last
tick, or a snapshot, never a backlog.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.state.exact_distances import exact
from skywatch.picture.state.sky import Sky
from skywatch.realtime.metrics import REALTIME_DROPPED, REALTIME_SENT
from skywatch.realtime.topics.column_events import ColumnEvents
from skywatch.realtime.topics.marks import Marks
from skywatch.realtime.topics.picture_state import LiveView, PictureState
from skywatch.realtime.topics.tile_grid import TileForm
from skywatch.realtime.topics.tile_readers import TileReaders
from skywatch.realtime.wire.frames import Event, Point
from skywatch.realtime.wire.outbox import Listener

log = logging.getLogger(__name__)
# Making the updates of many areas takes a while: finished ones are written at this interval (s). Not after each,
# because all updates of one tick for a client should leave in one write.
SEND_EVERY_S = 0.005


@dataclass
class _Viewers:
    """``level`` have seen the latest tick; ``behind`` stopped at a tick, or at none (None)."""

    level: dict[Listener, None] = field(default_factory=dict)
    behind: dict[Listener, int | None] = field(default_factory=dict)


class _IntervalSender:
    """Calls ``send`` when the last call is long enough ago."""

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._sent_at = time.monotonic()

    def __call__(self) -> None:
        if time.monotonic() - self._sent_at > SEND_EVERY_S:
            self._send()
            self._sent_at = time.monotonic()


class _Pictures:
    """The picture and what events of columns are made from."""

    def __init__(self) -> None:
        self.state = PictureState()
        self.columns = ColumnEvents(self.state)


class LiveTopics:
    """The aircraft topics of one process.

    ``wake`` schedules ``hand_over`` at the end of this turn of the loop: a client that subscribes twenty times at once
    costs one snapshot. Without it newcomers are served at once. ``send`` writes the frames pushed so far, ``charge``
    counts the bytes that a newcomer gets.
    """

    def __init__(
        self,
        wake: Callable[[], None] | None = None,
        send: Callable[[], None] = lambda: None,
        charge: Callable[[Listener, int], None] = lambda listener, size: None,
    ) -> None:
        self._shown, self._exact = _Pictures(), _Pictures()
        self.state = self._shown.state
        self._tiles = TileReaders(self.state, self._shown.columns)
        self._views: dict[LiveView, _Viewers] = {}
        self._wake = wake
        self._send = send
        self._charge = charge
        self._newcomers: dict[tuple[Listener, LiveView], None] = {}
        # Viewers for whom an event could not be made; retried at the next tick.
        self._unserved: dict[tuple[Listener, LiveView], None] = {}
        self._faults = FaultLog(log, "a view cannot be sent", "all views are sent again")
        # Users with marked aircraft have views of their own; all others share views.
        self._next_marks: Marks = {}
        self._marked: set[int] = set()
        self._personal: dict[int, dict[tuple[Listener, LiveView], None]] = {}

    def take_marks(self, marks: Marks) -> None:
        """The aircraft that are marked for users from the next tick on."""
        self._next_marks = marks

    def _shared_view(self, view: LiveView) -> LiveView:
        """The view whose events a viewer of this one gets: shared, or the user's own."""
        return view if view.user is None or view.user in self._marked else replace(view, user=None)

    def _begin_marks(self) -> None:
        """Begin a tick with its marks: users whose first mark was set, or last one cleared, change their view."""
        # The last tick has sent them already that nothing is marked any more.
        for user in [user for user in self._marked if not self._shown.columns.marked.marks.get(user)]:
            if not self._next_marks.get(user):
                self._move(user, marked=False)
        for user in self._personal:
            if self._next_marks.get(user) and user not in self._marked:
                self._move(user, marked=True)
        self._shown.columns.marked.begin(self._next_marks)
        self._exact.columns.marked.begin(self._next_marks)

    def _move(self, user: int, *, marked: bool) -> None:
        watching = self._personal.get(user, {})
        before = {view: self._shared_view(view) for _, view in watching}
        (self._marked.add if marked else self._marked.discard)(user)
        for listener, view in watching:
            old, new = before[view], self._shared_view(view)
            source, target = self._views[old], self._views.setdefault(new, _Viewers())
            if listener in source.level:
                target.level[listener] = source.level.pop(listener)
            elif listener in source.behind:
                target.behind[listener] = source.behind.pop(listener)
            if (listener, old) in self._unserved:
                del self._unserved[listener, old]
                self._unserved[listener, new] = None
        for shared in set(before.values()):
            self._drop_empty(shared)

    def join(self, listener: Listener, view: LiveView, since: Point | None) -> None:
        """Add a viewer: it gets the changes since a point, or a snapshot."""
        if isinstance(view.form, TileForm):
            self._tiles.join(listener, view)
        else:
            self._join_view(listener, view, since)
        if self._wake is not None:
            self._newcomers[listener, view] = None
            self._wake()
        elif not listener.outbox.congested:
            self.catch_up(listener, view)

    def _join_view(self, listener: Listener, view: LiveView, since: Point | None) -> None:
        if view.user is not None:
            self._personal.setdefault(view.user, {})[listener, view] = None
            if self._shown.columns.marked.marks.get(view.user):
                self._marked.add(view.user)
        viewers = self._views.setdefault(self._shared_view(view), _Viewers())
        # Columns always begin with a full state: that is small.
        resumes = since is not None and view.form is None and self.state.can_continue(view, since.epoch, since.seq)
        viewers.behind[listener] = since.seq if since is not None and resumes else None

    def _is_watching(self, listener: Listener, view: LiveView) -> bool:
        if isinstance(view.form, TileForm):
            return self._tiles.is_reading(listener, view)
        return self._shared_view(view) in self._views

    def hand_over(self) -> None:
        """Serve the new viewers of this turn that are still connected."""
        newcomers, self._newcomers = self._newcomers, {}
        for listener, view in newcomers:
            if not listener.outbox.congested and self._is_watching(listener, view):
                try:
                    self._charge(listener, self.catch_up(listener, view))
                except Exception as error:
                    self._unserved[listener, view] = None
                    self._faults.failed(f"topic {view.topic}", error)

    def _failed(self, view: LiveView, viewers: _Viewers, error: Exception) -> None:
        """All viewers of a view get a snapshot at the next tick."""
        self._faults.failed(f"topic {view.topic}", error)
        for listener in viewers.level:
            viewers.behind[listener] = None
            self._unserved[listener, view] = None
        viewers.level.clear()

    def forget(self) -> None:
        """Reset after a sky that could not be processed: the next one is sent as snapshots."""
        self.state.forget()
        self._exact.state.forget()

    def _pictures(self, view: LiveView) -> _Pictures:
        """The picture of a view: everybody's, or the one with exact distances where that is another one.

        The latter is made only while somebody sees it, but the history is everybody's: it has no gaps to resume across.
        """
        sky = self.state.sky
        if not view.exact or (exact_sky := exact(sky)) is sky:
            return self._shown
        self._exact.state.follow(self.state, exact_sky)
        return self._exact

    def leave(self, listener: Listener, view: LiveView) -> None:
        """Remove a viewer."""
        if isinstance(view.form, TileForm):
            self._unserved.pop((listener, view), None)
            self._tiles.leave(listener, view)
            return
        if view.user is not None and (watching := self._personal.get(view.user)) is not None:
            watching.pop((listener, view), None)
            if not watching:
                del self._personal[view.user]
        shared = self._shared_view(view)
        for one in (view, shared):
            self._unserved.pop((listener, one), None)
        viewers = self._views[shared]
        viewers.level.pop(listener, None)
        viewers.behind.pop(listener, None)
        self._drop_empty(shared)

    def _drop_empty(self, shared: LiveView) -> None:
        viewers = self._views.get(shared)
        if viewers is not None and not viewers.level and not viewers.behind:
            del self._views[shared]

    def catch_up(self, listener: Listener, view: LiveView) -> int:
        """Send the latest state to a viewer that was congested or is new; returns how many bytes that is."""
        if isinstance(view.form, TileForm):
            return self._tiles.catch_up(listener, view)
        view = self._shared_view(view)
        viewers = self._views[view]
        if listener not in viewers.behind:
            return 0
        since = viewers.behind[listener]
        frame: bytes | None = None
        if since is None or not self.state.floor <= since <= self.state.sky.seq:
            frame = self.snapshot(view).frame(listener.variant)
        elif since < self.state.sky.seq:
            frame = self._update(view, since).frame(listener.variant)
        # Only after the event could be made: otherwise the viewer is still behind.
        del viewers.behind[listener]
        viewers.level[listener] = None
        if frame is not None:
            listener.outbox.push(frame)
        return len(frame or b"")

    def snapshot(self, view: LiveView) -> Event:
        """The present contents of a view, in its form."""
        pictures = self._pictures(view)
        return pictures.state.snapshot(view) if view.form is None else pictures.columns.full(view)

    def _update(self, view: LiveView, since: int) -> Event:
        pictures = self._pictures(view)
        return pictures.state.update(view, since) if view.form is None else pictures.columns.update(view, since)

    def tick(self, skies: Sequence[Sky]) -> None:
        """Process one or more skies in their order and send all viewers the changes at once."""
        self._begin_marks()
        before = self.state.sky.seq
        if not any(view.exact for view in self._views):
            self._exact.state.forget()
        continuous = True
        for sky in skies:
            continuous = self.state.ingest(sky) and continuous
        if self._unserved and self._wake is not None:
            self._newcomers.update(self._unserved)
            self._unserved.clear()
            self._wake()
        send_at_interval = _IntervalSender(self._send)
        # Sending may end a client that is too slow, which changes the views.
        for view, viewers in list(self._views.items()):
            if not continuous:
                viewers.behind = dict.fromkeys(viewers.behind)
            if viewers.level:
                try:
                    event = self._update(view, before) if continuous else self.snapshot(view)
                    self._send_event(viewers, event, before if continuous else None)
                except Exception as error:
                    # An internal fault with one view: its viewers get a snapshot later, the others continue.
                    self._failed(view, viewers, error)
            send_at_interval()
        is_next = continuous and before == self.state.sky.seq - 1
        for listener, view, fault in self._tiles.tick(is_next, send_at_interval):
            self._faults.failed(f"topic {view.topic}", fault)
            self._unserved[listener, view] = None
        if not self._unserved:
            self._faults.succeeded()

    def _send_event(self, viewers: _Viewers, event: Event, before: int | None) -> None:
        viewer_count = len(viewers.level)
        congested: list[Listener] = []
        for listener in viewers.level:
            if listener.outbox.congested:
                congested.append(listener)
            else:
                listener.outbox.push(event.frame(listener.variant))
        for listener in congested:
            del viewers.level[listener]
            viewers.behind[listener] = before
        REALTIME_SENT.labels(event.topic).inc(viewer_count - len(congested))
        if congested:
            REALTIME_DROPPED.labels(event.topic).inc(len(congested))

    @property
    def view_count(self) -> int:
        """The number of different views."""
        return len(self._views) + self._tiles.group_count
