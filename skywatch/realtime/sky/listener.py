"""Whom topics are sent to."""

from __future__ import annotations

from typing import Protocol

from skywatch.realtime.connections.frames import Encoder
from skywatch.realtime.connections.queues import Outlet


class Listener(Protocol):
    """The interface of a subscriber of topics."""

    outbox: Outlet
    variant: tuple[Encoder, bool]
