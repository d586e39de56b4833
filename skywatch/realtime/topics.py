"""The seven topics of the channel, each with the permission that opens it.

A topic either carries the picture (``live``: snapshot and updates of aircraft) or events. The events of a
``personal`` topic belong to users, so that each user's are numbered on their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.security.permissions import Permission


@dataclass(frozen=True)
class Topic:
    """One topic: its name, the permission that opens it, and what kind of thing it carries."""

    name: str
    permission: Permission
    live: bool = False
    personal: bool = False


TOPICS: dict[str, Topic] = {
    topic.name: topic
    for topic in (
        Topic("aircraft", Permission.AIRCRAFT_VIEW, live=True),
        Topic("military", Permission.AIRCRAFT_VIEW_MILITARY, live=True),
        Topic("alerts", Permission.ALERTS_VIEW, personal=True),
        Topic("safety", Permission.SAFETY_VIEW),
        Topic("acars", Permission.ACARS_VIEW),
        Topic("audio", Permission.AUDIO_VIEW),
        Topic("system", Permission.SYSTEM_VIEW_STATUS),
    )
}
EVENT_TOPICS: tuple[str, ...] = tuple(name for name, topic in TOPICS.items() if not topic.live)

# Events of another feature that travel on a topic (``cannonball:alert`` on ``alerts``) need that feature's own
# permission too: a disabled feature or a key without its scope must not hear it through the side door.
GATES: dict[str, Permission] = {"cannonball": Permission.CANNONBALL_VIEW}
# Whoever holds one of these hears also what belongs to others, where the audience of a message names it.
OVERSIGHT: tuple[Permission, ...] = (Permission.ALERTS_MANAGE_ALL, Permission.CANNONBALL_MANAGE)

# The features whose access settings decide what may be heard.
FEATURES: tuple[str, ...] = tuple(
    sorted({p.feature for p in (*(t.permission for t in TOPICS.values()), *GATES.values(), *OVERSIGHT)})
)


def gate_of(event: str) -> Permission | None:
    """The further permission that an event needs, by the feature its name begins with."""
    return GATES.get(event.partition(":")[0])
