"""Announces a new revision of the list of known aircraft; a process that misses it looks by itself a little later."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy.orm import Session

from skywatch.cannonball import topics
from skywatch.core import events
from skywatch.core.bus import Bus
from skywatch.core.bus.base import Message

_CHANGED = Message(topics.KNOWN, "changed", b"{}")


def announce(bus: Bus) -> None:
    """Announce what an import has committed."""
    bus.publish(_CHANGED)


def announce_change(session: Session) -> None:
    """Announce the change that this session makes, once it is committed."""
    events.publish(session, _CHANGED, stored=False)


def announce_detections(session: Session, known_ids: Sequence[int]) -> None:
    """Announce the known aircraft whose detections this session counts, once they are committed."""
    events.publish(session, Message(topics.DETECTED, "detected", msgspec.json.encode(known_ids)), stored=False)
