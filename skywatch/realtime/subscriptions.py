"""The topics that one subscriber has asked for: what it sees or hears of each, as far as it may."""

from __future__ import annotations

from skywatch.realtime.aircraft import View
from skywatch.realtime.areas import Area
from skywatch.realtime.columns import Form
from skywatch.realtime.commands import Point
from skywatch.realtime.events import Stream
from skywatch.realtime.hub import Hub
from skywatch.realtime.live import Listener
from skywatch.security.visibility import Visibility


class Subscriptions:
    """Joins and leaves at the hub for ``listener``; ``sources`` are what it sees or hears now, by topic."""

    def __init__(self, hub: Hub, listener: Listener) -> None:
        self.sources: dict[str, View | Stream] = {}
        self._hub = hub
        self._listener = listener
        self._areas: dict[str, Area | None] = {}
        self._forms: dict[str, Form | None] = {}

    def names(self) -> list[str]:
        """The topics, in their usual order."""
        return [name for name in self._hub.topics.all if name in self.sources]

    def area_of(self, topic: str) -> Area | None:
        """The area that was last asked for with a topic."""
        return self._areas.get(topic)

    def source(self, topic: str, area: Area | None, may: Visibility, form: Form | None = None) -> View | Stream:
        """What somebody who may see so much sees or hears of a topic."""
        if not self._hub.topics.is_live(topic):
            return self._hub.events.stream_of(topic, may)
        user = may.user_id if form is not None and ("flags" in form.fields or form.limit is not None) else None
        if topic == "military":
            return View(topic, "military", may.details, area, form, user)
        return View(topic, "all" if may.military else "civil", may.details, area, form, user)

    def put(self, topic: str, area: Area | None, may: Visibility, form: Form | None = None) -> None:
        """Note a topic in place of what was seen or heard of it before; nothing comes of it until ``join``."""
        self.leave(topic)
        self._areas[topic], self._forms[topic] = area, form
        self.sources[topic] = self.source(topic, area, may, form)

    def join(self, topic: str, since: Point | None) -> None:
        """Have a noted topic come: what was missed since a point, or what there is now."""
        source = self.sources[topic]
        if isinstance(source, View):
            self._hub.live.join(self._listener, source, since)
        else:
            self._hub.events.join(self._listener, source, since)

    def leave(self, topic: str) -> None:
        """See or hear no more of a topic."""
        source = self.sources.pop(topic, None)
        if isinstance(source, View):
            self._hub.live.leave(self._listener, source)
        elif source is not None:
            self._hub.events.leave(self._listener, source)

    def leave_all(self) -> None:
        """See and hear no more."""
        for topic in list(self.sources):
            self.leave(topic)

    def leave_forbidden(self, may: Visibility) -> list[str]:
        """Leave the topics that are no longer open; returns which."""
        opened = self._hub.topics.open_to(may)
        lost = [topic for topic in self.sources if topic not in opened]
        for topic in lost:
            self.leave(topic)
        return lost

    def renew(self, may: Visibility) -> None:
        """Begin anew with the topics of which something else may be seen than before."""
        for topic, source in list(self.sources.items()):
            fresh = self.source(topic, self.area_of(topic), may, self._forms.get(topic))
            if fresh != source:
                self.leave(topic)
                self.sources[topic] = fresh
                self.join(topic, None)

    def catch_up(self) -> None:
        """Bring the aircraft topics up to the latest tick, as far as the connection takes data."""
        for source in self.sources.values():
            if isinstance(source, View) and not self._listener.outbox.congested:
                self._hub.live.catch_up(self._listener, source)
