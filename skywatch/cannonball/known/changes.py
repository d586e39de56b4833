"""Tells the other processes that the list of known aircraft has changed."""

from __future__ import annotations

from pyramid.request import Request

from skywatch.cannonball.known.revision import TOPIC
from skywatch.core.bus import Bus
from skywatch.core.bus.base import Message


def tell(bus: Bus) -> None:
    """Say that there is a new revision; who misses it looks by itself a little later."""
    bus.publish(Message(TOPIC, "changed", b"{}"))


def tell_after_commit(request: Request) -> None:
    """``tell``, once this request's transaction is committed."""
    bus = request.runtime.bus

    def committed(successful: bool) -> None:
        if successful:
            tell(bus)

    request.tm.get().addAfterCommitHook(committed)
