"""The topics of the channel and the audience of their events, as declared by the features."""

from __future__ import annotations

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core.bus import Message
from skywatch.core.feature import FeatureSet, Topic
from skywatch.security.visibility import Visibility


class TopicTable:
    """The topics of an installation, in their usual order."""

    def __init__(self, features: FeatureSet) -> None:
        self.all: dict[str, Topic] = features.topics
        # Topics that carry events, not the picture.
        self.events: tuple[str, ...] = tuple(name for name, topic in self.all.items() if not topic.live)
        # Topics of the picture on which features publish events of aircraft as well.
        self.of_aircraft: tuple[str, ...] = tuple(
            dict.fromkeys(kind.topic for kind in features.events.values() if self.is_live(kind.topic))
        )
        # For each topic, the permissions that decide who receives its events, and in which form.
        self.deciding: dict[str, frozenset[str]] = features.deciding_permissions()
        self._kinds = features.events
        # Which aircraft are military now: what was published before it was known is hidden, too.
        self.military = MilitaryAircraft()

    def is_live(self, name: str) -> bool:
        """Whether a topic carries the picture; False for unknown topics."""
        topic = self.all.get(name)
        return topic is not None and topic.live

    def open_to(self, visibility: Visibility) -> tuple[str, ...]:
        """The topics that a subscriber may join."""
        return tuple(topic.name for topic in self.all.values() if topic.permission in visibility.permissions)

    def wants_receipt(self, visibility: Visibility, message: Message) -> bool:
        """Whether it is recorded that a message was written to this subscriber: one whom it is for, no overseer."""
        kind = self._kinds.get(message.event)
        return kind is not None and bool(kind.written) and visibility.user_id in message.audience.users

    def may_receive(self, visibility: Visibility, message: Message) -> bool:
        """Whether a message on an open topic is for a subscriber.

        Events of another feature that travel on a topic need that feature's own
        permission too: a disabled feature or a key without its scope must not receive it by another topic.
        """
        kind = self._kinds.get(message.event)
        if kind is not None and not visibility.permissions.issuperset(kind.needs):
            return False
        audience = message.audience
        if not self._may_see(audience.aircraft, visibility):
            return False
        return audience.includes(visibility.user_id, visibility.permissions)

    def data_for(self, visibility: Visibility, message: Message) -> bytes:
        """The data of a message in the fullest form that a subscriber may see."""
        for form in message.forms:
            if form.needs <= visibility.permissions and self._may_see(form.aircraft, visibility):
                return form.data
        return message.data

    def _may_see(self, aircraft: frozenset[str], visibility: Visibility) -> bool:
        return not aircraft or visibility.military or not self.military.any_of(aircraft)
