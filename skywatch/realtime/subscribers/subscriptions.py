"""The subscribed topics of one subscriber, with its view or stream of each."""

from __future__ import annotations

from skywatch.realtime.subscribers.hub import Hub
from skywatch.realtime.topics.areas import Area
from skywatch.realtime.topics.columns import Form
from skywatch.realtime.topics.event_log import Stream
from skywatch.realtime.topics.picture_state import LiveView, Population
from skywatch.realtime.topics.tile_grid import TileForm
from skywatch.realtime.wire.frames import Point
from skywatch.realtime.wire.outbox import Listener
from skywatch.security.visibility import Visibility


class Subscriptions:
    """Joins and leaves at the hub for ``listener``; ``sources`` are its views and streams, by topic."""

    def __init__(self, hub: Hub, listener: Listener) -> None:
        self.sources: dict[str, LiveView | Stream] = {}
        self._hub = hub
        self._listener = listener
        self._areas: dict[str, Area | None] = {}
        self._forms: dict[str, Form | TileForm | None] = {}

    def names(self) -> list[str]:
        """The topics, in their usual order."""
        return [name for name in self._hub.topics.all if name in self.sources]

    def area_of(self, topic: str) -> Area | None:
        """The area that was last asked for with a topic."""
        return self._areas.get(topic)

    def source(
        self, topic: str, area: Area | None, visibility: Visibility, form: Form | TileForm | None = None
    ) -> LiveView | Stream:
        """The view or stream of a topic for these rights."""
        if not self._hub.topics.is_live(topic):
            return self._hub.events.stream_of(topic, visibility)
        population: Population = "military" if topic == "military" else "all" if visibility.military else "civil"
        if isinstance(form, TileForm):
            # Neither airframe details nor distances are in the rows of tiles.
            return LiveView(topic, population, False, None, form, visibility.user_id)
        user = visibility.user_id if form is not None and ("flags" in form.fields or form.limit is not None) else None
        return LiveView(topic, population, visibility.details, area, form, user, visibility.exact_station)

    def put(self, topic: str, area: Area | None, visibility: Visibility, form: Form | TileForm | None = None) -> None:
        """Set the source of a topic, replacing an earlier one; nothing is sent until ``join``."""
        self.leave(topic)
        self._areas[topic], self._forms[topic] = area, form
        self.sources[topic] = self.source(topic, area, visibility, form)

    def was_asked_for(self, topic: str) -> bool:
        """Whether this client has subscribed to a topic before."""
        return topic in self._areas

    def join(self, topic: str, since: Point | None) -> None:
        """Start sending a topic: what was missed since a point, or a snapshot."""
        source = self.sources[topic]
        if isinstance(source, LiveView):
            self._hub.live.join(self._listener, source, since)
        else:
            size = self._hub.events.join(self._listener, source, since)
            if since is not None:
                self._hub.snapshots.charge(self._listener.person, size)

    def leave(self, topic: str) -> None:
        """Unsubscribe from a topic."""
        source = self.sources.pop(topic, None)
        if isinstance(source, LiveView):
            self._hub.live.leave(self._listener, source)
        elif source is not None:
            self._hub.events.leave(self._listener, source)

    def leave_all(self) -> None:
        """Unsubscribe from all topics."""
        for topic in list(self.sources):
            self.leave(topic)

    def leave_forbidden(self, visibility: Visibility) -> list[str]:
        """Unsubscribe from topics that are no longer allowed; returns them."""
        opened = self._hub.topics.open_to(visibility)
        forbidden = [topic for topic in self.sources if topic not in opened]
        for topic in forbidden:
            self.leave(topic)
        return forbidden

    def renew(self, visibility: Visibility) -> None:
        """Rejoin the topics whose contents differ with the new rights."""
        for topic, source in list(self.sources.items()):
            fresh = self.source(topic, self.area_of(topic), visibility, self._forms.get(topic))
            if fresh != source:
                self.leave(topic)
                self.sources[topic] = fresh
                self.join(topic, None)

    def catch_up(self) -> None:
        """Send the latest state of the aircraft topics, unless the connection is congested."""
        for source in self.sources.values():
            if isinstance(source, LiveView) and not self._listener.outbox.congested:
                self._hub.live.catch_up(self._listener, source)
