"""Announces a new revision of the list of known aircraft; a process that misses it polls a little later."""

from __future__ import annotations

from sqlalchemy.orm import Session

from skywatch.cannonball import topics
from skywatch.core import events
from skywatch.core.bus import Bus
from skywatch.core.bus.base import Message

_CHANGED = Message(topics.KNOWN, "changed", b"{}")


def announce(bus: Bus) -> None:
    """Announce a change that was committed."""
    bus.publish(_CHANGED)


def announce_change(session: Session) -> None:
    """Announce a change of this session, after its commit."""
    events.publish(session, _CHANGED, stored=False)
